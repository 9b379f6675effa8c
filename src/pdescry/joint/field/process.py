"""Fields without a law: Gaussian processes over time and place, with scales fitted to the readings of one field.

    constant     the field is one number
    steady       any smooth profile that never changes
    memoryless   any smooth profile, an independent one at each time
    smooth       any field that is smooth in time and place
    shared       the same, without offsets

All but the last allow an offset of each sensor. They predict held-out sensors in closed form: a law has to predict
better than the first three, which have no dynamics. Pure noise is predicted as well by the first, readings shuffled in
time by the second or third. With many sensors the fourth can predict as well as a law: a law that it clearly
outperforms is missing something. It also serves as an initial field, and so does the fifth, because offsets could
explain a jump between two sensors.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.optimize import minimize

from pdescry.data import Readings
from pdescry.joint.field.axis import Array
from pdescry.joint.field.kernel import Likelihood, correlation, covariance, inverse
from pdescry.joint.field.mesh import elements_in_time
from pdescry.joint.field.options import FIELD
from pdescry.joint.lean import Lean
from pdescry.joint.observations import Numbers, Observations

WITHOUT_MEMORY, WITHOUT_CHANGE = 1e-6, 1e6  # scales along t, in units of the duration
SCALES = {"constant": None, "steady": WITHOUT_CHANGE, "memoryless": WITHOUT_MEMORY, "smooth": 0.1, "shared": 0.1}
SMOOTH = ("smooth", "shared")


@dataclass(frozen=True)
class Baseline:
    """Leave-one-sensor-out prediction of the inner sensors: log density of their readings, and rms error."""

    score: float
    rms_error: float
    readings: int  # of the inner sensors

    @classmethod
    def of_all(cls, parts: Sequence[Baseline]) -> Baseline:
        """The sum over independent fields or experiments."""
        some = [each for each in parts if each.readings]
        number = sum(each.readings for each in some)
        rms = math.sqrt(sum(each.readings * each.rms_error**2 for each in some) / number) if some else math.nan
        return cls(sum(each.score for each in parts), rms, number)


@dataclass(frozen=True, eq=False)
class Process(Lean):
    """A fitted process of one field. Internally, time and places are scaled to [0, 1], and values to mean 0 and sd 1;
    the interface uses the units of the readings. scales: variances of the field, of offsets and of noise, and
    correlation lengths along time and each axis of space. lasting: variance and correlation time of correlated errors;
    empty where there are none. baseline: leave-one-sensor-out prediction, once computed."""

    name: str
    readings: Readings
    field: int
    scales: Array
    lasting: Array = dataclasses.field(default_factory=lambda: np.zeros(0))
    baseline: Baseline | None = None

    @classmethod
    def fitted(cls, name: str, readings: Readings, field: int, most: int = FIELD.process.readings_of_scales) -> Process:
        """One of `SCALES`, of maximum likelihood for about ``most`` of the readings, with independent noise.

        Implemented here, because scikit-learn's kernels take three times as long for the same numbers, and as long to
        load as a whole fit.
        """
        start = cls._unfitted(name, readings, field)
        some = start._some_readings(most) if name in SMOOTH else start._some_moments(most)
        if name in SMOOTH and start._is_long:  # subsampled from all of it they would be uncorrelated
            some = start._stretch(most)
        return start._most_likely(some)[1]

    @classmethod
    def _unfitted(cls, name: str, readings: Readings, field: int) -> Process:
        along_time, places = SCALES[name], readings.space.shape[1]
        offset = 1e-2 if name != "shared" and (places == 1 or Observations(readings).offsets_identifiable) else 0.0
        first = [1.0, offset, 0.1, along_time or WITHOUT_CHANGE, *[0.3 if along_time else WITHOUT_CHANGE] * places]
        return cls(name, readings, field, np.array(first))

    def with_lasting_errors(self) -> Process:
        """With correlated errors of sensors, if consecutive readings are clearly more likely then."""
        if not Observations(self.readings).at_rest:
            return self
        some = self._stretch(FIELD.process.readings_of_correlation)
        points = self._points(some)
        order = np.lexsort(points[:, [0, -1]].T)
        apart = np.diff(points[order, 0])[np.diff(points[order, -1]) == 0]
        if not (apart > 0).any():
            return self
        length = FIELD.process.first_correlation_time * float(np.median(apart[apart > 0]))
        length = min(length, FIELD.process.correlation_time[1])
        first = self._unfitted(self.name, self.readings, self.field)
        without, _ = self._most_likely(some)
        likely, found = replace(first, lasting=np.array([0.1, length]))._most_likely(some)
        return found if likely > without + FIELD.process.evidence_of_correlation else self

    def _most_likely(self, some: Numbers) -> tuple[float, Process]:
        """Maximum log likelihood of some readings, and the process with those scales."""
        name, places = self.name, self.readings.space.shape[1]
        first, along_t = np.concatenate([self.scales, self.lasting]), np.array(FIELD.process.length_in_time)
        if name in SMOOTH and self._is_long:
            share = np.ptp(self._points(some)[:, 0])
            first[3] *= share
            along_t[0] *= share
        given = FIELD.process
        variances = given.field_variance, given.offset_variance, given.noise_variance
        free: dict[int, tuple[float, float]] = dict(enumerate((*variances, tuple(along_t))))
        free |= {4 + k: given.length_in_space for k in range(places)}
        fixed = {"constant": [0, 3, *range(4, 4 + places)], "steady": [3], "memoryless": [3], "shared": [1]}
        for k in {*fixed.get(name, []), *([1] if self.scales[1] == 0 else [])}:
            del free[k]
        if len(self.lasting):
            free |= {len(self.scales): given.noise_variance, len(self.scales) + 1: given.correlation_time}
        likelihood = Likelihood.of(self._points(some), self._values(some))
        which = list(free)

        def cost(logs: Array) -> tuple[float, Array]:
            numbers = first.copy()
            numbers[which] = np.exp(logs)
            value, slope = likelihood.at(numbers[: len(self.scales)], numbers[len(self.scales) :])
            return -value, -slope[which] * numbers[which]

        bounds = np.log([free[k] for k in which])
        begin = np.clip(np.log(first[which]), *bounds.T)
        found = minimize(cost, begin, jac=True, bounds=bounds, method="L-BFGS-B")
        numbers = first.copy()
        numbers[which] = np.exp(found.x)
        own, lasting = numbers[: len(self.scales)], numbers[len(self.scales) :]
        return -float(found.fun), replace(self, scales=own, lasting=lasting)

    def covariance(self, points: Array) -> Array:
        """(N, N): covariance of readings at points as `scaled` returns them, noise included."""
        return covariance(points, self.scales, self.lasting)

    @property
    def noise(self) -> float:
        """Standard deviation of the errors, offsets excluded."""
        return float(np.hypot(np.sqrt(self.scales[2]) * self.unit, self.lasting_sd))

    @property
    def lasting_sd(self) -> float:
        """Standard deviation of the correlated errors."""
        return float(np.sqrt(self.lasting[0])) * self.unit if len(self.lasting) else 0.0

    @property
    def lasting_errors(self) -> tuple[float, float, float]:
        """Correlated share of the noise's variance, its correlation time, and whether it is smooth (it is not); zeros
        where there is none."""
        if not len(self.lasting):
            return 0.0, 0.0, 0.0
        duration = float(np.ptp(self.readings.time)) or 1.0
        return float(self.lasting[0] / (self.lasting[0] + self.scales[2])), float(self.lasting[1]) * duration, 0.0

    @property
    def offset_sd(self) -> float:
        return float(np.sqrt(self.scales[1])) * self.unit

    @property
    def roughness(self) -> Array:
        """(d,): weights of ∫ (L³ u_xxx)² along each axis, with u in units of its sd, for which a field of this
        correlation length has its expected roughness."""
        return FIELD.process.roughness * np.minimum(self._lengths[1:], 1.0) ** 5 / 15

    # ---- what was read ---------------------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> Numbers:
        """Rows of the readings that contain this field."""
        return np.flatnonzero(np.isfinite(self.readings.values[:, self.field]))

    @cached_property
    def _read(self) -> Array:
        return self.readings.values[self._rows, self.field]

    @property
    def unit(self) -> float:
        return float(np.std(self._read)) or 1.0

    @property
    def centre(self) -> float:
        """Mean of the values."""
        return float(self._read.mean())

    def _values(self, some: Numbers) -> Array:
        return (self._read[some] - self._read.mean()) / self.unit

    def _points(self, some: Numbers) -> Array:
        rows = self._rows[some]
        return self.scaled(self.readings.time[rows], self.readings.space[rows], self.readings.sensor[rows])

    def scaled(self, t: Array, places: Array, sensor: Any) -> Array:
        """(N, 1 + d + 1): time, places, sensor."""
        readings = self.readings
        time = (t - readings.time.min()) / (np.ptp(readings.time) or 1.0)
        width = np.ptp(readings.space, axis=0)
        along = (places - readings.space.min(axis=0)) / np.where(width > 0, width, 1.0)
        return np.column_stack([time, along, np.asarray(sensor, float)])

    def _some_moments(self, most: int) -> Numbers:
        """Readings at a regular selection of times, with all places of each. Where sensors are read in turn, a regular
        selection of the readings of each."""
        time, sensor = self.readings.time[self._rows], self.readings.sensor[self._rows]
        every, moments = -(-len(time) // most), np.unique(time)
        if 2 * len(time) > len(moments) * len(np.unique(sensor)):
            return np.flatnonzero(np.isin(time, moments[::every]))
        ordered = np.lexsort([time, sensor])
        number = np.arange(len(time)) - np.searchsorted(sensor[ordered], sensor[ordered])
        return np.sort(ordered[number % every == 0])

    def _some_readings(self, most: int) -> Numbers:
        """A random subset: it has pairs at small distances whatever the scale."""
        return np.sort(np.random.default_rng(0).permutation(len(self._rows))[:most])

    @cached_property
    def _is_long(self) -> bool:
        return elements_in_time(Observations(self.readings)) > FIELD.mesh.long_record

    def _stretch(self, most: int) -> Numbers:
        """Consecutive readings from the middle of the record."""
        order = np.argsort(self.readings.time[self._rows], kind="stable")
        begin = max((len(order) - most) // 2, 0)
        return np.sort(order[begin : begin + most])

    # ---- predicting ------------------------------------------------------------------------------------------------

    @cached_property
    def left_out(self) -> Baseline:
        """Each inner sensor predicted from the rest; with very many readings, a part of its record at a time, from its
        neighbours at those times."""
        if self.baseline is not None:
            return self.baseline
        most = FIELD.process.readings_at_once if self._is_on_a_line else FIELD.process.readings_in_plane
        if len(self._rows) <= most:
            parts = self._predicted_by_all()
        else:
            parts = self._predicted_by_neighbours() if self._is_on_a_line else self._predicted_by_some()
        score, errors = 0.0, [np.zeros(0)]
        for density, error in parts:
            score += density - len(error) * (math.log(self.unit) + 0.5 * math.log(2 * math.pi))
            errors.append(self.unit * error)
        every = np.concatenate(errors)
        return Baseline(float(score), float(np.sqrt(np.mean(every**2))) if len(every) else math.nan, len(every))

    def _predicted_by_all(self) -> Iterator[tuple[float, Array]]:
        """Log density and errors of each held-out sensor."""
        every = np.arange(len(self._rows))
        covariance = self.covariance(self._points(every))
        precision = inverse(covariance)
        pulled = precision @ self._values(every)
        for own in self._between_others:
            block = precision[np.ix_(own, own)]
            error = np.asarray(np.linalg.solve(block, pulled[own]), float)
            yield 0.5 * (np.linalg.slogdet(block)[1] - error @ block @ error), error

    @property
    def _is_on_a_line(self) -> bool:
        return self.readings.space.shape[1] == 1

    def _predicted_by_some(self) -> Iterator[tuple[float, Array]]:
        """Log density and errors of what is left out together, from a subset of the readings; the log density is scaled
        up to all of them."""
        some = self._some_readings(FIELD.process.readings_in_plane)
        precision = inverse(self.covariance(self._points(some)))
        values = self._values(some)
        pulled, place = precision @ values, np.full(len(self._rows), -1)
        place[some] = np.arange(len(some))
        for every in self._between_others:
            own = place[every]
            own = own[own >= 0]
            if len(own):
                block = precision[np.ix_(own, own)]
                error = np.asarray(np.linalg.solve(block, pulled[own]), float)
                density = 0.5 * (np.linalg.slogdet(block)[1] - error @ block @ error)
                share = len(every) / len(own)
                yield share * density, np.resize(error, len(every))

    def _predicted_by_neighbours(self) -> Iterator[tuple[float, Array]]:
        """Log density and errors of parts of each held-out sensor's record, each part separately."""
        time, sensor = self.readings.time[self._rows], self.readings.sensor[self._rows]
        number = self.readings.n_sensors
        count = np.maximum(np.bincount(sensor, minlength=number), 1)
        places = self._points(np.arange(len(time)))[:, 1:-1]
        centre = np.stack([np.bincount(sensor, each, minlength=number) / count for each in places.T], axis=1)
        order = np.lexsort([time, sensor])
        ends = np.searchsorted(sensor[order], np.arange(number + 1))
        records = [order[low:high] for low, high in pairwise(ends)]
        read = np.flatnonzero([len(each) for each in records])
        for own in self._between_others:
            me = sensor[own[0]]
            others = read[read != me]
            nearest_first = np.argsort(np.sum((centre[others] - centre[me]) ** 2, axis=1), kind="stable")
            near = others[nearest_first[: FIELD.process.nearest_sensors]]
            for part in np.array_split(records[me], -(-len(own) // FIELD.process.readings_of_part)):
                begin, end = time[part[0]], time[part[-1]]
                neighbours = []
                for each in near:
                    low, high = np.searchsorted(time[records[each]], [begin, end], side="left")
                    some = records[each][low : high + 1]
                    neighbours.append(some[:: -(-len(some) // FIELD.process.readings_of_part)])
                yield self._conditional(np.concatenate([np.zeros(0, np.intp), *neighbours]), part)

    def _conditional(self, known: Numbers, own: Numbers) -> tuple[float, Array]:
        """Log density of own readings conditional on the known ones, and the prediction errors."""
        some, n = np.concatenate([known, own]), len(known)
        root = self._root(some)
        along = solve_triangular(root, self._values(some), lower=True)
        mine = root[n:, n:]
        return float(-0.5 * along[n:] @ along[n:] - np.sum(np.log(np.diag(mine)))), np.asarray(mine @ along[n:], float)

    @property
    def _between_others(self) -> Iterator[Numbers]:
        """Readings of each inner sensor, or of inner sensors that are left out together."""
        sensor = self.readings.sensor[self._rows]
        order = np.argsort(sensor, kind="stable")
        for sensors, _ in Observations(self.readings).between:
            ends = [np.searchsorted(sensor[order], [number, number + 1]) for number in sensors]
            own = np.concatenate([order[low:high] for low, high in ends])
            if len(own):
                yield own

    def mean(self, *grid: Array) -> Array:
        """(x, …, t): mean of the field on a grid of places and times, without offsets."""
        found = np.empty(tuple(map(len, grid)))
        for which, some, _, pulled in self._windows_at(grid[-1]):
            *places, t = self._correlations((*grid[:-1], grid[-1][which]), some)
            part = self._size * pulled * t  # (t, readings)
            if len(places) == 1:
                found[..., which] = places[0] @ part.T
            else:
                letters = "abc"[: len(places)]
                found[..., which] = np.einsum(
                    ",".join(f"{each}m" for each in letters) + f",tm->{letters}t", *places, part, optimize=True
                )
        return self.centre + self.unit * found

    def sd(self, *grid: Array) -> Array:
        """(x, …, t): sd of the field on a grid of places and times, without offsets; from a subset of the readings."""
        *others, times = grid
        left = np.empty((math.prod(map(len, others)), len(times)))
        for which, every, _, _ in self._windows_at(times):
            some = np.sort(np.random.default_rng(0).permutation(every)[: FIELD.process.readings_of_sd])
            root = self._root(some)
            *places, t = self._correlations((*others, times[which]), some)
            along = places[0]
            for each in places[1:]:
                along = (along[:, None, :] * each).reshape(-1, along.shape[1])
            for number, each in zip(which, t, strict=True):
                half = solve_triangular(root, self._size * (each * along).T, lower=True)
                left[:, number] = self._size - np.sum(half**2, axis=0)
        return self.unit * np.sqrt(np.maximum(left, 0)).reshape(*map(len, others), len(times))

    def at(self, points: Array) -> tuple[Array, Array]:
        """(N,) mean and (N,) variance of the field at points (N, D), places before time."""
        mean, variance = np.empty(len(points)), np.empty(len(points))
        for which, across, half, pulled in self._covariances_at(points):
            mean[which] = self.centre + self.unit * (across @ pulled)
            variance[which] = self.unit**2 * np.maximum(self._size - np.sum(half**2, axis=0), 0)
        return mean, variance

    def jointly(self, points: Array) -> tuple[Array, Array]:
        """(N,) mean and (N, N) covariance of the field at points (N, D), places before time."""
        mean, covariance = np.empty(len(points)), np.zeros((len(points), len(points)))
        for which, across, half, pulled in self._covariances_at(points):
            own = self._of_field(points[which])
            mean[which] = self.centre + self.unit * (across @ pulled)
            part = self._size * correlation(own, own, self._lengths) - half.T @ half
            covariance[np.ix_(which, which)] = self.unit**2 * part
        return mean, covariance

    def _of_field(self, points: Array) -> Array:
        """(N, 1 + d): time and places, scaled."""
        return self.scaled(points[:, -1], points[:, :-1], 0.0 * points[:, -1])[:, :-1]

    def _covariances_at(self, points: Array) -> Iterator[tuple[Numbers, Array, Array, Array]]:
        """For each window: which points, their covariance with the readings, that times the inverse root, and the
        weights of the readings."""
        for which, some, root, pulled in self._windows_at(points[:, -1]):
            across = self._size * correlation(self._of_field(points[which]), self._points(some), self._lengths)
            yield which, across, solve_triangular(root, across.T, lower=True), pulled

    def _windows_at(self, times: Array) -> Iterator[tuple[Numbers, Numbers, Array, Array]]:
        """For each window: which of these times, the readings from which the field is predicted there, the root of
        their covariance, and weights."""
        windows = self._windows
        time = (times - self.readings.time.min()) / (np.ptp(self.readings.time) or 1.0)
        number = np.clip((time * len(windows)).astype(int), 0, len(windows) - 1)
        for k in np.unique(number):
            yield np.flatnonzero(number == k), *windows[k]

    @property
    def _size(self) -> float:
        return float(self.scales[0])

    @property
    def _lengths(self) -> Array:
        """(1 + d,): along time and places."""
        return self.scales[3:]

    def _correlations(self, grid: Sequence[Array], some: Numbers) -> list[Array]:
        """Factors of the correlation between the field and some readings, (points, some) along each axis of a grid (x,
        …, t)."""
        *places, t = grid
        known, lengths, found = self._points(some), self._lengths, []
        low, width = self.readings.space.min(axis=0), np.ptp(self.readings.space, axis=0)
        for k, along in enumerate(places):
            scaled = (along - low[k]) / (width[k] or 1.0)
            found.append(np.exp(-0.5 * ((scaled[:, None] - known[:, 1 + k]) / lengths[1 + k]) ** 2))
        time = (t - self.readings.time.min()) / (np.ptp(self.readings.time) or 1.0)
        return [*found, np.exp(-0.5 * ((time[:, None] - known[:, 0]) / lengths[0]) ** 2)]

    def _root(self, some: Numbers) -> Array:
        return np.asarray(np.linalg.cholesky(self.covariance(self._points(some))), float)

    @cached_property
    def _windows(self) -> list[tuple[Numbers, Array, Array]]:
        """For each of the equally long, consecutive parts of the record: readings, root, weights."""
        length, found = self._lengths[0], []
        number = max(math.ceil(1 / (FIELD.process.window * length)), 1) if self._is_long else 1
        most = FIELD.process.readings_of_start
        every = self._some_readings(len(self._rows) if number > 1 else most)
        time = self._points(every)[:, 0]
        for k in range(number):
            near = np.abs(time - (k + 0.5) / number) < 0.5 / number + FIELD.process.window_margin * length
            some = every[near] if number > 1 else every
            some = np.sort(np.random.default_rng(0).permutation(some)[:most]) if len(some) > most else some
            root = self._root(some)
            found.append((some, root, cho_solve((root, True), self._values(some))))
        return found
