"""In words: what a forward solution assumed because no reading tells it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pdescry.discovery.continuing import may_leave
from pdescry.discovery.extrapolating import Asked, Solved, Taken
from pdescry.discovery.following import in_words
from pdescry.equation import Equation

SIDES = ("left", "right")
FOLLOWED = "ends follow the inferred field"
REMEDY = "Pass boundary= if you know what happens there."


def boundary_of(asked: Asked, found: Solved) -> str:
    """The conditions, in a clause."""
    if not asked.beyond:
        return FOLLOWED
    told = ", ".join(
        f"{_conditions(asked, taken)} at the {side}" for side, taken in zip(SIDES, found.taken, strict=True)
    )
    if asked.since <= asked.start:
        return told
    return f"{FOLLOWED} until {_time(asked)} = {asked.since:g}, then {told}"


def ends_assumed(asked: Asked, found: Solved, equation: Equation, draws: bool) -> str:
    """What was assumed at the ends; "" where nothing was, because it is known or the law takes no conditions."""
    unknown = [[each for each in taken if each[2] is None] for taken in found.taken]
    if not asked.beyond or not any(unknown):
        return ""
    where = " and ".join(
        f"{_listed(_name(asked, each) for each in taken)} at the {side} end"
        for side, taken in zip(SIDES, unknown, strict=True)
        if taken
    )
    verb = "keeps its" if sum(map(len, unknown)) == 1 else "keep their"
    since, time = f"{asked.since:g}", _time(asked)
    why = (
        f"The readings end at {time} = {since}; what happens at the ends after that is not known."
        if asked.since > asked.start or (asked.initial is None and not asked.inputs)
        else f"The readings do not tell what happens at the ends from another {_other(asked)}."
    )
    spread = " How far that may be wrong is shown by draws=."
    if draws:
        leaving = ", or without flux" if may_leave(equation, asked.readings.axes[0]) else ""
        spread = f" In draws they go on as they changed over spans of that length in the readings{leaving}."
    return f"{why} Assumed: {where} {verb} value of {time} = {since}.{spread} {REMEDY}"


def inputs_assumed(asked: Asked, equation: Equation) -> str:
    """Of known inputs that are asked for after their last value."""
    given = set(asked.inputs or ())
    late = [
        f"{each.name} keeps its last value after {_time(asked)} = {each.span[1]:g}"
        for each in asked.readings.inputs
        if each.name in equation.inputs and each.name not in given and asked.times[-1] > each.span[1]
    ]
    return f"Assumed: {_listed(late)}. Pass inputs= if you know better." if late else ""


def beyond_sensors(asked: Asked) -> str:
    """Where the field was inferred beyond the sensors, and its ends are those of the field there."""
    (axis,) = asked.readings.axes
    low, high = asked.readings.span[axis]
    parts = [(asked.domain[0], low)] * (asked.domain[0] < low) + [(high, asked.domain[1])] * (asked.domain[1] > high)
    if not parts:
        return ""
    told = _listed(f"from {axis} = {left:g} to {right:g}" for left, right in parts)
    return f"Beyond the outermost sensors, {told}, no reading tells the field: only the law does."


def held_assumed(asked: Asked, held: Sequence[Any]) -> str:
    """Where the field obeys no law, and simple conditions stand in for its ends: the nearest, and others that may hold
    later."""
    nearest, *others = map(in_words, held)
    more = f" Draws also have {_listed(others)}." if others else ""
    return (
        f"The readings do not tell what happens at the ends. Assumed, nearest to the field: {nearest}.{more} {REMEDY}"
    )


def _conditions(asked: Asked, taken: Iterable[Taken]) -> str:
    words = [f"{_name(asked, each)} {'kept' if each[2] is None else f'= {each[2]:g}'}" for each in taken]
    return _listed(words) if words else "no condition"


def _name(asked: Asked, taken: Taken) -> str:
    name, order, _ = taken
    return f"{name}_{asked.readings.axes[0] * order}" if order else name


def _other(asked: Asked) -> str:
    return "start" if asked.initial is not None else "time on with other inputs"


def _time(asked: Asked) -> str:
    return asked.readings.time_name


def _listed(words: Iterable[str]) -> str:
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last
