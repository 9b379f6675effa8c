"""A law solved forward as a user asks for it: from the inferred field, through the readings and past them.

Up to the last reading ends follow the inferred field (``following.py``), and nothing depends on what is asked for
later. From there on a second solution starts where the first one ended, with ends that go on by themselves
(``continuing.py``); so does one from another start, or with other inputs, from its first time on.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import stdtrit

from pdescry.data import Readings
from pdescry.discovery.continuing import END_SLOPE, KEPT, Continued, Course, may_leave
from pdescry.discovery.fields import Array, Field
from pdescry.discovery.following import follow, initial_of, inputs_of, orders_of
from pdescry.discovery.options import DISCOVERY
from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.solver import Solution, simulate
from pdescry.solver.initial import read_initial
from pdescry.solver.profiles import nodes, polynomial

Taken = tuple[str, int, float | None]  # a condition: field, order of the derivative, value; None: it goes on by itself
LEVEL = 0.95  # of intervals


class Clock:
    """When something is asked for, along one axis or in the plane (abstract)."""

    readings: Readings
    times: Array
    reach: Mapping[str, tuple[float, float]]
    initial: Any
    inputs: Mapping[str, Any] | None

    @property
    def span(self) -> tuple[float, float]:
        return self.reach[self.readings.time_name]

    @property
    def start(self) -> float:
        """When the solution starts: with the first of the times, but not after the last reading, unless it starts from
        another state."""
        return float(self.times[0] if self.initial is not None else min(self.times[0], self.span[1]))

    @property
    def since(self) -> float:
        """From when on the ends are not known."""
        return self.start if self.initial is not None or self.inputs else self.span[1]

    @property
    def beyond(self) -> bool:
        """Whether it is asked for what happens when the ends are not known."""
        return bool(self.times[-1] > self.since)

    @cached_property
    def moments(self) -> Array:
        """From the start on."""
        return np.union1d(self.times, [self.start])

    def check_inputs(self) -> None:
        first, last = self.times[0], self.span[1]
        if self.inputs and self.initial is None and first > last:
            raise InputError(
                f"Expected times that begin by {last:g}, the last reading, because inputs= count from the first of "
                f"them; got {first:g}."
            )


@dataclass(frozen=True, eq=False)
class Asked(Clock):
    """What is asked for.

    times: in the readings' clock. reach: where the field is known, in time and along the axis. initial, inputs: other
    than the inferred field and what was read. limits: of the solver.
    """

    readings: Readings
    times: Array
    domain: tuple[float, float]
    reach: Mapping[str, tuple[float, float]]
    x: Any = None
    initial: Any = None
    inputs: Mapping[str, Any] | None = None
    limits: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        first, (left, right) = self.span[0], self.places
        times, (low, high) = self.times, self.domain
        if self.initial is None and not (first <= times[0] and left <= low and high <= right):
            raise InputError(
                f"Expected times from {first:g} on and a domain within {left:g} to {right:g}, where the field was "
                f"inferred; got times from {times[0]:g} on and {low:g} to {high:g}; pass initial=, what the field is "
                "there, or discover the law again with a wider domain=."
            )
        if self.x is not None and np.size(self.x) and not (low <= np.min(self.x) and np.max(self.x) <= high):
            raise InputError(
                f"Expected places within the domain, {low:g} to {high:g}; got {np.min(self.x):g} to "
                f"{np.max(self.x):g}; leave out those beyond it, or discover the law again with a wider domain=."
            )
        self.check_inputs()

    @property
    def places(self) -> tuple[float, float]:
        return self.reach[self.readings.axes[0]]


@dataclass(frozen=True, eq=False)
class Solved:
    """fields: on (t, x) or (t, x, y) at the times asked for, with the attributes of `Solution.dataset`. axes: as the
    solution calls them. taken: conditions from when the ends are not known, at the left and at the right one, in the
    plane at all sides."""

    fields: xr.Dataset
    axes: tuple[str, ...]
    taken: tuple[tuple[Taken, ...], ...] = ((), ())

    @property
    def ok(self) -> bool:
        return self.fields.attrs["status"] == "ok"

    @property
    def points(self) -> int:
        return self.fields.attrs["points"]


def solved(solution: Solution, start: float, times: Array) -> Solved:
    """As it was asked for: in the readings' clock, at these times of it."""
    found = solution.dataset.assign_coords(t=solution.times + start)
    found.attrs["reached"] += start
    rows = np.searchsorted(found["t"].to_numpy(), times - 1e-9 * solution.until)
    return Solved(found.isel(t=rows).assign_coords(t=times), solution.axes)


def solve(asked: Asked, equation: Equation, field: Field, course: Course = KEPT, **more: Any) -> Solved:
    """Of a field that obeys its law. course: how the ends go on."""
    limits = {"x": asked.x} | dict(asked.limits or {}) | more
    profiles, moments, since = _start(asked, equation, field), asked.moments, asked.since
    if asked.start >= since:
        return _beyond(asked, equation, field, course, profiles, moments, limits)
    within = moments[moments <= since]
    within = np.union1d(within, [since]) if asked.beyond else within
    first = follow(equation, field, within, asked.domain, profiles=profiles, **limits)
    early = solved(first, asked.start, asked.times[asked.times <= since])
    if not asked.beyond:
        return early
    later = np.union1d(since, moments[moments > since])
    if not first.ok:
        return joined(early, None, asked.times)
    rest = _beyond(asked, equation, field, course, _at_end(first), later, limits)
    return joined(early, rest, asked.times)


def solve_held(asked: Asked, equation: Equation, field: Field, boundary: Any, **more: Any) -> Solved:
    """With boundary conditions as `simulate` takes them."""
    initial = asked.initial
    if initial is None:
        initial = initial_of(field.profile(asked.start, asked.domain), equation)
    moments = asked.moments
    inputs = inputs_of(asked.readings, equation, asked.start, float(moments[-1])) | dict(asked.inputs or {})
    usual: dict[str, Any] = {"rtol": DISCOVERY.forecast.rtol, "max_points": DISCOVERY.forecast.most_points}
    solution = simulate(
        equation, domain=asked.domain, boundary=boundary, times=moments - asked.start, x=asked.x, initial=initial,
        inputs=inputs, **usual | dict(asked.limits or {}) | more,
    )  # fmt: skip
    return solved(solution, asked.start, asked.times)


def _start(asked: Asked, equation: Equation, field: Field) -> Mapping[str, Any]:
    """Fields, and rates where the law asks for them, at the start."""
    if asked.initial is None:
        return field.profile(asked.start, asked.domain)
    (axis,) = asked.readings.axes
    given = read_initial(asked.initial, equation, {axis: asked.domain}, {axis: False})
    places = nodes(asked.domain)
    return {
        f"{name.field}_{name.axes}" if name.axes else name.field: polynomial(np.asarray(at(places)), asked.domain)
        for name, at in given.items()
    }


def _at_end(solution: Solution) -> dict[str, Any]:
    """Fields and rates where a solution ended. Between steps it is a cubic in time, whose slope is the rate."""
    found, places = {}, nodes(solution.domain)
    for part in solution.equation.components:
        pieces = solution.pieces[part.field]
        times = np.linspace(pieces.times[-2], pieces.times[-1], 4)
        values = pieces.on_grid(times, places)
        found[part.field] = polynomial(values[-1], solution.domain)
        if part.time_order == 2:
            found[f"{part.field}_t"] = polynomial(END_SLOPE @ values / (times[1] - times[0]), solution.domain)
    return found


def _beyond(
    asked: Asked,
    equation: Equation,
    field: Field,
    course: Course,
    profiles: Mapping[str, Any],
    times: Array,
    limits: Mapping[str, Any],
) -> Solved:
    """With ends that go on by themselves."""
    (axis,), moving = asked.readings.axes, asked.initial is None and not asked.inputs
    course = replace(course, no_flux=course.no_flux and may_leave(equation, axis))
    waves = any(order % 2 for order in orders_of(equation, axis).values()) or any(
        part.time_order == 2 for part in equation.components
    )
    ends = Continued(field, profiles, course, float(times[0]), float(times[-1]), asked.places, moving, waves)
    taken: tuple[list[Taken], list[Taken]] = ([], [])

    def at_end(end: int, name: str, number: int, highest: int) -> dict[int, float | None]:
        found = ends.at_end(asked.domain[end], name, number, highest)
        taken[end].extend((name, order, value) for order, value in found.items())
        return found

    solution = follow(
        equation, ends, times, asked.domain, profiles=profiles, at_end=at_end, inputs=asked.inputs, **limits
    )
    if course.no_flux and not solution.ok:  # not every law can do without a value: what flows in has one
        return _beyond(asked, equation, field, replace(course, no_flux=False), profiles, times, limits)
    found = solved(solution, float(times[0]), asked.times[asked.times >= times[0]])
    return replace(found, taken=(tuple(taken[0]), tuple(taken[1])))


def joined(early: Solved, late: Solved | None, times: Array) -> Solved:
    """late: None where the solution did not get that far."""
    first = early.fields
    if late is None:
        return replace(early, fields=first.reindex(t=times))
    rest = late.fields.sel(t=times[len(first["t"]) :])
    both = (
        rest
        if not len(first["t"])
        else xr.concat(
            [first, rest],
            "t",
            data_vars="minimal",
            coords="minimal",
            compat="override",
            join="exact",
            combine_attrs="drop",
        )
    )
    return replace(
        late,
        fields=both.assign_attrs(
            rest.attrs
            | {
                "steps": first.attrs["steps"] + rest.attrs["steps"],
                **{name: max(first.attrs[name], rest.attrs[name]) for name in ("points", "estimated_relative_error")},
            }
        ),
    )


def with_draws(found: xr.Dataset, draws: Sequence[Solved]) -> xr.Dataset:
    """With the draws, their rms distance from the mean solution (``u_sd``) and an interval around it: Student's, for
    few draws say little about their spread."""
    found = found.assign_attrs(draws=len(draws), unsolved_draws=sum(not each.ok for each in draws))
    for name in [str(name) for name in found.data_vars]:
        values = np.stack([each.fields[name].to_numpy() for each in draws])
        dims, mean = found[name].dims, found[name].to_numpy()
        number = np.isfinite(values).sum(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of times that no draw reached
            sd = np.sqrt(np.nanmean((values - mean) ** 2, axis=0))
            reach = sd * stdtrit(number, (1 + LEVEL) / 2)
        parts = {"sd": sd, "low": mean - reach, "high": mean + reach}
        found = found.assign({f"{name}_{ending}": (dims, part) for ending, part in parts.items()})
        found[f"{name}_draws"] = (("draw", *dims), values)
    return found
