"""What is known at the ends of the interval: the field or a derivative of it has a value there, at all times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pdescry.data import Readings
from pdescry.errors import InputError

HIGHEST = 3  # derivative
SAME = 0.5  # of the interval of its sensors: so far beyond them ends what they are in, if other experiments end there
NUMBER = r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"


@dataclass(frozen=True)
class Condition:
    """The derivative of this order is ``value`` at ``place``."""

    order: int
    place: float
    value: float

    @classmethod
    def of(cls, text: str, readings: Readings) -> Condition:
        """From texts such as ``"u(0) = 1"`` or ``"u_x(10) = 0"``."""
        field, axis = readings.fields[0], readings.axes[0]
        form = rf"\s*{re.escape(field)}(?:_((?:{re.escape(axis)})+))?\s*\({NUMBER}\)\s*={NUMBER}"
        if (found := re.fullmatch(form, text)) is None:
            raise InputError(
                f"Expected what is known at an end as '{field}(0) = 1' or '{field}_{axis}(10) = 0'; got {text!r}."
            )
        order, place, value = len(found[1] or "") // len(axis), float(found[2]), float(found[3])
        if order > HIGHEST:
            raise InputError(f"Expected a derivative of at most order {HIGHEST} at an end; got {text!r}.")
        low, high = readings.span[axis]
        if low < place < high:
            raise InputError(
                f"Expected an end of the interval, at or beyond the outermost sensors ({low:g} and {high:g}); got "
                f"{text!r}; what is known between sensors can be put in as readings."
            )
        return cls(order, place, value)


def conditions_of(texts: Sequence[str], readings: Readings) -> tuple[Condition, ...]:
    found = tuple(Condition.of(text, readings) for text in texts)
    for side in (0, 1):
        end = readings.span[readings.axes[0]][side]
        places = {each.place for each in found if (each.place >= end if side else each.place <= end)}
        if len(places) > 1:
            told = " and ".join(f"{place:g}" for place in sorted(places))
            raise InputError(f"Expected one place for an end; got {told}; leave one of them out.")
    return found


def ends_of(texts: Sequence[str], experiments: Sequence[Readings]) -> list[tuple[Condition, ...]]:
    """For each of several experiments the same, which have to be of about the same interval."""
    found = [conditions_of(texts, each) for each in experiments]
    for readings, conditions in zip(experiments, found, strict=True):
        low, high = readings.span[readings.axes[0]]
        beyond = [each.place for each in conditions if max(low - each.place, each.place - high) > SAME * (high - low)]
        if len(experiments) > 1 and beyond:
            raise InputError(
                f"Expected ends that all experiments share; sensors of {readings.source or 'one of them'} lie from "
                f"{low:g} to {high:g}, far from {beyond[0]:g}; leave out what is known there, or this experiment."
            )
    return found


def reach(conditions: Sequence[Condition], readings: Readings) -> tuple[float, float]:
    """From end to end: of the sensors, and of what is known beyond them."""
    places = [*readings.span[readings.axes[0]], *(each.place for each in conditions)]
    return min(places), max(places)
