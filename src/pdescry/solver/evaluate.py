"""Numerical evaluation of equations: formulas of the coordinates and sums of terms, with numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pdescry.equation import Formula
from pdescry.equation.syntax import Call, Name, Negative, Node, Number, Operation
from pdescry.equation.term import Derivative, Factor, Function, Sum

Array = np.ndarray

_FUNCTIONS = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "sech": lambda x: 1 / np.cosh(x),
}
_OPERATIONS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "^": np.power}


def evaluate_formula(formula: Formula, coordinates: Mapping[str, Array]) -> Array:
    """The formula at the given coordinates. Undefined places (0/0, log of a negative number) give NaN or inf."""

    def value(node: Node) -> Array | np.float64:
        match node:
            case Number():
                return np.float64(node.value)
            case Name():
                return np.float64(np.pi) if node.text == "pi" else coordinates[node.text]
            case Negative():
                return -value(node.operand)
            case Call():
                return _FUNCTIONS[node.name](value(node.argument))
            case Operation():
                return _OPERATIONS[node.operator](value(node.left), value(node.right))

    with np.errstate(all="ignore"):
        result = np.asarray(value(formula.tree), dtype=float)
    shape = np.broadcast_shapes(*(np.shape(c) for c in coordinates.values()))
    return np.broadcast_to(result, shape) if shape else result


def evaluate_terms(terms: Sum, values: Mapping[Factor, Array], like: Array) -> Array:
    """Σ cᵢ·Tᵢ without fluxes, where ``values`` has each coordinate and derivative; shaped as ``like``."""
    total = np.zeros_like(like)
    for term, coefficient in terms.items():
        product: Array | float = coefficient
        for factor, power in term.factors:
            if isinstance(factor, Function):
                base = _FUNCTIONS[factor.name](factor.scale * values[Derivative(factor.field)])
            else:
                base = values[factor]
            product = product * (base if power == 1 else base**power)
        total += product
    return total
