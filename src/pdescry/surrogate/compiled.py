"""What draws say of the field: functions that are compiled once for each model and number of draws."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from pdescry.surrogate.evaluate import evaluate
from pdescry.surrogate.model import Model


@partial(jax.jit, static_argnames=("model",))
def fields(model: Model, positions: jax.Array, inputs: jax.Array) -> jax.Array:
    """(draws, dimension), (1 + d, BLOCK) → (draws, fields, BLOCK)."""
    return jax.lax.map(lambda position: evaluate(model.unpack(position).layers, inputs), positions)


@partial(jax.jit, static_argnames=("model",))
def layers(model: Model, positions: jax.Array) -> list[jax.Array]:
    return jax.vmap(lambda position: model.unpack(position).layers)(positions)


@partial(jax.jit, static_argnames=("model",))
def log_noise(model: Model, positions: jax.Array) -> jax.Array:
    return jax.vmap(lambda position: model.unpack(position).log_sd)(positions)


@partial(jax.jit, static_argnames=("model",))
def jets(model: Model, positions: jax.Array, inputs: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Values (draws, f, N), first and second derivatives along each input (draws, 1 + d, f, N); standardised."""

    def of_draw(position: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        layers = model.unpack(position).layers

        def along(axis: int) -> tuple[jax.Array, jax.Array]:
            direction = jnp.zeros_like(inputs).at[axis].set(1.0)

            def slope(at: jax.Array) -> jax.Array:
                return jax.jvp(lambda at: evaluate(layers, at), (at,), (direction,))[1]

            return jax.jvp(slope, (inputs,), (direction,))

        both = [along(axis) for axis in range(model.inputs)]
        return evaluate(layers, inputs), jnp.stack([one for one, _ in both]), jnp.stack([two for _, two in both])

    return jax.lax.map(of_draw, positions)
