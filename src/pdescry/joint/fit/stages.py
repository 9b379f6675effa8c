"""The stages of a fit: from a soft constraint on a first mesh to a tight one on a fine mesh."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pdescry.joint.field.axis import Array
from pdescry.joint.field.mesh import (
    Sizes,
    Span,
    carried,
    even_elements,
    extended_space,
    graded_space,
    halved,
    jumps_of,
    most_elements,
    refined,
    with_fewer_jumps,
)
from pdescry.joint.fit.calibrating import most_evident, with_all_kinds
from pdescry.joint.fit.calibration import OFFSET, Calibration
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.held_out import degrees_of_freedom
from pdescry.joint.fit.lasting_errors import lasting_errors
from pdescry.joint.fit.noise_model import NoiseModel, at_least
from pdescry.joint.fit.objective import Minimum, Objective
from pdescry.joint.fit.options import FIT


def soft_minimum(found: Minimum, gradually: bool, give_up_above: float = math.inf, only: int | None = None) -> Minimum:
    """A fit with the law as a soft constraint, from fields without a law. gradually: with larger tolerances first. That
    finds shocks between sensors, but shrinks the terms of other laws to nothing, so both are tried. give_up_above: as
    in `Objective.minimise`. only: constrain one equation, by its number; the tolerance of others is the whole left
    side."""
    for tolerance in (*(FIT.tolerances.gradual if gradually else ()), FIT.tolerances.stages[0]):
        objective = scaled(found, tolerance)
        if only is not None:
            loose = np.arange(len(objective.operator.fields)) != only
            experiments = [
                replace(each, tolerance=np.where(loose, each.tolerance / tolerance, each.tolerance))
                for each in objective.experiments
            ]
            objective = replace(objective, experiments=tuple(experiments))
        found = objective.minimise(found.states, found.coefficients, FIT.steps.per_tolerance, give_up_above)
        if found.given_up:  # a smaller tolerance would only raise the value
            break
    return found


def with_larger_noise(found: Minimum) -> Minimum:
    """A soft law that is inconsistent with the readings, with a larger noise level: first the fields satisfy the law
    and may be far from the readings, then noise and offsets are inferred from the difference."""
    found = _with_noise_model(found, lambda number, each: each.noise_model.with_noise(_very_noisy(each)))
    tolerance, steps = FIT.tolerances.stages[0], FIT.steps.per_tolerance
    for _ in range(1 + FIT.noise.rounds):
        found = scaled(found, tolerance).minimise(found.states, found.coefficients, steps)
        found = with_offsets(with_noise(found))
    return scaled(found, tolerance).minimise(found.states, found.coefficients, steps)


def _very_noisy(experiment: Experiment) -> Array:
    """(M,)"""
    observed = experiment.observations
    return np.maximum(experiment.noise_model.noise, FIT.noise.very_noisy * observed.unit[observed.field])


def tightened(found: Minimum) -> Minimum:
    """Decrease the tolerance in stages, and infer the noise from the misfit; roughness is then determined by the law
    alone."""
    found = _with_jumps_of_law(found)
    found = found.with_experiments([replace(each, roughness=None) for _, each, _ in found.experiments])
    if on_a_line := len(found.objective.operator.axes) == 1:
        found = _on_resolving_mesh(found, FIT.tolerances.stages[0])
    for tolerance in FIT.tolerances.stages[1:]:
        found = scaled(found, tolerance).minimise(found.states, found.coefficients, FIT.steps.per_tolerance)
        # In the plane, the residual of a soft law is noise of the fields, not an error of the mesh.
        if not on_a_line and tolerance != FIT.tolerances.stages[-1]:
            found = _on_resolving_mesh(found, tolerance)
    found = with_sensor_errors(_with_adequate_tolerance(found))
    return found.objective.minimise(found.states, found.coefficients, FIT.steps.per_tolerance)


def _on_resolving_mesh(found: Minimum, tolerance: float) -> Minimum:
    """Refine the mesh if the residual is large: with a tight tolerance, coefficients would compensate for a coarse
    mesh."""
    for _ in range(FIT.refinement.rounds):
        if found.relative_residual < FIT.refinement.coarse_residual:
            break
        finer = _on_refined_mesh(found, tolerance, last=False)
        if finer is found or finer.relative_residual > FIT.refinement.least_improvement * found.relative_residual:
            break
        found = finer
    return found


def refined_and_finished(found: Minimum, report_progress: Callable[[float], None] = lambda fraction: None) -> Minimum:
    """Refine the mesh until the residual is small, and infer the noise from the misfit."""
    on_a_line = len(found.objective.operator.axes) == 1
    enough = FIT.refinement.residual_on_a_line if on_a_line else FIT.refinement.residual_in_the_plane
    for number in range(FIT.refinement.rounds):
        report_progress(number / (FIT.refinement.rounds + 1))
        before, found = found, _on_refined_mesh(found, FIT.tolerances.stages[-1])
        if found.relative_residual < enough or _sizes(found) == _sizes(before):
            break
    report_progress(FIT.refinement.rounds / (FIT.refinement.rounds + 1))
    return finished(found)


def finished(found: Minimum) -> Minimum:
    """Fit to convergence on the present mesh, with the noise inferred from the misfit."""
    found = with_sensor_errors(_with_adequate_tolerance(found))
    return found.objective.minimise(found.states, found.coefficients, FIT.steps.last)


def _with_adequate_tolerance(found: Minimum) -> Minimum:
    """Where the residual costs much, equation by equation: either the fields follow the noise as far as the tolerance
    lets them, or the mesh is too coarse for the law. A smaller tolerance lowers the cost in the first case, and is
    kept; in the second, the coefficients would be biased to satisfy the law, so that it is softened until the residual
    costs little."""
    most = FIT.tolerances.residual_cost * found.records
    coarse = found.relative_residual_by_equation > FIT.tolerances.largest_residual_hardened
    hardened = np.zeros_like(coarse)
    for _ in range(FIT.tolerances.hardenings):
        costly = (found.residual_cost_by_equation > most) & ~coarse
        if not costly.any():
            break
        harder = _with_tolerances(found, np.where(costly, FIT.tolerances.harder, 1.0))
        harder = harder.objective.minimise(harder.states, harder.coefficients, FIT.steps.per_tolerance)
        rose = costly & (harder.residual_cost_by_equation >= found.residual_cost_by_equation)
        coarse = coarse | rose
        if not rose.any():
            found, hardened = harder, hardened | costly
    softer = np.sqrt(np.maximum(found.residual_cost_by_equation / most, 1.0))
    softer = np.where(hardened, 1.0, softer)
    return found if np.all(softer == 1) else _with_tolerances(found, softer)


def _with_tolerances(found: Minimum, factors: Array) -> Minimum:
    """factors: (equations,)"""
    return found.with_experiments(
        [replace(each, tolerance=each.tolerance * factors) for _, each, _ in found.experiments]
    )


def closer_to_law(found: Minimum) -> Minimum:
    """With a smaller tolerance, as far as the mesh allows, for fields from which the law is solved forward: the solver
    satisfies the law exactly, and propagates errors of the initial state and the boundary."""
    before = [noise_factors(found, number) for number, _, _ in found.experiments]
    for share in FIT.tolerances.forward:
        experiments = [replace(each, tolerance=share * each.tolerance) for each in found.objective.experiments]
        tight = found.with_experiments(experiments)
        tight = tight.objective.minimise(tight.states, tight.coefficients, FIT.steps.last)
        after = [noise_factors(tight, number) for number, _, _ in tight.experiments]
        ratio = FIT.tolerances.forward_noise_ratio
        if all(np.all(late < ratio * early) for late, early in zip(after, before, strict=True)):
            tight = with_noise(tight)
            return tight.objective.minimise(tight.states, tight.coefficients, FIT.steps.last)
    return found


def extended(found: Minimum, domains: Sequence[Sequence[Span]]) -> Minimum:
    """Extend each field to its domain, by the law; starting with a soft constraint, because the initial field is
    extrapolated."""
    experiments, states = [], []
    for (_, experiment, state), domain in zip(found.experiments, domains, strict=True):
        if any(span != axis.span for span, axis in zip(domain, experiment.space.places, strict=True)):
            space = extended_space(experiment.space, domain)
            state = carried(state, experiment.space, space)
            experiment = replace(experiment, space=space)
        experiments, states = [*experiments, experiment], [*states, state]
    if tuple(experiments) == found.objective.experiments:
        return found
    found = found.with_experiments(experiments, states)
    numbers = FIT.steps.per_tolerance, FIT.steps.per_tolerance, FIT.steps.last
    for tolerance, steps in zip(FIT.tolerances.stages, numbers, strict=True):
        found = scaled(found, tolerance).minimise(found.states, found.coefficients, steps)
    return found


def scaled(found: Minimum, tolerance: float) -> Objective:
    """Set the tolerance and the prior relative to the left sides and terms of each state."""

    def rates(experiment: Experiment, state: Array) -> Array:
        operator = found.objective.operator
        found_rates = np.sqrt(experiment.space.mean_square(experiment.lefts(state, operator)))
        # Lower bound, for a field that is constant up to rounding.
        least = experiment.observations.unit / experiment.space.time.width ** np.array(operator.orders)
        return np.maximum(found_rates, FIT.tolerances.negligible_rate * least)

    experiments = [
        replace(each, tolerance=tolerance / np.sqrt(each.records) * rates(each, own))
        for _, each, own in found.experiments
    ]
    return replace(with_broad_prior(found), experiments=tuple(experiments))


def with_broad_prior(found: Minimum) -> Objective:
    """Set the prior of the coefficients relative to the left sides and terms of the states."""
    objective = found.objective
    # For powers of coordinates about the middle, so that the prior does not depend on the origin.
    lefts, columns = zip(*objective.columns(found.states, about_middle=True), strict=True)
    size = np.sqrt(found.mean_square(lefts))[objective.operator.equation_of]
    sizes = np.sqrt(found.mean_square(columns))
    sizes = np.where(sizes > 0, sizes, np.where(size > 0, size, 1.0))
    prior_sd = FIT.prior.coefficient * np.where(size > 0, size, 1.0) / sizes
    for place, term in enumerate(objective.terms):
        if term in objective.given:
            prior_sd[place] = objective.given[term].sd
    return replace(objective, prior_sd=prior_sd)


def with_terms(found: Minimum, operator_terms: tuple, coefficients: Array) -> Objective:
    """The same readings, mesh, noise and tolerance, for other terms."""
    objective = replace(found.objective, operator=replace(found.objective.operator, terms=operator_terms))
    return with_broad_prior(replace(found, objective=objective, coefficients=coefficients))


def _with_jumps_of_law(found: Minimum) -> Minimum:
    """Meshes with knots only for jumps of inputs that are in the law: other knots add needless degrees of freedom."""
    names = {name for each in found.terms for name in each.term.fields}
    experiments, states = [], []
    for _, experiment, state in found.experiments:
        space = with_fewer_jumps(experiment.space, jumps_of(experiment.readings, names))
        experiments.append(replace(experiment, space=space))
        states.append(state if space is experiment.space else carried(state, experiment.space, space))
    return found.with_experiments(experiments, states)


def _on_refined_mesh(found: Minimum, tolerance: float, last: bool = True) -> Minimum:
    """A fit on meshes adapted to the fields, refined along the axes that need it. last: as in `refined`."""
    experiments, states = [], []
    for number, experiment, state in found.experiments:
        before = _sizes(found)[number]
        size = refined(before, _coarse_axes(found, number), most_elements(experiment.readings), last)
        if not last and size == before and len(found.states) == 1 and len(size) > 2:
            return found
        space = graded_space(experiment.space, state, size)
        experiments.append(replace(experiment, space=space))
        states.append(carried(state, experiment.space, space))
    moved = found.with_experiments(experiments, states)
    return scaled(moved, tolerance).minimise(moved.states, found.coefficients, FIT.steps.on_finer_mesh)


def _sizes(found: Minimum) -> list[Sizes]:
    spaces = [each.space for each in found.objective.experiments]
    return [(*(axis.n for axis in space.places), even_elements(space)) for space in spaces]


def _coarse_axes(found: Minimum, number: int) -> list[int]:
    """Axes along which half as many elements would contribute most of the residual."""
    _, experiment, state = found.experiments[number]
    operator, coefficients = found.objective.operator, found.coefficients
    rates = experiment.space.mean_square(experiment.lefts(state, operator))
    now, costs = experiment.residuals(state, operator, coefficients), []
    for axis in range(len(experiment.space.axes)):
        coarse = carried(state, experiment.space, halved(experiment.space, axis))
        back = carried(coarse, halved(experiment.space, axis), experiment.space)
        change = experiment.residuals(back, operator, coefficients) - now
        costs.append(np.max(experiment.space.tested(change) / np.where(rates > 0, rates, 1.0)))
    least = FIT.refinement.shared_error * np.sqrt(max(costs))
    return [axis for axis, cost in enumerate(costs) if np.sqrt(cost) >= least]


# ---- errors of sensors -----------------------------------------------------------------------------------------------


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
        without = with_offsets(with_noise(_with_noise_model(found, _with_offsets_alone)))
    found = with_offsets(_with_noise_alone(_with_kinds(known)))
    for _ in range(max(len(each.noise_model.calibration.kinds) for _, each, _ in found.experiments)):
        before, found = found, _with_most_evident_kind(found)
        if found is before:
            break
        found = _with_noise_alone(found)
    found = with_noise(found)
    for kind in {kind: None for _, each, _ in found.experiments for kind in each.noise_model.calibration.kinds}:
        found = _with_kind(found, kind)
    calibrated = with_noise(_with_noise_model(found, _with_evident_kinds))

    def likelier(number: int, experiment: Experiment) -> NoiseModel:
        model, other, state = experiment.noise_model, without.experiments[number][1].noise_model, found.states[number]
        kinds = len(model.calibration.kinds) - 1
        errors = experiment.observations.values - experiment.seen @ state
        gained = model.log_likelihood(errors) - other.log_likelihood(errors)
        return model if gained > FIT.calibration.evidence * kinds else other

    return _with_noise_model(calibrated, likelier)


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

    return _with_noise_model(found, model_of)


def _with_evident_kinds(number: int, experiment: Experiment) -> NoiseModel:
    return experiment.noise_model.with_calibration(experiment.noise_model.calibration.evident)


def _with_noise_alone(found: Minimum) -> Minimum:
    """Infer the noise, if it were independent, where there may be systematic errors."""
    independent = _with_noise_model(
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

    changed = _with_noise_model(found, model_of)
    pairs = zip(found.experiments, changed.experiments, strict=True)
    return found if all(one.noise_model is other.noise_model for (_, one, _), (_, other, _) in pairs) else changed


def _with_kind(found: Minimum, kind: str) -> Minimum:
    """With the sd of one kind of systematic errors that has most evidence."""

    def model_of(number: int, experiment: Experiment) -> NoiseModel:
        model = experiment.noise_model
        if kind not in model.calibration.kinds:
            return model
        return model.with_calibration(model.calibration.with_sd(kind, most_evident(found, number, kind)[0]))

    return _with_noise_model(found, model_of)


def with_noise(found: Minimum) -> Minimum:
    """Infer the noise from the misfit, and its correlation, except for readings with noise of their own."""

    def lasting(number: int, experiment: Experiment) -> NoiseModel:
        return experiment.noise_model.with_lasting(lasting_errors(found, number))

    return _with_size_of_noise(_with_noise_model(found, lasting))


def _with_size_of_noise(found: Minimum) -> Minimum:
    def model_of(number: int, experiment: Experiment) -> NoiseModel:
        if experiment.readings.noise is not None:
            return experiment.noise_model
        observed = experiment.observations
        noise = experiment.noise_model.noise * noise_factors(found, number)[observed.group]
        return experiment.noise_model.with_noise(at_least(noise, observed))

    return _with_noise_model(found, model_of)


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


def _with_noise_model(found: Minimum, model_of: Callable[[int, Experiment], NoiseModel]) -> Minimum:
    return found.with_experiments(
        [replace(each, noise_model=model_of(number, each)) for number, each, _ in found.experiments]
    )
