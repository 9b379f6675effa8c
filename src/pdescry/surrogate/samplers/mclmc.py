"""Microcanonical Langevin Monte Carlo: the default. Every gradient moves the chain; nothing is rejected.

The isokinetic dynamics conserve an energy; its error per step, relative to the dimension, sets the step size. Two things
keep the tuning honest. The decoherence length is √dimension from the start: in whitened coordinates most directions keep
their prior sd of 1, so the posterior is about that wide, while an estimate from a short run sees only how far it got.
And each rung ends with a trial at the step size found: the estimate behind it looks back 150 steps and misses rare large
errors, which the trial's mean does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import blackjax
import jax
import jax.numpy as jnp
from blackjax.adaptation.mclmc_adaptation import MCLMCAdaptationState
from blackjax.mcmc import mclmc
from blackjax.mcmc.integrators import IntegratorState

from pdescry.surrogate.samplers.sampler import Info, LogDensity, check_counts, check_step_size
from pdescry.surrogate.settings import check_positive, check_whole


class State(NamedTuple):
    chain: IntegratorState
    step_size: jax.Array


@dataclass(frozen=True)
class MCLMC:
    """``energy_error``: wanted variance of a step's energy error per dimension. ``length``: decoherence, in √dimension."""

    draws: int = 250
    thin: int = 60
    burn: int = 50
    rungs: int = 6
    rung_transitions: int = 1000
    energy_error: float = 5e-4
    length: float = 1.0
    gradients = 2.0  # McLachlan's integrator

    def __post_init__(self) -> None:
        check_counts(self)
        check_whole("rung_transitions of MCLMC", self.rung_transitions, 10)
        check_positive("energy_error of MCLMC", self.energy_error)
        check_positive("length of MCLMC", self.length)

    def init(self, log_density: LogDensity, position: jax.Array, key: jax.Array) -> State:
        # A first step far too small is soon made larger; one far too large would throw the chain out.
        return State(mclmc.init(position, log_density, key), jnp.asarray(1e-3 * position.size**0.5, position.dtype))

    def tune(self, log_density: LogDensity, state: State, key: jax.Array) -> State:
        find, trial = jax.random.split(key)
        dimension = state.chain.position.size
        guess = MCLMCAdaptationState(self._length(state), state.step_size, jnp.ones(dimension, jnp.float32))
        chain, found, _ = blackjax.mclmc_find_L_and_step_size(
            mclmc.build_kernel(),
            self.rung_transitions // 2,
            state.chain,
            find,
            logdensity_fn=log_density,
            frac_tune1=1.0,
            frac_tune2=0.0,
            frac_tune3=0.0,
            diagonal_preconditioning=False,
            desired_energy_var=self.energy_error,
            params=guess,
        )
        tried = State(chain, found.step_size)
        keys = jax.random.split(trial, self.rung_transitions - self.rung_transitions // 2)
        tried, infos = jax.lax.scan(lambda state, key: self.step(log_density, state, key), tried, keys)
        seen = jnp.mean(jnp.square(infos.energy_error)) / dimension
        # Var[energy error] ∝ step⁶; a trial with divergences halves the step.
        factor = jnp.clip((self.energy_error / seen) ** (1 / 6), 0.5, 1.25)
        factor = jnp.where(jnp.any(infos.divergent) | ~jnp.isfinite(seen), 0.5, factor)
        return tried._replace(step_size=tried.step_size * factor)

    def step(self, log_density: LogDensity, state: State, key: jax.Array) -> tuple[State, Info]:
        chain, info = mclmc.build_kernel()(key, state.chain, log_density, 1.0, self._length(state), state.step_size)
        told = Info(chain.logdensity, info.energy_change, jnp.nan * chain.logdensity, ~info.nonans)
        return state._replace(chain=chain), told

    def check(self, state: State) -> None:
        check_step_size("MCLMC", state.step_size, state.chain.position.size)

    def position(self, state: State) -> jax.Array:
        return state.chain.position

    def _length(self, state: State) -> jax.Array:
        return jnp.asarray(self.length * state.chain.position.size**0.5, jnp.float32)
