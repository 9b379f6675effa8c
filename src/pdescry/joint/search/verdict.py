"""Whether the readings determine a law, and if not, why: laws compared with models without a law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pdescry.joint.field.axis import Array
from pdescry.joint.field.process import Baseline
from pdescry.joint.fit.held_out import each_left_out, errors, scores_of_fields
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.search.fitted_law import FittedLaw
from pdescry.joint.search.options import SEARCH
from pdescry.notices import Notice

NO_DYNAMICS = {  # by baseline: what it implies if it predicts as well as a law
    "constant": "as-well-by-constant",
    "steady": "as-well-by-steady-profile",
    "memoryless": "as-well-by-profiles",
}
Baselines = Mapping[str, Mapping[str, Baseline]]  # by field, then by name


def reasons_against(best: FittedLaw, baselines: Baselines, before: Sequence[Array]) -> dict[str, Notice]:
    """For each field whose readings do not determine a law, the reason. before: for each experiment the noise of each
    field in fits without a law."""
    table = best.held_out
    fields = best.found.objective.operator.fields
    scores = scores_of_fields(table, fields)
    paid = best.full_penalty
    share = {field: sum(term.field == field for term in best.terms) / max(len(best.terms), 1) for field in fields}
    found = {}
    failures = best.found.relative_residual_by_equation
    for field, departure, failure in zip(fields, departures(best.found, before).max(axis=0), failures, strict=True):
        none, reason = without_dynamics(baselines[field])
        smooth = baselines[field]["smooth"]
        still = has_no_dynamics(baselines[field])
        least = SEARCH.verdict.evidence + paid * share[field]
        # Predictions of held-out sensors are linearised about the fit, so without convergence noise can be mistaken for
        # a law. Sensors may have noise of their own in a law, but not in models without one, so errors count, too.
        if scores[field] < none + least or (
            still and (not best.found.converged or gain_in_error(baselines[field], table, field) < least)
        ):
            found[field] = reason if still else Notice.of("none-explains")
        # Both criteria, because without noise densities depend more on the estimated size of errors than on the errors
        # themselves.
        elif scores[field] < smooth.score - SEARCH.verdict.evidence and misses_more(table, smooth, field):
            error, _ = errors(table, field)
            found[field] = Notice.of("misses-more-than-smoothness", error=error, smooth=smooth.rms_error)
        elif failure > SEARCH.verdict.unexplained:
            found[field] = Notice.of("field-fails-law", share=failure)
        elif departure > SEARCH.verdict.departure:
            found[field] = Notice.of("readings-depart", departure=departure)
    return found


def misses_more(table: pd.DataFrame, smooth: Baseline, field: str) -> bool:
    """Whether held-out sensors are predicted with clearly larger errors by a law than by smoothness alone."""
    return errors(table, field)[0] > SEARCH.verdict.error_ratio * smooth.rms_error


def gain_in_error(baselines: Mapping[str, Baseline], table: pd.DataFrame, field: str) -> float:
    """In nats, how much better a law predicts held-out sensors than models without dynamics, by rms errors alone, as if
    all sensors had the same noise."""
    least = min(baselines[name].rms_error for name in NO_DYNAMICS)
    return baselines["smooth"].readings * float(np.log(least / errors(table, field)[0]))


def reason_no_law_fits(baselines: Baselines) -> Notice:
    """The reason if laws were proposed, but none could be fitted with a tight tolerance: a field that hardly changes
    leaves coefficients near zero, of either sign."""
    for each in baselines.values():
        best, reason = without_dynamics(each)
        if best > each["smooth"].score - SEARCH.verdict.evidence:
            return reason
    return Notice.of("none-holds")


def without_dynamics(baselines: Mapping[str, Baseline]) -> tuple[float, Notice]:
    """Score of the best model without dynamics for a field, and a notice of the simplest one that is as good."""
    best = max(baselines[name].score for name in NO_DYNAMICS)
    codes = (code for name, code in NO_DYNAMICS.items() if baselines[name].score > best - SEARCH.verdict.evidence)
    return best, Notice.of(next(codes))


def has_no_dynamics(baselines: Mapping[str, Baseline]) -> bool:
    """Whether a field is predicted as well without dynamics as by any smooth field."""
    return baselines["smooth"].score < without_dynamics(baselines)[0] + SEARCH.verdict.evidence


def predicts_no_dynamics(soft: Sequence[FittedLaw], baselines: Baselines) -> bool:
    """Whether neither a soft law nor smoothness predicts any field better than models without dynamics: neither in
    density, nor, because the noise of soft laws is not inferred yet, in error."""
    best = max(soft, key=lambda law: law.score)
    table = best.held_out
    error, expected = errors(table)
    if error < SEARCH.verdict.noise_overestimated * expected:  # with less noise the score would be larger
        return False
    units = [each.observations.unit.max() for each in best.found.objective.experiments]
    if error < SEARCH.verdict.precise * min(units):  # due to tolerance and mesh, not to noise
        return False
    for field, each in baselines.items():
        none, _ = without_dynamics(each)
        least = min(each[name].rms_error for name in NO_DYNAMICS if each[name].score > none - SEARCH.verdict.evidence)
        if (
            errors(table, field)[0] < SEARCH.verdict.soft_error_ratio * least
            or each["smooth"].score > none + SEARCH.verdict.evidence
        ):
            return False
    return best.score < sum(without_dynamics(each)[0] for each in baselines.values()) + SEARCH.verdict.evidence


def departures(found: Minimum, before: Sequence[Array]) -> Array:
    """(experiments, F): deviation of readings from the fields that satisfy the law, in units of the readings' sd,
    beyond the noise in fits without a law; systematic errors of sensors are ignored. before: that noise, for each
    experiment."""
    rows = []
    for number, experiment, state in found.experiments:
        observed = experiment.observations
        errors = experiment.noise_model.without_systematic_errors(observed.values - experiment.seen @ state)
        number_of = np.maximum(np.bincount(observed.field, minlength=observed.n_fields), 1)
        square = np.bincount(observed.field, errors**2, minlength=observed.n_fields) / number_of
        noise = SEARCH.verdict.noise_by_chance * before[number]
        rows.append(np.sqrt(np.maximum(square - noise**2, 0)) / observed.unit)
    return np.array(rows)


def missed(law: FittedLaw, before: Sequence[Array]) -> Array:
    """(F,): error of a law at held-out sensors (rms), in units of the readings' sd, beyond the noise in fits without a
    law; systematic errors of sensors are ignored."""
    experiments = law.found.objective.experiments
    noise = SEARCH.verdict.noise_by_chance * np.sqrt(np.mean([own**2 for own in before], axis=0))
    unit = np.sqrt(np.mean([each.observations.unit**2 for each in experiments], axis=0))
    return np.sqrt(np.maximum(held_out_errors(law) ** 2 - noise**2, 0)) / unit


def held_out_errors(law: FittedLaw) -> Array:
    """(F,): rms error at held-out sensors, without their systematic errors, because no law can predict these."""
    fields = law.found.objective.operator.fields
    if not law.has_systematic_errors:
        return np.nan_to_num([errors(law.held_out, field)[0] for field in fields])
    squares, number_of = np.zeros(len(fields)), np.zeros(len(fields))
    for number, _, each in each_left_out(law.found, outermost=False):
        experiment = law.found.objective.experiments[number]
        observed, off = experiment.observations, np.zeros(len(experiment.observations))
        off[each.own] = experiment.noise_model.errors(each.own, each.errors())
        off = experiment.noise_model.without_systematic_errors(off)[each.own]
        squares += np.bincount(observed.field[each.own], off**2, minlength=len(fields))
        number_of += np.bincount(observed.field[each.own], minlength=len(fields))
    return np.sqrt(squares / np.maximum(number_of, 1))
