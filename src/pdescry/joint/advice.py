"""`Advice`: where to put the next sensors, the expected information of each, and a map of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from pdescry.data import Readings
from pdescry.data.digits import distinct
from pdescry.data.hull import points_in_hull
from pdescry.errors import InputError
from pdescry.joint.field.axis import Array
from pdescry.joint.information import Belief, PossibleReadings
from pdescry.joint.options import ANSWER
from pdescry.notices import Notice

SD = "sd of "  # prefix of a term: a column of the tables


@dataclass(frozen=True, eq=False)
class Sites:
    """Places (M, d) and times (m,) of potential readings. each: readings of a sensor that each of the times
    represents."""

    readings: Readings
    places: Array
    times: Array
    each: float

    @classmethod
    def of(cls, readings: Readings, times: ArrayLike | None, span: Sequence[float] | None = None) -> Sites:
        """times: of a new sensor; by default those of an existing one with a median number of readings. span: along one
        axis, where the field is inferred; by default between the outermost sensors."""
        moments = typical_times(readings) if times is None else _checked(times, readings)
        some = moments[np.unique(np.linspace(0, len(moments) - 1, ANSWER.advice.most_times).round().astype(int))]
        if len(readings.axes) == 1:
            left, right = span or readings.span[readings.axes[0]]
            places = np.linspace(left, right, ANSWER.advice.places)[:, None]
        else:
            places = points_in_hull(readings.space, ANSWER.advice.places_in_plane, np.random.default_rng(0))
        return cls(readings, places, some, len(moments) / len(some))

    @property
    def points(self) -> Array:
        """(M·m, 1 + d): (t, x, …), those of one place adjacent to each other."""
        m = len(self.times)
        return np.column_stack([np.tile(self.times, len(self.places)), self.places.repeat(m, axis=0)])


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """Where to put the next sensors, one after the other, each chosen given those before.

    Parameters
    ----------
    about : {"law", "field"}
        "field" if no law was found: places where the field is most uncertain.
    table : pandas.DataFrame
        A row for each sensor: place, expected ``information`` in nats beyond the sensors before, and the ``sd of`` each
        coefficient expected with it and those before.
    readings : pandas.DataFrame
        The same for the best single readings.
    sd : pandas.Series
        Standard deviations of the coefficients at present.
    map : xarray.DataArray
        The expected information of a single reading over time and place.
    sensors : xarray.DataArray
        The expected information of a sensor that reads at all ``times``, over place.
    times : (T,) array
        Times at which a new sensor reads.
    present : (S, d) array
        Places of the present sensors.
    axes : tuple of str
        Names of the axes.
    notes : tuple of str
        Limitations of the advice.
    """

    about: str
    table: pd.DataFrame
    readings: pd.DataFrame
    sd: pd.Series
    map: xr.DataArray
    sensors: xr.DataArray
    times: Array
    present: Array
    axes: tuple[str, ...]
    notes: tuple[Notice, ...] = ()

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *map(str, self.notes)])

    __repr__ = __str__

    @property
    def sentences(self) -> list[str]:
        """The advice, without the notes."""
        return [*(self._sentence(number) for number in range(len(self.table))), self._single_reading]

    def _sentence(self, number: int) -> str:
        row = self.table.iloc[number]
        head = f"{'A sensor' if not number else 'One more'} at {self.spelled(row)}"
        if self.about == "field":
            gain = f"{row['information']:.2f} nats of information"
            return f"{head} is expected to add {gain} on the field, which is most uncertain there."
        terms = [str(term) for term in self.sd.index]
        before = self.sd if not number else self.table.iloc[number - 1][[SD + term for term in terms]]
        pairs = zip(terms, before, strict=True)
        shrinks = [f"that of {term} from {was:.2g} to {row[SD + term]:.2g}" for term, was in pairs]
        shrinks[0] = shrinks[0].replace("that of ", "the sd of the coefficient of ", 1)
        return f"{head} is expected to reduce {_listed(shrinks)} ({row['information']:.2f} nats)."

    @property
    def _single_reading(self) -> str:
        row, time = self.readings.iloc[0], str(self.map.dims[0])
        first, last = (_spelled(time, each, self.times) for each in self.times[[0, -1]])
        many = f"{len(self.times)} times, from {first} to {last}" if len(self.times) > 1 else f"once, at {first}"
        best = f"{self.spelled(row)}, {_spelled(time, row[time], self.times)}"
        return f"It is taken to read {many}. The best single reading: {best} ({row['information']:.2g} nats)."

    def spelled(self, row: pd.Series) -> str:
        """``x = 2.3``: a place of one of the tables, with the names of the axes."""
        return ", ".join(_spelled(axis, row[axis], self.map[axis].values) for axis in self.axes)


def advise(
    belief: Belief,
    sites: Sites,
    terms: Sequence[str],
    noise: Array,
    number: int,
    offset_sd: Array | float = 0.0,
    notes: Sequence[Notice] = (),
) -> Advice:
    """belief: at the points of the sites, for each of the f fields in turn. noise: (f,), sds of a reading;
    offset_sd: (f,), of a new sensor's offset in each field."""
    readings, m, n = sites.readings, len(sites.times), len(sites.places) * len(sites.times)
    variance = np.maximum(noise, ANSWER.advice.least_noise * np.nanmax(np.abs(readings.values))) ** 2
    begins = np.arange(len(noise))[:, None] * n  # of each field
    rows = np.array([(begins + np.arange(start, start + m)).ravel() for start in range(0, n, m)])
    own = np.array([belief.prior(each, each) for each in rows])
    offsets = np.diag(np.broadcast_to(offset_sd, len(noise)) ** 2)  # independent between fields
    shared = np.kron(offsets, np.ones((m, m)))  # all readings of a field by one sensor have the same offset
    sensors = PossibleReadings(rows, np.diag(np.repeat(variance / sites.each, m)) + shared, own)
    among = np.arange(m)[:, None] + np.arange(len(noise)) * m  # the fields at each time, among all of a place
    single = PossibleReadings(
        rows[:, among].reshape(n, -1),
        np.diag(variance) + offsets,
        own[:, among[:, :, None], among[:, None, :]].reshape(n, len(noise), len(noise)),
    )
    best, best_single = sensors.best(belief, number), single.best(belief, number)
    axes, time = readings.axes, readings.time_name
    places = [sites.places[which] for which, _, _ in best]
    points = [sites.points[which] for which, _, _ in best_single]
    coords = {axes[0]: sites.places[:, 0]}
    if len(axes) > 1:
        coords = {axis: ("place", along) for axis, along in zip(axes, sites.places.T, strict=True)}
    along = axes[0] if len(axes) == 1 else "place"
    information = single.information(belief).reshape(len(sites.places), m).T
    return Advice(
        "law" if belief.k else "field",
        _table(axes, places, best, terms),
        _table((time, *axes), points, best_single, terms),
        pd.Series(belief.sd, list(terms), name="sd"),
        xr.DataArray(information, coords | {time: sites.times}, (time, along), "information", {"units": "nats"}),
        xr.DataArray(sensors.information(belief), coords, (along,), "information", {"units": "nats"}),
        sites.times,
        readings.places,
        axes,
        tuple(notes),
    )


def _table(
    names: Sequence[str], where: Sequence[Array], best: Sequence[tuple[int, float, Belief]], terms: Sequence[str]
) -> pd.DataFrame:
    columns = {name: [float(each[number]) for each in where] for number, name in enumerate(names)}
    columns["information"] = [gain for _, gain, _ in best]
    sds = [belief.sd for _, _, belief in best]
    columns |= {SD + term: [float(each[number]) for each in sds] for number, term in enumerate(terms)}
    return pd.DataFrame(columns)


def typical_times(readings: Readings) -> Array:
    """Times of a sensor with a median number of readings; regular ones where readings share no places."""
    counts = np.bincount(readings.sensor)
    typical = int(np.argsort(counts, kind="stable")[len(counts) // 2])
    times = np.unique(readings.time[readings.sensor == typical])
    return times if len(times) > 1 else np.linspace(*readings.span[readings.time_name], ANSWER.advice.times_elsewhere)


def _checked(times: ArrayLike, readings: Readings) -> Array:
    name, (low, high) = readings.time_name, readings.span[readings.time_name]
    try:
        moments = np.unique(np.atleast_1d(np.asarray(times, float)))
    except (TypeError, ValueError):
        raise InputError(f"Expected times as numbers from {low:g} to {high:g}; got {times!r}.") from None
    if not len(moments) or not ((moments >= low) & (moments <= high)).all():
        raise InputError(
            f"Expected times from {name} = {low:g} to {high:g}, where the field is known; got {times!r}; pass times "
            "between these."
        )
    return moments


def _spelled(name: str, value: Any, among: Array) -> str:
    return f"{name} = {distinct(value, among)}"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
