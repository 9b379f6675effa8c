"""The stages of a fit: from a soft law on a first mesh to one that is met on a fine one."""

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
from pdescry.joint.fit.held_out import freedoms
from pdescry.joint.fit.lasting_errors import lasting_errors
from pdescry.joint.fit.noise_model import NoiseModel, at_least
from pdescry.joint.fit.objective import Minimum, Objective
from pdescry.joint.fit.offsets import offset_sds
from pdescry.joint.fit.options import FIT


def softly(found: Minimum, gradually: bool, hopeless: float = math.inf, only: int | None = None) -> Minimum:
    """A soft law, from fields that obey none; gradually: softer still at first. That leads into shocks between sensors,
    but weakens other laws until nothing is left of them: both are tried. hopeless: as in `Objective.minimise`. only: of
    one equation, by its number; others may fail by all of their left sides."""
    for tolerance in (*(FIT.tolerances.gradual if gradually else ()), FIT.tolerances.stages[0]):
        objective = scaled(found, tolerance)
        if only is not None:
            loose = np.arange(len(objective.operator.fields)) != only
            experiments = [
                replace(each, tolerance=np.where(loose, each.tolerance / tolerance, each.tolerance))
                for each in objective.experiments
            ]
            objective = replace(objective, experiments=tuple(experiments))
        last = tolerance == FIT.tolerances.stages[0]
        bound = hopeless if last else math.inf
        found = objective.minimise(found.states, found.coefficients, FIT.steps.per_tolerance, bound)
    return found


def as_noisy_as_needed(found: Minimum) -> Minimum:
    """A soft law that readings contradict, with errors of sensors that explain it: first the law is met by fields that
    may be far from the readings, then noise and offsets are what is between them."""
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
    """The law harder and harder, and the noise that the misfit shows; the law alone says how rough fields are."""
    found = _where_the_law_jumps(found)
    found = found.with_experiments([replace(each, roughness=None) for _, each, _ in found.experiments])
    if on_a_line := len(found.objective.operator.axes) == 1:
        found = _as_fine_as_needed(found, FIT.tolerances.stages[0])
    for tolerance in FIT.tolerances.stages[1:]:
        found = scaled(found, tolerance).minimise(found.states, found.coefficients, FIT.steps.per_tolerance)
        # In the plane a soft law leaves fields so free that its residual is noise, not what the mesh is too coarse for.
        if not on_a_line and tolerance != FIT.tolerances.stages[-1]:
            found = _as_fine_as_needed(found, tolerance)
    found = with_offsets(with_noise(_as_soft_as_the_mesh(found)))
    return found.objective.minimise(found.states, found.coefficients, FIT.steps.per_tolerance)


def _as_fine_as_needed(found: Minimum, tolerance: float) -> Minimum:
    """What a mesh is too coarse for would, once the law is hard, be met by other coefficients."""
    for _ in range(FIT.refinement.rounds):
        if found.unresolved < FIT.refinement.coarse_residual:
            break
        finer = _on_finer_meshes(found, tolerance, last=False)
        if finer is found or finer.unresolved > FIT.refinement.least_improvement * found.unresolved:
            break
        found = finer
    return found


def resolved(found: Minimum, tell: Callable[[float], None] = lambda fraction: None) -> Minimum:
    """On finer meshes, with the noise that the misfit shows, until the law is met."""
    on_a_line = len(found.objective.operator.axes) == 1
    enough = FIT.refinement.residual_on_a_line if on_a_line else FIT.refinement.residual_in_the_plane
    for number in range(FIT.refinement.rounds):
        tell(number / (FIT.refinement.rounds + 1))
        before, found = found, _on_finer_meshes(found, FIT.tolerances.stages[-1])
        if found.unresolved < enough or _sizes(found) == _sizes(before):
            break
    tell(FIT.refinement.rounds / (FIT.refinement.rounds + 1))
    return finished(found)


def finished(found: Minimum) -> Minimum:
    """To the end on the mesh that it has, with the noise that the misfit shows."""
    found = with_offsets(with_noise(_as_soft_as_the_mesh(found)))
    return found.objective.minimise(found.states, found.coefficients, FIT.steps.last)


def _as_soft_as_the_mesh(found: Minimum) -> Minimum:
    """Where a mesh is too coarse for the law to be met, coefficients would be bent to meet it: it is softened instead,
    equation by equation, until what is left costs little."""
    softer = np.sqrt(np.maximum(found.unmet_by_equation / (FIT.tolerances.residual_cost * found.records), 1.0))
    if np.all(softer == 1):
        return found
    return found.with_experiments(
        [replace(each, tolerance=each.tolerance * softer) for _, each, _ in found.experiments]
    )


def closer(found: Minimum) -> Minimum:
    """With fields that obey the law more closely, as far as the mesh allows, to be solved forward: the solver, which
    obeys it exactly, carries along what is wrong with their start and ends."""
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
    """With each field as far as its domain goes, by the law: softer again, because the field begins with none there."""
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
    """With the tolerance and the prior in units of the left sides and terms of each state."""

    def rates(experiment: Experiment, state: Array) -> Array:
        operator = found.objective.operator
        found_rates = np.sqrt(experiment.space.mean_square(experiment.lefts(state, operator)))
        # Of a field that never changes but for rounding, the left side is no measure.
        least = experiment.observations.unit / experiment.space.time.width ** np.array(operator.orders)
        return np.maximum(found_rates, FIT.tolerances.negligible_rate * least)

    experiments = [
        replace(each, tolerance=tolerance / np.sqrt(each.records) * rates(each, own))
        for _, each, own in found.experiments
    ]
    return replace(with_broad_prior(found), experiments=tuple(experiments))


def with_broad_prior(found: Minimum) -> Objective:
    """With a prior of the coefficients in units of the left sides and terms of the states."""
    objective = found.objective
    # Of powers of coordinates about the middle: wherever their origin lies, the prior is the same.
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


def _where_the_law_jumps(found: Minimum) -> Minimum:
    """On meshes with knots for jumps of those inputs alone that are in the law: others leave fields too free."""
    names = {name for each in found.terms for name in each.term.fields}
    experiments, states = [], []
    for _, experiment, state in found.experiments:
        space = with_fewer_jumps(experiment.space, jumps_of(experiment.readings, names))
        experiments.append(replace(experiment, space=space))
        states.append(state if space is experiment.space else carried(state, experiment.space, space))
    return found.with_experiments(experiments, states)


def _on_finer_meshes(found: Minimum, tolerance: float, last: bool = True) -> Minimum:
    """Fitted again on meshes that follow the fields, finer along the axes that lack it. last: as in `refined`."""
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
    """Axes along which half as many elements would leave most of the law unmet."""
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


# ---- noise and offsets -----------------------------------------------------------------------------------------------


def with_noise(found: Minimum) -> Minimum:
    """With the noise that the misfit shows, and for how long it lasts, but for readings that brought their own."""

    def lasting(number: int, experiment: Experiment) -> NoiseModel:
        return experiment.noise_model.with_lasting(lasting_errors(found, number))

    found = _with_noise_model(found, lasting)

    def model_of(number: int, experiment: Experiment) -> NoiseModel:
        if experiment.readings.noise is not None:
            return experiment.noise_model
        observed = experiment.observations
        noise = experiment.noise_model.noise * noise_factors(found, number)[observed.group]
        return experiment.noise_model.with_noise(at_least(noise, observed))

    return _with_noise_model(found, model_of)


def noise_factors(found: Minimum, number: int) -> Array:
    """(groups,): how many times the noise that was taken the misfit of one experiment shows; alike for all sensors of a
    field, unless they clearly differ."""
    _, experiment, state = found.experiments[number]
    observed = experiment.observations
    counts = np.bincount(observed.group, minlength=observed.n_groups)
    squares = np.bincount(observed.group, experiment.misfit(state) ** 2, minlength=observed.n_groups)
    free = counts - freedoms(found, number)  # readings that the field does not follow
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
    """With the offsets of sensors that the misfit shows."""

    def model_of(number: int, experiment: Experiment) -> NoiseModel:
        return experiment.noise_model.with_offsets(offset_sds(found, number))

    return _with_noise_model(found, model_of)


def _with_noise_model(found: Minimum, model_of: Callable[[int, Experiment], NoiseModel]) -> Minimum:
    return found.with_experiments(
        [replace(each, noise_model=model_of(number, each)) for number, each, _ in found.experiments]
    )
