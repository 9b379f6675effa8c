"""One file per family of formats, each with ``load(path, sensor) -> Table``; read ``npz.py`` first, it is the plainest.

Foreign parsers are called only inside :func:`parsing`, so that nothing but `InputError` comes out of a damaged or
mislabelled file, and only after :func:`check_size`, so that a header cannot ask for more memory than its file is worth.
No reader unpickles anything.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pdescry.data.table import Table
from pdescry.errors import InputError


@dataclass(frozen=True, slots=True)
class Format:
    """A family of files: its title, the endings of its names, and the module that loads it when it is first needed."""

    title: str
    endings: tuple[str, ...]
    module: str

    def load(self, path: Path, sensor: str | None) -> Table:
        """sensor: the column that holds labels even where they look like numbers, if the user named one."""
        return importlib.import_module(f"{__name__}.{self.module}").load(path, sensor)


FORMATS = {
    "csv": Format("text", (".csv", ".tsv", ".txt", ".dat", ".tab"), "text"),
    "parquet": Format("Parquet", (".parquet", ".pq"), "parquet"),
    "netcdf": Format("NetCDF", (".nc", ".nc4", ".cdf", ".netcdf"), "netcdf"),
    "zarr": Format("Zarr", (".zarr",), "zarr"),
    "npz": Format("npz", (".npz",), "npz"),
    "matlab": Format("MATLAB", (".mat",), "matlab"),
}

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
_MAGIC = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF document",
    b"PAR1": "Parquet",
    HDF5_MAGIC: "HDF5 (NetCDF 4 or MATLAB 7.3)",
    b"CDF\x01": "NetCDF 3",
    b"CDF\x02": "NetCDF 3",
    b"CDF\x05": "NetCDF 3 with 64-bit data",
    b"MATLAB 7.3": "MATLAB 7.3",
    b"MATLAB 5": "MATLAB 5 to 7",
    b"PK\x03\x04": "a zip archive (npz, or an Excel workbook)",
    b"PK\x05\x06": "an empty zip archive",
    b"\x93NUMPY": "a single numpy array (.npy)",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x80\x04\x95": "a Python pickle",
}

# Deflate shrinks at most about 1032-fold; small claims are harmless whatever they are.
_MOST_SHRUNK = 1100
_HARMLESS = 2**28


def looks_like(path: Path) -> str:
    """What the first bytes say a file is; empty if they say nothing."""
    with path.open("rb") as file:
        head = file.read(4096)
    for magic, name in _MAGIC.items():
        if head.startswith(magic):
            return name
    is_text = b"\0" not in head and sum(byte < 32 and byte not in b"\t\n\r\f" for byte in head) == 0
    return "text" if is_text and head.isascii() else ""


@contextmanager
def parsing(path: Path, title: str) -> Iterator[None]:
    """The door around a foreign parser: whatever it raises becomes one sentence, whatever it warns of stays inside.

    A damaged file can make such a parser raise nearly anything, hence the broad net; it must hold nothing else.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except InputError:
        raise
    except MemoryError as fault:
        raise InputError(f"Expected {path.name} to fit into memory; got more; cut it into smaller files.") from fault
    except Exception as fault:
        seen = looks_like(path) if path.is_file() else ""
        got = f"what looks like {seen}" if seen and title not in seen else "a damaged or truncated one"
        raise InputError(
            f"Expected a readable {title} file as {path.name}; got {got} ({type(fault).__name__}); "
            "write it anew, or pass format= if the name misleads."
        ) from fault


def check_size(claimed: int, path: Path, stored: int | None = None) -> None:
    """Refuse contents that claim (in bytes) more than ``stored`` bytes can hold, before anything is allocated."""
    stored = path.stat().st_size if stored is None else stored
    if claimed > max(_HARMLESS, _MOST_SHRUNK * stored):
        raise InputError(
            f"Expected contents that fit the {stored} bytes of {path.name}; got a claim of {claimed / 2**30:.3g} GiB; "
            "the file is damaged: write it anew."
        )


def none_found(path: Path, what: str, seen: str = "") -> InputError:
    """The complaint of a reader that opened a file and found nothing to use."""
    got = f"only {seen}" if seen else "none"
    return InputError(f"Expected {what} in {path.name}; got {got}; save t, x and u as plain numeric arrays.")
