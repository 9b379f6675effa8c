"""`Ends`: from where to where the field is inferred, and what is known there: a value of the field, or of a derivative
of it, at all times, in the plane all along an edge."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdescry.data import Readings
from pdescry.errors import InputError
from pdescry.problem.options import PROBLEM

HIGHEST = 3  # derivative
HIGHEST_AT_EDGE = 1  # in the plane, where laws are of second order
Span = tuple[float, float]
Array = NDArray[np.float64]
NUMBER = r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"


@dataclass(frozen=True)
class Condition:
    """The derivative of this order of a field along an axis, counted from 0, is ``value`` where that is ``place``: at
    an end, or all along an edge in the plane."""

    field: str
    order: int
    place: float
    value: float
    axis: int = 0

    @classmethod
    def of(cls, text: str, readings: Readings) -> Condition:
        """From texts such as ``"u(0) = 1"`` or ``"u_x(10) = 0"``; in the plane ``"u(x=0) = 1"`` or ``"u_y(y=4) =
        0"``."""
        axes, in_the_plane = readings.axes, len(readings.axes) > 1
        names, along = ("|".join(map(re.escape, each)) for each in (readings.fields, axes))
        form = rf"\s*({names})(?:_((?:{along})+))?\s*\((?:\s*({along})\s*=)?{NUMBER}\)\s*={NUMBER}"
        found = re.fullmatch(form, text)
        if found is None or (in_the_plane and not found[3]):
            field, first, last = readings.fields[0], axes[0], axes[-1]
            examples = f"'{field}(0) = 1' or '{field}_{first}(10) = 0'"
            if in_the_plane:
                examples = f"'{field}({first}=0) = 1' or '{field}_{last}({last}=10) = 0'"
            raise InputError(f"Expected what is known at an {_end(readings)} as {examples}; got {text!r}.")
        axis = found[3] or axes[0]
        order, rest = divmod(len(found[2] or ""), len(axis))
        if rest or (found[2] or "") != axis * order:
            raise InputError(
                f"Expected the field or its derivative across the edge, {found[1]}_{axis} where {axis} is known; got "
                f"{text!r}; leave it out."
            )
        place, value = float(found[4]), float(found[5])
        highest = HIGHEST_AT_EDGE if in_the_plane else HIGHEST
        if order > highest:
            raise InputError(f"Expected a derivative of at most order {highest} at an {_end(readings)}; got {text!r}.")
        low, high = readings.span[axis]
        if low < place < high:
            raise InputError(
                f"Expected an end of the interval, at or beyond the outermost sensors ({low:g} and {high:g}); got "
                f"{text!r}; what is known between sensors can be put in as readings."
            )
        return cls(found[1], order, place, value, axes.index(axis))


def _end(readings: Readings) -> str:
    return "end" if len(readings.axes) == 1 else "edge"


def conditions_of(texts: Sequence[str], readings: Readings) -> tuple[Condition, ...]:
    found = tuple(Condition.of(text, readings) for text in texts)
    for number, axis in enumerate(readings.axes):
        own = [each.place for each in found if each.axis == number]
        for side, end in enumerate(readings.span[axis]):
            places = {place for place in own if (place >= end if side else place <= end)}
            if len(places) > 1:
                listed = " and ".join(f"{place:g}" for place in sorted(places))
                raise InputError(f"Expected one place for an {_end(readings)}; got {listed}; leave one of them out.")
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
        """The box around the sensors and known edges."""
        if domain is not None:
            raise InputError(
                f"Expected a domain for readings along one axis; got {', '.join(readings.axes)}; leave it out: in the "
                "plane the law is sought among the sensors, and up to edges where something is known."
            )
        conditions, box, widest = conditions_of(texts, readings), [], PROBLEM.domain.widest
        for number, axis in enumerate(readings.axes):
            low, high = readings.span[axis]
            places = [low, high, *(each.place for each in conditions if each.axis == number)]
            if max(places) - min(places) > widest * (high - low):
                raise InputError(
                    f"Expected known edges that are at most {widest:g} times as far apart as the outermost sensors, "
                    f"which lie at {axis} = {low:g} and {high:g}; got {min(places):g} to {max(places):g}; leave out "
                    "what is known there."
                )
            box.append((min(places), max(places)))
        return cls(tuple(box), tuple(box), conditions)

    @property
    def edges(self) -> Array:
        """(E, d): points along the known edges in the plane."""
        return edges_of(self.conditions, self.reach)

    def of_fields(self, fields: Sequence[str]) -> Ends:
        """Without what is known of other fields."""
        return replace(self, conditions=tuple(each for each in self.conditions if each.field in fields))


def ends_of(texts: Sequence[str], domain: tuple[float, float] | None, experiments: Sequence[Readings]) -> list[Ends]:
    """For each of several experiments the same, which have to be of about the same interval."""
    found = [Ends.of(each, texts, domain) for each in experiments]
    for readings, ends in zip(experiments, found, strict=True):
        for axis, domain_of_all in zip(readings.axes, ends.domain, strict=True):
            low, high = readings.span[axis]
            most = PROBLEM.domain.common_end * (high - low)
            beyond = [place for place in domain_of_all if max(low - place, place - high) > most]
            if len(experiments) > 1 and beyond:
                raise InputError(
                    f"Expected {_end(readings)}s that all experiments share; sensors of "
                    f"{readings.source or 'one of them'} lie from {low:g} to {high:g}, far from {beyond[0]:g}; leave "
                    "out what is known there, or this experiment."
                )
    return found


def edges_of(conditions: Sequence[Condition], box: Sequence[Span]) -> Array:
    """(E, d): points along edges of a box where something is known; none along one axis."""
    d, found = len(box), []
    for axis, place in dict.fromkeys((each.axis, each.place) for each in conditions if d > 1):
        along = [np.linspace(*span, PROBLEM.domain.points_of_edge) for span in box]
        along[axis] = np.array([place])
        found.append(np.stack([each.ravel() for each in np.meshgrid(*along, indexing="ij")], axis=1))
    return np.concatenate([np.zeros((0, d)), *found])


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
