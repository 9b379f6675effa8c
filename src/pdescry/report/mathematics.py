"""Laws typeset for a browser, with standard errors in the last digits."""

from __future__ import annotations

from html import escape
from typing import Any

from pdescry.equation.printing import MATHML, Style
from pdescry.equation.with_spread import law_with_spread


def in_style(fit: Any, style: Style) -> str:
    """The law of one field (a `Fit`)."""
    terms = {str(term): term for term in fit.terms}
    rows = ((terms[row["term"]], row["mean"], row["sd"]) for row in fit.summary.to_dict(orient="records"))
    return law_with_spread(style, fit.field, fit.time_order, rows)


def typeset(fit: Any) -> str:
    """The same as ``<math>``."""
    return f'<math display="block" alttext="{escape(fit.concise)}">{in_style(fit, MATHML)}</math>'
