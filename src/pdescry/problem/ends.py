"""`Ends`: from where to where the field is inferred, and what is known there: a value of the field, or of a derivative
of it, at all times."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pdescry.data import Readings
from pdescry.errors import InputError
from pdescry.problem.options import PROBLEM

HIGHEST = 3  # derivative
Span = tuple[float, float]
NUMBER = r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"


@dataclass(frozen=True)
class Condition:
    """The derivative of this order of a field is ``value`` at ``place``."""

    field: str
    order: int
    place: float
    value: float

    @classmethod
    def of(cls, text: str, readings: Readings) -> Condition:
        """From texts such as ``"u(0) = 1"`` or ``"u_x(10) = 0"``."""
        (axis,), names = readings.axes, "|".join(map(re.escape, readings.fields))
        form = rf"\s*({names})(?:_((?:{re.escape(axis)})+))?\s*\({NUMBER}\)\s*={NUMBER}"
        if (found := re.fullmatch(form, text)) is None:
            field = readings.fields[0]
            raise InputError(
                f"Expected what is known at an end as '{field}(0) = 1' or '{field}_{axis}(10) = 0'; got {text!r}."
            )
        order, place, value = len(found[2] or "") // len(axis), float(found[3]), float(found[4])
        if order > HIGHEST:
            raise InputError(f"Expected a derivative of at most order {HIGHEST} at an end; got {text!r}.")
        low, high = readings.span[axis]
        if low < place < high:
            raise InputError(
                f"Expected an end of the interval, at or beyond the outermost sensors ({low:g} and {high:g}); got "
                f"{text!r}; what is known between sensors can be put in as readings."
            )
        return cls(found[1], order, place, value)


def conditions_of(texts: Sequence[str], readings: Readings) -> tuple[Condition, ...]:
    found = tuple(Condition.of(text, readings) for text in texts)
    (axis,) = readings.axes
    for side, end in enumerate(readings.span[axis]):
        places = {each.place for each in found if (each.place >= end if side else each.place <= end)}
        if len(places) > 1:
            listed = " and ".join(f"{place:g}" for place in sorted(places))
            raise InputError(f"Expected one place for an end; got {listed}; leave one of them out.")
    return found


@dataclass(frozen=True)
class Ends:
    """Of one experiment, along each axis of space. reach: of sensors and of what is known, where the law is sought.
    domain: where the field is inferred, once it is found."""

    reach: tuple[Span, ...]
    domain: tuple[Span, ...]
    conditions: tuple[Condition, ...] = ()

    @classmethod
    def of(cls, readings: Readings, texts: Sequence[str] = (), domain: Span | None = None) -> Ends:
        axis, *others = readings.axes
        if others:
            return cls._in_the_plane(readings, texts, domain)
        conditions, span = conditions_of(texts, readings), readings.span[axis]
        places = [*span, *(each.place for each in conditions)]
        reach = min(places), max(places)
        if domain is None:
            return cls((reach,), (reach,), conditions)
        interval, sensors = "from {:g} to {:g}".format(*domain), "{:g} and {:g}".format(*span)
        if domain[0] > span[0] or domain[1] < span[1]:
            raise InputError(
                f"Expected a domain that contains all sensors, which are between {sensors}; got one {interval}; widen "
                "it, or leave out the sensors beyond it."
            )
        widest = PROBLEM.domain.widest
        if domain[1] - domain[0] > widest * (span[1] - span[0]):
            raise InputError(
                f"Expected a domain of at most {widest:g} times the interval of the sensors, which are between "
                f"{sensors}; got one {interval}; narrow it."
            )
        for each in conditions:
            if each.place not in domain:
                raise InputError(
                    f"Expected what is known to be at an end of the domain, {domain[0]:g} or {domain[1]:g}; got "
                    f"{each.place:g}; leave out one of them, or let them agree."
                )
        return cls((reach,), (domain,), conditions)

    @classmethod
    def _in_the_plane(cls, readings: Readings, texts: Sequence[str], domain: Span | None) -> Ends:
        """The box around the sensors."""
        if texts:
            raise InputError(
                "Expected what is known at the ends for readings along one axis; got "
                f"{', '.join(readings.axes)} and {texts[0]!r}; leave it out, or put values known at the edge in as "
                "readings there."
            )
        if domain is not None:
            raise InputError(
                f"Expected a domain for readings along one axis; got {', '.join(readings.axes)}; leave it out: in the "
                "plane the law is sought among the sensors."
            )
        box = tuple(readings.span[axis] for axis in readings.axes)
        return cls(box, box)

    def of_fields(self, fields: Sequence[str]) -> Ends:
        """Without what is known of other fields."""
        return replace(self, conditions=tuple(each for each in self.conditions if each.field in fields))


def ends_of(texts: Sequence[str], domain: tuple[float, float] | None, experiments: Sequence[Readings]) -> list[Ends]:
    """For each of several experiments the same, which have to be of about the same interval."""
    found = [Ends.of(each, texts, domain) for each in experiments]
    for readings, ends in zip(experiments, found, strict=True):
        axis, *others = readings.axes
        if others:
            continue
        domain_of_all = ends.domain[0]
        low, high = readings.span[axis]
        most = PROBLEM.domain.common_end * (high - low)
        beyond = [place for place in domain_of_all if max(low - place, place - high) > most]
        if len(experiments) > 1 and beyond:
            raise InputError(
                f"Expected ends that all experiments share; sensors of {readings.source or 'one of them'} lie from "
                f"{low:g} to {high:g}, far from {beyond[0]:g}; leave out what is known there, or this experiment."
            )
    return found


def checked_domain(given: Any) -> tuple[float, float] | None:
    """Two increasing numbers, or None."""
    if given is None:
        return None
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        low = high = math.nan
    if isinstance(given, str) or not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"Expected a domain as two increasing numbers, such as (0, 10); got {given!r}.")
    return low, high
