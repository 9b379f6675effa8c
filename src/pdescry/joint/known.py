"""What the user knows of the law before any reading is looked at."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.errors import InputError

FORMS = "'u_xx' (is there), 'u_xx > 0', 'u_xx = 0.1', 'u_xx = 0.1 ± 0.02' or 'u_xx = 0' (is not there)"
EXACT = 1e-6  # of a coefficient: the sd of one that is told without


@dataclass(frozen=True)
class Given:
    """A coefficient that is known, within its sd."""

    value: float
    sd: float


@dataclass(frozen=True)
class Known:
    """candidates: those that may be in the law. present: those that are. signs: of those that have one if they are in
    it. given: known coefficients, of terms that are present."""

    candidates: tuple[Term, ...]
    present: tuple[Term, ...] = ()
    signs: tuple[tuple[Term, float], ...] = ()
    given: Mapping[Term, Given] | None = None

    @classmethod
    def of(cls, known: Sequence[str], candidates: tuple[Term, ...], readings: Readings) -> Known:
        """From texts such as ``"u_xx"``, ``"u_xx > 0"``, ``"u_xx = 0.1 ± 0.02"`` or ``"u_xx = 0"``."""
        present: list[Term] = []
        absent: list[Term] = []
        signs: list[tuple[Term, float]] = []
        given: dict[Term, Given] = {}
        for text in known:
            name, sign, rest = re.fullmatch(r"([^<>=]*?)\s*(?:([<>=])\s*(.*))?", text.strip()).groups()  # type: ignore
            term = Term.parse(name, readings.fields, readings.axes)
            if term not in candidates:
                raise InputError(
                    f"Expected {name!r}, of which something is known, among the candidates; add it to them."
                )
            if sign == "=" and (value := _given(rest, text)).value:
                if given.setdefault(term, value) != value:
                    raise InputError(f"Expected one coefficient of {name!r}; got two; leave one of them out.")
                present.append(term)
            elif sign == "=":
                absent.append(term)
            elif sign and rest != "0":
                raise InputError(f"Expected what is known as {FORMS}; got {text!r}.")
            elif sign:
                signs.append((term, 1.0 if sign == ">" else -1.0))
            else:
                present.append(term)
        told = [*signs, *((term, math.copysign(1.0, each.value)) for term, each in given.items())]
        for term, sign in told:
            if (term, -sign) in told:
                raise InputError(
                    f"Expected {str(term)!r} to be known as positive or as negative; got both; leave one of them out."
                )
        left = tuple(term for term in candidates if term not in absent)
        if set(absent) & set(present) or not left:
            raise InputError(
                "Expected terms that are known to be there or known not to be there, not both, and some left."
            )
        return cls(left, tuple(dict.fromkeys(present)), tuple(signs), given)

    @property
    def values(self) -> Mapping[Term, Given]:
        return self.given or {}

    def allows(self, law: Mapping[Term, float]) -> bool:
        return set(self.present) <= set(law) and all(law.get(term, sign) * sign > 0 for term, sign in self.signs)


def _given(text: str, whole: str) -> Given:
    """From ``"0.1"`` or ``"0.1 ± 0.02"``."""
    value, _, sd = text.replace("+-", "±").replace("+/-", "±").partition("±")
    try:
        number, spread = float(value), float(sd) if sd.strip() else 0.0
    except ValueError:
        number = spread = math.nan
    if not (math.isfinite(number) and math.isfinite(spread) and spread >= 0):
        raise InputError(f"Expected what is known as {FORMS}; got {whole!r}.")
    return Given(number, spread or EXACT * abs(number))
