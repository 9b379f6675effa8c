"""Initial fields of a fit: inferred without a law on a first mesh, with prior knowledge, and soft laws fitted from
them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from pdescry.joint.field.axis import QUADRATURE, Array, Axis
from pdescry.joint.field.mesh import elements_in_time, even_space, first_sizes, first_space, jumps_of, meshes_over
from pdescry.joint.field.options import FIELD
from pdescry.joint.field.process import Process
from pdescry.joint.field.region import Region
from pdescry.joint.field.sampled import SampledField
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.noise_model import NoiseModel
from pdescry.joint.fit.objective import Minimum, Objective, States, least_squares
from pdescry.joint.fit.operator import Operator
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.sensor_errors import with_offsets
from pdescry.joint.fit.stages import soft_minimum
from pdescry.joint.lean import Lean
from pdescry.joint.observations import Observations
from pdescry.problem import Candidate, Ends, Given

_OnGrid = Callable[..., Sequence[Array]]  # of a grid (x, …, t): each field on it, (x, …, t)


@dataclass(frozen=True, eq=False)
class InitialField(Lean):
    """The inferred fields of one experiment on a first mesh, before any law. trust: (F, points), weights by the
    precision of each field."""

    experiment: Experiment
    state: Array
    trust: Array

    @classmethod
    def of(
        cls,
        mean: _OnGrid,
        sd: _OnGrid,
        model: NoiseModel,
        ends: Ends,
        orders: tuple[int, ...],
        roughness: Array | None = None,
        least: int = 0,
    ) -> InitialField:
        """least: minimum number of elements along each axis of space."""
        observed = model.observations
        readings, number = observed.readings, observed.n_fields
        along_t, d = elements_in_time(observed), len(readings.axes)
        span, kind = readings.span[readings.time_name], meshes_over(d)
        sizes = first_sizes(along_t, number > 1, d)
        sizes = [each for each in sizes if min(each[:-1]) >= least]
        x = max(kind.in_space[-1] if along_t <= FIELD.mesh.long_record else 0, *(each[0] for each in sizes))
        finest = (x,) * d + (max(kind.in_time[-1], along_t),)
        region = Region.of(readings, ends.edges)
        even = even_space(ends.reach, span, finest, number, jumps_of(readings), max(orders), region)
        space, state = first_space(even, even.nearest(mean), sizes, max(orders))
        # One point per element suffices, at a ninth of the cost.
        middles = ((axis.breaks[1:] + axis.breaks[:-1]) / 2 for axis in space.axes)
        variance = np.stack(list(sd(*middles))) ** 2
        # A floor on the variance: a tenth of the median.
        centre = np.median(variance, axis=tuple(range(1, variance.ndim)), keepdims=True)
        variance = variance + 0.1 * centre + np.finfo(float).tiny
        for axis in range(1, variance.ndim):
            variance = variance.repeat(QUADRATURE, axis=axis)
        experiment = Experiment(space, model, np.ones(number), ends.conditions, roughness)
        trust = np.sqrt(space.volume / variance)  # zero where no law is required
        return cls(experiment, state, trust)

    def with_noise(self, noise: Array) -> InitialField:
        model = self.experiment.noise_model.with_noise(noise)
        return replace(self, experiment=replace(self.experiment, noise_model=model))

    def projected(self, columns: Array, field: int) -> Array:
        """(…, points) → (…, rows): averages over bump functions, weighted by the precision of a field.

        They remove most of the error of high derivatives of an inferred field. Where sensors have offsets, the mean
        over time is subtracted, too, because offsets would change it.
        """
        trust = self.trust[field]
        if self.experiment.noise_model.offset_sd[field]:
            whole = np.sum(trust**2, axis=-1, keepdims=True)
            weight = trust**2 / np.where(whole > 0, whole, 1.0)  # zero where no law is required
            columns = columns - np.sum(columns * weight, axis=-1, keepdims=True)
        axes, rows = len(self.experiment.space.axes), []
        for bumps in self._bumps:
            part = columns * trust
            for along in bumps:
                part = np.tensordot(part, along, (part.ndim - axes, 1))
            lead = columns.shape[:-axes]
            rows.append(part.reshape(*lead, prod(part.shape[len(lead) :])))  # also for zero columns
        return np.concatenate(rows, axis=-1)

    @cached_property
    def _bumps(self) -> list[list[Array]]:
        return [[_bumps_along(axis, number) for axis in self.experiment.space.axes] for number in FIELD.start.bumps]


def from_network(posterior: SampledField, ends: Ends, orders: tuple[int, ...]) -> InitialField:
    """The posterior mean of a network, as initial fields."""
    observed, names = Observations(posterior.readings), posterior.readings.fields
    noise = np.sqrt(np.mean(posterior.noise_sd**2, axis=(0, 1, 3)))
    posterior = posterior.at_most(FIELD.start.draws_of_network)  # enough for an initial field

    def on_grid(ending: str) -> _OnGrid:
        def values(*grid: Array) -> list[Array]:
            *places, t = grid
            found = posterior.predict(t, *places)
            return [np.moveaxis(found[name + ending].values, 0, -1) for name in names]

        return values

    model = NoiseModel.of(noise, np.zeros(len(names)), observed)
    return InitialField.of(on_grid(""), on_grid("_sd"), model, ends, orders)


def from_processes(processes: Sequence[Process], ends: Ends, orders: tuple[int, ...], least: int = 0) -> InitialField:
    """Smooth fields without a law, with the offsets of sensors. Soft laws are fitted with a prior on roughness: if the
    field could be rougher, a law without diffusion would fit equally well."""
    observed = Observations(processes[0].readings)
    offsets = np.array([each.offset_sd if observed.offsets_identifiable else 0.0 for each in processes])
    offsets[offsets < FIELD.start.negligible_offset * observed.unit] = 0.0
    model = NoiseModel.of(np.array([each.noise for each in processes]), offsets, observed)
    model = model.with_lasting(np.array([each.lasting_errors for each in processes])[observed.field])
    return InitialField.of(
        lambda *grid: [each.mean(*grid) for each in processes],
        lambda *grid: [each.sd(*grid) for each in processes],
        model,
        ends,
        orders,
        np.array([each.roughness for each in processes]),
        least,
    )


@dataclass(frozen=True, eq=False)
class Start(Lean):
    """The initial fields of all experiments, for equations of these orders. given: known coefficients. gradually: how
    laws are fitted (`stages.soft_minimum`)."""

    initial: tuple[InitialField, ...]
    operator: Operator
    given: Mapping[Candidate, Given] = dataclasses.field(default_factory=dict)
    gradually: bool = False

    @property
    def states(self) -> States:
        return tuple(each.state for each in self.initial)

    def objective(self, terms: tuple[Candidate, ...]) -> Objective:
        """The objective, not scaled yet."""
        operator = replace(self.operator, terms=terms)
        return Objective(tuple(each.experiment for each in self.initial), operator, np.ones(len(terms)), self.given)

    def projected(self, columns: Iterable[Array], field: int) -> Array:
        """(…, rows) of all experiments, for columns (…, points) of each."""
        parts = [each.projected(part, field) for each, part in zip(self.initial, columns, strict=True)]
        return np.concatenate(parts, axis=-1)

    def regressed(self, terms: tuple[Candidate, ...]) -> Array:
        """(k,): coefficients from a regression on averages over bump functions, equation by equation."""
        objective = self.objective(terms)
        coefficients = objective.prior_mean.copy()
        table = objective.columns(self.states)
        equation = np.array(objective.operator.equation_of, int)
        free = np.array([term not in self.given for term in terms], bool)
        for number in range(len(self.operator.fields)):
            known, wanted = (equation == number) & ~free, np.flatnonzero((equation == number) & free)
            left = self.projected(
                (lefts[number] - np.tensordot(coefficients[known], columns[known], 1) for lefts, columns in table),
                number,
            )
            own = self.projected((columns[wanted] for _, columns in table), number)
            coefficients[wanted] = least_squares(own, left)
        return coefficients

    @property
    def has_offsets(self) -> bool:
        return any(each.experiment.noise_model.has_offsets for each in self.initial)

    def begun(self, terms: tuple[Candidate, ...]) -> Minimum:
        """The initial fields with coefficients of a regression, not minimised."""
        return Minimum(self.objective(terms), self.states, self.regressed(terms), False)

    def fit(self, terms: tuple[Candidate, ...], give_up_above: float = math.inf) -> Minimum:
        """The soft law, starting from the coefficients of a regression. give_up_above: as in `Objective.minimise`."""
        found = soft_minimum(self.begun(terms), self.gradually, give_up_above)
        # A wrong soft law would use offsets to fit the readings.
        if not self.has_offsets:
            return found
        found = with_offsets(found)
        return found.objective.minimise(found.states, found.coefficients, FIT.steps.per_tolerance)


def _bumps_along(axis: Axis, number: int) -> Array:
    """(number, points): smooth overlapping weights that cover the axis."""
    low, high = axis.span
    half = (high - low) / (number + 1)
    distance = (axis.points - np.linspace(low + half, high - half, number)[:, None]) / half
    return np.maximum(1 - distance**2, 0) ** 4 * np.sqrt(axis.weights / axis.weights.sum())
