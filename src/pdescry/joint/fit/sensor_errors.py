"""Errors of sensors, inferred from the misfit about a law: noise, its correlation in time, and systematic errors.

What is kept is in ``noise_model.py``; how likely correlated and systematic errors are is in ``lasting_errors.py`` and
``systematic_errors.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.calibration import OFFSET, Calibration
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.held_out import degrees_of_freedom
from pdescry.joint.fit.lasting_errors import lasting_errors
from pdescry.joint.fit.noise_model import NoiseModel, at_least
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.systematic_errors import most_evident, with_all_kinds


def with_sensor_errors(found: Minimum) -> Minimum:
    """Infer the errors of sensors from the misfit: noise, its correlation, and systematic errors.

    Offsets are always considered; other kinds only where errors are correlated in time, which they cause. Because
    correlated noise could take their place, they are inferred with independent noise first, one kind after another;
    then what is left of the correlation; and then those that it makes unnecessary are dropped. The result has to be
    clearly more likely than correlated noise and offsets alone.
    """
    known = with_offsets(with_noise(found))
    if not any(_may_err_systematically(each) for _, each, _ in known.experiments):
        return known
    without = known
    if any(len(each.noise_model.calibration.kinds) > 1 for _, each, _ in found.experiments):
        without = with_offsets(with_noise(with_noise_models(found, _with_offsets_alone)))
    found = with_offsets(_with_noise_alone(_with_kinds(known)))
    for _ in range(max(len(each.noise_model.calibration.kinds) for _, each, _ in found.experiments)):
        before, found = found, _with_most_evident_kind(found)
        if found is before:
            break
        found = _with_noise_alone(found)
    found = with_noise(found)
    for kind in {kind: None for _, each, _ in found.experiments for kind in each.noise_model.calibration.kinds}:
        found = _with_kind(found, kind)
    calibrated = with_noise(with_noise_models(found, _with_evident_kinds))

    def likelier(number: int, experiment: Experiment) -> NoiseModel:
        model, other, state = experiment.noise_model, without.experiments[number][1].noise_model, found.states[number]
        kinds = len(model.calibration.kinds) - 1
        errors = experiment.observations.values - experiment.seen @ state
        gained = model.log_likelihood(errors) - other.log_likelihood(errors)
        return model if gained > FIT.calibration.evidence * kinds else other

    return with_noise_models(calibrated, likelier)


def _with_offsets_alone(number: int, experiment: Experiment) -> NoiseModel:
    model = experiment.noise_model
    return model.with_calibration(Calibration.of_offsets(model.offset_sd, len(model.noise)))


def _may_err_systematically(experiment: Experiment) -> bool:
    model = experiment.noise_model
    return experiment.observations.offsets_identifiable and bool(
        model.lasting.any() or model.calibration.sds[:, 1:].any()
    )


def _with_kinds(found: Minimum) -> Minimum:
    """With every kind of systematic error, where they may be."""

    def model_of(number: int, experiment: Experiment) -> NoiseModel:
        may = _may_err_systematically(experiment)
        model = experiment.noise_model
        return model.with_calibration(with_all_kinds(found, number)) if may else model

    return with_noise_models(found, model_of)


def _with_evident_kinds(number: int, experiment: Experiment) -> NoiseModel:
    return experiment.noise_model.with_calibration(experiment.noise_model.calibration.evident)


def _with_noise_alone(found: Minimum) -> Minimum:
    """Infer the noise, if it were independent, where there may be systematic errors."""
    independent = with_noise_models(
        found,
        lambda number, each: (
            each.noise_model.with_lasting(np.zeros_like(each.noise_model.lasting))
            if _may_err_systematically(each)
            else each.noise_model
        ),
    )
    return _with_size_of_noise(independent)


def _with_most_evident_kind(found: Minimum) -> Minimum:
    """In each experiment, with the sd of the kind of systematic errors whose change has most evidence; the same if that
    is not clear."""

    def model_of(number: int, experiment: Experiment) -> NoiseModel:
        model = experiment.noise_model
        tried = [(kind, *most_evident(found, number, kind)) for kind in model.calibration.kinds]
        kind, sd, gained = max(tried, key=lambda each: each[2])
        if gained < FIT.calibration.evidence:
            return model
        return model.with_calibration(model.calibration.with_sd(kind, sd))

    changed = with_noise_models(found, model_of)
    pairs = zip(found.experiments, changed.experiments, strict=True)
    return found if all(one.noise_model is other.noise_model for (_, one, _), (_, other, _) in pairs) else changed


def _with_kind(found: Minimum, kind: str) -> Minimum:
    """With the sd of one kind of systematic errors that has most evidence."""

    def model_of(number: int, experiment: Experiment) -> NoiseModel:
        model = experiment.noise_model
        if kind not in model.calibration.kinds:
            return model
        return model.with_calibration(model.calibration.with_sd(kind, most_evident(found, number, kind)[0]))

    return with_noise_models(found, model_of)


def with_noise(found: Minimum) -> Minimum:
    """Infer the noise from the misfit, and its correlation, except for readings with noise of their own."""

    def lasting(number: int, experiment: Experiment) -> NoiseModel:
        return experiment.noise_model.with_lasting(lasting_errors(found, number))

    return _with_size_of_noise(with_noise_models(found, lasting))


def _with_size_of_noise(found: Minimum) -> Minimum:
    def model_of(number: int, experiment: Experiment) -> NoiseModel:
        if experiment.readings.noise is not None:
            return experiment.noise_model
        observed = experiment.observations
        noise = experiment.noise_model.noise * noise_factors(found, number)[observed.group]
        return experiment.noise_model.with_noise(at_least(noise, observed))

    return with_noise_models(found, model_of)


def noise_factors(found: Minimum, number: int) -> Array:
    """(groups,): ratio of the noise shown by the misfit of one experiment to the assumed one; the same for all sensors
    of a field, unless they clearly differ."""
    _, experiment, state = found.experiments[number]
    observed = experiment.observations
    counts = np.bincount(observed.group, minlength=observed.n_groups)
    squares = np.bincount(observed.group, experiment.misfit(state) ** 2, minlength=observed.n_groups)
    free = counts - degrees_of_freedom(found, number)  # residual degrees of freedom
    factors = np.ones(observed.n_groups)
    for field in range(observed.n_fields):
        mine = np.arange(field, observed.n_groups, observed.n_fields)
        total = counts[mine].sum()
        common = squares[mine].sum() / max(free[mine].sum(), total / 10, 1)
        factors[mine] = np.sqrt(common)
        judged = mine[free[mine] > FIT.noise.judged * np.maximum(counts[mine], 1)]
        if not common > 0 or len(judged) < 2:
            continue
        each = np.maximum(squares[judged] / free[judged], FIT.noise.least_variance * common)
        gained = 0.5 * float(np.sum(free[judged] * (np.log(common) - np.log(each) + 1 - each / common)))
        if gained > 0.5 * len(judged) * np.log(max(total, 1)) + FIT.noise.evidence_of_difference:
            factors[judged] = np.sqrt(each)
    return factors


def with_offsets(found: Minimum) -> Minimum:
    """Infer the offsets of sensors from the misfit."""
    return _with_kind(found, OFFSET)


def with_noise_models(found: Minimum, model_of: Callable[[int, Experiment], NoiseModel]) -> Minimum:
    return found.with_experiments(
        [replace(each, noise_model=model_of(number, each)) for number, each, _ in found.experiments]
    )
