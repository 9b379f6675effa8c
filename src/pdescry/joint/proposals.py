"""Laws worth a fit: those that explain u_t of an inferred field best, and a few that are found everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.joint.known import Known
from pdescry.joint.objective import Minimum
from pdescry.joint.start import Start
from pdescry.joint.well_posed import ill_posed

POOR = 0.5  # a law that explains less than this share of what one as large explains in another field is not proposed
SINGULAR = 1e-6
# Where sensors are few, derivatives of an inferred field say little; fitted together with the field, these still may.
USUAL = (("{u}_{x}{x}",), ("{u}_{x}", "{u}_{x}{x}"), ("1", "{u}", "{u}_{x}{x}"), ("{u}", "{u}^2", "{u}_{x}{x}"))


@dataclass(frozen=True)
class _Proposal:
    start: Start
    terms: tuple[Term, ...]
    explained: float  # share of u_t


def proposals(
    starts: Sequence[Start], candidates: tuple[Term, ...], number: int, largest: int, known: Known
) -> list[tuple[Start, tuple[Term, ...]]]:
    """Terms, and the field to begin from: ``number`` of each size up to ``largest`` for each start."""
    found = [each for start in starts for each in _explaining(start, candidates, number, largest, known)]
    most: dict[int, float] = {}
    for each in found:
        most[len(each.terms)] = max(each.explained, most.get(len(each.terms), 0.0))
    kept = [(each.start, each.terms) for each in found if each.explained >= POOR * most[len(each.terms)]]
    if known.values:  # which may be all of the law
        kept += [(start, known.present) for start in starts]
    smooth = starts[-1]
    seen = {frozenset(terms) for start, terms in kept if start is smooth}
    everywhere = usual(smooth.begun[0].experiment.readings, candidates, known)
    return kept + [(smooth, law) for law in everywhere if frozenset(law) not in seen]


def _explaining(start: Start, terms: tuple[Term, ...], number: int, largest: int, known: Known) -> Iterator[_Proposal]:
    """Subsets that explain u_t of the inferred field best, by size."""
    objective = start.objective(terms)
    found = Minimum(objective, start.fields, objective.prior_mean, False)
    target = start.projected(objective.residuals(start.fields, objective.prior_mean))
    table = start.projected(columns for _, columns in objective.columns(start.fields)).T
    sizes = np.linalg.norm(table, axis=0)
    sizes[sizes == 0] = 1.0
    table = table / sizes
    products, right = table.T @ table, table.T @ target
    whole = float(target @ target) or 1.0
    present = tuple(terms.index(term) for term in known.present if term not in known.values)
    free = [j for j in range(len(terms)) if j not in present and terms[j] not in known.values]
    for size in range(max(len(present), 1), min(max(largest, len(present)), len(present) + len(free)) + 1):
        subsets = np.array([(*present, *some) for some in combinations(free, size - len(present))])
        squares = products[subsets[:, :, None], subsets[:, None, :]] + SINGULAR * np.eye(size)
        fitted = np.linalg.solve(squares, right[subsets][..., None])[..., 0]
        explained = np.sum(fitted * right[subsets], axis=1) / whole
        taken = 0
        for place in np.argsort(-explained, kind="stable")[: 4 * number]:
            some, coefficients = subsets[place], fitted[place] / sizes[subsets[place]]
            law = {term: known.values[term].value for term in known.values}
            law |= {terms[j]: float(c) for j, c in zip(some, coefficients, strict=True)}
            if known.allows(law) and not ill_posed(found, law):
                yield _Proposal(start, tuple(law), float(explained[place]))
                taken += 1
            if taken == number:
                break


def usual(readings: Readings, candidates: tuple[Term, ...], known: Known) -> list[tuple[Term, ...]]:
    """Laws that are found everywhere, with what is known to be in the law."""
    names = {"u": readings.fields[0], "x": readings.axes[0]}
    laws = [[Term.parse(text.format(**names), readings.fields, readings.axes) for text in law] for law in USUAL]
    whole = [tuple(dict.fromkeys((*known.present, *law))) for law in laws]
    return [law for law in whole if set(law) <= set(candidates)]
