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
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, WhiteKernel

from pdescry.data import Readings
from pdescry.joint.held_out import inside
from pdescry.joint.splines import Array

SHORT, LONG = 1e-6, 1e6  # scales along t, in units of the duration: no memory, and no change
MOST = 500  # readings that scales are fitted to, about


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
        found[name] = _left_out(np.asarray(kernel(points)), values, readings, unit)
    return found


def _fitted(points: Array, values: Array, scale_t: float | None) -> Kernel:
    noise = WhiteKernel(0.1, (1e-8, 1e2))
    if scale_t is None:  # one number, of prior sd 1 in units of the readings'
        kernel: Kernel = ConstantKernel(1.0, "fixed") + noise
    else:
        free = scale_t not in (SHORT, LONG)
        bounds = [(1e-3, 1e2) if free else (scale_t, scale_t * (1 + 1e-9)), (1e-2, 1e2)]
        kernel = ConstantKernel(1.0, (1e-4, 1e4)) * RBF(np.array([scale_t, 0.3]), bounds) + noise  # type: ignore[arg-type]
    moments = np.unique(points[:, 0])
    # Whole moments: what differs along x belongs together.
    some = np.isin(points[:, 0], moments[:: -(-len(values) // MOST)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scales at their bounds
        process = GaussianProcessRegressor(kernel, alpha=1e-10).fit(points[some], values[some])
    return process.kernel_  # type: ignore[no-any-return]


def _left_out(covariance: Array, values: Array, readings: Readings, unit: float) -> Baseline:
    precision = np.linalg.inv(covariance + 1e-10 * np.eye(len(values)))
    pulled = precision @ values
    score, errors = 0.0, []
    for sensor in np.flatnonzero(inside(readings)):
        own = np.flatnonzero(readings.sensor == sensor)
        block = precision[np.ix_(own, own)]
        error = np.linalg.solve(block, pulled[own])
        errors.append(unit * error)
        score += 0.5 * (np.linalg.slogdet(block)[1] - error @ block @ error) - len(own) * np.log(unit)
        score -= 0.5 * len(own) * np.log(2 * np.pi)
    rms = np.sqrt(np.mean(np.concatenate(errors) ** 2)) if errors else np.nan
    return Baseline(float(score), float(rms))
