"""The sum of squares that field and coefficients minimise together, and Gauss–Newton's way down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cho_solve_banded, cholesky_banded
from scipy.sparse import csr_array, diags_array, kron

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.equation.algebra import add, expand, partial, scale
from pdescry.equation.term import Coordinate, Derivative, Sum
from pdescry.joint.splines import Array, Space
from pdescry.solver.evaluate import evaluate_terms

# Weights of ∫∫ (L³ u_xxx)², ∫∫ (T² u_tt)² and ∫∫ u², with u in units of its sd: enough for the field to be determined
# where nobody looks, and too little to blunt a shock.
ROUGHNESS = (1e-10, 1e-5, 1e-2)
JITTER = 1e-15  # of the diagonal: for Cholesky's sake
SHARES = (1.0, 0.4, 0.1)  # of a step, tried in turn
DAMPINGS = 6
ENOUGH = 1e-2  # of twice the log posterior: a step that promises less is not taken


@dataclass(frozen=True, eq=False)
class Objective:
    """Field and law against the readings.

    noise: (N,) sds. tolerance τ: of the residual, in units of u_t. prior_sd: (k,) of the coefficients, broad.
    """

    space: Space
    readings: Readings
    terms: tuple[Term, ...]
    noise: Array
    tolerance: float
    prior_sd: Array

    @cached_property
    def opened(self) -> list[Sum]:
        """The terms without conservative forms."""
        return [expand({term: 1.0}) for term in self.terms]

    @property
    def order(self) -> int:
        """Of the law, along x."""
        return order_of(self.terms)

    @cached_property
    def seen(self) -> csr_array:
        """(N, n): the field at the readings."""
        return self.space.at(self.readings.space[:, 0], self.readings.time)

    @cached_property
    def data(self) -> Array:
        weighted = diags_array(1 / self.noise) @ self.seen
        return self.space.banded(csr_array(weighted.T @ weighted))

    @cached_property
    def roughness(self) -> csr_array:
        """The prior's precision, (n, n)."""
        axes = self.space.x, self.space.t
        width, duration = (float(np.ptp(axis.breaks)) for axis in axes)
        unit = float(np.std(self.readings.values[:, 0])) or 1.0
        total = csr_array((self.space.n, self.space.n))
        for weight, (order_x, order_t), length in zip(
            ROUGHNESS, ((3, 0), (0, 2), (0, 0)), (width**3, duration**2, 1.0), strict=True
        ):
            along_x, along_t = (
                csr_array(axis.matrix(axis.points, order).T * axis.weights @ axis.matrix(axis.points, order))
                for axis, order in zip(axes, (order_x, order_t), strict=True)
            )
            total = total + weight * (length / unit) ** 2 / (width * duration) * csr_array(kron(along_x, along_t))
        return total

    @cached_property
    def _prior(self) -> Array:
        return self.space.banded(self.roughness)

    # ---- at one place --------------------------------------------------------------------------------------------

    def derivatives(self, field: Array) -> dict:
        """What terms are made of, at the points of quadrature."""
        name, axis, time = self.readings.fields[0], self.readings.axes[0], "t"
        x, t = np.meshgrid(self.space.x.points, self.space.t.points, indexing="ij")
        values = {
            Derivative(name, axis * order): self.space.values(field, (order, 0))
            for order in range(self.space.orders[0] + 1)
        }
        return values | {Coordinate(axis): x, Coordinate(time): t}

    def columns(self, field: Array) -> tuple[Array, Array]:
        """u_t, and (k, …) the terms, at the points of quadrature."""
        values, left = self.derivatives(field), self.space.values(field, (0, 1))
        return left, np.array([evaluate_terms(each, values, left) for each in self.opened]).reshape(-1, *left.shape)

    def residual(self, field: Array, coefficients: Array) -> Array:
        left, columns = self.columns(field)
        return left - np.tensordot(coefficients, columns, 1)

    def misfit(self, field: Array) -> Array:
        """(N,): readings less field, in units of the noise."""
        return (self.readings.values[:, 0] - self.seen @ field) / self.noise

    def value(self, field: Array, coefficients: Array) -> float:
        """−2 log posterior, but for a constant."""
        with np.errstate(all="ignore"):
            physics = self.space.moments(self.residual(field, coefficients) / self.tolerance)
            return float(
                np.sum(self.misfit(field) ** 2)
                + np.sum(physics**2)
                + field @ (self.roughness @ field)
                + np.sum((coefficients / self.prior_sd) ** 2)
            )

    def linearised(self, field: Array, coefficients: Array) -> Linearised:
        space = self.space
        values = self.derivatives(field)
        left, columns = self.columns(field)
        law: Sum = {}
        for each, coefficient in zip(self.opened, coefficients, strict=True):
            law = add(law, scale(each, float(coefficient)))
        operator = {(0, 1): np.full_like(left, 1 / self.tolerance)}
        for variable in values:
            if isinstance(variable, Derivative) and (slope := partial(law, variable)):
                orders = (len(variable.axes), 0)
                operator[orders] = -evaluate_terms(slope, values, left) / self.tolerance
        rows = space.rows(operator)
        residual = space.moments((left - np.tensordot(coefficients, columns, 1)) / self.tolerance)
        terms = np.stack([space.moments(column / self.tolerance) for column in columns], axis=-1)
        precision = space.gram(rows) + self.data + self._prior
        return Linearised(
            precision,
            cross=-space.pulled(rows, terms),
            own=np.einsum("epk,epl->kl", terms, terms) + np.diag(self.prior_sd**-2.0),
            slope=space.pulled(rows, residual[..., None])[:, 0]
            - self.seen.T @ (self.misfit(field) / self.noise)
            + self.roughness @ field,
            own_slope=-np.einsum("ep,epk->k", residual, terms) + coefficients / self.prior_sd**2,
        )

    def minimise(self, field: Array, coefficients: Array, steps: int) -> Minimum:
        """From a start: damped where the full step leads uphill."""
        value, damping, converged = self.value(field, coefficients), 0.0, False
        for _ in range(steps):
            here = self.linearised(field, coefficients)
            step = here.solved(damping).step()
            if here.promised(*step) < ENOUGH:
                converged = True
                break
            down = self._downhill(here, step, field, coefficients, value, damping)
            if down is None:
                break
            field, coefficients, value, damping = down
        return Minimum(self, field, coefficients, converged)

    def _downhill(
        self,
        here: Linearised,
        step: tuple[Array, Array],
        field: Array,
        coefficients: Array,
        value: float,
        damping: float,
    ) -> tuple[Array, Array, float, float] | None:
        """Where a step leads that lowers the value, and the damping for the next; None where none does."""
        for _ in range(DAMPINGS):
            for share in SHARES:
                new, new_coefficients = field + share * step[0], coefficients + share * step[1]
                if (found := self.value(new, new_coefficients)) < value:
                    return new, new_coefficients, found, damping / 10 if share == 1.0 and damping > 1e-8 else damping
            damping = max(10 * damping, 1e-7)
            step = here.solved(damping).step()
        return None


@dataclass(frozen=True, eq=False)
class Linearised:
    """Second derivatives of half the objective: ``precision`` of the field (banded), ``cross`` (n, k), ``own`` (k, k);
    and first derivatives ``slope`` (n,), ``own_slope`` (k,)."""

    precision: Array
    cross: Array
    own: Array
    slope: Array
    own_slope: Array

    def promised(self, change: Array, own: Array) -> float:
        """By how much a full step should lower the objective, were it quadratic."""
        return float(-(self.slope @ change + self.own_slope @ own))

    def solved(self, damping: float = 0.0) -> Factored:
        bands = self.precision.copy()
        bands[0] *= 1 + max(damping, JITTER)
        try:
            factor = cholesky_banded(bands, lower=True, check_finite=False)
        except LinAlgError:
            if damping > 1e-2:
                raise
            return self.solved(max(100 * damping, 1e-9))
        through = cho_solve_banded((factor, True), self.cross, check_finite=False)
        return Factored(self, factor, through, self.own - self.cross.T @ through, damping)


@dataclass(frozen=True, eq=False)
class Factored:
    """``through``: (n, k), how the field follows a coefficient, negated; ``schur``: (k, k), the coefficients'
    precision once the field has followed; ``damping``: what was asked for, or more, where Cholesky needed it."""

    at: Linearised
    factor: Array
    through: Array
    schur: Array
    damping: float

    def solve(self, right: Array) -> Array:
        return cho_solve_banded((self.factor, True), right, check_finite=False)

    def step(self) -> tuple[Array, Array]:
        alone = self.solve(self.at.slope)
        own = -np.linalg.solve(self.schur, self.at.own_slope - self.at.cross.T @ alone)
        return np.asarray(-(alone + self.through @ own), float), np.asarray(own, float)

    def covariance(self, seen: csr_array) -> Array:
        """Posterior covariance of the field at the rows of ``seen``."""
        moved = seen @ self.through
        found = seen @ self.solve(seen.T.toarray()) + moved @ np.linalg.solve(self.schur, moved.T)
        return np.asarray(found, float)

    @property
    def log_determinant(self) -> float:
        return 2 * float(np.log(self.factor[0]).sum())


@dataclass(frozen=True, eq=False)
class Minimum:
    objective: Objective
    field: Array
    coefficients: Array
    converged: bool

    @cached_property
    def factored(self) -> Factored:
        return self.objective.linearised(self.field, self.coefficients).solved()

    @property
    def covariance(self) -> Array:
        """(k, k), of the coefficients."""
        found = np.linalg.inv(self.factored.schur)
        return (found + found.T) / 2

    @property
    def unresolved(self) -> float:
        """The residual, as a share of u_t (both rms)."""
        space, objective = self.objective.space, self.objective
        residual = objective.residual(self.field, self.coefficients)
        left = space.values(self.field, (0, 1))
        return float(np.sqrt(np.sum(space.area * residual**2) / np.sum(space.area * left**2)))

    def noise_factor(self) -> float:
        """By how much the noise should grow for the misfit to be what it is, freedoms of the field discounted."""
        objective, log_step = self.objective, 0.02

        def log_determinant(factor: float) -> float:
            scaled = replace(objective, noise=objective.noise * factor)
            return scaled.linearised(self.field, self.coefficients).solved().log_determinant

        # d log|Λ|/d log σ = −2 tr(Λ⁻¹ BᵀB/σ²): the number of freedoms, without an inverse.
        up, down = (log_determinant(np.exp(sign * log_step)) for sign in (1, -1))
        freedoms = -(up - down) / (4 * log_step)
        n = len(objective.noise)
        return float(np.sqrt(np.sum(objective.misfit(self.field) ** 2) / max(n - freedoms, n / 10)))


def order_of(terms: Iterable[Term]) -> int:
    """The highest derivative in them, conservative forms opened."""
    return max((part.order() for term in terms for part in expand({term: 1.0})), default=0)


def least_squares(columns: Sequence[Array] | Array, left: Array, weights: Array) -> Array:
    """Coefficients to begin from."""
    table = np.stack([(column * weights).ravel() for column in columns], axis=1)
    sizes = np.linalg.norm(table, axis=0)
    sizes[sizes == 0] = 1.0
    return np.linalg.lstsq(table / sizes, (left * weights).ravel(), rcond=1e-6)[0] / sizes
