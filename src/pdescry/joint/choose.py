"""`choose`: which candidates make up the law, judged by how well each law predicts sensors that it has not seen.

Subsets of candidates that explain the inferred field best (a regression each: thousands a second) are proposed; each
is fitted together with the field on one mesh. The best refines the mesh; there terms are added and dropped one at a
time until nothing predicts better. No threshold: a term has to be worth its price, that of naming it among the
candidates and of fixing its coefficient (Occam's factor).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from pdescry.equation import Equation, Term
from pdescry.equation.equation import Component
from pdescry.errors import PdescryError
from pdescry.joint.fit import JointFit, notes_of, terms_of
from pdescry.joint.held_out import held_out, score
from pdescry.joint.objective import Minimum, Objective
from pdescry.joint.splines import Array
from pdescry.joint.stages import STEPS_AT_LAST, Start, harder, noise_of, resolved, scaled
from pdescry.solver import is_ill_posed
from pdescry.surrogate import Posterior
from pdescry.surrogate.pool import Progress, n_cores

LARGEST = 4  # terms of a proposal; more are added one at a time
EACH = 3  # proposals of each size
KEPT = 5  # of them are fitted to the end
FINE = 0.6  # of the time goes by until the mesh is fine
MOVES = 4  # tried before a law counts as the best near it
ROUNDS = 6
UNLIKELY = -6.0  # a move that promises less is not tried
# Whether short waves grow is judged up to this many over the interval, at every so many points.
WAVES, EVERY = 100, 7


@dataclass(frozen=True, eq=False)
class Tried:
    """A law that was fitted; score: log density of held-out sensors; worth: less the price of its terms."""

    found: Minimum
    score: float
    worth: float

    @property
    def terms(self) -> tuple[Term, ...]:
        return self.found.objective.terms

    @property
    def key(self) -> frozenset[Term]:
        return frozenset(self.terms)


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """The law that predicts best, and those that came near (``tried``, best first)."""

    fit: JointFit
    candidates: tuple[Term, ...]
    tried: tuple[Tried, ...]

    @property
    def weights(self) -> Array:
        """(tried,): of each law among those compared, summing to one."""
        worth = np.array([law.worth for law in self.tried])
        return np.exp(worth - logsumexp(worth))

    @property
    def alternatives(self) -> pd.DataFrame:
        """Laws compared at the end, best first: terms, worth less that of the best, and weight among them."""
        best = self.tried[0].worth
        return pd.DataFrame(
            {
                "terms": [", ".join(map(str, law.terms)) for law in self.tried],
                "law": [str(JointFit(law.found)) for law in self.tried],
                "worth": [law.worth - best for law in self.tried],
                "weight": self.weights,
            }
        )

    @property
    def probabilities(self) -> pd.Series:
        """For each candidate, the weight of the laws that hold it, among those compared."""
        found = [
            sum(float(weight) for law, weight in zip(self.tried, self.weights, strict=True) if term in law.terms)
            for term in self.candidates
        ]
        return pd.Series(found, index=[str(term) for term in self.candidates], name="probability")

    def __str__(self) -> str:
        return str(self.fit)

    def __repr__(self) -> str:
        near = [
            f"  or {row['law']} (weight {row['weight']:.2f})"
            for row in self.alternatives.to_dict(orient="records")[1:]
            if row["weight"] >= 0.01
        ]
        return "\n".join([repr(self.fit), *near])


def choose(
    posterior: Posterior,
    candidates: str | Iterable[str | Term] = "general",
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Choice:
    """Find the terms of the law among candidates, and its coefficients, field and law inferred together.

    posterior, and what laws it can take: as in `refine`. candidates: "paper", "small", "general", or a list of terms.
    """
    tell = progress or (lambda what, fraction, left=None: None)
    terms = terms_of(candidates, posterior.readings)
    tell("proposing laws", 0.0, None)
    start = Start.of(posterior)
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(workers or n_cores()) as pool:
        search = _Search(terms, pool, tell)
        first = search.proposals(start)
        tell("refining the mesh", 0.4, None)
        best = search.on_a_fine_mesh(first)
        compared = search.nearby(best)
    compared = _best_first(compared)
    found = compared[0].found
    tell("finishing", 1.0, 0.0)
    return Choice(JointFit(found, notes_of(found, noise_of(posterior))), terms, tuple(compared))


@dataclass(frozen=True, eq=False)
class _Search:
    candidates: tuple[Term, ...]
    pool: ThreadPoolExecutor
    tell: Progress

    def proposals(self, start: Start) -> list[Tried]:
        """The laws that explain the inferred field best, fitted on its mesh, best first."""
        proposed = list(_proposals(start, self.candidates))
        soft = self.all_tried([lambda some=some: start.fit(some) for some in proposed], "trying laws", 0.0, 0.3)
        kept = [law.found for law in _best_first(soft)[:KEPT]]
        hard = self.all_tried([lambda found=found: harder(found) for found in kept], "trying laws harder", 0.3, 0.4)
        if not hard:
            raise PdescryError(
                "No law could be fitted to the readings; try fewer candidates, or more draws of the field."
            )
        return _best_first(hard)

    def on_a_fine_mesh(self, first: list[Tried]) -> list[Tried]:
        """The two best on the mesh that the first of them needs."""
        best, *others = first
        fine = resolved(best.found, lambda *_: None)
        found = self.tried(lambda: fine)
        for law in others[:1]:
            found += self.tried(lambda law=law: _with_law(fine, law.terms, law.found.coefficients))
        return _best_first(found or first[:1])

    def nearby(self, begun: list[Tried]) -> list[Tried]:
        """Laws within a term of the best, which moves to any that is better; all of them on one mesh."""
        compared, seen, best = list(begun), {law.key for law in begun}, begun[0]
        for number in range(ROUNDS):
            moves = [move for move in _moves(best.found, self.candidates) if frozenset(move[1]) not in seen]
            moves = [move for move in sorted(moves, key=lambda move: -move[0])[:MOVES] if move[0] > UNLIKELY]
            seen |= {frozenset(some) for _, some, _ in moves}
            fits = [lambda some=some, c=c, law=best: _with_law(law.found, some, c) for _, some, c in moves]
            done, end = (FINE + (1 - FINE) * part / ROUNDS for part in (number, number + 1))
            new = self.all_tried(fits, "adding and dropping terms", done, end)
            compared += new
            better = max(new, key=lambda law: law.worth, default=best)
            if better.worth <= best.worth:
                break
            best = better
        return compared

    def all_tried(self, fits: Sequence[Callable[[], Minimum]], what: str, begin: float, end: float) -> list[Tried]:
        """Those that are laws, side by side; told as ``what``, from ``begin`` to ``end`` of the whole."""
        self.tell(what, begin, None)
        found: list[Tried] = []
        for number, law in enumerate(self.pool.map(self.tried, fits)):
            found += law
            self.tell(what, begin + (end - begin) * (number + 1) / len(fits), None)
        return found

    def tried(self, fit: Callable[[], Minimum]) -> list[Tried]:
        """The law that ``fit`` gives with its worth; nothing where it cannot be fitted or is ill-posed."""
        try:
            with np.errstate(all="ignore"):
                found = fit()
                predicted = score(held_out(found))
                worth = predicted - _price(found, len(self.candidates))
        except np.linalg.LinAlgError:
            return []
        law = dict(zip(found.objective.terms, found.coefficients, strict=True))
        if not math.isfinite(worth) or _ill_posed(found.objective, found.field, law):
            return []
        return [Tried(found, predicted, worth)]


def _best_first(laws: Iterable[Tried]) -> list[Tried]:
    return sorted(laws, key=lambda law: -law.worth)


# ---- proposals -------------------------------------------------------------------------------------------------------


def _proposals(start: Start, terms: tuple[Term, ...]) -> Iterator[tuple[Term, ...]]:
    """Subsets that explain u_t of the inferred field best, by size."""
    space = start.space
    objective = start.objective(terms)
    left, columns = objective.columns(start.field)
    weight = start.trust / np.sqrt(space.area)
    target = space.moments(left * weight).ravel()
    table = np.stack([space.moments(column * weight).ravel() for column in columns], axis=1)
    sizes = np.linalg.norm(table, axis=0)
    sizes[sizes == 0] = 1.0
    table = table / sizes
    products, right = table.T @ table, table.T @ target
    for size in range(1, min(LARGEST, len(terms)) + 1):
        subsets = np.array(list(combinations(range(len(terms)), size)))
        squares = products[subsets[:, :, None], subsets[:, None, :]] + 1e-6 * np.eye(size)
        found = np.linalg.solve(squares, right[subsets][..., None])[..., 0]
        explained = np.sum(found * right[subsets], axis=1)
        taken = 0
        for number in np.argsort(-explained, kind="stable")[: 4 * EACH]:
            some, coefficients = subsets[number], found[number] / sizes[subsets[number]]
            if not _ill_posed(objective, start.field, {terms[j]: c for j, c in zip(some, coefficients, strict=True)}):
                yield tuple(terms[j] for j in some)
                taken += 1
            if taken == EACH:
                break


# ---- judging and moving ----------------------------------------------------------------------------------------------


def _price(found: Minimum, candidates: int) -> float:
    """Of naming the terms among the candidates, and of fixing coefficients within their broad prior."""
    log_precision = 2 * float(np.log(np.abs(np.diag(found.factored.root))).sum())
    occam = 0.5 * log_precision + float(np.sum(np.log(found.objective.prior_sd)))
    return len(found.coefficients) * math.log(candidates) + occam


def _ill_posed(objective: Objective, field: Array, law: Mapping[Term, float]) -> bool:
    readings = objective.readings
    values = {name: part.ravel()[::EVERY] for name, part in objective.derivatives(field).items()}
    (early, late), (low, high) = readings.span.values()
    equation = Equation.of([Component.of(readings.fields[0], {term: float(c) for term, c in law.items()})])
    return is_ill_posed(equation, readings.axes[0], values, 2 * math.pi * WAVES / (high - low), late - early)


def _with_law(found: Minimum, terms: tuple[Term, ...], coefficients: Array) -> Minimum:
    """Another law fitted on the mesh and with the noise of this one."""
    return _with_terms(found, terms, coefficients).minimise(found.field, coefficients, STEPS_AT_LAST)


def _with_terms(found: Minimum, terms: tuple[Term, ...], coefficients: Array) -> Objective:
    """The same readings, mesh, noise and tolerance, for other terms."""
    tolerance = found.objective.tolerance
    other = replace(found, objective=replace(found.objective, terms=terms), coefficients=coefficients)
    return replace(scaled(other, 1.0), tolerance=tolerance)


def _moves(found: Minimum, candidates: tuple[Term, ...]) -> Iterator[tuple[float, tuple[Term, ...], Array]]:
    """Terms added or dropped, one at a time: what each promises, were the objective quadratic, and where to begin."""
    terms = found.objective.terms
    kept = [candidates.index(term) for term in terms]
    every = np.zeros(len(candidates))
    every[kept] = found.coefficients
    objective = _with_terms(found, candidates, every)
    solved = objective.linearised(found.field, every).solved()
    prior = objective.prior_sd
    schur = solved.schur - np.diag(prior**-2.0)
    slope = solved.root.T @ solved.rest[: len(every), -1] - every / prior**2
    name = math.log(len(candidates))
    among = schur[np.ix_(kept, kept)]
    covariance = np.linalg.inv(among + np.diag(prior[kept] ** -2.0))
    for place in range(len(kept)) if len(kept) > 1 else ():
        rest = [k for k in range(len(kept)) if k != place]
        variance, value = covariance[place, place], found.coefficients[place]
        promised = -0.5 * value**2 / variance + 0.5 * math.log(prior[kept[place]] ** 2 / variance) + name
        others = found.coefficients[rest] - covariance[rest, place] / variance * value
        yield float(promised), tuple(terms[k] for k in rest), others
    for j in set(range(len(candidates))) - set(kept):
        follow = covariance @ schur[kept, j]
        precision = max(float(schur[j, j] - schur[j, kept] @ follow), 0.0) + prior[j] ** -2.0
        own = -(slope[j] - slope[kept] @ follow) / precision
        gain = 0.5 * precision * own**2 - 0.5 * math.log(precision * prior[j] ** 2) - name
        yield float(gain), (*terms, candidates[j]), np.append(found.coefficients - follow * own, own)
