"""The edges of a forward solution in the plane where no reading determines them: past the last reading, or from another
start.

As along one axis (``continuing.py``, which says why): where nothing is known of an edge, the mean solution keeps the
values that it had. A draw adds the changes of one stretch of the record, all sides those of the same stretch; in every
fourth draw the slope across the edges fades to 0 instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from pdescry.discovery.continuing import END_SLOPE, Course, folded
from pdescry.discovery.fields import Array, Field
from pdescry.discovery.following_in_plane import Box, Edge, along_edge
from pdescry.discovery.options import DISCOVERY
from pdescry.problem import Condition
from pdescry.solver import Solution

NODES = 96  # along each axis: the solver resolves fields with 24 to 160 points


@dataclass(frozen=True, eq=False)
class State:
    """A field at one time on a rectangle, as a polynomial. coefficients: (NODES, NODES), Chebyshev's."""

    coefficients: Array
    box: Box

    @classmethod
    def of(cls, values: Callable[[Array, Array], Array], box: Box) -> State:
        """Through values on the grid of `nodes`, (NODES, NODES), as a function of places along each axis."""
        inverse = np.linalg.inv(chebyshev.chebvander(chebyshev.chebpts1(NODES), NODES - 1))
        return cls(inverse @ values(*(_nodes(ends) for ends in box.values())) @ inverse.T, box)

    @property
    def smooth(self) -> State:
        """Without waves that are too short for any sensor, such as those of a kink."""
        damping = np.exp(-36 * (np.arange(NODES) / DISCOVERY.forecast.damped_degree) ** 8)
        return State(self.coefficients * damping[:, None] * damping, self.box)

    def __call__(self, x: Any, y: Any) -> Array:
        of_x, of_y = self.box.values()
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        along_x, place_x = np.unique(x, return_inverse=True)
        along_y, place_y = np.unique(y, return_inverse=True)
        first, second = (
            chebyshev.chebvander(_unit(each, ends), NODES - 1) for each, ends in ((along_x, of_x), (along_y, of_y))
        )
        values: Any = first @ self.coefficients @ second.T
        return values[place_x.reshape(x.shape), place_y.reshape(y.shape)]

    def edge(self, axis: int, place: float, order: int = 0) -> Callable[[Any], Array]:
        """Its values on a side where an axis (0 or 1) ends, or its slope across it, as a function of places along."""
        ends = list(self.box.values())
        across, other = ends[axis], ends[1 - axis]
        found = chebyshev.chebder(self.coefficients, order, 2 / (across[1] - across[0]), axis=axis)
        along = chebyshev.chebval(_unit(place, across), found if axis == 0 else found.T)

        @lru_cache(maxsize=4)  # asked for at the same places in every step
        def values(places: bytes) -> Array:
            found: Any = chebyshev.chebval(_unit(np.frombuffer(places), other), along)
            return found

        return lambda places: values(np.atleast_1d(np.asarray(places, float)).tobytes())


def states_at_end(solution: Solution) -> dict[str, State]:
    """Fields and rates where a solution ended. Between steps it is a cubic in time, whose slope is the rate."""
    found = {}
    for part in solution.equation.components:
        pieces = solution.pieces[part.field]
        times = np.linspace(pieces.times[-2], pieces.times[-1], 4)
        values = pieces.on_grid(times, *(_nodes(ends) for ends in solution.extent.values()))
        found[part.field] = State.of(lambda x, y, last=values[-1]: last, solution.extent)
        if part.time_order == 2:
            rates = np.tensordot(END_SLOPE, values, 1) / (times[1] - times[0])
            found[f"{part.field}_t"] = State.of(lambda x, y, rates=rates: rates, solution.extent)
    return found


@dataclass(frozen=True, eq=False)
class ContinuedEdges:
    """Edges that go on by themselves, as `follow_in_plane` asks for them.

    states: the fields at the time ``since`` when this begins. until: how far they go on. reach: between which places
    the field is known; an edge beyond them changes as the nearest place does. moving: whether the edges still have the
    field's rate at first. waves: whether the law carries kinks on, rather than smoothing them. held: known boundary
    conditions that suit the law.
    """

    field: Field
    states: Mapping[str, State]
    course: Course
    since: float
    until: float
    reach: Box
    moving: bool
    waves: bool
    held: Sequence[Condition] = ()

    def known(self, name: str, axis: int, place: float) -> Condition | None:
        """The first condition that is known at an edge."""
        return next((each for each in self.held if (each.field, each.axis, each.place) == (name, axis, place)), None)

    def __call__(self, name: str, axis: int, place: float) -> tuple[int, Edge]:
        if (held := self.known(name, axis, place)) is not None:
            return held.order, lambda t, along: np.full(np.shape(along), held.value)
        readings, since = self.field.readings, self.since
        first, last = readings.span[readings.time_name]
        record, ahead = last - first, self.until - since
        fade = DISCOVERY.forecast.fade * record
        if self.course.no_flux:
            slope = self.states[name].edge(axis, place, 1)
            return 1, lambda t, along: slope(along) * math.exp(-t / fade)
        of_across, of_along = (list(self.reach.values())[each] for each in (axis, 1 - axis))
        value, sign = self.states[name].edge(axis, place), self.course.sign
        begin = first + self.course.begin * (record if ahead > DISCOVERY.forecast.long * record else record - ahead)

        @lru_cache(maxsize=16)  # some moments are asked for in every step
        def read(time: float, along: bytes, order_t: int) -> Array:
            near = np.clip(np.frombuffer(along), *of_along)
            return along_edge(self.field, name, time, axis, float(np.clip(place, *of_across)), near, order_t)

        def known(time: float, along: Any, order_t: int = 0) -> Array:
            return read(time, np.atleast_1d(np.asarray(along, float)).tobytes(), order_t)

        def motion(later: float, along: Any) -> Array | float:
            """By how much it moves on at first: as fast as the field did, where a law carries any kink on; else the
            mean rate will do, because at one moment it is hardly known."""
            if not self.moving or since - fade < first:
                return 0.0
            if not self.waves:
                return later * (known(since, along) - known(since - fade, along)) / fade
            return later * known(since, along, 1) + later**2 / 2 * known(since, along, 2)

        def at(later: float, along: Any) -> Array:
            start = math.exp(-((later / fade) ** 2))
            found = value(along) + (motion(later, along) * start if start > 1e-12 else 0.0)
            if sign:
                moment = first + folded(begin - first + later, record)
                found = found + sign * (1 - start) * (known(moment, along) - known(begin, along))
            return found

        return 0, at


def _nodes(ends: tuple[float, float]) -> Array:
    return (ends[0] + ends[1]) / 2 + (ends[1] - ends[0]) / 2 * chebyshev.chebpts1(NODES)


def _unit(places: Any, ends: tuple[float, float]) -> Array:
    return (2 * np.asarray(places, float) - ends[0] - ends[1]) / (ends[1] - ends[0])
