"""Boundary conditions: what the user wrote → conditions on each field, and whether the law requires that many.

A field that appears with derivatives up to order m requires m conditions. For even m, half of them are at either end:
``"dirichlet"`` fixes u, u_x, … of order below m/2 (the value, and for m = 4 the slope too); ``"neumann"`` fixes the odd
derivatives u_x, u_xxx, … (no flux). For odd m the ends differ, and which end requires more depends on the sign of the
highest term: conditions are then given for each side. For m = 1 ``"dirichlet"`` fixes u at the ends where the law
carries information inwards, and only there. A value is a number, or a function of the time since the start.

In the plane each axis has two sides, "left" and "right" of the first and "bottom" and "top" of the second, and every
axis has conditions of its own. A value may then be a function of (t, s), where s are places along the side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.polynomial import polyder, polyfit, polyval

from pdescry.equation import Equation, Formula
from pdescry.equation.parser import parse_derivative
from pdescry.equation.syntax import tokenize
from pdescry.errors import InputError
from pdescry.notices import Notice
from pdescry.solver.evaluate import evaluate_formula
from pdescry.solver.inputs import arguments
from pdescry.solver.options import SOLVER

Array = np.ndarray

Value = float | Callable[..., Any]  # constant, or as a function of t, in the plane also of (t, places along the side)
Side = str | tuple[str, Value] | Sequence[str] | Mapping[str, Value]
Boundary = str | Mapping[str, Side] | tuple[Side, Side]
Domain = Mapping[str, tuple[float, float]]  # of each axis, in the order of the axes


SIDES = (("left", "right"), ("bottom", "top"))  # of the first and of the second axis
_EXAMPLE = "⟦boundary={'left': 'u=0', 'right': 'u_x=0'}‖--left \"u=0\" --right \"u_x=0\"⟧"
_IN_THE_PLANE = (
    "⟦boundary={'left': 'u=0', 'right': 'u_x=0', 'y': 'periodic'}"
    '‖--left "u=0" --right "u_x=0" --bottom periodic --top periodic⟧'
)


@dataclass(frozen=True)
class Condition:
    """∂ᵒʳᵈᵉʳ field / ∂x ᵒʳᵈᵉʳ = value at one end, or along one side."""

    field: str
    side: str  # one of SIDES
    order: int
    value: Value = 0.0
    until: float = math.inf  # the end of the time span, if values are functions of time

    def at(self, t: float) -> float:
        """The value at a time."""
        return float(self.value(t)) if callable(self.value) else self.value

    def rate(self, t: float) -> float:
        """Its rate of change: the slope at t of the polynomial through values near t."""
        if not callable(self.value):
            return 0.0
        step = self.until * SOLVER.inputs.rate_step
        first = min(max(t - 2 * step, 0.0), self.until - 4 * step)
        values = [self.at(first + k * step) for k in range(5)]
        return float(Polynomial.fit(range(5), values, 4).deriv()((t - first) / step)) / step

    @property
    def low(self) -> bool:
        """Whether it is at the beginning of its axis."""
        return self.side in ("left", "bottom")

    def along(self, t: float, places: Array | None) -> Array:
        """The values at a time along the side; places (S,), None if a side is a point."""
        if places is None:
            return np.asarray(self.at(t))
        if not callable(self.value):
            return np.full(len(places), self.value)
        with np.errstate(all="ignore"):
            values = np.asarray(self.value(t) if arguments(self.value) == 1 else self.value(t, places), float)
        return np.broadcast_to(values, places.shape)

    def rate_along(self, t: float, places: Array | None) -> Array:
        """As `rate`, along the side."""
        if places is None:
            return np.asarray(self.rate(t))
        if not callable(self.value):
            return np.zeros(len(places))
        step = self.until * SOLVER.inputs.rate_step
        first = min(max(t - 2 * step, 0.0), self.until - 4 * step)
        values = np.array([self.along(first + k * step, places) for k in range(5)])
        return np.asarray(polyval((t - first) / step, polyder(polyfit(np.arange(5), values, 4)))) / step


@dataclass(frozen=True)
class Conditions:
    """All conditions of a problem; ``periodic`` excludes any other.

    ``by_name``: whether they came from a name such as "dirichlet", not one by one.
    """

    periodic: bool
    given: tuple[Condition, ...] = ()
    by_name: bool = True

    def of(self, field: str) -> tuple[Condition, ...]:
        return tuple(condition for condition in self.given if condition.field == field)

    @property
    def moving(self) -> bool:
        """Whether some value is a function of time."""
        return any(callable(condition.value) for condition in self.given)


def read_boundary(boundary: Boundary, equation: Equation, domain: Domain, until: float) -> dict[str, Conditions]:
    """Turn the argument of `simulate` into conditions of each axis, up to a time. Wrong syntax raises `InputError`; the
    number of conditions is checked later."""
    given = _sides(boundary, domain)
    return {axis: _on_axis(given.get(axis, {}), equation, axis, tuple(domain), until) for axis in domain}


def _sides(boundary: Boundary, domain: Domain) -> dict[str, str | dict[str, Side]]:
    """For each axis "periodic", or the conditions at its sides."""
    example = _EXAMPLE if len(domain) == 1 else _IN_THE_PLANE
    sides = dict(zip(domain, SIDES, strict=False))
    if isinstance(boundary, str):
        return {axis: _on_both(boundary, pair) for axis, pair in sides.items()}
    if isinstance(boundary, Mapping):
        named = dict(boundary)
    elif len(domain) == 1 and isinstance(boundary, tuple | list) and len(boundary) == 2 and not _is_pair(boundary):
        named = {"left": boundary[0], "right": boundary[1]}
    else:
        raise InputError(
            f"Expected 'periodic', 'dirichlet', 'neumann' or conditions per side as in {example}; got {boundary!r}."
        )
    found: dict[str, str | dict[str, Side]] = {}
    for name, conditions in named.items():
        axis, pair = _which(name, domain, sides, example)
        if len(pair) == 2 and isinstance(conditions, str):
            of_sides = _on_both(conditions, pair)
        else:
            of_sides = dict.fromkeys(pair, conditions)
        before = found.get(axis, {})
        if isinstance(of_sides, str) or isinstance(before, str) or set(of_sides) & set(before):
            if before:
                raise InputError(f"Expected one entry for each side in boundary=; got a second one by {name!r}.")
            found[axis] = of_sides
        else:
            found[axis] = before | of_sides
    for axis, of_sides in found.items():  # conditions on both sides are the same as on the axis
        if len(domain) > 1 and isinstance(of_sides, dict) and [*of_sides.values()] == ["periodic", "periodic"]:
            found[axis] = "periodic"
    return found


def _is_pair(boundary: Sequence[Any]) -> bool:
    return isinstance(boundary[1], Real)


def _on_both(conditions: str, pair: tuple[str, ...]) -> str | dict[str, Side]:
    return "periodic" if conditions.strip().lower() == "periodic" else dict.fromkeys(pair, conditions)


def _which(
    name: Any, domain: Domain, sides: Mapping[str, tuple[str, str]], example: str
) -> tuple[str, tuple[str, ...]]:
    """The axis of "top", "y" or "y=4", and which of its sides are meant."""
    for axis, pair in sides.items():
        if name in pair:
            return axis, (name,)
        if len(domain) > 1 and name == axis:
            return axis, pair
        start, equals, place = str(name).partition("=")
        if equals and start.strip() == axis:
            low, high = domain[axis]
            for side, end in zip(pair, (low, high), strict=True):
                try:
                    if abs(float(place) - end) <= 1e-9 * (high - low):
                        return axis, (side,)
                except ValueError:
                    break
            raise InputError(f"Expected a side at {axis}={low:g} or {axis}={high:g}; got {name!r}.")
    every = [side for pair in sides.values() for side in pair]
    listed = f"{', '.join(map(repr, every[:-1]))} and {every[-1]!r}"
    raise InputError(f"Expected the sides {listed}; got {name!r}. Write {example}.")


def _on_axis(
    sides: str | dict[str, Side], equation: Equation, axis: str, axes: tuple[str, ...], until: float
) -> Conditions:
    if isinstance(sides, str):
        return Conditions(periodic=True)
    given: list[Condition] = []
    by_name = True
    for side, conditions in sides.items():
        for written in _listed(conditions):
            found, named = _read_condition(written, side, equation, axis, axes)
            given += [replace(condition, until=until) for condition in found]
            by_name &= named
    for condition in given:
        if sum((c.field, c.side, c.order) == (condition.field, condition.side, condition.order) for c in given) > 1:
            raise InputError(
                f"The {condition.side} side has two conditions on the same derivative of {condition.field}."
            )
    return Conditions(periodic=False, given=tuple(given), by_name=by_name)


def printable(boundary: Any) -> Any:
    """The user's argument, with "f(t)" for functions, whose repr contains a memory address."""
    if isinstance(boundary, Mapping):
        return {name: printable(each) for name, each in boundary.items()}
    if isinstance(boundary, tuple | list):
        return type(boundary)(printable(each) for each in boundary)
    return "f(t)" if callable(boundary) else boundary


def check_values(conditions: Conditions, times: Sequence[float], side: tuple[float, float] | None = None) -> None:
    """Check that functions of time, and of the place along a side if it has a length, return finite numbers."""
    places = None if side is None else np.linspace(*side, 7)
    of = "time" if side is None else "(t, s), for an array s of places along the side,"
    for condition in conditions.given:
        for t in times:
            try:
                values = condition.along(float(t), places)
            except (TypeError, ValueError):
                values = np.asarray(math.nan)
            if not np.all(np.isfinite(values)):
                raise InputError(
                    f"Expected boundary values as functions{' of ' + of if side else ''} that give a finite number at"
                    f" every time; that of {condition.field} at the {condition.side} gives none at t = {t:g}."
                )


def _listed(conditions: Side) -> list[str | tuple[str, Value]]:
    if isinstance(conditions, Mapping):
        pairs = [_pair(name, value) for name, value in conditions.items()]
        if all(pairs):
            return [pair for pair in pairs if pair]
    if isinstance(conditions, str):
        return [part for part in (piece.strip() for piece in conditions.split(",")) if part and part.lower() != "free"]
    if isinstance(conditions, Sequence):
        if len(conditions) == 2 and (pair := _pair(*conditions)):
            return [pair]
        if all(isinstance(condition, str) for condition in conditions):
            return [part for condition in conditions for part in _listed(str(condition))]
    raise InputError(f"Expected conditions such as 'u=0' or {{'u': 1.0}}; got {conditions!r}. Write {_EXAMPLE}.")


def _pair(name: Any, value: Any) -> tuple[str, Value] | None:
    if not isinstance(name, str) or isinstance(value, bool) or not (isinstance(value, Real) or callable(value)):
        return None
    number: Any = value if callable(value) else float(value)
    return name, number


def _read_condition(
    written: str | tuple[str, Value], side: str, equation: Equation, axis: str, axes: tuple[str, ...]
) -> tuple[list[Condition], bool]:
    if isinstance(written, tuple):
        kind, value = written
    else:
        kind, _, number = written.partition("=")
        value = _formula(number, axis, axes) if number.strip() else 0.0
        if not number.strip() and "=" in written:
            raise InputError(f"Expected a value after '=' in the boundary condition {written!r}, as in 'u=0'.")
    if not callable(value) and not math.isfinite(value):
        raise InputError(f"Expected a finite value in the boundary condition {written!r}; got {value}.")
    kind = kind.strip()
    if kind.lower() in ("dirichlet", "neumann"):
        return [
            Condition(field, side, order, value if position == 0 else 0.0)
            for field in equation.fields
            for position, order in enumerate(_orders(kind.lower(), equation.order(axis, field)))
        ], True
    if kind.lower() == "periodic":
        raise InputError("A periodic boundary joins both sides: write ⟦boundary='periodic'⟧.")
    if isinstance(written, str) and "=" not in written:
        raise InputError(
            f"Expected 'periodic', 'dirichlet', 'neumann' or a condition such as 'u=0'; got {written!r}."
            f" Write {_EXAMPLE}."
        )
    derivative = parse_derivative(kind, equation.fields, axes)
    if set(derivative.axes) - {axis, "t"}:
        raise InputError(
            f"Expected derivatives along {axis} in the conditions on the {side} side; got {kind!r}: what a field is"
            " along a side follows from its values there."
        )
    if "t" in derivative.axes:
        raise InputError(f"A boundary condition cannot contain a time derivative; got {kind!r}. Write {_EXAMPLE}.")
    return [Condition(derivative.field, side, len(derivative.axes), value)], False


def _formula(text: str, axis: str, axes: tuple[str, ...]) -> Value:
    """A number; in the plane also a formula in the time and the place along the side."""
    names = ("t", *(other for other in axes if other != axis)) if len(axes) > 1 else ()
    formula = Formula.parse(text, names)
    if not any(token.kind == "name" and token.text in names for token in tokenize(text)):
        return float(evaluate_formula(formula, {}))
    return lambda t, s: evaluate_formula(formula, dict(zip(names, (np.asarray(t), s), strict=True)))


def _orders(kind: str, order: int) -> range:
    """Orders of the derivatives that a named kind fixes at one end, for a law of this order in x."""
    each_side = max(order // 2, 1) if order else 0
    return range(each_side) if kind == "dirichlet" else range(1, 2 * each_side, 2)


def settle(
    conditions: Conditions,
    equation: Equation,
    axis: str,
    incoming: Mapping[str, tuple[int, int]] | None,
    sides: tuple[str, str] = SIDES[0],
) -> tuple[Conditions, Notice | None]:
    """The conditions to impose, and a notice if they are inconsistent with the law.

    ``incoming``: how many conditions the fields require at the left and at the right end, if that is known; for several
    fields, only the total is checked. Otherwise each field of order m requires m/2 at either end.
    """
    if conditions.periodic:
        return conditions, None
    if incoming is not None and len(equation.fields) > 1:
        left, right = (sum(counts[end] for counts in incoming.values()) for end in (0, 1))
        numbers = _numbers(conditions.given, left, right, sides)
        return conditions, None if numbers is None else Notice.of("system-takes-other-conditions", **numbers)
    for field in equation.fields:
        order = equation.order(axis, field)
        left, right = incoming[field] if incoming else needed_at_ends(order, None)
        given = conditions.of(field)
        if order == 1 and conditions.by_name and all(c.order == 0 for c in given):
            given = tuple(c for c in given if (left if c.low else right))
            conditions = Conditions(False, (*(c for c in conditions.given if c.field != field), *given))
        highest = f"{field}_{axis * order}" if order else field
        if numbers := _numbers(given, left, right, sides):
            held = {"held_left": _held(field, axis, left), "held_right": _held(field, axis, right)}
            if sides == SIDES[0]:
                return conditions, Notice.of("law-takes-other-conditions", highest=highest, **numbers, **held)
            parameters = numbers | held | {"highest": highest, "axis": axis}
            return conditions, Notice.of("law-takes-other-conditions-in-plane", **parameters)
        if too_high := [condition for condition in given if condition.order >= max(order, 1)]:
            name = f"{field}_{axis * too_high[0].order}"
            return conditions, Notice.of("condition-too-high", derivative=name)
    return conditions, None


def _numbers(given: tuple[Condition, ...], left: int, right: int, sides: tuple[str, str]) -> dict[str, Any] | None:
    """The number of conditions required and given on either side, if these differ."""
    at_left = sum(condition.low for condition in given)
    at_right = len(given) - at_left
    if (at_left, at_right) == (left, right):
        return None
    first, last = sides
    ends = sides == SIDES[0]
    return {
        "left": left, "right": right, "at_left": at_left, "at_right": at_right, "first": first, "last": last,
        "ends": ends,
    }  # fmt: skip


def needed_at_ends(order: int, leading: tuple[float, float] | None) -> tuple[int, int]:
    """How many conditions u_t = c·∂ᵐu requires at the left and at the right end."""
    if order % 2 == 0 or leading is None:
        return order // 2, order - order // 2
    sign = -1.0 if (order // 2) % 2 else 1.0
    if order == 1:  # nothing enters where the speed is zero
        return int(leading[0] < 0), int(leading[1] > 0)
    return (order // 2 + int(sign * leading[0] < 0), order // 2 + int(sign * leading[1] > 0))


def _held(field: str, axis: str, count: int) -> str:
    """An example with this many conditions."""
    return ", ".join(f"{field}_{axis * order}=0" if order else f"{field}=0" for order in range(count)) or "free"
