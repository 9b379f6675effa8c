"""The sum of squares that field and coefficients minimise together, and Gauss–Newton's way down."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array, diags_array, kron, vstack

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.equation.algebra import add, expand, partial, scale
from pdescry.equation.term import Coordinate, Derivative, Sum
from pdescry.joint.boundary import Condition
from pdescry.joint.known import Given
from pdescry.joint.scatter import Scatter
from pdescry.joint.splines import Array, Space
from pdescry.joint.triangle import Triangle, triangle
from pdescry.solver.evaluate import evaluate_terms

# Weights of ∫∫ (L³ u_xxx)², ∫∫ (T² u_tt)² and ∫∫ u², with u in units of its sd: enough for the field to be determined
# where nobody looks, and too little to blunt a shock.
ROUGHNESS = (1e-10, 1e-5, 1e-2)
SHARES = (1.0, 0.3, 0.1, 0.03)  # of a step, tried in turn
GOOD_PART = 0.3  # of what a step promised
CORRECTIONS = 6  # of the field
LITTLE, PATIENCE = 0.1, 2  # so little of what was promised, so often in a row: this leads nowhere
AT_ENDS = 1e-3  # of the readings' sd, over the interval to the order: what conditions at the ends may fail by
ENOUGH = 1e-2  # of twice the log posterior: a step that promises less is not taken


@dataclass(frozen=True, eq=False)
class Objective:
    """Field and law against the readings.

    tolerance τ: of the residual, in units of u_t. prior_sd: (k,) of the coefficients, broad. given: those that are
    known, around which the prior lies; it lies around zero for others. conditions: known at the ends.
    """

    space: Space
    scatter: Scatter
    terms: tuple[Term, ...]
    tolerance: float
    prior_sd: Array
    given: Mapping[Term, Given] = dataclasses.field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()

    @property
    def readings(self) -> Readings:
        return self.scatter.readings

    @cached_property
    def opened(self) -> list[Sum]:
        """The terms without conservative forms."""
        return [expand({term: 1.0}) for term in self.terms]

    @cached_property
    def prior_mean(self) -> Array:
        """(k,), of the coefficients."""
        return np.array([self.given[term].value if term in self.given else 0.0 for term in self.terms])

    @cached_property
    def seen(self) -> csr_array:
        """(N, n): the field at the readings."""
        return self.space.at(self.readings.space[:, 0], self.readings.time)

    @cached_property
    def weighed(self) -> csr_array:
        """(N, n): the same in units of the scatter."""
        return self.scatter.weighed_rows(self.seen)

    @cached_property
    def prior(self) -> tuple[csr_array, Array]:
        """Rows (m, n), and what they should be, (m,): squares of the differences are −2 log density."""
        ends = [self._at_end(condition) for condition in self.conditions]
        rows = csr_array(vstack([self._smoothness, *(each for each, _ in ends)]))
        return rows, np.concatenate([np.zeros(len(self._smoothness.indptr) - 1), *(wanted for _, wanted in ends)])

    def _at_end(self, condition: Condition) -> tuple[csr_array, Array]:
        """Rows whose squares sum to the mean square over time of what a condition is not met by, in units of its
        tolerance."""
        t, width = self.space.t, float(np.ptp(self.space.x.breaks))
        unit = float(np.std(self.readings.values[:, 0])) or 1.0
        weights = np.sqrt(t.weights / t.weights.sum()) * width**condition.order / (unit * AT_ENDS)
        rows = self.space.at(np.full(len(t.points), condition.place), t.points, condition.order)
        return diags_array(weights) @ rows, weights * condition.value

    def off_prior(self, field: Array) -> Array:
        rows, wanted = self.prior
        return rows @ field - wanted

    @cached_property
    def _smoothness(self) -> csr_array:
        """Rows whose squares sum to the roughness, (m, n)."""
        x, t = self.space.x, self.space.t
        width, duration = (float(np.ptp(axis.breaks)) for axis in (x, t))
        unit = float(np.std(self.readings.values[:, 0])) or 1.0
        parts = []
        for weight, (order_x, order_t), length in zip(
            ROUGHNESS, ((3, 0), (0, 2), (0, 0)), (width**3, duration**2, 1.0), strict=True
        ):
            size = np.sqrt(weight / (width * duration)) * length / unit
            parts.append(size * kron(x.lumped(order_x), t.lumped(order_t)))
        return csr_array(vstack(parts))

    @cached_property
    def fixed(self) -> csr_array:
        """Rows that no law changes: readings and prior."""
        return csr_array(vstack([-self.weighed, self.prior[0]]))

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
        """(N,): readings less field, in units of the scatter."""
        return self.scatter.weighed(self.readings.values[:, 0] - self.seen @ field)

    def value(self, field: Array, coefficients: Array) -> float:
        """−2 log posterior, but for a constant."""
        with np.errstate(all="ignore"):
            physics = self.space.moments(self.residual(field, coefficients) / self.tolerance)
            return float(
                np.sum(self.misfit(field) ** 2)
                + np.sum(physics**2)
                + np.sum(self.off_prior(field) ** 2)
                + np.sum(((coefficients - self.prior_mean) / self.prior_sd) ** 2)
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
        residual = space.moments((left - np.tensordot(coefficients, columns, 1)) / self.tolerance)
        terms = [-space.moments(column / self.tolerance) for column in columns]
        return Linearised(
            space,
            space.rows(operator),
            np.stack([*terms, residual], axis=-1),
            self.fixed,
            np.concatenate([self.misfit(field), self.off_prior(field)]),
            np.column_stack([np.diag(1 / self.prior_sd), (coefficients - self.prior_mean) / self.prior_sd]),
        )

    def minimise(self, field: Array, coefficients: Array, steps: int) -> Minimum:
        """Gauss–Newton from a start, the field following the coefficients where a step leads uphill."""
        value, converged, struggles = self.value(field, coefficients), False, 0
        for _ in range(steps):
            here = self.linearised(field, coefficients)
            step = here.solved().step()
            if (promised := here.promised(*step)) < ENOUGH:
                converged = True
                break
            down = self._downhill(field, coefficients, step, value, promised)
            if down is None:
                break
            struggles = struggles + 1 if value - down[2] < LITTLE * promised else 0
            field, coefficients, value = down
            if struggles == PATIENCE:
                break
        return Minimum(self, field, coefficients, converged)

    def _downhill(
        self, field: Array, coefficients: Array, step: tuple[Array, Array], value: float, promised: float
    ) -> tuple[Array, Array, float] | None:
        """Where a step leads that lowers the value by a good part of what it promised; None where none does."""
        best = None
        for share in SHARES:
            new, new_coefficients = field + share * step[0], coefficients + share * step[1]
            found = self.value(new, new_coefficients)
            for _ in range(CORRECTIONS):
                if found < value - GOOD_PART * share * promised:
                    return new, new_coefficients, found
                # Field and coefficients are multiplied in the law: once these have moved, the field is mended.
                mended = new + self.linearised(new, new_coefficients).solved().step_of_field()
                before, found = found, self.value(mended, new_coefficients)
                if not found < before:
                    found = before
                    break
                new = mended
            if found < value and (best is None or found < best[2]):
                best = new, new_coefficients, found
                if share < 1:
                    break
        return best


@dataclass(frozen=True, eq=False)
class Linearised:
    """Rows whose squares sum to twice the objective's half, linear in a change of field and of the k coefficients.

    by_law: (elements, MOMENTS², local basis), on_law: (elements, MOMENTS², k + 1), the last column what is left without
    a change. fixed: (m, n), on_fixed: (m,), of readings and prior. own: (k, k + 1), of the coefficients' prior.
    """

    space: Space
    by_law: Array
    on_law: Array
    fixed: csr_array
    on_fixed: Array
    own: Array

    @cached_property
    def slope(self) -> Array:
        """(n,): of half the objective, in the field."""
        return self.space.pulled(self.by_law, self.on_law[..., -1:])[:, 0] + self.fixed.T @ self.on_fixed

    @cached_property
    def own_slope(self) -> Array:
        """(k,): in the coefficients."""
        law = np.einsum("ep,epk->k", self.on_law[..., -1], self.on_law[..., :-1])
        return law + self.own[:, :-1].T @ self.own[:, -1]

    def promised(self, change: Array, own: Array) -> float:
        """By how much a full step should lower the objective, were it quadratic."""
        return float(-(self.slope @ change + self.own_slope @ own))

    def solved(self) -> Factored:
        padded = np.zeros((len(self.on_fixed), self.on_law.shape[-1]))
        padded[:, -1] = self.on_fixed
        reduced = triangle(self.space, self.by_law, self.on_law, self.fixed, padded)
        rest = np.asarray(np.linalg.qr(np.vstack([reduced.rest, self.own]), mode="r"))
        return Factored(reduced, rest)


@dataclass(frozen=True, eq=False)
class Factored:
    """``rest``: (≤ k + 1, k + 1), the coefficients' triangle once the field has followed, and what is left over."""

    field: Triangle
    rest: Array

    @property
    def root(self) -> Array:
        """(k, k): its square is the coefficients' precision, the field having followed."""
        k = self.rest.shape[1] - 1
        return self.rest[:k, :k]

    @property
    def schur(self) -> Array:
        return self.root.T @ self.root

    @cached_property
    def through(self) -> Array:
        """(n, k): how the field follows a coefficient, negated."""
        return self.field.solve(self.field.right[:, :-1])

    def step(self) -> tuple[Array, Array]:
        own = -solve_triangular(self.root, self.rest[: len(self.root), -1])
        return -self.field.solve(self.field.right[:, -1] + self.field.right[:, :-1] @ own), own

    def step_of_field(self) -> Array:
        """With the coefficients as they are."""
        return -self.field.solve(self.field.right[:, -1])

    def covariance(self, seen: csr_array) -> Array:
        """Posterior covariance of the field at the rows of ``seen``."""
        alone = self.field.solve_transposed(seen.T.toarray())
        moved = solve_triangular(self.root, (seen @ self.through).T, trans=1)
        return alone.T @ alone + moved.T @ moved


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
        inverse = solve_triangular(self.factored.root, np.eye(len(self.coefficients)))
        return inverse @ inverse.T

    @property
    def unresolved(self) -> float:
        """The residual, as a share of u_t (both rms)."""
        space, objective = self.objective.space, self.objective
        residual = objective.residual(self.field, self.coefficients)
        left = space.values(self.field, (0, 1))
        return float(np.sqrt(np.sum(space.area * residual**2) / np.sum(space.area * left**2)))

    @property
    def unmet(self) -> float:
        """What the residual costs, in nats."""
        objective = self.objective
        residual = objective.residual(self.field, self.coefficients)
        return float(np.sum(objective.space.moments(residual / objective.tolerance) ** 2)) / 2

    def noise_factor(self) -> float:
        """By how much the noise should grow for the misfit to be what it is, freedoms of the field discounted."""
        objective, log_step = self.objective, 0.02

        def log_determinant(factor: float) -> float:
            scatter = objective.scatter.with_noise(objective.scatter.noise * factor)
            scaled = replace(objective, scatter=scatter)
            return scaled.linearised(self.field, self.coefficients).solved().field.log_determinant

        # d log|Λ|/d log σ = −2 tr(Λ⁻¹ BᵀB/σ²): the number of freedoms, without an inverse.
        up, down = (log_determinant(np.exp(sign * log_step)) for sign in (1, -1))
        freedoms = -(up - down) / (4 * log_step)
        n = len(objective.readings)
        return float(np.sqrt(np.sum(objective.misfit(self.field) ** 2) / max(n - freedoms, n / 10)))


def order_of(terms: Iterable[Term]) -> int:
    """The highest derivative in them, conservative forms opened."""
    return max((part.order() for term in terms for part in expand({term: 1.0})), default=0)


def least_squares(columns: Array, left: Array) -> Array:
    """(k,), for columns (k, rows): coefficients to begin from."""
    if not len(columns):
        return np.zeros(0)
    sizes = np.linalg.norm(columns, axis=1)
    sizes[sizes == 0] = 1.0
    return np.linalg.lstsq((columns / sizes[:, None]).T, left, rcond=1e-6)[0] / sizes
