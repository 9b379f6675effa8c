"""Errors that sensors have in common, because something acts on all of them that the law does not contain.

Densities of sensors are added up as if their errors were independent. If they are not, n sensors tell no more than
fewer independent ones: with λ the eigenvalues of the correlation matrix of their whitened errors, at equal times, the
variance of a sum over sensors is Σλ²/n = 1 + (n − 1)·r² times as large, on average over the directions of the errors
themselves, with r² the mean square of the correlations between two of them. Of independent errors at T times, r² is 1/T
by chance, and larger if they are also correlated in time.
"""

from __future__ import annotations

import numpy as np

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT


def independent_share(found: Minimum) -> float:
    """Number of independent sensors that would tell as much as the inner ones, as a share of these; one without clear
    evidence that errors are shared. The smallest of all experiments and fields."""
    return min(
        (
            _share(errors)
            for _, experiment, state in found.experiments
            for errors in _by_sensor(experiment.misfit(state), experiment)
        ),
        default=1.0,
    )


def _share(errors: Array) -> float:
    """errors: (sensors, times)"""
    number, times = errors.shape
    if number < 2 or times < FIT.shared_errors.least_times:
        return 1.0
    sizes = np.sqrt(np.sum(errors**2, axis=1))
    errors = errors[sizes > 0] / sizes[sizes > 0, None]
    number = len(errors)
    if number < 2:
        return 1.0
    squares = (errors @ errors.T)[np.triu_indices(number, 1)] ** 2
    by_chance = _by_chance(errors)
    if squares.mean() < by_chance * (1 + FIT.shared_errors.clearly * np.sqrt(2 / len(squares))):
        return 1.0
    return float(1 / (1 + (number - 1) * (squares.mean() - by_chance)))


def _by_chance(errors: Array) -> float:
    """Mean square of the correlation of two independent sensors whose errors, (sensors, times), normalised, are
    correlated in time as these are."""
    times = errors.shape[1]
    lags = range(1, times // FIT.shared_errors.times_per_lag + 1)
    correlations = [float(np.mean(np.sum(errors[:, lag:] * errors[:, : times - lag], axis=1))) for lag in lags]
    return (1 + 2 * sum(max(each, 0.0) ** 2 for each in correlations)) / times


def _by_sensor(errors: Array, experiment: Experiment) -> list[Array]:
    """For each field, errors (sensors, times) of inner sensors at the times at which all of them were read."""
    observed, found = experiment.observations, []
    for field in range(observed.n_fields):
        rows = [
            own
            for own in observed.of_groups
            if observed.field[own[0]] == field and observed.inside[observed.sensor[own[0]]]
        ]
        if not rows:
            continue
        times = [np.unique(observed.points[own, -1]) for own in rows]
        common = times[0]
        for other in times[1:]:
            common = np.intersect1d(common, other)
        table = np.zeros((len(rows), len(common)))
        for row, own in zip(table, rows, strict=True):
            t, first = np.unique(observed.points[own, -1], return_index=True)
            row[:] = errors[own[first[np.isin(t, common)]]]
        found.append(table)
    return found
