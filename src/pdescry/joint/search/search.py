"""The search over laws: proposed, fitted with decreasing tolerances, on finer meshes, and changed until none predicts
better."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pdescry.executor import Executor, in_order
from pdescry.joint.field.axis import Array
from pdescry.joint.field.start import Start
from pdescry.joint.search.averaging import probabilities
from pdescry.joint.search.complexity import is_simple
from pdescry.joint.search.fitted_law import (
    FittedLaw,
    Rules,
    fine_fit,
    fit_with_terms,
    judged,
    last_fit,
    laws_near,
    noisier_first_fit,
    noisier_fit,
    soft_fit,
    soft_fit_from,
    start_from_equation,
    tight_fit,
)
from pdescry.joint.search.neighbours import Neighbour
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.proposals import common_laws, completions, pairs_of_simple, proposals
from pdescry.joint.search.verdict import missed
from pdescry.joint.search.well_posed import ill_posed
from pdescry.problem import Candidate, Problem
from pdescry.progress import Progress

# Fractions of progress at the beginning and the end of each stage.
PROGRESS = {"proposals": (0.1, 0.5), "tighter": (0.5, 0.65), "mesh": (0.65, 0.8), "moves": (0.8, 1.0)}

Task = tuple[Callable[..., Any], tuple]


@dataclass(frozen=True, eq=False)
class Search:
    """problem: for one choice of orders in time. number, largest: proposals of each size, and the largest size. kept:
    number of these that are fitted with a tight tolerance."""

    problem: Problem
    number: int
    largest: int
    kept: int
    executor: Executor
    report_progress: Progress
    unasked: frozenset[Candidate] = frozenset()  # as in `Rules`
    common: bool = True  # whether common laws are always tried
    weight: float = 1.0  # as in `Rules`

    @property
    def margin(self) -> float:
        """Nats by which the total score of a soft law may be below the best."""
        return SEARCH.soft.margin_per_reading * self.problem.n_readings

    @cached_property
    def rules(self) -> Rules:
        return Rules(self.problem.known, frozenset(self.problem.powers), self.unasked, self.weight)

    def soft(
        self,
        starts: Sequence[Start],
        thoroughly: bool = True,
        lowest: float = math.inf,
        settled: bool = False,
    ) -> list[FittedLaw]:
        """Soft laws that explain inferred fields best, each law once; possible ones first, and of these those with the
        largest total score.

        thoroughly: also those near the best. lowest: the value of a law found elsewhere; settled: it needs no sensor
        offsets, so initial fields inferred with offsets are not used.
        """
        proposed = proposals(starts, self.problem, self.number, self.largest, self.common)
        ranked: list[FittedLaw] = []
        begin, end = PROGRESS["proposals"]
        waves = [wave for offsets in (False, True) for wave in _waves(proposed, offsets)]
        for place, wave in enumerate(waves):
            some = wave
            if ranked and ranked[0].possible and ranked[0].is_satisfied:
                # Further terms are added to such a law later, one at a time.
                some = [(start, terms) for start, terms in wave if not ranked[0].key < frozenset(terms)]
            if not settled and any(start.has_offsets for start, _ in wave):
                settled = self.is_clear(ranked) and not ranked[0].shows_offsets
            if settled:
                some = [(start, terms) for start, terms in some if not start.has_offsets]
            done, until = (begin + (end - begin) * part / len(waves) for part in (place, place + 1))
            fits: list[Task] = [(soft_fit, (*pair, lowest + 2 * self.margin)) for pair in some]
            found = self.all_fitted(fits, "trying laws", done, until)
            ranked = _ranked([*ranked, *found])
            lowest = min([lowest, *(law.value for law in found if law.possible and not law.has_offsets)])
        if len(self.problem.fields) > 1 and ranked:
            bound = lowest + 2 * self.margin
            side = min((each for sides in self.sides(ranked) for each in sides[:1]), key=lambda each: each[0])[1]
            (again,) = in_order(self.executor, [(start_from_equation, (starts[0], side))], lambda share: None)
            seen = {law.key for law in ranked}
            laws = [
                law for law in completions(again, self.problem, side, self.number, self.largest) if {*law} not in seen
            ]
            fits = [(soft_fit, (again, terms, bound)) for terms in laws]
            ranked = _ranked([*ranked, *self.all_fitted(fits, "trying laws", end, end)])
            fits = [(soft_fit, (starts[0], terms)) for terms in self.combined(ranked)]
            ranked = _ranked([*ranked, *self.all_fitted(fits, "trying laws", end, end)])
        return self.with_simple(self.improved(ranked), starts) if thoroughly else ranked

    def with_simple(self, ranked: list[FittedLaw], starts: Sequence[Start]) -> list[FittedLaw]:
        """If the best law has complicated terms, with every pair of simple ones. Inferred fields that are too smooth
        may not suggest these, and their total score is smaller while laws are soft."""
        on_a_line = len(self.problem.fields) == len(self.problem.axes) == 1  # elsewhere there are hundreds of pairs
        if not (on_a_line and ranked and ranked[0].possible and self.complicated(ranked[0])):
            return ranked
        return _ranked([*ranked, *self._pairs(ranked, starts)])

    def complicated(self, law: FittedLaw) -> list[Candidate]:
        """Its terms that are not simple, and that the user has not declared to be in the law."""
        return [term for term in law.terms if not is_simple(term) and term not in self.problem.known.present]

    def may_be_overestimated(self, law: FittedLaw) -> bool:
        """Whether the total score may be overestimated while the law is soft: complicated terms, and those of the
        highest order, compensate for the tolerance and a coarse mesh."""
        free = [term for term in law.terms if term not in self.problem.known.present]
        return bool(self.complicated(law)) or any(each.term.order() > SEARCH.soft.highest_order for each in free)

    def _pairs(self, ranked: Sequence[FittedLaw], starts: Sequence[Start]) -> list[FittedLaw]:
        """Every pair of simple terms that is not among these laws."""
        seen, end = {law.key for law in ranked}, PROGRESS["proposals"][1]
        laws = [law for law in pairs_of_simple(self.problem) if frozenset(law) not in seen]
        possible = [law.value for law in ranked[:1] if law.possible and not law.has_offsets]
        bound = min(possible, default=math.inf) + 2 * self.margin
        gradually = replace(starts[0], gradually=True)
        return self.all_fitted([(soft_fit, (gradually, terms, bound)) for terms in laws], "trying laws", end, end)

    def with_pairs(self, ranked: list[FittedLaw], starts: Sequence[Start]) -> list[FittedLaw]:
        """With every pair of simple terms that is clearly better: fields inferred without a law between few sensors may
        not suggest the right ones at all."""
        tried = self._pairs(ranked, starts)
        best = ranked[0].total_score if ranked and ranked[0].possible else -math.inf
        clearly = [law for law in tried if law.possible and law.total_score > best + self.margin]
        return _ranked([*ranked, *clearly])

    def with_noisier(self, ranked: list[FittedLaw], starts: Sequence[Start]) -> list[FittedLaw]:
        """With the best of these laws fitted again with larger errors of sensors, every simple term alone (precise
        readings exclude a law that they contradict a little), and the laws near them: real readings deviate from every
        law."""
        end = PROGRESS["proposals"][1]
        fits: list[Task] = [
            (noisier_fit, (law.found,)) for law in ranked[: SEARCH.soft.refitted_with_noise] if law.possible
        ]
        if len(self.problem.axes) == 1:
            alone = [law for law in pairs_of_simple(self.problem) if len(law) == 1 + len(self.problem.known.present)]
            fits += [(noisier_first_fit, (starts[0], terms)) for terms in alone]
        tried = self.all_fitted(fits, "trying laws", end, end)
        return self.improved(_ranked([*ranked, *tried]))

    def of_shortlist(self, starts: Sequence[Start], laws: Sequence[tuple[Candidate, ...]]) -> list[FittedLaw]:
        """These laws, ranked as in `soft`."""
        fits: list[Task] = [(soft_fit, (start, terms)) for start in starts for terms in laws]
        return _ranked(self.all_fitted(fits, "trying laws", *PROGRESS["proposals"]))

    def is_clear(self, ranked: Sequence[FittedLaw]) -> bool:
        """Whether the first of these laws is satisfied, or far better than all that do not contain it."""
        if not ranked or not ranked[0].possible:
            return False
        others = [law.total_score for law in ranked if law.possible and not law.key >= ranked[0].key]
        return ranked[0].is_satisfied or ranked[0].total_score > max(others, default=math.inf) + self.margin

    def improved(self, ranked: list[FittedLaw]) -> list[FittedLaw]:
        """With laws obtained by exchanging terms of the best, and of those that are as good, as long as there are
        new ones."""
        seen, end = {law.key for law in ranked}, PROGRESS["proposals"][1]
        exchanged: set[frozenset[Candidate]] = set()
        for _ in range(SEARCH.soft.rounds):
            least = ranked[0].total_score - SEARCH.soft.as_good if ranked and ranked[0].possible else math.inf
            best = next((law for law in ranked if law.total_score >= least and law.key not in exchanged), None)
            if best is None or not best.possible:
                break
            exchanged.add(best.key)
            (near,) = in_order(self.executor, [(laws_near, (best,))], lambda share: None)
            new = [law for law in near if frozenset(law.terms) not in seen]
            chosen = self.allowed(best, new)
            seen |= {frozenset(terms) for terms, _ in chosen}
            fits: list[Task] = [(soft_fit_from, (best.found, terms, values)) for terms, values in chosen]
            ranked = _ranked([*ranked, *self.all_fitted(fits, "trying laws", end, end)])
        return ranked

    def sides(self, ranked: Sequence[FittedLaw]) -> list[list[tuple[float, tuple[Candidate, ...]]]]:
        """For each equation, the right sides of these laws with their costs (of the residual and of naming), the
        smallest first."""
        found = []
        for number, field in enumerate(self.problem.fields):
            best: dict[frozenset, tuple[float, tuple[Candidate, ...]]] = {}
            for law in ranked:
                own = tuple(term for term in law.terms if term.field == field)
                cost = float(law.found.residual_cost_by_equation[number] + self.rules.naming(own).sum())
                if own and cost < best.get(frozenset(own), (math.inf, own))[0]:
                    best[frozenset(own)] = cost, own
            found.append(sorted(best.values(), key=lambda pair: pair[0]))
        return found

    def combined(self, ranked: Sequence[FittedLaw]) -> list[tuple[Candidate, ...]]:
        """Laws composed of the best right sides of each equation, from whichever laws."""
        sides = [[own for _, own in each[:2]] for each in self.sides(ranked)]
        if not all(sides):
            return []
        seen, found = {law.key for law in ranked}, []
        for picks in np.ndindex(*(len(side) for side in sides)):
            law = tuple(term for side, pick in zip(sides, picks, strict=True) for term in side[pick])
            if frozenset(law) not in seen:
                found.append(law)
        return found

    def tight(self, soft: list[FittedLaw], starts: Sequence[Start]) -> list[FittedLaw]:
        """The first of them fitted with a tight tolerance, the best first; none if none is possible. Each is also
        fitted gradually if necessary.

        Includes all that are close to the best, because they differ in what the noise turns out to be, and the first
        common law, because a soft law that hardly allows the field to change may have a larger total score. If the best
        may be overestimated, also smaller ones, and all of them even if they are far behind.
        """
        common = {frozenset(law) for law in common_laws(self.problem)} if self.common else set()
        far = (
            SEARCH.soft.margin_per_reading_if_satisfied * self.problem.n_readings
            if soft[0].is_satisfied
            else self.margin
        )
        near = _without_larger([law for law in soft if law.total_score > soft[0].total_score - far])
        kept = near[: self.kept]
        close = soft[0].total_score - SEARCH.soft.close_per_reading * self.problem.n_readings
        kept += [law for law in near[self.kept : SEARCH.soft.most_close] if law.total_score > close]
        if self.may_be_overestimated(soft[0]):
            kept += self._smaller(soft, kept)
            near = _without_larger([law for law in soft if law.total_score > soft[0].total_score - self.margin])
        if not common & {law.key for law in kept}:
            kept += [law for law in near if law.key in common][:1]
        found = self.fitted_tightly(kept, starts)
        if not found:  # the best ones became ill-posed; laws without their terms may be possible
            rest = [law for law in soft if law not in kept and not any(law.key >= other.key for other in kept)]
            found = self.fitted_tightly(rest[: self.kept], starts)
        return found

    def _smaller(self, soft: Sequence[FittedLaw], kept: Sequence[FittedLaw]) -> list[FittedLaw]:
        """The best soft law of each size smaller than those kept, and the best subsets of one of these: while laws are
        soft, the residual costs large ones less."""
        least = soft[0].total_score - self.margin
        rest = [law for law in soft if law not in kept and law.total_score > least]
        smallest = min(len(law.terms) for law in kept)
        smaller = {len(law.terms): law for law in reversed(rest) if len(law.terms) < smallest}
        within = [law for law in rest if any(law.key < other.key for other in kept)][: SEARCH.soft.parts_tightened]
        return list({law.key: law for law in (*smaller.values(), *within)}.values())

    def fitted_tightly(self, kept: list[FittedLaw], starts: Sequence[Start]) -> list[FittedLaw]:
        """The possible ones of these laws, with a tight tolerance. If the best of them misses held-out sensors, all are
        fitted gradually, too: while a law is soft, a field that blurs a shock between sensors may have as large a score
        as the right one, and only falls behind later."""
        gradually, (begin, end) = replace(starts[0], gradually=True), PROGRESS["tighter"]
        noise = [each.experiment.noise_model.noise_of_fields for each in starts[0].initial]

        def gradual(laws: Sequence[FittedLaw]) -> list[Task]:
            return [(soft_fit, (gradually, law.terms)) for law in laws if not law.is_noisier_than(starts[0])]

        def tight_fits(laws: Sequence[FittedLaw], again: Sequence[FittedLaw]) -> list[FittedLaw]:
            """The first of these with a tight tolerance, and the second ones fitted gradually, and then with a tight
            tolerance."""
            fits: list[Task] = [*((tight_fit, (law.found,)) for law in laws), *gradual(again)]
            fitted = self.attempted(fits, "tightening laws", begin, end)
            tight, new = fitted[: len(laws)], [law for law in fitted[len(laws) :] if law is not None and law.possible]
            # Most converge to the soft law that was already found, and would be the same with a tight tolerance.
            fits = [(tight_fit, (law.found,)) for law in new if not any(law.is_same_fit(other) for other in again)]
            more = self.all_fitted(fits, "tightening laws", end, end)
            return self.made_possible([*(law for law in tight if law is not None), *more])

        costly = [
            law for law in kept if law.found.residual_cost > SEARCH.soft.cost_if_well_satisfied * law.found.records
        ]
        found = _ranked(tight_fits(kept, costly))
        if not found or (missed(found[0], noise) > SEARCH.tight.left_out_error).any():
            found = _ranked([*found, *tight_fits([], [law for law in kept if law not in costly])])
        return found

    def made_possible(self, laws: Sequence[FittedLaw]) -> list[FittedLaw]:
        """The possible ones of these laws; and if an impossible one would be the best, possible ones near it: a
        superfluous term that compensates for the error of the mesh often makes a right law ill-posed."""
        found = [law for law in laws if law.possible]
        best = max((law.total_score for law in found), default=-math.inf)
        lost = sorted((law for law in laws if not law.possible), key=lambda law: -law.total_score)
        fits: list[Task] = []
        for law in [law for law in lost if law.total_score > best][:1]:
            (near,) = in_order(self.executor, [(laws_near, (law,))], lambda share: None)
            fits = [(fit_with_terms, (law.found, *each)) for each in self.allowed(law, [*near, *parts_of(law)])]
        more = self.all_fitted(fits, "tightening laws", *[PROGRESS["tighter"][1]] * 2)
        return [*found, *(law for law in more if law.possible)]

    def on_a_fine_mesh(self, first: list[FittedLaw]) -> list[FittedLaw]:
        """The best on the mesh that it needs; none if none is possible there.

        If the score of one falls on the finer mesh, because it profited from the coarse one, its rivals are refined,
        too, the best first.
        """
        self.report_progress("refining the mesh", PROGRESS["mesh"][0], None)
        fell = SEARCH.tight.fall_per_reading * self.problem.n_readings
        fine: list[FittedLaw] = []
        for law in first:
            if fine and best_first(fine)[0].total_score > law.total_score - fell:
                break
            fine += self.possible((fine_fit, (law.found,)))
        return best_first(fine)

    def pruned(self, law: FittedLaw) -> FittedLaw:
        """Without terms whose gain is not positive, the worst first, as long as the score does not fall much without
        them: gains are estimated in the linearised model."""
        fall = SEARCH.tight.fall_per_reading * self.problem.n_readings
        while worst := self.worst(law):
            rest = [j for j, term in enumerate(law.terms) if term != worst]
            fewer = tuple(law.terms[j] for j in rest)
            found = self.possible((fit_with_terms, (law.found, fewer, law.found.coefficients[rest])))
            if not found or found[0].total_score < law.total_score - fall:
                break
            law = found[0]
        return self.to_the_end(law)

    def to_the_end(self, law: FittedLaw) -> FittedLaw:
        """Further steps if a fit with few steps, as used for comparisons, has not converged."""
        return law if law.found.converged else next(iter(self.possible((last_fit, (law.found,)))), law)

    def worst(self, law: FittedLaw) -> Candidate | None:
        """The term with the smallest gain, if that is not positive and the term is not required."""
        free = [(float(each), term.key, term) for each, term in zip(law.gains, law.terms, strict=True)]
        free = [each for each in free if each[2] not in self.problem.known.present and each[0] <= 0]
        return min(free)[2] if free and len(law.terms) > 1 else None

    def nearby(self, best: FittedLaw, rivals: list[FittedLaw]) -> list[FittedLaw]:
        """Rivals, and laws that differ by a term or two from the best, which is replaced by any that is better; all of
        them on one mesh."""
        begin, end = PROGRESS["moves"]
        compared, seen = [best], {best.key}
        least = best.total_score - SEARCH.tight.fall_per_reading * self.problem.n_readings
        waiting = [
            (law.terms, law.found.coefficients) for law in rivals if not law.key >= best.key and law.total_score > least
        ]
        tried = seen | {frozenset(terms) for terms, _ in waiting}
        waiting += [(terms, values) for terms, values in self.simpler(best) if frozenset(terms) not in tried]
        for number in range(SEARCH.changes.rounds):
            seen |= {frozenset(some) for some, _ in waiting}
            waiting += self.promising(best, seen)
            seen |= {frozenset(some) for some, _ in waiting}
            fits: list[Task] = [(fit_with_terms, (best.found, some, values)) for some, values in waiting]
            done, until = (begin + (end - begin) * part / SEARCH.changes.rounds for part in (number, number + 1))
            new = [law for law in self.all_fitted(fits, "adding and dropping terms", done, until) if law.possible]
            # A law with a much larger residual than the one for which the mesh was made profits from the error of the
            # mesh.
            least = max(SEARCH.changes.residual, 2 * compared[0].found.relative_residual)
            new = [law for law in new if law.found.relative_residual <= least and not self.worst(law)]
            compared, waiting = compared + new, []
            better = max(new, key=lambda law: law.score, default=best)
            if better.score <= best.score:
                break
            best = better
        return compared

    def simpler(self, best: FittedLaw) -> list[tuple[tuple[Candidate, ...], Array]]:
        """If the best law has complicated terms: laws without them, as such, and with one simple term instead; with
        initial coefficients. They may be far from the best law, so their scores in closed form are ignored."""
        known, around = self.problem.known, best.neighbourhood
        complicated = self.complicated(best)
        rest = [term for term in best.terms if term not in complicated]
        fields = {term.field for term in complicated}
        others = [term for term in known.candidates if term.field in fields and is_simple(term) and term not in rest]
        laws = [*([rest] if rest else []), *([*rest, term] for term in others)] if complicated else []
        laws = [law for law in laws if self.problem.is_whole(law)]
        with np.errstate(all="ignore"):
            near = [around.of(tuple(sorted(around.candidates.index(term) for term in law))) for law in laws]
        return [(law.terms, law.coefficients) for law in near]

    def promising(self, best: FittedLaw, seen: set[frozenset[Candidate]]) -> list[tuple[tuple[Candidate, ...], Array]]:
        """Laws near the best that were not tried and might be better, with initial coefficients."""
        known = self.problem.known
        present = bool(known.present)  # terms that need not gain anything
        with np.errstate(all="ignore"):
            near = [
                law
                for law in best.neighbourhood.laws
                if law.score > best.score - SEARCH.changes.margin
                and (law.gains or present)
                and frozenset(law.terms) not in seen
            ]
        return self.allowed(best, sorted(near, key=lambda law: -law.score))

    def within_reach(self, compared: Sequence[FittedLaw]) -> list[Neighbour]:
        """Laws near the first of these that were not fitted, because in closed form they score less, but close enough
        to be mentioned."""
        best, seen = compared[0], {law.key for law in compared}
        with np.errstate(all="ignore"):
            near = [
                law
                for law in best.neighbourhood.laws
                if best.score - SEARCH.changes.mentioned < law.score <= best.score and frozenset(law.terms) not in seen
            ]
        return [law for law in near if self.is_possible(best, law)]

    def is_possible(self, best: FittedLaw, near: Neighbour) -> bool:
        """Whether a law near this one is well-posed and consistent with prior knowledge."""
        numbers = near.coefficients, near.about_middle
        law, centred = (dict(zip(near.terms, map(float, own), strict=True)) for own in numbers)
        return self.problem.is_whole(law) and self.problem.known.allows(centred) and not ill_posed(best.found, law)

    def allowed(self, best: FittedLaw, near: Sequence[Neighbour]) -> list[tuple[tuple[Candidate, ...], Array]]:
        """The first of these laws that are possible, with initial coefficients."""
        found: list[tuple[tuple[Candidate, ...], Array]] = []
        for each in near:
            if self.is_possible(best, each):
                found.append((each.terms, each.coefficients))
            if len(found) == SEARCH.changes.fits:
                break
        return found

    def all_fitted(self, fits: Sequence[Task], what: str, begin: float, end: float) -> list[FittedLaw]:
        """The fits of `attempted` that succeeded."""
        return [law for law in self.attempted(fits, what, begin, end) if law is not None]

    def attempted(self, fits: Sequence[Task], what: str, begin: float, end: float) -> list[FittedLaw | None]:
        """Fits in parallel; reported as ``what``, from ``begin`` to ``end`` of the whole."""
        self.report_progress(what, round(begin, 6), None)
        tasks = [(judged, (self.rules, fit, *arguments)) for fit, arguments in fits]
        return in_order(
            self.executor,
            tasks,
            lambda share: self.report_progress(what, round(begin + (end - begin) * share, 6), None),
        )

    def possible(self, fit: Task) -> list[FittedLaw]:
        """The law of a fit, if it is possible."""
        (found,) = in_order(self.executor, [(judged, (self.rules, fit[0], *fit[1]))], lambda share: None)
        return [found] if found is not None and found.possible else []


def parts_of(law: FittedLaw) -> list[Neighbour]:
    """The law without one of its terms, in closed form, the best first."""
    places = sorted(law.neighbourhood.candidates.index(term) for term in law.terms)
    with np.errstate(all="ignore"):
        found = [law.neighbourhood.of(tuple(k for k in places if k != gone)) for gone in places if len(places) > 1]
    return sorted(found, key=lambda part: -part.score)


def _waves(
    proposed: Sequence[tuple[Start, tuple[Candidate, ...]]], offsets: bool
) -> list[list[tuple[Start, tuple[Candidate, ...]]]]:
    """Batches of laws, because the results of earlier ones save fits: the first of each size, then others of the
    smaller sizes, then size by size; from initial fields with offsets, or without."""
    own = [pair for pair in proposed if pair[0].has_offsets == offsets]
    sizes = sorted({len(terms) for _, terms in own})
    small = set(sizes[: (len(sizes) + 1) // 2])
    ahead = {len(terms): place for place, (_, terms) in reversed(list(enumerate(own)))}
    rest = [pair for place, pair in enumerate(own) if place not in ahead.values()]
    waves = [[own[ahead[size]] for size in sizes], [pair for pair in rest if len(pair[1]) in small]]
    waves += [[pair for pair in rest if len(pair[1]) == size] for size in sizes if size not in small]
    return [wave for wave in waves if wave]


def _without_larger(laws: Sequence[FittedLaw]) -> list[FittedLaw]:
    """Without supersets of preceding laws: further terms are added to these later, in closed form."""
    kept: list[FittedLaw] = []
    for law in laws:
        if not any(other.key < law.key for other in kept):
            kept.append(law)
    return kept


def _ranked(fitted: Iterable[FittedLaw]) -> list[FittedLaw]:
    """Each law once, possible ones first, and of these those with the largest total score."""
    ranked = sorted(fitted, key=lambda law: (not law.possible, -law.total_score))
    best = {law.key: law for law in reversed(ranked)}
    return [law for law in ranked if best[law.key] is law]


def most_probable_first(laws: Sequence[FittedLaw]) -> list[FittedLaw]:
    """Laws of one mesh by probability; if that is almost equal, by score."""
    shares = probabilities([law.rules.weight * law.by_sensor for law in laws], [law.penalty for law in laws])
    order = sorted(range(len(laws)), key=lambda k: (-round(float(shares[k]), 6), -laws[k].score))
    return [laws[k] for k in order]


def best_first(laws: Iterable[FittedLaw]) -> list[FittedLaw]:
    return sorted(laws, key=lambda law: -law.score)
