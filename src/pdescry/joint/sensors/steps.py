"""Steps of a coarse converter: readings stay the same, or change by a step that is larger than their noise."""

from __future__ import annotations

import numpy as np

from pdescry.data import Readings
from pdescry.joint.field.axis import Array

FEWEST = 10  # changes of a record
SAME = 0.2  # share of neighbours in time that are equal
# Of the median change: the smallest one. Of 10 normal differences it is 0.1 of the median, of many less; steps of the
# aluminium rod's thermistors, which a curve bends, differ by a tenth.
ALIKE = 0.3


def steps(readings: Readings, field: int) -> Array:
    """(sensors,): the step of each, or NaN where there is none that is larger than the noise."""
    found = np.full(readings.n_sensors, np.nan)
    measured = np.flatnonzero(np.isfinite(readings.values[:, field]))
    order = measured[np.lexsort([readings.time[measured], readings.sensor[measured]])]
    for rows in np.split(order, np.flatnonzero(np.diff(readings.sensor[order])) + 1):
        values = readings.values[rows, field]
        changes = np.abs(np.diff(values))
        rounding = 1e-9 * np.abs(values).max()
        some = changes[changes > rounding]
        if len(some) < FEWEST or np.mean(changes <= rounding) < SAME:
            continue
        if np.quantile(some, 0.01) > ALIKE * np.median(some):
            found[readings.sensor[rows[0]]] = float(np.median(some[some < 1.5 * np.quantile(some, 0.01)]))
    return found
