"""How near a field is to the true one, and whether its intervals contain it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pdescry.errors import InputError
from pdescry.solver import Solution
from pdescry.surrogate import Posterior

POINTS = 1000  # as in the paper


def rmse(found: ArrayLike, truth: ArrayLike) -> float:
    """Root of the mean square of the difference.

    >>> rmse([1.0, 2.0], [1.0, 4.0]) ** 2
    2.0000000000000004
    """
    found, truth = _alike(found, truth)
    return float(np.sqrt(np.mean((found - truth) ** 2)))


def coverage(low: ArrayLike, high: ArrayLike, truth: ArrayLike) -> float:
    """The fraction of true values within their intervals.

    >>> coverage([0, 0], [1, 1], [0.5, 2])
    0.5
    """
    (low, truth), (high, _) = _alike(low, truth), _alike(high, truth)
    return float(np.mean((low <= truth) & (truth <= high)))


@dataclass(frozen=True)
class FieldScore:
    """RMSE over random points of the whole domain, and of those between the outermost sensors; likewise coverage of
    95 % intervals."""

    rmse: float
    rmse_inside: float
    coverage: float
    coverage_inside: float


def score_field(posterior: Posterior, truth: Solution, seed: int = 0) -> FieldScore:
    """The posterior mean of the first field against the true one at 1,000 random points of its domain."""
    readings = posterior.readings
    if len(readings.axes) != 1:
        raise InputError(f"Expected readings along one space axis; got {', '.join(readings.axes)}.")
    random = np.random.default_rng([seed, 7])
    t, x = random.uniform(0, truth.until, POINTS), random.uniform(*truth.domain, POINTS)
    name = readings.fields[0]
    found, true = posterior.predict(t, x, grid=False), truth.at(t, x, of=name)
    mean, low, high = (found[name + ending].values for ending in ("", "_low", "_high"))
    inside = (x >= readings.space.min()) & (x <= readings.space.max())
    return FieldScore(
        rmse(mean, true),
        rmse(mean[inside], true[inside]),
        coverage(low, high, true),
        coverage(low[inside], high[inside], true[inside]),
    )


def _alike(found: ArrayLike, truth: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    found, truth = np.asarray(found, float), np.asarray(truth, float)
    if found.shape != truth.shape or not found.size:
        raise InputError(f"Expected as many values as true ones; got {found.shape} and {truth.shape}.")
    return found, truth
