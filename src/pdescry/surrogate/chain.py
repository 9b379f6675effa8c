"""One chain from its start to its last draw, in blocks that are written as they are finished.

A chain is a list of blocks fixed by the settings alone: some of warm start, the rungs of tuning, some of burn-in, the
draws. A block takes the state that the one before left, and its randomness from (seed, chain, stage, number): whoever
has the last state can go on, on any worker, at any time, and comes to the same draws bit for bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import blackjax  # noqa: F401 -- before samplers are compiled (``samplers/sampler.py``)
import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from pdescry.surrogate import warm_start
from pdescry.surrogate.adam import Adam
from pdescry.surrogate.checkpoint import load_block, write_block
from pdescry.surrogate.model import Model, Observations
from pdescry.surrogate.options import SURROGATE
from pdescry.surrogate.samplers import Sampler, SamplingError

# How often each compiled function was traced: a second call of the same shapes must not add to it.
TRACES: Counter[str] = Counter()

STAGES = ("warm start", "tuning", "burn-in", "sampling")
Report = Callable[[str, float], None]


@dataclass(frozen=True)
class Plan:
    """What a chain is made of; everything a compiled function depends on but the shapes of the readings."""

    model: Model
    start: Adam
    sampler: Sampler


class Block(NamedTuple):
    stage: str
    number: int  # within its stage
    size: int  # steps of Adam, rungs, or draws
    work: float  # in gradients


class Trace(NamedTuple):
    """Arrays over draws: rms energy error, mean acceptance and divergences since the draw before."""

    log_density: Any
    energy_error: Any
    acceptance: Any
    divergences: Any


def blocks(plan: Plan, n_readings: int) -> list[Block]:
    """The whole chain, in order."""
    gradient = 3.0 * plan.model.n_weights * n_readings
    sampler = plan.sampler
    per_draw = sampler.gradients * sampler.thin
    steps, draws = max(1, int(SURROGATE.block_work / gradient)), _draws_in_a_block(plan, n_readings)
    return [
        *_split("warm start", plan.start.steps, 1.0, steps),
        *[Block("tuning", k, 1, sampler.gradients * sampler.rung_transitions) for k in range(sampler.rungs)],
        *_split("burn-in", sampler.burn, per_draw, draws),
        *_split("sampling", sampler.draws, per_draw, draws),
    ]


def _split(stage: str, total: int, gradients: float, size: int) -> list[Block]:
    sizes = [min(size, total - start) for start in range(0, total, size)]
    return [Block(stage, number, each, each * gradients) for number, each in enumerate(sizes)]


def _draws_in_a_block(plan: Plan, n_readings: int) -> int:
    gradients = plan.sampler.gradients * plan.sampler.thin
    fitting = int(SURROGATE.block_work / (gradients * 3.0 * plan.model.n_weights * n_readings))
    return min(max(1, fitting), plan.sampler.draws)


def run(plan: Plan, seen: Observations, seed: int, chain: int, folder: Path, report: Report) -> None:
    """Run or resume one chain; its blocks are in ``folder``. ``report`` gets the stage and the fraction done."""
    programme = blocks(plan, seen.targets.shape[1])
    total = sum(block.work for block in programme)
    seen = jax.tree.map(jnp.asarray, seen)
    key = jax.random.fold_in(jax.random.key(seed), chain)
    state, done = _resume(plan, seen, key, programme, folder)
    fraction = sum(block.work for block in programme[:done]) / total
    for number, block in enumerate(programme[done:], done):
        report(block.stage, fraction)
        begun: dict[str, Any] = {}
        if isinstance(state, warm_start.State) and block.stage != "warm start":
            begun["start"], state = _begin_sampling(plan, state, seen, _key(key, "tuning", -1))
        state, outputs = _advance(plan, state, seen, block, _key(key, block.stage, block.number))
        _check(plan, state, block, chain)
        write_block(folder, number, jax.tree.leaves(state), outputs | begun)
        fraction += block.work / total
    report(STAGES[-1], 1.0)


class Collected(NamedTuple):
    """A chain or a part of it: where it began (dimension,), its draws (draws, dimension), and what they report."""

    start: NDArray[np.float32]
    positions: NDArray[np.float32]
    trace: Trace


def parts(plan: Plan, n_readings: int, folder: Path) -> Iterator[Collected | None]:
    """The draws of a chain block by block, also while it runs: None, and again None, until the next one is there."""
    start = np.empty(0, np.float32)
    for number, block in enumerate(blocks(plan, n_readings)):
        if block.stage == "warm start":
            continue
        while (stored := load_block(folder, number)) is None:
            yield None
        outputs = stored[1]
        start = outputs.pop("start", start)
        if block.stage == "sampling":
            yield Collected(start, outputs.pop("positions"), Trace(**outputs))


def collect(plan: Plan, n_readings: int, folder: Path) -> Collected:
    """A finished chain."""
    start, done, traces = np.empty(0, np.float32), 0, []
    # Filled part by part: draws may take up a good part of the memory.
    positions = np.empty((plan.sampler.draws, plan.model.dimension), np.float32)
    for part in parts(plan, n_readings, folder):
        assert part is not None  # the chain is finished
        positions[done : done + len(part.positions)] = part.positions
        start, done = part.start, done + len(part.positions)
        traces.append(part.trace)
    return Collected(start, positions, Trace(*map(np.concatenate, zip(*traces, strict=True))))


def is_finished(plan: Plan, n_readings: int, folder: Path) -> bool:
    return all(load_block(folder, number) for number in range(len(blocks(plan, n_readings))))


# ---- the steps between blocks ----------------------------------------------------------------------------------------


def _resume(plan: Plan, seen: Observations, key: jax.Array, programme: list[Block], folder: Path) -> tuple[Any, int]:
    """The state after the last good block, and how many blocks are done."""
    start = warm_start.init(plan.start, plan.model, _key(key, "warm start", -1))
    done, leaves = 0, None
    while done < len(programme) and (found := load_block(folder, done)):
        leaves, done = found[0], done + 1
    if leaves is None:
        return start, 0
    like: Any = start
    if programme[done - 1].stage != "warm start":
        like = jax.eval_shape(lambda: _begin_sampling(plan, start, seen, key))[1]
    return jax.tree.unflatten(jax.tree.structure(like), [jnp.asarray(leaf) for leaf in leaves]), done


def _advance(plan: Plan, state: Any, seen: Observations, block: Block, key: jax.Array) -> tuple[Any, dict[str, Any]]:
    if block.stage == "warm start":
        return _warm(plan.start, plan.model, state, seen, block.size), {}
    if block.stage == "tuning":
        return _tune(plan.model, plan.sampler, state, seen, key), {}
    most = _draws_in_a_block(plan, seen.targets.shape[1])
    state, positions, trace = _draw(plan.model, plan.sampler, most, state, seen, key, block.size)
    outputs = {name: part[: block.size] for name, part in trace._asdict().items()}
    if block.stage == "sampling":
        outputs["positions"] = positions[: block.size]
    return state, outputs


def _check(plan: Plan, state: Any, block: Block, chain: int) -> None:
    if block.stage == "tuning":
        plan.sampler.check(state)
    if not all(bool(jnp.all(jnp.isfinite(leaf))) for leaf in _finite_leaves(state)):
        raise SamplingError(
            f"Chain {chain} left the numbers (NaN or infinite) during {block.stage}: "
            "use a smaller step size or learning rate, or another seed."
        )


def _finite_leaves(state: Any) -> list[Any]:
    if isinstance(state, warm_start.State):
        return [state.position]
    return jax.tree.leaves(state)


def _key(key: jax.Array, stage: str, number: int) -> jax.Array:
    return jax.random.fold_in(jax.random.fold_in(key, STAGES.index(stage)), number + 1)


# ---- compiled, once for each plan and shape of readings --------------------------------------------------------------


def _density(model: Model, sampler: Sampler, seen: Observations) -> Callable[[jax.Array], jax.Array]:
    """log p in the sampler's coordinates."""
    density = model.log_density_conditioned if sampler.conditioned else model.log_density
    return lambda position: density(position, seen)


@partial(jax.jit, static_argnames=("adam", "model"))
def _warm(
    adam: Adam, model: Model, state: warm_start.State, seen: Observations, steps: jax.Array | int
) -> warm_start.State:
    TRACES["warm start"] += 1
    return warm_start.advance(adam, model, state, seen, jnp.asarray(steps))


@partial(jax.jit, static_argnames=("plan",))
def _begin_sampling(plan: Plan, state: warm_start.State, seen: Observations, key: jax.Array) -> tuple[jax.Array, Any]:
    """Where the warm start ended, in the model's coordinates, and the sampler's first state."""
    TRACES["begin sampling"] += 1
    start = warm_start.finish(plan.start, plan.model, state, seen)
    position = plan.model.condition(start, seen) if plan.sampler.conditioned else start
    return start, plan.sampler.init(_density(plan.model, plan.sampler, seen), position, key)


@partial(jax.jit, static_argnames=("model", "sampler"))
def _tune(model: Model, sampler: Sampler, state: Any, seen: Observations, key: jax.Array) -> Any:
    TRACES["tuning"] += 1
    return sampler.tune(_density(model, sampler, seen), state, key)


@partial(jax.jit, static_argnames=("model", "sampler", "most"))
def _draw(
    model: Model, sampler: Sampler, most: int, state: Any, seen: Observations, key: jax.Array, draws: jax.Array | int
) -> tuple[Any, jax.Array, Trace]:
    """``draws`` draws, each after ``thin`` transitions: positions (most, dimension) and what they report.

    The arrays have room for the largest block, so that the last, shorter one is not compiled again.
    """
    TRACES["sampling"] += 1

    def transition(state: Any, key: jax.Array) -> Any:
        return sampler.step(_density(model, sampler, seen), state, key)

    def draw(number: jax.Array, carry: Any) -> Any:
        state, positions, traces = carry
        keys = jax.random.split(jax.random.fold_in(key, number), sampler.thin)
        state, info = jax.lax.scan(transition, state, keys)
        position, log_density = sampler.position(state), info.log_density[-1]
        if sampler.conditioned:
            position = model.release(position, seen)
            log_density = model.log_density(position, seen)
        trace = Trace(
            log_density,
            jnp.sqrt(jnp.mean(jnp.square(info.energy_error))),
            jnp.mean(info.acceptance),
            jnp.sum(info.divergent).astype(jnp.float32),
        )
        traces = jax.tree.map(lambda all_of_it, one: all_of_it.at[number].set(one), traces, trace)
        return state, positions.at[number].set(position), traces

    room = jnp.zeros(most, jnp.float32)
    empty = (state, jnp.zeros((most, model.dimension), jnp.float32), Trace(room, room, room, room))
    return jax.lax.fori_loop(0, jnp.asarray(draws), draw, empty)
