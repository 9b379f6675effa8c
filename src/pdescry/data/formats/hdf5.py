"""What NetCDF 4 and MATLAB 7.3 have in common: checks of an HDF5 file before its libraries are let loose on it."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

from pdescry.data.formats import check_size

_HEAP, _HEAP_HEADER, _OBJECT_HEADER = b"GCOL", 16, 16


def check_hdf5(path: Path) -> None:
    """Refuse a file that would hang the library or claims more than it holds."""
    import h5py

    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        start = raw.find(_HEAP)
        while start >= 0:
            _check_heap(raw, start)
            start = raw.find(_HEAP, start + 1)
    claimed = 0

    def add(_: str, item: object) -> None:
        nonlocal claimed
        if isinstance(item, h5py.Dataset) and item.shape is not None:
            claimed += item.nbytes

    with h5py.File(path, "r") as opened:
        opened.visititems(add)
    check_size(claimed, path)


def _check_heap(raw: mmap.mmap, start: int) -> None:
    """The HDF5 library walks a global heap from object to object, and never ends at free space of size zero."""
    if start + _HEAP_HEADER > len(raw):
        return
    version, size = struct.unpack_from("<B3xQ", raw, start + 4)
    end = min(start + size, len(raw))
    position = start + _HEAP_HEADER
    while version == 1 and position + _OBJECT_HEADER <= end:
        index, length = struct.unpack_from("<H6xQ", raw, position)
        if index == 0 and length < _OBJECT_HEADER:
            raise ValueError("a heap that leads nowhere")
        position += length if index == 0 else _OBJECT_HEADER + length + -length % 8
