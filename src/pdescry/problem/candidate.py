"""`Candidate`: a term that may appear in the equation of a field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdescry.equation import Term
from pdescry.equation.algebra import expand
from pdescry.equation.term import Coordinate

HIGHEST_POWER = 3  # of a coordinate, in coefficients that vary along it: a cubic


@dataclass(frozen=True)
class Candidate:
    """A term on the right side of the equation of ``field``."""

    field: str
    term: Term

    def __str__(self) -> str:
        return f"{self.field}: {self.term}"

    def powers(self, axis: str) -> tuple[Candidate, ...]:
        """``x*T`` to ``x^3*T``: with these, its coefficient varies along x as a cubic at most."""
        factors = [Term.of([(Coordinate(axis), power)]) for power in range(1, HIGHEST_POWER + 1)]
        return tuple(Candidate(self.field, each * self.term) for each in factors)

    @property
    def key(self) -> tuple:
        """Sort key: equation by equation, simple terms first."""
        return self.field, self.term.key


def overlapping(candidates: Sequence[Candidate]) -> NDArray[np.bool_]:
    """(k, k): which of them never appear together: a group such as ``lap(u)`` and a term that it contains, ``u_xx``.
    With u_yy they would be the same law in several ways."""
    found = np.zeros((len(candidates), len(candidates)), bool)
    opened = [set(expand({each.term: 1.0})) for each in candidates]
    for j, group in enumerate(candidates):
        if group.term.groups:
            for k, other in enumerate(candidates):
                found[j, k] |= j != k and other.field == group.field and not opened[j].isdisjoint(opened[k])
    return found | found.T


def members(candidates: Sequence[Candidate]) -> dict[int, tuple[int, ...]]:
    """Of each group the candidates that it is the sum of, where all of them are there: ``u_xx`` and ``u_yy``."""
    places = {(each.field, each.term): k for k, each in enumerate(candidates)}
    found = {}
    for j, group in enumerate(candidates):
        if group.term.groups:
            parts = [places.get((group.field, term)) for term in expand({group.term: 1.0})]
            known = tuple(sorted(part for part in parts if part is not None))
            if len(known) == len(parts):
                found[j] = known
    return found
