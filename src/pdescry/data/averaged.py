"""Thousands of readings of a sensor → some hundred means of consecutive ones, as long as nothing is lost but noise.

A sensor's record is cut into bins of equal numbers of consecutive readings, and time and values are averaged in each,
with weights 1/σ² where the noise is known. Where the field bends, the mean of a bin is off the field at its mean time
by ½ u_tt Var(t), alike at all sensors; u_tt is known from the means, and so much is taken off. Sensors that move stay
as they are, and so do short records. Readings of a sensor that measured different fields are different records. Inputs
stay as they are.

How few bins are harmless is judged from each record alone. From pairs of readings to fewer and fewer bins, two things
are asked of the means:

- They scatter between neighbours (``noise_level.py``) no more than finer means did, or than those of independent noise
  would, but for chance: averaging can only lessen noise, so scatter that grows is the field, of which the bins have
  become too coarse. (Independent noise is halved each time; that of real loggers, which comes in bursts, often less.)
  Of readings that scatter less than half of their last digit, the steps between digits do not count.
- They lie near the field: the rms of what is taken off where it bends is at most half of their scatter.

The worst record and field decide for all. Waves of fewer than about 3.5 readings a period cannot be distinguished from
noise.

Stacks of images are averaged in blocks while they are read (``images.py``, by the same test along each axis), other
readings in the plane over cells (``averaged_in_plane.py``). Then sensors by the hundred that lie in a row and are
read together: neighbours are averaged alike, with place and time in each other's roles, and the scatter of all moments
taken together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pdescry.data.averaged_in_plane import averaged_in_the_plane
from pdescry.data.noise_level import scatter_between_neighbours
from pdescry.data.plausible import LEAST
from pdescry.errors import InputError
from pdescry.notices import Notice

if TYPE_CHECKING:
    from pdescry.data.readings import Readings

FEWEST = 100  # bins, if nobody says how many
FEWEST_PLACES = 256  # of sensors that are averaged with their neighbours
_OFF = 0.5  # of the means' scatter: how far they may be off the field
_CHANCE = 5.0  # over √bins: two sds of the ratio by which scatter grows, for normal noise
_DIGIT = 0.5  # of the last digit
SMOOTHED = 5  # means that show how the field bends

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Record:
    """A sensor's readings of the same fields in order of time.

    rows (n,) in the `Readings`, time (n,), values (n, g) of the g fields that were measured, weights (n,). Or sensors
    in a row: time plays the role of their places, and values are (n, moments·fields), those of a moment side by side.
    """

    rows: NDArray[np.intp]
    time: Floats
    values: Floats
    weights: Floats
    fields: int = 0  # of which there are moments; 0: no moments

    def together(self, numbers: Floats) -> Floats:
        """(…, g) → (…, fields): the mean of all moments."""
        return numbers.reshape(*numbers.shape[:-1], -1, self.fields).mean(axis=-2) if self.fields else numbers

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class Bins:
    """Consecutive readings: those from one of ``starts`` (B,) to before the next, weighed by ``weights`` (n,)."""

    starts: NDArray[np.intp]
    weights: Floats

    @classmethod
    def of(cls, record: Record, number: int) -> Bins:
        """About so many. None spans a hole in the record that is longer than a bin, where there is no information."""
        size, steps = len(record) / number, np.diff(record.time)
        holes = np.flatnonzero(steps > size * np.median(steps)) + 1
        starts = []
        for first, end in zip([0, *holes], [*holes, len(record)], strict=True):
            parts = max(round((end - first) / size), 1)
            starts.append(first + np.arange(parts) * (end - first) // parts)
        return cls(np.concatenate(starts), record.weights)

    @property
    def sizes(self) -> NDArray[np.intp]:
        return np.diff(self.starts, append=len(self.weights))

    def first(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """(n, …) → (B, …), of what is the same for all."""
        return numbers[self.starts]

    def mean(self, numbers: Floats) -> Floats:
        """(n, …) → (B, …). Exact where all are equal."""
        firsts = numbers[self.starts]
        beyond = (numbers - np.repeat(firsts, self.sizes, axis=0)).T * self.weights
        return firsts + (np.add.reduceat(beyond, self.starts, axis=-1) / self._total).T

    def on_the_field(self, time: Floats, values: Floats) -> Floats:
        """(n,), (n, f) → (B, f): means of the values, without what they are off the field at the mean times."""
        means = self.mean(values)
        return means - self.variance(time)[:, None] * curvature(self.mean(time), means)

    def sd_of_mean(self, sd: Floats) -> Floats:
        """(n, f) sds of independent noise → (B, f)."""
        return (np.hypot.reduceat(sd.T * self.weights, self.starts, axis=-1) / self._total).T

    def variance(self, numbers: Floats) -> Floats:
        """(n,) → (B,)."""
        return self.mean((numbers - np.repeat(self.mean(numbers), self.sizes)) ** 2)

    @property
    def _total(self) -> Floats:
        return np.add.reduceat(self.weights, self.starts)


def curvature(time: Floats, means: Floats) -> Floats:
    """(B,), (B, f) → (B, f): ½ u_tt of the means, each from parabolas through five; zero if there are fewer."""
    if len(means) < SMOOTHED:
        return np.zeros_like(means)
    bend = np.pad(_bend(time, means), ((2, 2), (0, 0)), mode="edge")
    return (2 * bend[:-2] + 3 * bend[1:-1] + 2 * bend[2:]) / 7  # by least squares


def averaged(readings: Readings, per_sensor: int | None = None) -> Readings:
    """As `Readings.averaged`."""
    if per_sensor is None:
        readings = averaged_in_the_plane(readings)
    found = _averaged_in_time(readings, per_sensor)
    return found if per_sensor is not None else _averaged_in_space(found)


def _averaged_in_time(readings: Readings, per_sensor: int | None) -> Readings:
    number = None if per_sensor is None else check_number(per_sensor)
    records = list(_records_at_rest(readings))
    if number is None:
        number = max((fewest_bins(record) for record in records if len(record) >= 2 * FEWEST), default=len(readings))
    cut = [(record, Bins.of(record, number)) for record in records if len(record) >= 2 * number]
    if not cut:
        return readings
    kept = np.ones(len(readings), dtype=bool)
    kept[np.concatenate([record.rows for record, _ in cut])] = False

    def joined(numbers: NDArray[Any], of_bins: Callable[[Bins, NDArray[Any]], NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate([numbers[kept], *(of_bins(bins, numbers[record.rows]) for record, bins in cut)])

    time, sensor = joined(readings.time, Bins.mean), joined(readings.sensor, Bins.first)
    means = [bins.on_the_field(record.time, readings.values[record.rows]) for record, bins in cut]
    values = np.concatenate([readings.values[kept], *means])
    order = np.lexsort((sensor, time))
    return replace(
        readings,
        time=time[order],
        space=joined(readings.space, Bins.first)[order],
        values=values[order],
        noise=None if readings.noise is None else joined(readings.noise, Bins.sd_of_mean)[order],
        sensor=sensor[order],
        notes=(*readings.notes, _note(cut, chosen=per_sensor is None)),
    )


def _averaged_in_space(readings: Readings) -> Readings:
    """Means of neighbouring sensors, where hundreds lie in a row, are read together, and only noise is lost."""
    number, moments = readings.n_sensors, np.unique(readings.time)
    if number < 2 * FEWEST_PLACES or len(readings.axes) > 1 or len(readings) != number * len(moments):
        return readings
    order = np.lexsort((readings.time, readings.space[:, 0]))
    shape = number, len(moments)
    place, time = (each[order].reshape(shape) for each in (readings.space[:, 0], readings.time))
    values = readings.values[order].reshape(*shape, -1)
    together = (time == moments).all() and (place == place[:, :1]).all() and (np.diff(place[:, 0]) > 0).all()
    if not together or not np.isfinite(values).all():
        return readings
    along, fields = np.ascontiguousarray(place[:, 0]), values.shape[-1]
    record = Record(np.arange(number), along, values.reshape(number, -1), np.ones(number), fields)
    fewest = fewest_bins(record, FEWEST_PLACES)
    if fewest == number:
        return readings
    bins = Bins.of(record, fewest)
    noise = None
    if readings.noise is not None:
        noise = bins.sd_of_mean(readings.noise[order].reshape(number, -1)).reshape(-1, fields)
    names = readings.sensor_names
    if names is not None:
        inverse = readings.sensor[order].reshape(shape)[:, 0]
        ends = np.append(bins.starts[1:], number) - 1
        names = tuple(
            names[inverse[a]] if a == b else f"{names[inverse[a]]} to {names[inverse[b]]}"
            for a, b in zip(bins.starts, ends, strict=True)
        )
    count = len(bins.starts)
    note = Notice.of("averaged-in-space", before=number, after=count)
    return replace(
        readings,
        time=np.tile(moments, count),
        space=np.repeat(bins.mean(along), len(moments))[:, None],
        values=bins.on_the_field(along, record.values).reshape(-1, fields),
        noise=noise,
        sensor=np.repeat(np.arange(count), len(moments)),
        sensor_names=names,
        notes=(*readings.notes, note),
    )


def check_number(per_sensor: Any) -> int:
    """How many means of each sensor are asked for, as a plain int."""
    whole = isinstance(per_sensor, int | np.integer) and not isinstance(per_sensor, bool)
    if not whole or per_sensor < LEAST:
        raise InputError(
            f"Expected the number of averages per sensor to be a whole number of at least {LEAST}; got "
            f"{per_sensor!r}; leave it out to have it chosen."
        )
    return int(per_sensor)


def _records_at_rest(readings: Readings) -> Iterator[Record]:
    """Of each sensor at rest that has one reading at a time; one for each set of fields it measured."""
    order = np.lexsort((readings.time, readings.sensor))
    weights, observed = _weights(readings), readings.observed
    for rows in np.split(order, np.flatnonzero(np.diff(readings.sensor[order])) + 1):
        time, space = readings.time[rows], readings.space[rows]
        if (space == space[0]).all() and (np.diff(time) > 0).all():
            sets, which = np.unique(observed[rows], axis=0, return_inverse=True)
            for k, measured in enumerate(sets):
                own = rows[which.reshape(-1) == k]
                yield Record(own, readings.time[own], readings.values[np.ix_(own, measured)], weights[own])


def _weights(readings: Readings) -> Floats:
    """(N,), one for all fields, so that the means of time and of each field belong together.

    The largest of each sensor is one: sensors of one clock, each with a noise of its own, keep one clock.
    """
    if readings.noise is None:
        return np.ones(len(readings))
    log_sd = np.nanmean(np.log(readings.noise), axis=1)
    least = np.full(readings.n_sensors, np.inf)
    np.minimum.at(least, readings.sensor, log_sd)
    return np.exp(2 * (least[readings.sensor] - log_sd))


def fewest_bins(record: Record, least: int = FEWEST) -> int:
    """The fewest bins, ``least`` or that times a power of two, that are harmless, as are all finer ones; the record's
    own number if none are."""
    record = _without_units(record)
    of_readings = record.together(scatter_between_neighbours(record.time, record.values))
    steps = record.together((_DIGIT * np.array([_last_digit(column) for column in record.values.T])) ** 2)
    steps[of_readings > steps] = 0  # noise that is larger than steps makes means finer than them
    scatter, fewest = of_readings, len(record)
    for number in _numbers(len(record), least):
        bins = Bins.of(record, number)
        time, values = bins.mean(record.time), bins.mean(record.values)
        allowed = np.maximum.reduce([scatter, of_readings * number / len(record), steps])
        scatter = record.together(scatter_between_neighbours(time, values))
        grown = ~(scatter <= allowed * (1 + _CHANCE / np.sqrt(number)))
        off = bins.variance(record.time)[1:-1, None] * _bend(time, values)
        if grown.any() or (record.together(np.mean(off**2, axis=0)) > _OFF**2 * scatter).any():
            break
        fewest = number
    return fewest


def _numbers(length: int, least: int) -> Iterator[int]:
    """Of bins to try: of two readings each, then …, 800, 400, 200, 100."""
    yield length // 2
    doublings = (length // (2 * least)).bit_length()
    yield from (least * 2**k for k in reversed(range(doublings)))


def _without_units(record: Record) -> Record:
    """With times from 0 to 1 and values of size one, so that no square of them overflows or vanishes."""
    time, size = record.time - record.time[0], np.abs(record.values).max(axis=0)
    return replace(record, time=time / time[-1], values=record.values / np.where(size > 0, size, 1.0))


def _last_digit(values: Floats) -> float:
    """The smallest step between values; zero for a constant."""
    return float(np.diff(np.unique(values)).min(initial=np.inf)) if values.min() < values.max() else 0.0


def _bend(time: Floats, values: Floats) -> Floats:
    """(B,), (B, f) → (B − 2, f): ½ u_tt, by divided differences."""
    slopes = np.diff(values, axis=0) / np.diff(time)[:, None]
    return np.diff(slopes, axis=0) / (time[2:] - time[:-2])[:, None]


def was_averaged(readings: Readings) -> bool:
    """Whether these are means of what was read, by their notes."""
    return any(note.code in _AVERAGED for note in readings.notes)


_AVERAGED = {"averaged-in-time", "averaged-in-space", "averaged-in-plane", "averaged-in-blocks"}


def _note(cut: list[tuple[Record, Bins]], chosen: bool) -> Notice:
    sizes = np.concatenate([bins.sizes for _, bins in cut])
    before, after, alike = int(sizes.sum()), len(sizes), bool((sizes == sizes[0]).all())
    each = before / after
    return Notice.of("averaged-in-time", before=before, after=after, alike=alike, each=each, harmless=chosen)
