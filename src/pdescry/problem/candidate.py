"""`Candidate`: a term that may stand in the equation of a field."""

from __future__ import annotations

from dataclasses import dataclass

from pdescry.equation import Term


@dataclass(frozen=True)
class Candidate:
    """A term on the right side of the equation of ``field``."""

    field: str
    term: Term

    def __str__(self) -> str:
        return f"{self.field}: {self.term}"

    @property
    def key(self) -> tuple:
        """Sort key: equation by equation, simple terms first."""
        return self.field, self.term.key
