"""Units of coefficients, and their exact change: what one becomes when u → a·u, t → c·t, x → b·x.

Every term is a monomial in the units of its fields and axes, so the change of a coefficient is a product of integer
powers, found by counting: for u_t = k·u·u_x it is a⁻¹·b·c⁻¹. It is computed in fractions and rounded once.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction

from pdescry.equation.algebra import add, expand
from pdescry.equation.equation import Component, Equation
from pdescry.equation.term import GROUPS, Coordinate, Derivative, Factor, Flux, Function, Group, Sum, Term
from pdescry.equation.unit_text import powers_of, product, written
from pdescry.errors import InputError


def exponents(term: Term) -> Counter[str]:
    """The unit of a term as powers of the units of fields and axes: ``u*u_xx`` is {"u": 2, "x": -2}."""
    unit: Counter[str] = Counter()
    for factor, power in term.factors:
        match factor:
            case Coordinate():
                unit[factor.axis] += power
            case Derivative():
                unit[factor.field] += power
                unit.subtract({axis: power * factor.axes.count(axis) for axis in set(factor.axes)})
            case Flux():
                for name, exponent in exponents(factor.inner).items():
                    unit[name] += power * exponent
                unit.subtract({axis: power * factor.axes.count(axis) for axis in set(factor.axes)})
            case Group():  # along all of its axes alike
                square = 2 if factor.name == "grad2" else 1
                for name, exponent in exponents(factor.inner).items():
                    unit[name] += power * square * exponent
                unit[factor.axes[0]] -= power * square * GROUPS[factor.name]
            case Function():
                pass  # a pure number: its scale takes the unit of the field away
    return unit


def unit_of_coefficient(term: Term, field: str, time_order: int, units: Mapping[str, str]) -> str:
    """The unit of a term's coefficient in the law of a field, such as ``m²/s``; ``1`` for a pure number.

    units: of time (``t``), axes, fields and inputs, as texts. Empty where a unit that counts is not known; one that
    cancels, as u's does in u_t = D*u_xx, need not be.
    """
    change = Counter({field: 1})
    change.subtract({"t": time_order})
    change.subtract(exponents(term))
    counts = {name: power for name, power in change.items() if power}
    if not set(counts) <= set(units):
        return ""
    return written(product((powers_of(units[name]), Fraction(power)) for name, power in counts.items()))


def rescale(equation: Equation, factors: Mapping[str, float]) -> Equation:
    known = {*equation.fields, *equation.inputs, *equation.axes, "t", "x", "y", "z"}
    ratios: defaultdict[str, Fraction] = defaultdict(lambda: Fraction(1))
    for name, factor in factors.items():
        if name not in known:
            raise InputError(f"Expected units of {', '.join(sorted(known))}; got one of {name!r}.")
        if not (isinstance(factor, int | float) and math.isfinite(factor) and factor > 0):
            raise InputError(f"The factor of {name!r} must be a positive number; got {factor!r}.")
        ratios[name] = _decimal(factor)
    components = []
    for component in equation.components:
        terms = {}
        for term, coefficient in _separated(component.coefficients, ratios).items():
            change = Counter({component.field: 1, "t": -component.time_order})
            change.subtract(exponents(term))
            exact = math.prod((ratios[name] ** power for name, power in change.items()), start=_decimal(coefficient))
            terms[_rescaled_functions(term, ratios)] = _rounded(exact)
        components.append(Component.of(component.field, terms, component.time_order))
    return Equation.of(components, equation.inputs)


def _separated(terms: Sum, ratios: Mapping[str, Fraction]) -> Sum:
    """Without groups over axes whose units change differently: in the new units they are no longer groups."""
    found: Sum = {}
    for term, coefficient in terms.items():
        apart = any(len({ratios[axis] for axis in each.axes}) > 1 for each in term.groups)
        found = add(found, expand({term: coefficient}) if apart else {term: coefficient})
    return found


def _decimal(value: float) -> Fraction:
    """The number as it is written: 0.01 is one hundredth, not the nearest binary fraction to it."""
    return Fraction(repr(float(value)))


def _rounded(exact: Fraction) -> float:
    try:
        value = float(exact)
    except OverflowError:
        value = math.inf
    if value == math.inf or (value == 0) != (exact == 0):
        raise InputError("A coefficient in the new units is too large or too small for a number; choose other units.")
    return value


def _rescaled_functions(term: Term, ratios: Mapping[str, Fraction]) -> Term:
    """sin(u) of the old u is sin(u/a) of the new one."""

    def changed(factor: Factor) -> Factor:
        if isinstance(factor, Function):
            return Function(factor.name, factor.field, _rounded(_decimal(factor.scale) / ratios[factor.field]))
        if isinstance(factor, Flux):
            return Flux(factor.axes, _rescaled_functions(factor.inner, ratios))
        if isinstance(factor, Group):
            return Group(factor.name, factor.axes, _rescaled_functions(factor.inner, ratios))
        return factor

    return Term.of((changed(factor), power) for factor, power in term.factors)
