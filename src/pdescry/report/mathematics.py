"""Laws typeset for a browser, with their uncertainty in the last digits."""

from __future__ import annotations

from html import escape
from typing import Any

from pdescry.equation.printing import MATHML
from pdescry.equation.with_spread import with_spread


def typeset(fit: Any) -> str:
    """``<math>`` of the law of one field (a `Fit`)."""
    terms = {str(term): term for term in fit.terms}
    right = ""
    for row in fit.summary.to_dict(orient="records"):
        number, term = with_spread(row["mean"], row["sd"]), terms[row["term"]]
        negative = number.startswith("-")
        sign = MATHML.minus if negative else MATHML.plus if right else ""
        factors = MATHML.times + MATHML.term(term) if term.factors else ""
        right += sign + _number(number.removeprefix("-")) + factors
    left = MATHML.derivative(fit.field, "t" * fit.time_order)
    return f'<math display="block" alttext="{escape(fit.concise)}">{left}{MATHML.equals}{right}</math>'


def _number(text: str) -> str:
    """``0.0985(21)``, or ``(1.2e-09 ± 3e-11)``."""
    if not text.startswith("("):
        return f"<mn>{text}</mn>"
    value, _, sd = text.strip("()").partition(" ± ")
    return f"<mo>(</mo>{_signed(value)}<mo>±</mo>{_signed(sd)}<mo>)</mo>"


def _signed(text: str) -> str:
    minus = MATHML.minus if text.startswith("-") else ""
    return minus + MATHML.number(text.removeprefix("-"))
