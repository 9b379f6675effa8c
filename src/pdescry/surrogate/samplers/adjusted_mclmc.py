"""Metropolis-adjusted microcanonical Monte Carlo: the same dynamics as MCLMC, exact by rejecting whole trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pdescry.schema import check_settings
from pdescry.surrogate.samplers.sampler import (
    ACCEPTANCE,
    BURN,
    CONDITIONED,
    DRAWS,
    RUNG_TRANSITIONS,
    RUNGS,
    STEPS,
    THIN,
    Info,
    LogDensity,
    check_step_size,
)

if TYPE_CHECKING:
    import jax


class State(NamedTuple):
    chain: Any  # BlackJAX's DynamicHMCState
    step_size: jax.Array


@dataclass(frozen=True)
class AdjustedMCLMC:
    """Microcanonical Langevin Monte Carlo, Metropolis-adjusted.

    Parameters
    ----------
    steps : int
        Mean number of steps of a trajectory; it varies by a Halton sequence.
    draws : int
        Draws of a chain that are kept.
    thin : int
        Transitions for each draw.
    burn : int
        Draws that are discarded first.
    rungs : int
        Stages of tuning.
    rung_transitions : int
        Transitions of a stage.
    acceptance : float
        Wanted probability of acceptance.
    conditioned : bool
        As in `MCLMC`.
    """

    steps: int = STEPS.default(30)
    draws: int = DRAWS.default(250)
    thin: int = THIN.default(2)
    burn: int = BURN.default(50)
    rungs: int = RUNGS.default(6)
    rung_transitions: int = RUNG_TRANSITIONS.default(30)
    acceptance: float = ACCEPTANCE.default(0.8)
    conditioned: bool = CONDITIONED.default(True)

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def gradients(self) -> float:
        return 2.0 * self.steps  # McLachlan's integrator takes two a step

    def init(self, log_density: LogDensity, position: jax.Array, key: jax.Array) -> State:
        import jax.numpy as jnp
        from blackjax.mcmc import adjusted_mclmc_dynamic as adjusted

        first = jnp.asarray(1e-3 * position.size**0.5, position.dtype)
        return State(adjusted.init(position, log_density, jnp.uint32(1)), first)

    def tune(self, log_density: LogDensity, state: State, key: jax.Array) -> State:
        from pdescry.surrogate.samplers.step_size import adapt

        return adapt(self, log_density, state, key, self.acceptance)

    def step(self, log_density: LogDensity, state: State, key: jax.Array) -> tuple[State, Info]:
        import jax.numpy as jnp
        from blackjax.mcmc import adjusted_mclmc_dynamic as adjusted

        kernel: Any = adjusted.build_kernel(
            integration_steps_fn=lambda count: adjusted.trajectory_length(count, float(self.steps)).astype(jnp.int32),
            next_random_arg_fn=lambda count: count + 1,
        )
        chain, info = kernel(key, state.chain, log_density, state.step_size)
        # The kernel reports how likely the trajectory was accepted, not its energy error; a gain counts as none.
        error = -jnp.log(jnp.maximum(info.acceptance_rate, 1e-30))
        return state._replace(chain=chain), Info(chain.logdensity, error, info.acceptance_rate, info.is_divergent)

    def check(self, state: State) -> None:
        check_step_size("AdjustedMCLMC", state.step_size, state.chain.position.size)

    def position(self, state: State) -> jax.Array:
        return state.chain.position
