"""Readings column by column, under names that `read` recognises without help, inputs among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pdescry.data.inputs import Input, distinct_places

if TYPE_CHECKING:
    from pdescry.data.readings import Readings


def columns(readings: Readings) -> dict[str, NDArray[Any]]:
    """Each (N,), or (N + M,) with M values of inputs that belong to no reading, where all fields are NaN."""
    found: dict[str, NDArray[Any]] = {readings.time_name: readings.time}
    found |= dict(zip(readings.axes, readings.space.T, strict=True))
    found |= dict(zip(readings.fields, readings.values.T, strict=True))
    if readings.noise is not None:
        found |= {f"{field}_sd": sd for field, sd in zip(readings.fields, readings.noise.T, strict=True)}
    if readings.sensor_names is not None:
        found["sensor"] = np.array(readings.sensor_names, dtype=object)[readings.sensor]
    for known in readings.inputs:
        found = _with_input(found, readings, known)
    return found


def _with_input(found: dict[str, NDArray[Any]], readings: Readings, known: Input) -> dict[str, NDArray[Any]]:
    """One more column: the input's own values in the rows of their times (and places), others in rows at the end."""
    coordinates = (readings.time_name, *(() if known.space is None else readings.axes))
    rows = np.column_stack([found[name] for name in coordinates])
    own = known.time[:, None] if known.space is None else np.column_stack([known.time, known.space])
    _, which = distinct_places(np.concatenate([own, rows]))  # NaN equals nothing, so rows without a place match none
    value, is_here = np.full(int(which.max()) + 1, np.nan), np.zeros(int(which.max()) + 1, dtype=bool)
    value[which[: len(own)]] = known.values
    is_here[which[len(own) :]] = True
    apart = ~is_here[which[: len(own)]]
    column = np.concatenate([value[which[len(own) :]], known.values[apart]])
    more = dict(zip(coordinates, own[apart].T, strict=True))
    longer = {}
    for name, old in found.items():
        gap: Any = None if old.dtype == object else np.nan
        longer[name] = np.concatenate([old, more.get(name, np.full(int(apart.sum()), gap, dtype=old.dtype))])
    return longer | {known.name: column}
