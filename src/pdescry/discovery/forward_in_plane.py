"""Whether a law in the plane, solved forward on a rectangle among the sensors, stays with the inferred field.

The edges follow that field (``following_in_plane.py``). How far the solution then leaves it says whether law and field
belong together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pdescry.cores import one_thread
from pdescry.discovery.fields import Field
from pdescry.discovery.following_in_plane import follow_in_plane, start_of
from pdescry.discovery.options import DISCOVERY
from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.notices import Notice
from pdescry.solver import Solution


def solved_in_the_plane(field: Field, equation: Equation, **limits: Any) -> tuple[Solution, float] | Notice:
    """The solution and how far it leaves the field (rms, in units of the readings' sd, of the field where it is
    largest); or why there is none."""
    box, readings = field.rectangle, field.readings
    if box is None:
        return Notice.of("no-rectangle")
    x, y = (np.linspace(*span, DISCOVERY.following.places_in_plane) for span in box.values())
    times = np.linspace(*readings.span[readings.time_name], DISCOVERY.following.times_in_plane)
    try:
        with one_thread():
            initial = start_of(field, equation, float(times[0]), box)
            solution = follow_in_plane(equation, field, times, box, initial=initial, x=x, y=y, **limits)
    except InputError as fault:
        return Notice.of("forward-refused", fault=fault.marked)
    if not solution.ok:
        return solution, float("nan")
    misfits = []
    for name in equation.fields:
        spread = float(np.nanstd(readings.values[:, readings.fields.index(name)])) or 1.0
        found = solution[name].transpose("t", *readings.axes).values
        misfits.append(float(np.sqrt(np.mean((found - field.over(name, times, x, y)) ** 2))) / spread)
    return solution, max(misfits)
