"""A law in the plane solved forward from the inferred field, on a rectangle among the sensors whose edges follow it.

Readings do not tell what holds at the edges, but the field that was inferred with the law does: its values there, at
every time. How far the solution then leaves the field says whether the two belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pdescry.discovery.fields import Array, Field
from pdescry.discovery.following import ACCURACY, inputs_of
from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.joint.fit.factor import one_thread
from pdescry.solver import Solution, simulate

TIMES, PLACES = 21, 31  # at which solution and field are compared, along each axis


def solved_in_the_plane(field: Field, equation: Equation, **limits: Any) -> tuple[Solution, float] | str:
    """The solution and how far it leaves the field (rms, in units of the readings' sd, of the field where it is
    largest); or why there is none."""
    box, readings = field.rectangle, field.readings
    if box is None:
        return "No rectangle lies among the sensors."
    axes, (start, end) = readings.axes, readings.span[readings.time_name]
    places = {axis: np.linspace(*span, PLACES) for axis, span in box.items()}
    times = np.linspace(start, end, TIMES)
    rates = [f"{part.field}_t" for part in equation.components if part.time_order == 2]
    try:
        with one_thread():
            solution = simulate(
                equation,
                domain=box,
                times=times - start,
                initial={name: _at_start(field, name, start) for name in (*equation.fields, *rates)},
                boundary=_edges(field, equation, box, start),
                inputs=inputs_of(readings, equation, start, end),
                **dict(zip("xy", places.values(), strict=True)),
                **{"rtol": ACCURACY["rtol"]} | limits,
            )
    except InputError as fault:
        return str(fault)
    if not solution.ok:
        return solution, float("nan")
    misfits = []
    for name in equation.fields:
        spread = float(np.nanstd(readings.values[:, readings.fields.index(name)])) or 1.0
        x, y = places.values()
        inferred = field.over(name, times, x, y)
        found = solution[name].transpose("t", *axes).values
        misfits.append(float(np.sqrt(np.mean((found - inferred) ** 2))) / spread)
    return solution, max(misfits)


def _at_start(field: Field, name: str, start: float) -> Callable[..., Array]:
    """A field, or its rate, as a function of places that broadcast."""
    rate = name.endswith("_t") and name not in field.readings.fields

    def at(x: Any, y: Any) -> Array:
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        along_x, place_x = np.unique(x, return_inverse=True)
        along_y, place_y = np.unique(y, return_inverse=True)
        found = field.over(name.removesuffix("_t") if rate else name, np.array([start]), along_x, along_y, int(rate))
        return found[0][place_x.reshape(x.shape), place_y.reshape(y.shape)]

    return at


def _edges(field: Field, equation: Equation, box: Mapping[str, tuple[float, float]], start: float) -> dict[str, Any]:
    """Each field on all four sides, at all times since the start."""
    (left, right), (bottom, top) = box.values()

    def along_y(name: str, x: float) -> Callable[[float, Any], Array]:
        return lambda t, y: field.over(name, np.array([start + t]), np.array([x]), np.atleast_1d(y))[0, 0]

    def along_x(name: str, y: float) -> Callable[[float, Any], Array]:
        return lambda t, x: field.over(name, np.array([start + t]), np.atleast_1d(x), np.array([y]))[0, :, 0]

    return {
        side: {name: along(name, place) for name in equation.fields}
        for side, along, place in (
            ("left", along_y, left),
            ("right", along_y, right),
            ("bottom", along_x, bottom),
            ("top", along_x, top),
        )
    }
