"""A law in the plane solved forward as a user asks for it: from the inferred field, through the readings and past them.

As along one axis (``extrapolating.py``): up to the last reading the edges of a rectangle among the sensors follow the
inferred field (``following_in_plane.py``); from there on, and from another start, they go on by themselves
(``continuing_in_plane.py``), in a second solution that starts where the first one ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pdescry.data import Readings
from pdescry.discovery.continuing import KEPT, Course, may_leave
from pdescry.discovery.continuing_in_plane import ContinuedEdges, State, states_at_end
from pdescry.discovery.extrapolating import Clock, Solved, Taken, joined, solved
from pdescry.discovery.fields import Array, Field
from pdescry.discovery.following import inputs_of, orders_of
from pdescry.discovery.following_in_plane import SIDES, Box, follow_in_plane, start_of
from pdescry.discovery.options import DISCOVERY
from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.solver import Solution, simulate
from pdescry.solver.initial import read_initial


@dataclass(frozen=True, eq=False)
class AskedInPlane(Clock):
    """What is asked for.

    times: in the readings' clock. domain: of the solution, along each axis. reach: where the field is known, in time
    and along the axes. among: a rectangle among the sensors; None of a field that obeys no law. boundary: None where
    edges follow the field. places: of the result along each axis. initial, inputs: other than the inferred field and
    what was read. limits: of the solver.
    """

    readings: Readings
    times: Array
    domain: Box
    reach: Mapping[str, tuple[float, float]]
    among: Box | None
    boundary: Any = None
    places: Mapping[str, Any] | None = None
    initial: Any = None
    inputs: Mapping[str, Any] | None = None
    limits: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        first, _ = self.span
        if self.initial is None:
            if self.among is None:
                raise InputError(
                    "Expected initial= and boundary= for a law in the plane whose field was not inferred with it; pass "
                    "both, or use the default method."
                )
            if self.times[0] < first:
                raise InputError(
                    f"Expected times from {first:g} on, where the field was inferred; got {self.times[0]:g}; pass "
                    "initial=, what the field is there."
                )
            nearby = DISCOVERY.forecast.nearby
            for axis, (low, high) in self.domain.items():
                left, right = self.reach[axis]
                more = (nearby if self.boundary is not None else 1e-9) * (right - left)
                if low < left - more or right + more < high:
                    beyond = f" and {100 * nearby:.0f} % beyond" if self.boundary is not None else ""
                    other = "" if self.boundary is not None else ", or boundary=, the boundary conditions"
                    raise InputError(
                        f"Expected a domain of {axis} within {left:g} to {right:g}, where the field was "
                        f"inferred{beyond}; got {low:g} to {high:g}; pass initial=, what the field is there{other}."
                    )
        for axis, given in (self.places or {}).items():
            low, high = self.domain[axis]
            if np.size(given) and not (low <= np.min(given) and np.max(given) <= high):
                raise InputError(
                    f"Expected places of {axis} within the domain, {low:g} to {high:g}; got {np.min(given):g} to "
                    f"{np.max(given):g}; leave out those beyond it, or pass a wider domain=."
                )
        self.check_inputs()

    @property
    def around(self) -> Box:
        """Where the field is known along the axes."""
        return {axis: self.reach[axis] for axis in self.readings.axes}

    @property
    def grids(self) -> dict[str, Any]:
        """As `simulate` takes them."""
        number = DISCOVERY.forecast.places_in_plane
        found = {axis: np.linspace(*ends, number) for axis, ends in self.domain.items()} | dict(self.places or {})
        return dict(zip(("x", "y"), found.values(), strict=True))


def domain_of(given: Any, readings: Readings, among: Box | None) -> Box:
    """The rectangle that is asked for. among: taken where none is given; None: one must be."""
    axes = readings.axes
    pairs = given if given is None or isinstance(given, Mapping) else dict(zip(axes, given, strict=False))
    usual = {axis: among[axis] for axis in axes} if among else {}
    try:
        found = {axis: tuple(map(float, {**usual, **(pairs or {})}[axis])) for axis in axes}
        right = not set(pairs or {}) - set(axes) and all(low < high for low, high in found.values())
    except (KeyError, TypeError, ValueError):
        found, right = {}, False
    if not right:
        example = ", ".join(f'"{axis}": (low, high)' for axis in axes)
        why = "" if among else ", where the edges are,"
        raise InputError(f"Expected domain={{{example}}}{why} with low < high; got {given!r}.")
    return {axis: (float(low), float(high)) for axis, (low, high) in found.items()}


def solve_in_plane(asked: AskedInPlane, equation: Equation, field: Field, course: Course = KEPT, **more: Any) -> Solved:
    """Of a field that obeys its law, or with the conditions that were given. course: how the edges go on."""
    limits = asked.grids | dict(asked.limits or {}) | more
    if asked.boundary is not None:
        return _held(asked, equation, field, limits)
    moments, since = asked.moments, asked.since
    if asked.start >= since:
        given = _start(asked, equation, field)
        states = {name: State.of(_on_grid(at), asked.domain) for name, at in given.items()}
        return _beyond(asked, equation, field, course, states, moments, limits)
    within = moments[moments <= since]
    within = np.union1d(within, [since]) if asked.beyond else within
    initial = _start(asked, equation, field)
    first = follow_in_plane(equation, field, within, asked.domain, initial=initial, **limits)
    early = solved(first, asked.start, asked.times[asked.times <= since])
    if not asked.beyond:
        return early
    if not first.ok:
        return joined(early, None, asked.times)
    later = np.union1d(since, moments[moments > since])
    rest = _beyond(asked, equation, field, course, states_at_end(first), later, limits)
    return joined(early, rest, asked.times)


def _held(asked: AskedInPlane, equation: Equation, field: Field, limits: Mapping[str, Any]) -> Solved:
    """With boundary conditions as `simulate` takes them."""
    moments = asked.moments
    inputs = inputs_of(asked.readings, equation, asked.start, float(moments[-1])) | dict(asked.inputs or {})
    initial = asked.initial
    if initial is None:  # continued beyond the reach it has a kink
        given = _start(asked, equation, field)
        initial = {name: State.of(_on_grid(at), asked.domain).smooth for name, at in given.items()}
    usual: dict[str, Any] = {"rtol": DISCOVERY.forecast.rtol_in_plane}
    solution = simulate(
        equation, domain=asked.domain, boundary=asked.boundary, times=moments - asked.start, initial=initial,
        inputs=inputs, **usual | dict(limits),
    )  # fmt: skip
    return solved(solution, asked.start, asked.times)


def _start(asked: AskedInPlane, equation: Equation, field: Field) -> dict[str, Callable[..., Array]]:
    """Fields, and rates where the law asks for them, at the start."""
    if asked.initial is None:
        return start_of(field, equation, asked.start, asked.around)
    given = read_initial(asked.initial, equation, asked.domain, dict.fromkeys(asked.domain, False))
    return {f"{name.field}_{name.axes}" if name.axes else name.field: at for name, at in given.items()}


def _on_grid(at: Callable[..., Array]) -> Callable[[Array, Array], Array]:
    def values(x: Array, y: Array) -> Array:
        places = [each.ravel() for each in np.meshgrid(x, y, indexing="ij")]
        return np.broadcast_to(at(*places), places[0].shape).reshape(len(x), len(y))

    return values


def _beyond(
    asked: AskedInPlane,
    equation: Equation,
    field: Field,
    course: Course,
    states: Mapping[str, State],
    times: Array,
    limits: Mapping[str, Any],
) -> Solved:
    """With edges that go on by themselves."""
    axes = asked.readings.axes
    course = replace(course, no_flux=course.no_flux and all(may_leave(equation, axis) for axis in axes))
    waves = any(part.time_order == 2 for part in equation.components) or any(
        order % 2 for axis in axes for order in orders_of(equation, axis).values()
    )
    moving = asked.initial is None and not asked.inputs
    orders = [orders_of(equation, axis) for axis in axes]
    held = [each for each in field.known_ends if each.order < max(orders[each.axis].get(each.field, 0), 1)]
    edges = ContinuedEdges(
        field, states, course, float(times[0]), float(times[-1]), asked.around, moving=moving, waves=waves, held=held
    )
    taken: dict[str, list[Taken]] = {side: [] for pair in SIDES for side in pair}

    def at_edge(name: str, axis: int, place: float) -> tuple[int, Any]:
        (order, value), known = edges(name, axis, place), edges.known(name, axis, place)
        is_last = place == asked.domain[axes[axis]][1]
        taken[SIDES[axis][is_last]].append((name, order, None if known is None else known.value))
        return order, value

    try:
        solution: Solution | None = follow_in_plane(
            equation, field, times, asked.domain, initial=states, at_edge=at_edge, inputs=asked.inputs, **limits
        )
    except InputError:
        if not course.no_flux:
            raise
        solution = None
    if course.no_flux and not (solution and solution.ok):  # not every law can do without a value
        return _beyond(asked, equation, field, replace(course, no_flux=False), states, times, limits)
    assert solution is not None
    found = solved(solution, float(times[0]), asked.times[asked.times >= times[0]])
    return replace(found, taken=tuple(map(tuple, taken.values())))
