"""`Equation`: one or several evolution laws, ∂ᵏu/∂tᵏ = Σ cᵢ·Tᵢ, as a value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real

from pdescry.equation.term import Derivative, Flux, Group, Sum, Term
from pdescry.errors import EquationError, InputError


@dataclass(frozen=True)
class Component:
    """The law of one field: its ``time_order``-th time derivative equals the sum of ``terms``."""

    field: str
    terms: tuple[tuple[Term, float], ...]  # canonical order, no coefficient is zero
    time_order: int = 1

    @classmethod
    def of(cls, field: str, terms: Mapping[Term, float], time_order: int = 1) -> Component:
        if time_order not in (1, 2):
            raise EquationError(f"Expected a time derivative of order 1 or 2; got {time_order}.")
        for term, coefficient in terms.items():
            if not (isinstance(coefficient, Real) and math.isfinite(coefficient)):
                raise EquationError(f"Expected a finite number as the coefficient of {term}; got {coefficient!r}.")
        kept = [(term, float(coefficient)) for term, coefficient in terms.items() if coefficient != 0]
        return cls(field, tuple(sorted(kept, key=lambda item: item[0].key)), time_order)

    @property
    def left(self) -> str:
        return f"{self.field}_{'t' * self.time_order}"

    @property
    def coefficients(self) -> Sum:
        return dict(self.terms)


@dataclass(frozen=True)
class Equation:
    """A law for one field, or a system for several, in canonical form.

    Parameters
    ----------
    components : tuple of Component
        One for each field, in the order of their names; `parse` and `from_terms` make them.

    Examples
    --------
    >>> burgers = Equation.parse("u_t = -u*u_x + 0.1*u_xx")
    >>> print(burgers)
    u_t = 0.1*u_xx - u*u_x
    >>> burgers.coefficients[Term.parse("u_xx")]
    0.1

    A known input, such as a heater's power that was logged, appears on the right side only and is named as one:

    >>> rod = Equation.parse("u_t = 0.1*u_xx + 2*P", inputs=("P",))
    >>> rod.fields, rod.inputs
    (('u',), ('P',))
    """

    components: tuple[Component, ...]  # sorted by field

    def __post_init__(self) -> None:
        if not (isinstance(self.components, tuple) and self.components):
            raise EquationError("Expected components; to read a text write Equation.parse('u_t = …').")

    @classmethod
    def of(cls, components: Iterable[Component], inputs: Iterable[str] = ()) -> Equation:
        """The law of these components.

        Parameters
        ----------
        components : iterable of Component
            One for each field.
        inputs : iterable of str
            Names that may appear in the terms without an equation of their own.

        Returns
        -------
        Equation
        """
        ordered = tuple(sorted(components, key=lambda component: component.field))
        orders = {component.field: component.time_order for component in ordered}
        fields = orders.keys()
        known = {inputs} if isinstance(inputs, str) else set(inputs)
        if len(orders) < len(ordered):
            raise EquationError("Expected one equation for each field; got several for one.")
        if both := sorted(known & fields):
            raise EquationError(f"Expected {both[0]!r} as a field or as an input; it cannot be both.")
        for component in ordered:
            for term, _ in component.terms:
                if late := [field for field in term.fields & fields if term.order("t", field) >= orders[field]]:
                    left = f"{late[0]}_{'t' * orders[late[0]]}"
                    raise EquationError(f"Expected time derivatives below {left} on the right side; got {term}.")
                if differentiated := differentiated_inputs(term, known):
                    raise EquationError(no_derivative(differentiated[0]) + f" Got {term}.")
                if unknown := sorted(term.fields - fields - known):
                    raise EquationError(
                        f"The term {term} contains the field {unknown[0]!r}, which has no equation of its own;"
                        f" add '{unknown[0]}_t = …', or name it in ⟦inputs=⟧ if it is known."
                    )
        return cls(ordered)

    @classmethod
    def parse(cls, text: str, axes: Iterable[str] = ("x", "y", "z"), inputs: Iterable[str] = ()) -> Equation:
        """Read an equation, or several separated by ``;``.

        Parameters
        ----------
        text : str
            Such as ``"u_t = 0.1*u_xx - u*u_x"``.
        axes : iterable of str
            Names of the space axes.
        inputs : iterable of str
            Quantities that are known and need no equation, such as ``("P",)``.

        Returns
        -------
        Equation

        Raises
        ------
        EquationError
            For anything outside the grammar, with a caret under the fault.
        """
        from pdescry.equation.parser import parse_equation

        return parse_equation(text, axes, inputs)

    @classmethod
    def from_terms(
        cls,
        terms: Mapping[Term | str, float],
        field: str = "u",
        time_order: int = 1,
        axes: Iterable[str] = ("x", "y", "z"),
        inputs: Iterable[str] = (),
    ) -> Equation:
        """The law of one field from its terms.

        Parameters
        ----------
        terms : mapping of Term or str to float
            Coefficients, as in ``{"u_xx": 0.1, "u*u_x": -1}``.
        field : str
            The field on the left side.
        time_order : int
            1 for u_t on the left side, 2 for u_tt.
        axes : iterable of str
            Names of the space axes.
        inputs : iterable of str
            Known quantities in the terms.

        Returns
        -------
        Equation
        """
        axes, inputs = tuple(axes), tuple(inputs)
        read: Sum = {}
        for given, coefficient in terms.items():
            term = given if isinstance(given, Term) else Term.parse(given, (field, *inputs), axes)
            if term in read:
                raise EquationError(f"The term {term} is given more than once; give it once.")
            read[term] = coefficient
        return cls.of([Component.of(field, read, time_order)], inputs)

    def __str__(self) -> str:
        from pdescry.equation.printing import TEXT

        return TEXT.equation(self)

    def __repr__(self) -> str:
        return f"Equation({str(self)!r})"

    def to_unicode(self, digits: int | None = None) -> str:
        """The law with Unicode symbols, as in ``u_t = 0.1·u_xx − u·u_x``.

        Parameters
        ----------
        digits : int, optional
            Round coefficients to so many significant digits.

        Returns
        -------
        str
        """
        from pdescry.equation.printing import UNICODE

        return UNICODE.equation(self, digits)

    def to_latex(self, digits: int | None = None) -> str:
        """The law as LaTeX, without dollars.

        Parameters
        ----------
        digits : int, optional
            Round coefficients to so many significant digits.

        Returns
        -------
        str
        """
        from pdescry.equation.printing import LATEX

        return LATEX.equation(self, digits)

    def to_text(self, digits: int | None = None) -> str:
        """The law as plain text that `parse` reads.

        Parameters
        ----------
        digits : int, optional
            Round coefficients to so many significant digits.

        Returns
        -------
        str
        """
        from pdescry.equation.printing import TEXT

        return TEXT.equation(self, digits)

    def _repr_latex_(self) -> str:
        return f"${self.to_latex()}$"

    def __getitem__(self, field: str) -> Component:
        for component in self.components:
            if component.field == field:
                return component
        raise KeyError(field)

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(component.field for component in self.components)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The known inputs in the terms, that is every name on the right side that has no law of its own."""
        names: set[str] = set()
        for component in self.components:
            for term, _ in component.terms:
                names |= term.fields
        return tuple(sorted(names.difference(self.fields)))

    @property
    def coefficients(self) -> Sum:
        """Term → coefficient, for a law of one field."""
        if len(self.components) != 1:
            raise InputError(
                f"The system has several laws ({', '.join(self.fields)}): ask for equation['u'].coefficients."
            )
        return self.components[0].coefficients

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms of all right sides, in canonical order, each once."""
        found = {term for component in self.components for term, _ in component.terms}
        return tuple(sorted(found, key=lambda term: term.key))

    @property
    def axes(self) -> tuple[str, ...]:
        """The space axes that the law speaks of."""
        found: set[str] = set()
        for term in self.terms:
            found |= term.axes | term.coordinates
        return tuple(sorted(found - {"t"}))

    def order(self, axis: str = "x", field: str | None = None) -> int:
        """The highest derivative along an axis.

        Parameters
        ----------
        axis : str
            Name of a space axis.
        field : str, optional
            Derivatives of this field only; by default of all fields.

        Returns
        -------
        int
        """
        return max((term.order(axis, field) for term in self.terms), default=0)

    def rescaled(self, **factors: float) -> Equation:
        """The same law in other units.

        Parameters
        ----------
        **factors : float
            By name of field, time, axis or input: ``rescaled(u=10, t=100, x=0.01)`` for u → 10·u, t → 100·t, x →
            0.01·x.

        Returns
        -------
        Equation
        """
        from pdescry.equation.units import rescale

        return rescale(self, factors)


def differentiated_inputs(term: Term, inputs: Iterable[str]) -> list[str]:
    """The inputs that a term differentiates, also where a conservative form such as d_x(P*u) does."""
    known, found = set(inputs), set()
    for factor, _ in term.factors:
        if isinstance(factor, Derivative) and factor.axes:
            found |= known & {factor.field}
        elif isinstance(factor, Flux | Group):
            found |= known & factor.inner.fields
    return sorted(found)


def no_derivative(name: str) -> str:
    return (
        f"Expected the input {name} without derivatives: an input is known only where it was read; give its derivative"
        " as an input of its own if you know it."
    )
