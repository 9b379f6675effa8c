"""`Library`: what has to be differentiated for a list of terms, and the terms' values from these derivatives.

Everything is reckoned in float32 in inner units, where fields and inputs have spread 1: there a fourth derivative in
nanometres does not leave the range of the numbers. What one inner unit of a term is outside is known in float64.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from pdescry.derivatives.taylor import Index, closure
from pdescry.equation.algebra import expand
from pdescry.equation.term import Coordinate, Derivative, Factor, Function, Term
from pdescry.errors import InputError
from pdescry.surrogate.scaling import Scaling

_FUNCTIONS = {"sin": jnp.sin, "cos": jnp.cos, "exp": jnp.exp, "tanh": jnp.tanh}


class Units(NamedTuple):
    """What the evaluation needs of the scaling, in float32.

    inputs, fields: where zero lies, in inner units, (1 + d,) and (f,). spreads: (f,) of fields, for functions of them.
    weights: of each product in its term, one after another.
    """

    inputs: NDArray[np.float32]
    fields: NDArray[np.float32]
    spreads: NDArray[np.float32]
    weights: NDArray[np.float32]


@dataclass(frozen=True)
class Library:
    """Terms of fields over inputs (t, x, …), each opened into a sum of products without a flux.

    >>> library = Library.of([Term.parse("u*u_xx"), Term.parse("d_x(u*u_x)")], ("u",), ("t", "x"))
    >>> library.indices
    ((0, 0), (0, 1), (0, 2))
    """

    terms: tuple[Term, ...]
    fields: tuple[str, ...]
    inputs: tuple[str, ...]
    sums: tuple[tuple[tuple[Term, float], ...], ...]

    @classmethod
    def of(cls, terms: list[Term] | tuple[Term, ...], fields: tuple[str, ...], inputs: tuple[str, ...]) -> Library:
        for term in terms:
            if unknown := sorted((term.axes | term.coordinates) - set(inputs)):
                raise InputError(
                    f"The term {term} holds {unknown[0]!r}, which is no axis of the readings ({', '.join(inputs)});"
                    " remove it."
                )
            if unknown := sorted(term.fields - set(fields)):
                raise InputError(
                    f"The term {term} holds {unknown[0]!r}, which is no field of the readings ({', '.join(fields)});"
                    " remove it."
                )
        return cls(tuple(terms), fields, inputs, tuple(tuple(expand({term: 1.0}).items()) for term in terms))

    @cached_property
    def indices(self) -> tuple[Index, ...]:
        """The derivatives that the terms need, and those below them."""
        found = {(0,) * len(self.inputs)}
        for products in self.sums:
            for term, _ in products:
                found |= {self._index(factor) for factor, _ in term.factors if isinstance(factor, Derivative)}
        return closure(found)

    def units(self, scaling: Scaling) -> tuple[Units, NDArray[np.float64]]:
        """What `evaluate` needs, and what one inner unit of each term is outside, (T,)."""
        weights, sizes = [], []
        for products in self.sums:
            parts = [coefficient * self._size(term, scaling) for term, coefficient in products]
            largest = max((abs(part) for part in parts), default=1.0)
            if not 0 < largest < math.inf:
                raise InputError(
                    f"The term {self.terms[len(sizes)]} leaves the range of the numbers in the units of the readings;"
                    " choose units in which they are nearer to 1."
                )
            weights += [part / largest for part in parts]
            sizes.append(largest)
        inner = Units(
            (scaling.input_centre / scaling.input_spread).astype(np.float32),
            (scaling.field_centre / scaling.field_spread).astype(np.float32),
            scaling.field_spread.astype(np.float32),
            np.asarray(weights, np.float32),
        )
        return inner, np.array(sizes)

    def evaluate(self, jets: Mapping[Index, jax.Array], inputs: jax.Array, units: Units) -> jax.Array:
        """Derivatives (f, N) by index and inputs (1 + d, N), all in inner units → the terms (T, N)."""
        ones = jnp.ones_like(inputs[0])

        def value(factor: Factor) -> jax.Array:
            if isinstance(factor, Coordinate):
                number = self.inputs.index(factor.axis)
                return inputs[number] + units.inputs[number]
            if isinstance(factor, Derivative):
                number = self.fields.index(factor.field)
                part = jets[self._index(factor)][number]
                return part if factor.axes else part + units.fields[number]
            if isinstance(factor, Function):
                number = self.fields.index(factor.field)
                argument = (value(Derivative(factor.field)) * units.spreads[number]) * factor.scale
                return _FUNCTIONS[factor.name](argument)
            raise TypeError("a flux must be expanded before it is evaluated")

        rows, place = [], 0
        for products in self.sums:
            total = jnp.zeros_like(ones)
            for term, _ in products:
                part = ones
                for factor, power in term.factors:
                    part = part * value(factor) ** power
                total = total + units.weights[place] * part
                place += 1
            rows.append(total)
        return jnp.stack(rows)

    def _index(self, factor: Derivative) -> Index:
        return tuple(factor.axes.count(axis) for axis in self.inputs)

    def _size(self, term: Term, scaling: Scaling) -> float:
        """What one inner unit of a product is outside."""
        spread = dict(zip(self.inputs, scaling.input_spread, strict=True))
        size = dict(zip(self.fields, scaling.field_spread, strict=True))
        total = np.float64(1.0)
        with np.errstate(over="ignore"):  # the caller looks at the result
            for factor, power in term.factors:
                if isinstance(factor, Coordinate):
                    total *= spread[factor.axis] ** power
                elif isinstance(factor, Derivative):
                    total *= (size[factor.field] / math.prod(spread[axis] for axis in factor.axes)) ** power
        return float(total)
