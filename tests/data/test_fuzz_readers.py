"""Spoiled files of every format, thousands of them: readings or `InputError` may come out, nothing else."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import xarray as xr

from pdescry.data import Readings, read
from pdescry.errors import InputError

Grid = dict[str, Any]


def _frame(grid: Grid) -> pd.DataFrame:
    time, place = np.meshgrid(grid["t"], grid["x"], indexing="ij")
    return pd.DataFrame({"t": time.ravel(), "x": place.ravel(), "u": grid["u"].ravel()})


def _dataset(grid: Grid) -> xr.Dataset:
    return xr.Dataset({"u": (("t", "x"), grid["u"])}, {"t": grid["t"], "x": grid["x"]})


def _csv(path: Path, grid: Grid) -> None:
    _frame(grid).to_csv(path, index=False)


def _german(path: Path, grid: Grid) -> None:
    frame = _frame(grid)
    frame.assign(sensor=frame.x.map("at {}".format)).to_csv(path, index=False, sep=";", decimal=",")


def _logger(path: Path, grid: Grid) -> None:
    """A preamble, a row of units, separators of thousands, dates with the day first."""
    rows = [
        f"31.05.2024 12:00:0{k};{x};{1e7 * u:,.2f}"
        for k, record in enumerate(grid["u"])
        for x, u in zip(grid["x"], record, strict=True)
    ]
    path.write_text("sep=;\nDevice;Logger\nSerial: 12\n\nZeit;Ort;Wert\n;mm;°C\n" + "\n".join(rows), encoding="utf-8")


def _clock_gz(path: Path, grid: Grid) -> None:
    frame = _frame(grid)
    frame["t"] = pd.Series(pd.to_timedelta(frame.t, unit="s")).astype(str).str.slice(7)
    frame.assign(date="2024-05-31").to_csv(path, index=False, compression="gzip")


def _dates(path: Path, grid: Grid) -> None:
    wide = _frame(grid).pivot_table(index="t", columns="x", values="u")
    wide.set_index(pd.date_range("2024-01-01", periods=5, name="time")).to_csv(path)


def _npz(path: Path, grid: Grid) -> None:
    np.savez(path, **grid)


def _npz_packed(path: Path, grid: Grid) -> None:
    np.savez_compressed(path, **grid)


def _mat4(path: Path, grid: Grid) -> None:
    scipy.io.savemat(path, grid, format="4")


def _mat5(path: Path, grid: Grid) -> None:
    scipy.io.savemat(path, grid)


def _mat7(path: Path, grid: Grid) -> None:
    scipy.io.savemat(path, grid, do_compression=True)


def _mat73(path: Path, grid: Grid) -> None:
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, array in grid.items():
            file[name] = np.atleast_2d(array).T


def _netcdf3(path: Path, grid: Grid) -> None:
    _dataset(grid).to_netcdf(path, engine="scipy")


def _netcdf4(path: Path, grid: Grid) -> None:
    _dataset(grid).to_netcdf(path, engine="h5netcdf")


def _parquet(path: Path, grid: Grid) -> None:
    _frame(grid).to_parquet(path)


# What to write, under which ending, and how many spoiled copies to try.
WRITERS: dict[str, tuple[Callable[[Path, Grid], None], str, int]] = {
    "csv": (_csv, "csv", 400),
    "decimal comma": (_german, "csv", 300),
    "wide with dates": (_dates, "txt", 300),
    "logger": (_logger, "log", 400),
    "clock times, gzip": (_clock_gz, "csv.gz", 200),
    "npz": (_npz, "npz", 400),
    "npz compressed": (_npz_packed, "npz", 300),
    "matlab 4": (_mat4, "mat", 300),
    "matlab 5": (_mat5, "mat", 400),
    "matlab 7": (_mat7, "mat", 300),
    "matlab 7.3": (_mat73, "mat", 400),
    "netcdf 3": (_netcdf3, "nc", 200),
    "netcdf 4": (_netcdf4, "nc", 300),
    "parquet": (_parquet, "parquet", 400),
}


def spoil(content: bytes, rng: random.Random) -> bytes:
    """One to four of: flipped bits, overwritten bytes, a cut, a hole, a splice, a repetition."""
    spoiled = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        size = max(len(spoiled), 1)
        start, length = rng.randrange(size), rng.choice([1, 2, 4, 8, 64])
        match rng.randrange(7):
            case 0 if spoiled:
                spoiled[start] ^= 1 << rng.randrange(8)
            case 1:
                spoiled[start : start + length] = rng.randbytes(length)
            case 2:
                spoiled[start : start + length] = rng.choice([b"\0", b"\xff", b"\x7f"]) * length
            case 3:
                del spoiled[start:]
            case 4:
                del spoiled[start : start + length]
            case 5:
                spoiled[start:start] = rng.choice([b",", b"\n", b'"', b";", b"#", b"nan", b"1e999", b"\xc3\x28", b"-"])
            case _:
                other = rng.randrange(size)
                spoiled[start:start] = spoiled[other : other + 8 * length]
    return bytes(spoiled)


def read_or_refuse(path: Path) -> bool:
    try:
        readings = read(path)
    except InputError:
        return False
    assert isinstance(readings, Readings)
    assert np.isfinite(readings.values).all()
    return True


@pytest.mark.parametrize("kind", WRITERS)
def test_spoiled_file(kind: str, tmp_path: Path, grid: Grid) -> None:
    write, ending, count = WRITERS[kind]
    path, rng = tmp_path / f"a.{ending}", random.Random(kind)
    write(path, grid)
    assert read_or_refuse(path)
    content = path.read_bytes()
    for _ in range(count):
        path.write_bytes(spoil(content, rng))
        read_or_refuse(path)


def test_spoiled_zarr(tmp_path: Path, grid: Grid) -> None:
    whole, path, rng = tmp_path / "whole.zarr", tmp_path / "a.zarr", random.Random(1)
    _dataset(grid).to_zarr(whole, consolidated=False)
    assert read_or_refuse(whole)
    files = sorted(file.relative_to(whole) for file in whole.rglob("*") if file.is_file())
    for _ in range(150):
        shutil.copytree(whole, path)
        victim = path / rng.choice(files)
        if rng.random() < 0.1:
            victim.unlink()
        else:
            victim.write_bytes(spoil(victim.read_bytes(), rng))
        read_or_refuse(path)
        shutil.rmtree(path)


def test_random_text(tmp_path: Path) -> None:
    words = [
        "t",
        "x",
        "u",
        "time",
        ",",
        ",",
        ",",
        "\n",
        "\n",
        ";",
        " ",
        "\t",
        "0.1",
        "2",
        "-3e5",
        "nan",
        '"',
        "#",
        "é",
        "x y",
        "sep=",
        "12:00:00",
        "31.05.2024",
        "05/06/2024",
        '"1,074"',
        "1,234,567",
        "%",
        "//",
        "mm",
        "−5",
    ]
    path, rng = tmp_path / "a.csv", random.Random(2)
    for _ in range(600):
        head = rng.choice(["t,x,u\n", "t;x;u\n", "t x u\n", "", "t,0.1,0.2,0.3\n"])
        path.write_text(head + "".join(rng.choices(words, k=rng.randrange(200))), encoding="utf-8")
        read_or_refuse(path)


@pytest.mark.parametrize("ending", ["csv", "npz", "mat", "nc", "parquet", "csv.gz", "log"])
def test_random_bytes(tmp_path: Path, ending: str) -> None:
    path, rng = tmp_path / f"a.{ending}", random.Random(ending)
    magic = [
        b"",
        b"PK\x03\x04",
        b"PAR1",
        b"\x1f\x8b\x08\0",
        b"sep=",
        b"CDF\x01",
        b"\x89HDF\r\n\x1a\n",
        b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\x01IM",
    ]
    for _ in range(100):
        path.write_bytes(rng.choice(magic) + rng.randbytes(rng.randrange(1, 600)))
        read_or_refuse(path)
