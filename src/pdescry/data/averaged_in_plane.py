"""Millions of pixels → means over cells of the plane and of time, about as many as a mesh can resolve.

Each cell of a grid over the plane becomes a sensor at the mean place of its pixels, read at the mean times of a grid in
time. Where the field bends, the mean over a cell is off the field at its middle by ½ u_xx Var(x) + ½ u_yy Var(y) +
½ u_tt Var(t); that is known from the means of neighbouring cells, and is taken off where these are there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pdescry.notices import Notice

if TYPE_CHECKING:
    from pdescry.data.readings import Readings

MANY = 40_000  # readings in the plane: of more,
CELLS, MOMENTS = 20, 40  # means along each axis of the plane, and in time

Floats = NDArray[np.float64]


def averaged_in_the_plane(readings: Readings) -> Readings:
    """Means over cells, where readings in the plane are very many and no sensor moves; reported in ``notes``."""
    if len(readings.axes) != 2 or len(readings) <= MANY or not _at_rest(readings):
        return readings
    columns = [*readings.space.T, readings.time]
    most = [CELLS, CELLS, MOMENTS]
    numbers = [_bins(column, count) for column, count in zip(columns, most, strict=True)]
    shape = tuple(int(number.max()) + 1 for number in numbers)
    cell = np.ravel_multi_index(numbers, shape)
    values = _means(cell, shape, readings.values)
    points = _means(cell, shape, np.column_stack(columns))
    squares = _means(cell, shape, np.column_stack(columns) ** 2)
    off = _bend(points, squares - points**2, values)
    read = np.asarray(np.isfinite(values).any(axis=-1), bool)
    places = _means(np.ravel_multi_index(numbers[:2], shape[:2]), shape[:2], readings.space)
    kept = np.stack(np.nonzero(read), axis=1)  # cells along x, y and t
    _, sensor = np.unique(np.ravel_multi_index((kept[:, 0], kept[:, 1]), shape[:2]), return_inverse=True)
    noise = None
    if readings.noise is not None:
        count = np.stack([np.bincount(cell, np.isfinite(each), np.prod(shape)) for each in readings.noise.T], axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            noise = np.sqrt(_means(cell, shape, readings.noise**2) / count.reshape(*shape, -1))[read]
    note = Notice.of(
        "averaged-in-plane", before=len(readings), places=readings.n_sensors, after=len(kept), across=shape[0],
        up=shape[1], moments=shape[2],
    )  # fmt: skip
    order = np.lexsort((sensor, points[read][:, 2]))
    return replace(
        readings,
        time=_common_times(points, read)[order],
        space=places[kept[:, 0], kept[:, 1]][order],
        values=(values - off)[read][order],
        noise=None if noise is None else noise[order],
        sensor=sensor[order],
        sensor_names=None,
        notes=(*readings.notes, note),
    )


def _at_rest(readings: Readings) -> bool:
    first = np.full((readings.n_sensors, 2), np.nan)
    first[readings.sensor[::-1]] = readings.space[::-1]
    return bool((readings.space == first[readings.sensor]).all())


def _bins(column: Floats, most: int) -> NDArray[np.intp]:
    """(N,): which of at most so many bins, as many different values in each."""
    different, number = np.unique(column, return_inverse=True)
    count = min(most, len(different))
    return number.reshape(-1) * count // len(different)


def _means(cell: NDArray[np.intp], shape: tuple[int, ...], numbers: Floats) -> Floats:
    """(…, columns): of what was measured in each cell, NaN where nothing was."""
    found = []
    for column in numbers.T:
        some = np.isfinite(column)
        count = np.bincount(cell[some], minlength=int(np.prod(shape)))
        total = np.bincount(cell[some], column[some], int(np.prod(shape)))
        found.append(np.where(count > 0, total / np.maximum(count, 1), np.nan).reshape(shape))
    return np.stack(found, axis=-1)


def _bend(points: Floats, variance: Floats, values: Floats) -> Floats:
    """(…, fields): ½ Σ u'' Var along x, y and t, of cells with neighbours on both sides; of others as next to them."""
    total = np.zeros(values.shape)
    for axis in range(3):
        if values.shape[axis] < 5:
            continue
        at, means = np.moveaxis(points[..., axis], axis, 0), np.moveaxis(values, axis, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = np.diff(means, axis=0) / np.diff(at, axis=0)[..., None]
            inner = np.diff(slopes, axis=0) / (at[2:] - at[:-2])[..., None]
        bend = np.concatenate([inner[:1], inner, inner[-1:]]) * np.moveaxis(variance[..., axis], axis, 0)[..., None]
        total += np.nan_to_num(np.moveaxis(bend, 0, axis), nan=0.0, posinf=0.0, neginf=0.0)
    return total


def _common_times(points: Floats, read: NDArray[np.bool_]) -> Floats:
    """(read,): those of each bin of time, alike in all cells."""
    times = np.nanmean(points[..., 2].reshape(-1, points.shape[2]), axis=0)
    return np.broadcast_to(times, read.shape)[read]
