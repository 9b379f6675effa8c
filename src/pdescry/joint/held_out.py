"""Each sensor predicted from the others, in closed form: how laws are compared.

With C the posterior covariance of the field at the readings of one sensor and e their misfit, both in units of
their scatter, the misfit without that sensor would have been (1 − C)⁻¹ e, with covariance (1 − C)⁻¹: exact where the
field is linear in what is unknown, and to first order elsewhere.

The outermost sensors do not count in the score: beyond the others nothing is known of what comes in from outside, and
no law could predict it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import get_lapack_funcs, solve_triangular

from pdescry.data import Readings
from pdescry.joint.objective import Minimum
from pdescry.joint.splines import Array

# Nothing is left of a reading that the others do not predict at all.
LEAST = 1e-8
(_cholesky,) = get_lapack_funcs(("potrf",), dtype=np.float64)


def held_out(found: Minimum) -> pd.DataFrame:
    """One row a sensor: whether it lies between others, how many readings, log density of them, rms error and what it
    should be; and the number of its experiment where there are several."""
    rows = []
    for number, experiment, field in found.experiments:
        between, misfit, scatter = inside(experiment.readings), experiment.misfit(field), experiment.scatter
        for sensor, name in enumerate(names_of(experiment.readings, range(experiment.readings.n_sensors))):
            own = scatter.of(sensor)
            remaining = np.eye(len(own)) - found.factored.covariance(experiment.weighed[own], number)
            values, vectors = np.linalg.eigh((remaining + remaining.T) / 2)
            values = np.maximum(values, LEAST)
            along = vectors.T @ misfit[own]
            errors = scatter.errors(sensor, vectors @ (along / values))
            expected = np.sum(scatter.errors(sensor, vectors / np.sqrt(values)) ** 2, axis=1)
            density = log_density(remaining, misfit[own]) - scatter.log_scale(sensor)
            row = {"experiment": number} if len(found.fields) > 1 else {}
            rows.append(
                row
                | {
                    "sensor": name,
                    "inside": bool(between[sensor]),
                    "readings": len(own),
                    "log_density": float(density),
                    "rms_error": float(np.sqrt(np.mean(errors**2))),
                    "expected": float(np.sqrt(np.mean(expected))),
                }
            )
    return pd.DataFrame(rows)


def names_of(readings: Readings, sensors: Iterable[int]) -> list[int | str]:
    names = readings.sensor_names
    return list(sensors) if names is None else [names[sensor] for sensor in sensors]


def log_density(remaining: Array, misfit: Array) -> float:
    """Of what a left-out sensor reads, in units of the scatter: 1 − C, and the misfit of the field that knows it."""
    try:
        root, info = _cholesky(remaining, lower=1)
        if info != 0:
            raise np.linalg.LinAlgError
        along, log_determinant = solve_triangular(root, misfit, lower=True, check_finite=False), np.log(np.diag(root))
        square, half_log = float(along @ along), float(np.sum(log_determinant))
    except np.linalg.LinAlgError:  # nothing is left of it: so little that rounding shows
        values, vectors = np.linalg.eigh((remaining + remaining.T) / 2)
        values = np.maximum(values, LEAST)
        square, half_log = float(np.sum((vectors.T @ misfit) ** 2 / values)), 0.5 * float(np.sum(np.log(values)))
    return -0.5 * square + half_log - 0.5 * len(misfit) * float(np.log(2 * np.pi))


def inside(readings: Readings) -> NDArray[np.bool_]:
    """(sensors,): whether each lies between others."""
    x = readings.space[:, 0]
    own = [x[readings.sensor == sensor] for sensor in range(readings.n_sensors)]
    return np.array([x.min() < each.min() and each.max() < x.max() for each in own])


def score(table: pd.DataFrame) -> float:
    """Log density of the sensors between others, each predicted from the rest."""
    return float(table.loc[table["inside"], "log_density"].sum())


def errors(table: pd.DataFrame) -> tuple[float, float]:
    """Of the sensors between others, each predicted from the rest: rms error, and what it should be."""
    between: Any = table[table["inside"]]
    if not len(between):
        return math.nan, math.nan
    rms, expected = (
        float(np.sqrt(np.average(between[name].to_numpy(float) ** 2, weights=between["readings"].to_numpy(float))))
        for name in ("rms_error", "expected")
    )
    return rms, expected
