"""Terms and equations as plain text, Unicode, LaTeX and MathML: one traversal, four styles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal
from typing import final

from pdescry.equation.equation import Component, Equation
from pdescry.equation.syntax import SUBSCRIPTS, SUPERSCRIPTS
from pdescry.equation.term import PLANE, Coordinate, Derivative, Factor, Flux, Function, Group, Term

_SUBSCRIPT_OF = {plain: subscript for subscript, plain in SUBSCRIPTS.items()}
_RAISED = {value: key for key, value in SUPERSCRIPTS.items()}


def _named(name: str, axes: str) -> str:
    """Of a group: ``lap`` over x and y, ``lap_xyz`` over others."""
    return name if axes == PLANE else f"{name}_{axes}"


def _shortest(value: float) -> str:
    """The shortest text that reads back as the same number: ``0.1``, ``2``, ``1e12``."""
    plain = repr(value).removesuffix(".0")
    scientific = f"{Decimal(plain).normalize():e}".replace("e+", "e")
    return plain if len(plain) <= len(scientific) else scientific


class Style(ABC):
    """How to write factors and numbers; what a term or an equation is made of is the same in every style."""

    times: str
    minus: str
    between: str  # between equations of a system
    plus: str = "+"
    equals: str = "="
    plus_minus: str = "±"

    @abstractmethod
    def derivative(self, field: str, axes: str) -> str: ...

    @abstractmethod
    def power(self, base: str, exponent: int | str, bare: bool) -> str: ...

    @abstractmethod
    def function(self, name: str, argument: str) -> str: ...

    @abstractmethod
    def flux(self, axes: str, inner: str) -> str: ...

    @abstractmethod
    def group(self, name: str, axes: str, inner: str) -> str: ...

    @abstractmethod
    def number(self, text: str) -> str: ...

    def bracketed(self, inner: str) -> str:
        return f"({inner})"

    def words(self, text: str) -> str:
        return text

    def sign(self, negative: bool, leading: bool) -> str:
        sign = ("-" if leading else " - ") if negative else ("" if leading else " + ")
        return sign.replace("+", self.plus).replace("-", self.minus)

    def uncertain(self, text: str, leading: bool) -> str:
        """The sign and a number with its spread, ``-0.997(8)`` or ``(1.2e-09 ± 3e-11)``."""
        if not text.startswith("("):
            return self.sign(text.startswith("-"), leading) + self.number(text.removeprefix("-"))
        value, _, sd = text.strip("()").partition(" ± ")
        value = self.sign(value.startswith("-"), True) + self.number(value.removeprefix("-"))
        return self.sign(False, leading) + self.bracketed(f"{value} {self.plus_minus} {self.number(sd)}")

    def factor(self, factor: Factor, power: int) -> str:
        match factor:
            case Coordinate():
                written, bare = self.derivative(factor.axis, ""), True
            case Derivative():
                written, bare = self.derivative(factor.field, factor.axes), not factor.axes
            case Function():
                field = self.derivative(factor.field, "")
                scale = self.coefficient(factor.scale, None, leading=True)
                written, bare = self.function(factor.name, scale + field), False
            case Flux():
                written, bare = self.flux(factor.axes, self.term(factor.inner)), False
            case Group():
                written, bare = self.group(factor.name, factor.axes, self.term(factor.inner)), False
        return written if power == 1 else self.power(written, power, bare)

    def term(self, term: Term) -> str:
        return self.times.join(self.factor(factor, power) for factor, power in term.factors) or self.number("1")

    def coefficient(self, value: float, digits: int | None, leading: bool, alone: bool = False) -> str:
        """The sign and the number in front of a term; a one is left out unless it stands alone."""
        sign = self.sign(value < 0, leading)
        text = f"{abs(value):.{max(digits, 1)}g}" if digits is not None else _shortest(abs(value))
        if text == "1" and not alone:
            return sign
        return sign + self.number(text) + ("" if alone else self.times)

    def component(self, component: Component, digits: int | None = None) -> str:
        right = ""
        for term, value in component.terms:
            alone = not term.factors
            right += self.coefficient(value, digits, leading=not right, alone=alone) + (
                "" if alone else self.term(term)
            )
        left = self.derivative(component.field, "t" * component.time_order)
        return f"{left} {self.equals} {right or self.number('0')}"

    def equation(self, equation: Equation, digits: int | None = None) -> str:
        return self.between.join(self.component(component, digits) for component in equation.components)


@final
class _Text(Style):
    times, minus, between = "*", "-", "; "

    def derivative(self, field: str, axes: str) -> str:
        return f"{field}_{axes}" if axes else field

    def power(self, base: str, exponent: int | str, bare: bool) -> str:
        return f"{base}^{exponent}"

    def function(self, name: str, argument: str) -> str:
        return f"{name}({argument})"

    def flux(self, axes: str, inner: str) -> str:
        return f"d_{axes}({inner})"

    def group(self, name: str, axes: str, inner: str) -> str:
        return f"{_named(name, axes)}({inner})"

    def number(self, text: str) -> str:
        return text


@final
class _Unicode(Style):
    times, minus, between = "·", "−", "; "

    def derivative(self, field: str, axes: str) -> str:
        return field + self._subscript(axes)

    def power(self, base: str, exponent: int | str, bare: bool) -> str:
        return base + str(exponent).translate(_RAISED)

    def function(self, name: str, argument: str) -> str:
        return f"{name}({argument})"

    def flux(self, axes: str, inner: str) -> str:
        subscript = self._subscript(axes)
        return f"∂{subscript}({inner})" if not subscript.startswith("_") else f"d{subscript}({inner})"

    def group(self, name: str, axes: str, inner: str) -> str:
        return f"{_named(name, axes)}({inner})"

    def number(self, text: str) -> str:
        return text

    def _subscript(self, axes: str) -> str:
        # Where Unicode lacks one of the letters, plain letters all through read better than a mixture.
        if set(axes) <= set(_SUBSCRIPT_OF):
            return "".join(_SUBSCRIPT_OF[axis] for axis in axes)
        return f"_{axes}"


@final
class _Latex(Style):
    times, minus, between, plus_minus = r"\,", "-", r",\quad ", r"\pm"

    def bracketed(self, inner: str) -> str:
        return rf"\left({inner}\right)"

    def words(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def derivative(self, field: str, axes: str) -> str:
        field = field if len(field) == 1 else rf"\mathrm{{{field}}}"
        return f"{field}_{{{axes}}}" if axes else field

    def power(self, base: str, exponent: int | str, bare: bool) -> str:
        return f"{base}^{{{exponent}}}" if bare else rf"\left({base}\right)^{{{exponent}}}"

    def function(self, name: str, argument: str) -> str:
        return rf"\{name}\left({argument}\right)"

    def flux(self, axes: str, inner: str) -> str:
        return rf"\partial_{{{axes}}}\!\left({inner}\right)"

    def group(self, name: str, axes: str, inner: str) -> str:
        nabla = r"\nabla" if axes == PLANE else rf"\nabla_{{{axes}}}"
        if name == "lap":
            return rf"{nabla}^{{2}}\!\left({inner}\right)"
        if name == "grad2":
            return rf"\left|{nabla}\!\left({inner}\right)\right|^{{2}}"
        slopes = "+".join(rf"\partial_{{{axis}}}" for axis in axes)
        return rf"\left({slopes}\right)\!\left({inner}\right)"

    def number(self, text: str) -> str:
        mantissa, exponent_mark, exponent = text.partition("e")
        return rf"{mantissa}\times10^{{{int(exponent)}}}" if exponent_mark else text


@final
class _MathML(Style):
    """Presentation markup, as browsers typeset it: the inside of ``<math>``."""

    times, minus, between = "<mspace width='0.17em'/>", "<mo>−</mo>", "<mspace linebreak='newline'/>"
    plus, equals, plus_minus = "<mo>+</mo>", "<mo>=</mo>", "<mo>±</mo>"

    def bracketed(self, inner: str) -> str:
        return f"<mo>(</mo>{inner}<mo>)</mo>"

    def words(self, text: str) -> str:
        return f"<mtext>{text}</mtext>"

    def derivative(self, field: str, axes: str) -> str:
        name = f"<mi>{field}</mi>"
        return f"<msub>{name}<mrow>{''.join(f'<mi>{axis}</mi>' for axis in axes)}</mrow></msub>" if axes else name

    def power(self, base: str, exponent: int | str, bare: bool) -> str:
        inner = base if bare else f"<mrow><mo>(</mo>{base}<mo>)</mo></mrow>"
        return f"<msup>{inner}<mn>{exponent}</mn></msup>"

    def function(self, name: str, argument: str) -> str:
        return f"<mrow><mi>{name}</mi><mo>(</mo>{argument}<mo>)</mo></mrow>"

    def flux(self, axes: str, inner: str) -> str:
        return f"<mrow>{self.derivative('∂', axes)}<mo>(</mo>{inner}<mo>)</mo></mrow>"

    def group(self, name: str, axes: str, inner: str) -> str:
        nabla = self.derivative("∇", "" if axes == PLANE else axes)
        argument = f"<mo>(</mo>{inner}<mo>)</mo>"
        if name == "lap":
            return f"<mrow>{self.power(f'<mrow>{nabla}</mrow>', '2', True)}{argument}</mrow>"
        if name == "grad2":
            size = f"<mrow><mo>|</mo>{nabla}{argument}<mo>|</mo></mrow>"
            return self.power(size, "2", True)
        slopes = "<mo>+</mo>".join(self.derivative("∂", axis) for axis in axes)
        return f"<mrow><mo>(</mo>{slopes}<mo>)</mo>{argument}</mrow>"

    def number(self, text: str) -> str:
        mantissa, exponent_mark, exponent = text.partition("e")
        power = f"<mo>×</mo><msup><mn>10</mn><mn>{int(exponent)}</mn></msup>" if exponent_mark else ""
        return f"<mn>{mantissa}</mn>{power}"


TEXT, UNICODE, LATEX, MATHML = _Text(), _Unicode(), _Latex(), _MathML()
