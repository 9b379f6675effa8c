"""Microcanonical Langevin Monte Carlo: the default. Every gradient moves the chain; nothing is rejected.

The isokinetic dynamics conserve an energy; its error per step, relative to the dimension, sets the step size.
Posteriors of networks are unevenly stiff: a step that is right almost everywhere is far too long where the field is
steep, and the chain is thrown out. Four things keep that from happening, or from going unnoticed:

- the last layer follows the others (`Model.condition`), which takes away the stiffest directions;
- a step whose energy error is `far` times what is wanted is taken again in 2, 4 or 8 parts, which cover the same time
  from the same momentum; the next step begins with as many, and with fewer once the error is small;
- the step size is tuned by trials at that size, from below, and settles at the median of what they suggest;
- the decoherence length is √dimension from the start: in whitened coordinates most directions keep their prior sd of
  1, so the posterior is about that wide, while an estimate from a short run sees only how far it got.

Seen in trial runs while this was written (no benchmark kept): BlackJAX's own tuning, which looks back 150 steps, gave
6 to 90 times the energy error asked for; without the short steps noise came out up to 14 % too large on heat, and a
chain on KdV never came back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pdescry.schema import check_settings, positive, setting
from pdescry.surrogate.options import SURROGATE
from pdescry.surrogate.samplers.sampler import (
    BURN,
    CONDITIONED,
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
    chain: Any  # BlackJAX's IntegratorState
    step_size: jax.Array
    parts: jax.Array  # short steps that the next step begins with: 1, 2, 4, …


def _one() -> jax.Array:
    import jax.numpy as jnp

    return jnp.ones((), jnp.int32)


@dataclass(frozen=True)
class MCLMC:
    """Microcanonical Langevin Monte Carlo, unadjusted.

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
    energy_error : float
        Wanted variance of a step's energy error, per dimension.
    length : float
        Length over which momentum is forgotten, in units of √dimension.
    conditioned : bool
        Whether it moves in the coordinates of `Model.condition`, where steps are several times as long and a gradient
        takes twice as long.
    """

    draws: int = DRAWS.default(200)
    thin: int = THIN.default(80)
    burn: int = BURN.default(10)
    rungs: int = RUNGS.default(9)
    rung_transitions: int = RUNG_TRANSITIONS.default(800)
    energy_error: float = setting(
        5e-4, "variance of a step's energy error, per dimension: smaller is slower and more exact", positive()
    )
    length: float = setting(1.0, "over which directions are forgotten, in units of √dimension", positive())
    conditioned: bool = CONDITIONED.default(True)
    gradients = 2.5  # two a step (McLachlan's integrator), and some steps taken again

    def __post_init__(self) -> None:
        check_settings(self)

    def init(self, log_density: LogDensity, position: jax.Array, key: jax.Array) -> State:
        import jax.numpy as jnp
        from blackjax.mcmc import mclmc

        # A first step far too small is soon made larger; one far too large would throw the chain out.
        step_size = jnp.asarray(1e-4 * position.size**0.5, position.dtype)
        return State(mclmc.init(position, log_density, key), step_size, _one())

    def tune(self, log_density: LogDensity, state: State, key: jax.Array) -> State:
        import jax
        import jax.numpy as jnp

        wanted = self.energy_error * state.chain.position.size

        def trial(state: State, key: jax.Array) -> tuple[State, jax.Array]:
            keys = jax.random.split(key, self.rung_transitions // SURROGATE.mclmc.trials)

            def step(state: State, key: jax.Array) -> tuple[State, jax.Array]:
                # Whole steps are what is tuned, so each is tried.
                state, (_, first) = self._step(log_density, state._replace(parts=_one()), key)
                return state, first

            state, first = jax.lax.scan(step, state, keys)
            # What is beyond repair counts as far, not as how far: one wild step must not set the size of all others.
            first = jnp.where(jnp.isfinite(first), jnp.square(first), jnp.inf)
            seen = jnp.mean(jnp.minimum(first, SURROGATE.mclmc.far**2 * wanted))
            # Var[energy error] ∝ step⁶.
            step_size = state.step_size * jnp.clip((wanted / seen) ** (1 / 6), 0.5, 1.5)
            return state._replace(step_size=step_size), jnp.log(step_size)

        state, steps = jax.lax.scan(trial, state, jax.random.split(key, SURROGATE.mclmc.trials))
        return state._replace(step_size=jnp.exp(jnp.median(steps[SURROGATE.mclmc.trials // 2 :])))

    def step(self, log_density: LogDensity, state: State, key: jax.Array) -> tuple[State, Info]:
        state, (info, _) = self._step(log_density, state, key)
        return state, info

    def check(self, state: State) -> None:
        check_step_size("MCLMC", state.step_size, state.chain.position.size)

    def position(self, state: State) -> jax.Array:
        return state.chain.position

    def _step(self, log_density: LogDensity, state: State, key: jax.Array) -> tuple[State, tuple[Info, jax.Array]]:
        """The step, what it reports, and the energy error at the first attempt."""
        import jax
        import jax.numpy as jnp
        from blackjax.mcmc.integrators import isokinetic_mclachlan, partially_refresh_momentum
        from blackjax.util import generate_unit_vector

        dimension = state.chain.position.size
        wanted = (self.energy_error * dimension) ** 0.5
        refresh, restart = jax.random.split(key)
        integrate: Any = isokinetic_mclachlan(log_density)
        momentum = partially_refresh_momentum(
            state.chain.momentum, refresh, state.step_size, jnp.asarray(self.length * dimension**0.5, jnp.float32)
        )
        begin = state.chain._replace(momentum=momentum)

        def cover(carry: _Attempt) -> _Attempt:
            """The whole step in twice as many parts as before; one loop, so that it is compiled once."""
            parts = jnp.where(carry.tries == 0, carry.parts, 2 * carry.parts)

            def part(_: jax.Array, moved: tuple[Any, jax.Array]) -> tuple[Any, jax.Array]:
                chain, kinetic = moved
                chain, change = integrate(chain, state.step_size / parts)
                return chain, kinetic + change

            chain, kinetic = jax.lax.fori_loop(0, parts, part, (begin, jnp.zeros((), jnp.float32)))
            error = kinetic - chain.logdensity + begin.logdensity
            # The momentum and the position are finite where these two are, but for the very last half step.
            error = jnp.where(jnp.isfinite(error) & jnp.isfinite(jnp.sum(chain.momentum)), error, jnp.inf)
            first = jnp.where(carry.tries == 0, error, carry.first)
            return _Attempt(chain, error, first, parts, carry.tries + 1)

        def go_on(carry: _Attempt) -> jax.Array:
            far = jnp.abs(carry.error) > SURROGATE.mclmc.far * wanted
            return (carry.tries == 0) | (far & (carry.parts < SURROGATE.mclmc.most_parts))

        nothing = jnp.zeros((), jnp.float32)
        done = jax.lax.while_loop(
            go_on, cover, _Attempt(begin, nothing, nothing, state.parts, jnp.zeros((), jnp.int32))
        )
        lost = ~jnp.isfinite(done.error)
        chain = jax.lax.cond(
            lost,
            lambda: begin._replace(momentum=generate_unit_vector(restart, begin.position)),
            lambda: done.chain,
        )
        # Half as many parts make an error of four to eight times as much.
        calm = jnp.abs(done.error) < SURROGATE.mclmc.calm * wanted
        parts = jnp.where(calm, jnp.maximum(done.parts // 2, 1), done.parts)
        far = jnp.abs(done.error) > SURROGATE.mclmc.far * wanted
        info = Info(chain.logdensity, jnp.where(lost, 0.0, done.error), nothing + jnp.nan, far)
        return State(chain, state.step_size, parts), (info, done.first)


class _Attempt(NamedTuple):
    """chain, energy error, energy error of the first attempt, parts of the last one, how many attempts."""

    chain: Any
    error: jax.Array
    first: jax.Array
    parts: jax.Array
    tries: jax.Array
