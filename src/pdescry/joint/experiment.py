"""One experiment against a law: its field, how its readings scatter about that, what is known at its ends.

Everything here is for a field of given splines; which law it should obey, and with which coefficients, is told by the
caller: several experiments may share one (``objective.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, diags_array, kron, vstack

from pdescry.data import Readings
from pdescry.equation.algebra import partial
from pdescry.equation.term import Coordinate, Derivative, Sum
from pdescry.joint.ends import Condition
from pdescry.joint.scatter import Scatter
from pdescry.joint.splines import Array, Space
from pdescry.joint.triangle import Triangle, triangle
from pdescry.solver.evaluate import evaluate_terms

# Weights of ∫∫ (L³ u_xxx)², ∫∫ (T² u_tt)² and ∫∫ u², with u in units of its sd: enough for the field to be determined
# where nobody looks, and too little to blunt a shock.
ROUGHNESS = (1e-10, 1e-5, 1e-2)
AT_ENDS = 1e-3  # of the readings' sd, over the interval to the order: what conditions at the ends may fail by


@dataclass(frozen=True, eq=False)
class Experiment:
    """tolerance τ: of the law's residual, in units of u_t. conditions: known at the ends. around: a field about whose
    start this one's varies as readings do, if that is asked for."""

    space: Space
    scatter: Scatter
    tolerance: float = 1.0
    conditions: tuple[Condition, ...] = ()
    around: Array | None = None

    @property
    def readings(self) -> Readings:
        return self.scatter.readings

    # ---- the field alone -----------------------------------------------------------------------------------------

    @cached_property
    def seen(self) -> csr_array:
        """(N, n): the field at the readings."""
        return self.space.at(self.readings.space[:, 0], self.readings.time)

    @cached_property
    def weighed(self) -> csr_array:
        """(N, n): the same in units of the scatter."""
        return self.scatter.weighed_rows(self.seen)

    def misfit(self, field: Array) -> Array:
        """(N,): readings less field, in units of the scatter."""
        return self.scatter.weighed(self.readings.values[:, 0] - self.seen @ field)

    @cached_property
    def prior(self) -> tuple[csr_array, Array]:
        """Rows (m, n), and what they should be, (m,): squares of the differences are −2 log density."""
        ends = [self._at_end(condition) for condition in self.conditions]
        ends += [] if self.around is None else [self._at_start(self.around)]
        rows = csr_array(vstack([self._smoothness, *(each for each, _ in ends)]))
        return rows, np.concatenate([np.zeros(len(self._smoothness.indptr) - 1), *(wanted for _, wanted in ends)])

    def off_prior(self, field: Array) -> Array:
        rows, wanted = self.prior
        return rows @ field - wanted

    def _at_end(self, condition: Condition) -> tuple[csr_array, Array]:
        """Rows whose squares sum to the mean square over time of what a condition is not met by, in units of its
        tolerance."""
        t, width = self.space.t, float(np.ptp(self.space.x.breaks))
        weights = np.sqrt(t.weights / t.weights.sum()) * width**condition.order / (self._unit * AT_ENDS)
        rows = self.space.at(np.full(len(t.points), condition.place), t.points, condition.order)
        return diags_array(weights) @ rows, weights * condition.value

    def _at_start(self, around: Array) -> tuple[csr_array, Array]:
        """Rows of a process along x at the first time, about a field: its sd is that of the readings, its length of
        correlation the distance of sensors."""
        x, first = self.space.x, self.space.t.breaks[0]
        length = float(np.ptp(x.breaks)) / max(self.readings.n_sensors - 1, 1)
        parts = []
        for order in (0, 1):
            weights = np.sqrt(x.weights / (2 * length)) * length**order / self._unit
            parts.append(diags_array(weights) @ self.space.at(x.points, np.full(len(x.points), first), order))
        rows = csr_array(vstack(parts))
        return rows, rows @ around

    @cached_property
    def _smoothness(self) -> csr_array:
        """Rows whose squares sum to the roughness, (m, n)."""
        x, t = self.space.x, self.space.t
        width, duration = (float(np.ptp(axis.breaks)) for axis in (x, t))
        parts = []
        for weight, (order_x, order_t), length in zip(
            ROUGHNESS, ((3, 0), (0, 2), (0, 0)), (width**3, duration**2, 1.0), strict=True
        ):
            size = np.sqrt(weight / (width * duration)) * length / self._unit
            parts.append(size * kron(x.lumped(order_x), t.lumped(order_t)))
        return csr_array(vstack(parts))

    @property
    def _unit(self) -> float:
        return float(np.std(self.readings.values[:, 0])) or 1.0

    @cached_property
    def fixed(self) -> csr_array:
        """Rows that no law changes: readings and prior."""
        return csr_array(vstack([-self.weighed, self.prior[0]]))

    # ---- the field and a law -------------------------------------------------------------------------------------

    def derivatives(self, field: Array) -> dict:
        """What terms are made of, at the points of quadrature."""
        name, axis, time = self.readings.fields[0], self.readings.axes[0], "t"
        x, t = np.meshgrid(self.space.x.points, self.space.t.points, indexing="ij")
        values = {
            Derivative(name, axis * order): self.space.values(field, (order, 0))
            for order in range(self.space.orders[0] + 1)
        }
        return values | {Coordinate(axis): x, Coordinate(time): t}

    def columns(self, field: Array, terms: Sequence[Sum]) -> tuple[Array, Array]:
        """u_t, and (k, …) the terms, at the points of quadrature."""
        values, left = self.derivatives(field), self.space.values(field, (0, 1))
        return left, np.array([evaluate_terms(each, values, left) for each in terms]).reshape(-1, *left.shape)

    def residual(self, field: Array, terms: Sequence[Sum], coefficients: Array) -> Array:
        left, columns = self.columns(field, terms)
        return left - np.tensordot(coefficients, columns, 1)

    def unmet(self, residual: Array) -> float:
        """What a residual costs: −2 log density."""
        return float(np.sum(self.space.moments(residual / self.tolerance) ** 2))

    def value(self, field: Array, terms: Sequence[Sum], coefficients: Array) -> float:
        """−2 log density of field and readings under the law, but for a constant."""
        residual = self.residual(field, terms, coefficients)
        return float(np.sum(self.misfit(field) ** 2) + self.unmet(residual) + np.sum(self.off_prior(field) ** 2))

    def linearised(self, field: Array, terms: Sequence[Sum], coefficients: Array, law: Sum) -> Rows:
        """``law``: the terms, times their coefficients."""
        values = self.derivatives(field)
        left, columns = self.columns(field, terms)
        operator = {(0, 1): np.full_like(left, 1 / self.tolerance)}
        for variable in values:
            if isinstance(variable, Derivative) and (slope := partial(law, variable)):
                operator[len(variable.axes), 0] = -evaluate_terms(slope, values, left) / self.tolerance
        residual = self.space.moments((left - np.tensordot(coefficients, columns, 1)) / self.tolerance)
        on_terms = [-self.space.moments(column / self.tolerance) for column in columns]
        return Rows(
            self.space,
            self.space.rows(operator),
            np.stack([*on_terms, residual], axis=-1),
            self.fixed,
            np.concatenate([self.misfit(field), self.off_prior(field)]),
        )


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows whose squares sum to an experiment's value, linear in a change of its field and of the k coefficients.

    by_law: (elements, MOMENTS², local basis), on_law: (elements, MOMENTS², k + 1), the last column what is left without
    a change. fixed: (m, n), on_fixed: (m,), of readings and prior.
    """

    space: Space
    by_law: Array
    on_law: Array
    fixed: csr_array
    on_fixed: Array

    @cached_property
    def slope(self) -> Array:
        """(n,): of half the value, in the field."""
        return self.space.pulled(self.by_law, self.on_law[..., -1:])[:, 0] + self.fixed.T @ self.on_fixed

    @cached_property
    def slope_in_coefficients(self) -> Array:
        """(k,)"""
        return np.einsum("ep,epk->k", self.on_law[..., -1], self.on_law[..., :-1])

    def triangle(self) -> Triangle:
        padded = np.zeros((len(self.on_fixed), self.on_law.shape[-1]))
        padded[:, -1] = self.on_fixed
        return triangle(self.space, self.by_law, self.on_law, self.fixed, padded)
