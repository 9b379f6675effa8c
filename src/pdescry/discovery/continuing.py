"""The ends of a forward solution where no reading determines them: past the last reading, or from another start.

Whatever the boundary conditions are, the field has some value at either end, so that an unknown condition is an
unknown course of that value. What is known is how it went: over a stretch of the record as long as the
forecast it changed by u(τ + h) − u(τ). The mean solution keeps the end at its last value. A draw adds the changes of
one such stretch, with either sign; both ends, and all fields, those of the same stretch, so that what changed together
does so again. The spread of the draws then is what keeping the value would have been wrong by within the readings, and
grows with h up to the variability seen at that end. What never was at an end cannot have changed there: so that a front
or a cloud that arrives may leave, ends of every fourth draw are without flux instead (u_x fades to 0), where a field
takes one condition at either end and the law can be solved so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pdescry.data import Readings
from pdescry.discovery.fields import Field
from pdescry.discovery.following import orders_of
from pdescry.discovery.options import DISCOVERY
from pdescry.equation import Equation

END_SLOPE = np.array([-2.0, 9.0, -18.0, 11.0]) / 6  # of four even values of a cubic: its slope at the last of them
NO_FLUX_OF = (1, 2)  # of fields that take one condition at an end, and second derivatives at most


@dataclass(frozen=True)
class Course:
    """How ends go on. begin: where in the record its stretch begins, from 0 to 1. sign: of its changes; 0: none.
    no_flux: slopes fade to 0 instead, where a field takes one condition at either end."""

    begin: float = 0.0
    sign: int = 0
    no_flux: bool = False


KEPT = Course()


def course_of(draw: int, seed: int) -> Course:
    """Of a draw, counted from 0. Signs and kinds take turns, so that few draws have all of them."""
    begin = float(np.random.default_rng([seed, draw // 2, 31]).uniform(1 - DISCOVERY.forecast.recent, 1))
    every = DISCOVERY.forecast.no_flux_every
    return Course(begin, 1 - 2 * (draw % 2), draw % every == every - 1)


def may_leave(equation: Equation, axis: str) -> bool:
    """Whether ends without flux are tried."""
    return max(orders_of(equation, axis).values()) == NO_FLUX_OF[1]


@dataclass(frozen=True, eq=False)
class Continued:
    """A field whose ends go on by themselves.

    profiles: the fields at the time ``since`` when this begins. until: how far they go on. reach: between which places
    the field is known; an end beyond them changes as the nearest of them does. moving: whether the ends still have the
    field's rate at first. waves: whether the law carries kinks on, rather than smoothing them.
    """

    field: Field
    profiles: Mapping[str, Any]
    course: Course
    since: float
    until: float
    reach: tuple[float, float]
    moving: bool = True
    waves: bool = False

    @property
    def readings(self) -> Readings:
        return self.field.readings

    def at_end(self, place: float, name: str, number: int, highest: int) -> dict[int, float | None]:
        """As `follow` asks for it: known boundary conditions there; then the value or the slope, …, which go on."""
        known = [each for each in self.field.known_ends if (each.field, each.place) == (name, place)]
        found: dict[int, float | None] = {each.order: each.value for each in known if each.order < max(highest, 1)}
        if not found and self.course.no_flux and (number, highest) == NO_FLUX_OF:
            return {1: None}
        found |= {order: None for order in range(number) if order not in found}
        return dict(list(found.items())[:number])

    def profile(self, time: float, domain: Sequence[float]) -> Mapping[str, Any]:
        """Not known later: as it was."""
        return self.profiles

    def along_time(self, name: str, place: float, order: int) -> Callable[[float], float]:
        value = float(self.profiles[name].deriv(order)(place))
        first, last = self.readings.span[self.readings.time_name]
        record, since = last - first, self.since
        fade, ahead = DISCOVERY.forecast.fade * record, self.until - since
        if order and self.course.no_flux:
            return lambda time: value * math.exp((since - time) / fade)
        known = self.field.along_time(name, min(max(place, self.reach[0]), self.reach[1]), order)
        begin = self.course.begin * (record if ahead > DISCOVERY.forecast.long * record else record - ahead)
        before = known(first + begin)
        rate, bend = self._motion(known, fade)

        def at(time: float) -> float:
            later = time - since
            start = math.exp(-((later / fade) ** 2))
            change = known(first + folded(begin + later, record)) - before if self.course.sign else 0.0
            return value + (rate + bend * later / 2) * later * start + self.course.sign * change * (1 - start)

        return at

    def _motion(self, known: Callable[[float], float], fade: float) -> tuple[float, float]:
        """Rate and acceleration of an end at first: those of the field where the law carries any kink on; else a mean
        rate will do, because at one moment it is hardly known."""
        since = self.since
        if not self.moving or since - fade < self.readings.span[self.readings.time_name][0]:
            return 0.0, 0.0
        if not self.waves:
            return (known(since) - known(since - fade)) / fade, 0.0
        step = DISCOVERY.forecast.step * fade
        now, before, earlier = (known(since - number * step) for number in range(3))
        return (3 * now - 4 * before + earlier) / (2 * step), (now - 2 * before + earlier) / step**2


def folded(time: float, record: float) -> float:
    """Back and forth between 0 and the record's length."""
    turn = time % (2 * record)
    return min(turn, 2 * record - turn)
