"""Prior knowledge of the law."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pdescry.equation import Term
from pdescry.equation.with_spread import TWO_SIDED_95
from pdescry.errors import InputError
from pdescry.problem.candidate import Candidate

FORMS = (
    "'u_xx' (is there), 'u_xx > 0', 'u_xx = 0.1', 'u_xx = 0.1 ± 0.02' or 'u_xx = 0' (is not there), of several fields "
    "'v: u_xx > 0' for the equation of v"
)
EXACT = 1e-6  # of a coefficient: the sd of one that is given without


@dataclass(frozen=True)
class Given:
    """A coefficient that is known, within its sd."""

    value: float
    sd: float


@dataclass(frozen=True)
class Claim:
    """What the user said of one candidate, as it was written. kind: whether it is in the law, is not, has a sign if it
    is in it, or has a value."""

    text: str
    candidate: Candidate
    kind: Literal["present", "absent", "sign", "value"]
    sign: float = 0.0
    given: Given | None = None

    def contradicted_by(self, value: float | None, sd: float = 0.0) -> bool:
        """Whether a law in which the term has this coefficient, or is not (None), is not as was said; a value has to
        lie outside its 95 % interval."""
        if self.given is not None:
            return value is None or abs(value - self.given.value) > TWO_SIDED_95 * math.hypot(sd, self.given.sd)
        if self.kind == "sign":
            return value is not None and value * self.sign < 0
        return (value is None) == (self.kind == "present")


@dataclass(frozen=True)
class Known:
    """candidates: those that may be in the law. present: those that are. signs: of those that have one if they are in
    it. given: known coefficients, of terms that are present. claims: what it was all made from."""

    candidates: tuple[Candidate, ...]
    present: tuple[Candidate, ...] = ()
    signs: tuple[tuple[Candidate, float], ...] = ()
    given: Mapping[Candidate, Given] | None = None
    claims: tuple[Claim, ...] = ()

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
        before them name the equation, which is otherwise that of the one field in the term."""
        claims = []
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
            claims.append(_claim(text.strip(), each, sign, rest))
        return cls.from_claims(claims, candidates)

    @classmethod
    def from_claims(cls, claims: Sequence[Claim], candidates: tuple[Candidate, ...]) -> Known:
        """candidates: also those that are claimed to be absent."""
        given: dict[Candidate, Given] = {}
        for each in claims:
            if each.given is not None and given.setdefault(each.candidate, each.given) != each.given:
                raise InputError(
                    f"Expected one coefficient of {str(each.candidate.term)!r}; got two; leave one of them out."
                )
        present = [each.candidate for each in claims if each.kind in ("present", "value")]
        absent = [each.candidate for each in claims if each.kind == "absent"]
        signs = [(each.candidate, each.sign) for each in claims if each.kind == "sign"]
        signed = [*signs, *((each, math.copysign(1.0, value.value)) for each, value in given.items())]
        for each, sign in signed:
            if (each, -sign) in signed:
                raise InputError(
                    f"Expected {str(each.term)!r} to be known as positive or as negative; got both; leave one of them "
                    "out."
                )
        left = tuple(each for each in candidates if each not in absent)
        if set(absent) & set(present) or not left:
            raise InputError(
                "Expected terms that are known to be there or known not to be there, not both, and some left."
            )
        return cls(left, tuple(dict.fromkeys(present)), tuple(signs), given, tuple(claims))

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
            tuple(each for each in self.claims if each.candidate in some),
        )

    def released(self, claims: Collection[Claim], candidates: tuple[Candidate, ...]) -> Known:
        """Without these claims; candidates: all, also those that are claimed to be absent."""
        return Known.from_claims([each for each in self.claims if each not in claims], candidates)


def _claim(text: str, candidate: Candidate, sign: str | None, rest: str) -> Claim:
    if sign == "=":
        value = _given(rest, text)
        return Claim(text, candidate, "value", given=value) if value.value else Claim(text, candidate, "absent")
    if sign and rest != "0":
        raise InputError(f"Expected what is known as {FORMS}; got {text!r}.")
    if sign:
        return Claim(text, candidate, "sign", 1.0 if sign == ">" else -1.0)
    return Claim(text, candidate, "present")


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
