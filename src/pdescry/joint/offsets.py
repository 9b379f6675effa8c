"""Offsets of sensors, as evidence shows them: their sd, and what they are.

The evidence of offsets of sd s is known in closed form at a minimum: with A = OᵀK⁻¹O and b = OᵀK⁻¹r, where K is the
covariance of the readings about the law, r what they read and O which sensor each belongs to, letting s² grow by Δ adds
½ Δ bᵀ(1 + ΔA)⁻¹b − ½ log|1 + ΔA|.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdescry.data import Readings
from pdescry.joint.objective import Minimum
from pdescry.joint.splines import Array

CLEARLY = 5.0  # nats: less is no evidence of offsets
SIZES = np.geomspace(1e-4, 1, 100)  # of the offsets' sd that are tried, in units of the readings' sd


def offset_sd(found: Minimum, number: int = 0) -> float:
    """The sd of offsets that explains the readings of one experiment best; zero where nothing speaks for offsets, or a
    sensor moves."""
    readings = found.objective.experiments[number].readings
    if not at_rest(readings):
        return 0.0
    sizes = np.concatenate([[0.0], SIZES * float(np.std(readings.values[:, 0]))])
    gained = evidence(found, sizes, number)
    best = int(np.argmax(gained))
    return float(sizes[best]) if gained[best] > gained[0] + CLEARLY else 0.0


def evidence(found: Minimum, sizes: Array, number: int = 0) -> Array:
    """Log evidence of offsets of these sds, less that of those the minimum was found with."""
    information, pulls = _information(found, number)
    values, vectors = np.linalg.eigh(information)
    along = vectors.T @ pulls
    change = (sizes**2 - found.objective.experiments[number].scatter.offset_sd ** 2)[:, None]
    grown = np.maximum(1 + change * values, np.finfo(float).tiny)
    return np.sum(0.5 * change * along**2 / grown - 0.5 * np.log(grown), axis=1)


def offsets(found: Minimum, number: int = 0) -> pd.DataFrame:
    """One row a sensor of one experiment: mean and sd of its offset."""
    variance = found.objective.experiments[number].scatter.offset_sd ** 2
    information, pulls = _information(found, number)
    spread = np.maximum(variance - variance**2 * np.diag(information), 0)
    return pd.DataFrame(
        {"sensor": range(len(pulls)), "mean": variance * pulls, "sd": np.sqrt(spread)},
    )


def _information(found: Minimum, number: int) -> tuple[Array, Array]:
    """A and b."""
    _, experiment, field = found.experiments[number]
    columns = experiment.scatter.offset_columns
    seen = (columns.T @ experiment.weighed).tocsr()
    information = (columns.T @ columns).toarray() - found.factored.covariance(seen, number)
    return (information + information.T) / 2, columns.T @ experiment.misfit(field)


def at_rest(readings: Readings) -> bool:
    """Whether no sensor moves."""
    x = readings.space[:, 0]
    first = np.full(readings.n_sensors, np.nan)
    first[readings.sensor[::-1]] = x[::-1]
    return bool((x == first[readings.sensor]).all())
