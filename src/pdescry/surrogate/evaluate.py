"""A `Network` evaluated.

Layers are matrices of shape (out, in + 1), the last column being the bias, and readings run along the second axis,
which is the faster of the two ways round on CPUs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp

# Numbers of float32 in the longest vector of today's CPUs.
_LANES = 16

_Affine = Callable[[jax.Array, jax.Array], jax.Array]


def evaluate(layers: Sequence[jax.Array], inputs: jax.Array) -> jax.Array:
    """(inputs, N) → (outputs, N). For derivatives with respect to the inputs, of any order and in any mode."""
    return _through(_affine, layers, inputs)


def evaluate_to_fit(layers: Sequence[jax.Array], inputs: jax.Array) -> jax.Array:
    """The same, with a faster way back to the layers: for gradients only, in reverse mode and of first order."""
    return _through(_affine_to_fit, layers, inputs)


def features_to_fit(layers: Sequence[jax.Array], inputs: jax.Array) -> jax.Array:
    """What the last layer sees, with the ones for its bias: (inputs, N) → (width + 1, N)."""
    hidden = _hidden(_affine_to_fit, layers, inputs)
    return jnp.concatenate([hidden, jnp.ones((1, hidden.shape[1]), hidden.dtype)])


@jax.custom_vjp
def squared(features: jax.Array) -> jax.Array:
    """features · featuresᵀ, the last row of features being ones."""
    return _layer_slope(features, features[:-1])


def _squared_forward(features: jax.Array) -> tuple[jax.Array, jax.Array]:
    return squared(features), features


def _squared_back(features: jax.Array, slope: jax.Array) -> tuple[jax.Array]:
    return (_product(slope + slope.T, features, (1, 0)),)


squared.defvjp(_squared_forward, _squared_back)


def _through(affine: _Affine, layers: Sequence[jax.Array], inputs: jax.Array) -> jax.Array:
    return affine(layers[-1], _hidden(affine, layers, inputs))


def _hidden(affine: _Affine, layers: Sequence[jax.Array], inputs: jax.Array) -> jax.Array:
    for layer in layers[:-1]:
        inputs = jnp.tanh(affine(layer, inputs))
    return inputs


def _affine(layer: jax.Array, hidden: jax.Array) -> jax.Array:
    return _product(layer[:, :-1], hidden, (1, 0)) + layer[:, -1:]


@jax.custom_vjp
def _affine_to_fit(layer: jax.Array, hidden: jax.Array) -> jax.Array:
    return _affine(layer, hidden)


def _forward(layer: jax.Array, hidden: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _affine(layer, hidden), (layer, hidden)


def _back(kept: tuple[jax.Array, jax.Array], slope: jax.Array) -> tuple[jax.Array, jax.Array]:
    layer, hidden = kept
    return _layer_slope(slope, hidden), _product(layer[:, :-1], slope, (0, 0))


_affine_to_fit.defvjp(_forward, _back)


def _layer_slope(slope: jax.Array, hidden: jax.Array) -> jax.Array:
    """slope · [hidden; 1]ᵀ.

    This product has few columns and a long sum; on CPUs it takes half as long again where the columns do not fill whole
    vectors. So rows of ones are appended up to the next multiple: the first of them is the bias's, the others are cut.
    """
    rows = hidden.shape[0]
    if min(len(slope), rows) < _LANES:  # not worth it
        return jnp.concatenate([_product(slope, hidden, (1, 1)), jnp.sum(slope, 1, keepdims=True)], axis=1)
    more = -rows % _LANES or _LANES
    filled = jnp.pad(hidden, ((0, more), (0, 0)), constant_values=1.0)
    return _product(slope, filled, (1, 1))[:, : rows + 1]


def _product(left: jax.Array, right: jax.Array, summed: tuple[int, int]) -> jax.Array:
    """The sum over one axis of each, without transposing either first."""
    # Full float32 on every device: some round the factors to fewer bits unless told otherwise.
    return jax.lax.dot_general(left, right, (((summed[0],), (summed[1],)), ((), ())), precision="highest")
