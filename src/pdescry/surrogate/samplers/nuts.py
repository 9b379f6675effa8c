"""The No-U-Turn Sampler: Hamiltonian Monte Carlo that chooses its own trajectory length. Sure, and slow here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pdescry.schema import check_settings, setting, whole
from pdescry.surrogate.samplers.sampler import (
    ACCEPTANCE,
    BURN,
    DRAWS,
    RUNG_TRANSITIONS,
    RUNGS,
    THIN,
    Info,
    LogDensity,
    check_step_size,
)

if TYPE_CHECKING:
    import jax


class State(NamedTuple):
    chain: Any  # BlackJAX's HMCState
    step_size: jax.Array


@dataclass(frozen=True)
class NUTS:
    """The No-U-Turn sampler.

    Parameters
    ----------
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
    doublings : int
        A trajectory has at most 2^doublings steps.
    acceptance : float
        Wanted mean probability of acceptance over a trajectory.
    """

    draws: int = DRAWS.default(250)
    thin: int = THIN.default(1)
    burn: int = BURN.default(50)
    rungs: int = RUNGS.default(4)
    rung_transitions: int = RUNG_TRANSITIONS.default(50)
    doublings: int = setting(8, "of a trajectory, at most", whole(1))
    acceptance: float = ACCEPTANCE.default(0.8)
    conditioned = False

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def gradients(self) -> float:
        return 2.0 ** (self.doublings - 1)

    def init(self, log_density: LogDensity, position: jax.Array, key: jax.Array) -> State:
        import jax.numpy as jnp
        from blackjax.mcmc import hmc

        return State(hmc.init(position, log_density), jnp.asarray(1e-3, position.dtype))

    def tune(self, log_density: LogDensity, state: State, key: jax.Array) -> State:
        from pdescry.surrogate.samplers.step_size import adapt

        return adapt(self, log_density, state, key, self.acceptance)

    def step(self, log_density: LogDensity, state: State, key: jax.Array) -> tuple[State, Info]:
        import jax.numpy as jnp
        from blackjax.mcmc import nuts

        mass = jnp.ones(state.chain.position.size, jnp.float32)
        kernel: Any = nuts.build_kernel()
        chain, info = kernel(key, state.chain, log_density, state.step_size, mass, self.doublings)
        error = info.energy - (0.5 * jnp.sum(jnp.square(info.momentum)) - state.chain.logdensity)
        return state._replace(chain=chain), Info(chain.logdensity, error, info.acceptance_rate, info.is_divergent)

    def check(self, state: State) -> None:
        check_step_size("NUTS", state.step_size, state.chain.position.size)

    def position(self, state: State) -> jax.Array:
        return state.chain.position
