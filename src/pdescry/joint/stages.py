"""The stages of a fit: from a soft law on a first mesh to one that is met on a fine one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pdescry.data import Readings
from pdescry.joint.experiment import Experiment
from pdescry.joint.mesh import MESHES, carried, continued, even_elements, graded_space, widened_space
from pdescry.joint.objective import Minimum, Objective
from pdescry.joint.offsets import offset_sd
from pdescry.joint.scatter import Scatter
from pdescry.joint.splines import Array
from pdescry.surrogate import Posterior
from pdescry.surrogate.pool import Progress

# The law may fail by so much of u_t (rms), from the first fit to the last: a hard law at once leads astray from a field
# that obeys none yet.
TOLERANCES = (1e-2, 3e-3, 1e-3)
COARSE = 0.1  # a residual of so much of u_t after the first fit: the mesh is too coarse
NO_BETTER = 0.9  # times the residual: it is not the mesh
RESOLVED = 0.015  # a residual of so much of u_t is met well enough
STEPS = 7  # of Gauss–Newton for each tolerance on the first mesh
STEPS_ON_MESH = 6  # on each finer one; the last one has STEPS_AT_LAST
STEPS_AT_LAST = 20
# Prior sd of a coefficient: its term alone would make up so many times u_t.
BROAD = 3.0
# The least noise, as a share of the readings' sd: below it lies what splines of this number cannot resolve.
LEAST_NOISE = 2e-4


def harder(found: Minimum) -> Minimum:
    """The law harder and harder, and the scatter that the misfit shows."""
    least = _sizes(found)
    for size in MESHES:
        # What a mesh is too coarse for would, once hard, be met by other coefficients.
        if found.unresolved < COARSE:
            break
        finer = _on_meshes(found, _at_least_as_fine(size, least), TOLERANCES[0])
        if finer.unresolved > NO_BETTER * found.unresolved:
            break
        found = finer
    for tolerance in TOLERANCES[1:]:
        found = scaled(found, tolerance).minimise(found.fields, found.coefficients, STEPS)
    found = with_offsets(with_noise(found))
    return found.objective.minimise(found.fields, found.coefficients, STEPS)


def resolved(found: Minimum, tell: Progress) -> Minimum:
    """On finer meshes, with the scatter that the misfit shows, until the law is met."""
    least = _sizes(found)
    for number, size in enumerate(MESHES):
        tell("refining the mesh", number / (len(MESHES) + 1), None)
        found = _on_meshes(found, _at_least_as_fine(size, least), TOLERANCES[-1])
        if found.unresolved < RESOLVED:
            break
    tell("finishing", len(MESHES) / (len(MESHES) + 1), None)
    found = with_offsets(with_noise(found))
    return found.objective.minimise(found.fields, found.coefficients, STEPS_AT_LAST)


def widened(found: Minimum, domains: Sequence[tuple[float, float]]) -> Minimum:
    """With each field as far as its domain goes, by the law: softer again, because the field begins with none there."""
    experiments, fields = [], []
    for (_, experiment, field), domain in zip(found.experiments, domains, strict=True):
        if domain == tuple(experiment.space.x.breaks[[0, -1]]):
            experiments, fields = [*experiments, experiment], [*fields, field]
            continue
        space = widened_space(experiment.space, domain)
        experiments.append(replace(experiment, space=space))
        fields.append(continued(field, experiment.space, space))
    if tuple(experiments) == found.objective.experiments:
        return found
    found = found.with_experiments(experiments, fields)
    for tolerance, steps in zip(TOLERANCES, (STEPS, STEPS, STEPS_AT_LAST), strict=True):
        found = scaled(found, tolerance).minimise(found.fields, found.coefficients, steps)
    return found


def scaled(found: Minimum, tolerance: float) -> Objective:
    """With the tolerance and the prior in units of each field's u_t and terms."""

    def rate(experiment: Experiment, field: Array) -> float:
        return np.sqrt(np.sum(experiment.space.area * experiment.space.values(field, (0, 1)) ** 2))

    experiments = [replace(each, tolerance=float(tolerance * rate(each, own))) for _, each, own in found.experiments]
    return replace(with_broad_prior(found), experiments=tuple(experiments))


def with_broad_prior(found: Minimum) -> Objective:
    """With a prior of the coefficients in units of the fields' u_t and terms."""
    objective = found.objective
    lefts, columns = zip(*objective.columns(found.fields), strict=True)
    size, sizes = np.sqrt(found.mean_square(lefts)), np.sqrt(found.mean_square(columns))
    sizes[sizes == 0] = size
    prior_sd = BROAD * size / sizes
    for place, term in enumerate(objective.terms):
        if term in objective.given:
            prior_sd[place] = objective.given[term].sd
    return replace(objective, prior_sd=prior_sd)


_Sizes = list[tuple[int, int]]  # elements along x and t, for each experiment


def _sizes(found: Minimum) -> _Sizes:
    return [(each.space.x.n, even_elements(each.space)) for each in found.objective.experiments]


def _at_least_as_fine(size: tuple[int, int], least: _Sizes) -> _Sizes:
    return [(max(size[0], along_x), max(size[1], along_t)) for along_x, along_t in least]


def _on_meshes(found: Minimum, sizes: _Sizes, tolerance: float) -> Minimum:
    """Fitted again on other meshes, which follow the fields."""
    experiments, fields = [], []
    for (_, experiment, field), size in zip(found.experiments, sizes, strict=True):
        space = graded_space(experiment.space, field, size)
        experiments.append(replace(experiment, space=space))
        fields.append(carried(field, experiment.space, space))
    moved = found.with_experiments(experiments, fields)
    return scaled(moved, tolerance).minimise(moved.fields, found.coefficients, STEPS_ON_MESH)


def with_noise(found: Minimum) -> Minimum:
    """With the noise that the misfit shows, but for readings that brought their own."""

    def scatter_of(number: int, experiment: Experiment) -> Scatter:
        if experiment.readings.noise is not None:
            return experiment.scatter
        noise = experiment.scatter.noise * found.noise_factor(number)
        return experiment.scatter.with_noise(at_least(noise, experiment.readings))

    return _with_scatter(found, scatter_of)


def with_offsets(found: Minimum) -> Minimum:
    """With the offsets of sensors that the misfit shows."""
    return _with_scatter(found, lambda number, experiment: experiment.scatter.with_offsets(offset_sd(found, number)))


def _with_scatter(found: Minimum, scatter_of: Callable[[int, Experiment], Scatter]) -> Minimum:
    return found.with_experiments(
        [replace(experiment, scatter=scatter_of(number, experiment)) for number, experiment, _ in found.experiments]
    )


def noise_of(posterior: Posterior) -> Array:
    """(N,): of the readings about the field that obeys no law."""
    readings = posterior.readings
    noise = np.sqrt(np.mean(posterior.noise_of_readings(np.arange(len(readings)))[:, 0] ** 2, axis=0))
    return at_least(noise, readings)


def at_least(noise: Array, readings: Readings) -> Array:
    return np.maximum(noise, LEAST_NOISE * float(np.std(readings.values[:, 0])))
