"""Steps of a coarse converter: consecutive readings are equal, or differ by a step that is larger than their noise."""

from __future__ import annotations

import numpy as np

from pdescry.data import Readings
from pdescry.joint.field.axis import Array
from pdescry.joint.sensors.options import SENSORS


def steps(readings: Readings, field: int) -> Array:
    """(sensors,): step of each, or NaN where there is none larger than the noise."""
    found = np.full(readings.n_sensors, np.nan)
    measured = np.flatnonzero(np.isfinite(readings.values[:, field]))
    order = measured[np.lexsort([readings.time[measured], readings.sensor[measured]])]
    for rows in np.split(order, np.flatnonzero(np.diff(readings.sensor[order])) + 1):
        values = readings.values[rows, field]
        changes = np.abs(np.diff(values))
        rounding = 1e-9 * np.abs(values).max()
        some = changes[changes > rounding]
        if len(some) < SENSORS.steps.least_changes or np.mean(changes <= rounding) < SENSORS.steps.equal_share:
            continue
        if np.quantile(some, 0.01) > SENSORS.steps.smallest_change * np.median(some):
            found[readings.sensor[rows[0]]] = float(np.median(some[some < 1.5 * np.quantile(some, 0.01)]))
    return found
