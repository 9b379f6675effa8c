"""numpy's ``.npz``: arrays by name, on a grid or one entry per reading. Objects would need pickle, and are refused."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO

import numpy as np

from pdescry.data.convert import from_named_arrays
from pdescry.data.formats import check_size, none_found, parsing
from pdescry.data.table import Table
from pdescry.errors import InputError


def load(path: Path, sensor: str | None) -> Table:
    with parsing(path, "npz"):
        _check_headers(path)
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files if isinstance(archive[name], np.ndarray)}
    if not arrays:
        raise none_found(path, "arrays")
    return from_named_arrays(arrays, path.name)


def _check_headers(path: Path) -> None:
    """Types and sizes as the headers declare them: numpy would allocate first and find out later."""
    claimed = 0
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.filename.endswith(".npy"):
                continue
            with archive.open(member) as file:
                claimed += declared(file, repr(member.filename[:-4]), path)
    check_size(claimed, path)


def declared(file: IO[bytes], name: str, path: Path) -> int:
    """The bytes that an array takes, by its header; objects are refused."""
    version = np.lib.format.read_magic(file)
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = reader(file)
    if dtype.hasobject:
        raise InputError(
            f"Expected plain arrays in {path.name}; got {name} of Python objects, which only "
            "pickle can read and pickle can run any code; save it again as numbers."
        )
    # Python's integers do not overflow, numpy's would.
    return int(dtype.itemsize) * int(np.prod([int(n) for n in shape], dtype=object))
