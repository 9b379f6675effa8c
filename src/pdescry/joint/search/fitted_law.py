"""`FittedLaw`: a law with its fit and score; and the tasks that compute one, suitable for other processes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pdescry.joint.field.axis import Array
from pdescry.joint.field.start import Start
from pdescry.joint.fit.centring import has_higher_power
from pdescry.joint.fit.held_out import held_out, scores
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.stages import (
    finished,
    refined_and_finished,
    soft_minimum,
    tightened,
    with_larger_noise,
    with_terms,
)
from pdescry.joint.fit.systematic_errors import offset_sds
from pdescry.joint.lean import Lean
from pdescry.joint.search.complexity import gains, naming_costs, penalty
from pdescry.joint.search.neighbours import Neighbour, Neighbourhood
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.well_posed import ill_posed
from pdescry.problem import Candidate, Known


@dataclass(frozen=True)
class Rules:
    """How laws are judged. powers: ``x*T``, ``x^2*T``, …, of terms whose coefficients may vary along the axis; unasked:
    those of first power that the user has not requested. weight: of the log densities, smaller if sensors share errors
    (``shared_errors.py``)."""

    known: Known
    powers: frozenset[Candidate] = frozenset()
    unasked: frozenset[Candidate] = frozenset()
    weight: float = 1.0

    def naming(self, terms: tuple[Candidate, ...]) -> Array:
        """(k,), in nats: cost of naming each term."""
        return np.array([self._costs[each] for each in terms], float)

    @cached_property
    def _costs(self) -> dict[Candidate, float]:
        # T is already named, so each power is one further choice; the cost of other terms does not depend on the
        # powers.
        named = naming_costs(each for each in self.known.candidates if each not in self.powers)
        unasked, asked = SEARCH.varying.penalty, SEARCH.complexity.per_factor
        return named | {each: unasked if each in self.unasked else asked for each in self.powers}


@dataclass(frozen=True, eq=False)
class FittedLaw(Lean):
    """elpd: expected log predictive density of held-out sensors, −∞ if the fit was given up; by_sensor: of each of
    them; score: weighted elpd minus the complexity penalty; gains: of each term; possible: well-posed and consistent
    with prior knowledge."""

    found: Minimum
    rules: Rules
    elpd: float
    by_sensor: Array
    score: float
    gains: Array
    possible: bool

    @classmethod
    def of(cls, found: Minimum, rules: Rules, by_sensor: Array) -> FittedLaw:
        basis = found.objective.centring
        covariance = basis @ found.covariance @ basis.T / rules.weight
        paid = basis @ found.coefficients, covariance, found.objective.prior_sd, rules.naming(found.terms)
        predicted = -math.inf if found.given_up else float(np.sum(by_sensor))
        total = rules.weight * predicted - penalty(*paid)
        possible = rules.known.allows(found.about_middle) and not ill_posed(found, found.law)
        return cls(found, rules, predicted, by_sensor, total, gains(*paid, has_higher_power(found.terms)), possible)

    def judged_by(self, rules: Rules) -> FittedLaw:
        """The same fit, judged otherwise."""
        with np.errstate(all="ignore"):
            return FittedLaw.of(self.found, rules, self.by_sensor)

    @property
    def penalty(self) -> float:
        return self.rules.weight * self.elpd - self.score

    @property
    def full_penalty(self) -> float:
        """The penalty if sensors shared no errors, for comparisons with models that have no weight."""
        return self.judged_by(replace(self.rules, weight=1.0)).penalty

    @property
    def terms(self) -> tuple[Candidate, ...]:
        return self.found.terms

    @property
    def key(self) -> frozenset[Candidate]:
        return frozenset(self.terms)

    @property
    def orders(self) -> tuple[int, ...]:
        return self.found.objective.operator.orders

    @property
    def value(self) -> float:
        """−2 log posterior, up to a constant."""
        return self.found.objective.value(self.found.states, self.found.coefficients)

    @cached_property
    def held_out(self) -> pd.DataFrame:
        """Each sensor predicted from the others."""
        return held_out(self.found)

    @cached_property
    def neighbourhood(self) -> Neighbourhood:
        """Laws with other candidates near this one."""
        candidates = self.rules.known.candidates
        with np.errstate(all="ignore"):
            return Neighbourhood(self.found, candidates, self.rules.naming(candidates), self.rules.weight)

    @property
    def has_offsets(self) -> bool:
        return any(each.noise_model.has_offsets for each in self.found.objective.experiments)

    @property
    def has_systematic_errors(self) -> bool:
        return any(each.noise_model.has_systematic_errors for each in self.found.objective.experiments)

    def is_noisier_than(self, start: Start) -> bool:
        """Whether the noise of its sensors is clearly larger than that of the initial fields."""
        pairs, ratio = zip(self.found.objective.experiments, start.initial, strict=True), SEARCH.soft.noise_ratio
        return any(
            bool((own.noise_model.noise_of_fields > ratio * first.experiment.noise_model.noise_of_fields).any())
            for own, first in pairs
        )

    @property
    def shows_offsets(self) -> bool:
        """Whether there is evidence for offsets of sensors in its residuals."""
        return any(offset_sds(self.found, number).any() for number, _, _ in self.found.experiments)

    def is_same_fit(self, other: FittedLaw) -> bool:
        """Whether it has the same terms as another law, on the same meshes, with the same time derivatives of the
        fields up to a tolerance."""
        mine, its = self.found.experiments, other.found.experiments
        if self.key != other.key or self.orders != other.orders or self.has_offsets != other.has_offsets:
            return False
        for (_, one, state), (_, same, its_state) in zip(mine, its, strict=True):
            if one.space.shape != same.space.shape or one.space.order != same.space.order:
                return False
            left, its_left = (
                each.lefts(own, law.found.objective.operator)
                for each, own, law in ((one, state, self), (same, its_state, other))
            )
            most = SEARCH.soft.same_field**2 * one.space.mean_square(its_left)
            if (one.space.mean_square(left - its_left) > most).any():
                return False
        return True

    @property
    def total_score(self) -> float:
        """The score minus the cost of the residual, which is large while the constraint is soft."""
        return self.score - self.found.residual_cost

    @property
    def is_satisfied(self) -> bool:
        """Whether the residual costs so little that no term needs to be missing."""
        return self.found.residual_cost < SEARCH.soft.cost_if_satisfied * self.found.records


def scores_alike(*laws: FittedLaw) -> list[float]:
    """Scores of laws of different searches, with the smallest of their weights: scores of different ones cannot be
    compared."""
    weight = min(law.rules.weight for law in laws)
    return [law.judged_by(replace(law.rules, weight=weight)).score for law in laws]


def judged(rules: Rules, fit: Callable[..., Minimum], *arguments: Any) -> FittedLaw | None:
    """The law of a fit, with its score; None if it cannot be fitted."""
    try:
        with np.errstate(all="ignore"):
            found = fit(*arguments)
            by_sensor = np.zeros(0) if found.given_up else scores(found)
            law = FittedLaw.of(found, rules, by_sensor)
    except np.linalg.LinAlgError:
        return None
    return law if math.isfinite(law.score) or found.given_up else None


def soft_fit(start: Start, terms: tuple[Candidate, ...], give_up_above: float = math.inf) -> Minimum:
    return start.fit(terms, give_up_above)


def soft_fit_from(found: Minimum, terms: tuple[Candidate, ...], coefficients: Array) -> Minimum:
    """Another soft law, starting from the fields of this one."""
    moved = with_terms(found, terms, coefficients)
    return soft_minimum(replace(found, objective=moved, coefficients=coefficients), False)


def noisier_fit(found: Minimum) -> Minimum:
    """The same soft law, with a larger noise of the sensors."""
    return with_larger_noise(found)


def noisier_first_fit(start: Start, terms: tuple[Candidate, ...]) -> Minimum:
    """A soft law from fields without a law, with a larger noise of the sensors."""
    return with_larger_noise(start.begun(terms))


def start_from_equation(start: Start, side: tuple[Candidate, ...]) -> Start:
    """The initial fields replaced by ones that satisfy one equation, softly, whatever the others: if that equation is
    the best determined one, it improves the fields of the others, too."""
    with np.errstate(all="ignore"):
        found = soft_minimum(start.begun(side), True, only=start.operator.fields.index(side[0].field))
    return replace(start, initial=tuple(replace(e, state=s) for e, s in zip(start.initial, found.states, strict=True)))


def laws_near(law: FittedLaw) -> list[Neighbour]:
    """Laws found by a search in closed form about this one, the best first."""
    with np.errstate(all="ignore"):
        return law.neighbourhood.searched(law.rules.known.present)


def tight_fit(found: Minimum) -> Minimum:
    return tightened(found)


def fine_fit(found: Minimum) -> Minimum:
    return refined_and_finished(found)


def last_fit(found: Minimum) -> Minimum:
    return finished(found)


def fit_with_terms(found: Minimum, terms: tuple[Candidate, ...], coefficients: Array) -> Minimum:
    """Another law fitted on the mesh and with the noise of this one."""
    return with_terms(found, terms, coefficients).minimise(found.states, coefficients, FIT.steps.to_compare)
