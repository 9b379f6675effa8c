"""What a forward solution assumed because no reading determines it: the conditions in words, and notices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pdescry.discovery.continuing import may_leave
from pdescry.discovery.extrapolating import Asked, Clock, Solved, Taken
from pdescry.discovery.extrapolating_in_plane import AskedInPlane
from pdescry.discovery.following import in_words
from pdescry.equation import Equation
from pdescry.notices import Notice

SIDES, ALL = ("left", "right", "bottom", "top"), "all edges"


def boundary_of(asked: Clock, found: Solved) -> str:
    """The conditions, in a clause."""
    followed = f"{_ends(asked)}s follow the inferred field"
    if not asked.beyond:
        return followed
    sides = [(side, _conditions(asked, side, taken)) for side, taken in zip(SIDES, found.taken, strict=False)]
    text = ", ".join(f"{conditions} at {'the ' * (side != ALL)}{side}" for side, conditions in _as_one(sides))
    if asked.since <= asked.start:
        return text
    return f"{followed} until {_time(asked)} = {asked.since:g}, then {text}"


def ends_assumed(asked: Clock, found: Solved, equation: Equation, draws: bool) -> Notice | None:
    """What was assumed at the ends; None where nothing was, because it is known or the law takes no conditions."""
    unknown = [[each for each in taken if each[2] is None] for taken in found.taken]
    if not asked.beyond or not any(unknown):
        return None
    end = _ends(asked)
    names = [
        (side, _listed(_name(asked, side, each) for each in taken))
        for side, taken in zip(SIDES, unknown, strict=False)
        if taken
    ]
    names = _as_one(names)
    kept = [f"{name} at {side}" if side == ALL else f"{name} at the {side} {end}" for side, name in names]
    one = len(names) == 1 and len(unknown[SIDES.index(side) if (side := names[0][0]) != ALL else 0]) == 1
    leaving = all(may_leave(equation, axis) for axis in asked.readings.axes) if draws else None
    parameters = {"kept": kept, "one": one, "time": _time(asked), "since": asked.since, "leaving": leaving}
    if asked.since > asked.start or (asked.initial is None and not asked.inputs):
        return Notice.of("ends-assumed", **parameters)
    return Notice.of(
        "ends-assumed-from-start" if asked.initial is not None else "ends-assumed-with-inputs", **parameters
    )


def inputs_assumed(asked: Clock, equation: Equation) -> Notice | None:
    """Of known inputs that are asked for after their last value."""
    given = set(asked.inputs or ())
    late = [
        f"{each.name} keeps its last value after {_time(asked)} = {each.span[1]:g}"
        for each in asked.readings.inputs
        if each.name in equation.inputs and each.name not in given and asked.times[-1] > each.span[1]
    ]
    return Notice.of("inputs-assumed", late=late) if late else None


def beyond_sensors(asked: Asked) -> Notice | None:
    """Where the field was inferred beyond the sensors, and its ends are those of the field there."""
    (axis,) = asked.readings.axes
    low, high = asked.readings.span[axis]
    parts = [(asked.domain[0], low)] * (asked.domain[0] < low) + [(high, asked.domain[1])] * (asked.domain[1] > high)
    spans = [f"from {axis} = {left:g} to {right:g}" for left, right in parts]
    return Notice.of("beyond-sensors", spans=spans) if spans else None


def beyond_sensors_in_plane(asked: AskedInPlane) -> Notice | None:
    """Where the solution starts from a field that no sensor is near to."""
    among = asked.among
    if among is None or asked.initial is not None:
        return None
    wider = [axis for axis, (low, high) in asked.domain.items() if low < among[axis][0] or among[axis][1] < high]
    spans = [f"{axis} = {low:.3g} to {high:.3g}" for axis, (low, high) in among.items()]
    return Notice.of("beyond-sensors-in-plane", spans=spans, axes=wider) if wider else None


def held_assumed(held: Sequence[Any]) -> Notice:
    """Where the field obeys no law, and simple conditions stand in for its ends: the nearest, and others that may apply
    later."""
    nearest, *others = map(in_words, held)
    return Notice.of("ends-held", nearest=nearest, others=others or None)


def _conditions(asked: Clock, side: str, taken: Iterable[Taken]) -> str:
    words = [f"{_name(asked, side, each)} {'kept' if each[2] is None else f'= {each[2]:g}'}" for each in taken]
    return _listed(words) if words else "no condition"


def _name(asked: Clock, side: str, taken: Taken) -> str:
    name, order, _ = taken
    return f"{name}_{asked.readings.axes[SIDES.index(side) // 2] * order}" if order else name


def _as_one(sides: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is the same at the four sides of a rectangle, once."""
    return [(ALL, sides[0][1])] if len(sides) == 4 and len({conditions for _, conditions in sides}) == 1 else sides


def _ends(asked: Clock) -> str:
    return "end" if len(asked.readings.axes) == 1 else "edge"


def _time(asked: Clock) -> str:
    return asked.readings.time_name


def _listed(words: Iterable[str]) -> str:
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last
