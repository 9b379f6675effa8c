"""Microcanonical Langevin Monte Carlo: the default. Every gradient moves the chain; nothing is rejected.

The isokinetic dynamics conserve an energy; its error per step, relative to the dimension, sets the step size.
Posteriors of networks are unevenly stiff: a step that is right almost everywhere is far too long where the field is
steep, and the chain is thrown out. Three things keep that from happening, or from going unnoticed:

- a step whose energy error is `FAR` times what is wanted is taken again as `PARTS` short ones, which cover the same
  time;
- the step size is tuned by trials at that size, from below, and settles at the median of what they suggest;
- the decoherence length is √dimension from the start: in whitened coordinates most directions keep their prior sd of
  1, so the posterior is about that wide, while an estimate from a short run sees only how far it got.

Seen in trial runs while this was written (no benchmark kept): BlackJAX's own tuning, which looks back 150 steps, gave
6 to 90 times the energy error asked for; without the short steps noise came out up to 14 % too large on heat, and a
chain on KdV never came back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from blackjax.mcmc import mclmc

from pdescry.surrogate.samplers.sampler import Info, LogDensity, check_fields, check_step_size

# Trials in one rung of tuning, each followed by a better step size.
TRIALS = 10
# An energy error this many times its wanted standard deviation is repaired, in this many shorter steps.
FAR, PARTS = 5.0, 4


class State(NamedTuple):
    chain: Any  # BlackJAX's IntegratorState
    step_size: jax.Array


@dataclass(frozen=True)
class MCLMC:
    """``energy_error``: variance of a step's energy error wanted, per dimension. ``length``: in √dimension."""

    draws: int = 200
    thin: int = 80
    burn: int = 10
    rungs: int = 9
    rung_transitions: int = 800
    energy_error: float = 5e-4
    length: float = 1.0
    gradients = 2.5  # two a step (McLachlan's integrator), and some steps taken again

    def __post_init__(self) -> None:
        check_fields(self, ("energy_error", "length"), rung_transitions=TRIALS)

    def init(self, log_density: LogDensity, position: jax.Array, key: jax.Array) -> State:
        # A first step far too small is soon made larger; one far too large would throw the chain out.
        return State(mclmc.init(position, log_density, key), jnp.asarray(1e-4 * position.size**0.5, position.dtype))

    def tune(self, log_density: LogDensity, state: State, key: jax.Array) -> State:
        wanted = self.energy_error * state.chain.position.size

        def trial(state: State, key: jax.Array) -> tuple[State, jax.Array]:
            keys = jax.random.split(key, self.rung_transitions // TRIALS)
            state, (_, first) = jax.lax.scan(lambda state, key: self._step(log_density, state, key), state, keys)
            # What is beyond repair counts as far, not as how far: one wild step must not set the size of all others.
            first = jnp.where(jnp.isfinite(first), jnp.square(first), jnp.inf)
            seen = jnp.mean(jnp.minimum(first, FAR**2 * wanted))
            # Var[energy error] ∝ step⁶.
            step_size = state.step_size * jnp.clip((wanted / seen) ** (1 / 6), 0.5, 1.5)
            return state._replace(step_size=step_size), jnp.log(step_size)

        state, steps = jax.lax.scan(trial, state, jax.random.split(key, TRIALS))
        return state._replace(step_size=jnp.exp(jnp.median(steps[TRIALS // 2 :])))

    def step(self, log_density: LogDensity, state: State, key: jax.Array) -> tuple[State, Info]:
        state, (info, _) = self._step(log_density, state, key)
        return state, info

    def check(self, state: State) -> None:
        check_step_size("MCLMC", state.step_size, state.chain.position.size)

    def position(self, state: State) -> jax.Array:
        return state.chain.position

    def _step(self, log_density: LogDensity, state: State, key: jax.Array) -> tuple[State, tuple[Info, jax.Array]]:
        """The step, what it reports, and the energy error at the first attempt."""
        dimension = state.chain.position.size
        length = jnp.asarray(self.length * dimension**0.5, jnp.float32)

        def attempt(part: jax.Array, carry: tuple[Any, Info, jax.Array]) -> Any:
            chain, info, parts = carry
            kernel: Any = mclmc.build_kernel()
            part_key = jax.random.fold_in(key, part + 100 * parts)
            chain, told = kernel(part_key, chain, log_density, 1.0, length, state.step_size / parts)
            error = info.energy_error + told.energy_change
            return chain, Info(chain.logdensity, error, info.acceptance, info.divergent | ~told.nonans), parts

        def is_far(info: Info) -> jax.Array:
            return info.divergent | (jnp.square(info.energy_error) > FAR**2 * self.energy_error * dimension)

        def go_on(carry: Any) -> jax.Array:
            tries, _, info, _ = carry
            return (tries == 0) | ((tries == 1) & is_far(info))

        def cover(carry: Any) -> Any:
            """The whole step, first at once, then in parts; one loop, so that it is compiled once."""
            tries, _, _, first = carry
            parts = jnp.where(tries == 0, 1, PARTS)
            chain, info, _ = jax.lax.fori_loop(0, parts, attempt, (state.chain, nothing, parts))
            error = jnp.where(info.divergent, jnp.inf, info.energy_error)
            return tries + 1, chain, info, jnp.where(tries == 0, error, first)

        zero = jnp.zeros((), jnp.float32)
        nothing = Info(zero, zero, zero + jnp.nan, zero > 0)
        _, chain, info, first = jax.lax.while_loop(go_on, cover, (0, state.chain, nothing, zero))
        return state._replace(chain=chain), (info._replace(divergent=is_far(info)), first)
