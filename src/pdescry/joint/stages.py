"""The stages of a fit: from a soft law on a first mesh to one that is met on a fine one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pdescry.data import Readings
from pdescry.joint.mesh import MESHES, carried, even_elements, graded_space
from pdescry.joint.objective import Minimum, Objective
from pdescry.joint.offsets import offset_sd
from pdescry.joint.splines import Array, Space
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
    least = found.objective.space
    for size in MESHES:
        # What a mesh is too coarse for would, once hard, be met by other coefficients.
        if found.unresolved < COARSE:
            break
        finer = _on_mesh(found, _at_least_as_fine(size, least), TOLERANCES[0])
        if finer.unresolved > NO_BETTER * found.unresolved:
            break
        found = finer
    for tolerance in TOLERANCES[1:]:
        found = scaled(found, tolerance).minimise(found.field, found.coefficients, STEPS)
    found = with_offsets(with_noise(found))
    return found.objective.minimise(found.field, found.coefficients, STEPS)


def resolved(found: Minimum, tell: Progress) -> Minimum:
    """On finer meshes, with the scatter that the misfit shows, until the law is met."""
    least = found.objective.space
    for number, size in enumerate(MESHES):
        tell("refining the mesh", number / (len(MESHES) + 1), None)
        found = _on_mesh(found, _at_least_as_fine(size, least), TOLERANCES[-1])
        if found.unresolved < RESOLVED:
            break
    tell("finishing", len(MESHES) / (len(MESHES) + 1), None)
    found = with_offsets(with_noise(found))
    return found.objective.minimise(found.field, found.coefficients, STEPS_AT_LAST)


def scaled(found: Minimum, tolerance: float) -> Objective:
    """With the tolerance and the prior in units of this field's u_t and terms."""
    space = found.objective.space
    left, columns = found.objective.columns(found.field)
    size = np.sqrt(np.sum(space.area * left**2))
    sizes = np.sqrt(np.sum(space.area * columns**2, axis=(1, 2)))
    sizes[sizes == 0] = size
    prior_sd = BROAD * size / sizes
    for place, term in enumerate(found.objective.terms):
        if term in found.objective.given:
            prior_sd[place] = found.objective.given[term].sd
    return replace(found.objective, tolerance=float(tolerance * size), prior_sd=prior_sd)


def _at_least_as_fine(size: tuple[int, int], least: Space) -> tuple[int, int]:
    return max(size[0], least.x.n), max(size[1], even_elements(least))


def _on_mesh(found: Minimum, size: tuple[int, int], tolerance: float) -> Minimum:
    """Fitted again on another mesh, which follows the field."""
    old = found.objective.space
    space = graded_space(old, found.field, size)
    field = carried(found.field, old, space)
    moved = replace(found, objective=replace(found.objective, space=space), field=field)
    return scaled(moved, tolerance).minimise(field, found.coefficients, STEPS_ON_MESH)


def with_noise(found: Minimum) -> Minimum:
    """With the noise that the misfit shows, unless the readings brought their own."""
    objective = found.objective
    if objective.readings.noise is not None:
        return found
    noise = at_least(objective.scatter.noise * found.noise_factor(), objective.readings)
    return replace(found, objective=replace(objective, scatter=objective.scatter.with_noise(noise)))


def with_offsets(found: Minimum) -> Minimum:
    """With the offsets of sensors that the misfit shows."""
    objective = found.objective
    if (sd := offset_sd(found)) == objective.scatter.offset_sd:
        return found
    return replace(found, objective=replace(objective, scatter=objective.scatter.with_offsets(sd)))


def noise_of(posterior: Posterior) -> Array:
    """(N,): of the readings about the field that obeys no law."""
    readings = posterior.readings
    noise = np.sqrt(np.mean(posterior.noise_of_readings(np.arange(len(readings)))[:, 0] ** 2, axis=0))
    return at_least(noise, readings)


def at_least(noise: Array, readings: Readings) -> Array:
    return np.maximum(noise, LEAST_NOISE * float(np.std(readings.values[:, 0])))
