"""Syntax tree → terms and equations: what each name means, and what is not allowed where.

Nothing is evaluated: a node is either recognised here or refused with a caret under it.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement

from pdescry.equation import algebra
from pdescry.equation.equation import Component, Equation, differentiated_inputs, no_derivative
from pdescry.equation.syntax import Call, Name, Negative, Node, Number, Operation, parse_equations, parse_expression
from pdescry.equation.term import FUNCTIONS, GROUPS, ONE, PLANE, Coordinate, Derivative, Function, Sum, Term
from pdescry.errors import EquationError

TIME = "t"
RESERVED = frozenset({*FUNCTIONS, "d", "pi"})
MAX_ORDER = 16  # of a derivative


def parse_equation(text: str, axes: Iterable[str] = ("x", "y", "z"), inputs: Iterable[str] = ()) -> Equation:
    sides = parse_equations(text)
    lefts = [_left_side(text, left) for left, _ in sides]
    fields = [field for field, _ in lefts]
    for (left, _), field in zip(sides, fields, strict=True):
        if fields.count(field) > 1:
            raise EquationError(f"Expected one equation for each field; got several for {field!r}.", text, _start(left))
    reader = _Reader(text, fields, axes, inputs)
    components = []
    for (field, time_order), (_, right) in zip(lefts, sides, strict=True):
        terms = reader.sum(right)
        _check_inputs(text, right, terms, reader.inputs)
        _check_time_derivatives(text, right, terms, dict(lefts))
        components.append(Component.of(field, terms, time_order))
    return Equation.of(components, reader.inputs)


def parse_term(text: str, fields: Iterable[str] = ("u",), axes: Iterable[str] = ("x", "y", "z")) -> Term:
    node = parse_expression(text)
    terms = _Reader(text, fields, axes).sum(node)
    if len(terms) != 1:
        raise EquationError(f"Expected one term; got {len(terms)}: list them separately.", text, _start(node))
    ((term, coefficient),) = terms.items()
    if coefficient != 1:
        raise EquationError(
            f"Expected a term without a coefficient; got {coefficient:g} in front.", text, _start(node), str(term)
        )
    return term


def parse_derivative(text: str, fields: Iterable[str], axes: Iterable[str] = ("x", "y", "z")) -> Derivative:
    """A field or one derivative of it, such as the left side of a boundary condition."""
    term = parse_term(text, fields, axes)
    if len(term.factors) == 1:
        factor, power = term.factors[0]
        if isinstance(factor, Derivative) and power == 1:
            return factor
    raise EquationError("Expected a field or a derivative of it, such as 'u' or 'u_x'.", text, 0)


def _left_side(text: str, node: Node) -> tuple[str, int]:
    if isinstance(node, Name):
        field, underscore, subscript = node.text.partition("_")
        if underscore and subscript in (TIME, 2 * TIME) and field not in RESERVED:
            return field, len(subscript)
        if field in RESERVED:
            raise EquationError(f"The name {field!r} is reserved; call the field otherwise.", text, node.start)
    suggestion = None
    if isinstance(node, Name) and (written := re.fullmatch(r"d?([^\W\d_]\w*?)_?d?(tt?|[xyz]+)", node.text)):
        suggestion = f"{written[1]}_{written[2] if written[2][0] == TIME else TIME}"
    raise EquationError(
        "Expected the left side to be a first or second time derivative alone, u_t or u_tt;"
        " move everything else to the right.",
        text,
        _start(node),
        suggestion,
    )


def _check_inputs(text: str, right: Node, terms: Sum, inputs: tuple[str, ...]) -> None:
    for term in terms:
        for name in differentiated_inputs(term, inputs):
            culprits = (node for node in _names(right) if node.text.partition("_")[0] == name)
            raise EquationError(no_derivative(name), text, _start(next(culprits, right)))


def _check_time_derivatives(text: str, right: Node, terms: Sum, time_orders: dict[str, int]) -> None:
    for term in terms:
        for field in term.fields:
            if field in time_orders and term.order(TIME, field) >= time_orders[field]:
                left = f"{field}_{TIME * time_orders[field]}"
                culprits = (n for n in _names(right) if TIME in n.text.partition("_")[2])
                raise EquationError(
                    f"Expected time derivatives below {left} on the right side; got {term}.",
                    text,
                    _start(next(culprits, right)),
                )


def _names(node: Node) -> Iterator[Name]:
    match node:
        case Name():
            yield node
        case Call():
            yield from _names(node.argument)
        case Negative():
            yield from _names(node.operand)
        case Operation():
            yield from _names(node.left)
            yield from _names(node.right)


def _start(node: Node) -> int:
    """Where the node begins in the text: an operation begins with its left operand."""
    while isinstance(node, Operation):
        node = node.left
    return node.start


def _several(names: Iterable[str], what: str) -> tuple[str, ...]:
    found = (names,) if isinstance(names, str) else tuple(names)
    if not found or not all(isinstance(name, str) for name in found):
        raise EquationError(f"Expected {what} as names such as 'u' or 'x'; got {names!r}.")
    return found


class _Reader:
    """Turns nodes into sums of terms, given what the names stand for."""

    def __init__(self, text: str, fields: Iterable[str], axes: Iterable[str], inputs: Iterable[str] = ()) -> None:
        self.text = text
        self.fields = _several(fields, "fields")
        self.inputs = _several(inputs, "inputs") if inputs else ()
        self.axes = _several(axes, "axes")
        for axis in self.axes:
            if len(axis) != 1 or not axis.isalpha():
                raise EquationError(f"Expected axes of one letter each, such as 'x'; got {axis!r}.")
        for field in self.fields:
            if field in RESERVED or field in (*self.axes, TIME):
                raise EquationError(
                    f"The name {field!r} cannot be a field: it means something else; call the field otherwise.", text
                )
        for name in self.inputs:
            if name in self.fields:
                raise EquationError(f"Expected {name!r} as a field or as an input; it cannot be both.", text)
            if name in RESERVED or name in (*self.axes, TIME) or not name.isalnum() or not name[0].isalpha():
                raise EquationError(
                    f"The name {name!r} cannot be an input: expected letters and digits that mean nothing else, such"
                    " as 'P'; call the input otherwise.",
                    text,
                )

    def error(self, problem: str, node: Node, suggestion: str | None = None) -> EquationError:
        return EquationError(problem, self.text, _start(node), suggestion)

    def sum(self, node: Node) -> Sum:
        try:
            terms = self.read(node)
        except algebra.TooLargeError as outgrown:
            raise self.error(f"The expression is too large: multiplied out it has {outgrown}.", node) from None
        for term, coefficient in terms.items():
            if not math.isfinite(coefficient):
                raise self.error(f"The coefficient of {term} is too large for a number.", node)
        return terms

    def read(self, node: Node) -> Sum:
        match node:
            case Number():
                return {ONE: node.value} if node.value else {}
            case Negative():
                return algebra.scale(self.read(node.operand), -1.0)
            case Name():
                return self.name(node)
            case Call():
                return self.call(node)
            case Operation(operator="+"):
                return algebra.add(self.read(node.left), self.read(node.right))
            case Operation(operator="-"):
                return algebra.add(self.read(node.left), self.read(node.right), -1.0)
            case Operation(operator="*"):
                return algebra.multiply(self.read(node.left), self.read(node.right))
            case Operation(operator="/"):
                return self.quotient(node)
            case Operation():
                return self.power(node)

    def name(self, node: Name) -> Sum:
        if node.text == "pi":
            return {ONE: math.pi}
        if node.text in self.axes or node.text == TIME:
            return {Term.of([(Coordinate(node.text), 1)]): 1.0}
        field, underscore, subscript = node.text.partition("_")
        if field in self.fields or field in self.inputs:
            if not underscore:
                return {Term.of([(Derivative(field), 1)]): 1.0}
            axes = self.subscript(node, subscript)
            return {Term.of([(Derivative(field, axes), 1)]): 1.0}
        if node.text in FUNCTIONS:
            raise self.error(f"Expected '(' after {node.text}.", node, f"{node.text}({self.fields[0]})")
        raise self.error(
            f"Unknown name {node.text!r}. Expected a field ({', '.join(self.fields)}), a derivative"
            f" ({self.fields[0]}_{self.axes[0]}), a coordinate ({', '.join((TIME, *self.axes))}),"
            f" a function ({', '.join(FUNCTIONS)})"
            f" or an input ({', '.join(self.inputs) or 'none is named in ⟦inputs=⟧'}).",
            node,
            self.nearest(node.text),
        )

    def subscript(self, node: Name | Call, letters: str) -> str:
        name = node.text if isinstance(node, Name) else node.name
        stem = name.partition("_")[0]
        allowed = (*self.axes, TIME) if isinstance(node, Name) else self.axes
        if not letters or not set(letters) <= set(allowed):
            raise self.error(
                f"Expected axes among {', '.join(allowed)} after {stem!r}_; got {letters!r}.",
                node,
                self.nearest(name) if isinstance(node, Name) else f"d_{self.axes[0]}(…)",
            )
        if len(letters) > MAX_ORDER:
            raise self.error(f"Expected a derivative of order {MAX_ORDER} at most; got {len(letters)}.", node)
        return "".join(sorted(letters))

    def call(self, node: Call) -> Sum:
        stem, underscore, subscript = node.name.partition("_")
        if stem == "d" and underscore:
            terms = algebra.conservative(self.subscript(node, subscript), self.read(node.argument))
            if any(term.order() > MAX_ORDER for term in terms):
                raise self.error(f"Expected a derivative of order {MAX_ORDER} at most.", node)
            return terms
        if node.name in FUNCTIONS:
            return self.function(node)
        if stem in GROUPS and stem not in self.fields:
            return self.group(node, stem, subscript if underscore else None)
        choices = (*FUNCTIONS, *GROUPS, *(f"d_{axis}" for axis in self.axes))
        if node.name.partition("_")[0] in (*self.fields, *self.inputs, *self.axes, TIME):
            suggestion = f"{node.name}*(…)"
        else:
            suggestion = next(iter(difflib.get_close_matches(node.name, choices, n=1, cutoff=0.5)), None)
        raise self.error(
            f"Unknown function {node.name!r}. Expected {', '.join(FUNCTIONS)} of a field, d_x(…), or"
            f" {', '.join(f'{name}(…)' for name in GROUPS)}.",
            node,
            suggestion,
        )

    def group(self, node: Call, name: str, letters: str | None) -> Sum:
        """``lap(…)``, ``div(…)`` and ``grad2(…)`` sum over x and y, ``lap_xyz(…)`` over the axes that it names."""
        if letters is None:
            letters = "".join(self.axes) if len(self.axes) < 3 else PLANE
        axes = self.subscript(node, letters)
        if len(set(axes)) < len(axes):
            raise self.error(f"Expected each axis once after {name}_; got {letters!r}.", node)
        inner = self.read(node.argument)
        if name == "grad2" and len(inner) > 1:
            raise self.error("Expected one term inside grad2(…).", node.argument)
        terms = algebra.grouped(name, axes, inner)
        if any(term.order() > MAX_ORDER for term in terms):
            raise self.error(f"Expected a derivative of order {MAX_ORDER} at most.", node)
        return terms

    def function(self, node: Call) -> Sum:
        argument = self.read(node.argument)
        if len(argument) == 1:
            ((term, scale),) = argument.items()
            if len(term.factors) == 1:
                factor, power = term.factors[0]
                if isinstance(factor, Derivative) and not factor.axes and power == 1 and math.isfinite(scale):
                    # One spelling for one function: the sign leaves sin and tanh and is lost in cos.
                    sign = -1.0 if scale < 0 and node.name in ("sin", "tanh") else 1.0
                    scale = scale if node.name == "exp" else abs(scale)
                    return {Term.of([(Function(node.name, factor.field, scale), 1)]): sign}
        raise self.error(
            f"Expected a field inside {node.name}(…), with at most a number in front.",
            node.argument,
            f"{node.name}({self.fields[0]})",
        )

    def quotient(self, node: Operation) -> Sum:
        below = self.read(node.right)
        if set(below) - {ONE}:
            raise self.error("Expected a number after '/': only numbers can divide.", node.right)
        if not below:
            raise self.error("Expected a number other than zero after '/'.", node.right)
        return {term: coefficient / below[ONE] for term, coefficient in self.read(node.left).items()}

    def power(self, node: Operation) -> Sum:
        exponent = self.read(node.right)
        value = exponent.get(ONE, 0.0)
        if set(exponent) - {ONE} or not math.isfinite(value) or value != int(value) or value < 0:
            raise self.error("Expected a whole number, 0 or more, as the power.", node.right)
        if value > algebra.MAX_POWER:
            raise self.error(f"Expected a power of {algebra.MAX_POWER} at most; got {value:g}.", node.right)
        return algebra.raise_to(self.read(node.left), int(value))

    def nearest(self, name: str) -> str | None:
        """The closest valid spelling; ``uxx`` and ``u_XX`` are closest to ``u_xx``."""
        vocabulary = [
            *self.fields,
            *self.inputs,
            *self.axes,
            TIME,
            "pi",
            *(f"{function}({self.fields[0]})" for function in FUNCTIONS),
        ]
        vocabulary += [
            f"{field}_{''.join(axes)}"
            for field in self.fields
            for order in range(1, 5)
            for axes in combinations_with_replacement(self.axes, order)
        ]
        squeezed = {word.replace("_", "").casefold(): word for word in reversed(vocabulary)}
        exact = squeezed.get(name.replace("_", "").casefold())
        return exact or next(iter(difflib.get_close_matches(name, vocabulary, n=1, cutoff=0.5)), None)
