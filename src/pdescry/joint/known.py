"""What the user knows of the law before any reading is looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.errors import InputError


@dataclass(frozen=True)
class Known:
    """present: terms that are in the law. signs: of those that have one if they are in it."""

    present: tuple[Term, ...] = ()
    signs: tuple[tuple[Term, float], ...] = ()

    @classmethod
    def of(cls, known: Sequence[str], candidates: tuple[Term, ...], readings: Readings) -> Known:
        """From ``"u_xx"`` (is there), ``"u_xx > 0"`` or ``"u < 0"`` (has this sign)."""
        present: list[Term] = []
        signs: list[tuple[Term, float]] = []
        for text in known:
            name, sign, rest = re.fullmatch(r"([^<>]*?)\s*(?:([<>])\s*(.*))?", text.strip()).groups()  # type: ignore
            if sign and rest != "0":
                raise InputError(f"Expected what is known as 'u_xx', 'u_xx > 0' or 'u_xx < 0'; got {text!r}.")
            term = Term.parse(name, readings.fields, readings.axes)
            if term not in candidates:
                raise InputError(
                    f"Expected {name!r}, of which something is known, among the candidates; add it to them."
                )
            if sign:
                signs.append((term, 1.0 if sign == ">" else -1.0))
            else:
                present.append(term)
        return cls(tuple(present), tuple(signs))

    def allows(self, law: Mapping[Term, float]) -> bool:
        return set(self.present) <= set(law) and all(law.get(term, sign) * sign > 0 for term, sign in self.signs)
