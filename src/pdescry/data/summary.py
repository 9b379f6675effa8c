"""Readings in a few lines: how many, of what, from where to where, with which inputs, and the notes."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from pdescry.notices import Notice

if TYPE_CHECKING:
    from pdescry.data.inputs import Input
    from pdescry.data.readings import Readings


def summary(readings: Readings, say: Callable[[Notice], str] = str) -> str:
    """As `Readings.summary`. say: in which wording, also `Notice.for_shell`."""
    spans = "; ".join(f"{readings.label(name)} from {_spell(*ends)}" for name, ends in readings.span.items())
    lines = [
        f"{_contents(readings)} by {_count(readings.n_sensors, 'sensor')}"
        f" at {_count(len(readings.times), 'distinct time')}" + (f" ({readings.source})" if readings.source else ""),
        f"  {spans}",
        *(f"  {input_line(readings, each)}" for each in readings.inputs),
        *(f"  {say(note)}" for note in (*readings.remarks, *readings.warnings)),
    ]
    return "\n".join(lines)


def input_line(readings: Readings, known: Input) -> str:
    """``Input P (W): 40 values of t, from 0 to 50, held between them``."""
    of = readings.time_name if known.space is None else ", ".join((readings.time_name, *readings.axes))
    between = "held" if known.between == "held" else "linear"
    low, high = float(known.values.min()), float(known.values.max())
    label = readings.label(known.name)
    return f"Input {label}: {_count(len(known), 'value')} over {of}, from {_spell(low, high)}, {between} between them"


def _contents(readings: Readings) -> str:
    """``816 readings of u, v``, or ``816 readings of u, 408 of v`` where not all measured both."""
    observed = readings.observed
    if observed.all():
        return f"{_count(len(readings), 'reading')} of {', '.join(map(readings.label, readings.fields))}"
    (first, number), *others = zip(readings.fields, observed.sum(axis=0).tolist(), strict=True)
    rest = [f"{number} of {readings.label(name)}" for name, number in others]
    return ", ".join([f"{_count(number, 'reading')} of {readings.label(first)}", *rest])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _spell(low: float, high: float) -> str:
    """Two ends with as many digits as it takes to distinguish them: times since 1970 differ only far behind."""
    largest, digits = max(abs(low), abs(high)), 6
    if high > low:
        spread = min(high - low, sys.float_info.max)  # the difference of two finite numbers may be infinite
        digits = max(digits, math.ceil(math.log10(largest) - math.log10(spread)) + 3)
    if digits > 6:
        digits = min(max(digits, math.ceil(math.log10(largest))), 17)
    return f"{low:.{digits}g} to {high:.{digits}g}"
