"""The stages of a fit: from an inferred field, on a first mesh, to a law met on a fine one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.joint.boundary import Condition, reach
from pdescry.joint.known import Given
from pdescry.joint.mesh import (
    FIRST,
    MESHES,
    ROUGH,
    carried,
    elements_in_time,
    even_elements,
    even_space,
    first_space,
    graded_space,
)
from pdescry.joint.objective import Minimum, Objective, least_squares
from pdescry.joint.offsets import at_rest, offset_sd
from pdescry.joint.processes import Process
from pdescry.joint.scatter import Scatter
from pdescry.joint.splines import QUADRATURE, Array, Axis, Space
from pdescry.surrogate import Posterior
from pdescry.surrogate.pool import Progress

# The law may fail by so much of u_t (rms), from the first fit to the last: a hard law at once leads astray from a field
# that obeys none yet.
TOLERANCES = (1e-2, 3e-3, 1e-3)
DRAWS = 40  # of the field, averaged to begin from
COARSE = 0.1  # a residual of so much of u_t after the first fit: the mesh is too coarse
NO_BETTER = 0.9  # times the residual: it is not the mesh
RESOLVED = 0.015  # a residual of so much of u_t is met well enough
STEPS = 7  # of Gauss–Newton for each tolerance on the first mesh
STEPS_ON_MESH = 6  # on each finer one; the last one has STEPS_AT_LAST
STEPS_AT_LAST = 20
# Prior sd of a coefficient: its term alone would make up so many times u_t.
BROAD = 3.0
BUMPS = (8, 12)  # along each axis, over which a regression averages
OFFSETS = 1e-2  # of the readings' sd: offsets of so much are minded from the start
# The least noise, as a share of the readings' sd: below it lies what splines of this number cannot resolve.
LEAST_NOISE = 2e-4

_Asked = Callable[[Array, Array], Array]  # of times and places, (t, x)


@dataclass(frozen=True, eq=False)
class Start:
    """The inferred field on the first mesh, before any law. trust: weights of the points of quadrature, by how surely
    the field is known there. given: coefficients that are known. conditions: known at the ends."""

    space: Space
    field: Array
    trust: Array
    scatter: Scatter
    given: Mapping[Term, Given] = dataclasses.field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()

    @classmethod
    def of(cls, posterior: Posterior, conditions: tuple[Condition, ...] = ()) -> Start:
        """The field of a network."""
        readings = posterior.readings
        scatter = Scatter(noise_of(posterior), 0.0, readings)
        if posterior.n_draws > DRAWS:  # to begin from, as good as all
            posterior = posterior.of_draws(np.linspace(0, posterior.n_draws - 1, DRAWS).astype(int))
        name = readings.fields[0]

        def asked(what: str) -> _Asked:
            return lambda t, x: posterior.predict(t, x)[what].values

        return cls._of(asked(name), asked(f"{name}_sd"), scatter, FIRST, conditions)

    @classmethod
    def smooth(cls, process: Process, conditions: tuple[Condition, ...] = ()) -> Start:
        """A field that is only smooth, with the offsets that it shows."""
        readings = process.readings
        given = readings.noise
        noise = _at_least(np.full(len(readings), process.noise) if given is None else given[:, 0], readings)
        offset_sd = process.offset_sd if at_rest(readings) else 0.0
        if offset_sd < OFFSETS * float(np.std(readings.values[:, 0])):
            offset_sd = 0.0
        return cls._of(process.mean, process.sd, Scatter(noise, offset_sd, readings), ROUGH, conditions)

    @classmethod
    def _of(
        cls,
        mean: _Asked,
        sd: _Asked,
        scatter: Scatter,
        sizes: Sequence[tuple[int, int]],
        conditions: tuple[Condition, ...],
    ) -> Start:
        readings = scatter.readings
        x, t = reach(conditions, readings), readings.span[readings.time_name]
        along_t = elements_in_time(readings)
        sizes = [(size[0], max(size[1], along_t)) for size in sizes]
        even = even_space(x, t, (FIRST[-1][0], max(FIRST[-1][1], along_t)))
        field = even.nearest(lambda places, times: mean(times, places).T)
        space, field = first_space(even, field, sizes)
        # One point an element will do, and costs a ninth.
        x_middles, t_middles = ((axis.breaks[1:] + axis.breaks[:-1]) / 2 for axis in (space.x, space.t))
        variance = sd(t_middles, x_middles).T ** 2
        # As far as they are sure: a tenth of the median is as good.
        variance = variance + 0.1 * np.median(variance) + np.finfo(float).tiny
        variance = variance.repeat(QUADRATURE, axis=0).repeat(QUADRATURE, axis=1)
        return cls(space, field, np.sqrt(space.area / variance), scatter, conditions=conditions)

    def projected(self, columns: Array) -> Array:
        """(…, x, t) at the points of quadrature → (…, rows): averages over bumps, weighed by how surely the field is
        known.

        They take away most of what high derivatives of an inferred field are wrong by. Where sensors have offsets, what
        these would change is taken away, too: the mean over time.
        """
        if self.scatter.offset_sd:
            weight = self.trust**2 / np.sum(self.trust**2, axis=-1, keepdims=True)
            columns = columns - np.sum(columns * weight, axis=-1, keepdims=True)
        parts = [along_x @ (columns * self.trust) @ along_t.T for along_x, along_t in self._bumps]
        return np.concatenate([part.reshape(*columns.shape[:-2], -1) for part in parts], axis=-1)

    @cached_property
    def _bumps(self) -> list[tuple[Array, Array]]:
        return [(_bumps_along(self.space.x, number), _bumps_along(self.space.t, number)) for number in BUMPS]

    def objective(self, terms: tuple[Term, ...]) -> Objective:
        """Not scaled yet."""
        return Objective(self.space, self.scatter, terms, 1.0, np.ones(len(terms)), self.given, self.conditions)

    def fit(self, terms: tuple[Term, ...]) -> Minimum:
        """The law, not yet hard, from the coefficients of a regression."""
        objective = self.objective(terms)
        left, columns = objective.columns(self.field)
        free = np.array([term not in self.given for term in terms])
        coefficients = objective.prior_mean.copy()
        left = left - np.tensordot(coefficients, columns, 1)
        coefficients[free] = least_squares(self.projected(columns[free]), self.projected(left))
        found = Minimum(objective, self.field, coefficients, False)
        found = scaled(found, TOLERANCES[0]).minimise(found.field, found.coefficients, STEPS)
        if not self.scatter.offset_sd:  # a soft law that is wrong would take offsets for a way out
            return found
        found = with_offsets(found)
        return found.objective.minimise(found.field, found.coefficients, STEPS)


def _bumps_along(axis: Axis, number: int) -> Array:
    """(number, points): smooth weights that overlap, over all of the axis."""
    low, high = axis.breaks[[0, -1]]
    half = (high - low) / (number + 1)
    distance = (axis.points - np.linspace(low + half, high - half, number)[:, None]) / half
    return np.maximum(1 - distance**2, 0) ** 4 * np.sqrt(axis.weights / axis.weights.sum())


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
    noise = _at_least(objective.scatter.noise * found.noise_factor(), objective.readings)
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
    return _at_least(noise, readings)


def _at_least(noise: Array, readings: Readings) -> Array:
    return np.maximum(noise, LEAST_NOISE * float(np.std(readings.values[:, 0])))
