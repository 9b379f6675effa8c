"""A discovered law solved forward from the inferred field, and what that says of the law.

Readings do not determine the boundary conditions. Where the field was inferred together
with the law, ends follow the field (``following.py``), and draws of the law are scored on held-out sensors
(``score.py``). For other fields several simple conditions are tried; the one whose solution stays nearest to the field
is taken, and named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdescry.cores import one_thread
from pdescry.data import Readings
from pdescry.discovery.fields import Field
from pdescry.discovery.following import BY_FIELD, follow, in_words, initial_of, inputs_of, orders_of
from pdescry.discovery.forward_in_plane import solved_in_the_plane
from pdescry.discovery.inference import Inference
from pdescry.discovery.options import DISCOVERY
from pdescry.discovery.score import Score, digits, score_forward
from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.executor import Executor
from pdescry.notices import Notice
from pdescry.solver import Solution, is_ill_posed, simulate
from pdescry.solver.linearise import opened, variables_of

Noises = Mapping[str, Mapping[str, float | None]]  # as `Inference.noise`


@dataclass(frozen=True)
class Forward:
    """How the law fared when solved forward.

    Parameters
    ----------
    status : str
        Of the solver, or "not tried".
    message : str
        The status explained in a sentence.
    conditions : optional
        At the ends, as `simulate` takes them, or "field": they follow the inferred field.
    misfit : float
        Rms difference from the inferred field, in units of the readings' standard deviation, of the field where it is
        largest; NaN where it was not solved.
    score : Score, optional
        Of draws of the law on held-out sensors.
    unscored : str
        Why there is none.
    """

    status: str
    message: Notice
    conditions: Any = None
    misfit: float = math.nan
    score: Score | None = None
    unscored: Notice | None = None

    @property
    def held_out(self) -> pd.DataFrame | None:
        """What draws of the law, solved forward, say of each reading of the held-out sensors (``score.table``)."""
        return None if self.score is None else self.score.table

    @property
    def boundary(self) -> str:
        """The conditions in words."""
        return "ends follow the field" if self.conditions == BY_FIELD else in_words(self.conditions)


def check_forward(
    inference: Inference,
    equation: Equation | None = None,
    report_progress: Callable[[float], None] = lambda fraction: None,
    executor: Executor | None = None,
) -> Forward:
    """Whether the law is well-posed, how near its solution stays to the inferred field, and, where that obeys the law,
    how well draws of the law predict held-out sensors. equation: the law by default, or another one.
    executor: where draws are solved."""
    inputs = [each.name for each in inference.experiments[0].inputs]
    own = Equation.of([fit.component for fit in inference.fits], inputs=inputs)
    equation, field = equation or own, inference.field
    readings = field.readings

    def scored(mean: Solution) -> tuple[Score | None, Notice | None]:
        if equation != own:
            return None, Notice.of("field-of-another-law")
        return score_forward(inference, mean, report_progress, executor)

    if len(readings.axes) > 2:
        return Forward("not tried", Notice.of("not-in-three-dimensions"))
    if len(readings.axes) > 1 and not inference.obeys_law:
        return Forward("not tried", Notice.of("not-from-such-field-in-plane"))
    if holds_time(equation):
        return Forward("not tried", Notice.of("not-with-time"))
    if _ill_posed(field, equation):
        return Forward("ill-posed", Notice.of("short-waves-grow"))
    if len(readings.axes) > 1:
        found = solved_in_the_plane(field, equation, **_limits())
        if isinstance(found, Notice):
            return Forward("not tried", found)
        solution, misfit = found
        if not solution.ok:
            return Forward(solution.status, solution.message, BY_FIELD)
        return Forward("ok", solution.message, BY_FIELD, misfit, *scored(solution))
    inferred = _Inferred(field)
    if not field.follows(inferred.times, _interval(field)):
        return held_forward(field, equation)
    solution = _followed(inferred, equation, inference.noise)
    if isinstance(solution, Solution) and solution.ok:
        return Forward("ok", solution.message, BY_FIELD, _misfit(solution, inferred), *scored(solution))
    status, message = ("not tried", solution) if isinstance(solution, Notice) else (solution.status, solution.message)
    why = Notice.of("not-with-following-ends", status=status, reason=message)
    held = held_forward(field, equation)
    if held.status != "ok" and len(equation.fields) > 1:  # what was wrong with better ends says more
        held = Forward(status, message)
    return replace(held, unscored=why)


def _followed(inferred: _Inferred, equation: Equation, noise: Noises) -> Solution | Notice:
    """With ends that follow the field; or why not."""
    field = inferred.field
    # Of the field that is largest beside its noise, so that none is solved to fewer digits than it is read with.
    rtol = min(digits(noise[name]["mean"] or 0.0, float(np.abs(inferred.mean[name]).max())) for name in equation.fields)
    try:
        with one_thread():
            return follow(
                equation, field, inferred.times, _interval(field), profiles=inferred.start, x=inferred.places,
                rtol=rtol, **_limits(),
            )  # fmt: skip
    except InputError as fault:
        return Notice.of("forward-refused", fault=fault.marked)


def _limits() -> dict[str, Any]:
    """No limit in seconds: what comes out must not depend on machine load."""
    return {"max_steps": DISCOVERY.following.most_steps, "max_seconds": 1e6, "verify": False}


def held_forward(field: Field, equation: Equation) -> Forward:
    """With the simple boundary conditions that come nearest to the field."""
    inferred = _Inferred(field)
    attempts = [_attempt(inferred, equation, boundary) for boundary in boundaries_of(field, equation)]
    if not attempts:
        return Forward("not tried", Notice.of("ends-unknown"))
    solved = [each for each in attempts if each.status == "ok"]
    return min(solved, key=lambda each: each.misfit) if solved else attempts[0]


def holds_time(equation: Equation) -> bool:
    """Whether a term contains t: such a law cannot be moved to another start."""
    return any("t" in term.coordinates for part in equation.components for term, _ in part.terms)


def boundaries_of(field: Field, equation: Equation) -> Iterator[Any]:
    """Conditions that fit the order of the law in space; none if it is odd: what enters at an end travels inwards."""
    (axis,) = field.readings.axes
    orders = orders_of(equation, axis)
    moving = [name for name, order in orders.items() if order]
    order = max(orders.values())
    free = {"left": "free", "right": "free"}
    if order == 0:
        yield free
        return
    ends = _interval(field)
    means = field.mean(_times(field, 21), np.array(ends))
    held = {
        side: [f"{name}={float(means[name][:, end].mean()):.6g}" for name in moving] for end, side in enumerate(free)
    }
    if len(orders) > 1 and any(order % 2 for order in orders.values()):
        return
    if order == 2:
        yield held
        yield {side: [f"{name}_{axis}=0" for name in moving] for side in free}
    if order == 4:
        yield "neumann"
    if order % 2 == 0 and all(_repeats(means[name], field.readings, name) for name in moving):
        yield "periodic"


def _repeats(ends: NDArray[np.float64], readings: Readings, name: str) -> bool:
    """Whether a field (times, 2) is about the same at both ends, so that the interval might be a period."""
    spread = np.nanstd(readings.values[:, readings.fields.index(name)])
    return bool(np.sqrt(np.mean((ends[:, 0] - ends[:, 1]) ** 2)) < 0.1 * spread)


@dataclass(frozen=True, eq=False)
class _Inferred:
    """What attempts are made from and measured by, whatever the boundary: seconds of work, so it is made once."""

    field: Field

    @cached_property
    def times(self) -> NDArray[np.float64]:
        return _times(self.field, 41)

    @cached_property
    def places(self) -> NDArray[np.float64]:
        return np.linspace(*_interval(self.field), 61)

    @cached_property
    def start(self) -> Mapping[str, Any]:
        return self.field.profile(float(self.times[0]), _interval(self.field))

    @cached_property
    def mean(self) -> dict[str, NDArray[np.float64]]:
        return self.field.mean(self.times, self.places)


def _attempt(inferred: _Inferred, equation: Equation, boundary: Any) -> Forward:
    times = inferred.times
    solution = simulate(
        equation,
        domain=_interval(inferred.field),
        times=times - times[0],
        x=inferred.places,
        initial=initial_of(inferred.start, equation),
        boundary=boundary,
        inputs=inputs_of(inferred.field.readings, equation, float(times[0]), float(times[-1])),
        rtol=DISCOVERY.following.rtol_of_simple_ends,
        max_points=DISCOVERY.following.most_points_of_simple_ends,
        **_limits(),
    )
    if not solution.ok:
        return Forward(solution.status, solution.message, boundary)
    return Forward(solution.status, solution.message, boundary, _misfit(solution, inferred))


def _misfit(solution: Solution, inferred: _Inferred) -> float:
    """Of the field that is worst, each by its own spread."""
    readings, misfits = inferred.field.readings, []
    for name in solution.equation.fields:
        spread = float(np.nanstd(readings.values[:, readings.fields.index(name)])) or 1.0
        misfits.append(float(np.sqrt(np.mean((solution[name].values - inferred.mean[name]) ** 2))) / spread)
    return max(misfits)


def _ill_posed(field: Field, equation: Equation) -> bool:
    """Judged around the mean of the field at points between the sensors, whatever the boundary conditions."""
    variables = variables_of(opened(equation))
    if not variables:
        return False
    values = field.states(variables, max(part.time_order for part in equation.components))
    return is_ill_posed(equation, values, field.readings.span)


def _times(field: Field, number: int) -> NDArray[np.float64]:
    return np.linspace(*field.readings.span[field.readings.time_name], number)


def _interval(field: Field) -> tuple[float, float]:
    readings = field.readings
    return readings.span[readings.axes[0]]
