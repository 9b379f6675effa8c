"""`Candidate`: a term that may stand in the equation of a field."""

from __future__ import annotations

from dataclasses import dataclass

from pdescry.equation import Term
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
