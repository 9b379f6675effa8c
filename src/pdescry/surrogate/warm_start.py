"""A network fitted to the readings by `Adam`, as the start of a chain or (the paper's DNN baseline) as an answer of its
own.

As a start the fit minimises −log posterior with the prior centred not on zero but on a draw from it, which is also
where the fit begins. For a linear model such fits are posterior draws up to the noise of the readings; for a network
they lie at the radius where the posterior has its mass, while the maximum of the posterior lies √dimension away from
it. Chains from there need no annealing, and each begins elsewhere.

As the paper's baseline (`PAPER_DNN`) it minimises the mean squared misfit from a random start and keeps the best
weights met.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

from pdescry.surrogate.adam import Adam
from pdescry.surrogate.evaluate import evaluate, evaluate_to_fit
from pdescry.surrogate.model import Model, Observations


class State(NamedTuple):
    position: jax.Array
    anchor: jax.Array
    memory: optax.OptState
    best: jax.Array
    best_loss: jax.Array


def init(adam: Adam, model: Model, key: jax.Array) -> State:
    if adam.objective == "posterior":
        draw = model.prior_draw(key).at[model.n_weights :].set(0.0)
        # Far more noise than there will be: the fit first finds the shape, then how near it comes.
        position = jnp.where(jnp.arange(model.dimension) < model.n_weights, draw, model.position(_zeros(model), sd=0.3))
    else:
        keys = jax.random.split(key, len(model.shapes))
        position = model.position([_uniform(key, shape) for key, shape in zip(keys, model.shapes, strict=True)])
        draw = position
    return State(position, draw, _optimiser(adam).init(position), position, jnp.asarray(jnp.inf, jnp.float32))


def advance(adam: Adam, model: Model, state: State, seen: Observations, steps: jax.Array) -> State:
    """``steps`` more steps of Adam."""

    def loss(position: jax.Array) -> jax.Array:
        if adam.objective == "misfit":
            return jnp.mean(
                jnp.square(evaluate_to_fit(model.unpack(position).layers, jnp.asarray(seen.inputs)) - seen.targets)
            )
        return -model.log_likelihood(position, seen) - model.log_prior(position, state.anchor)

    def step(_: jax.Array, state: State) -> State:
        value, slope = jax.value_and_grad(loss)(state.position)
        change, memory = _optimiser(adam).update(slope, state.memory)
        better = value < state.best_loss
        return State(
            jnp.asarray(optax.apply_updates(state.position, change)),
            state.anchor,
            memory,
            jnp.where(better, state.position, state.best),
            jnp.where(better, value, state.best_loss),
        )

    return jax.lax.fori_loop(0, steps, step, state)


def finish(adam: Adam, model: Model, state: State, seen: Observations) -> jax.Array:
    """Where the chain begins: the last position, or for the misfit the best, with the noise of its residuals."""
    if adam.objective == "posterior" or adam.steps == 0:
        return state.position
    layers = model.unpack(state.best).layers
    residual = evaluate(layers, jnp.asarray(seen.inputs)) - seen.targets
    noise = jnp.sqrt(jnp.mean(jnp.square(residual)) + 1e-6)
    return state.best.at[model.n_weights + model.n_scales :].set(model.noise_coordinate(noise))


def _optimiser(adam: Adam) -> optax.GradientTransformation:
    decays = adam.decay and adam.steps > 0
    return optax.adam(optax.cosine_decay_schedule(adam.learning_rate, adam.steps) if decays else adam.learning_rate)


def _zeros(model: Model) -> list[jax.Array]:
    return [jnp.zeros(shape, jnp.float32) for shape in model.shapes]


def _uniform(key: jax.Array, shape: tuple[int, int]) -> jax.Array:
    """Weights and biases within ±1/√fan_in, the common start of such networks."""
    bound = (shape[1] - 1) ** -0.5
    return jax.random.uniform(key, shape, jnp.float32, -bound, bound)
