"""A discovered law solved forward from the inferred field, and what that says of the law.

Readings do not tell what happens at the ends of the interval. Unless the user knows it, several simple conditions are
tried and the one whose solution stays nearest to the inferred field is taken, and named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from numpy.polynomial import Chebyshev, chebyshev
from numpy.typing import NDArray

from pdescry.derivatives import differentiate
from pdescry.equation import Equation, Term
from pdescry.equation.term import Coordinate, Factor
from pdescry.solver import is_ill_posed, simulate
from pdescry.solver.linearise import opened, variables_of
from pdescry.surrogate import Posterior

ACCURACY: dict[str, Any] = {"rtol": 1e-7, "max_points": 400}
# No limit in seconds: what comes out must not hang on how busy the machine is.
LIMITS: dict[str, Any] = ACCURACY | {"max_steps": 4000, "max_seconds": 1e6, "verify": False}
STATES, WAVES = 500, 100  # points at which well-posedness is judged, and waves over the interval it is judged for
FIELDS, NODES = 100, 256  # draws of which a mean profile is made, and nodes at which


@dataclass(frozen=True)
class Forward:
    """How the law fared when solved forward: a status of the solver, or "not tried".

    conditions: at the ends, as `simulate` takes them. misfit: rms difference from the inferred field, in units of the
    readings' sd, of the field where it is largest; NaN where it was not solved.
    """

    status: str
    message: str
    conditions: Any = None
    misfit: float = math.nan

    @property
    def boundary(self) -> str:
        """The conditions in words."""
        if not isinstance(self.conditions, Mapping):
            return f"{self.conditions or 'unknown'} ends"
        sides = {side: [each] if isinstance(each, str) else each for side, each in self.conditions.items()}
        return ", ".join(f"{' and '.join(each)} at the {side}" for side, each in sides.items())


def check_forward(posterior: Posterior, equation: Equation) -> Forward:
    """Whether the law is well-posed, and how near its solution stays to the inferred field."""
    readings = posterior.readings
    if len(readings.axes) > 1:
        return Forward("not tried", "Laws in several space dimensions are not solved forward.")
    if holds_time(equation):
        return Forward("not tried", "Laws that hold the time itself are not solved forward.")
    if _ill_posed(posterior, equation):
        return Forward("ill-posed", "Short waves grow without bound: this cannot be the law of a field that is smooth.")
    inferred = _Inferred(posterior)
    tried = [_attempt(inferred, equation, boundary) for boundary in _boundaries(posterior, equation)]
    if not tried:
        return Forward("not tried", "What holds at the ends of the interval cannot be told from readings for this law.")
    solved = [each for each in tried if each.status == "ok"]
    return min(solved, key=lambda each: each.misfit) if solved else tried[0]


def holds_time(equation: Equation) -> bool:
    """Whether a term holds t: such a law cannot be moved to another start."""
    return any("t" in term.coordinates for part in equation.components for term, _ in part.terms)


def profile(
    posterior: Posterior, time: float, domain: Sequence[float], draw: int | None = None
) -> dict[str, Callable[[Any], Any]]:
    """Each field along the axis at one time, of one draw or of the mean of some, and its rate ``u_t``.

    In double precision, as in single precision a solver would take the last digits for short waves; and as a polynomial
    through many nodes, because it is asked for at thousands of places.
    """
    few = range(posterior.n_draws) if posterior.n_draws <= FIELDS else np.linspace(0, posterior.n_draws - 1, FIELDS)
    chosen = np.asarray(few if draw is None else [draw]).astype(int)
    layers = [layer.astype(float) for layer in posterior.of_draws(chosen).layers()]
    scaling, step = posterior.scaling, 1e-4 * posterior.scaling.input_spread[0]

    def values(x: NDArray[np.float64], moment: float) -> NDArray[np.float64]:
        """(fields, N)"""
        points = np.column_stack([np.full(len(x), moment), x])
        hidden = np.asarray(((points - scaling.input_centre) / scaling.input_spread).T)
        for layer in layers[:-1]:
            hidden = np.tanh(layer[:, :, :-1] @ hidden + layer[:, :, -1:])
        out = (layers[-1][:, :, :-1] @ hidden + layers[-1][:, :, -1:]).mean(0)
        return out * scaling.field_spread[:, None] + scaling.field_centre[:, None]

    def rate(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return (values(x, time + step) - values(x, time - step)) / (2 * step)

    nodes = chebyshev.chebpts1(NODES)
    places = (domain[0] + domain[1]) / 2 + (domain[1] - domain[0]) / 2 * nodes
    found: dict[str, Callable[[Any], Any]] = {}
    for ending, known in (("", values(places, time)), ("_t", rate(places))):
        for name, along in zip(posterior.readings.fields, known, strict=True):
            found[name + ending] = Chebyshev.fit(places, along, NODES - 1, domain=list(domain))
    return found


def initial_of(profiles: Mapping[str, Any], equation: Equation) -> dict[str, Any]:
    """What `simulate` wants to know: every field, and rates where the law is of second order."""
    rates = [f"{part.field}_t" for part in equation.components if part.time_order == 2]
    return {name: profiles[name] for name in (*equation.fields, *rates)}


def _boundaries(posterior: Posterior, equation: Equation) -> Iterator[Any]:
    """Conditions that fit the order of the law in space; none if it is odd: what enters at an end travels inwards."""
    (axis,) = posterior.readings.axes
    orders: dict[str, int] = dict.fromkeys(equation.fields, 0)
    for variable in variables_of(opened(equation)):
        if "t" not in variable.axes:
            orders[variable.field] = max(orders[variable.field], variable.axes.count(axis))
    moving = [name for name, order in orders.items() if order]
    order = max(orders.values())
    free = {"left": "free", "right": "free"}
    if order == 0:
        yield free
        return
    ends = _interval(posterior)
    means = posterior.predict(_times(posterior, 21), ends)
    held = {
        side: [f"{name}={float(means[name][:, end].mean()):.6g}" for name in moving] for end, side in enumerate(free)
    }
    if order == 2:
        yield held
        yield {side: [f"{name}_{axis}=0" for name in moving] for side in free}
    if order == 4:
        yield "neumann"
    if order % 2 == 0 and all(_repeats(means[name].values, posterior, name) for name in moving):
        yield "periodic"


def _repeats(ends: NDArray[np.float64], posterior: Posterior, name: str) -> bool:
    """Whether a field (times, 2) is about the same at both ends, so that the interval might be a period."""
    spread = np.std(posterior.readings.values[:, posterior.readings.fields.index(name)])
    return bool(np.sqrt(np.mean((ends[:, 0] - ends[:, 1]) ** 2)) < 0.1 * spread)


@dataclass(frozen=True, eq=False)
class _Inferred:
    """What attempts are made from and measured by, whatever the boundary: seconds of work, so it is made once."""

    posterior: Posterior

    @cached_property
    def times(self) -> NDArray[np.float64]:
        return _times(self.posterior, 41)

    @cached_property
    def places(self) -> NDArray[np.float64]:
        return np.linspace(*_interval(self.posterior), 61)

    @cached_property
    def start(self) -> dict[str, Callable[[Any], Any]]:
        return profile(self.posterior, float(self.times[0]), _interval(self.posterior))

    @cached_property
    def mean(self) -> xr.Dataset:
        return self.posterior.predict(self.times, self.places)


def _attempt(inferred: _Inferred, equation: Equation, boundary: Any) -> Forward:
    posterior, times = inferred.posterior, inferred.times
    solution = simulate(
        equation,
        domain=_interval(posterior),
        times=times - times[0],
        x=inferred.places,
        initial=initial_of(inferred.start, equation),
        boundary=boundary,
        **LIMITS,
    )
    if not solution.ok:
        return Forward(solution.status, solution.message, boundary)
    mean = inferred.mean
    misfits = []
    for name in equation.fields:  # the worst of them, each by its own spread
        spread = float(np.std(posterior.readings.values[:, posterior.readings.fields.index(name)])) or 1.0
        misfits.append(float(np.sqrt(np.mean((solution[name].values - mean[name].values) ** 2))) / spread)
    return Forward(solution.status, solution.message, boundary, max(misfits))


def _ill_posed(posterior: Posterior, equation: Equation) -> bool:
    """Judged around the mean of the field at points between the sensors, whatever the boundary conditions."""
    readings = posterior.readings
    variables = variables_of(opened(equation))
    if not variables:
        return False
    few = replace(posterior, positions=_thinned(posterior))
    found = differentiate(
        few,
        [Term.of([(variable, 1)]) for variable in variables],
        time_order=max(part.time_order for part in equation.components),
        points=STATES,
        workers=1,
    )
    values: dict[Factor, Any] = {variable: found.mean[:, column] for column, variable in enumerate(variables)}
    values |= {
        Coordinate("t" if number == 0 else name): found.points[:, number] for number, name in enumerate(found.inputs)
    }
    (early, late), (left, right) = readings.span.values()
    finest = 2 * math.pi * WAVES / (right - left)
    return is_ill_posed(equation, readings.axes[0], values, finest, late - early)


def _thinned(posterior: Posterior) -> NDArray[np.float32]:
    every = max(1, posterior.positions.shape[1] * posterior.n_chains // FIELDS)
    return posterior.positions[:, ::every]


def _times(posterior: Posterior, number: int) -> NDArray[np.float64]:
    return np.linspace(*posterior.readings.span[posterior.readings.time_name], number)


def _interval(posterior: Posterior) -> tuple[float, float]:
    readings = posterior.readings
    return readings.span[readings.axes[0]]
