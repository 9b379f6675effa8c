"""A law with its spread in the last digits, and a table of its terms, whatever the method."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pdescry.equation.printing import TEXT, Style
from pdescry.equation.term import ONE, Coordinate, Term

# Of each term: probability that it is there, NaN where nobody asked.
SUMMARY = ["field", "term", "mean", "sd", "low", "high", "probability", "corrected", "formal_sd", "spread"]
TWO_SIDED_95 = 1.959963984540054  # sds


def concise(
    field: str, time_order: int, terms: Iterable[Term], values: NDArray[np.float64], sds: NDArray[np.float64]
) -> str:
    """A law with its spread in the last digits: ``u_t = 0.0985(21)*u_xx - 0.997(8)*u*u_x``; a coefficient that varies
    along an axis as one: ``u_t = (0.0203(3) + 0.0096(8)*x)*u_xx``."""
    return law_with_spread(TEXT, field, time_order, zip(terms, values, sds, strict=True))


def law_with_spread(style: Style, field: str, time_order: int, rows: Iterable[tuple[Term, float, float]]) -> str:
    """The same in any style; rows: of each term its coefficient and the sd of that."""
    right = ""
    for base, family in by_coefficient(rows):
        varies, inner = len(family) > 1, ""  # whether the coefficient is a polynomial along an axis
        for power, value, sd in family:
            leading = not (inner if varies else right)
            inner += style.uncertain(with_spread(value, sd), leading)
            inner += style.times + style.term(power) if power.factors else ""
        if varies:
            inner = style.sign(False, leading=not right) + style.bracketed(inner)
        right += inner + (style.times + style.term(base) if base.factors else "")
    left = style.derivative(field, "t" * time_order)
    return f"{left} {style.equals} {right or style.words('nothing is left')}"


def by_coefficient(
    rows: Iterable[tuple[Term, float, float]],
) -> list[tuple[Term, list[tuple[Term, float, float]]]]:
    """Terms with their numbers, those together that have one coefficient, a polynomial of coordinates: what it
    multiplies, and for each power of the coordinates the numbers. Terms that stand alone are as they are."""
    families: dict[Term, list[tuple[Term, float, float]]] = {}
    for term, value, sd in rows:
        families.setdefault(term.without_coordinates, []).append((term, value, sd))
    found = []
    for base, family in families.items():
        if len(family) == 1 or not base.factors:
            found += [(term, [(ONE, value, sd)]) for term, value, sd in family]
        else:
            powers = [Term.of([(Coordinate(axis), p) for axis, p in term.powers.items()]) for term, _, _ in family]
            numbers = [(power, value, sd) for power, (_, value, sd) in zip(powers, family, strict=True)]
            found.append((base, sorted(numbers, key=lambda row: sum(row[0].powers.values()))))
    return found


def with_spread(value: float, sd: float) -> str:
    """``0.0985(21)``: the sd in units of the last digits."""
    if not (math.isfinite(sd) and sd > 0):
        return f"{value:.4g}"
    exponent = math.floor(math.log10(float(f"{sd:.1e}")))
    if exponent >= 1 or exponent < -6:
        return f"({value:.4g} ± {sd:.2g})"
    return f"{value:.{1 - exponent}f}({round(sd * 10 ** (1 - exponent))})"
