"""MATLAB ``.mat``: versions 4 to 7 through scipy, version 7.3, which is HDF5, through h5py."""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdescry.data.convert import check_distinct, from_named_arrays
from pdescry.data.formats import check_size, none_found, parsing
from pdescry.data.formats.hdf5 import check_hdf5
from pdescry.data.table import Table

# From MathWorks' "MAT-File Format": classes of numeric arrays, types of numbers, and that of a compressed element.
_NUMERIC_CLASSES = range(6, 16)
_NUMBER_TYPES = {*range(1, 8), 9, 12, 13}
_FLAGS_TAG = (6, 8)
_COMPLEX = 0x800
_COMPRESSED = 15
_HEADER = 128  # bytes before the first array
_MOST_INFLATED = 1100  # deflate reaches 1032
_NUMERIC = {"double", "single", "logical", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}


def load(path: Path, sensor: str | None) -> Table:
    with parsing(path, "MATLAB"):
        arrays, others = _load_v73(path) if _is_hdf5(path) else _load_v7(path)
    if not arrays:
        raise none_found(path, "numeric arrays", ", ".join(others[:6]))
    return from_named_arrays(arrays, path.name)


def _is_hdf5(path: Path) -> bool:
    import h5py

    return bool(h5py.is_hdf5(path))


def _load_v7(path: Path) -> tuple[dict[str, NDArray[Any]], list[str]]:
    import scipy.io

    raw = path.read_bytes()
    if 0 not in raw[:4]:  # version 4 begins with small numbers, the later ones with a text
        _check_structure(raw)
    contents = scipy.io.whosmat(path, appendmat=False)
    check_distinct([name for name, _, _ in contents], path.name)
    wanted = [name for name, _, kind in contents if kind in _NUMERIC]
    check_size(sum(8 * math.prod(shape) for _, shape, kind in contents if kind in _NUMERIC), path)
    # Named one by one: structs, objects and functions are not even parsed.
    loaded = scipy.io.loadmat(path, appendmat=False, variable_names=wanted) if wanted else {}
    arrays = {name: loaded[name] for name in wanted}
    return arrays, [f"{name!r} ({kind})" for name, _, kind in contents if kind not in _NUMERIC]


def _check_structure(raw: bytes) -> None:
    """Refuse damaged arrays of versions 5 to 7: scipy takes types and sizes on trust, and may end the process."""
    order = "<" if raw[126:128] == b"IM" else ">"
    position = _HEADER
    while position < len(raw):
        kind, size = struct.unpack_from(f"{order}II", raw, position)
        element, position = raw[position + 8 : position + 8 + size], position + 8 + size
        if kind == _COMPRESSED:
            element = zlib.decompressobj().decompress(element, _MOST_INFLATED * len(element))[8:]
        flags = struct.unpack_from(f"{order}I", element, 8)[0]
        if flags & 0xFF in _NUMERIC_CLASSES:
            _check_parts(element, order, count=5 if flags & _COMPLEX else 4)


def _check_parts(element: bytes, order: str, count: int) -> None:
    """Flags, dimensions, name, real part (and imaginary part), with nothing between and nothing behind."""
    start, kinds = 0, []
    while start < len(element):
        kind, size = struct.unpack_from(f"{order}II", element, start)
        is_short = kind >> 16  # type, size and up to four bytes share one tag
        kinds.append(kind & 0xFFFF if is_short else kind)
        start += 8 if is_short else 8 + size + -size % 8
    if start != len(element) or len(kinds) != count or not _NUMBER_TYPES.issuperset(kinds):
        raise ValueError("an array whose parts do not fit together")
    if struct.unpack_from(f"{order}II", element) != _FLAGS_TAG:
        raise ValueError("an array without its flags")


def _load_v73(path: Path) -> tuple[dict[str, NDArray[Any]], list[str]]:
    import h5py

    check_hdf5(path)
    arrays, others = {}, []
    with h5py.File(path, "r") as file:
        for name in map(str, file):
            item = file.get(name)
            if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" and not item.attrs.get("MATLAB_empty", 0):
                arrays[name] = np.asarray(item).T  # MATLAB counts columns first, HDF5 rows first
            elif isinstance(item, h5py.Dataset) and item.dtype.names == ("real", "imag"):
                arrays[name] = (np.asarray(item.fields("real")[...]) + 1j * np.asarray(item.fields("imag")[...])).T
            elif not name.startswith("#"):  # "#refs#" holds MATLAB's own bookkeeping
                others.append(repr(name))
    return arrays, others
