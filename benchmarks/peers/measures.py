"""A law that a method found, and the true one → numbers; and which answer of several is the method's best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pdescry import Term
from pdescry.equation.algebra import expand

Law = Mapping[str, float]  # {"u_t: u*u_x": -1.0}
LEVEL = 1.96  # sds of a 95 % interval


@dataclass(frozen=True)
class Measures:
    """right: exactly the true terms. e2: relative error of the coefficient vector; NaN without a true one. covered: for
    each true coefficient that has an interval, whether the interval contains it; widths: of these, as a share of the
    coefficient. said: whether there is a law at all."""

    right: bool
    rate: float  # of true positives, TP / (TP + FP + FN)
    e2: float
    covered: tuple[bool, ...]
    widths: tuple[float, ...]
    said: bool


def measure(found: Law, truth: Law, sd: Law, fields: Sequence[str], axes: Sequence[str]) -> Measures:
    ours, spreads = _opened(found, sd, fields, axes)
    keys = ours.keys() | truth.keys()
    errors = [ours.get(key, 0.0) - truth.get(key, 0.0) for key in keys]
    size = math.hypot(*truth.values()) if truth else math.nan
    known = [key for key in truth if key in ours and key in spreads]
    return Measures(
        right=bool(truth) and ours.keys() == truth.keys(),
        rate=len(ours.keys() & truth.keys()) / len(keys) if keys else math.nan,
        e2=math.hypot(*errors) / size if truth else math.nan,
        covered=tuple(abs(ours[key] - truth[key]) <= LEVEL * spreads[key] for key in known),
        widths=tuple(2 * LEVEL * spreads[key] / abs(truth[key]) for key in known),
        said=bool(ours),
    )


def _opened(
    found: Law, sd: Law, fields: Sequence[str], axes: Sequence[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Coefficients and their sds without groups, so that laws compare however they are written."""
    total: dict[str, float] = {}
    spreads: dict[str, float] = {}
    for key, value in found.items():
        left, _, text = key.partition(": ")
        for term, share in expand({Term.parse(text, fields, axes): 1.0}).items():
            name = f"{left}: {term}"
            if key in sd:
                spreads[name] = math.hypot(spreads.get(name, 0.0), share * sd[key])
            total[name] = total.get(name, 0.0) + share * value
    return {name: value for name, value in total.items() if value}, spreads


def best(answers: Sequence[Mapping[str, Any]], default: int, truth: Law, fields: Any, axes: Any) -> int:
    """The answer that is nearest to the truth: exactly the right terms, then the rate of true positives, then the least
    error. Without a truth, that of the default settings."""
    if not truth:
        return default

    def merit(number: int) -> tuple[bool, float, float]:
        found = measure(answers[number]["coefficients"], truth, {}, fields, axes)
        return found.right, found.rate, -found.e2

    return max(range(len(answers)), key=merit)


def field_error(found: Any, truth: Any) -> float | None:
    """Root mean square of the difference as a share of the true field's sd, over all fields; None without one."""
    if found is None or truth is None:
        return None
    found, truth = np.asarray(found, float), np.asarray(truth, float)
    return float(np.sqrt(np.mean((found - truth) ** 2 / truth.var(axis=0))))
