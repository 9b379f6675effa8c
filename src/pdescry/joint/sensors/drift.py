"""Sensors that drift: their readings, less a straight line in time, fit the field that all others show.

For each sensor a level and a slope, columns D on its own readings y_s, are estimated together with the field, by
generalised least squares in the process:

    (DᵀK⁻¹D)⁻¹ DᵀK⁻¹y,   covariance (DᵀK⁻¹D)⁻¹

A sensor whose gain is off leaves the field as the field changes, which may look like a slope while a rod warms up; so
the slope has to stand out also beside a gain, a third column: what the others predict for this sensor.
A neighbour of a drifting sensor seems to drift, too, until the drift is accounted for. Outermost sensors are not
judged: beyond the others, any field may drift. Where sensors are too far apart to predict one from the others, a drift
is not found.
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
    """Of one sensor: how fast, in units of the readings. rows: what it read. others: fitted without it. instead: a
    neighbour that may drift as well, in the other direction: which of the two it is remains open."""

    sensor: int
    rate: float
    rows: Numbers
    others: FieldOfReadings
    instead: int | None


@dataclass(frozen=True)
class _Slope:
    size: float  # over the record
    z: float


@dataclass(frozen=True, eq=False)
class _Suspect:
    """A sensor judged by a process that was fitted without it: one that was fitted with it bends as the sensor drifts.
    apart: its z by the largest of the other sensors', once its drift is accounted for."""

    sensor: int
    rows: Numbers
    others: FieldOfReadings
    slope: _Slope
    beside_gain: float
    apart: float

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
        apart = abs(slope.z) / max(abs(each.z) for each in rest.values())
        return cls(sensor, rows, others, slope, beside_gain, apart)

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
    first, *rest = [*sorted(far, key=lambda each: -each.apart), None]
    if first is None or first.apart < SENSORS.drift.stands_out or abs(first.beside_gain) < SENSORS.drift.beside_gain:
        return None
    instead = next(
        (each.sensor for each in rest if each is not None and each.apart * SENSORS.drift.tie > first.apart), None
    )
    rate = first.slope.size * first.others.process.unit / float(np.ptp(first.others.process.readings.time))
    return Drift(first.sensor, rate, first.rows, first.others, instead)


def _judged(fitted: FieldOfReadings) -> list[int]:
    """Sensors between others with readings enough."""
    sensor, time, found = fitted.sensor, fitted.points[:, 0], []
    for each in np.flatnonzero(Observations(fitted.readings).inside).tolist():
        own = time[sensor == each]
        if len(own) >= SENSORS.drift.least_readings and np.ptp(own) > 0.5:
            found.append(each)
    return found


def _weighed(fitted: FieldOfReadings) -> tuple[Array, Array, Numbers, Array]:
    """K⁻¹ and K⁻¹y of some readings, their sensors and times."""
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
    """z of the slope of one sensor whose gain is unknown, too. precision: its part of that of all readings."""
    predicted = values - np.linalg.solve(precision, pulled)
    columns = np.column_stack([_line(time), predicted - predicted.mean()])
    covariance = np.linalg.inv(columns.T @ precision @ columns + 1e-9 * np.eye(3))
    return float((covariance @ (columns.T @ pulled))[1] / np.sqrt(covariance[1, 1]))


def _line(time: Array) -> Array:
    """(n, 2): a level, and a slope from one end of the record to the other."""
    return np.column_stack([np.ones(len(time)), time - time.mean()])
