"""Files made to harm: nothing they hold is run, no memory is taken on their word, no library hangs or dies of them."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.io
import xarray as xr
import zarr

from pdescry.data import read

from .test_bad_input import complaint


class Bomb:
    """Unpickling this leaves a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.trace,))


class TestMalice:
    def test_npz_that_asks_for_pickle(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        objects = np.array([Bomb(tmp_path / "trace")], dtype=object)
        np.savez(tmp_path / "a.npz", **grid, extra=objects)
        assert "'extra' of Python objects" in complaint(lambda: read(tmp_path / "a.npz"))
        assert not (tmp_path / "trace").exists()

    def test_zarr_that_asks_for_pickle(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        group = zarr.open_group(str(tmp_path / "a.zarr"), mode="w", zarr_format=2)
        for name, array in grid.items():
            group.create_array(name, data=array)
        path = tmp_path / "a.zarr" / "u" / ".zarray"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"filters": [{"id": "pickle", "protocol": 5}]}))
        assert "pickle" in complaint(lambda: read(tmp_path / "a.zarr"))

    def test_npz_that_claims_a_gigantic_array(self, tmp_path: Path) -> None:
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**7)})
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("u.npy", header.getvalue())
        assert "GiB" in complaint(lambda: read(tmp_path / "a.npz"))

    @pytest.mark.parametrize("name", ["a.mat", "a.nc"])
    def test_hdf5_that_claims_a_gigantic_array(self, tmp_path: Path, name: str) -> None:
        with h5py.File(tmp_path / name, "w") as file:
            file.create_dataset("u", shape=(10**6, 10**7), chunks=(100, 100), dtype="f8")
        assert "GiB" in complaint(lambda: read(tmp_path / name))

    def test_mat_that_claims_a_gigantic_array(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        scipy.io.savemat(tmp_path / "a.mat", {"u": np.ones((7, 11))}, format="4")
        raw = (tmp_path / "a.mat").read_bytes()
        (tmp_path / "a.mat").write_bytes(raw.replace(b"\x07\0\0\0\x0b\0\0\0", b"\xff\xff\xff\x7f\xff\xff\xff\x7f"))
        complaint(lambda: read(tmp_path / "a.mat"))

    def test_zarr_that_claims_a_gigantic_array(self, tmp_path: Path) -> None:
        group = zarr.open_group(str(tmp_path / "a.zarr"), mode="w")
        group.create_array("u", shape=(10**6, 10**7), chunks=(100, 100), dtype="f8")
        assert "GiB" in complaint(lambda: read(tmp_path / "a.zarr"))

    def test_mat_with_a_type_that_does_not_exist(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        """scipy looks such a type up behind the end of its table, which ends the process."""
        scipy.io.savemat(tmp_path / "a.mat", grid)
        raw = (tmp_path / "a.mat").read_bytes()
        tag, wrong = struct.pack("<II", 9, 8 * 20), struct.pack("<II", 2**15 - 1, 8 * 20)
        assert tag in raw
        (tmp_path / "a.mat").write_bytes(raw.replace(tag, wrong))
        assert "damaged" in complaint(lambda: read(tmp_path / "a.mat"))

    def test_hdf5_with_a_heap_that_leads_nowhere(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        """The HDF5 library never comes back from free space of size zero."""
        data = xr.Dataset({"u": (("t", "x"), grid["u"])}, {"t": grid["t"], "x": grid["x"]})
        data.to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
        raw = bytearray((tmp_path / "a.nc").read_bytes())
        place = raw.index(b"GCOL") + 16
        while (index_and_size := struct.unpack_from("<H6xQ", raw, place))[0]:
            place += 16 + -(-index_and_size[1] // 8) * 8
        raw[place + 8 : place + 16] = bytes(8)
        (tmp_path / "a.nc").write_bytes(raw)
        assert "damaged" in complaint(lambda: read(tmp_path / "a.nc"))

    def test_files_without_numbers(self, tmp_path: Path) -> None:
        scipy.io.savemat(tmp_path / "a.mat", {"data": {"t": [1, 2]}})
        assert "'data' (struct)" in complaint(lambda: read(tmp_path / "a.mat"))
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("readme.txt", "hello")
        assert "Expected arrays" in complaint(lambda: read(tmp_path / "a.npz"))
        xr.Dataset().to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
        assert "Expected variables" in complaint(lambda: read(tmp_path / "a.nc"))
        zarr.open_group(str(tmp_path / "a.zarr"), mode="w")
        assert "Expected arrays" in complaint(lambda: read(tmp_path / "a.zarr"))

    def test_complex_field_of_matlab(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        scipy.io.savemat(tmp_path / "a.mat", grid | {"u": grid["u"] * 1j})
        assert "complex numbers; split them" in complaint(lambda: read(tmp_path / "a.mat"))
        pairs = np.zeros((4, 5), dtype=[("real", "f8"), ("imag", "f8")])
        with h5py.File(tmp_path / "b.mat", "w") as file:
            file["t"], file["x"], file["u"] = grid["t"], grid["x"], pairs
        assert "complex numbers; split them" in complaint(lambda: read(tmp_path / "b.mat"))
