"""The stages of a fit: from an inferred field, on a first mesh, to a law met on a fine one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.joint.mesh import FIRST, MESHES, carried, even_elements, even_space, first_space, graded_space
from pdescry.joint.objective import Minimum, Objective, least_squares
from pdescry.joint.splines import Array, Space
from pdescry.surrogate import Posterior
from pdescry.surrogate.pool import Progress

# The law may fail by so much of u_t (rms), from the first fit to the last: a hard law at once leads astray from a field
# that obeys none yet.
TOLERANCES = (1e-2, 3e-3, 1e-3)
DRAWS = 40  # of the field, averaged to begin from
RESOLVED = 0.015  # a residual of so much of u_t is met well enough
STEPS = 7  # of Gauss–Newton for each tolerance on the first mesh
STEPS_ON_MESH = 6  # on each finer one; the last one has STEPS_AT_LAST
STEPS_AT_LAST = 20
# Prior sd of a coefficient: its term alone would make up so many times u_t.
BROAD = 3.0
# The least noise, as a share of the readings' sd: below it lies what splines of this number cannot resolve.
LEAST_NOISE = 2e-4


@dataclass(frozen=True, eq=False)
class Start:
    """The inferred field on the first mesh, before any law. trust: weights of the points of quadrature, by how surely
    the field is known there; noise: (N,) sds."""

    readings: Readings
    space: Space
    field: Array
    trust: Array
    noise: Array

    @classmethod
    def of(cls, posterior: Posterior) -> Start:
        readings = posterior.readings
        noise = noise_of(posterior)
        if posterior.n_draws > DRAWS:  # to begin from, as good as all
            posterior = posterior.of_draws(np.linspace(0, posterior.n_draws - 1, DRAWS).astype(int))
        x, t = (readings.span[name] for name in (readings.axes[0], readings.time_name))
        even = even_space(x, t, FIRST[-1])
        field = even.nearest(lambda places, times: posterior.predict(times, places)[readings.fields[0]].values.T)
        space, field = first_space(even, field)
        trust = np.sqrt(space.area / _variance(posterior, space))
        return cls(readings, space, field, trust, noise)

    def objective(self, terms: tuple[Term, ...]) -> Objective:
        """Not scaled yet."""
        return Objective(self.space, self.readings, terms, self.noise, 1.0, np.ones(len(terms)))

    def fit(self, terms: tuple[Term, ...]) -> Minimum:
        """The law, not yet hard, from the coefficients of a regression."""
        objective = self.objective(terms)
        left, columns = objective.columns(self.field)
        coefficients = least_squares(columns, left, self.trust)
        found = Minimum(objective, self.field, coefficients, False)
        return scaled(found, TOLERANCES[0]).minimise(found.field, found.coefficients, STEPS)


def harder(found: Minimum) -> Minimum:
    """The law harder and harder on the same mesh, and the noise that the misfit shows."""
    for tolerance in TOLERANCES[1:]:
        found = scaled(found, tolerance).minimise(found.field, found.coefficients, STEPS)
    found = with_noise(found)
    return found.objective.minimise(found.field, found.coefficients, STEPS)


def resolved(found: Minimum, tell: Progress) -> Minimum:
    """On finer meshes, with the noise that the misfit shows, until the law is met."""
    least = found.objective.space
    for number, (along_x, along_t) in enumerate(MESHES):
        tell("refining the mesh", number / (len(MESHES) + 1), None)
        found = _on_mesh(found, (max(along_x, least.x.n), max(along_t, even_elements(least))))
        if found.unresolved < RESOLVED:
            break
    tell("finishing", len(MESHES) / (len(MESHES) + 1), None)
    found = with_noise(found)
    return found.objective.minimise(found.field, found.coefficients, STEPS_AT_LAST)


def _variance(posterior: Posterior, space: Space) -> Array:
    """Of the inferred field at the points of quadrature, as far as they are sure: a tenth of the median is as good."""
    name = posterior.readings.fields[0]
    # One point an element will do, and costs a ninth.
    x, t = ((axis.breaks[1:] + axis.breaks[:-1]) / 2 for axis in (space.x, space.t))
    variance = posterior.predict(t, x)[f"{name}_sd"].values.T ** 2
    variance = variance + 0.1 * np.median(variance) + np.finfo(float).tiny
    points = len(space.x.points) // space.x.n, len(space.t.points) // space.t.n
    return variance.repeat(points[0], axis=0).repeat(points[1], axis=1)


def scaled(found: Minimum, tolerance: float) -> Objective:
    """With the tolerance and the prior in units of this field's u_t and terms."""
    space = found.objective.space
    left, columns = found.objective.columns(found.field)
    size = np.sqrt(np.sum(space.area * left**2))
    sizes = np.sqrt(np.sum(space.area * columns**2, axis=(1, 2)))
    sizes[sizes == 0] = size
    return replace(found.objective, tolerance=float(tolerance * size), prior_sd=BROAD * size / sizes)


def _on_mesh(found: Minimum, size: tuple[int, int]) -> Minimum:
    """Fitted again on another mesh, which follows the field."""
    old = found.objective.space
    space = graded_space(old, found.field, size)
    field = carried(found.field, old, space)
    moved = replace(found, objective=replace(found.objective, space=space), field=field)
    return scaled(moved, TOLERANCES[-1]).minimise(field, found.coefficients, STEPS_ON_MESH)


def with_noise(found: Minimum) -> Minimum:
    """With the noise that the misfit shows, unless the readings brought their own."""
    objective = found.objective
    if objective.readings.noise is not None:
        return found
    noise = _at_least(objective.noise * found.noise_factor(), objective.readings)
    return replace(found, objective=replace(objective, noise=noise))


def noise_of(posterior: Posterior) -> Array:
    """(N,): of the readings about the field that obeys no law."""
    readings = posterior.readings
    noise = np.sqrt(np.mean(posterior.noise_of_readings(np.arange(len(readings)))[:, 0] ** 2, axis=0))
    return _at_least(noise, readings)


def _at_least(noise: Array, readings: Readings) -> Array:
    return np.maximum(noise, LEAST_NOISE * float(np.std(readings.values[:, 0])))
