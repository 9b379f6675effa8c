"""`Network`: a tanh network of any depth and width, and how it is evaluated.

Layers are matrices of shape (out, in + 1), the last column being the bias, and readings run along the second axis: with
the ones appended to the layer's input, one matrix product does weights and bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import jax
import jax.numpy as jnp

from pdescry.surrogate.settings import check_whole, plain


@dataclass(frozen=True)
class Network:
    """``depth`` hidden layers of ``width`` tanh units; depth 0 is a linear map. Paper: 4 × 50; its program: 5 × 50."""

    width: int = 50
    depth: int = 4

    def __post_init__(self) -> None:
        plain(
            self,
            width=check_whole("width of the network", self.width, 1),
            depth=check_whole("depth of the network", self.depth, 0),
        )

    def shapes(self, inputs: int, outputs: int) -> tuple[tuple[int, int], ...]:
        """(out, in + 1) of each layer's matrix."""
        sizes = (inputs, *[self.width] * self.depth, outputs)
        return tuple((after, before + 1) for before, after in pairwise(sizes))


def evaluate(layers: Sequence[jax.Array], inputs: jax.Array) -> jax.Array:
    """(inputs, N) → (outputs, N)."""
    ones = jnp.ones((1, inputs.shape[1]), inputs.dtype)
    hidden = inputs
    for layer in layers[:-1]:
        hidden = jnp.tanh(_product(layer, jnp.concatenate([hidden, ones])))
    return _product(layers[-1], jnp.concatenate([hidden, ones]))


def _product(left: jax.Array, right: jax.Array) -> jax.Array:
    # Full float32 on every device: some round the factors to fewer bits unless told otherwise.
    return jnp.matmul(left, right, precision="highest")
