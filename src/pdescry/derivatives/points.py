"""Where to differentiate: at random within the sensors' hull or within given ranges, on a grid, or at given points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pdescry.data import Readings
from pdescry.data.hull import points_in_hull
from pdescry.errors import InputError

Within = Literal["hull", "box"] | Mapping[str, tuple[float, float]]
Points = int | float | pd.DataFrame | Mapping[str, ArrayLike] | ArrayLike
Array = NDArray[np.float64]

MOST_POINTS = 10_000_000


def choose_points(readings: Readings, points: Points, within: Within, seed: int) -> Array:
    """(N, 1 + d): a number of random points, the grid of a mapping ``{"t": …, "x": …}``, or the points themselves."""
    names = (readings.time_name, *readings.axes)
    if isinstance(points, float | np.floating) and float(points).is_integer():
        points = int(points)  # 1e4
    if isinstance(points, int | np.integer) and not isinstance(points, bool):
        if not 1 <= points <= MOST_POINTS:
            raise InputError(f"Expected between 1 and {MOST_POINTS:,} points; got {points}.")
        return _random(readings, int(points), within, names, np.random.default_rng([seed, 4]))
    if isinstance(points, Mapping):
        return _grid(points, names)
    if isinstance(points, pd.DataFrame):
        if set(points.columns) != set(names):
            raise InputError(f"Expected columns {', '.join(names)}; got {', '.join(map(str, points.columns))}.")
        points = points[list(names)].to_numpy()
    try:
        given = np.asarray(points, float)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim != 2 or given.shape[-1] != len(names) or not len(given) or not np.isfinite(given).all():
        raise InputError(
            f"Expected points as a whole number, as a grid {{{', '.join(f'{name!r}: […]' for name in names)}}}, or as "
            f"finite numbers in {len(names)} columns ({', '.join(names)}); got {_shown(points)}."
        )
    return given


def _random(
    readings: Readings, number: int, within: Within, names: tuple[str, ...], random: np.random.Generator
) -> Array:
    columns = np.column_stack([readings.time, readings.space])
    low, high = columns.min(0), columns.max(0)
    if isinstance(within, Mapping):
        if unknown := [name for name in within if name not in names]:
            raise InputError(f"Expected ranges of {', '.join(names)}; got one of {unknown[0]!r}.")
        for name, limits in within.items():
            k = names.index(name)
            try:
                low[k], high[k] = limits
            except (TypeError, ValueError):
                raise InputError(f"Expected the range of {name} as (least, largest); got {limits!r}.") from None
            if not (np.isfinite([low[k], high[k]]).all() and low[k] < high[k]):
                raise InputError(f"Expected the range of {name} as (least, largest); got {limits!r}.")
    elif within == "hull":
        times = random.uniform(low[0], high[0], number)
        return np.column_stack([times, points_in_hull(readings.space, number, random)])
    elif within != "box":
        raise InputError(
            f"Expected within='hull', within='box' or ranges such as {{'x': (-8, 8)}}; got {_shown(within)}."
        )
    return random.uniform(low, high, (number, len(names)))


def _grid(axes: Mapping[str, ArrayLike], names: tuple[str, ...]) -> Array:
    if set(axes) != set(names):
        raise InputError(f"Expected a grid of {', '.join(names)}; got one of {', '.join(map(str, axes)) or 'nothing'}.")
    columns = []
    for name in names:
        try:
            column = np.atleast_1d(np.asarray(axes[name], float))
        except (TypeError, ValueError):
            column = np.empty((0, 0))
        if column.ndim != 1 or not column.size or not np.isfinite(column).all():
            raise InputError(f"Expected the grid along {name} as finite numbers; got {_shown(axes[name])}.")
        columns.append(column)
    if np.prod([float(len(column)) for column in columns]) > MOST_POINTS:
        raise InputError(f"Expected at most {MOST_POINTS:,} points; the grid has more; make it coarser.")
    return np.stack([part.ravel() for part in np.meshgrid(*columns, indexing="ij")], axis=1)


def _shown(value: object) -> str:
    return f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)[:60]
