"""Fields that know no law: Gaussian processes over time and place, their scales fitted to the readings of one field.

    constant     the field is one number
    steady       any smooth profile that never changes
    memoryless   any smooth profile, an independent one at each time
    smooth       any field that is smooth in time and place
    shared       the same, without offsets

Each sensor may have an offset beside, but for the last. They predict left-out sensors, in closed form: a law has to be better than the
first three, which know no dynamics. Readings that are noise are predicted as well by the first, readings shuffled in
time by the second or third. The fourth can predict as well as a law does where sensors are many: a law that it beats by
far misses something. It is also a field to begin from, and so is the fifth: offsets would explain a jump between two
sensors, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from scipy.linalg import cho_solve, solve_triangular
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from pdescry.data import Readings
from pdescry.joint.field.axis import Array
from pdescry.joint.observations import Numbers, Observations
from pdescry.joint.lean import Lean

SHORT, LONG = 1e-6, 1e6  # scales along t, in units of the duration: no memory, and no change
SCALES = {"constant": None, "steady": LONG, "memoryless": SHORT, "smooth": 0.1, "shared": 0.1}
SMOOTH = ("smooth", "shared")
MOST = 500  # readings that scales are fitted to, about
LARGEST = 3000  # readings that sensors are left out of, about: all at once, in memory that grows as their square
ENOUGH = 2000  # readings that a field to begin from is made of
ROUGHLY = 600  # readings by which its uncertainty is judged
JITTER = 1e-10


@dataclass(frozen=True)
class Baseline:
    """Of the sensors between others, each predicted from the rest: log density of what they read, and rms error."""

    score: float
    rms_error: float
    readings: int  # of these sensors

    @classmethod
    def of_all(cls, parts: Sequence[Baseline]) -> Baseline:
        """One for fields or experiments that know nothing of each other."""
        some = [each for each in parts if each.readings]
        number = sum(each.readings for each in some)
        rms = math.sqrt(sum(each.readings * each.rms_error**2 for each in some) / number) if some else math.nan
        return cls(sum(each.score for each in parts), rms, number)


@dataclass(frozen=True, eq=False)
class Process(Lean):
    """A fitted process of one field. Inside, time and places go from 0 to 1, and values have mean 0 and sd 1; outside
    all is in units of the readings. theta: logarithms of its free scales, as scikit-learn orders them. baseline: of
    left-out sensors, once it is known."""

    name: str
    readings: Readings
    field: int
    theta: Array
    baseline: Baseline | None = None

    @classmethod
    def fitted(cls, name: str, readings: Readings, field: int) -> Process:
        """One of `SCALES`."""
        start = cls(name, readings, field, _kernel(name, readings.space.shape[1]).theta)
        some = start._some_readings(MOST) if name in SMOOTH else start._some_moments(MOST)
        likelihood: Any = GaussianProcessRegressor(start.kernel, alpha=JITTER, optimizer=cast(Any, None))
        likelihood.fit(start._points(some), start._values(some))

        def cost(theta: Array) -> tuple[float, Array]:
            value, slope = likelihood.log_marginal_likelihood(theta, eval_gradient=True, clone_kernel=False)
            return -value, -slope

        # By hand: scikit-learn would warn of scales at their bounds.
        found = minimize(cost, start.theta, jac=True, bounds=start.kernel.bounds, method="L-BFGS-B")
        return cls(name, readings, field, found.x)

    @cached_property
    def kernel(self) -> Any:  # scikit-learn's kernels have attributes that their types do not tell
        return _kernel(self.name, self.readings.space.shape[1]).clone_with_theta(self.theta)

    @property
    def noise(self) -> float:
        """Its sd."""
        return float(np.sqrt(self.kernel.k2.noise_level)) * self.unit

    @property
    def offset_sd(self) -> float:
        return float(np.sqrt(self.kernel.k1.k2.k1.constant_value)) * self.unit

    # ---- what was read ---------------------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> Numbers:
        """Of the readings, those that have this field."""
        return np.flatnonzero(np.isfinite(self.readings.values[:, self.field]))

    @cached_property
    def _read(self) -> Array:
        return self.readings.values[self._rows, self.field]

    @property
    def unit(self) -> float:
        return float(np.std(self._read)) or 1.0

    def _values(self, some: Numbers) -> Array:
        return (self._read[some] - self._read.mean()) / self.unit

    def _points(self, some: Numbers) -> Array:
        rows = self._rows[some]
        return self._scaled(self.readings.time[rows], self.readings.space[rows], self.readings.sensor[rows])

    def _scaled(self, t: Array, places: Array, sensor: Any) -> Array:
        """(N, 1 + d + 1): time, places, sensor."""
        readings = self.readings
        time = (t - readings.time.min()) / (np.ptp(readings.time) or 1.0)
        width = np.ptp(readings.space, axis=0)
        along = (places - readings.space.min(axis=0)) / np.where(width > 0, width, 1.0)
        return np.column_stack([time, along, np.asarray(sensor, float)])

    def _some_moments(self, most: int) -> Numbers:
        """Readings of evenly chosen whole moments: what differs along x belongs together. Where sensors are read in
        turn, evenly chosen ones of each."""
        time, sensor = self.readings.time[self._rows], self.readings.sensor[self._rows]
        every, moments = -(-len(time) // most), np.unique(time)
        if 2 * len(time) > len(moments) * len(np.unique(sensor)):
            return np.flatnonzero(np.isin(time, moments[::every]))
        ordered = np.lexsort([time, sensor])
        number = np.arange(len(time)) - np.searchsorted(sensor[ordered], sensor[ordered])
        return np.sort(ordered[number % every == 0])

    def _some_readings(self, most: int) -> Numbers:
        """At random: some near each other, whatever the scale."""
        return np.sort(np.random.default_rng(0).permutation(len(self._rows))[:most])

    # ---- predicting ------------------------------------------------------------------------------------------------

    @cached_property
    def left_out(self) -> Baseline:
        """Of some of the readings; their score as if there were all."""
        if self.baseline is not None:
            return self.baseline
        some = self._some_moments(LARGEST)
        covariance = np.asarray(self.kernel(self._points(some)))
        precision = np.linalg.inv(covariance + JITTER * np.eye(len(some)))
        pulled = precision @ self._values(some)
        sensor = self.readings.sensor[self._rows]
        inside = Observations(self.readings).inside
        score, errors = 0.0, []
        for number in np.flatnonzero(inside):
            own = np.flatnonzero(sensor[some] == number)
            if not len(own):
                continue
            block = precision[np.ix_(own, own)]
            error = np.linalg.solve(block, pulled[own])
            errors.append(self.unit * error)
            score += 0.5 * (np.linalg.slogdet(block)[1] - error @ block @ error) - len(own) * np.log(self.unit)
            score -= 0.5 * len(own) * np.log(2 * np.pi)
        rms = np.sqrt(np.mean(np.concatenate(errors) ** 2)) if errors else np.nan
        score = float(score) * len(self._rows) / len(some)
        return Baseline(score, float(rms), int(inside[sensor].sum()))

    def mean(self, *grid: Array) -> Array:
        """(x, …, t): of the field on a grid of places and times, without offsets."""
        some, _, pulled = self._solved
        *places, t = self._correlations(grid, some)
        found = self._size * pulled * t  # (t, readings)
        if len(places) == 1:
            found = places[0] @ found.T
        else:
            letters = "abc"[: len(places)]
            found = np.einsum(",".join(f"{each}m" for each in letters) + f",tm->{letters}t", *places, found, optimize=True)
        return float(self._read.mean()) + self.unit * found

    def sd(self, *grid: Array) -> Array:
        """(x, …, t): of the field on a grid of places and times, without offsets; judged from some of the readings."""
        some = self._some_readings(ROUGHLY)
        root = self._root(some)
        *places, t = self._correlations(grid, some)
        along = places[0]
        for each in places[1:]:
            along = (along[:, None, :] * each).reshape(-1, along.shape[1])
        left = np.empty((len(along), len(t)))
        for number, each in enumerate(t):
            half = solve_triangular(root, self._size * (each * along).T, lower=True)
            left[:, number] = self._size - np.sum(half**2, axis=0)
        return self.unit * np.sqrt(np.maximum(left, 0)).reshape(*map(len, places), len(t))

    def at(self, points: Array) -> tuple[Array, Array]:
        """(N,) mean and (N,) variance of the field at points (N, D), places before time."""
        some, root, pulled = self._solved
        scaled = self._scaled(points[:, -1], points[:, :-1], 0.0 * points[:, -1])[:, :-1]
        apart = (scaled[:, None, :] - self._points(some)[None, :, :-1]) / self._lengths
        across = self._size * np.exp(-0.5 * np.sum(apart**2, axis=2))
        half = solve_triangular(root, across.T, lower=True)
        variance = np.maximum(self._size - np.sum(half**2, axis=0), 0)
        return float(self._read.mean()) + self.unit * (across @ pulled), self.unit**2 * variance

    @property
    def _size(self) -> float:
        return self.kernel.k1.k1.k1.constant_value

    @property
    def _lengths(self) -> Array:
        """(1 + d,): along time and places."""
        return np.asarray(self.kernel.k1.k1.k2.length_scale)[:-1]

    def _correlations(self, grid: Sequence[Array], some: Numbers) -> list[Array]:
        """Of the field with some readings, along each axis of a grid (x, …, t): (points, some), whose product they
        are."""
        *places, t = grid
        known, lengths, found = self._points(some), self._lengths, []
        low, width = self.readings.space.min(axis=0), np.ptp(self.readings.space, axis=0)
        for k, along in enumerate(places):
            scaled = (along - low[k]) / (width[k] or 1.0)
            found.append(np.exp(-0.5 * ((scaled[:, None] - known[:, 1 + k]) / lengths[1 + k]) ** 2))
        time = (t - self.readings.time.min()) / (np.ptp(self.readings.time) or 1.0)
        return [*found, np.exp(-0.5 * ((time[:, None] - known[:, 0]) / lengths[0]) ** 2)]

    def _root(self, some: Numbers) -> Array:
        covariance = np.asarray(self.kernel(self._points(some)))
        return np.asarray(np.linalg.cholesky(covariance + JITTER * np.eye(len(some))), float)

    @cached_property
    def _solved(self) -> tuple[Numbers, Array, Array]:
        some = self._some_readings(ENOUGH)
        root = self._root(some)
        return some, root, cho_solve((root, True), self._values(some))


def _kernel(name: str, places: int) -> Any:
    scale = SCALES[name]
    if scale is None:  # one number, of prior sd 1
        kernel: Any = ConstantKernel(1.0, "fixed")
    else:
        bounds = [(1e-3, 1e2) if name in SMOOTH else _only(scale), *[(1e-2, 1e2)] * places, _only(LONG)]
        kernel = ConstantKernel(1.0, (1e-4, 1e4)) * _rbf([scale, *[0.3] * places, LONG], bounds)
    offset_size = (1e-12, "fixed") if name == "shared" else (1e-2, (1e-8, 1e2))
    offset = ConstantKernel(*offset_size) * _rbf([*[LONG] * (1 + places), SHORT], "fixed")
    return kernel + offset + WhiteKernel(0.1, (1e-8, 1e2))


def _rbf(scales: list[float], bounds: Any) -> Any:
    return RBF(cast(Any, np.array(scales)), bounds)


def _only(scale: float) -> tuple[float, float]:
    return scale, scale * (1 + 1e-9)


