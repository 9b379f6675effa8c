"""Sensors that drift: their readings fit the field that all others show after subtraction of a straight line in time.

For each sensor a level and a slope, columns D on its own readings y_s, are estimated together with the field, by
generalised least squares in the process:

    (DᵀK⁻¹D)⁻¹ DᵀK⁻¹y,   covariance (DᵀK⁻¹D)⁻¹

The error of a sensor with a wrong gain is proportional to the field, which may look like a slope while a rod warms up.
Therefore the slope also has to be significant with a gain as a third column: the prediction of this sensor by others.
The neighbour of a drifting sensor seems to drift, too, until the drift is accounted for. Outermost sensors are not
judged, because the field beyond the others is unknown. Where sensors are too far apart to be predicted from each other,
drift is not found.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from pdescry.joint.field.axis import Array
from pdescry.joint.observations import Numbers, Observations
from pdescry.joint.sensors.field_of_readings import FieldOfReadings
from pdescry.joint.sensors.options import SENSORS


@dataclass(frozen=True, eq=False)
class Drift:
    """Drift of one sensor: its rate, in units of the readings. rows: its readings. others: fitted without it.
    alternative: a neighbour that may drift instead, in the opposite direction; the readings do not decide between the
    two."""

    sensor: int
    rate: float
    rows: Numbers
    others: FieldOfReadings
    alternative: int | None


@dataclass(frozen=True)
class _Slope:
    size: float  # over the record
    z: float


@dataclass(frozen=True, eq=False)
class _Suspect:
    """A sensor judged by a process fitted without it, because one fitted with it would follow the drift. prominence:
    ratio of its z to the largest of the other sensors, once its drift is accounted for."""

    sensor: int
    rows: Numbers
    others: FieldOfReadings
    slope: _Slope
    beside_gain: float
    prominence: float

    @classmethod
    def of(cls, fitted: FieldOfReadings, sensor: int) -> _Suspect:
        rows = fitted.rows[fitted.sensor == sensor]
        others = FieldOfReadings.fitted(fitted.readings, fitted.field, rows)
        precision, pulled, by, time = _weighed(others)
        own = np.flatnonzero(by == sensor)
        slope = _slopes(precision, pulled, by, time, [sensor])[sensor]
        values = others.values[others.thinned()[own]]
        beside_gain = _beside_gain(precision[np.ix_(own, own)], pulled[own], values, time[own])
        columns = np.zeros((len(by), 2))
        columns[own] = _line(time[own])
        weighed = precision @ columns
        gain = np.linalg.inv(columns.T @ weighed)
        without, left = precision - weighed @ gain @ weighed.T, pulled - weighed @ (gain @ (columns.T @ pulled))
        rest = _slopes(without, left, by, time, [each for each in _judged(fitted) if each != sensor])
        prominence = abs(slope.z) / max(abs(each.z) for each in rest.values())
        return cls(sensor, rows, others, slope, beside_gain, prominence)

    @property
    def is_far(self) -> bool:
        least = max(SENSORS.drift.least_change, SENSORS.drift.least_change_by_noise * self.others.noise)
        return abs(self.slope.z) > SENSORS.drift.limit and least < abs(self.slope.size) < SENSORS.drift.most_change


def drift(fitted: FieldOfReadings) -> Drift | None:
    """The sensor that drifts most clearly."""
    judged = _judged(fitted)
    if len(judged) < SENSORS.drift.least_sensors:
        return None
    slopes = _slopes(*_weighed(fitted), judged)
    suspects = sorted((k for k in judged if abs(slopes[k].z) > SENSORS.drift.suspect), key=lambda k: -abs(slopes[k].z))
    far = [each for each in (_Suspect.of(fitted, k) for k in suspects[: SENSORS.drift.suspects]) if each.is_far]
    first, *rest = [*sorted(far, key=lambda each: -each.prominence), None]
    if (
        first is None
        or first.prominence < SENSORS.drift.prominence
        or abs(first.beside_gain) < SENSORS.drift.beside_gain
    ):
        return None
    alternative = next(
        (each.sensor for each in rest if each is not None and each.prominence * SENSORS.drift.tie > first.prominence),
        None,
    )
    rate = first.slope.size * first.others.process.unit / float(np.ptp(first.others.process.readings.time))
    return Drift(first.sensor, rate, first.rows, first.others, alternative)


def _judged(fitted: FieldOfReadings) -> list[int]:
    """Inner sensors with enough readings."""
    sensor, time, found = fitted.sensor, fitted.points[:, 0], []
    for each in np.flatnonzero(Observations(fitted.readings).inside).tolist():
        own = time[sensor == each]
        if len(own) >= SENSORS.drift.least_readings and np.ptp(own) > 0.5:
            found.append(each)
    return found


def _weighed(fitted: FieldOfReadings) -> tuple[Array, Array, Numbers, Array]:
    """K⁻¹ and K⁻¹y of a subset of the readings, their sensors and times."""
    some = fitted.thinned()
    precision = fitted.precision(some, SENSORS.drift.least_error)
    return precision, precision @ fitted.values[some], fitted.sensor[some], fitted.points[some, 0]


def _slopes(
    precision: Array, pulled: Array, sensor: Numbers, time: Array, judged: Collection[int]
) -> dict[int, _Slope]:
    found = {}
    for each in judged:
        own = np.flatnonzero(sensor == each)
        line = _line(time[own])
        covariance = np.linalg.inv(line.T @ precision[np.ix_(own, own)] @ line)
        size = float((covariance @ (line.T @ pulled[own]))[1])
        found[each] = _Slope(size, size / float(np.sqrt(covariance[1, 1])))
    return found


def _beside_gain(precision: Array, pulled: Array, values: Array, time: Array) -> float:
    """z of the slope of one sensor with unknown gain. precision: its block of that of all readings."""
    predicted = values - np.linalg.solve(precision, pulled)
    columns = np.column_stack([_line(time), predicted - predicted.mean()])
    covariance = np.linalg.inv(columns.T @ precision @ columns + 1e-9 * np.eye(3))
    return float((covariance @ (columns.T @ pulled))[1] / np.sqrt(covariance[1, 1]))


def _line(time: Array) -> Array:
    """(n, 2): a level, and a slope from the first to the last time of the record."""
    return np.column_stack([np.ones(len(time)), time - time.mean()])
