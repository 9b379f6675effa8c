"""What the user knows of the law before any reading is looked at."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pdescry.equation import Term
from pdescry.errors import InputError
from pdescry.problem.candidate import Candidate

FORMS = (
    "'u_xx' (is there), 'u_xx > 0', 'u_xx = 0.1', 'u_xx = 0.1 ± 0.02' or 'u_xx = 0' (is not there), of several fields "
    "'v: u_xx > 0' for the equation of v"
)
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

    candidates: tuple[Candidate, ...]
    present: tuple[Candidate, ...] = ()
    signs: tuple[tuple[Candidate, float], ...] = ()
    given: Mapping[Candidate, Given] | None = None

    @classmethod
    def of(
        cls,
        known: Sequence[str],
        candidates: tuple[Candidate, ...],
        fields: tuple[str, ...],
        inputs: tuple[str, ...],
        axes: tuple[str, ...],
    ) -> Known:
        """From texts such as ``"u_xx"``, ``"u_xx > 0"``, ``"u_xx = 0.1 ± 0.02"`` or ``"u_xx = 0"``; a name and a colon
        before them tell the equation, which is otherwise that of the one field in the term."""
        present: list[Candidate] = []
        absent: list[Candidate] = []
        signs: list[tuple[Candidate, float]] = []
        given: dict[Candidate, Given] = {}
        for text in known:
            equation, name, sign, rest = re.fullmatch(
                r"(?:\s*(\w+)\s*:)?\s*([^<>=]*?)\s*(?:([<>=])\s*(.*))?", text.strip()
            ).groups()  # type: ignore[union-attr]
            term = Term.parse(name, (*fields, *inputs), axes)
            each = Candidate(_equation(equation, term, fields, text), term)
            if each not in candidates:
                raise InputError(
                    f"Expected {name!r}, of which something is known, among the candidates; add it to them."
                )
            if sign == "=" and (value := _given(rest, text)).value:
                if given.setdefault(each, value) != value:
                    raise InputError(f"Expected one coefficient of {name!r}; got two; leave one of them out.")
                present.append(each)
            elif sign == "=":
                absent.append(each)
            elif sign and rest != "0":
                raise InputError(f"Expected what is known as {FORMS}; got {text!r}.")
            elif sign:
                signs.append((each, 1.0 if sign == ">" else -1.0))
            else:
                present.append(each)
        told = [*signs, *((each, math.copysign(1.0, value.value)) for each, value in given.items())]
        for each, sign in told:
            if (each, -sign) in told:
                raise InputError(
                    f"Expected {str(each.term)!r} to be known as positive or as negative; got both; leave one of them "
                    "out."
                )
        left = tuple(each for each in candidates if each not in absent)
        if set(absent) & set(present) or not left:
            raise InputError(
                "Expected terms that are known to be there or known not to be there, not both, and some left."
            )
        return cls(left, tuple(dict.fromkeys(present)), tuple(signs), given)

    @property
    def values(self) -> Mapping[Candidate, Given]:
        return self.given or {}

    def allows(self, law: Mapping[Candidate, float]) -> bool:
        return set(self.present) <= set(law) and all(law.get(each, sign) * sign > 0 for each, sign in self.signs)

    def among(self, kept: tuple[Candidate, ...]) -> Known:
        """What is known of some of the candidates."""
        some = set(kept)
        return Known(
            tuple(each for each in self.candidates if each in some),
            tuple(each for each in self.present if each in some),
            tuple((each, sign) for each, sign in self.signs if each in some),
            {each: value for each, value in self.values.items() if each in some},
        )


def _equation(named: str | None, term: Term, fields: tuple[str, ...], text: str) -> str:
    """The field whose equation is meant."""
    if named is not None:
        if named not in fields:
            raise InputError(f"Expected the equation of {', '.join(fields)} in {text!r}; got {named!r}.")
        return named
    own = [field for field in fields if field in term.fields]
    if len(fields) == 1 or len(own) == 1:
        return (own or list(fields))[0]
    raise InputError(
        f"Expected the equation in which {str(term)!r} is known, since there are several fields; write "
        f"'{fields[0]}: {text}'."
    )


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
