"""A law as a function of the fields and their derivatives: its variables, and its partial derivatives."""

from __future__ import annotations

from pdescry.equation import Component, Equation
from pdescry.equation.algebra import TooLargeError, expand, partial
from pdescry.equation.term import Derivative, Function, Sum
from pdescry.errors import InputError


def opened(equation: Equation) -> Equation:
    """The law without conservative forms, whose true order may be lower than apparent."""
    try:
        components = [Component.of(c.field, expand(c.coefficients), c.time_order) for c in equation.components]
    except TooLargeError as outgrown:
        raise InputError(f"The equation is too large: opened by the product rule it has {outgrown}.") from None
    return Equation.of(components, equation.inputs)


def variables_of(equation: Equation) -> tuple[Derivative, ...]:
    """The fields and derivatives in the right sides of an opened law; known inputs are not among them."""
    found: set[Derivative] = set()
    for component in equation.components:
        for term, _ in component.terms:
            for factor, _ in term.factors:
                if isinstance(factor, Derivative):
                    found.add(factor)
                elif isinstance(factor, Function):
                    found.add(Derivative(factor.field))
    unknown = (variable for variable in found if variable.field in equation.fields)
    return tuple(sorted(unknown, key=lambda variable: variable.key))


def slopes_of(equation: Equation) -> dict[tuple[str, Derivative], Sum]:
    """∂F_field/∂variable of an opened law, for every pair that is not identically zero."""
    every = {
        (component.field, variable): partial(component.coefficients, variable)
        for component in equation.components
        for variable in variables_of(equation)
    }
    return {pair: terms for pair, terms in every.items() if terms}
