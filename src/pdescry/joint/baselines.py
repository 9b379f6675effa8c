"""What predicts left-out sensors without any law: a law has to be better than what knows no dynamics.

Gaussian processes over (t, x), their scales fitted to the readings, with the same sensors left out in closed form:

    constant     the field is one number
    steady       any smooth profile along x that never changes
    memoryless   any smooth profile along x, a new one at each moment
    smooth       any field that is smooth in t and x

Readings that are noise are predicted as well by the first, readings shuffled in time by the second or third. The fourth
can predict as well as a law does where sensors are many: a law that it beats by far misses something.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, WhiteKernel

from pdescry.data import Readings
from pdescry.joint.held_out import inside
from pdescry.joint.splines import Array

SHORT, LONG = 1e-6, 1e6  # scales along t, in units of the duration: no memory, and no change
MOST = 500  # readings that scales are fitted to, about
LARGEST = 3000  # readings that sensors are left out of, about: all at once, in memory that grows as their square


@dataclass(frozen=True)
class Baseline:
    """Of the sensors between others, each predicted from the rest: log density of what they read, and rms error."""

    score: float
    rms_error: float


def baselines(readings: Readings) -> dict[str, Baseline]:
    """By name."""
    points = np.column_stack([readings.time, readings.space[:, 0]])
    points = (points - points.min(axis=0)) / np.ptp(points, axis=0)
    values = readings.values[:, 0]
    unit = float(np.std(values)) or 1.0
    values = (values - values.mean()) / unit
    found = {}
    for name, scale_t in (("constant", None), ("steady", LONG), ("memoryless", SHORT), ("smooth", 0.3)):
        kernel = _fitted(points, values, scale_t)
        some = _some_moments(points[:, 0], LARGEST)
        found[name] = _left_out(np.asarray(kernel(points[some])), values, readings, unit, some)
    return found


def _fitted(points: Array, values: Array, scale_t: float | None) -> Kernel:
    noise = WhiteKernel(0.1, (1e-8, 1e2))
    if scale_t is None:  # one number, of prior sd 1 in units of the readings'
        kernel: Kernel = ConstantKernel(1.0, "fixed") + noise
    else:
        free = scale_t not in (SHORT, LONG)
        bounds = [(1e-3, 1e2) if free else (scale_t, scale_t * (1 + 1e-9)), (1e-2, 1e2)]
        kernel = ConstantKernel(1.0, (1e-4, 1e4)) * RBF(np.array([scale_t, 0.3]), bounds) + noise  # type: ignore[arg-type]
    some = _some_moments(points[:, 0], MOST)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scales at their bounds
        process = GaussianProcessRegressor(kernel, alpha=1e-10).fit(points[some], values[some])
    return process.kernel_  # type: ignore[no-any-return]


def _some_moments(times: Array, most: int) -> NDArray[np.intp]:
    """Readings of evenly chosen whole moments: what differs along x belongs together."""
    return np.flatnonzero(np.isin(times, np.unique(times)[:: -(-len(times) // most)]))


def _left_out(covariance: Array, values: Array, readings: Readings, unit: float, some: NDArray[np.intp]) -> Baseline:
    """Of some of the readings; their score as if there were all."""
    precision = np.linalg.inv(covariance + 1e-10 * np.eye(len(some)))
    pulled = precision @ values[some]
    score, errors = 0.0, []
    for sensor in np.flatnonzero(inside(readings)):
        own = np.flatnonzero(readings.sensor[some] == sensor)
        block = precision[np.ix_(own, own)]
        error = np.linalg.solve(block, pulled[own])
        errors.append(unit * error)
        score += 0.5 * (np.linalg.slogdet(block)[1] - error @ block @ error) - len(own) * np.log(unit)
        score -= 0.5 * len(own) * np.log(2 * np.pi)
    rms = np.sqrt(np.mean(np.concatenate(errors) ** 2)) if errors else np.nan
    return Baseline(float(score) * len(values) / len(some), float(rms))
