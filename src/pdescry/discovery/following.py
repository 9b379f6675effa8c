"""A law solved forward from a field that was inferred with it, with ends that follow that field.

Readings do not tell what holds at the ends of the interval, but the inferred field does: as many of u, u_x, … as the
law takes at an end are those of the field there, at every time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pdescry.data import Readings
from pdescry.discovery.fields import Array, Field
from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.solver import Solution, conditions_needed, simulate
from pdescry.solver.linearise import opened, variables_of

BY_FIELD = "field"  # in place of conditions: ends follow the inferred field
# A field obeys its law to a thousandth of u_t, so more digits would be spent on what its ends are wrong by.
ACCURACY: dict[str, Any] = {"rtol": 1e-4, "max_points": 364}
LOOKS = 21  # times at which the number of conditions is looked at


def follow(
    equation: Equation,
    field: Field,
    times: Array,
    domain: Sequence[float],
    *,
    profiles: Mapping[str, Any],
    **limits: Any,
) -> Solution:
    """From ``profiles``, the fields at the first of the times; the solution's own time is 0 there. Times that differ by
    rounding are one since then."""
    start, (axis,) = float(times[0]), field.readings.axes
    initial, inputs = initial_of(profiles, equation), inputs_of(field.readings, equation, start)
    needed = conditions_needed(equation, domain=domain, initial=initial, inputs=inputs)
    if len(needed) > 1:
        _check_later(needed, equation, field, times, domain)
    boundary: dict[str, Any] = {}
    for end, (side, place) in enumerate(zip(("left", "right"), domain, strict=True)):
        boundary[side] = {
            f"{name}_{axis * order}" if order else name: _from(
                field.along_time(name, place, order), start, float(profiles[name].deriv(order)(place))
            )
            for name, numbers in needed.items()
            for order in range(numbers[end])
        } or "free"
    return simulate(
        equation,
        domain=domain,
        times=np.unique(times - start),
        initial=initial,
        boundary=boundary,
        inputs=inputs,
        **ACCURACY | limits,
    )


def inputs_of(readings: Readings, equation: Equation, start: float) -> dict[str, Any]:
    """The inputs that a law needs, as `simulate` takes them: since the start."""
    return {
        each.name: replace(each, time=each.time - start) for each in readings.inputs if each.name in equation.inputs
    }


def initial_of(profiles: Mapping[str, Any], equation: Equation) -> dict[str, Any]:
    """What `simulate` wants to know: every field, and rates where the law is of second order."""
    rates = [f"{part.field}_t" for part in equation.components if part.time_order == 2]
    return {name: profiles[name] for name in (*equation.fields, *rates)}


def orders_of(equation: Equation, axis: str) -> dict[str, int]:
    """The highest derivative of each field along the axis."""
    orders: dict[str, int] = dict.fromkeys(equation.fields, 0)
    for variable in variables_of(opened(equation)):
        if "t" not in variable.axes:
            orders[variable.field] = max(orders[variable.field], variable.axes.count(axis))
    return orders


def _check_later(
    needed: Mapping[str, tuple[int, int]], equation: Equation, field: Field, times: Array, domain: Sequence[float]
) -> None:
    """Conditions at the ends stay the same: a current that turns at an end would need others."""
    for time in np.linspace(times[0], times[-1], LOOKS)[1:].tolist():
        initial = initial_of(field.profile(time, domain), equation)
        later = conditions_needed(
            equation, domain=domain, initial=initial, inputs=inputs_of(field.readings, equation, time)
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
