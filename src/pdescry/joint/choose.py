"""`choose`: which candidates make up the law, judged by how well each law predicts sensors that it has not seen.

Subsets of candidates that explain an inferred field best (a regression each: thousands a second) are proposed; each
is fitted together with the field on one mesh, first softly. The best refines the mesh; there terms are added and
dropped until nothing predicts better. No threshold: a term has to be worth its price, that of naming it among the
candidates and of fixing its coefficient (Occam's factor).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from pdescry.cores import n_cores
from pdescry.equation import Term
from pdescry.errors import PdescryError
from pdescry.joint.choice import Choice, Comparison
from pdescry.joint.ends import checked_domain, ends_of
from pdescry.joint.fit import MORE_SCATTER, JointFit, experiments_of, followed, more_scatter, notes_of, terms_of
from pdescry.joint.held_out import errors, held_out, score
from pdescry.joint.known import Known
from pdescry.joint.neighbours import Neighbourhood, singly, with_terms
from pdescry.joint.objective import Minimum
from pdescry.joint.price import earnings, price
from pdescry.joint.processes import SCALES, Baseline, Process
from pdescry.joint.proposals import proposals, usual
from pdescry.joint.splines import Array
from pdescry.joint.stages import STEPS_AT_LAST, harder, noise_of, resolved
from pdescry.joint.start import Begun, Start, from_network, from_process
from pdescry.joint.triangle import one_thread
from pdescry.joint.well_posed import ill_posed
from pdescry.surrogate import Posterior
from pdescry.surrogate.pool import Progress
from pdescry.surrogate.settings import check_whole, check_workers, plain

KEPT = 4  # proposals are fitted to the end, and one of those that are found everywhere,
FAR = 0.25  # nats a reading: unless they are worse than the best by more
FELL = 0.05  # nats a reading: on a fine mesh, a law is worth less than its rivals on a coarse one by more
# Which part of the time goes by where.
SPAN = {"proposals": (0.1, 0.5), "harder": (0.5, 0.65), "mesh": (0.65, 0.8), "moves": (0.8, 1.0)}
MOVES = 3  # tried before a law counts as the best near it
ROUNDS = 6
NEAR = 3.0  # nats: a law that promises to be worth less than the best by more is not tried
CLEARLY = 5.0  # nats
WORSE = 1.2  # times the error
SURER = 0.5  # times the error that was expected
UNMET = 0.01  # of u_t
SEE_MORE = "sensors nearer to each other, more often read, or less noise would help."
NO_DYNAMICS = {
    "constant": f"The readings are as well explained by one constant number and noise; {SEE_MORE}",
    "steady": "The readings are as well explained by a profile that never changes; readings from before it settled, or "
    "after it was disturbed, would help.",
    "memoryless": f"The readings are as well explained by profiles of which each moment has its own; {SEE_MORE}",
}
NONE_HOLDS = (
    "No law of these candidates, with what is known of them, can hold between the sensors; other candidates would help."
)
NONE = "No law could be fitted to the readings; try fewer candidates, or more draws of the field."


@dataclass(frozen=True)
class Joint:
    """Field and law together, terms chosen by left-out sensors: no threshold, no noise level.

    proposals: laws of each size to try; largest: terms of a proposal, more are added one at a time. known: what you
    know of terms: "u_xx" (is in the law), "u_xx > 0", "u < 0" (if it is there, then with this sign), "u_xx = 0.1" or
    "u_xx = 0.1 ± 0.02" (its coefficient), "u_x = 0" (is not in the law). boundary: what you know at the ends, at all
    times, "u(0) = 1" or "u_x(10) = 0"; nothing need be known there. domain: from where to where the law holds and the
    field is inferred; by default, between the outermost sensors, or up to where something is known.
    """

    proposals: int = 3
    largest: int = 4
    known: tuple[str, ...] = ()
    boundary: tuple[str, ...] = ()
    domain: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        plain(
            self,
            proposals=check_whole("number of proposals", self.proposals, 1),
            largest=check_whole("largest number of terms", self.largest, 1),
            known=_texts(self.known),
            boundary=_texts(self.boundary),
            domain=checked_domain(self.domain),
        )


def _texts(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(map(str, given))


@dataclass(frozen=True, eq=False)
class Tried:
    """A law that was fitted; score: log density of held-out sensors; worth: less the price of its terms; earnings: of
    each term; possible: neither ill-posed nor known to be wrong."""

    found: Minimum
    score: float
    worth: float
    earnings: Array
    possible: bool

    @property
    def terms(self) -> tuple[Term, ...]:
        return self.found.objective.terms

    @property
    def key(self) -> frozenset[Term]:
        return frozenset(self.terms)


def choose(
    posterior: Posterior | list[Posterior] | tuple[Posterior, ...],
    candidates: str | Iterable[str | Term] = "general",
    method: Joint | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Choice:
    """Find the terms of the law among candidates, and its coefficients, field and law inferred together.

    posterior, or several of experiments that share the law, and what laws it can take: as in `refine`. candidates:
    "paper", "small", "general", or a list of terms.
    """
    tell = progress or (lambda what, fraction, left=None: None)
    posteriors, method, workers = experiments_of(posterior), method or Joint(), check_workers(workers)
    readings = [each.readings for each in posteriors]
    terms = terms_of(candidates, readings[0])
    known = Known.of(method.known, terms, readings[0])
    ends = ends_of(method.boundary, method.domain, readings)
    tell("proposing laws", 0.0, None)
    with one_thread(), ThreadPoolExecutor(workers or n_cores()) as pool:
        without = {name: [pool.submit(Process.fitted, name, each) for each in readings] for name in reversed(SCALES)}
        smooth = (found.result() for found in without["smooth"])
        starts = _comparable(tuple(map(from_network, posteriors, ends)), tuple(map(from_process, smooth, ends)))
        starts = [Start(begun, known.values) for begun in starts]
        search = _Search(known.candidates, method, known, pool, tell)
        guesses = search.soft(starts)
        soft = [law for law in guesses if law.possible]
        others = {name: Baseline.of_all([found.result().left_out for found in each]) for name, each in without.items()}
        # Where no dynamics show, laws would be as wrong once hard, or near this one, and slow to fit.
        hopeless = bool(soft) and _hopeless(soft, others)
        hard = search.hard(soft) if soft and not hopeless else []
        fine = search.on_a_fine_mesh(hard)
        compared = guesses[:1]
        if fine:
            best, rivals = search.pruned(fine[0]), [law for law in hard if law.key != fine[0].key]
            told = not _no_dynamics(best, others)
            compared = _best_first(search.nearby(best, rivals)) if told else [best]
        found = compared[0].found
        around = pd.DataFrame() if found.objective is guesses[0].found.objective else singly(found, known.candidates)
    tell("finishing", 0.99, None)
    before = [noise_of(each) for each in posteriors]
    comparison = replace(_comparison(compared, terms, others), singly=around)
    none_holds = not (fine or hopeless)
    reason = _why_none_holds(others) if none_holds else _why_not(compared[0], comparison, others, before)
    comparison = replace(comparison, reason=reason)
    with one_thread():
        fit = JointFit(found, notes_of(found, before)) if comparison.reason else followed(found, ends, before)
    tell("finishing", 1.0, 0.0)
    return Choice(fit, terms, comparison)


def _comparable(*starts: tuple[Begun, ...]) -> list[tuple[Begun, ...]]:
    """With the same noise in all of them: laws could not be compared if each had its own."""
    most = [np.max([each.experiment.scatter.noise for each in same], axis=0) for same in zip(*starts, strict=True)]
    return [tuple(each.with_noise(noise) for each, noise in zip(begun, most, strict=True)) for begun in starts]


def _comparison(compared: list[Tried], candidates: tuple[Term, ...], others: dict[str, Baseline]) -> Comparison:
    """Of laws with each other and with no law; not yet whether one is told."""
    worth = np.array([law.worth for law in compared])
    weights = np.exp(worth - logsumexp(worth))
    weights /= weights.sum()
    alternatives = pd.DataFrame(
        {
            "terms": [", ".join(map(str, law.terms)) for law in compared],
            "law": [str(JointFit(law.found)) for law in compared],
            "score": [law.score for law in compared],
            "worth": worth - worth[0],
            "probability": weights,
        }
    )
    held = [weights[[term in law.terms for law in compared]].sum() for term in candidates]
    probabilities = pd.Series(held, [str(term) for term in candidates], name="probability", dtype=float)
    scores = {name: other.score for name, other in others.items()}
    return Comparison(alternatives, probabilities, held_out(compared[0].found), scores)


def _why_not(best: Tried, comparison: Comparison, others: dict[str, Baseline], before: Sequence[Array]) -> str:
    """Why the readings do not tell a law, or nothing. before: for each experiment the noise about the field that obeys
    no law."""
    if sentence := _no_dynamics(best, others):
        return sentence
    smooth, error = others["smooth"], comparison.errors[0]
    # Both, because without noise densities say more about how well errors are foreseen than about how large they are.
    if best.score < smooth.score - CLEARLY and error > WORSE * smooth.rms_error:
        return (
            f"The best law misses left-out sensors by {error:.2g} (rms), smoothness alone by {smooth.rms_error:.2g}: "
            "it lacks a term; other candidates would help."
        )
    if (times := more_scatter(best.found, before)) > MORE_SCATTER:
        return (
            f"The readings scatter {times:.2g} times as much about the field of the best law as about one that obeys "
            "none: it lacks a term, or something happens that no law of this kind explains; other candidates, or only "
            "a part of the readings, would help."
        )
    return ""


def _why_none_holds(others: dict[str, Baseline]) -> str:
    """Why, where laws were proposed, but none could be fitted and hold: a field that hardly changes leaves
    coefficients near zero, of either sign."""
    best, sentence = _without_dynamics(others)
    return sentence if best > others["smooth"].score - CLEARLY else NONE_HOLDS


def _no_dynamics(law: Tried, others: dict[str, Baseline]) -> str:
    """What explains the readings as well as the law does, without one; or nothing."""
    best, sentence = _without_dynamics(others)
    return sentence if law.worth < best + CLEARLY else ""


def _without_dynamics(others: dict[str, Baseline]) -> tuple[float, str]:
    """How well the readings are explained by what knows no dynamics, and what it is: the simplest that is as good as
    the best."""
    best = max(others[name].score for name in NO_DYNAMICS)
    return best, next(sentence for name, sentence in NO_DYNAMICS.items() if others[name].score > best - CLEARLY)


def _hopeless(soft: list[Tried], others: dict[str, Baseline]) -> bool:
    """Whether neither a law, not even a soft one, nor smoothness predicts more than what knows no dynamics."""
    best = max(soft, key=lambda law: law.worth)
    error, expected = errors(held_out(best.found))
    if error < SURER * expected:  # with less noise, which is not inferred yet, it would predict more
        return False
    return bool(_no_dynamics(best, others)) and others["smooth"].score < CLEARLY + _without_dynamics(others)[0]


@dataclass(frozen=True, eq=False)
class _Search:
    candidates: tuple[Term, ...]
    method: Joint
    known: Known
    pool: ThreadPoolExecutor
    tell: Progress

    def soft(self, starts: Sequence[Start]) -> list[Tried]:
        """Laws that explain inferred fields best, not hard yet, each law once; possible ones first, and of these those
        that are best met and explain the readings best."""
        proposed = proposals(starts, self.candidates, self.method.proposals, self.method.largest, self.known)
        fits = [lambda start=start, some=some: start.fit(some) for start, some in proposed]
        fitted = self.all_fitted(fits, "trying laws", *SPAN["proposals"])
        if not fitted:
            raise PdescryError(NONE)
        ranked = sorted(fitted, key=lambda law: (not law.possible, _promise(law)))
        best = {law.key: law for law in reversed(ranked)}
        return [law for law in ranked if best[law.key] is law]

    def hard(self, soft: list[Tried]) -> list[Tried]:
        """The first of them fitted until they hold, the best first; none where none does.

        And the first of those that are found everywhere: a soft law that hardly lets the field change may promise more.
        """
        experiments = soft[0].found.objective.experiments
        everywhere = {frozenset(law) for law in usual(experiments[0].readings, self.candidates, self.known)}
        kept = soft[:KEPT]
        if not everywhere & {law.key for law in kept}:
            kept += [law for law in soft[KEPT:] if law.key in everywhere][:1]
        far = FAR * sum(len(each.readings) for each in experiments)
        kept = [law for law in kept if _promise(law) < _promise(soft[0]) + far]
        fits = [lambda law=law: harder(law.found) for law in kept]
        fitted = self.all_fitted(fits, "trying laws harder", *SPAN["harder"])
        return _best_first(law for law in fitted if law.possible)

    def on_a_fine_mesh(self, first: list[Tried]) -> list[Tried]:
        """The best on the mesh that it needs; none where none holds there.

        Where one turns out to have lived on what a coarse mesh cannot resolve, its rivals get a mesh of their own, too,
        the best first.
        """
        self.tell("refining the mesh", SPAN["mesh"][0], None)
        fell = FELL * sum(len(each.readings) for law in first[:1] for each in law.found.objective.experiments)
        fine: list[Tried] = []
        for law in first:
            if fine and _best_first(fine)[0].worth > law.worth - fell:
                break
            fine += self.tried(lambda law=law: resolved(law.found, lambda *_: None))
        return _best_first(fine)

    def pruned(self, law: Tried) -> Tried:
        """Without terms that do not earn their price, the worst first."""
        while worst := self.worst(law):
            rest = [j for j, term in enumerate(law.terms) if term != worst]
            fewer = tuple(law.terms[j] for j in rest)
            found = self.tried(lambda law=law, f=fewer, r=rest: _with_law(law.found, f, law.found.coefficients[r]))
            if not found:
                break
            law = found[0]
        return law

    def worst(self, law: Tried) -> Term | None:
        """The term that earns least, if it does not earn its price and need not be in the law."""
        free = [(float(each), str(term), term) for each, term in zip(law.earnings, law.terms, strict=True)]
        free = [each for each in free if each[2] not in self.known.present and each[0] <= 0]
        return min(free)[2] if free and len(law.terms) > 1 else None

    def nearby(self, best: Tried, rivals: list[Tried]) -> list[Tried]:
        """Rivals, and laws a term or two from the best, which moves to any that is better; all of them on one mesh."""
        begin, end = SPAN["moves"]
        compared, seen = [best], {best.key}
        waiting = [(law.terms, law.found.coefficients) for law in rivals if law.key not in seen]
        for number in range(ROUNDS):
            seen |= {frozenset(some) for some, _ in waiting}
            waiting += self.promising(best, seen)
            seen |= {frozenset(some) for some, _ in waiting}
            fits = [lambda some=some, c=c, law=best: _with_law(law.found, some, c) for some, c in waiting]
            done, until = (begin + (end - begin) * part / ROUNDS for part in (number, number + 1))
            new = [law for law in self.all_fitted(fits, "adding and dropping terms", done, until) if law.possible]
            # One that is met much worse than the law which the mesh was made for lives on what the mesh cannot resolve.
            least = max(UNMET, 2 * compared[0].found.unresolved)
            new = [law for law in new if law.found.unresolved <= least and not self.worst(law)]
            compared, waiting = compared + new, []
            better = max(new, key=lambda law: law.worth, default=best)
            if better.worth <= best.worth:
                break
            best = better
        return compared

    def promising(self, best: Tried, seen: set[frozenset[Term]]) -> list[tuple[tuple[Term, ...], Array]]:
        """Laws near the best that were not tried and might be better, with coefficients to begin from."""
        with np.errstate(all="ignore"):
            around = Neighbourhood(best.found, self.candidates)
            near = [around.of(some) for some in around.laws()]
        present = bool(self.known.present)  # terms that need not earn anything
        near = [law for law in near if law.worth > best.worth - NEAR and (law.earns or present)]
        near = [law for law in near if frozenset(law.terms) not in seen]
        found: list[tuple[tuple[Term, ...], Array]] = []
        for each in sorted(near, key=lambda law: -law.worth):
            law = dict(zip(each.terms, map(float, each.coefficients), strict=True))
            if self.known.allows(law) and not ill_posed(best.found, law):
                found.append((each.terms, each.coefficients))
            if len(found) == MOVES:
                break
        return found

    def all_fitted(self, fits: Sequence[Callable[[], Minimum]], what: str, begin: float, end: float) -> list[Tried]:
        """Side by side; told as ``what``, from ``begin`` to ``end`` of the whole."""
        self.tell(what, round(begin, 6), None)
        found: list[Tried] = []
        for number, law in enumerate(self.pool.map(self.fitted, fits)):
            found += law
            self.tell(what, round(begin + (end - begin) * (number + 1) / len(fits), 6), None)
        return found

    def tried(self, fit: Callable[[], Minimum]) -> list[Tried]:
        """The law that ``fit`` gives, if it is possible."""
        return [law for law in self.fitted(fit) if law.possible]

    def fitted(self, fit: Callable[[], Minimum]) -> list[Tried]:
        """The law that ``fit`` gives with its worth; nothing where it cannot be fitted."""
        try:
            with np.errstate(all="ignore"):
                found = fit()
                predicted = score(held_out(found))
                paid = found.coefficients, found.covariance, found.objective.prior_sd, len(self.candidates)
                worth = predicted - price(*paid)
        except np.linalg.LinAlgError:
            return []
        if not math.isfinite(worth):
            return []
        law = dict(zip(found.objective.terms, map(float, found.coefficients), strict=True))
        possible = self.known.allows(law) and not ill_posed(found, law)
        return [Tried(found, predicted, worth, earnings(*paid), possible)]


def _promise(law: Tried) -> float:
    """The less, the better: while a law is soft, what it is not met by counts, too."""
    return law.found.unmet - law.worth


def _best_first(laws: Iterable[Tried]) -> list[Tried]:
    return sorted(laws, key=lambda law: -law.worth)


def _with_law(found: Minimum, terms: tuple[Term, ...], coefficients: Array) -> Minimum:
    """Another law fitted on the mesh and with the noise of this one."""
    return with_terms(found, terms, coefficients).minimise(found.fields, coefficients, STEPS_AT_LAST)
