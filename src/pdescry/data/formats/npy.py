"""numpy's ``.npy``: one array without coordinates, whose steps in time and space the user tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pdescry.data.formats import check_size, parsing
from pdescry.data.formats.npz import declared
from pdescry.data.table import Table, Variable


def load(path: Path, sensor: str | None) -> Table:
    with parsing(path, "npy"):
        with path.open("rb") as file:
            check_size(declared(file, "the array", path), path)
        return Table({"u": Variable(np.load(path, allow_pickle=False), None)}, path.name)
