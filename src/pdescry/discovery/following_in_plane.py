"""A law in the plane solved forward on a rectangle whose edges follow a field that was inferred with it.

Readings do not determine the boundary conditions, but the inferred field does: its values there, at every time, on
those sides where the law takes a condition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pdescry.discovery.fields import Array, Field
from pdescry.discovery.following import inputs_of
from pdescry.discovery.options import DISCOVERY
from pdescry.equation import Equation
from pdescry.solver import Solution, conditions_needed, simulate

Box = Mapping[str, tuple[float, float]]  # of each axis
Edge = Callable[[float, Any], Array]  # of the time since the start, and of places along a side
# Of a field, an axis (0 or 1) and a place where it ends: the order of the derivative across the edge, and its values.
AtEdge = Callable[[str, int, float], tuple[int, Edge]]

SIDES = (("left", "right"), ("bottom", "top"))


def follow_in_plane(
    equation: Equation,
    field: Field,
    times: Array,
    box: Box,
    *,
    initial: Mapping[str, Any],
    at_edge: AtEdge | None = None,
    inputs: Mapping[str, Any] | None = None,
    **limits: Any,
) -> Solution:
    """From ``initial`` at the first of the times, where the solution's own time is 0. at_edge: the conditions at an
    edge, by default the field's value. inputs: in place of those that were read."""
    start = float(times[0])
    known = inputs_of(field.readings, equation, start, float(times[-1])) | dict(inputs or {})
    edge = at_edge or (lambda name, axis, place: (0, _value_along(field, name, axis, place, start)))
    boundary: dict[str, Any] = {}
    for number, (axis, ends) in enumerate(box.items()):
        needed = conditions_needed(equation, domain=box, initial=initial, inputs=known, axis=axis)
        for end, place in enumerate(ends):
            held = {}
            for name, counts in needed.items():
                if counts[end]:
                    order, value = edge(name, number, place)
                    held[f"{name}_{axis}" if order else name] = value
            boundary[SIDES[number][end]] = held or "free"
    usual: dict[str, Any] = {"rtol": DISCOVERY.following.rtol}
    return simulate(
        equation,
        domain=box,
        times=np.unique(times - start),
        initial=initial,
        boundary=boundary,
        inputs=known,
        **usual | limits,
    )


def start_of(field: Field, equation: Equation, time: float, reach: Box) -> dict[str, Callable[..., Array]]:
    """Fields, and rates where the law asks for them, as functions of places that broadcast; beyond the reach as at the
    nearest place within it."""
    rates = [part.field for part in equation.components if part.time_order == 2]
    return {name: _at(field, name, time, 0, reach) for name in equation.fields} | {
        f"{name}_t": _at(field, name, time, 1, reach) for name in rates
    }


def _at(field: Field, name: str, time: float, order_t: int, reach: Box) -> Callable[..., Array]:
    of_x, of_y = reach.values()

    def at(x: Any, y: Any) -> Array:
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        along_x, place_x = np.unique(np.clip(x, *of_x), return_inverse=True)
        along_y, place_y = np.unique(np.clip(y, *of_y), return_inverse=True)
        found = field.over(name, np.array([time]), along_x, along_y, order_t)
        return found[0][place_x.reshape(x.shape), place_y.reshape(y.shape)]

    return at


def along_edge(field: Field, name: str, time: float, axis: int, place: float, along: Any, order_t: int = 0) -> Array:
    """The field at a time on one side of the rectangle, where an axis (0 or 1) ends; or its derivative in time."""
    across, along = np.array([place]), np.atleast_1d(along)
    places = (across, along) if axis == 0 else (along, across)
    return field.over(name, np.array([time]), *places, order_t)[0].ravel()


def _value_along(field: Field, name: str, axis: int, place: float, start: float) -> Edge:
    return lambda t, along: along_edge(field, name, start + t, axis, place, along)
