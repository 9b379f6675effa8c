"""`FieldOfReadings`: readings of one field, and a Gaussian process that was fitted to the sound ones.

Each reading can be predicted from others; faults are detected by the differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pdescry.data import Readings
from pdescry.joint.field.axis import Array
from pdescry.joint.field.kernel import inverse
from pdescry.joint.field.process import Process
from pdescry.joint.lean import Lean
from pdescry.joint.observations import Numbers
from pdescry.joint.sensors.options import SENSORS


@dataclass(frozen=True, eq=False)
class FieldOfReadings(Lean):
    """N readings of one field, in the scaled units of the process: values of mean 0 and sd 1, time and places from 0 to
    1.

    process: fitted to sound readings. rows: (N,) of ``readings``, all that contain this field.
    """

    readings: Readings
    field: int
    process: Process

    @classmethod
    def fitted(cls, readings: Readings, field: int, faulty: Numbers | None = None) -> FieldOfReadings:
        """faulty: rows of the readings to which the process is not fitted."""
        sound = np.isfinite(readings.values[:, field])
        if faulty is not None:
            sound[faulty] = False
        values = np.where(sound, readings.values[:, field], np.nan)
        alone = Readings(
            readings.time, readings.space, values[:, None], readings.sensor, axes=readings.axes, fields=("u",)
        )
        most = SENSORS.examine.readings_of_scales
        return cls(readings, field, Process.fitted("smooth", alone.select(sound), 0, most))

    @cached_property
    def rows(self) -> Numbers:
        return np.flatnonzero(np.isfinite(self.readings.values[:, self.field]))

    @cached_property
    def points(self) -> Array:
        """(N, 1 + d + 1): time, places, sensor."""
        own = self.readings
        return self.process.scaled(own.time[self.rows], own.space[self.rows], own.sensor[self.rows])

    @cached_property
    def values(self) -> Array:
        return (self.readings.values[self.rows, self.field] - self.process.centre) / self.process.unit

    @property
    def sensor(self) -> Numbers:
        return self.readings.sensor[self.rows]

    @property
    def time(self) -> Array:
        return self.readings.time[self.rows]

    @property
    def noise(self) -> float:
        """Standard deviation of the noise, in units of the process."""
        return self.process.noise / self.process.unit

    def records(self) -> Iterator[Numbers]:
        """For each sensor, which of the N readings are its own, in order of time."""
        order = np.lexsort([self.time, self.sensor])
        yield from np.split(order, np.flatnonzero(np.diff(self.sensor[order])) + 1)

    def precision(self, some: Numbers, least: float = 0.0) -> Array:
        """Inverse of the covariance of some readings, with noise of sd at least ``least``."""
        covariance = self.process.covariance(self.points[some])
        covariance[np.diag_indices_from(covariance)] += max(least**2 - self.noise**2, 0.0)
        return inverse(covariance)

    def parts(self) -> Iterator[tuple[Numbers, Numbers]]:
        """Readings to be judged, and the readings (including these) from which they are judged."""
        every = np.lexsort([self.points[:, 1], self.time])
        if len(every) <= SENSORS.examine.readings_at_once:
            yield every, every
            return
        number, margin = SENSORS.examine.readings_of_part, SENSORS.examine.readings_of_margin
        for first in range(0, len(every), number):
            yield every[first : first + number], every[max(first - margin, 0) : first + number + margin]

    def thinned(self, most: int = SENSORS.examine.readings_at_once) -> Numbers:
        """Evenly chosen readings of each sensor, approximately this many in total."""
        every = -(-len(self.rows) // most)
        return np.sort(np.concatenate([own[::every] for own in self.records()]))
