"""numpy's ``.npy``: one array without coordinates, whose steps in time and space the user gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pdescry.data.formats import check_size, parsing
from pdescry.data.formats.npz import declared
from pdescry.data.table import Table, Variable

_IN_MEMORY = 2**28  # bytes; larger files are mapped


def load(path: Path, sensor: str | None) -> Table:
    with parsing(path, "npy"):
        with path.open("rb") as file:
            check_size(declared(file, "the array", path), path)
        large = path.stat().st_size > _IN_MEMORY
        values = np.load(path, mmap_mode="r" if large else None, allow_pickle=False)
        return Table({"u": Variable(values, None)}, path.name)
