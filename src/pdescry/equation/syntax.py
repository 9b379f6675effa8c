"""Text → syntax tree. The one parser behind equations, terms and formulas; it handles syntax, not meaning.

    equations = equation {(";" | newline) equation}      sum     = product {("+" | "-") product}
    equation  = sum "=" sum                              product = signed {("*" | "/") signed}
    signed    = {"+" | "-"} power                        power   = atom [("^" | "**") signed]
    atom      = number | name | name "(" sum ")" | "(" sum ")"

What pdescry prints in Unicode is read as well: ``u·uₓ``, ``u²``, ``−``, ``∂ₓ(…)``. What a name *means* is decided by
:mod:`pdescry.equation.parser` (terms) and :mod:`pdescry.equation.formula` (functions of the coordinates).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pdescry.errors import EquationError

MAX_LENGTH = 20_000
MAX_DEPTH = 60  # of parentheses and signs, and
MAX_OPERATORS = 400  # of operators: far above any law, far below Python's recursion limit

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
SUBSCRIPTS = {"ₓ": "x", "ₜ": "t"}  # Unicode has no subscript y or z
_OPERATORS = {"−": "-", "·": "*", "×": "*", "⋅": "*", "**": "^"}
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<name>∂[ₓₜ]+|[^\W\d_][^\W⁰¹²³⁴⁵⁶⁷⁸⁹]*)"
    r"|(?P<quoted>'[^'\n]*'|\"[^\"\n]*\")"
    r"|(?P<operator>\*\*|[-+*/^()=;\n−·×⋅])"
    r"|(?P<space>[^\S\n]+)"
)


@dataclass(frozen=True)
class Token:
    kind: str  # "number", "raised", "name", "quoted", "operator" or "end"
    text: str
    start: int


@dataclass(frozen=True)
class Number:
    value: float
    start: int


@dataclass(frozen=True)
class Name:
    text: str
    start: int


@dataclass(frozen=True)
class Call:
    name: str
    argument: Node
    start: int


@dataclass(frozen=True)
class Negative:
    operand: Node
    start: int


@dataclass(frozen=True)
class Operation:
    operator: str  # + - * / ^
    left: Node
    right: Node
    start: int  # of the operator


Node = Number | Name | Call | Negative | Operation


def parse_equations(text: str) -> list[tuple[Node, Node]]:
    """The left and right sides of one or several equations."""
    return _Parser(text).equations()


def parse_expression(text: str, quoted: bool = False) -> Node:
    """One sum, with nothing before or behind it. quoted: whether ``'u*u_x'``, in quotes, is a name."""
    return _Parser(text, quoted).lone_expression()


def tokenize(text: str, quoted: bool = False) -> list[Token]:
    if not isinstance(text, str):
        raise EquationError(f"Expected a text such as 'u_t = 0.1*u_xx'; got {type(text).__name__}.")
    if len(text) > MAX_LENGTH:
        raise EquationError(f"Expected at most {MAX_LENGTH} characters; got {len(text)}.")
    tokens, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or (match.lastgroup == "quoted" and not quoted):
            raise EquationError(
                f"Unexpected character {text[position]!r}. Expected numbers, names, + - * / ^ and parentheses.",
                text,
                position,
            )
        kind, found = str(match.lastgroup), match.group()
        if kind == "operator":
            found = _OPERATORS.get(found, found)
        elif kind == "name":
            found = _plain_subscripts(found)
        if kind != "space":
            tokens.append(Token(kind, found, position))
        position = match.end()
    tokens.append(Token("end", "", len(text)))
    return tokens


def _plain_subscripts(name: str) -> str:
    """``uₓₓ`` → ``u_xx``; ``∂ₓ`` → ``d_x``."""
    stem = name.rstrip("".join(SUBSCRIPTS))
    subscript = "".join(SUBSCRIPTS[letter] for letter in name[len(stem) :])
    stem = "d" if stem == "∂" else stem
    return f"{stem}_{subscript}" if subscript and "_" not in stem else stem + subscript


class _Parser:
    """Recursive descent over the tokens, one method for each line of the grammar."""

    def __init__(self, text: str, quoted: bool = False) -> None:
        self.text = text
        self.tokens = tokenize(text, quoted)
        operators = [token for token in self.tokens if token.kind == "operator" and token.text in "+-*/^"]
        if len(operators) > MAX_OPERATORS:
            raise EquationError(f"Expected at most {MAX_OPERATORS} operators; got {len(operators)}.", text)
        self.index = 0
        self.depth = 0

    @property
    def here(self) -> Token:
        return self.tokens[self.index]

    def advance(self) -> Token:
        token = self.here
        self.index += token.kind != "end"
        return token

    def take(self, *operators: str) -> Token | None:
        return self.advance() if self.here.kind == "operator" and self.here.text in operators else None

    def fail(self, expected: str, suggestion: str | None = None) -> EquationError:
        token = self.here
        found = {"end": "the text ends here", "\n": "the line ends here"}.get(
            token.text if token.text == "\n" else token.kind, f"got {token.text!r}"
        )
        return EquationError(f"Expected {expected}; {found}.", self.text, token.start, suggestion)

    def equations(self) -> list[tuple[Node, Node]]:
        found = []
        while True:
            while self.take(";", "\n"):
                pass
            if self.here.kind == "end":
                break
            left = self.sum()
            if not self.take("="):
                raise self.fail("'=' after the left side, as in 'u_t = 0.1*u_xx'")
            found.append((left, self.sum()))
            if not (self.take(";", "\n") or self.here.kind == "end"):
                raise self.fail("an operator (+ - * /), or ';' before a further equation")
        if not found:
            raise self.fail("an equation such as 'u_t = 0.1*u_xx'")
        return found

    def lone_expression(self) -> Node:
        while self.take("\n"):
            pass
        node = self.sum()
        while self.take("\n"):
            pass
        if self.here.kind != "end":
            raise self.fail("an operator (+ - * / ^) or the end")
        return node

    def sum(self) -> Node:
        node = self.product()
        while token := self.take("+", "-"):
            node = Operation(token.text, node, self.product(), token.start)
        return node

    def product(self) -> Node:
        node = self.signed()
        while token := self.take("*", "/"):
            node = Operation(token.text, node, self.signed(), token.start)
        if self.here.kind in ("number", "name", "quoted") or (self.here.kind == "operator" and self.here.text == "("):
            raise self.fail("an operator between two factors", self.joined())
        return node

    def joined(self) -> str | None:
        """What was probably meant by two factors side by side, where that is plain."""
        before, here = self.tokens[self.index - 1], self.here
        if before.kind == "name" and before.text in ("sin", "cos", "exp", "tanh") and here.kind == "name":
            return f"{before.text}({here.text})"
        return f"{before.text}*{here.text}" if here.kind == "name" and before.kind in ("name", "number") else None

    def signed(self) -> Node:
        if token := self.take("-", "+"):
            self.descend(token)
            operand = self.signed()
            self.depth -= 1
            return Negative(operand, token.start) if token.text == "-" else operand
        return self.power()

    def power(self) -> Node:
        node = self.atom()
        if self.here.kind == "raised":
            token = self.advance()
            return Operation("^", node, Number(float(token.text.translate(SUPERSCRIPTS)), token.start), token.start)
        if token := self.take("^"):
            self.descend(token)
            node = Operation("^", node, self.signed(), token.start)
            self.depth -= 1
        return node

    def atom(self) -> Node:
        token = self.here
        if token.kind == "number":
            self.advance()
            value = float(token.text)
            if value == float("inf"):
                raise EquationError(f"The number {token.text} is too large.", self.text, token.start)
            return Number(value, token.start)
        if token.kind == "name":
            self.advance()
            if opening := self.take("("):
                return Call(token.text, self.parenthesised(opening), token.start)
            return Name(token.text, token.start)
        if token.kind == "quoted":
            self.advance()
            return Name(token.text[1:-1].strip(), token.start)
        if opening := self.take("("):
            return self.parenthesised(opening)
        raise self.fail("a number, a name or '('")

    def parenthesised(self, opening: Token) -> Node:
        self.descend(opening)
        node = self.sum()
        if not self.take(")"):
            raise self.fail(f"')' to close the '(' in column {opening.start + 1}")
        self.depth -= 1
        return node

    def descend(self, token: Token) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise EquationError(f"Expected at most {MAX_DEPTH} levels of nesting.", self.text, token.start)
