"""Leave-one-sensor-out in closed form: how laws are compared.

With C the posterior covariance of the fields at what one sensor has read and e the misfit there, both whitened, the
misfit without that sensor would have been (1 − C)⁻¹ e, with covariance (1 − C)⁻¹: exact where the field is linear in
what is unknown, and to first order elsewhere. A sensor that reads several fields is left out with all of them.

The outermost sensors do not count in the score: beyond the others nothing is known of what comes in from outside, and
no law could predict it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import get_lapack_funcs, solve_triangular

from pdescry.data import Readings
from pdescry.joint.field.axis import Array
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.observations import Numbers

# Nothing is left of a reading that the others do not predict at all.
LEAST = 1e-8
(_cholesky,) = get_lapack_funcs(("potrf",), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """A sensor of an experiment, its observations, and 1 − C and e of these."""

    experiment: int
    sensor: int
    inside: bool
    own: Numbers
    remaining: Array
    misfit: Array


def each_left_out(found: Minimum, outermost: bool = True) -> Iterator[LeftOut]:
    """Sensor by sensor; without the outermost ones if so asked."""
    for number, experiment, state in found.experiments:
        observed, misfit = experiment.observations, experiment.misfit(state)
        for sensor, own in enumerate(observed.of_sensors):
            inside = bool(observed.inside[sensor])
            if len(own) and (inside or outermost):
                remaining = np.eye(len(own)) - found.solved.covariance(experiment.whitened[own], number)
                yield LeftOut(number, sensor, inside, own, remaining, misfit[own])


def held_out(found: Minimum) -> pd.DataFrame:
    """A row for each sensor and each field that it reads: whether it lies between others, how many readings, log
    density of them, rms error and what it should be; with the number of its experiment where there are several.

    The log density is of that field alone; of several fields that a sensor reads they need not add up to its own.
    """
    rows = []
    for each in each_left_out(found):
        experiment = found.objective.experiments[each.experiment]
        observed, model = experiment.observations, experiment.noise_model
        values, vectors = np.linalg.eigh((each.remaining + each.remaining.T) / 2)
        values = np.maximum(values, LEAST)
        errors = model.errors(each.own, vectors @ ((vectors.T @ each.misfit) / values))
        expected = np.sum(model.errors(each.own, vectors / np.sqrt(values)) ** 2, axis=1)
        names = experiment.readings.fields
        fields = observed.field[each.own]
        (name,) = names_of(experiment.readings, [each.sensor])
        for k in np.unique(fields):
            mine = np.flatnonzero(fields == k)
            covariance = (vectors[mine] / values) @ vectors[mine].T  # whitened, of the left-out errors
            density = _log_normal(covariance, vectors[mine] @ ((vectors.T @ each.misfit) / values))
            density -= model.log_scale(each.own[mine])
            rows.append(
                ({"experiment": each.experiment} if len(found.states) > 1 else {})
                | {"sensor": name}
                | ({"field": names[k]} if len(names) > 1 else {})
                | {
                    "inside": each.inside,
                    "readings": len(mine),
                    "log_density": float(density),
                    "rms_error": float(np.sqrt(np.mean(errors[mine] ** 2))),
                    "expected": float(np.sqrt(np.mean(expected[mine]))),
                }
            )
    return pd.DataFrame(rows)


def score(found: Minimum) -> float:
    """Expected log predictive density of the sensors between others, each left out with all that it reads."""
    total = 0.0
    for each in each_left_out(found, outermost=False):
        model = found.objective.experiments[each.experiment].noise_model
        total += log_density(each.remaining, each.misfit) - model.log_scale(each.own)
    return total


def freedoms(found: Minimum, number: int) -> Array:
    """(F,): of one experiment, how many of each field's readings the state follows, the coefficients being known."""
    experiment, factor = found.objective.experiments[number], found.solved.states[number].factor
    observed = experiment.observations
    leverage = factor.variances(experiment.whitened)
    return np.bincount(observed.field, leverage, minlength=observed.n_fields).astype(float)


def names_of(readings: Readings, sensors: Iterable[int]) -> list[int | str]:
    names = readings.sensor_names
    return list(sensors) if names is None else [names[sensor] for sensor in sensors]


def log_density(remaining: Array, misfit: Array) -> float:
    """Of what a left-out sensor reads, whitened: 1 − C, and the misfit of the field that knows it."""
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


def _log_normal(covariance: Array, errors: Array) -> float:
    """Log density of errors of this covariance."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    values = np.maximum(values, np.finfo(float).tiny)
    square = float(np.sum((vectors.T @ errors) ** 2 / values))
    return -0.5 * (square + float(np.sum(np.log(values))) + len(errors) * math.log(2 * math.pi))


def scores_of_fields(table: pd.DataFrame, fields: tuple[str, ...]) -> dict[str, float]:
    """Of each field alone, the log density of the sensors between others."""
    between: Any = table[table["inside"]]
    if len(fields) == 1:
        return {fields[0]: float(between["log_density"].sum())}
    return {name: float(between.loc[between["field"] == name, "log_density"].sum()) for name in fields}


def errors(table: pd.DataFrame, field: str | None = None) -> tuple[float, float]:
    """Of the sensors between others, each predicted from the rest: rms error, and what it should be; of one field
    where there are several."""
    between: Any = table[table["inside"]]
    if field is not None and "field" in table:
        between = between[between["field"] == field]
    if not len(between):
        return math.nan, math.nan
    rms, expected = (
        float(np.sqrt(np.average(between[name].to_numpy(float) ** 2, weights=between["readings"].to_numpy(float))))
        for name in ("rms_error", "expected")
    )
    return rms, expected
