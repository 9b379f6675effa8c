"""Offsets of sensors by empirical Bayes: their sd, and their values.

The evidence of offsets of sd s is known in closed form at a minimum: with A = OᵀK⁻¹O and b = OᵀK⁻¹r, where K is the
covariance of the readings of a field about the law, r the readings and O the assignment of readings to sensors,
increasing s² by Δ adds ½ Δ bᵀ(1 + ΔA)⁻¹b − ½ log|1 + ΔA|.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.held_out import names_of
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT


def offset_sds(found: Minimum, number: int = 0) -> Array:
    """(F,): sd of offsets in each field that has the largest evidence for one experiment; zero without clear evidence,
    or if offsets cannot be identified."""
    observed = found.objective.experiments[number].observations
    if not observed.offsets_identifiable:
        return np.zeros(observed.n_fields)
    best = []
    for field, unit in enumerate(observed.unit):
        sizes = np.concatenate([[0.0], np.geomspace(*FIT.offsets.sds) * unit])
        gained = evidence(found, sizes, number, field)
        most = int(np.argmax(gained))
        best.append(float(sizes[most]) if gained[most] > gained[0] + FIT.offsets.evidence else 0.0)
    return np.array(best)


def evidence(found: Minimum, sizes: Array, number: int = 0, field: int = 0) -> Array:
    """Log evidence of offsets with these sds in one field, relative to the offset sd of the minimum."""
    information, pulls = _information(found, number, field)
    values, vectors = np.linalg.eigh(information)
    values, along = np.maximum(values, 0.0), vectors.T @ pulls  # rounding makes them negative
    change = (sizes**2 - found.objective.experiments[number].noise_model.offset_sd[field] ** 2)[:, None]
    grown = np.maximum(1 + change * values, np.finfo(float).tiny)
    return np.sum(0.5 * change * along**2 / grown - 0.5 * np.log(grown), axis=1)


def offsets(found: Minimum, number: int = 0) -> pd.DataFrame:
    """A row for each sensor of one experiment, and for each field if there are several: mean and sd of its offset."""
    model = found.objective.experiments[number].noise_model
    readings, parts = model.observations.readings, []
    for field, sd in enumerate(model.offset_sd):
        variance = sd**2
        information, pulls = _information(found, number, field)
        spread = np.maximum(variance - variance**2 * np.diag(information), 0)
        named = {"field": readings.fields[field]} if len(readings.fields) > 1 else {}
        sensors = {"sensor": names_of(readings, range(len(pulls)))}
        parts.append(pd.DataFrame(sensors | named | {"mean": variance * pulls, "sd": np.sqrt(spread)}))
    return pd.concat(parts, ignore_index=True)


def _information(found: Minimum, number: int, field: int) -> tuple[Array, Array]:
    """A and b."""
    _, experiment, state = found.experiments[number]
    columns = experiment.noise_model.offset_columns(field)
    seen = experiment.whitened.combined(columns)
    information = (columns.T @ columns).toarray() - found.solved.covariance(seen, number)
    # With precise readings b is inaccurate unless the fit has converged, so the remaining Gauss–Newton step is added.
    steps, _ = found.solved.step()
    return (information + information.T) / 2, columns.T @ experiment.misfit(state + steps[number])
