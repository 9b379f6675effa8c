"""`Library`: the derivatives that a list of terms requires, and the terms' values from these derivatives.

Everything is computed in float32 in scaled units, where fields and inputs have spread 1, so that a fourth derivative in
nanometres does not overflow. The unit of each term is known in float64.
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
    """Offsets and weights from the scaling that the evaluation needs, in float32.

    offsets: of each factor in the order of `Library.factors` (1 for the factor one), in scaled units. fields, spreads:
    (f,) offset and unit of each field, for functions of it. weights: of each product in its term, consecutively.
    """

    offsets: NDArray[np.float32]
    fields: NDArray[np.float32]
    spreads: NDArray[np.float32]
    weights: NDArray[np.float32]


@dataclass(frozen=True)
class Library:
    """Terms of fields over inputs (t, x, …), each expanded into a sum of products without a flux.

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
                    f"The term {term} contains {unknown[0]!r}, which is no axis of the readings ({', '.join(inputs)});"
                    " remove it."
                )
            if unknown := sorted(term.fields - set(fields)):
                raise InputError(
                    f"The term {term} contains {unknown[0]!r}, which is no field of the readings ({', '.join(fields)});"
                    " remove it."
                )
        return cls(tuple(terms), fields, inputs, tuple(tuple(expand({term: 1.0}).items()) for term in terms))

    @cached_property
    def indices(self) -> tuple[Index, ...]:
        """The derivatives that the terms need, and those of lower order that these need."""
        found = {(0,) * len(self.inputs)}
        for products in self.sums:
            for term, _ in products:
                found |= {self._index(factor) for factor, _ in term.factors if isinstance(factor, Derivative)}
        return closure(found)

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """The distinct factors of all products."""
        return tuple(
            dict.fromkeys(factor for products in self.sums for term, _ in products for factor, _ in term.factors)
        )

    @cached_property
    def slots(self) -> NDArray[np.int32]:
        """(products, largest number of factors): indices into `factors`; padded with the factor one."""
        place = {factor: number for number, factor in enumerate(self.factors)}
        rows = [
            [place[factor] for factor, power in term.factors for _ in range(power)]
            for products in self.sums
            for term, _ in products
        ]
        longest = max((len(row) for row in rows), default=0)
        return np.array([row + [len(self.factors)] * (longest - len(row)) for row in rows], np.int32)

    def units(self, scaling: Scaling) -> tuple[Units, NDArray[np.float64], NDArray[np.float64]]:
        """Units for `evaluate`; the physical size of a scaled unit of each term, (T,); the constant part of each,
        (T,)."""
        offsets = np.array([self._offset(factor, scaling) for factor in self.factors] + [1.0])
        constants = iter(np.prod(offsets[self.slots], axis=1))
        weights, sizes, totals = [], [], []
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
            totals.append(sum(part / largest * next(constants) for part in parts))
        inner = Units(
            offsets.astype(np.float32),
            (scaling.field_centre / scaling.field_spread).astype(np.float32),
            scaling.field_spread.astype(np.float32),
            np.asarray(weights, np.float32),
        )
        return inner, np.array(sizes), np.array(totals)

    def evaluate(self, jets: Mapping[Index, jax.Array], inputs: jax.Array, units: Units) -> jax.Array:
        """Derivatives (f, N) by index and inputs (1 + d, N), all in scaled units → the terms without their constant
        parts, (T, N).

        A factor is offset c plus value v; for a pressure c may be a million times the variation of v, so in float32
        they must not be added before the constant part of the whole product is subtracted: (C + E)(c + v) = C·c + [C·v
        + E·(c + v)].
        """
        values = jnp.stack([*(self._value(factor, jets, inputs, units) for factor in self.factors), 0 * inputs[0]])
        offsets = jnp.asarray(units.offsets)
        constant = jnp.ones(len(self.slots), values.dtype)
        excess = jnp.zeros((len(self.slots), inputs.shape[1]), values.dtype)
        for places in self.slots.T:
            value, offset = values[places], offsets[places]
            excess = constant[:, None] * value + excess * (offset[:, None] + value)
            constant = constant * offset
        excess = excess * jnp.asarray(units.weights)[:, None]
        owners = np.repeat(np.arange(len(self.sums)), [len(products) for products in self.sums])
        if np.array_equal(owners, np.arange(len(self.sums))):
            return excess
        return jax.ops.segment_sum(excess, owners, len(self.sums), indices_are_sorted=True)

    def _value(self, factor: Factor, jets: Mapping[Index, jax.Array], inputs: jax.Array, units: Units) -> jax.Array:
        """(N,): value without the offset of the factor."""
        if isinstance(factor, Coordinate):
            return inputs[self.inputs.index(factor.axis)]
        if isinstance(factor, Derivative):
            return jets[self._index(factor)][self.fields.index(factor.field)]
        if isinstance(factor, Function):
            number = self.fields.index(factor.field)
            field = jets[self._index(Derivative(factor.field))][number] + units.fields[number]
            return _FUNCTIONS[factor.name](field * units.spreads[number] * factor.scale)
        raise TypeError("a flux must be expanded before it is evaluated")

    def _offset(self, factor: Factor, scaling: Scaling) -> float:
        if isinstance(factor, Coordinate):
            number = self.inputs.index(factor.axis)
            return float(scaling.input_centre[number] / scaling.input_spread[number])
        if isinstance(factor, Derivative) and not factor.axes:
            number = self.fields.index(factor.field)
            return float(scaling.field_centre[number] / scaling.field_spread[number])
        return 0.0

    def _index(self, factor: Derivative) -> Index:
        return tuple(factor.axes.count(axis) for axis in self.inputs)

    def _size(self, term: Term, scaling: Scaling) -> float:
        """The physical size of a scaled unit of a product."""
        spread = dict(zip(self.inputs, scaling.input_spread, strict=True))
        size = dict(zip(self.fields, scaling.field_spread, strict=True))
        total = np.float64(1.0)
        with np.errstate(over="ignore"):  # the caller checks the result
            for factor, power in term.factors:
                if isinstance(factor, Coordinate):
                    total *= spread[factor.axis] ** power
                elif isinstance(factor, Derivative):
                    total *= (size[factor.field] / math.prod(spread[axis] for axis in factor.axes)) ** power
        return float(total)
