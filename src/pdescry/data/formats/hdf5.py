"""HDF5: its arrays by name, those of one group; and checks, of NetCDF 4 and MATLAB 7.3 too, before a library reads."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

import numpy as np

from pdescry.data.formats import check_size, none_found, parsing
from pdescry.data.table import Table
from pdescry.errors import InputError
from pdescry.notices import Notice

_HEAP, _HEAP_HEADER, _OBJECT_HEADER = b"GCOL", 16, 16


def load(path: Path, sensor: str | None, group: str | None = None) -> Table:
    """The arrays of a group: the one that was named, or the only one that has any."""
    import h5py

    from pdescry.data.convert import from_named_arrays  # which formats are no part of

    with parsing(path, "HDF5"):
        check_hdf5(path)
        with h5py.File(path, "r") as file:
            chosen = _chosen(file, group, path)
            found = {name: item for name in chosen if (item := _own(chosen, name)) is not None}
            arrays, units, where = {}, {}, chosen.name
            for name, item in found.items():
                arrays |= _plain(name, item)
                unit = item.attrs.get("units", item.attrs.get("unit"))
                if isinstance(unit, str | bytes):
                    units[name] = unit.decode(errors="replace") if isinstance(unit, bytes) else unit
    if not arrays:
        raise none_found(path, "arrays")
    table = from_named_arrays(arrays, path.name)
    notes = (Notice.of("read-group", group=where),) if where != "/" else ()
    return Table(table.variables, table.source, units=units, notes=notes)


def _own(group: Any, name: str) -> Any:
    """A dataset that lies in this file; links to other files are not followed."""
    import h5py

    if not isinstance(group.get(name, getlink=True), h5py.HardLink):
        return None
    item = group[name]
    return item if isinstance(item, h5py.Dataset) and not item.is_virtual and not item.external else None


def _chosen(file: Any, wanted: str | None, path: Path) -> Any:
    import h5py

    groups = {"/": file}
    file.visititems(lambda name, item: groups.update({name: item}) if isinstance(item, h5py.Group) else None)
    full = {name: each for name, each in groups.items() if any(_own(each, part) is not None for part in each)}
    known = ", ".join(map(repr, list(full)[:12])) or "none with arrays"
    if wanted is not None:
        name = wanted.strip("/") or "/"
        if name not in groups:
            raise InputError(
                f"Expected one of the groups of {path.name}: {known}; got {wanted!r}; pass ⟦group=⟧ of one."
            )
        return groups[name]
    if len(full) > 1 and "/" not in full:
        raise InputError(
            f"Expected arrays in one group of {path.name}; got several: {known}; choose one with ⟦group=⟧."
        )
    return full.get("/") or next(iter(full.values()), file)


def _plain(name: str, item: Any) -> dict[str, np.ndarray[Any, Any]]:
    """A dataset as an array; one of records as a column for each of their parts."""
    import h5py

    if item.dtype.names:
        records = item[...]
        return {part: _text(records[part]) for part in item.dtype.names}
    if h5py.check_string_dtype(item.dtype):
        return {name: np.asarray(item.asstr(errors="replace")[...], object)}
    return {name: np.asarray(item[...])} if item.dtype.kind in "fiub" else {}


def _text(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if values.dtype.kind not in "SO":
        return values
    cells = [cell.decode(errors="replace") if isinstance(cell, bytes) else cell for cell in values.flat]
    return np.array(cells, object).reshape(values.shape)


def check_hdf5(path: Path) -> None:
    """Refuse a file that would hang the library or claims more than it contains."""
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
