"""Zarr folders: through xarray where they name their dimensions, else as plain arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pdescry.data.convert import from_named_arrays, from_xarray
from pdescry.data.formats import check_size, none_found, parsing
from pdescry.data.table import Table
from pdescry.errors import InputError, needing

_METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")


def load(path: Path, sensor: str | None) -> Table:
    import xarray as xr

    with needing("zarr", "to read Zarr folders"):
        import zarr

    with parsing(path, "Zarr"):
        _refuse_pickle(path)
        group = zarr.open_group(str(path), mode="r")
        arrays = dict(group.arrays())
        stored = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        check_size(sum(int(array.nbytes) for array in arrays.values()), path, stored)
        if not arrays:
            raise none_found(path, "arrays")
        if all(_names_dimensions(array) for array in arrays.values()):
            with xr.open_dataset(str(path), engine="zarr", chunks=None, decode_timedelta=False) as opened:
                return from_xarray(opened.load(), path.name)
        return from_named_arrays({name: np.asarray(array[...]) for name, array in arrays.items()}, path.name)


def _names_dimensions(array: Any) -> bool:
    # Format 2 keeps them among the attributes, by a convention of xarray's; format 3 in the metadata.
    return "_ARRAY_DIMENSIONS" in array.attrs or getattr(array.metadata, "dimension_names", None) is not None


def _refuse_pickle(path: Path) -> None:
    """Zarr's codecs include pickle, which runs any code on reading: look before the library does."""
    for file in path.rglob("*"):
        if file.name in _METADATA:
            codecs = [text for text in _strings(json.loads(file.read_bytes())) if "pickle" in text.lower()]
            if codecs:
                raise InputError(
                    f"Expected plain arrays in {path.name}; got some packed with pickle, which can run any code; "
                    "save them again as numbers."
                )


def _strings(node: Any) -> Iterator[str]:
    """All codec names and types anywhere in the metadata."""
    if isinstance(node, dict):
        yield from (node[key] for key in ("id", "name") if isinstance(node.get(key), str))
        for child in node.values():
            yield from _strings(child)
    elif isinstance(node, list):
        for child in node:
            yield from _strings(child)
