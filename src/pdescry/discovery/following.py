"""A law solved forward from a field that was inferred with it, with ends that follow that field.

Readings do not determine the boundary conditions, but the inferred field does: as many of u, u_x, …
as the law takes at an end are those of the field there, at every time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from pdescry.data import Input, Readings
from pdescry.discovery.fields import Array
from pdescry.discovery.options import DISCOVERY
from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.solver import Solution, conditions_needed, simulate
from pdescry.solver.linearise import opened, variables_of

BY_FIELD = "field"  # in place of conditions: ends follow the inferred field
# Of an end (0 or 1), a field, how many conditions it takes and its highest derivative: derivatives of which orders are
# held there, at which value, or None where they follow the field.
AtEnd = Callable[[int, str, int, int], Mapping[int, float | None]]


class Followed(Protocol):
    """What is asked of a field whose values at the ends a solution takes over."""

    @property
    def readings(self) -> Readings: ...

    def profile(self, time: float, domain: Sequence[float]) -> Mapping[str, Any]: ...

    def along_time(self, name: str, place: float, order: int) -> Callable[[float], float]: ...


def follow(
    equation: Equation,
    field: Followed,
    times: Array,
    domain: Sequence[float],
    *,
    profiles: Mapping[str, Any],
    at_end: AtEnd = lambda end, name, number, order: dict.fromkeys(range(number)),
    inputs: Mapping[str, Any] | None = None,
    **limits: Any,
) -> Solution:
    """From ``profiles``, the fields at the first of the times; the solution's own time is 0 there. Times that differ by
    rounding are one since then. at_end: which derivatives follow the field at an end, or what they are instead. inputs:
    in place of those that were read, since the first of the times."""
    start, (axis,) = float(times[0]), field.readings.axes
    initial = initial_of(profiles, equation)
    known = inputs_of(field.readings, equation, start, float(times[-1])) | dict(inputs or {})
    needed = conditions_needed(equation, domain=domain, initial=initial, inputs=known)
    if len(needed) > 1:
        _check_later(needed, equation, field, times, domain)
    boundary: dict[str, Any] = {}
    highest = orders_of(equation, axis)
    for end, (side, place) in enumerate(zip(("left", "right"), domain, strict=True)):
        boundary[side] = {
            f"{name}_{axis * order}" if order else name: _from(
                field.along_time(name, place, order), start, float(profiles[name].deriv(order)(place))
            )
            if value is None
            else value
            for name, numbers in needed.items()
            for order, value in at_end(end, name, numbers[end], highest[name]).items()
        } or "free"
    usual: dict[str, Any] = {"rtol": DISCOVERY.following.rtol, "max_points": DISCOVERY.following.most_points}
    return simulate(
        equation,
        domain=domain,
        times=np.unique(times - start),
        initial=initial,
        boundary=boundary,
        inputs=known,
        **usual | limits,
    )


def inputs_of(readings: Readings, equation: Equation, start: float, until: float) -> dict[str, Any]:
    """The inputs that a law needs, as `simulate` takes them: since the start. Each keeps its last value after that."""
    return {
        each.name: Held(replace(each, time=each.time - start), until - start)
        for each in readings.inputs
        if each.name in equation.inputs
    }


@dataclass(frozen=True, eq=False)
class Held:
    """An input that keeps its last value until a time, or beyond what was read at all; as `simulate` takes it."""

    given: Input
    until: float

    @property
    def more(self) -> bool:
        """Whether it is asked for later than it is known."""
        return self.until > self.given.span[1]

    @property
    def time(self) -> Array:
        return np.append(self.given.time, self.until) if self.more else self.given.time

    @property
    def values(self) -> Array:
        return np.append(self.given.values, self.given.values[-1]) if self.more else self.given.values

    @property
    def space(self) -> Array | None:
        return self.given.space

    @property
    def between(self) -> str:
        return self.given.between

    def at(self, time: Array, space: Array | None = None) -> Array:
        return self.given.at(time, space)


def initial_of(profiles: Mapping[str, Any], equation: Equation) -> dict[str, Any]:
    """The initial state that `simulate` takes: every field, and rates where the law is of second order."""
    rates = [f"{part.field}_t" for part in equation.components if part.time_order == 2]
    return {name: profiles[name] for name in (*equation.fields, *rates)}


def in_words(conditions: Any) -> str:
    """Boundary conditions as `simulate` takes them."""
    if not isinstance(conditions, Mapping):
        return f"{conditions or 'unknown'} ends"
    sides = {side: [each] if isinstance(each, str) else each for side, each in conditions.items()}
    return ", ".join(f"{' and '.join(each)} at the {side}" for side, each in sides.items())


def orders_of(equation: Equation, axis: str) -> dict[str, int]:
    """The highest derivative of each field along the axis."""
    orders: dict[str, int] = dict.fromkeys(equation.fields, 0)
    for variable in variables_of(opened(equation)):
        if "t" not in variable.axes:
            orders[variable.field] = max(orders[variable.field], variable.axes.count(axis))
    return orders


def _check_later(
    needed: Mapping[str, tuple[int, int]], equation: Equation, field: Followed, times: Array, domain: Sequence[float]
) -> None:
    """Boundary conditions stay the same: a current that turns at an end would need others."""
    for time in np.linspace(times[0], times[-1], DISCOVERY.following.times)[1:].tolist():
        initial = initial_of(field.profile(time, domain), equation)
        later = conditions_needed(
            equation, domain=domain, initial=initial, inputs=inputs_of(field.readings, equation, time, time)
        )
        for end, side in enumerate(("left", "right")):
            before, after = (sum(counts[end] for counts in each.values()) for each in (needed, later))
            if before != after:
                raise InputError(
                    f"At the {side} end the law takes {before} boundary condition{'s' * (before != 1)} at first and "
                    f"{after} by t = {time:.3g}, because what enters there turns round; pass a shorter time or a "
                    "smaller domain, or boundary=."
                )


def _from(value: Callable[[float], float], start: float, first: float) -> Callable[[float], float]:
    """Of the time since the start, where it is ``first``: the profile lacks waves that are too short for the solver."""
    change = first - value(start)
    return lambda t: value(start + t) + change
