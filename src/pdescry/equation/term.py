"""`Term` and what it is made of: a product of powers of fields, derivatives, coordinates, functions, fluxes, groups.

Terms are values in canonical form: ``u_x*u``, ``u*u_x`` and ``u * u_x`` are one and the same `Term`, with one hash. A
term carries no coefficient; a sum of terms with coefficients is a plain ``dict[Term, float]`` (`Sum`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

FUNCTIONS = ("sin", "cos", "exp", "tanh")


@dataclass(frozen=True)
class Coordinate:
    """A coordinate as a factor, as in ``x*u_x``."""

    axis: str

    @property
    def key(self) -> tuple:
        return (0, 0, self.axis)


@dataclass(frozen=True)
class Derivative:
    """A field (``axes=""``) or a partial derivative of it: ``Derivative("u", "xx")`` is ``u_xx``."""

    field: str
    axes: str = ""  # sorted letters, one for each differentiation

    @property
    def key(self) -> tuple:
        return (1, len(self.axes), self.field, self.axes)


@dataclass(frozen=True)
class Function:
    """sin, cos, exp or tanh of ``scale`` times a field. The scale makes a change of units exact."""

    name: str
    field: str
    scale: float = 1.0

    @property
    def key(self) -> tuple:
        return (2, 0, self.field, self.name, self.scale)


@dataclass(frozen=True)
class Flux:
    """The conservative form ``d_x(…)``: a derivative of a whole product, kept as one factor."""

    axes: str
    inner: Term

    @property
    def key(self) -> tuple:
        return (3, len(self.axes), self.axes, self.inner.key)


@dataclass(frozen=True)
class Group:
    """A sum over axes that is one factor: ``lap(p)`` is p_xx + p_yy, ``div(p)`` is p_x + p_y, ``grad2(p)`` is
    p_x² + p_y². A law that treats all directions alike is found, penalised and printed as one term."""

    name: str
    axes: str
    inner: Term

    @property
    def key(self) -> tuple:
        return (4, GROUPS[self.name], self.name, self.axes, self.inner.key)


GROUPS = {"lap": 2, "grad2": 1, "div": 1}  # with the order of their derivatives
PLANE = "xy"  # axes of a group that are not written: lap(u), but lap_xyz(u)

Factor = Coordinate | Derivative | Function | Flux | Group


@dataclass(frozen=True)
class Term:
    """A product of factors, each to a positive integer power, in canonical order.

    Parameters
    ----------
    factors : tuple of (Factor, int)
        Factors and powers; without any, the constant ``1``.
    """

    factors: tuple[tuple[Factor, int], ...] = ()

    @classmethod
    def of(cls, factors: Iterable[tuple[Factor, int]]) -> Term:
        """The canonical term of a product: equal factors are merged, and the order is fixed.

        Parameters
        ----------
        factors : iterable of (Factor, int)
            Factors and powers.

        Returns
        -------
        Term
        """
        powers: dict[Factor, int] = {}
        for factor, power in factors:
            powers[factor] = powers.get(factor, 0) + power
        kept = [(factor, power) for factor, power in powers.items() if power]
        return cls(tuple(sorted(kept, key=lambda item: item[0].key)))

    @classmethod
    def parse(cls, text: str, fields: Iterable[str] = ("u",), axes: Iterable[str] = ("x", "y", "z")) -> Term:
        """Read one term without a coefficient, such as ``"u*u_x"``.

        Parameters
        ----------
        text : str
            The term.
        fields : iterable of str
            Names of fields and inputs.
        axes : iterable of str
            Names of the space axes.

        Returns
        -------
        Term

        Examples
        --------
        >>> Term.parse("u_x * u") == Term.parse("u*u_x")
        True
        """
        from pdescry.equation.parser import parse_term

        return parse_term(text, fields, axes)

    def __mul__(self, other: Term) -> Term:
        return Term.of(self.factors + other.factors)

    def __str__(self) -> str:
        from pdescry.equation.printing import TEXT

        return TEXT.term(self)

    def __repr__(self) -> str:
        return f"Term({str(self)!r})"

    def to_unicode(self) -> str:
        """The term with Unicode symbols, as in ``u·u_x``."""
        from pdescry.equation.printing import UNICODE

        return UNICODE.term(self)

    def to_latex(self) -> str:
        """The term as LaTeX, without dollars."""
        from pdescry.equation.printing import LATEX

        return LATEX.term(self)

    def _repr_latex_(self) -> str:
        return f"${self.to_latex()}$"

    @property
    def key(self) -> tuple:
        """Sort key, by which few factors come before many and low derivatives before high ones."""
        return (self.degree, self.order(), tuple((factor.key, power) for factor, power in self.factors))

    @property
    def degree(self) -> int:
        """How many fields are multiplied, where a function, flux or group counts as one.

        It is 2 for ``u*u_x`` and 0 for ``1``; ``grad2(u)`` is a square.
        """
        return sum(
            2 * power if isinstance(factor, Group) and factor.name == "grad2" else power
            for factor, power in self.factors
            if not isinstance(factor, Coordinate)
        )

    @property
    def fields(self) -> frozenset[str]:
        names: set[str] = set()
        for factor, _ in self.factors:
            if isinstance(factor, Flux | Group):
                names |= factor.inner.fields
            elif not isinstance(factor, Coordinate):
                names.add(factor.field)
        return frozenset(names)

    @property
    def coordinates(self) -> frozenset[str]:
        """Coordinates that are factors, as in ``{"x"}`` for ``x*u_y``."""
        names: set[str] = set()
        for factor, _ in self.factors:
            if isinstance(factor, Coordinate):
                names.add(factor.axis)
            elif isinstance(factor, Flux | Group):
                names |= factor.inner.coordinates
        return frozenset(names)

    @property
    def powers(self) -> dict[str, int]:
        """Powers of coordinates that multiply the rest, as in ``{"x": 2}`` for ``x^2*u_xx``."""
        return {factor.axis: power for factor, power in self.factors if isinstance(factor, Coordinate)}

    @property
    def groups(self) -> tuple[Group, ...]:
        """Sums over axes that are factors, such as those of ``u*lap(u)``."""
        return tuple(factor for factor, _ in self.factors if isinstance(factor, Group))

    @property
    def without_coordinates(self) -> Term:
        """``u_xx`` of ``x^2*u_xx``."""
        return Term(tuple(each for each in self.factors if not isinstance(each[0], Coordinate)))

    @property
    def axes(self) -> frozenset[str]:
        """Axes along which the term differentiates, as in ``{"x"}`` for ``u*u_xx``."""
        names: set[str] = set()
        for factor, _ in self.factors:
            if isinstance(factor, Derivative | Flux | Group):
                names |= set(factor.axes)
            if isinstance(factor, Flux | Group):
                names |= factor.inner.axes
        return frozenset(names)

    def order(self, axis: str | None = None, field: str | None = None) -> int:
        """The highest derivative in the term.

        Parameters
        ----------
        axis : str, optional
            Along this axis only.
        field : str, optional
            Of this field only.

        Returns
        -------
        int
        """

        def count(axes: str) -> int:
            return len(axes) if axis is None else axes.count(axis)

        highest = 0
        for factor, _ in self.factors:
            if isinstance(factor, Derivative) and field in (None, factor.field):
                highest = max(highest, count(factor.axes))
            elif isinstance(factor, Flux) and (field is None or field in factor.inner.fields):
                highest = max(highest, count(factor.axes) + factor.inner.order(axis, field))
            elif isinstance(factor, Group) and (field is None or field in factor.inner.fields):
                own = GROUPS[factor.name] if axis is None or axis in factor.axes else 0
                highest = max(highest, own + factor.inner.order(axis, field))
        return highest


ONE = Term()
Sum = dict[Term, float]
