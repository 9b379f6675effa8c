"""TIFF: a stack of grey images, ``u[t, y, x]``, whose steps in time and space the user gives."""

from __future__ import annotations

import math
from pathlib import Path

from pdescry.data.formats import check_size, parsing
from pdescry.data.table import Table, Variable
from pdescry.errors import InputError, needing

_IN_MEMORY = 2**28  # bytes; larger stacks are unpacked into a temporary file


def load(path: Path, sensor: str | None) -> Table:
    with needing("images", "to read TIFF images"):
        import tifffile

    with parsing(path, "TIFF"), tifffile.TiffFile(path) as file:
        series = file.series[0]
        claimed = math.prod(series.shape) * series.dtype.itemsize
        check_size(claimed, path)
        if series.axes.endswith("S") or series.ndim > 3:
            raise InputError(
                f"Expected grey images over time, [t, y, x], in {path.name}; got {series.shape} along "
                f"{series.axes}; save one channel or one plane of it."
            )
        if series.ndim < 3:
            raise InputError(
                f"Expected images at several times in {path.name}; got one of {series.shape}; save them as a stack."
            )
        values = series.asarray(out="memmap" if claimed > _IN_MEMORY else None)
    return Table({"u": Variable(values, None)}, path.name)
