"""Formulas of the coordinates, such as the initial state ``"-sin(pi*x/8)"``: parsed here, evaluated by their users.

The same syntax as equations, other names: coordinates, ``pi``, and the functions below. Nothing else gets through.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from pdescry.equation.syntax import Call, Name, Negative, Node, Number, Operation, parse_expression
from pdescry.errors import EquationError

FORMULA_FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "sqrt", "abs", "sinh", "cosh", "tanh", "sech")
CONSTANTS = ("pi",)


@dataclass(frozen=True)
class Formula:
    """A checked expression in the given coordinates; ``tree`` contains only names that `parse` allowed."""

    text: str
    tree: Node
    coordinates: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, coordinates: Iterable[str] = ("x",), quoted: bool = False) -> Formula:
        """quoted: whether names may be in quotes, as those of terms do: ``'u*u_x'``."""
        coordinates = tuple(coordinates)
        tree = parse_expression(text, quoted)
        _check(text, tree, coordinates)
        return cls(text, tree, coordinates)


def _check(text: str, node: Node, coordinates: tuple[str, ...]) -> None:
    match node:
        case Name():
            known = (*coordinates, *CONSTANTS)
            if node.text not in known:
                raise _unknown(text, node.text, node.start, known)
        case Call():
            if node.name not in FORMULA_FUNCTIONS:
                raise _unknown(text, node.name, node.start, FORMULA_FUNCTIONS)
            _check(text, node.argument, coordinates)
        case Negative():
            _check(text, node.operand, coordinates)
        case Operation():
            _check(text, node.left, coordinates)
            _check(text, node.right, coordinates)
        case Number():
            pass


def _unknown(text: str, name: str, start: int, known: tuple[str, ...]) -> EquationError:
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    problem = f"Unknown name {name!r}. Expected one of {', '.join(known)}."
    return EquationError(problem, text, start, next(iter(nearest), None), unknown=name)
