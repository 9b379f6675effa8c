"""Systematic errors of sensors by empirical Bayes: their sds, and the constants of each sensor.

The evidence of constants of sd s is known in closed form at a minimum: with A = OᵀK⁻¹O and b = OᵀK⁻¹r, where K is the
covariance of the readings of a field about the law, r the readings and O the pattern of one kind of error for each
sensor, increasing s² by Δ adds ½ Δ bᵀ(1 + ΔA)⁻¹b − ½ log|1 + ΔA|.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.calibration import DELAY, DISPLACEMENT, GAIN, OFFSET, Calibration
from pdescry.joint.fit.held_out import names_of
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT


def offset_sds(found: Minimum, number: int = 0) -> Array:
    """(F,): sd of offsets in each field that has the largest evidence for one experiment; zero without clear evidence,
    or if offsets cannot be identified."""
    return most_evident(found, number, OFFSET)[0]


def most_evident(found: Minimum, number: int, kind: str) -> tuple[Array, float]:
    """For one kind of systematic error in one experiment, the sd in each field, (F,), that has the largest evidence,
    zero if that is not clear; and the evidence relative to the present sds."""
    model = found.objective.experiments[number].noise_model
    observed = model.observations
    if not observed.offsets_identifiable:
        return np.zeros(observed.n_fields), 0.0
    best, total = [], 0.0
    for field, unit in enumerate(observed.unit):
        present = model.calibration.sds[field, model.calibration.kinds.index(kind)]
        most = _largest(found, number, field, kind)
        grid = np.geomspace(*FIT.calibration.sds) * unit
        sizes = np.concatenate([[0.0, present], np.append(grid[grid < most], most if most < grid[-1] else [])])
        gained = evidence(found, sizes, number, field, kind)
        likely = int(np.argmax(gained))
        chosen = likely if gained[likely] > gained[0] + FIT.calibration.evidence else 0
        best.append(float(sizes[chosen]))
        total += float(gained[chosen] - gained[1])
    return np.array(best), total


def _largest(found: Minimum, number: int, field: int, kind: str) -> float:
    """Largest sd of one kind of errors that is considered."""
    _, experiment, _ = found.experiments[number]
    observed, calibration, options = experiment.observations, experiment.noise_model.calibration, FIT.calibration
    if kind == OFFSET:
        return np.inf
    if kind == GAIN:
        size = options.largest_gain
    elif kind == DELAY:
        steps = np.concatenate([np.diff(observed.points[own, -1]) for own in observed.of_groups])
        size = options.largest_delay * float(np.median(steps[steps > 0]))
    else:
        axis = observed.readings.axes.index(kind.removeprefix(f"{DISPLACEMENT} "))
        apart = max(observed.readings.n_sensors ** (1 / len(observed.readings.axes)) - 1, 1)
        size = options.largest_displacement * float(np.ptp(observed.readings.space[:, axis])) / apart
    return size * abs(float(calibration.scales[field, calibration.kinds.index(kind)]))


def evidence(found: Minimum, sizes: Array, number: int = 0, field: int = 0, kind: str = OFFSET) -> Array:
    """Log evidence of systematic errors of one kind with these sds in one field, relative to the sd of the minimum."""
    calibration = found.objective.experiments[number].noise_model.calibration
    information, pulls = _information(found, number, field, kind)
    values, vectors = np.linalg.eigh(information)
    values, along = np.maximum(values, 0.0), vectors.T @ pulls  # rounding makes them negative
    change = (sizes**2 - calibration.sds[field, calibration.kinds.index(kind)] ** 2)[:, None]
    grown = np.maximum(1 + change * values, np.finfo(float).tiny)
    return np.sum(0.5 * change * along**2 / grown - 0.5 * np.log(grown), axis=1)


def with_all_kinds(found: Minimum, number: int) -> Calibration:
    """The calibration of one experiment with every kind of systematic error, and the patterns of the present fields;
    new ones with sd zero."""
    _, experiment, state = found.experiments[number]
    observed, model, fields = experiment.observations, experiment.noise_model, np.arange(experiment.space.components)
    axes, space = experiment.readings.axes, experiment.space
    still = (0,) * (len(axes) + 1)
    orders = {GAIN: still} | {f"{DISPLACEMENT} {axis}": _derivative(still, k) for k, axis in enumerate(axes)}
    orders |= {DELAY: _derivative(still, len(axes))}
    kinds, patterns, scales = [OFFSET], [np.ones(len(observed))], [np.ones(len(fields))]
    for kind, order in orders.items():
        pattern = np.zeros(len(observed))
        for field in fields:
            own = np.flatnonzero(observed.field == field)
            pattern[own] = space.at(observed.points[own], int(field), order) @ state
            if kind == GAIN:
                pattern[own] -= pattern[own].mean() if len(own) else 0.0
        count = np.maximum(np.bincount(observed.field, minlength=len(fields)), 1)
        rms = np.sqrt(np.bincount(observed.field, pattern**2, minlength=len(fields)) / count)
        rms = np.where(rms > 0, rms, 1.0)
        kinds, patterns, scales = [*kinds, kind], [*patterns, pattern / rms[observed.field]], [*scales, rms]
    sds = np.zeros((len(fields), len(kinds)))
    for k, kind in enumerate(kinds):
        if kind in model.calibration.kinds:
            sds[:, k] = model.calibration.sds[:, model.calibration.kinds.index(kind)]
    signs = np.array([-1.0 if kind == DELAY else 1.0 for kind in kinds])
    return Calibration(tuple(kinds), sds, np.stack(patterns, axis=1), np.stack(scales, axis=1) * signs)


def _derivative(still: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """Orders of the first derivative along an axis."""
    return tuple(int(k == axis) for k in range(len(still)))


def constants(found: Minimum, number: int = 0, kind: str = OFFSET) -> pd.DataFrame:
    """A row for each sensor of one experiment, and for each field if there are several: mean and sd of its offset, of
    its gain relative to one, of how far it is from where it is said to be, or of how late it reads."""
    model = found.objective.experiments[number].noise_model
    readings, parts = model.observations.readings, []
    which = model.calibration.kinds.index(kind)
    for field, sd in enumerate(model.calibration.sds[:, which]):
        variance, scale = sd**2, model.calibration.scales[field, which]
        information, pulls = _information(found, number, field, kind)
        spread = np.maximum(variance - variance**2 * np.diag(information), 0)
        named = {"field": readings.fields[field]} if len(readings.fields) > 1 else {}
        sensors = {"sensor": names_of(readings, range(len(pulls)))}
        sizes = {"mean": variance * pulls / scale, "sd": np.sqrt(spread) / abs(scale)}
        parts.append(pd.DataFrame(sensors | named | sizes))
    return pd.concat(parts, ignore_index=True)


def _information(found: Minimum, number: int, field: int, kind: str) -> tuple[Array, Array]:
    """A and b."""
    _, experiment, state = found.experiments[number]
    columns = experiment.noise_model.columns(field, kind)
    seen = experiment.whitened.combined(columns)
    information = (columns.T @ columns).toarray() - found.solved.covariance(seen, number)
    # With precise readings b is inaccurate unless the fit has converged, so the remaining Gauss–Newton step is added.
    steps, _ = found.solved.step()
    return (information + information.T) / 2, columns.T @ experiment.misfit(state + steps[number])
