"""Each sensor predicted from the others, in closed form: how laws are compared.

With C the posterior covariance of the field at the readings of one sensor and e their misfit, both in units of the
noise, the misfit without that sensor would have been (1 − C)⁻¹ e, with covariance (1 − C)⁻¹: exact where the field is
linear in what is unknown, and to first order elsewhere.

The outermost sensors do not count in the score: beyond the others nothing is known of what comes in from outside, and
no law could predict it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.sparse import diags_array

from pdescry.joint.objective import Minimum

# Nothing is left of a reading that the others do not predict at all.
LEAST = 1e-8


def held_out(found: Minimum) -> pd.DataFrame:
    """One row a sensor: whether it lies between others, how many readings, log density of them, rms error and what it
    should be."""
    objective, readings = found.objective, found.objective.readings
    x = readings.space[:, 0]
    misfit, rows = objective.misfit(found.field), []
    for sensor in range(readings.n_sensors):
        own = np.flatnonzero(readings.sensor == sensor)
        seen = diags_array(1 / objective.noise[own]) @ objective.seen[own]
        remaining = np.eye(len(own)) - found.factored.covariance(seen)
        values, vectors = np.linalg.eigh((remaining + remaining.T) / 2)
        values = np.maximum(values, LEAST)
        along = vectors.T @ misfit[own]
        noise = objective.noise[own]
        errors = noise * (vectors @ (along / values))
        expected = noise**2 * ((vectors**2) @ (1 / values))
        density = -0.5 * np.sum(along**2 / values - np.log(values) + np.log(2 * np.pi)) - np.sum(np.log(noise))
        rows.append(
            {
                "sensor": sensor,
                "inside": bool(x.min() < x[own].min() and x[own].max() < x.max()),
                "readings": len(own),
                "log_density": float(density),
                "rms_error": float(np.sqrt(np.mean(errors**2))),
                "expected": float(np.sqrt(np.mean(expected))),
            }
        )
    return pd.DataFrame(rows)


def score(table: pd.DataFrame) -> float:
    """Log density of the sensors between others, each predicted from the rest."""
    return float(table.loc[table["inside"], "log_density"].sum())
