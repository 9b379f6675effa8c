"""Fields that know no law: Gaussian processes over (t, x), their scales fitted to the readings.

    constant     the field is one number
    steady       any smooth profile along x that never changes
    memoryless   any smooth profile along x, a new one at each moment
    smooth       any field that is smooth in t and x

Each sensor may have an offset beside. They predict left-out sensors, in closed form: a law has to be better than the
first three, which know no dynamics. Readings that are noise are predicted as well by the first, readings shuffled in
time by the second or third. The fourth can predict as well as a law does where sensors are many: a law that it beats by
far misses something. It is also a field to begin from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from pdescry.data import Readings
from pdescry.joint.held_out import inside
from pdescry.joint.splines import Array

SHORT, LONG = 1e-6, 1e6  # scales along t, in units of the duration: no memory, and no change
SCALES = {"constant": None, "steady": LONG, "memoryless": SHORT, "smooth": 0.1}
MOST = 500  # readings that scales are fitted to, about
LARGEST = 3000  # readings that sensors are left out of, about: all at once, in memory that grows as their square
ENOUGH = 2000  # readings that a field to begin from is made of
JITTER = 1e-10


@dataclass(frozen=True)
class Baseline:
    """Of the sensors between others, each predicted from the rest: log density of what they read, and rms error."""

    score: float
    rms_error: float
    readings: int  # of these sensors

    @classmethod
    def of_all(cls, experiments: Sequence[Baseline]) -> Baseline:
        """One for experiments that know nothing of each other."""
        some = [each for each in experiments if each.readings]
        number = sum(each.readings for each in some)
        rms = math.sqrt(sum(each.readings * each.rms_error**2 for each in some) / number) if some else math.nan
        return cls(sum(each.score for each in experiments), rms, number)


@dataclass(frozen=True, eq=False)
class Process:
    """A fitted process. Inside, t and x go from 0 to 1, and values have mean 0 and sd 1; outside all is in units of the
    readings."""

    kernel: Any  # scikit-learn's kernels have attributes that their types do not tell
    readings: Readings

    @classmethod
    def fitted(cls, name: str, readings: Readings) -> Process:
        """One of `SCALES`."""
        scale = SCALES[name]
        some = _some_readings(readings, MOST) if name == "smooth" else _some_moments(readings, MOST)
        if scale is None:  # one number, of prior sd 1
            kernel: Any = ConstantKernel(1.0, "fixed")
        else:
            bounds = [(1e-3, 1e2) if name == "smooth" else _only(scale), (1e-2, 1e2), _only(LONG)]
            kernel = ConstantKernel(1.0, (1e-4, 1e4)) * _rbf([scale, 0.3, LONG], bounds)
        offset = ConstantKernel(1e-2, (1e-8, 1e2)) * _rbf([LONG, LONG, SHORT], "fixed")
        process = cls(kernel + offset + WhiteKernel(0.1, (1e-8, 1e2)), readings)
        likelihood: Any = GaussianProcessRegressor(process.kernel, alpha=JITTER, optimizer=cast(Any, None))
        likelihood.fit(process._points(some), process._values(some))

        def cost(theta: Array) -> tuple[float, Array]:
            value, slope = likelihood.log_marginal_likelihood(theta, eval_gradient=True, clone_kernel=False)
            return -value, -slope

        # By hand: scikit-learn would warn of scales at their bounds, and warnings cannot be kept back in threads.
        found = minimize(cost, process.kernel.theta, jac=True, bounds=process.kernel.bounds, method="L-BFGS-B")
        return cls(process.kernel.clone_with_theta(found.x), readings)

    @property
    def noise(self) -> float:
        """Its sd."""
        return float(np.sqrt(self.kernel.k2.noise_level)) * self._unit

    @property
    def offset_sd(self) -> float:
        return float(np.sqrt(self.kernel.k1.k2.k1.constant_value)) * self._unit

    # ---- predicting ----------------------------------------------------------------------------------------------

    @cached_property
    def left_out(self) -> Baseline:
        """Of some of the readings; their score as if there were all."""
        some = _some_moments(self.readings, LARGEST)
        covariance = np.asarray(self.kernel(self._points(some)))
        precision = np.linalg.inv(covariance + JITTER * np.eye(len(some)))
        pulled = precision @ self._values(some)
        score, errors = 0.0, []
        for sensor in np.flatnonzero(inside(self.readings)):
            own = np.flatnonzero(self.readings.sensor[some] == sensor)
            block = precision[np.ix_(own, own)]
            error = np.linalg.solve(block, pulled[own])
            errors.append(self._unit * error)
            score += 0.5 * (np.linalg.slogdet(block)[1] - error @ block @ error) - len(own) * np.log(self._unit)
            score -= 0.5 * len(own) * np.log(2 * np.pi)
        rms = np.sqrt(np.mean(np.concatenate(errors) ** 2)) if errors else np.nan
        score = float(score) * len(self.readings) / len(some)
        return Baseline(score, float(rms), int(inside(self.readings)[self.readings.sensor].sum()))

    def mean(self, t: Array, x: Array) -> Array:
        """(t, x): of the field, without offsets."""
        some, _, pulled = self._solved
        middle = float(np.mean(self.readings.values[:, 0]))
        (along_t, along_x), size = self._factors(t, x, some), self._field.k1.constant_value
        return middle + self._unit * size * (along_t * pulled) @ along_x.T

    def sd(self, t: Array, x: Array) -> Array:
        """(t, x): of the field, without offsets."""
        some, root, _ = self._solved
        (along_t, along_x), size = self._factors(t, x, some), self._field.k1.constant_value
        left = np.empty((len(t), len(x)))
        for number, each in enumerate(along_t):
            left[number] = size - np.sum(solve_triangular(root, size * (each * along_x).T, lower=True) ** 2, axis=0)
        return self._unit * np.sqrt(np.maximum(left, 0))

    @property
    def _field(self) -> Any:
        return self.kernel.k1.k1

    def _factors(self, t: Array, x: Array, some: NDArray[np.intp]) -> tuple[Array, Array]:
        """Correlations of the field with some readings: (t, some) and (x, some), whose product they are."""
        scales = self._field.k2.length_scale
        asked = self._scaled(t, np.zeros(len(t)), t), self._scaled(np.zeros(len(x)), x, x)
        known = self._points(some)
        along_t, along_x = (np.exp(-0.5 * ((asked[k][:, None, k] - known[:, k]) / scales[k]) ** 2) for k in (0, 1))
        return along_t, along_x

    @cached_property
    def _solved(self) -> tuple[NDArray[np.intp], Array, Array]:
        some = _some_readings(self.readings, ENOUGH)
        covariance = np.asarray(self.kernel(self._points(some)))
        root = np.asarray(np.linalg.cholesky(covariance + JITTER * np.eye(len(some))), float)
        pulled = solve_triangular(root, solve_triangular(root, self._values(some), lower=True), lower=True, trans=1)
        return some, root, pulled

    # ---- to its own units ----------------------------------------------------------------------------------------

    @property
    def _unit(self) -> float:
        return float(np.std(self.readings.values[:, 0])) or 1.0

    def _values(self, some: NDArray[np.intp]) -> Array:
        values = self.readings.values[:, 0]
        return (values[some] - values.mean()) / self._unit

    def _points(self, some: NDArray[np.intp]) -> Array:
        readings = self.readings
        return self._scaled(readings.time[some], readings.space[some, 0], readings.sensor[some].astype(float))

    def _scaled(self, t: Array, x: Array, sensor: Array) -> Array:
        readings = self.readings
        sides = ((t, readings.time), (x, readings.space[:, 0]))
        return np.column_stack([*((each - own.min()) / (np.ptp(own) or 1.0) for each, own in sides), sensor])


def _rbf(scales: list[float], bounds: Any) -> Any:
    return RBF(cast(Any, np.array(scales)), bounds)


def _only(scale: float) -> tuple[float, float]:
    return scale, scale * (1 + 1e-9)


def _some_moments(readings: Readings, most: int) -> NDArray[np.intp]:
    """Readings of evenly chosen whole moments: what differs along x belongs together. Where sensors are read in turn,
    evenly chosen ones of each."""
    every, moments = -(-len(readings) // most), np.unique(readings.time)
    if 2 * len(readings) > len(moments) * readings.n_sensors:
        return np.flatnonzero(np.isin(readings.time, moments[::every]))
    ordered = np.lexsort([readings.time, readings.sensor])
    number = np.arange(len(readings)) - np.searchsorted(readings.sensor[ordered], readings.sensor[ordered])
    return np.sort(ordered[number % every == 0])


def _some_readings(readings: Readings, most: int) -> NDArray[np.intp]:
    """At random: some near each other, whatever the scale."""
    return np.sort(np.random.default_rng(0).permutation(len(readings))[:most])
