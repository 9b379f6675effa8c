"""All requested partial derivatives of a tanh network, in one pass: truncated Taylor series, layer by layer.

Around a point the input of a layer is a series a(s) = Σ_α a_α s^α over multi-indices α, one entry for each input (t, x,
…). Linear maps act on each coefficient separately. For y = tanh(a), with w = 1 − y², ∂ᵢy = w ∂ᵢa gives the recurrences

    αᵢ y_α = Σ_{β ≤ α, βᵢ > 0} βᵢ a_β w_{α−β},     w_α = −Σ_{β ≤ α} y_β y_{α−β}    (α ≠ 0)

for any i with αᵢ > 0; the one with the smallest αᵢ has the fewest summands. The derivative is ∂^α u = α! u_α. Along one
axis this is the usual recurrence for a series in one variable; u_x … u_xxxx and u_t take six coefficients, not 5 × 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import jax
import jax.numpy as jnp

Index = tuple[int, ...]  # order of differentiation along each input
Series = Mapping[Index, jax.Array]  # a missing index means a coefficient of zero


def closure(indices: Iterable[Index]) -> tuple[Index, ...]:
    """The indices and all lower ones, which their recurrences need, low orders first.

    >>> closure([(1, 0), (0, 2)])
    ((0, 0), (0, 1), (1, 0), (0, 2))
    """
    found = {below for index in indices for below in product(*(range(n + 1) for n in index))}
    return tuple(sorted(found, key=lambda index: (sum(index), index)))


def derivatives(layers: Sequence[jax.Array], inputs: jax.Array, indices: Sequence[Index]) -> dict[Index, jax.Array]:
    """∂^α of the network's outputs for every α of a closed set: (inputs, N) → (outputs, N) each.

    layers: (out, in + 1) matrices whose last column is the bias, as in `surrogate.network`.
    """
    n_inputs = inputs.shape[0]
    zero = (0,) * n_inputs
    series: Series = {zero: inputs}
    for axis in range(n_inputs):
        direction = tuple(int(axis == other) for other in range(n_inputs))
        if direction in indices:
            series = {**series, direction: jnp.eye(n_inputs, dtype=inputs.dtype)[:, axis, None]}
    series = _linear(layers[0], series)
    for layer in layers[1:]:
        series = _linear(layer, _tanh(series, indices))
    shape = (layers[-1].shape[0], inputs.shape[1])
    return {
        index: jnp.broadcast_to(series[index] * math.prod(map(math.factorial, index)), shape)
        if index in series
        else jnp.zeros(shape, inputs.dtype)
        for index in indices
    }


def _linear(layer: jax.Array, series: Series) -> Series:
    def product(part: jax.Array) -> jax.Array:
        # Full float32 on every device. One product for each coefficient: joining them would copy them all.
        return jnp.matmul(layer[:, :-1], part, precision="highest")

    return {index: product(part) if any(index) else product(part) + layer[:, -1:] for index, part in series.items()}


def _tanh(a: Series, indices: Sequence[Index]) -> Series:
    zero = indices[0]
    y = {zero: jnp.tanh(a[zero])}
    w = {zero: 1 - y[zero] * y[zero]}
    wanted = {_minus(index, below) for index in indices for below in closure([index]) if any(below)}
    for index in indices[1:]:
        axis = min((axis for axis in range(len(index)) if index[axis]), key=lambda axis: index[axis])
        summands = [
            _times(below[axis] / index[axis], a[below] * w[_minus(index, below)])
            for below in closure([index])
            if below[axis] and below in a
        ]
        y[index] = _sum(summands)
        if index in wanted:
            w[index] = -_sum(
                _times(2.0 if below != other else 1.0, y[below] * y[other])
                for below in closure([index])
                if below <= (other := _minus(index, below))
            )
    return y


def _minus(one: Index, other: Index) -> Index:
    return tuple(a - b for a, b in zip(one, other, strict=True))


def _times(factor: float, array: jax.Array) -> jax.Array:
    return array if factor == 1 else factor * array


def _sum(summands: Iterable[jax.Array]) -> jax.Array:
    first, *others = summands
    for other in others:
        first = first + other
    return first
