"""The step size at which a sampler that can reject accepts as often as wanted (dual averaging)."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from blackjax.adaptation.step_size import dual_averaging_adaptation

from pdescry.surrogate.samplers.sampler import LogDensity, Sampler


def adapt(sampler: Sampler, log_density: LogDensity, state: Any, key: jax.Array, target: float) -> Any:
    """One rung: ``sampler.rung_transitions`` transitions, the step size in ``state.step_size`` changed after each."""
    begin, update, end = dual_averaging_adaptation(target)

    def transition(carry, key):
        state, averaging = carry
        state, info = sampler.step(log_density, state, key)
        acceptance = jnp.where(jnp.isfinite(info.acceptance), info.acceptance, 0.0)
        averaging = update(averaging, acceptance)
        return (state._replace(step_size=jnp.exp(averaging.log_step_size)), averaging), None

    keys = jax.random.split(key, sampler.rung_transitions)
    (state, averaging), _ = jax.lax.scan(transition, (state, begin(state.step_size)), keys)
    return state._replace(step_size=end(averaging))
