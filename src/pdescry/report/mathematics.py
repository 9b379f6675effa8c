"""Laws typeset for a browser, with their uncertainty in the last digits."""

from __future__ import annotations

from html import escape
from typing import Any

from pdescry.equation import Term
from pdescry.equation.printing import MATHML
from pdescry.equation.with_spread import by_coefficient, with_spread


def typeset(fit: Any) -> str:
    """``<math>`` of the law of one field (a `Fit`)."""
    terms = {str(term): term for term in fit.terms}
    right = ""
    rows = fit.summary.to_dict(orient="records")
    for base, family in by_coefficient((terms[row["term"]], row["mean"], row["sd"]) for row in rows):
        inner = ""
        for power, value, sd in family:
            inner += _term(with_spread(value, sd), power, leading=not (inner or (right and len(family) == 1)))
        if len(family) > 1:  # a coefficient that varies along an axis
            inner = f"{MATHML.plus if right else ''}<mo>(</mo>{inner}<mo>)</mo>"
        right += inner + (MATHML.times + MATHML.term(base) if base.factors else "")
    left = MATHML.derivative(fit.field, "t" * fit.time_order)
    return f'<math display="block" alttext="{escape(fit.concise)}">{left}{MATHML.equals}{right}</math>'


def _term(number: str, term: Term, leading: bool) -> str:
    """With its sign."""
    sign = MATHML.minus if number.startswith("-") else "" if leading else MATHML.plus
    return sign + _number(number.removeprefix("-")) + (MATHML.times + MATHML.term(term) if term.factors else "")


def _number(text: str) -> str:
    """``0.0985(21)``, or ``(1.2e-09 ± 3e-11)``."""
    if not text.startswith("("):
        return f"<mn>{text}</mn>"
    value, _, sd = text.strip("()").partition(" ± ")
    return f"<mo>(</mo>{_signed(value)}<mo>±</mo>{_signed(sd)}<mo>)</mo>"


def _signed(text: str) -> str:
    minus = MATHML.minus if text.startswith("-") else ""
    return minus + MATHML.number(text.removeprefix("-"))
