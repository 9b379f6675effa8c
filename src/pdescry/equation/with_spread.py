"""A law with its spread in the last digits, and what is told of each of its terms, whatever the method."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pdescry.equation.term import Term

# Of each term: probability that it is there, NaN where nobody asked.
SUMMARY = ["field", "term", "mean", "sd", "low", "high", "probability", "corrected", "formal_sd", "spread"]
TWO_SIDED_95 = 1.959963984540054  # sds


def concise(
    field: str, time_order: int, terms: Iterable[Term], values: NDArray[np.float64], sds: NDArray[np.float64]
) -> str:
    """A law with its spread in the last digits: ``u_t = 0.0985(21)*u_xx - 0.997(8)*u*u_x``."""
    each = zip(terms, values, sds, strict=True)
    parts = [f"{with_spread(value, sd)}*{term}".removesuffix("*1") for term, value, sd in each]
    law = " + ".join(parts).replace("+ -", "- ") or "nothing is left"
    return f"{field}_{'t' * time_order} = {law}"


def with_spread(value: float, sd: float) -> str:
    """``0.0985(21)``: the sd in units of the last digits."""
    if not (math.isfinite(sd) and sd > 0):
        return f"{value:.4g}"
    exponent = math.floor(math.log10(float(f"{sd:.1e}")))
    if exponent >= 1 or exponent < -6:
        return f"({value:.4g} ± {sd:.2g})"
    return f"{value:.{1 - exponent}f}({round(sd * 10 ** (1 - exponent))})"
