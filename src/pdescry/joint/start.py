"""Where fits begin: an inferred field on a first mesh, what is known beside it, and a soft law with its help."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pdescry.equation import Term
from pdescry.joint.ends import Ends
from pdescry.joint.experiment import Experiment
from pdescry.joint.known import Given
from pdescry.joint.mesh import FIRST, ROUGH, elements_in_time, even_space, first_space
from pdescry.joint.objective import Fields, Minimum, Objective, least_squares
from pdescry.joint.offsets import at_rest
from pdescry.joint.processes import Process
from pdescry.joint.scatter import Scatter
from pdescry.joint.splines import QUADRATURE, Array, Axis
from pdescry.joint.stages import STEPS, TOLERANCES, at_least, noise_of, scaled, with_offsets
from pdescry.surrogate import Posterior

DRAWS = 40  # of the field, averaged to begin from
BUMPS = (8, 12)  # along each axis, over which a regression averages
OFFSETS = 1e-2  # of the readings' sd: offsets of so much are minded from the start

_Asked = Callable[[Array, Array], Array]  # of times and places, (t, x)


@dataclass(frozen=True, eq=False)
class Begun:
    """One experiment before any law: its inferred field on a first mesh. trust: weights of the points of quadrature, by
    how surely the field is known there."""

    experiment: Experiment
    field: Array
    trust: Array

    @classmethod
    def of(
        cls,
        mean: _Asked,
        sd: _Asked,
        scatter: Scatter,
        sizes: Sequence[tuple[int, int]],
        ends: Ends | None,
    ) -> Begun:
        readings = scatter.readings
        ends = ends or Ends.of(readings)
        x, t = ends.reach, readings.span[readings.time_name]
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
        return cls(Experiment(space, scatter, conditions=ends.conditions), field, np.sqrt(space.area / variance))

    def with_noise(self, noise: Array) -> Begun:
        return replace(self, experiment=replace(self.experiment, scatter=self.experiment.scatter.with_noise(noise)))

    def projected(self, columns: Array) -> Array:
        """(…, x, t) at the points of quadrature → (…, rows): averages over bumps, weighed by how surely the field is
        known.

        They take away most of what high derivatives of an inferred field are wrong by. Where sensors have offsets, what
        these would change is taken away, too: the mean over time.
        """
        if self.experiment.scatter.offset_sd:
            weight = self.trust**2 / np.sum(self.trust**2, axis=-1, keepdims=True)
            columns = columns - np.sum(columns * weight, axis=-1, keepdims=True)
        parts = [along_x @ (columns * self.trust) @ along_t.T for along_x, along_t in self._bumps]
        rows = [part.reshape(*columns.shape[:-2], part.shape[-2] * part.shape[-1]) for part in parts]
        return np.concatenate(rows, axis=-1)

    @cached_property
    def _bumps(self) -> list[tuple[Array, Array]]:
        space = self.experiment.space
        return [(_bumps_along(space.x, number), _bumps_along(space.t, number)) for number in BUMPS]


def from_network(posterior: Posterior, ends: Ends | None = None) -> Begun:
    """The field of a network."""
    readings = posterior.readings
    scatter = Scatter(noise_of(posterior), 0.0, readings)
    posterior = posterior.at_most(DRAWS)  # to begin from, as good as all
    name = readings.fields[0]

    def asked(what: str) -> _Asked:
        return lambda t, x: posterior.predict(t, x)[what].values

    return Begun.of(asked(name), asked(f"{name}_sd"), scatter, FIRST, ends)


def from_process(process: Process, ends: Ends | None = None) -> Begun:
    """A field that is only smooth, with the offsets that it shows."""
    readings = process.readings
    given = readings.noise
    noise = at_least(np.full(len(readings), process.noise) if given is None else given[:, 0], readings)
    offset_sd = process.offset_sd if at_rest(readings) else 0.0
    if offset_sd < OFFSETS * float(np.std(readings.values[:, 0])):
        offset_sd = 0.0
    return Begun.of(process.mean, process.sd, Scatter(noise, offset_sd, readings), ROUGH, ends)


@dataclass(frozen=True, eq=False)
class Start:
    """All experiments before any law. given: coefficients that are known."""

    begun: tuple[Begun, ...]
    given: Mapping[Term, Given] = dataclasses.field(default_factory=dict)

    @property
    def fields(self) -> Fields:
        return tuple(each.field for each in self.begun)

    def objective(self, terms: tuple[Term, ...]) -> Objective:
        """Not scaled yet."""
        return Objective(tuple(each.experiment for each in self.begun), terms, np.ones(len(terms)), self.given)

    def projected(self, columns: Iterable[Array]) -> Array:
        """(…, rows) of all experiments, for columns (…, x, t) of each."""
        parts = [each.projected(part) for each, part in zip(self.begun, columns, strict=True)]
        return np.concatenate(parts, axis=-1)

    def fit(self, terms: tuple[Term, ...]) -> Minimum:
        """The law, not yet hard, from the coefficients of a regression."""
        objective = self.objective(terms)
        free = np.array([term not in self.given for term in terms])
        coefficients = objective.prior_mean.copy()
        table = objective.columns(self.fields)
        left = self.projected(left - np.tensordot(coefficients, columns, 1) for left, columns in table)
        coefficients[free] = least_squares(self.projected(columns[free] for _, columns in table), left)
        found = Minimum(objective, self.fields, coefficients, False)
        found = scaled(found, TOLERANCES[0]).minimise(found.fields, found.coefficients, STEPS)
        # A soft law that is wrong would take offsets for a way out.
        if not any(each.experiment.scatter.offset_sd for each in self.begun):
            return found
        found = with_offsets(found)
        return found.objective.minimise(found.fields, found.coefficients, STEPS)


def _bumps_along(axis: Axis, number: int) -> Array:
    """(number, points): smooth weights that overlap, over all of the axis."""
    low, high = axis.breaks[[0, -1]]
    half = (high - low) / (number + 1)
    distance = (axis.points - np.linspace(low + half, high - half, number)[:, None]) / half
    return np.maximum(1 - distance**2, 0) ** 4 * np.sqrt(axis.weights / axis.weights.sum())
