"""No sampling at all: the start is the only draw. The paper's DNN baseline is a chain of this kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pdescry.surrogate.samplers.sampler import Info, LogDensity

if TYPE_CHECKING:
    import jax


class State(NamedTuple):
    position: jax.Array
    log_density: jax.Array


@dataclass(frozen=True)
class Point:
    draws = 1
    thin = 1
    burn = 0
    rungs = 0
    rung_transitions = 0
    gradients = 1.0
    conditioned = False

    def init(self, log_density: LogDensity, position: jax.Array, key: jax.Array) -> State:
        return State(position, log_density(position))

    def tune(self, log_density: LogDensity, state: State, key: jax.Array) -> State:
        return state

    def step(self, log_density: LogDensity, state: State, key: jax.Array) -> tuple[State, Info]:
        import jax.numpy as jnp

        return state, Info(state.log_density, jnp.zeros(()), jnp.ones(()), jnp.zeros((), bool))

    def check(self, state: State) -> None:
        pass

    def position(self, state: State) -> jax.Array:
        return state.position
