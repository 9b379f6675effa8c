"""The sum of squares that states and coefficients minimise together, by the Gauss–Newton method.

Each experiment has a state of its own (``experiment.py``); the law's coefficients are common to all.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.centring import centring
from pdescry.joint.fit.experiment import Eliminated, Experiment, Rows
from pdescry.joint.fit.operator import Operator
from pdescry.joint.fit.options import FIT
from pdescry.joint.lean import Lean
from pdescry.problem import Candidate, Given

States = tuple[Array, ...]  # one for each experiment, with the n spline coefficients


@dataclass(frozen=True, eq=False)
class Objective(Lean):
    """States and law given the readings.

    prior_sd: (k,) of the coefficients, broad; of powers of a coordinate about its middle (`centring`). given: known
    coefficients, which are the prior means; those of others are zero.
    """

    experiments: tuple[Experiment, ...]
    operator: Operator
    prior_sd: Array
    given: Mapping[Candidate, Given] = dataclasses.field(default_factory=dict)

    @property
    def terms(self) -> tuple[Candidate, ...]:
        return self.operator.terms

    @cached_property
    def prior_mean(self) -> Array:
        """(k,): prior means of the coefficients."""
        return np.array([self.given[term].value if term in self.given else 0.0 for term in self.terms])

    @cached_property
    def centring(self) -> Array:
        """(k, k): from the coefficients to those of powers of coordinates about the middle of the readings."""
        return centring(self.terms, self.middles)

    @cached_property
    def middles(self) -> dict[str, float]:
        """Middle of each coordinate, over the readings of all experiments."""
        spans = [each.readings.span for each in self.experiments]
        middles = {}
        for name in spans[0]:
            low, high = min(each[name][0] for each in spans), max(each[name][1] for each in spans)
            middles["t" if name == self.experiments[0].readings.time_name else name] = (low + high) / 2
        return middles

    def columns(self, states: States, about_middle: bool = False) -> list[tuple[Array, Array]]:
        """For each experiment the left sides (equations, points) and terms (k, points). about_middle: with coordinates
        relative to their middles."""
        origin = self.middles if about_middle else {}
        pairs = zip(self.experiments, states, strict=True)
        return [each.columns(state, self.operator, origin) for each, state in pairs]

    def residuals(self, states: States, coefficients: Array) -> list[Array]:
        pairs = zip(self.experiments, states, strict=True)
        return [each.residuals(state, self.operator, coefficients) for each, state in pairs]

    def value(self, states: States, coefficients: Array) -> float:
        """−2 log posterior, up to a constant."""
        with np.errstate(all="ignore"):
            own = float(np.sum((self.centring @ (coefficients - self.prior_mean) / self.prior_sd) ** 2))
            pairs = zip(self.experiments, states, strict=True)
            return sum(each.value(state, self.operator, coefficients) for each, state in pairs) + own

    def linearised(self, states: States, coefficients: Array) -> Linearised:
        pairs = zip(self.experiments, states, strict=True)
        return Linearised(
            tuple(each.linearised(state, self.operator, coefficients) for each, state in pairs),
            np.column_stack([self.centring, self.centring @ (coefficients - self.prior_mean)]) / self.prior_sd[:, None],
        )

    def minimise(self, states: States, coefficients: Array, steps: int, give_up_above: float = math.inf) -> Minimum:
        """Gauss–Newton iterations; where a step increases the value, the states are corrected for the new coefficients.
        The fit ends early if, by the predicted decrease of its steps, the value is not expected to fall below
        ``give_up_above``."""
        value, converged, given_up, struggles, solved = self.value(states, coefficients), False, False, 0, None
        for _ in range(steps):
            here = self.linearised(states, coefficients)
            solved = here.solved()
            step = solved.step()
            if (predicted_decrease := here.predicted_decrease(*step)) < FIT.steps.negligible_decrease:
                converged = True
                break
            if value - FIT.steps.further_decrease * predicted_decrease > give_up_above:
                given_up = True
                break
            down = self._downhill(states, coefficients, step, value, predicted_decrease)
            if down is None:
                break
            struggles = struggles + 1 if value - down[2] < FIT.steps.poor_decrease * predicted_decrease else 0
            (states, coefficients, value), solved = down, None
            if struggles == FIT.steps.patience:
                break
        found = Minimum(self, states, coefficients, converged, given_up)
        if solved is not None:  # at the final point
            found.__dict__["solved"] = solved
        return found

    def _downhill(
        self, states: States, coefficients: Array, step: tuple[States, Array], value: float, predicted_decrease: float
    ) -> tuple[States, Array, float] | None:
        """The result of a damped step that achieves a sufficient part of the predicted decrease; None if there is
        none."""
        best = None
        for share, corrections in zip(FIT.steps.fractions, FIT.steps.corrections, strict=True):
            new, new_coefficients = _moved(states, step[0], share), coefficients + share * step[1]
            found = self.value(new, new_coefficients)
            enough = value - FIT.steps.sufficient_decrease * share * predicted_decrease
            for _ in range(corrections):
                if found < enough:
                    break
                # The law is bilinear in state and coefficients: once these have changed, the state is corrected.
                corrected = _moved(new, self.linearised(new, new_coefficients).step_of_states())
                before, found = found, self.value(corrected, new_coefficients)
                if not found < before:
                    found = before
                    break
                new = corrected
            if found < value and (best is None or found < best[2]):
                best = new, new_coefficients, found
            if best is not None and best[2] < enough:
                return best
            if best is not None and share < 1:
                break
        return best


def _moved(states: States, changes: States, share: float = 1.0) -> States:
    return tuple(state + share * change for state, change in zip(states, changes, strict=True))


@dataclass(frozen=True, eq=False)
class Linearised:
    """Rows of each experiment, and own: (k, k + 1), rows of the prior of the coefficients."""

    experiments: tuple[Rows, ...]
    own: Array

    @cached_property
    def own_slope(self) -> Array:
        """(k,): half the gradient of the objective in the coefficients."""
        prior = self.own[:, :-1].T @ self.own[:, -1]
        return np.sum([each.slope_in_coefficients for each in self.experiments], axis=0) + prior

    def predicted_decrease(self, changes: States, own: Array) -> float:
        """Decrease of the objective by a full step, according to its quadratic model."""
        along = sum(each.slope @ change for each, change in zip(self.experiments, changes, strict=True))
        return float(-(along + self.own_slope @ own))

    def step_of_states(self) -> States:
        """Step of the states with the coefficients fixed."""
        return tuple(each.step() for each in self.experiments)

    def solved(self) -> Solved:
        return Solved.of(tuple(each.eliminated() for each in self.experiments), self.own)


@dataclass(frozen=True, eq=False)
class Solved:
    """``rest``: (≤ k + 1, k + 1), triangular factor of the coefficients after elimination of the states, with the
    remaining residual."""

    states: tuple[Eliminated, ...]
    rest: Array

    @classmethod
    def of(cls, states: tuple[Eliminated, ...], own: Array) -> Solved:
        """own: (k, k + 1), rows of the prior of the coefficients."""
        return cls(states, np.asarray(np.linalg.qr(np.vstack([*(each.rest for each in states), own]), mode="r")))

    @property
    def log_determinant(self) -> float:
        """Log determinant of the precision of states and coefficients."""
        own = 2 * float(np.sum(np.log(np.abs(np.diag(self.root)))))
        return sum(each.factor.log_determinant for each in self.states) + own

    @property
    def root(self) -> Array:
        """(k, k): square root of the marginal precision of the coefficients."""
        k = self.rest.shape[1] - 1
        return self.rest[:k, :k]

    @property
    def through(self) -> tuple[Array, ...]:
        """(n, k) for each state: negated derivative with respect to each coefficient."""
        return tuple(each.through[:, :-1] for each in self.states)

    def step(self) -> tuple[States, Array]:
        own = -solve_triangular(self.root, self.rest[: len(self.root), -1]) if len(self.root) else np.zeros(0)
        return tuple(-(each.through[:, -1] + each.through[:, :-1] @ own) for each in self.states), own

    def covariance(self, seen: csr_array, number: int = 0) -> Array:
        """Posterior covariance of the state of one experiment at the rows of ``seen``."""
        moved = self.moved(seen, number)
        return self.states[number].factor.covariance(seen) + moved.T @ moved

    def variances(self, seen: csr_array, number: int = 0) -> Array:
        """Its diagonal, for rows of single points or single sensors."""
        return self.states[number].factor.variances(seen) + np.sum(self.moved(seen, number) ** 2, axis=0)

    def moved(self, seen: csr_array, number: int) -> Array:
        """(k, rows): contribution of the coefficients' uncertainty to the state at these rows."""
        along = (seen @ self.through[number]).T
        return solve_triangular(self.root, along, trans=1) if len(self.root) else along


@dataclass(frozen=True, eq=False)
class Minimum(Lean):
    """converged: false if the steps were used up, or did not decrease the objective. given_up: it ended early
    (`Objective.minimise`)."""

    objective: Objective
    states: States
    coefficients: Array
    converged: bool
    given_up: bool = False

    @cached_property
    def linearised(self) -> Linearised:
        return self.objective.linearised(self.states, self.coefficients)

    @cached_property
    def solved(self) -> Solved:
        return self.linearised.solved()

    @property
    def terms(self) -> tuple[Candidate, ...]:
        return self.objective.terms

    @property
    def law(self) -> dict[Candidate, float]:
        return dict(zip(self.terms, map(float, self.coefficients), strict=True))

    @property
    def covariance(self) -> Array:
        """(k, k): covariance of the coefficients."""
        inverse = solve_triangular(self.solved.root, np.eye(len(self.coefficients)))
        return inverse @ inverse.T

    @property
    def about_middle(self) -> dict[Candidate, float]:
        """The law with powers of coordinates about the middle of the readings: if ``x*T`` is in the law, the
        coefficient of T is the one at the middle."""
        return dict(zip(self.terms, map(float, self.objective.centring @ self.coefficients), strict=True))

    @property
    def experiments(self) -> list[tuple[int, Experiment, Array]]:
        """Each with its number and its state."""
        pairs = zip(self.objective.experiments, self.states, strict=True)
        return [(number, experiment, state) for number, (experiment, state) in enumerate(pairs)]

    def with_experiments(self, experiments: Sequence[Experiment], states: Sequence[Array] | None = None) -> Minimum:
        """The same law with other experiments, or other splines, in place of these; not minimised."""
        objective = replace(self.objective, experiments=tuple(experiments))
        return replace(self, objective=objective, states=self.states if states is None else tuple(states))

    @cached_property
    def relative_residual_by_equation(self) -> Array:
        """(equations,): rms residual relative to the rms left side; the largest of all experiments."""
        residuals = self.objective.residuals(self.states, self.coefficients)
        shares = []
        for (_, each, state), residual in zip(self.experiments, residuals, strict=True):
            lefts = each.space.mean_square(each.lefts(state, self.objective.operator))
            shares.append(each.space.tested(residual) / np.where(lefts > 0, lefts, 1.0))
        return np.sqrt(np.max(shares, axis=0))

    @property
    def relative_residual(self) -> float:
        """Its largest value over the equations."""
        return float(np.max(self.relative_residual_by_equation))

    def mean_square(self, values: Iterable[Array]) -> Array:
        """(…): mean square over each experiment, averaged over experiments, of values (…, points) at the quadrature
        points."""
        pairs = zip(self.objective.experiments, values, strict=True)
        return np.mean([each.space.mean_square(part) for each, part in pairs], axis=0)

    @cached_property
    def residual_cost_by_equation(self) -> Array:
        """(equations,): cost of the residual, in nats."""
        residuals = self.objective.residuals(self.states, self.coefficients)
        pairs = zip(self.objective.experiments, residuals, strict=True)
        return np.sum([each.residual_cost(residual) for each, residual in pairs], axis=0) / 2

    @property
    def residual_cost(self) -> float:
        return float(np.sum(self.residual_cost_by_equation))

    @property
    def records(self) -> float:
        """Length of the longest record in units of the usual one; in the plane times a factor, because fields have more
        degrees of freedom."""
        number = max(each.records for each in self.objective.experiments)
        return number * FIT.records.factor_in_plane ** (len(self.objective.operator.axes) - 1)


def least_squares(columns: Array, left: Array) -> Array:
    """(k,): least-squares coefficients for columns (k, rows), as initial values."""
    if not len(columns):
        return np.zeros(0)
    sizes = np.linalg.norm(columns, axis=1)
    sizes[sizes == 0] = 1.0
    return np.linalg.lstsq((columns / sizes[:, None]).T, left, rcond=1e-6)[0] / sizes
