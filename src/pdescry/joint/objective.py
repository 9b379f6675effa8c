"""The sum of squares that fields and coefficients minimise together, and Gauss–Newton's way down.

Each experiment has a field of its own (``experiment.py``); the law's coefficients are common to all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.equation.algebra import add, expand, scale
from pdescry.equation.term import Sum
from pdescry.joint.experiment import Experiment, Rows
from pdescry.joint.known import Given
from pdescry.joint.splines import Array
from pdescry.joint.triangle import Triangle

SHARES = (1.0, 0.3, 0.1, 0.03)  # of a step, tried in turn
GOOD_PART = 0.3  # of what a step promised
CORRECTIONS = 6  # of the fields
LITTLE, PATIENCE = 0.1, 2  # so little of what was promised, so often in a row: this leads nowhere
ENOUGH = 1e-2  # of twice the log posterior: a step that promises less is not taken

Fields = tuple[Array, ...]  # one for each experiment, the n of its splines


@dataclass(frozen=True, eq=False)
class Objective:
    """Fields and law against the readings.

    prior_sd: (k,) of the coefficients, broad. given: those that are known, around which the prior lies; it lies around
    zero for others.
    """

    experiments: tuple[Experiment, ...]
    terms: tuple[Term, ...]
    prior_sd: Array
    given: Mapping[Term, Given] = dataclasses.field(default_factory=dict)

    @property
    def readings(self) -> Readings:
        """Of the first experiment: all have the same names."""
        return self.experiments[0].readings

    @cached_property
    def opened(self) -> list[Sum]:
        """The terms without conservative forms."""
        return [expand({term: 1.0}) for term in self.terms]

    @cached_property
    def prior_mean(self) -> Array:
        """(k,), of the coefficients."""
        return np.array([self.given[term].value if term in self.given else 0.0 for term in self.terms])

    def columns(self, fields: Fields) -> list[tuple[Array, Array]]:
        """For each experiment u_t, and (k, …) the terms, at the points of quadrature."""
        return [each.columns(field, self.opened) for each, field in zip(self.experiments, fields, strict=True)]

    def residuals(self, fields: Fields, coefficients: Array) -> list[Array]:
        pairs = zip(self.experiments, fields, strict=True)
        return [each.residual(field, self.opened, coefficients) for each, field in pairs]

    def value(self, fields: Fields, coefficients: Array) -> float:
        """−2 log posterior, but for a constant."""
        with np.errstate(all="ignore"):
            own = float(np.sum(((coefficients - self.prior_mean) / self.prior_sd) ** 2))
            pairs = zip(self.experiments, fields, strict=True)
            return sum(each.value(field, self.opened, coefficients) for each, field in pairs) + own

    def linearised(self, fields: Fields, coefficients: Array) -> Linearised:
        law: Sum = {}
        for each, coefficient in zip(self.opened, coefficients, strict=True):
            law = add(law, scale(each, float(coefficient)))
        pairs = zip(self.experiments, fields, strict=True)
        return Linearised(
            tuple(each.linearised(field, self.opened, coefficients, law) for each, field in pairs),
            np.column_stack([np.diag(1 / self.prior_sd), (coefficients - self.prior_mean) / self.prior_sd]),
        )

    def minimise(self, fields: Fields, coefficients: Array, steps: int) -> Minimum:
        """Gauss–Newton from a start, the fields following the coefficients where a step leads uphill."""
        value, converged, struggles = self.value(fields, coefficients), False, 0
        for _ in range(steps):
            here = self.linearised(fields, coefficients)
            step = here.solved().step()
            if (promised := here.promised(*step)) < ENOUGH:
                converged = True
                break
            down = self._downhill(fields, coefficients, step, value, promised)
            if down is None:
                break
            struggles = struggles + 1 if value - down[2] < LITTLE * promised else 0
            fields, coefficients, value = down
            if struggles == PATIENCE:
                break
        return Minimum(self, fields, coefficients, converged)

    def _downhill(
        self, fields: Fields, coefficients: Array, step: tuple[Fields, Array], value: float, promised: float
    ) -> tuple[Fields, Array, float] | None:
        """Where a step leads that lowers the value by a good part of what it promised; None where none does."""
        best = None
        for share in SHARES:
            new, new_coefficients = _moved(fields, step[0], share), coefficients + share * step[1]
            found = self.value(new, new_coefficients)
            for _ in range(CORRECTIONS):
                if found < value - GOOD_PART * share * promised:
                    return new, new_coefficients, found
                # Field and coefficients are multiplied in the law: once these have moved, the field is mended.
                mended = _moved(new, self.linearised(new, new_coefficients).solved().step_of_fields())
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


def _moved(fields: Fields, changes: Fields, share: float = 1.0) -> Fields:
    return tuple(field + share * change for field, change in zip(fields, changes, strict=True))


@dataclass(frozen=True, eq=False)
class Linearised:
    """Rows of each experiment, and own: (k, k + 1), of the coefficients' prior."""

    experiments: tuple[Rows, ...]
    own: Array

    @property
    def slopes(self) -> Fields:
        """Of half the objective, in each field."""
        return tuple(each.slope for each in self.experiments)

    @cached_property
    def own_slope(self) -> Array:
        """(k,): in the coefficients."""
        prior = self.own[:, :-1].T @ self.own[:, -1]
        return np.sum([each.slope_in_coefficients for each in self.experiments], axis=0) + prior

    def promised(self, changes: Fields, own: Array) -> float:
        """By how much a full step should lower the objective, were it quadratic."""
        along = sum(slope @ change for slope, change in zip(self.slopes, changes, strict=True))
        return float(-(along + self.own_slope @ own))

    def solved(self) -> Factored:
        fields = tuple(each.triangle() for each in self.experiments)
        rest = np.asarray(np.linalg.qr(np.vstack([*(each.rest for each in fields), self.own]), mode="r"))
        return Factored(fields, rest)


@dataclass(frozen=True, eq=False)
class Factored:
    """``rest``: (≤ k + 1, k + 1), the coefficients' triangle once the fields have followed, and what is left over."""

    fields: tuple[Triangle, ...]
    rest: Array

    @property
    def root(self) -> Array:
        """(k, k): its square is the coefficients' precision, the fields having followed."""
        k = self.rest.shape[1] - 1
        return self.rest[:k, :k]

    @cached_property
    def through(self) -> tuple[Array, ...]:
        """(n, k) for each field: how it follows a coefficient, negated."""
        return tuple(field.solve(field.right[:, :-1]) for field in self.fields)

    def step(self) -> tuple[Fields, Array]:
        own = -solve_triangular(self.root, self.rest[: len(self.root), -1])
        changes = (-field.solve(field.right[:, -1] + field.right[:, :-1] @ own) for field in self.fields)
        return tuple(changes), own

    def step_of_fields(self) -> Fields:
        """With the coefficients as they are."""
        return tuple(-field.solve(field.right[:, -1]) for field in self.fields)

    def covariance(self, seen: csr_array, number: int = 0) -> Array:
        """Posterior covariance of the field of one experiment at the rows of ``seen``."""
        alone = self.fields[number].solve_transposed(seen.T.toarray())
        moved = solve_triangular(self.root, (seen @ self.through[number]).T, trans=1)
        return alone.T @ alone + moved.T @ moved


@dataclass(frozen=True, eq=False)
class Minimum:
    objective: Objective
    fields: Fields
    coefficients: Array
    converged: bool

    @cached_property
    def factored(self) -> Factored:
        return self.objective.linearised(self.fields, self.coefficients).solved()

    @property
    def covariance(self) -> Array:
        """(k, k), of the coefficients."""
        inverse = solve_triangular(self.factored.root, np.eye(len(self.coefficients)))
        return inverse @ inverse.T

    @property
    def experiments(self) -> list[tuple[int, Experiment, Array]]:
        """Each with its number and its field."""
        pairs = zip(self.objective.experiments, self.fields, strict=True)
        return [(number, experiment, field) for number, (experiment, field) in enumerate(pairs)]

    def with_experiments(self, experiments: Sequence[Experiment], fields: Sequence[Array] | None = None) -> Minimum:
        """The same law where other experiments, or other splines of theirs, take the place of these; not minimised."""
        objective = replace(self.objective, experiments=tuple(experiments))
        return replace(self, objective=objective, fields=self.fields if fields is None else tuple(fields))

    @property
    def unresolved(self) -> float:
        """The residual, as a share of u_t (both rms), of the experiment where it is largest."""
        residuals = self.objective.residuals(self.fields, self.coefficients)
        shares = [
            np.sum(each.space.area * residual**2) / np.sum(each.space.area * each.space.values(field, (0, 1)) ** 2)
            for (_, each, field), residual in zip(self.experiments, residuals, strict=True)
        ]
        return float(np.sqrt(np.max(shares)))

    def mean_square(self, values: Iterable[Array]) -> Array:
        """(…): over each experiment, and then over these, of values (…, x, t) at the points of quadrature."""
        pairs = zip(self.objective.experiments, values, strict=True)
        return np.mean([np.sum(each.space.area * part**2, axis=(-2, -1)) for each, part in pairs], axis=0)

    @property
    def unmet(self) -> float:
        """What the residual costs, in nats."""
        residuals = self.objective.residuals(self.fields, self.coefficients)
        pairs = zip(self.objective.experiments, residuals, strict=True)
        return sum(each.unmet(residual) for each, residual in pairs) / 2

    def noise_factor(self, number: int = 0) -> float:
        """By how much the noise of one experiment should grow for the misfit to be what it is, freedoms of the field
        discounted."""
        log_step, (_, experiment, field) = 0.02, self.experiments[number]

        def log_determinant(factor: float) -> float:
            scatter = experiment.scatter.with_noise(experiment.scatter.noise * factor)
            scaled = replace(self.objective, experiments=(replace(experiment, scatter=scatter),))
            return scaled.linearised((field,), self.coefficients).solved().fields[0].log_determinant

        # d log|Λ|/d log σ = −2 tr(Λ⁻¹ BᵀB/σ²): the number of freedoms, without an inverse.
        up, down = (log_determinant(np.exp(sign * log_step)) for sign in (1, -1))
        freedoms = -(up - down) / (4 * log_step)
        n = len(experiment.readings)
        return float(np.sqrt(np.sum(experiment.misfit(field) ** 2) / max(n - freedoms, n / 10)))


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
