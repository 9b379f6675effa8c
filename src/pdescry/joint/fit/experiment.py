"""One experiment and a law: its fields, its noise model, and its boundary conditions.

Everything here is for fields of given splines; the law and its coefficients are arguments, because several experiments
may share one (``objective.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, diags_array, vstack

from pdescry.data import Readings
from pdescry.equation.term import Coordinate, Derivative
from pdescry.equation.term import Factor as Variable
from pdescry.joint.field.axis import Array
from pdescry.joint.field.space import Space
from pdescry.joint.fit.factor import Factor
from pdescry.joint.fit.noise_model import NoiseModel, WhitenedRows
from pdescry.joint.fit.operator import Operator
from pdescry.joint.fit.options import FIT
from pdescry.joint.lean import Lean
from pdescry.joint.observations import Numbers, Observations
from pdescry.problem import Condition


@dataclass(frozen=True, eq=False)
class Around(Lean):
    """A state, and for each field the sd of the initial values about it: of u, and of u_t if the law is of second order
    in time."""

    state: Array
    sds: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class Experiment(Lean):
    """tolerance τ: (equations,), of the law's residual, in units of its left side. conditions: known boundary
    conditions. roughness: (F, d) weights along each axis of space, where above `PriorOptions.roughness_in_space`.
    around: prior of the initial values, if there is one."""

    space: Space
    noise_model: NoiseModel
    tolerance: Array
    conditions: tuple[Condition, ...] = ()
    roughness: Array | None = None
    around: Around | None = None

    @property
    def observations(self) -> Observations:
        return self.noise_model.observations

    @property
    def readings(self) -> Readings:
        return self.observations.readings

    @property
    def records(self) -> float:
        """Length of the record in units of the usual one. Residuals are averaged over a usual record, so the tolerance
        is divided by its square root."""
        return max(1.0, len(self.readings) / (FIT.records.readings_of_sensor * self.readings.n_sensors))

    # ---- the fields alone ------------------------------------------------------------------------------------------

    def at(self, points: Array, field: Numbers) -> csr_array:
        """(N, n): evaluation of fields, numbered by (N,), at points (N, D)."""
        rows = csr_array((len(points), self.space.n))
        for k in range(self.space.components):
            own = np.flatnonzero(field == k)
            if not len(own):
                continue
            part = self.space.at(points[own], k)
            if len(own) == len(points):
                return part
            place = csr_array((np.ones(len(own)), (own, np.arange(len(own)))), shape=(len(points), len(own)))
            rows = csr_array(rows + place @ part)
        return rows

    @cached_property
    def seen(self) -> csr_array:
        """(M, n): evaluation of the fields at the readings."""
        return self.at(self.observations.points, self.observations.field)

    @cached_property
    def whitened(self) -> WhitenedRows:
        """(M, n)"""
        return self.noise_model.whitened_rows(self.seen)

    def misfit(self, state: Array) -> Array:
        """(M,): readings minus fields, whitened."""
        return self.noise_model.whitened(self.observations.values - self.seen @ state)

    @cached_property
    def prior(self) -> tuple[csr_array, Array]:
        """Rows (m, n), and their target values, (m,): the sum of squared differences is −2 log density."""
        parts = [self._at_end(condition) for condition in self.conditions]
        parts += [] if self.around is None else self._at_start(self.around)
        rows = csr_array(vstack([self._smoothness, *(each for each, _ in parts)]))
        return rows, np.concatenate([np.zeros(len(self._smoothness.indptr) - 1), *(wanted for _, wanted in parts)])

    def prior_misfit(self, state: Array) -> Array:
        rows, wanted = self.prior
        return rows @ state - wanted

    def _at_end(self, condition: Condition) -> tuple[csr_array, Array]:
        """Rows whose squares sum to the mean square over time, and along the edge in the plane, of the deviation from a
        boundary condition, in units of its tolerance."""
        across, along = condition.axis, [axis.points for axis in self.space.axes]
        field = self.readings.fields.index(condition.field)
        tolerance = self.observations.unit[field] * FIT.prior.boundary_condition
        scale = self.space.axes[across].width ** condition.order / tolerance
        share = np.ones(1)
        for k, axis in enumerate(self.space.axes):
            if k != across:
                share = np.multiply.outer(share, axis.weights / axis.width).ravel()
        weights = np.sqrt(share) * scale
        along[across] = np.array([condition.place])
        points = np.column_stack([each.ravel() for each in np.meshgrid(*along, indexing="ij")])
        orders = tuple(condition.order if k == across else 0 for k in range(len(along)))
        rows = self.space.at(points, field, orders)
        return diags_array(weights) @ rows, weights * condition.value

    def _at_start(self, around: Around) -> list[tuple[csr_array, Array]]:
        """Rows of a process over space at the first time, about a state; its correlation length is the distance between
        sensors."""
        places, first, d = self.space.places, self.space.time.breaks[0], len(self.space.places)
        apart = max(self.readings.n_sensors ** (1 / d) - 1, 1)
        lengths = [axis.width / apart for axis in places]
        grid = [each.ravel() for each in np.meshgrid(*(axis.points for axis in places), indexing="ij")]
        points = np.column_stack([*grid, np.full(len(grid[0]), first)])
        volume = np.ones(1)
        for axis, length in zip(places, lengths, strict=True):
            volume = np.multiply.outer(volume, axis.weights / (2 * length)).reshape(-1)
        found = []
        for field, sds in enumerate(around.sds):
            for in_time, sd in enumerate(sds):
                for along in (None, *range(d)):
                    orders = tuple(int(k == along) for k in range(d))
                    weights = np.sqrt(volume) * (1.0 if along is None else lengths[along]) / sd
                    rows = csr_array(diags_array(weights) @ self.space.at(points, field, (*orders, in_time)))
                    found.append((rows, rows @ around.state))
        return found

    def varying(self, about: Array, state: Array, orders: tuple[int, ...]) -> Experiment:
        """The same with a prior of the initial values about a state: u with the sd of the readings, u_t with its rms
        over the whole of another state. orders: order in time of the law of each field."""
        sds, still = [], (0,) * len(self.space.places)
        for field, unit in enumerate(map(float, self.observations.unit)):
            rates = float(np.sqrt(self.space.mean_square(self.space.values(state, field, (*still, 1)))))
            sds.append((unit, max(rates, unit / self.space.time.width))[: orders[field]])
        return replace(self, around=Around(about, tuple(sds)))

    @cached_property
    def _smoothness(self) -> csr_array:
        """Rows whose squares sum to the roughness, (m, n)."""
        axes, parts = self.space.axes, []
        d = len(axes)
        number = self.observations.n_fields
        least = np.full((number, d - 1), FIT.prior.roughness_in_space)
        in_space = least if self.roughness is None else np.maximum(self.roughness, least)
        kinds = [(in_space[:, k], k, 3) for k in range(d - 1)]
        kinds += [(np.full(number, FIT.prior.roughness_in_time), d - 1, 2), (np.full(number, FIT.prior.size), 0, 0)]
        for weights, rough, order in kinds:
            length = axes[rough].width / (self.records if rough == d - 1 else 1.0)
            rows = self.space.roughness(tuple(order if k == rough else 0 for k in range(d))) * length**order
            for field, (weight, unit) in enumerate(zip(weights, self.observations.unit, strict=True)):
                parts.append(self.space.of_component(rows * (np.sqrt(weight) / unit), field))
        return csr_array(vstack(parts))

    @cached_property
    def fixed(self) -> WhitenedRows:
        """Rows that do not depend on the law: readings, negated, and prior."""
        return replace(self.whitened, weighed=-self.whitened.weighed).with_more(self.prior[0])

    @cached_property
    def _fixed_bands(self) -> Array:
        """(band + 1, n): upper bands of the square of the fixed rows, without the contribution of systematic errors."""
        weighed = self.fixed.weighed
        return banded(csr_array(weighed.T @ weighed), self.space.band)

    # ---- the fields and a law --------------------------------------------------------------------------------------

    @cached_property
    def _known(self) -> dict[Variable, Array]:
        """Coordinates and inputs at the quadrature points."""
        grids = np.meshgrid(*(axis.points for axis in self.space.axes), indexing="ij")
        names = (*self.readings.axes, "t")
        found: dict[Variable, Array] = {Coordinate(name): grid for name, grid in zip(names, grids, strict=True)}
        places = np.column_stack([grid.ravel() for grid in grids[:-1]])
        for each in self.readings.inputs:
            found[Derivative(each.name)] = each.at(grids[-1].ravel(), places).reshape(grids[-1].shape)
        return found

    def values(self, state: Array, operator: Operator) -> dict[Variable, Array]:
        """Values of the variables of the terms at the quadrature points."""
        found = {each: self.space.values(state, *operator.place_of(each)) for each in operator.variables}
        return self._known | found

    def lefts(self, state: Array, operator: Operator) -> Array:
        """(equations, points): u_t, or u_tt."""
        return np.stack([self.space.values(state, *place) for place in operator.lefts])

    def columns(self, state: Array, operator: Operator, origin: Mapping[str, float]) -> tuple[Array, Array]:
        """Left sides (equations, points) and terms (k, points). origin: of the coordinates, if not zero."""
        lefts, values = self.lefts(state, operator), self.values(state, operator)
        values |= {Coordinate(name): values[Coordinate(name)] - start for name, start in origin.items()}
        return lefts, operator.columns(values, lefts)

    def residuals(self, state: Array, operator: Operator, coefficients: Array) -> Array:
        """(equations, points)"""
        return operator.residuals(self.values(state, operator), self.lefts(state, operator), coefficients)

    def residual_cost(self, residuals: Array) -> Array:
        """(equations,): cost of the residuals, as −2 log density."""
        return np.sum(self.space.moments(self._scaled(residuals)) ** 2, axis=(-2, -1))

    def _scaled(self, residuals: Array) -> Array:
        return (residuals.T / self.tolerance).T

    def value(self, state: Array, operator: Operator, coefficients: Array) -> float:
        """−2 log density of fields and readings given the law, up to a constant."""
        cost = self.residual_cost(self.residuals(state, operator, coefficients)).sum()
        return float(np.sum(self.misfit(state) ** 2) + cost + np.sum(self.prior_misfit(state) ** 2))

    def linearised(self, state: Array, operator: Operator, coefficients: Array) -> Rows:
        values, lefts = self.values(state, operator), self.lefts(state, operator)
        factors = operator.linearised(values, lefts, coefficients)
        rows = self.space.rows(
            {key: factor / self.tolerance[key[0]] for key, factor in factors.items()}, len(operator.fields)
        )
        moments, number = self.space.n_moments, len(operator.terms)
        on_law = np.zeros((self.space.n_elements, len(operator.fields) * moments, number + 1))
        columns = operator.columns(values, lefts)
        for k, equation in enumerate(operator.equation_of):
            some = slice(equation * moments, (equation + 1) * moments)
            on_law[:, some, k] = -self.space.moments(columns[k] / self.tolerance[equation])
        residuals = self.space.moments(self._scaled(operator.residuals(values, lefts, coefficients)))
        on_law[:, :, -1] = residuals.transpose(1, 0, 2).reshape(len(on_law), -1)
        return Rows(
            self.space,
            rows,
            on_law,
            self.fixed,
            np.concatenate([self.misfit(state), self.prior_misfit(state)]),
            self._fixed_bands,
        )


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows whose squares sum to an experiment's value, linear in a change of its state and of the k coefficients.

    by_law: (elements, equations·moments, F·local basis), on_law: (elements, equations·moments, k + 1), whose last
    column is the value without a change. fixed: (m, n), on_fixed: (m,), of readings and prior; fixed_bands: their
    square, without the contribution of systematic errors.
    """

    space: Space
    by_law: Array
    on_law: Array
    fixed: WhitenedRows
    on_fixed: Array
    fixed_bands: Array

    @cached_property
    def slope(self) -> Array:
        """(n,): half the gradient of the value in the state."""
        return self._pulled(self.on_law[..., -1:], self.on_fixed[:, None])[:, 0]

    @cached_property
    def slope_in_coefficients(self) -> Array:
        """(k,)"""
        return np.einsum("ep,epk->k", self.on_law[..., -1], self.on_law[..., :-1])

    def step(self) -> Array:
        """(n,): Gauss–Newton step of the state alone."""
        return -self.factor().solve(self.slope[:, None])[:, 0]

    def without(self, own: Numbers) -> Rows:
        """Without all readings of a field by a sensor, or of several fields."""
        removed = csr_array(self.fixed.weighed[own])
        on_fixed = self.on_fixed.copy()
        on_fixed[own] = 0.0
        return replace(
            self,
            fixed=self.fixed.without(own),
            on_fixed=on_fixed,
            fixed_bands=_sum_of_bands(self.fixed_bands, -banded(csr_array(removed.T @ removed), self.space.band)),
        )

    def factor(self) -> Factor:
        bands = _sum_of_bands(self.fixed_bands, self.space.squared(self.by_law))
        return Factor(bands, self.space.window, self.fixed.shared)

    def eliminated(self) -> Eliminated:
        """The state as a function of the coefficients, and what remains of the residual."""
        factor = self.factor()
        on_fixed = np.zeros((len(self.on_fixed), self.on_law.shape[-1]))
        on_fixed[:, -1] = self.on_fixed
        through = factor.solve(self._pulled(self.on_law, on_fixed))
        law, fixed = self._left_over(through, on_fixed)
        through = through + factor.solve(self._pulled(law, fixed))  # one step of iterative refinement
        law, fixed = self._left_over(through, on_fixed)
        left = np.vstack([law.reshape(-1, law.shape[-1]), fixed])
        return Eliminated(factor, through, np.asarray(np.linalg.qr(left, mode="r")))

    def _pulled(self, on_law: Array, on_fixed: Array) -> Array:
        return self.space.pulled(self.by_law, on_law) + self.fixed.transposed(on_fixed)

    def _left_over(self, through: Array, on_fixed: Array) -> tuple[Array, Array]:
        """Columns minus their projection onto the state."""
        law = np.empty_like(self.on_law)
        for begin in range(0, len(law), FIT.memory.elements):
            some = slice(begin, begin + FIT.memory.elements)
            law[some] = self.on_law[some] - self.by_law[some] @ through[self.space.basis[some]]
        return law, on_fixed - self.fixed.times(through)


@dataclass(frozen=True, eq=False)
class Eliminated:
    """factor: of the state's precision given the coefficients. through: (n, k + 1), negated derivatives of the state
    with respect to each coefficient, and its negated own step. rest: (≤ k + 1, k + 1), triangular factor of the
    remaining residual."""

    factor: Factor
    through: Array
    rest: Array


def banded(matrix: csr_array, band: int) -> Array:
    """Upper bands (band + 1, n), as LAPACK stores them, of a symmetric matrix; more bands if it has more."""
    entries = matrix.tocoo()
    row, column = entries.coords
    upper = row <= column
    band = max(band, int(np.max(column[upper] - row[upper], initial=0)))
    bands = np.zeros((band + 1, len(matrix.indptr) - 1), order="F")
    bands[band + row[upper] - column[upper], column[upper]] = entries.data[upper]
    return bands


def _sum_of_bands(one: Array, other: Array) -> Array:
    """Sum of two matrices with possibly different numbers of bands."""
    wide, narrow = (one, other) if len(one) >= len(other) else (other, one)
    found = wide.copy(order="F")
    found[len(wide) - len(narrow) :] += narrow
    return found
