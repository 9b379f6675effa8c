"""A law solved forward from a field that was inferred with it, with ends that follow that field.

Readings do not tell what holds at the ends of the interval, but the inferred field does: as many of u, u_x, … as the
law takes at an end are those of the field there, at every time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev

from pdescry.discovery.fields import Array, JointField
from pdescry.equation import Equation
from pdescry.solver import Solution, conditions_needed, simulate

BY_FIELD = "field"  # in place of conditions: ends follow the inferred field
# A field obeys its law to a thousandth of u_t, so more digits would be spent on what its ends are wrong by.
ACCURACY: dict[str, Any] = {"rtol": 1e-4, "max_points": 364}


def follow(
    equation: Equation, field: JointField, times: Array, domain: Sequence[float], *, profile: Chebyshev, **limits: Any
) -> Solution:
    """From ``profile``, the field at the first of the times; the solution's own time is 0 there. Times that differ by
    rounding are one since then."""
    start, name = float(times[0]), field.readings.fields[0]
    boundary = {}
    for side, place, number in zip(
        ("left", "right"), domain, conditions_needed(equation, domain=domain, initial=profile), strict=True
    ):
        names = [f"{name}_{field.readings.axes[0] * order}" if order else name for order in range(number)]
        boundary[side] = {
            each: _from(field.along_time(place, order), start, float(profile.deriv(order)(place)))
            for order, each in enumerate(names)
        } or "free"
    return simulate(
        equation, domain=domain, times=np.unique(times - start), initial=profile, boundary=boundary, **ACCURACY | limits
    )


def _from(value: Callable[[float], float], start: float, first: float) -> Callable[[float], float]:
    """Of the time since the start, where it is ``first``: the profile lacks waves that are too short for the solver."""
    change = first - value(start)
    return lambda t: value(start + t) + change


def can_follow(field: JointField, times: Array, domain: Sequence[float]) -> bool:
    """Whether the field is known at these times from end to end of this domain."""
    space = field.fit.experiment.space
    (early, late), (left, right) = (axis.breaks[[0, -1]] for axis in (space.t, space.x))
    return bool(early <= times[0] and times[-1] <= late and left <= domain[0] and domain[1] <= right)
