"""Laws of each order in time, searched in parallel from the same fields, and compared stage by stage."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pdescry.joint.field.axis import Array
from pdescry.joint.field.mesh import finer_in_space
from pdescry.joint.field.process import Baseline
from pdescry.joint.field.start import Start
from pdescry.joint.search.fitted_law import FittedLaw
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.search import Search
from pdescry.joint.search.verdict import Baselines, departures, held_out_errors, missed, without_dynamics
from pdescry.problem import Candidate

Laws = list[FittedLaw]


@dataclass(eq=False)
class ByOrder:
    """searches: one for each order in time. starts: initial fields for each. leading: the order that explains inferred
    fields best. baselines: of models without a law. finer: initial fields of an order, by its number, with at least
    this many elements along each axis of space. guesses: soft laws of each order, the best first."""

    searches: Sequence[Search]
    starts: Sequence[Sequence[Start]]
    leading: int
    baselines: Baselines
    finer: Callable[[int, int], Sequence[Start]]
    guesses: list[Laws] = field(default_factory=list)

    @property
    def soft(self) -> list[Laws]:
        """The guesses that are possible."""
        return [[law for law in own if law.possible] for own in self.guesses]

    @cached_property
    def score_without_dynamics(self) -> float:
        """Score of models without dynamics."""
        return sum(without_dynamics(each)[0] for each in self.baselines.values())

    @property
    def _orders(self) -> list[tuple[int, ...]]:
        return [search.problem.orders for search in self.searches]

    @property
    def _first(self) -> int:
        """The lowest order."""
        return min(range(len(self.searches)), key=lambda k: self._orders[k])

    @property
    def _n_readings(self) -> int:
        return self.searches[0].problem.n_readings

    @property
    def suggests_any(self) -> bool:
        """Whether a soft law is satisfied, or has a larger score than models without dynamics."""
        first = [own[0] for own in self.soft if own]
        return any(law.is_satisfied or law.total_score > self.score_without_dynamics for law in first)

    # ---- soft laws -------------------------------------------------------------------------------------------------

    def guess(self) -> None:
        """Find the soft laws that explain the fields best."""
        # Differentiating a law of first order gives one of second order, so the latter is searched thoroughly only if
        # needed.
        lower = self._first == self.leading
        self.guesses = [[] for _ in self.searches]
        for k in sorted(range(len(self.searches)), key=lambda k: k != self.leading):
            first = self.guesses[self.leading][:1]
            best = first[0] if lower and first and first[0].possible and first[0].is_satisfied else None
            lowest, settled = (best.value, not best.shows_offsets) if best is not None else (math.inf, False)
            self.guesses[k] = self.searches[k].soft(self.starts[k], best is None, lowest, settled)
            self._sharpen(k)

    def _sharpen(self, k: int) -> None:
        """Fit the laws of one order on meshes that resolve their own fields. The first mesh resolves the smooth initial
        fields; those of a law may be sharper, and on this mesh terms that compensate for its error would score too
        high."""
        search, clearly, moved = self.searches[k], SEARCH.soft.gain_per_reading_on_finer_mesh * self._n_readings, False
        others = [own[0].total_score for own in self.soft if own and own[0].orders != self._orders[k]]
        while own := self.soft[k]:
            best = own[0]
            # A finer mesh gains at most the cost of the residual.
            if best.found.residual_cost < clearly or best.score < max(others, default=-math.inf):
                break
            numbers = [finer_in_space(each.experiment.space) for each in self.starts[k][0].initial]
            if None in numbers:
                break
            starts = self.finer(k, max(number for number in numbers if number is not None))
            # A finer mesh favours smaller laws, so the best of each size is tried.
            first = {len(law.terms): law for law in reversed(own)}
            best_ones = own[: SEARCH.soft.laws_on_finer_mesh]
            tried = [law.terms for law in own if law in best_ones or law is first[len(law.terms)]]
            found = search.of_shortlist(starts, tried)
            if not found or not found[0].possible or found[0].total_score < best.total_score + clearly:
                break
            self.starts = [starts if number == k else each for number, each in enumerate(self.starts)]
            self.guesses[k], moved = found, True
        if moved:
            self.guesses[k] = search.improved(self.guesses[k])

    @property
    def leading_is_satisfied(self) -> bool:
        """Whether a law of the leading order is satisfied, or of a lower one."""
        return any(
            own[0].is_satisfied
            for k, own in enumerate(self.soft)
            if own and self._orders[k] <= self._orders[self.leading]
        )

    def guess_noisier(self) -> None:
        """If no law of the leading order is satisfied, also fit the best ones, and simple ones, with larger errors of
        sensors."""
        k = self.leading
        self.guesses[k] = self.searches[k].with_noisier(self.guesses[k], self.starts[k])

    def guess_among(self, laws: Sequence[tuple[Candidate, ...]]) -> None:
        pairs = zip(self.searches, self.starts, strict=True)
        self.guesses = [search.of_shortlist(own, laws) for search, own in pairs]

    def guess_from(self, starts: Sequence[Sequence[Start]]) -> bool:
        """From other fields, if there are any; whether there are."""
        if not starts:
            return False
        self.starts = starts
        self.guess()
        return True

    def guess_pairs(self, lowest: bool) -> bool:
        """Also fit every pair of simple terms, of the lowest order or of all; whether any of them is clearly better."""
        before = [len(own) for own in self.guesses]
        for k in [self._first] if lowest else range(len(self.searches)):
            self.guesses[k] = self.searches[k].with_pairs(self.guesses[k], self.starts[k])
        return before != [len(own) for own in self.guesses]

    # ---- tight ones ------------------------------------------------------------------------------------------------

    def tight(self) -> dict[int, Laws]:
        """By order, the best of these laws with a tight tolerance."""
        soft = self.soft
        return {k: self.searches[k].tight(soft[k], self.starts[k]) for k in range(len(soft)) if self._is_near(k, soft)}

    def _is_near(self, k: int, soft: Sequence[Laws]) -> bool:
        """Whether laws of an order are close to the best. A larger score of a higher order means little, because it
        leaves the fields more freedom; a smaller one excludes it."""
        return bool(soft[k]) and not any(
            own and orders < self._orders[k] and own[0].total_score > soft[k][0].total_score + self.searches[k].margin
            for orders, own in zip(self._orders, soft, strict=True)
        )

    def is_convincing(self, tights: dict[int, Laws], before: Sequence[Array]) -> bool:
        """Whether the fields of a law satisfy it, its score did not fall when it was tightened, as that of wrong laws
        does, and it predicts held-out sensors: wrong laws may fit a shock between two sensors, but not predict either.
        If readings deviate from the law, it has to predict held-out sensors no worse than smoothness alone. before: for
        each experiment the noise of each field in fits without a law."""
        best = max((own[0] for own in tights.values() if own), key=lambda law: law.total_score, default=None)
        if (
            best is None
            or best.found.relative_residual > SEARCH.tight.relative_residual
            or best.total_score < self.score_without_dynamics
        ):
            return False
        if (missed(best, before) > SEARCH.tight.left_out_error).any():
            return False
        departure = float(departures(best.found, before).max())
        if departure:
            smooth = Baseline.of_all([each["smooth"] for each in self.baselines.values()])
            return (
                departure < SEARCH.tight.left_out_error
                and float(np.sqrt(np.mean(held_out_errors(best) ** 2))) < smooth.rms_error
            )
        fall = SEARCH.tight.fall_per_reading * self._n_readings
        return best.total_score > max(own[0].total_score for own in self.soft if own) - fall

    def on_fine_meshes(
        self, tights: dict[int, Laws], is_determined: Callable[[FittedLaw], bool]
    ) -> tuple[int, Laws, Laws]:
        """The order of the best law on the mesh that it needs, the laws of that order there, and those before; none if
        no law is possible there. Orders other than the leading one are refined if they are close, or if the readings do
        not determine the law so far."""
        which, fine, tight = self.leading, [], []

        def lead(k: int, laws: Laws, others: Laws) -> float:
            """In nats, beyond what laws of order k need to displace those that were found."""
            needed = SEARCH.orders.lead * (sum(self._orders[k]) - sum(self._orders[which]))
            return laws[0].total_score - others[0].total_score - needed

        for k in sorted((k for k in tights if tights[k]), key=lambda k: -tights[k][0].total_score):
            # Each order has meshes of its own, so laws are compared at the same stage.
            behind = fine and lead(k, tights[k], tight) < -SEARCH.tight.fall_per_reading * self._n_readings
            if behind and is_determined(fine[0]):
                break
            found = self.searches[k].on_a_fine_mesh(tights[k])
            if found and (not fine or lead(k, found, fine) > 0):
                which, fine, tight = k, found, tights[k]
        return which, fine, tight
