"""An `Equation` as sympy's equations: fields are functions of time and axes, derivatives are `sympy.Derivative`."""

from __future__ import annotations

from typing import Any

from pdescry.equation.equation import Equation
from pdescry.equation.term import Coordinate, Derivative, Factor, Flux, Function, Group, Term
from pdescry.errors import needing


def to_sympy(equation: Equation) -> tuple[Any, ...]:
    """A `sympy.Eq` for each field, its time derivative on the left."""
    with needing("sympy", "to write laws as its equations"):
        import sympy
    axes = sorted({"x", *equation.axes} - {"t"})
    symbols = {name: sympy.Symbol(name, real=True) for name in ("t", *axes)}

    def field(name: str) -> Any:
        return sympy.Function(name)(*symbols.values())

    def derived(inner: Any, along: str) -> Any:
        counts = [(symbols[axis], along.count(axis)) for axis in dict.fromkeys(along)]
        return sympy.Derivative(inner, *counts) if counts else inner

    def factor(what: Factor) -> Any:
        match what:
            case Coordinate():
                return symbols[what.axis]
            case Derivative():
                return derived(field(what.field), what.axes)
            case Flux():
                return derived(term(what.inner), what.axes)
            case Group():
                order, power = {"lap": (2, 1), "div": (1, 1), "grad2": (1, 2)}[what.name]
                return sympy.Add(*(derived(term(what.inner), axis * order) ** power for axis in what.axes))
            case Function():
                return getattr(sympy, what.name)(_number(sympy, what.scale) * field(what.field))

    def term(what: Term) -> Any:
        return sympy.Mul(*(factor(each) ** power for each, power in what.factors))

    return tuple(
        sympy.Eq(
            derived(field(each.field), "t" * each.time_order),
            sympy.Add(*(_number(sympy, value) * term(what) for what, value in each.terms)),
        )
        for each in equation.components
    )


def _number(sympy: Any, value: float) -> Any:
    """A whole number stays one: sin(u) is not sin(1.0*u)."""
    return sympy.Integer(int(value)) if value == int(value) else sympy.Float(value)
