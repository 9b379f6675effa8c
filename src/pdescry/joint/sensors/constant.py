"""Sensors that read the same number throughout, or from some time on, while the field around them changes.

A run of equal readings is no fault by itself: the field may have changed by less than a step of the converter.
Therefore the field is predicted from all other readings, by a process fitted without such runs, and has to change
during the run by far more than the prediction's sd, the noise and the step; and so do the nearest sensors on either
side. Alternatively, the readings of other sensors are noisy and hardly ever equal, so that a sensor without noise is
faulty, unless it reads the smallest or largest number of all (a density of zero, a converter at its limit). An
outermost sensor has neighbours on one side only (and may be in an ice bath): it is reported, but kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from pdescry.data import Readings
from pdescry.joint.observations import Numbers, Observations
from pdescry.joint.sensors.field_of_readings import FieldOfReadings
from pdescry.joint.sensors.options import SENSORS


@dataclass(frozen=True, eq=False)
class Run:
    """Equal readings of one sensor. since: None if throughout. outermost: whether it is an outermost sensor."""

    sensor: int
    rows: Numbers
    value: float
    since: float | None
    outermost: bool


def runs(readings: Readings, field: int) -> list[Run]:
    """All runs of equal readings, with few exceptions, that last until the end of a record."""
    inside, found = Observations(readings).inside, []
    measured = np.flatnonzero(np.isfinite(readings.values[:, field]))
    order = measured[np.lexsort([readings.time[measured], readings.sensor[measured]])]
    for rows in np.split(order, np.flatnonzero(np.diff(readings.sensor[order])) + 1):
        values = readings.values[rows, field]
        usual = np.median(values[-SENSORS.constant.readings_at_end :])
        equal = values == usual
        share = np.cumsum(equal[::-1])[::-1] / np.arange(len(values), 0, -1)  # over the readings from each one on
        begins = np.flatnonzero(equal & (share >= SENSORS.constant.share_of_run))
        first = int(begins[0]) if len(begins) else len(values)
        if len(rows) - first >= (SENSORS.constant.readings_at_end if first else SENSORS.constant.readings_throughout):
            sensor = int(readings.sensor[rows[0]])
            since = float(readings.time[rows[first]]) if first else None
            found.append(Run(sensor, rows[first:], float(usual), since, not inside[sensor]))
    return found


def stuck(readings: Readings, field: int, suspects: list[Run], step: float) -> list[Run]:
    """The runs during which the field changes. step: of the converter."""
    whole = {run.sensor for run in suspects if run.since is None}
    measured = np.isfinite(readings.values[:, field])
    if len(np.unique(readings.sensor[measured])) - len(whole) < 3:
        return []  # two others do not determine a field
    fitted = FieldOfReadings.fitted(readings, field, np.concatenate([run.rows for run in suspects]))
    noisy = step == 0 and fitted.noise > SENSORS.constant.least_noise and _hardly_ever_equal(fitted, suspects)
    size = SENSORS.constant.changes_of_noise * max(fitted.noise, step / fitted.process.unit)
    size = max(size, SENSORS.constant.changes_of_field)
    faulty = np.isin(fitted.rows, np.concatenate([run.rows for run in suspects]))
    return [
        run
        for run in suspects
        if (noisy and not run.outermost and _between_limits(fitted, run, faulty))
        or (
            _neighbours_change(fitted, run, faulty, size)
            and (run.since is None if run.outermost else _field_changes(fitted, run, faulty, size))
        )
    ]


def _hardly_ever_equal(fitted: FieldOfReadings, suspects: list[Run]) -> bool:
    """Whether consecutive readings of the other sensors hardly ever are equal."""
    out = {run.sensor for run in suspects}
    equal = [np.diff(fitted.values[own]) == 0 for own in fitted.records() if int(fitted.sensor[own[0]]) not in out]
    return bool(np.mean(np.concatenate(equal)) < SENSORS.constant.equal_by_chance)


def _between_limits(fitted: FieldOfReadings, run: Run, faulty: NDArray[np.bool_]) -> bool:
    others, mine = fitted.readings.values[fitted.rows[~faulty], fitted.field], run.value
    return bool(others.min() < mine < others.max())


def _neighbours_change(fitted: FieldOfReadings, run: Run, faulty: NDArray[np.bool_], size: float) -> bool:
    """Whether the readings of the nearest sensors change, along each axis one on either side if there is one."""
    readings, time = fitted.readings, fitted.readings.time[run.rows]
    places, mine = readings.places, readings.places[run.sensor]
    during = ~faulty & (fitted.time >= time.min()) & (fitted.time <= time.max())
    others = np.setdiff1d(np.unique(fitted.sensor[during]), [run.sensor])
    distance = np.sum((places[others] - mine) ** 2, axis=1)
    nearest = set()
    for axis in range(places.shape[1]):
        for side in (places[others, axis] < mine[axis], places[others, axis] > mine[axis]):
            if side.any():
                nearest.add(int(others[side][distance[side].argmin()]))
    changes = [np.ptp(fitted.values[during & (fitted.sensor == each)]) for each in nearest]
    return bool(changes and min(changes) > size)


def _field_changes(fitted: FieldOfReadings, run: Run, faulty: NDArray[np.bool_], size: float) -> bool:
    known = fitted.thinned()
    known = known[~faulty[known]]
    during = np.searchsorted(fitted.rows, np.sort(run.rows))
    during = during[:: -(-len(during) // 100)]
    both = fitted.process.covariance(fitted.points[np.concatenate([known, during])])
    n = len(known)
    across = cho_solve(cho_factor(both[:n, :n], lower=True), both[:n, n:])
    mean, covariance = across.T @ fitted.values[known], both[n:, n:] - across.T @ both[:n, n:]
    contrast = np.eye(len(during)) - 1 / len(during)
    change, sd = contrast @ mean, np.sqrt(np.diag(contrast @ covariance @ contrast))
    return bool((np.abs(change) > np.maximum(SENSORS.constant.limit * sd, size)).any())
