"""Proposals of laws to fit: those that explain the left sides of inferred fields best, simple ones first, and a few
common ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pdescry.joint.field.axis import Array
from pdescry.joint.field.start import Start
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.search.complexity import complexity, is_simple
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.well_posed import ill_posed
from pdescry.problem import Candidate, Problem, overlapping

RIDGE = 1e-6  # of the square of a term: keeps the system solvable if terms are collinear
# With few sensors, derivatives of an inferred field are inaccurate; these laws, fitted together with the field, may
# still be found.
COMMON = (("{u}_{x}{x}",), ("{u}_{x}", "{u}_{x}{x}"), ("1", "{u}", "{u}_{x}{x}"), ("{u}", "{u}^2", "{u}_{x}{x}"))
COMMON_IN_PLANE = (
    ("lap({u})",),
    ("{u}_{x}", "{u}_{y}", "lap({u})"),
    ("1", "{u}", "lap({u})"),
    ("{u}", "{u}^2", "lap({u})"),
    ("{u}", "{u}^3", "lap({u})"),
)
COMMON_SECOND_IN_PLANE = (("lap({u})",), ("{u}_t", "lap({u})"), ("{u}", "lap({u})"), ("{u}_t", "{u}", "lap({u})"))
COMMON_SECOND = (("{u}_{x}{x}",), ("{u}_t", "{u}_{x}{x}"), ("{u}", "{u}_{x}{x}"), ("{u}_t", "{u}", "{u}_{x}{x}"))

Terms = tuple[Candidate, ...]


@dataclass(frozen=True)
class _Side:
    """The right side of one equation. explained: share of the left side."""

    terms: Terms
    explained: float


def proposals(
    starts: Sequence[Start], problem: Problem, number: int, largest: int, common: bool = True
) -> list[tuple[Start, Terms]]:
    """Terms of all equations, and the initial field: ``number`` of each size up to ``largest`` for the first initial
    field, the best of each size for others; with common laws, if wanted.

    With several equations, right sides of the same size and rank are combined.
    """
    ranked = [(start, _ranked(start, problem, 1 if k else number, largest)) for k, start in enumerate(starts)]
    most: dict[tuple[str, int, int], float] = {}
    for _, sides in ranked:
        for key, side in sides.items():
            most[key] = max(side.explained, most.get(key, 0.0))
    found: list[tuple[Start, Terms]] = []
    for start, sides in ranked:
        least = SEARCH.proposals.least_explained
        good = {key: side for key, side in sides.items() if side.explained >= least * most[key]}
        found += [(start, terms) for terms in _together(good, problem)]
    if problem.known.values:  # these may be the whole law
        found += [(start, problem.known.present) for start in starts]
    seen = {frozenset(terms) for _, terms in found}
    found += [
        (start, law)
        for start in {id(start): start for start in (starts[0], starts[-1])}.values()
        for law in (common_laws(problem) if common else ())
        if frozenset(law) not in seen
    ]
    if not found:  # what is known excludes all that the fields suggest; it is judged when laws are fitted
        found = [(starts[0], law) for law in pairs_of_simple(problem)]
    unique = {(id(start), frozenset(terms)): (start, terms) for start, terms in found}
    return list(unique.values())


def completions(start: Start, problem: Problem, side: Terms, number: int, largest: int) -> list[Terms]:
    """Laws of the whole system, with a given right side of one equation, and for the others those that explain inferred
    fields best: ``number`` of each size of more than one term."""
    known = {term.field for term in side}
    ranked = {key: part for key, part in _ranked(start, problem, number, largest).items() if key[0] not in known}
    by_field = {field: [key for key in ranked if key[0] == field] for field in problem.fields if field not in known}
    found = []
    for key in sorted({key[1:] for key in ranked if key[1] > 1}):
        parts = [ranked[field, *key] for field in by_field if (field, *key) in ranked]
        if len(parts) == len(by_field):
            found.append((*side, *(term for part in parts for term in part.terms)))
    return found


def explained(start: Start, problem: Problem, largest: int) -> float:
    """The share of the left sides of inferred fields that laws of at most this size explain; for the equation where it
    is smallest."""
    best = dict.fromkeys(problem.fields, 0.0)
    for (field, _, _), side in _ranked(start, problem, 1, largest).items():
        best[field] = max(best[field], side.explained)
    return min(best.values())


def _together(sides: Mapping[tuple[str, int, int], _Side], problem: Problem) -> Iterator[Terms]:
    """Laws of the whole system, from right sides of each equation by size and rank."""
    by_field = {field: {key[1:]: side for key, side in sides.items() if key[0] == field} for field in problem.fields}
    if not all(by_field.values()):
        return
    for key in sorted({key for own in by_field.values() for key in own}):
        nearest = [max((have for have in own if have <= key), default=None) for own in by_field.values()]
        if None not in nearest:
            parts = [own[have] for own, have in zip(by_field.values(), nearest, strict=True) if have is not None]
            yield tuple(term for part in parts for term in part.terms)


def _ranked(start: Start, problem: Problem, number: int, largest: int) -> dict[tuple[str, int, int], _Side]:
    """Right sides by field, size and rank."""
    return {
        (field, size, rank): side
        for field in problem.fields
        for (size, rank), side in _explaining(start, problem, field, number, largest)
    }


def _explaining(
    start: Start, problem: Problem, field: str, number: int, largest: int
) -> Iterator[tuple[tuple[int, int], _Side]]:
    """Subsets that explain the left side of one equation of the inferred fields best, by size and rank."""
    known, equation = problem.known, problem.fields.index(field)
    terms = tuple(each for each in known.candidates if each.field == field)
    if not terms:
        return
    objective = start.objective(terms)
    found = Minimum(objective, start.states, objective.prior_mean, False)
    residuals = objective.residuals(start.states, objective.prior_mean)
    target = start.projected((each[equation] for each in residuals), equation)
    table = start.projected((columns for _, columns in objective.columns(start.states)), equation).T
    sizes = np.linalg.norm(table, axis=0)
    sizes[sizes == 0] = 1.0
    table = table / sizes
    products, right = table.T @ table, table.T @ target
    whole = float(target @ target) or 1.0
    present = tuple(terms.index(term) for term in known.present if term.field == field and term not in known.values)
    free = [j for j in range(len(terms)) if j not in present and terms[j] not in known.values]
    apart = overlapping(terms)
    given = {term: value.value for term, value in known.values.items() if term.field == field}
    for size in range(max(len(present), 1), min(max(largest, len(present)), len(present) + len(free)) + 1):
        taken: list[tuple[int, ...]] = []
        for pool, most in _pools(terms, free, number, len(problem.fields) > 1):
            if pool is None:  # a term that nearly explains everything dominates: also the best without it
                common = set(free).intersection(*taken[-most:]) if taken else set()
                if len(common) != 1:
                    break
                pool = [j for j in free if j not in common]
            new = 0
            found_best = _best(products, right, present, pool, size, whole, terms, sizes, number, apart)
            for some, explained, law in found_best:
                whole_law = given | law
                allowed = all(whole_law.get(each, sign) * sign > 0 for each, sign in known.signs if each.field == field)
                if allowed and some not in taken and not _ill_posed_alone(found, problem, whole_law):
                    yield (size, len(taken)), _Side(tuple(whole_law), explained)
                    taken.append(some)
                    new += 1
                if new >= most:
                    break


def _pools(terms: Terms, free: list[int], number: int, several: bool) -> Iterator[tuple[list[int] | None, int]]:
    """Pools of candidates, and number of laws from each: simple terms, which products of derivatives would displace;
    all; with several fields all except a term that the last laws share (None)."""
    yield [j for j in free if is_simple(terms[j])], number
    yield free, -(-number // 2)
    if several:
        yield None, -(-number // 2)


def _best(
    products: Array, right: Array, present: tuple[int, ...], free: Sequence[int], size: int, whole: float, terms: Terms,
    sizes: Array, number: int, apart: NDArray[np.bool_],
) -> Iterator[tuple[tuple[int, ...], float, dict[Candidate, float]]]:  # fmt: skip
    """The subsets of a size that explain most, with their coefficients. apart: terms that exclude each other."""
    more = size - len(present)
    pool = _within_reach(products, right, present, free, more)
    subsets = np.array([(*present, *some) for some in combinations(pool, more)], int).reshape(-1, size)
    subsets = subsets[~apart[subsets[:, :, None], subsets[:, None, :]].any(axis=(1, 2))]
    if not len(subsets):
        return
    squares = products[subsets[:, :, None], subsets[:, None, :]] + RIDGE * np.eye(size)
    fitted = np.linalg.solve(squares, right[subsets][..., None])[..., 0]
    explained = np.sum(fitted * right[subsets], axis=1) / whole
    # Simple laws come first among those that explain equally much.
    factors = np.array([complexity(term) for term in terms])[subsets].sum(axis=1)
    weight = np.exp(SEARCH.proposals.gain_per_factor * factors)
    for place in np.argsort((1 - explained) * weight, kind="stable")[: 4 * number]:
        some = subsets[place]
        law = {terms[j]: float(c) for j, c in zip(some, fitted[place] / sizes[some], strict=True)}
        yield tuple(map(int, some)), float(explained[place]), law


def _within_reach(products: Array, right: Array, present: tuple[int, ...], free: Sequence[int], more: int) -> list[int]:
    """A pool small enough for the number of subsets: the candidates whose best pair with another explains most."""
    count = len(free)
    while more > 2 and _number_of_subsets(count, more) > SEARCH.proposals.most_subsets:
        count -= 1
    if count == len(free):
        return list(free)
    pairs = np.array([(*present, *some) for some in combinations(free, 2)], int)
    squares = products[pairs[:, :, None], pairs[:, None, :]] + RIDGE * np.eye(pairs.shape[1])
    fitted = np.linalg.solve(squares, right[pairs][..., None])[..., 0]
    explained = np.sum(fitted * right[pairs], axis=1)
    best = {j: float(explained[(pairs == j).any(axis=1)].max()) for j in free}
    return sorted(sorted(free, key=lambda j: -best[j])[:count])


def _number_of_subsets(count: int, size: int) -> float:
    return float(np.prod([(count - k) / (k + 1) for k in range(size)]))


def _ill_posed_alone(found: Minimum, problem: Problem, law: Mapping[Candidate, float]) -> bool:
    """Judged only for a single field; coupled equations are judged together once they are fitted."""
    return len(problem.fields) == 1 and ill_posed(found, law)


def pairs_of_simple(problem: Problem) -> list[Terms]:
    """Every law of one or two simple terms, with the terms known to be in the law."""
    known = problem.known
    simple = [each for each in known.candidates if is_simple(each) and each not in known.present]
    some = [*((each,) for each in simple), *combinations(simple, 2)]
    laws = [(*known.present, *law) for law in some]
    return [law for law in laws if problem.is_whole(law)]


def common_laws(problem: Problem) -> list[Terms]:
    """Common laws, with the terms known to be in the law; for one field."""
    if len(problem.fields) != 1:
        return []
    (field,), axes = problem.fields, problem.axes
    names = {"u": field, "x": axes[0], "y": axes[-1]}
    first, second = (COMMON, COMMON_SECOND) if len(axes) == 1 else (COMMON_IN_PLANE, COMMON_SECOND_IN_PLANE)
    texts = first if problem.orders == (1,) else second
    laws = [[Candidate(field, problem.term(text.format(**names))) for text in law] for law in texts]
    whole = [tuple(dict.fromkeys((*problem.known.present, *law))) for law in laws]
    return [law for law in whole if set(law) <= set(problem.known.candidates)]
