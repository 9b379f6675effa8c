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

from pdescry.data.formats.first_bytes import looks_like
from pdescry.data.table import Table
from pdescry.errors import InputError


@dataclass(frozen=True, slots=True)
class Format:
    """A family of files: its title, the endings of its names, and the module that loads it when it is first needed."""

    title: str
    endings: tuple[str, ...]
    module: str
    has_groups: bool = False  # or sheets

    def load(self, path: Path, sensor: str | None, group: str | None = None) -> Table:
        """sensor: the column with labels even where they look like numbers, if the user named one. group: of
        arrays, or the sheet."""
        loader = importlib.import_module(f"{__name__}.{self.module}")
        if group is not None and not self.has_groups:
            able = ", ".join(kind.title for kind in FORMATS.values() if kind.has_groups)
            raise InputError(
                f"Expected ⟦group=⟧ with a file that has groups or sheets ({able}); got {path.name}; leave it out."
            )
        return loader.load(path, sensor, group) if self.has_groups else loader.load(path, sensor)


FORMATS = {
    "csv": Format("text", (".csv", ".tsv", ".txt", ".dat", ".tab"), "text"),
    "parquet": Format("Parquet", (".parquet", ".pq"), "parquet"),
    "netcdf": Format("NetCDF", (".nc", ".nc4", ".cdf", ".netcdf"), "netcdf", True),
    "hdf5": Format("HDF5", (".h5", ".hdf5", ".hdf"), "hdf5", True),
    "excel": Format("Excel", (".xlsx", ".xlsm"), "excel", True),
    "zarr": Format("Zarr", (".zarr",), "zarr"),
    "npz": Format("npz", (".npz",), "npz"),
    "npy": Format("npy", (".npy",), "npy"),
    "tiff": Format("TIFF", (".tif", ".tiff"), "tiff"),
    "matlab": Format("MATLAB", (".mat",), "matlab"),
}

# Deflate shrinks at most about 1032-fold; small claims are harmless whatever they are.
_MOST_SHRUNK = 1100
_HARMLESS = 2**28


@contextmanager
def parsing(path: Path, title: str) -> Iterator[None]:
    """The door around a foreign parser: whatever it raises becomes one sentence, whatever it warns of stays inside.

    A damaged file can make such a parser raise nearly anything, hence the broad net; it must contain nothing else.
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
        got, remedy = "a damaged or truncated one", "write it anew"
        if path.is_file() and (seen := looks_like(path)) and title not in seen.name:
            got, remedy = f"what looks like {seen.name}", seen.remedy
        raise InputError(
            f"Expected a readable {title} file as {path.name}; got {got} ({type(fault).__name__}); {remedy}."
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
