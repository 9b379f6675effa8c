"""Numbers as texts, with as many digits as distinguish neighbours: a clock since 1970 needs more of them than a rod."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike


def distinct(value: float, among: ArrayLike) -> str:
    """To about a hundredth of the span of ``among``."""
    values = np.asarray(among, float)
    step, largest = float(np.ptp(values)) / 100, float(np.abs(values).max())
    digits = math.ceil(math.log10(largest / step)) if step > 0 else 6
    value = 0.0 if abs(value) < step / 10 else value  # nothing but what rounding left
    rounded = float(f"{value:.{max(digits, 2)}g}")
    return f"{rounded:.15g}"  # without an exponent, unless it is huge or tiny
