"""Coefficients that vary along the axis: ``c(x)·T`` with c a polynomial of x, if that predicts clearly better.

Such a law contains T, ``x*T`` and perhaps higher powers as terms, and is scored like any other. All laws with one
varying coefficient are scored in closed form about soft laws, which is fast; only if the score is larger than that of
all laws with constant coefficients are they fitted. This precedes the inference of sensor offsets, which could
otherwise explain the residual of a constant coefficient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pdescry.errors import InputError
from pdescry.joint.field.start import Start
from pdescry.joint.profiles import once_less
from pdescry.joint.search.by_order import ByOrder
from pdescry.joint.search.fitted_law import FittedLaw, soft_fit_from
from pdescry.joint.search.neighbours import Neighbour, Neighbourhood
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.search import Search, Task, best_first
from pdescry.joint.search.verdict import Baselines, misses_more
from pdescry.problem import Candidate, Problem

NEVER, EVERY = "none", "all"


@dataclass(frozen=True)
class Vary:
    """Which coefficients may vary. every: those of all terms of a law. asked: or only of these; none if both are empty.
    unasked: not requested by the user, so less probable a priori."""

    every: bool
    asked: tuple[Candidate, ...] = ()
    unasked: bool = False

    @classmethod
    def of(cls, requested: Sequence[str] | None, problem: Problem) -> Vary:
        """requested: None (checked by default), "none", "all", or terms. In the plane none vary."""
        if len(problem.axes) > 1:
            if requested is not None and tuple(requested) not in ((NEVER,), ()):
                raise InputError(
                    "Expected coefficients to vary along the one axis of readings; got vary = "
                    f"{', '.join(requested)!r} and the axes {', '.join(problem.axes)}; leave it out."
                )
            return cls(False)
        if requested is None:
            return cls(True, unasked=True)
        if tuple(requested) in ((NEVER,), ()):
            return cls(False)
        return cls(True) if tuple(requested) == (EVERY,) else cls(False, problem.named(requested))

    def terms_of(self, law: Sequence[Candidate], problem: Problem) -> tuple[Candidate, ...]:
        """The terms of a law whose coefficients may vary."""
        free = [each for each in law if not each.term.coordinates and each not in problem.known.values]
        return tuple(each for each in free if self.every or each in self.asked)


def tight_and_varied(laws: ByOrder, constant: Sequence[Search], vary: Vary) -> dict[int, list[FittedLaw]]:
    """By order in time, the best laws with a tight tolerance, including those with varying coefficients if their scores
    are similar; then their terms are among the candidates of ``laws.searches``. constant: the searches without them."""
    found, soft, searches = laws.tight(), laws.soft, list(constant)
    # From the lowest order on: laws of higher order often follow from a law whose coefficient varies.
    for k in sorted(found, key=lambda k: constant[k].problem.orders):
        start, baselines = laws.starts[k][0], laws.baselines
        if vary.unasked and not (soft[k] and _may_vary(soft[k][0], found[k], constant[k], start, baselines)):
            break
        searches[k], more = varied(constant[k], soft[k], laws.starts[k], vary)
        found[k] = sorted([*found[k], *more], key=lambda law: -law.total_score)
    laws.searches = searches
    return found


def _may_vary(soft: FittedLaw, tight: Sequence[FittedLaw], search: Search, start: Start, baselines: Baselines) -> bool:
    """Whether to try varying coefficients that the user has not requested: there are enough sensors, and the best law
    with constant ones does not suffice. soft, tight: the best laws with a soft and a tight tolerance."""
    if max(each.n_sensors for each in search.problem.experiments) < SEARCH.varying.least_sensors:
        return False
    if not soft.is_satisfied or soft.shows_offsets or soft.is_noisier_than(start):
        return True
    # Complicated terms may follow the variation, while the field changes along with the axis.
    return any(
        search.complicated(law)
        or any(misses_more(law.held_out, each["smooth"], field) for field, each in baselines.items())
        for law in tight[:1]
    )


def varied(
    search: Search, soft: Sequence[FittedLaw], starts: Sequence[Start], vary: Vary
) -> tuple[Search, list[FittedLaw]]:
    """Laws with a coefficient that varies along the axis and a total score similar to that of the best, with a tight
    tolerance, the best first; and the search with their terms among its candidates. None if no score is large
    enough."""
    bases = _bases(soft, vary, search.problem)
    if not bases:
        return search, []
    free = tuple(dict.fromkeys(term for law in bases for term in vary.terms_of(law.terms, search.problem)))
    (axis,) = search.problem.axes
    fluxes = [Candidate(each.field, flux) for each in free if (flux := once_less(each.term, axis)) is not None]
    free = (*free, *(each for each in fluxes if each in search.problem.known.candidates))
    problem = search.problem.with_varying(free)
    unasked = frozenset(each.powers(axis)[0] for each in free) if vary.unasked else frozenset()
    wider = replace(search, problem=problem, unasked=unasked)
    least = max(law.total_score for law in soft if law.possible) - SEARCH.varying.margin
    near: list[tuple[float, FittedLaw, Neighbour]] = []
    for law in bases:
        around = _around(law, vary.terms_of(law.terms, search.problem), wider)
        with np.errstate(all="ignore"):
            own = around.own.total_score
            found = [
                (law.total_score + each.total_score - own, law, each)
                for each in _laws(law, around, vary, search.problem)
            ]
        near += [each for each in found if each[0] > least]
    fits: list[Task] = []
    seen: set[frozenset[Candidate]] = set()
    for _, law, each in sorted(near, key=lambda pair: -pair[0]):
        if len(fits) < SEARCH.changes.fits and frozenset(each.terms) not in seen and wider.allowed(law, [each]):
            seen.add(frozenset(each.terms))
            fits.append((soft_fit_from, (law.found, each.terms, each.coefficients)))
    fitted = wider.all_fitted(fits, "trying coefficients that vary", 0.5, 0.5)
    promising = [law for law in fitted if law.possible and law.total_score > least]
    if not promising:
        return (wider if vary.asked else search), []  # reports the cost of variation if it was requested
    kept = sorted(promising, key=lambda law: -law.total_score)[: SEARCH.varying.fits]
    tight = wider.fitted_tightly(kept, starts)
    # Other missing terms are found once offsets no longer explain a constant coefficient.
    return wider, best_first(wider.nearby(tight[0], tight[1:])) if tight else []


def _bases(soft: Sequence[FittedLaw], vary: Vary, problem: Problem) -> list[FittedLaw]:
    """Laws with constant coefficients, one of which may vary: the best of all, and of each size."""
    usable = [law for law in soft if law.possible and not law.has_offsets and vary.terms_of(law.terms, problem)]
    found = usable[: SEARCH.varying.bases]
    for size in range(1, SEARCH.varying.terms + 1):
        most = 1 if found else SEARCH.varying.bases
        found += [law for law in usable if len(law.terms) == size and law not in found][:most]
    return found


def _around(law: FittedLaw, free: Sequence[Candidate], search: Search) -> Neighbourhood:
    """The law, powers of the axis times its terms, and linear terms: fluxes (D·u_x)_x contain D'·u_x, too."""
    (axis,) = search.problem.axes
    linear = [each for each in search.problem.known.candidates if each.term.degree <= 1 and not each.term.coordinates]
    powers = [power for each in free for power in each.powers(axis)]
    candidates = tuple(dict.fromkeys((*law.terms, *linear, *powers)))
    with np.errstate(all="ignore"):
        return Neighbourhood(law.found, candidates, search.rules.naming(candidates))


def _laws(law: FittedLaw, around: Neighbourhood, vary: Vary, problem: Problem) -> Iterator[Neighbour]:
    """One coefficient varies; at most one other term is dropped, and one added."""
    (axis,) = problem.axes
    place = {each: k for k, each in enumerate(around.candidates)}
    others = [each for each in around.candidates if each not in law.terms and not each.term.coordinates]
    for term in vary.terms_of(law.terms, problem):
        gone = [each for each in law.terms if each != term and each not in problem.known.present]
        for degree in range(1, len(term.powers(axis)) + 1):
            for left in [None, *gone]:
                rest = [each for each in law.terms if each != left]
                for added in [None, *(each for each in others if each.field == term.field)]:
                    more = () if added is None else (added,)
                    some = {place[each] for each in (*rest, *term.powers(axis)[:degree], *more)}
                    yield around.of(tuple(sorted(some)))
