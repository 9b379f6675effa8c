"""`Observations`: single values of the readings, each of one field; missing values are omitted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pdescry.data import Readings
from pdescry.joint.field.axis import Array
from pdescry.joint.field.region import Region
from pdescry.joint.fit.options import FIT
from pdescry.joint.lean import Lean

Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Observations(Lean):
    """The M values that were read, of the fields in the order of the readings; F = ``n_fields``."""

    readings: Readings

    @property
    def n_fields(self) -> int:
        return len(self.readings.fields)

    @cached_property
    def _where(self) -> tuple[Numbers, Numbers]:
        row, field = np.nonzero(np.isfinite(self.readings.values))
        return row, field

    @property
    def row(self) -> Numbers:
        """(M,): row of the readings."""
        return self._where[0]

    @property
    def field(self) -> Numbers:
        """(M,): index of the field."""
        return self._where[1]

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def values(self) -> Array:
        """(M,)"""
        return self.readings.values[self._where]

    @cached_property
    def points(self) -> Array:
        """(M, D): place and time."""
        return np.column_stack([self.readings.space[self.row], self.readings.time[self.row]])

    @cached_property
    def sensor(self) -> Numbers:
        """(M,)"""
        return self.readings.sensor[self.row]

    @cached_property
    def group(self) -> Numbers:
        """(M,): values of one field by one sensor, which share an offset."""
        return self.sensor * self.n_fields + self.field

    @property
    def n_groups(self) -> int:
        return self.readings.n_sensors * self.n_fields

    @property
    def of_groups(self) -> list[Numbers]:
        """For each nonempty group, which of the M values belong to it, in the order of time."""
        order = np.lexsort([self.points[:, -1], self.group])
        ends = np.flatnonzero(np.diff(self.group[order])) + 1
        return np.split(order, ends)

    @cached_property
    def of_sensors(self) -> list[Numbers]:
        """For each sensor, which of the M values it has read."""
        order = np.argsort(self.sensor, kind="stable")
        ends = np.searchsorted(self.sensor[order], np.arange(self.readings.n_sensors + 1))
        return [order[low:high] for low, high in pairwise(ends)]

    @cached_property
    def left_out(self) -> list[tuple[Numbers, Numbers]]:
        """For each sensor, or group of sensors in the plane that are left out together: their numbers, and which of the
        M values they have read. With very many sensors, such as the pixels of an image, a single one would be predicted
        from adjacent ones by any law."""
        n = self.readings.n_sensors
        if len(self.readings.axes) == 1 or n <= FIT.leave_out.sensors_one_by_one:
            return [(np.array([sensor]), own) for sensor, own in enumerate(self.of_sensors)]
        count = np.maximum(np.bincount(self.readings.sensor, minlength=n), 1)
        places = [np.bincount(self.readings.sensor, each, minlength=n) / count for each in self.readings.space.T]
        groups = bisected(np.stack(places, axis=1), np.arange(n), int(np.log2(FIT.leave_out.groups)))
        return [(some, np.sort(np.concatenate([self.of_sensors[k] for k in some]))) for some in groups]

    @cached_property
    def between(self) -> list[tuple[Numbers, Numbers]]:
        """Entries of ``left_out`` of inner sensors that have read anything."""
        return [(some, own) for some, own in self.left_out if len(own) and self.inside[some].all()]

    @property
    def offsets_identifiable(self) -> bool:
        """Whether an offset of a sensor can be distinguished from its noise, and from the field. Not if it moves; in
        the plane, not if it has few readings or is a pixel."""
        if len(self.readings.axes) == 1:
            return self.at_rest
        n = self.readings.n_sensors
        return (
            self.at_rest
            and n <= FIT.leave_out.sensors_one_by_one
            and len(self.readings) >= FIT.calibration.readings_in_plane * n
        )

    @cached_property
    def given_noise(self) -> Array | None:
        """(M,): sds given with the readings."""
        return None if self.readings.noise is None else self.readings.noise[self._where]

    @cached_property
    def unit(self) -> Array:
        """(F,): sd of the values of each field."""
        found = np.array(
            [np.std(self.values[self.field == k]) if (self.field == k).any() else 0 for k in range(self.n_fields)]
        )
        return np.where(found > 0, found, 1.0)

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """(sensors,): whether each is an inner sensor: between others along the axis, or within their hull in the
        plane."""
        region = Region.of(self.readings)
        if region is None:
            low, high = self.readings.space.min(axis=0), self.readings.space.max(axis=0)
            between = ((low < self.readings.space) & (self.readings.space < high)).all(axis=1)
        else:
            between = region.between(self.readings.space)
        out = np.bincount(self.readings.sensor[~between], minlength=self.readings.n_sensors)
        return out == 0

    @cached_property
    def at_rest(self) -> bool:
        """Whether all sensors are at rest."""
        first = np.full((self.readings.n_sensors, self.readings.space.shape[1]), np.nan)
        first[self.readings.sensor[::-1]] = self.readings.space[::-1]
        return bool((self.readings.space == first[self.readings.sensor]).all())


def bisected(places: Array, some: Numbers, times: int) -> list[Numbers]:
    """Repeated bisection of some sensors, each time along the axis of their largest extent; neighbours stay together.
    Until there is one in each part, along one axis, this sorts them."""
    if times == 0 or len(some) < 2:
        return [some]
    axis = int(np.argmax(np.ptp(places[some], axis=0)))
    order = some[np.argsort(places[some, axis], kind="stable")]
    middle = len(order) // 2
    return bisected(places, order[:middle], times - 1) + bisected(places, order[middle:], times - 1)
