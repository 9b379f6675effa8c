"""Hamiltonian Monte Carlo with Metropolis–Hastings (the paper's section 2.2): L leapfrog steps, unit mass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pdescry.checks import check_whole, plain
from pdescry.schema import check_settings, optional, positive, setting, whole
from pdescry.surrogate.samplers.sampler import (
    ACCEPTANCE,
    BURN,
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
    chain: Any  # BlackJAX's HMCState
    step_size: jax.Array


@dataclass(frozen=True)
class HMC:
    """Hamiltonian Monte Carlo.

    Parameters
    ----------
    step_size : float, optional
        By default the one that is accepted with probability ``acceptance``, varied by a fifth.
    steps : int
        Leapfrog steps of a transition.
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

    Notes
    -----
    The paper's Burgers: ``HMC(step_size=5e-4, steps=30, draws=5800, burn=200)`` (KdV: 1e-4), from the trained network.
    """

    step_size: float | None = setting(None, '"auto": tuned; or a number', optional(positive()))
    steps: int = STEPS.default(30)
    draws: int = DRAWS.default(500)
    thin: int = THIN.default(1)
    burn: int = BURN.default(100)
    rungs: int = setting(4, RUNGS.comment, whole(0))
    rung_transitions: int = RUNG_TRANSITIONS.default(100)
    acceptance: float = ACCEPTANCE.default(0.8)
    conditioned = False

    def __post_init__(self) -> None:
        check_settings(self)
        if self.step_size is not None:
            plain(self, rungs=0)  # nothing to tune
        else:
            check_whole("rungs of HMC", self.rungs, 1)

    @property
    def gradients(self) -> float:
        return float(self.steps)

    def init(self, log_density: LogDensity, position: jax.Array, key: jax.Array) -> State:
        import jax.numpy as jnp
        from blackjax.mcmc import hmc

        first = 1e-3 if self.step_size is None else self.step_size
        return State(hmc.init(position, log_density), jnp.asarray(first, position.dtype))

    def tune(self, log_density: LogDensity, state: State, key: jax.Array) -> State:
        from pdescry.surrogate.samplers.step_size import adapt

        return adapt(self, log_density, state, key, self.acceptance)

    def step(self, log_density: LogDensity, state: State, key: jax.Array) -> tuple[State, Info]:
        import jax
        import jax.numpy as jnp
        from blackjax.mcmc import hmc

        mass = jnp.ones(state.chain.position.size, jnp.float32)
        step_size = state.step_size
        if self.step_size is None:
            # Trajectories of one length return to where they began in some direction, and stay blind to it.
            key, jitter = jax.random.split(key)
            step_size = step_size * jax.random.uniform(jitter, (), jnp.float32, 0.8, 1.2)
        kernel: Any = hmc.build_kernel()
        chain, info = kernel(key, state.chain, log_density, step_size, mass, self.steps)
        kinetic = 0.5 * jnp.sum(jnp.square(info.momentum))
        error = info.energy - (kinetic - state.chain.logdensity)
        report = Info(chain.logdensity, error, info.acceptance_rate, info.is_divergent)
        return state._replace(chain=chain), report

    def check(self, state: State) -> None:
        if self.step_size is None:
            check_step_size("HMC", state.step_size, state.chain.position.size)

    def position(self, state: State) -> jax.Array:
        return state.chain.position
