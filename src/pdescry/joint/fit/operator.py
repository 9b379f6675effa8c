"""`Operator`: the left side and the terms of each equation, evaluated and linearised at field values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pdescry.equation.algebra import add, expand, partial, scale
from pdescry.equation.term import Derivative, Factor, Flux, Function, Group, Sum
from pdescry.joint.field.axis import Array
from pdescry.joint.field.space import Orders
from pdescry.joint.lean import Lean
from pdescry.problem import Candidate
from pdescry.solver.evaluate import evaluate_terms

Values = Mapping[Factor, Array]  # of fields, their derivatives, inputs and coordinates, at the quadrature points


@dataclass(frozen=True, eq=False)
class Operator(Lean):
    """Residuals ∂ᵏuₑ/∂tᵏ − Σ cⱼTⱼ, one for each field, with k terms in all.

    fields: one for each equation. orders: of the left sides in time. axes: of space. terms: of all equations.
    """

    fields: tuple[str, ...]
    orders: tuple[int, ...]
    axes: tuple[str, ...]
    terms: tuple[Candidate, ...]

    @cached_property
    def opened(self) -> list[Sum]:
        """The terms with conservative forms and groups expanded."""
        return [expand({each.term: 1.0}) for each in self.terms]

    @cached_property
    def equation_of(self) -> list[int]:
        """Index of the equation of each term."""
        return [self.fields.index(each.field) for each in self.terms]

    @cached_property
    def variables(self) -> tuple[Derivative, ...]:
        """Fields and their derivatives that occur in the terms."""
        return tuple(sorted(_variables(self.opened, self.fields), key=lambda each: each.key))

    @property
    def lefts(self) -> list[tuple[int, Orders]]:
        """The field and the orders of the left side of each equation."""
        return [(number, (*(0 for _ in self.axes), order)) for number, order in enumerate(self.orders)]

    def place_of(self, variable: Derivative) -> tuple[int, Orders]:
        """Index of the field, and orders along the axes and time."""
        return self.fields.index(variable.field), tuple(map(variable.axes.count, (*self.axes, "t")))

    def columns(self, values: Values, lefts: Array) -> Array:
        """(k, points): the terms. lefts: (equations, points)."""
        found = [evaluate_terms(each, values, lefts[0]) for each in self.opened]
        return np.array(found).reshape(-1, *lefts.shape[1:])

    def residuals(self, values: Values, lefts: Array, coefficients: Array) -> Array:
        """(equations, points)"""
        found = np.array(lefts)
        for number, law in enumerate(self.laws(coefficients)):
            if law:
                found[number] -= evaluate_terms(law, values, lefts[0])
        return found

    def laws(self, coefficients: Array) -> list[Sum]:
        """The right side of each equation."""
        found: list[Sum] = [{} for _ in self.fields]
        for number, each, coefficient in zip(self.equation_of, self.opened, coefficients, strict=True):
            found[number] = add(found[number], scale(each, float(coefficient)))
        return found

    def linearised(self, values: Values, lefts: Array, coefficients: Array) -> dict[tuple[int, int, Orders], Array]:
        """The residuals' derivatives: ``{(equation, field, orders): factor at the points}``."""
        found: dict[tuple[int, int, Orders], Array] = {}

        def put(key: tuple[int, int, Orders], factor: Array) -> None:
            found[key] = found[key] + factor if key in found else factor

        for number, (field, orders) in enumerate(self.lefts):
            put((number, field, orders), np.ones_like(lefts[0]))
        for number, law in enumerate(self.laws(coefficients)):
            for variable in self.variables:
                if slope := partial(law, variable):
                    put((number, *self.place_of(variable)), -evaluate_terms(slope, values, lefts[0]))
        return found


def _variables(opened: Iterable[Sum], fields: tuple[str, ...]) -> set[Derivative]:
    found: set[Derivative] = set()
    for terms in opened:
        for term in terms:
            for factor, _ in term.factors:
                assert not isinstance(factor, Flux | Group)  # already expanded
                if isinstance(factor, Function):
                    factor = Derivative(factor.field)
                if isinstance(factor, Derivative) and factor.field in fields:
                    found.add(factor)
    return found
