"""Boundary conditions: what the user wrote → conditions on each field, and whether the law takes that many.

A field that appears with derivatives up to order m takes m conditions. For even m, half of them stand at either end:
``"dirichlet"`` holds u, u_x, … of order below m/2 (the value, and for m = 4 the slope too); ``"neumann"`` holds the odd
derivatives u_x, u_xxx, … (no flux). For odd m the ends are not alike, and which end takes more depends on the sign of
the highest term: conditions are then given for each side. For m = 1 ``"dirichlet"`` holds u at the ends where the law
carries information inwards, and only there. A value is a number, or a function of the time since the start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from numpy.polynomial import Polynomial

from pdescry.equation import Equation, Formula
from pdescry.equation.parser import parse_derivative
from pdescry.errors import InputError
from pdescry.solver.evaluate import evaluate_formula

Value = float | Callable[[float], float]  # constant, or as a function of t
Side = str | tuple[str, Value] | Sequence[str] | Mapping[str, Value]
Boundary = str | Mapping[str, Side] | tuple[Side, Side]

RATE_STEP = 1e-3  # of the time span: between the times from which the rate of a boundary value is taken

_EXAMPLE = "boundary={'left': 'u=0', 'right': 'u_x=0'}"


@dataclass(frozen=True)
class Condition:
    """∂ᵒʳᵈᵉʳ field / ∂x ᵒʳᵈᵉʳ = value at one end."""

    field: str
    side: str  # "left" or "right"
    order: int
    value: Value = 0.0
    until: float = math.inf  # the end of the time span, if values are functions of time

    def at(self, t: float) -> float:
        """The value at a time."""
        return float(self.value(t)) if callable(self.value) else self.value

    def rate(self, t: float) -> float:
        """By how much it changes in a unit of time: the slope at t of the polynomial through values near t."""
        if not callable(self.value):
            return 0.0
        step = self.until * RATE_STEP
        first = min(max(t - 2 * step, 0.0), self.until - 4 * step)
        values = [self.at(first + k * step) for k in range(5)]
        return float(Polynomial.fit(range(5), values, 4).deriv()((t - first) / step)) / step


@dataclass(frozen=True)
class Conditions:
    """All conditions of a problem; ``periodic`` excludes any other.

    ``by_name`` tells that they came from a name such as "dirichlet", not one by one.
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


def read_boundary(boundary: Boundary, equation: Equation, axis: str, until: float) -> Conditions:
    """Turn the argument of `simulate` into conditions, up to a time. Bad spelling raises `InputError`; counts are
    checked later."""
    if isinstance(boundary, str) and boundary.strip().lower() == "periodic":
        return Conditions(periodic=True)
    if isinstance(boundary, str):
        sides: dict[str, Side] = {"left": boundary, "right": boundary}
    elif isinstance(boundary, Mapping):
        sides = dict(boundary)
    elif isinstance(boundary, tuple | list) and len(boundary) == 2 and not isinstance(boundary[1], Real):
        sides = {"left": boundary[0], "right": boundary[1]}
    else:
        raise InputError(
            f"Expected 'periodic', 'dirichlet', 'neumann' or conditions per side as in {_EXAMPLE}; got {boundary!r}."
        )
    if unknown := set(sides) - {"left", "right"}:
        raise InputError(f"Expected the sides 'left' and 'right'; got {sorted(unknown)[0]!r}. Write {_EXAMPLE}.")
    given: list[Condition] = []
    by_name = True
    for side, conditions in sides.items():
        for written in _listed(conditions):
            found, named = _read_condition(written, side, equation, axis)
            given += [replace(condition, until=until) for condition in found]
            by_name &= named
    for condition in given:
        if sum((c.field, c.side, c.order) == (condition.field, condition.side, condition.order) for c in given) > 1:
            raise InputError(
                f"The {condition.side} side has two conditions on the same derivative of {condition.field}."
            )
    return Conditions(periodic=False, given=tuple(given), by_name=by_name)


def spelled(boundary: Any) -> Any:
    """What the user wrote, with "f(t)" for functions, whose own names say where they lie in memory."""
    if isinstance(boundary, Mapping):
        return {name: spelled(each) for name, each in boundary.items()}
    if isinstance(boundary, tuple | list):
        return type(boundary)(spelled(each) for each in boundary)
    return "f(t)" if callable(boundary) else boundary


def check_values(conditions: Conditions, times: Sequence[float]) -> None:
    """Functions of time have to give finite numbers."""
    for condition in conditions.given:
        for t in times:
            try:
                value = condition.at(float(t))
            except (TypeError, ValueError):
                value = math.nan
            if not math.isfinite(value):
                raise InputError(
                    f"Expected boundary values as functions that give a finite number at every time; that of "
                    f"{condition.field} at the {condition.side} gives none at t = {t:g}."
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
    told: Any = value if callable(value) else float(value)
    return name, told


def _read_condition(
    written: str | tuple[str, Value], side: str, equation: Equation, axis: str
) -> tuple[list[Condition], bool]:
    if isinstance(written, tuple):
        kind, value = written
    else:
        kind, _, number = written.partition("=")
        value = float(evaluate_formula(Formula.parse(number, ()), {})) if number.strip() else 0.0
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
        raise InputError("A periodic boundary joins both sides: write boundary='periodic'.")
    if isinstance(written, str) and "=" not in written:
        raise InputError(
            f"Expected 'periodic', 'dirichlet', 'neumann' or a condition such as 'u=0'; got {written!r}."
            f" Write {_EXAMPLE}."
        )
    derivative = parse_derivative(kind, equation.fields, (axis,))
    if "t" in derivative.axes:
        raise InputError(f"A boundary condition cannot hold a time derivative; got {kind!r}. Write {_EXAMPLE}.")
    return [Condition(derivative.field, side, len(derivative.axes), value)], False


def _orders(kind: str, order: int) -> range:
    """Which derivatives a named kind holds at one end, for a law of this order in x."""
    each_side = max(order // 2, 1) if order else 0
    return range(each_side) if kind == "dirichlet" else range(1, 2 * each_side, 2)


def settle(
    conditions: Conditions, equation: Equation, axis: str, incoming: Mapping[str, tuple[int, int]] | None
) -> tuple[Conditions, str]:
    """The conditions to impose, and a sentence if their number does not suit the law (else "").

    ``incoming`` tells how many conditions the fields could take at the left and at the right end, if that is known; of
    several fields, only how many there are in all matters. Else each field of order m takes m/2 at either end.
    """
    if conditions.periodic:
        return conditions, ""
    if incoming is not None and len(equation.fields) > 1:
        left, right = (sum(counts[end] for counts in incoming.values()) for end in (0, 1))
        return conditions, _complaint("The system", conditions.given, left, right)
    for field in equation.fields:
        order = equation.order(axis, field)
        left, right = incoming[field] if incoming else needed_at_ends(order, None)
        given = conditions.of(field)
        if order == 1 and conditions.by_name and all(c.order == 0 for c in given):
            given = tuple(c for c in given if (left if c.side == "left" else right))
            conditions = Conditions(False, (*(c for c in conditions.given if c.field != field), *given))
        highest = f"{field}_{axis * order}" if order else field
        if complaint := _complaint(f"A law whose highest derivative is {highest}", given, left, right):
            return conditions, complaint + _remedy(field, axis, left, right)
        if too_high := [condition for condition in given if condition.order >= max(order, 1)]:
            name = f"{field}_{axis * too_high[0].order}"
            return conditions, (
                f"A boundary condition on {name} is as high as the law itself, which does not determine the solution."
            )
    return conditions, ""


def _complaint(law: str, given: tuple[Condition, ...], left: int, right: int) -> str:
    at_left = sum(condition.side == "left" for condition in given)
    if (at_left, len(given) - at_left) == (left, right):
        return ""
    return (
        f"{law} takes {left} boundary condition{'s' * (left != 1)} at the left end and {right} at the right end;"
        f" got {at_left} at the left and {len(given) - at_left} at the right."
    )


def needed_at_ends(order: int, leading: tuple[float, float] | None) -> tuple[int, int]:
    """How many conditions u_t = c·∂ᵐu takes at the left and at the right end."""
    if order % 2 == 0 or leading is None:
        return order // 2, order - order // 2
    sign = -1.0 if (order // 2) % 2 else 1.0
    if order == 1:  # nothing enters where the speed is zero
        return int(leading[0] < 0), int(leading[1] > 0)
    return (order // 2 + int(sign * leading[0] < 0), order // 2 + int(sign * leading[1] > 0))


def _remedy(field: str, axis: str, left: int, right: int) -> str:
    def listed(count: int) -> str:
        return ", ".join(f"{field}_{axis * order}=0" if order else f"{field}=0" for order in range(count)) or "free"

    return f" For example boundary={{'left': '{listed(left)}', 'right': '{listed(right)}'}}, or boundary='periodic'."
