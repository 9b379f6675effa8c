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
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.objective import Minimum, Objective
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.sensor_errors import (
    noise_factors,
    with_noise,
    with_noise_models,
    with_offsets,
    with_sensor_errors,
)


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
    found = with_noise_models(found, lambda number, each: each.noise_model.with_noise(_very_noisy(each)))
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
