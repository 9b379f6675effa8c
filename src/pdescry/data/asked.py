"""Where a field is asked for: on a grid of times and places, or at scattered points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from pdescry.errors import InputError


@dataclass(frozen=True, eq=False)
class Asked:
    """points: (N, 1 + d), of t, x, …; level: of the interval; the rest says how an answer is laid out."""

    points: NDArray[np.float64]
    level: float
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    coords: dict[str, Any]

    @classmethod
    def of(cls, given: tuple[ArrayLike, ...], names: tuple[str, ...], level: float, grid: bool) -> Asked:
        columns = _columns(given, names)
        if not (isinstance(level, int | float) and 0 < level < 1):
            raise InputError(f"Expected the level of the interval between 0 and 1; got {level!r}.")
        if grid:
            axes = [np.atleast_1d(column) for column in columns]
            if any(axis.ndim != 1 for axis in axes):
                raise InputError(
                    "Expected one-dimensional arrays, which make a grid; pass grid=False for scattered points."
                )
            points = np.stack([part.ravel() for part in np.meshgrid(*axes, indexing="ij")], axis=1)
            return cls(points, level, tuple(len(axis) for axis in axes), names, dict(zip(names, axes, strict=True)))
        try:
            columns = np.broadcast_arrays(*columns)
        except ValueError:
            raise InputError("Expected arrays of one shape for scattered points; pass grid=True for a grid.") from None
        points = np.stack([column.ravel() for column in columns], axis=1)
        coords = {name: ("point", points[:, k]) for k, name in enumerate(names)}
        return cls(points, level, (columns[0].size,), ("point",), coords)

    def answered(self, values: Mapping[str, NDArray[np.float64]]) -> xr.Dataset:
        """Values at the points, by name."""
        found = {name: (self.dims, part.reshape(self.shape)) for name, part in values.items()}
        return xr.Dataset(found, self.coords, {"level": self.level})


def _columns(given: tuple[ArrayLike, ...], names: tuple[str, ...]) -> list[NDArray[np.float64]]:
    if len(given) != len(names):
        raise InputError(f"Expected {len(names)} coordinates ({', '.join(names)}); got {len(given)}.")
    columns = []
    for name, values in zip(names, given, strict=True):
        try:
            column = np.asarray(values, float)
        except (TypeError, ValueError):
            raise InputError(f"Expected numbers for {name}; got {values!r}.") from None
        if not np.isfinite(column).all():
            raise InputError(f"Expected finite numbers for {name}; some are NaN or infinite; leave those out.")
        columns.append(column)
    return columns
