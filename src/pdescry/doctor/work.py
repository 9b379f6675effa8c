"""What is timed: gradients of the log posterior as a chain takes them, and matrix products, in float32.

``main`` runs in a process like a chain's (one thread). Its times are those of the core, not of the clock on the wall:
what other programs take is counted apart.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import blackjax  # noqa: F401 -- before the sampler is compiled (``surrogate/samplers/sampler.py``)
import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from pdescry.surrogate import HMC, Network, Prior
from pdescry.surrogate.model import Model, Observations

READINGS, LEAPFROG, SAMPLES = 816, 30, 10
NETWORK = Network(50, 4)
BURSTS = 6

Work = tuple[Callable[[], object], float]  # what to call, and how much one call does


def readings() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Inputs (2, 816) and targets (1, 816), as many as the paper has."""
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((2, READINGS)).astype(np.float32)
    return inputs, np.sin(inputs[:1]) + 0.05 * rng.standard_normal((1, READINGS)).astype(np.float32)


def gradients(network: Network = NETWORK, device: Any = None) -> Work:
    """Samples by Hamiltonian Monte Carlo, 30 leapfrog steps each as in the paper; counted in gradients."""
    model = Model(network, Prior(scale=1.0), 2, 1, 0)
    inputs, targets = map(jnp.asarray, readings())
    seen = Observations(inputs, targets, jnp.full((1, 1), 20.0), jnp.zeros(READINGS, int), jnp.ones(1))
    sampler = HMC(step_size=5e-4, steps=LEAPFROG)

    @jax.jit  # step by step it would compile for seconds
    def begin(seen):
        start = model.prior_draw(jax.random.key(0))
        return sampler.init(lambda position: model.log_density(position, seen), start, jax.random.key(1))

    @jax.jit
    def samples(state, seen, key):
        def step(state, key):
            return sampler.step(lambda position: model.log_density(position, seen), state, key)[0], None

        return jax.lax.scan(step, state, jax.random.split(key, SAMPLES))[0]

    with jax.default_device(device):
        seen = jax.device_put(seen, device)
        state = jax.block_until_ready(samples(begin(seen), seen, jax.random.key(2)))

    def work() -> object:
        with jax.default_device(device):
            return jax.block_until_ready(samples(state, seen, jax.random.key(3)))

    return work, SAMPLES * LEAPFROG


def products(size: int = 1024) -> Work:
    """Matrix products; counted in 10⁹ floating-point operations."""
    matrix = jnp.ones((size, size), jnp.float32)
    multiply = jax.jit(lambda matrix: matrix @ matrix)
    jax.block_until_ready(multiply(matrix))
    return lambda: jax.block_until_ready(multiply(matrix)), 2 * size**3 / 1e9


def flops(network: Network = NETWORK) -> float:
    """10⁹ floating-point operations in the products of one gradient: forward, and both ways back but one."""
    weights = 2 * network.width + (network.depth - 1) * network.width**2 + network.width
    return 2 * READINGS * (3 * weights - 2 * network.width) / 1e9


def timed(works: dict[str, Work], seconds: float) -> dict[str, float]:
    """Of each work, how much a second of the core does (median over bursts); and the share of a core that we had.

    Works take turns, so that what changes with the time changes all.
    """
    rates: dict[str, list[float]] = {name: [] for name in works}
    core = wall = 0.0
    for _ in range(BURSTS):
        for name, (work, units) in works.items():
            began, began_core, done = time.perf_counter(), time.process_time(), 0
            while not done or time.perf_counter() - began < seconds / BURSTS / len(works):
                work()
                done += 1
            passed = max(time.process_time() - began_core, 1e-9)
            rates[name].append(done * units / passed)
            core, wall = core + passed, wall + time.perf_counter() - began
    return {name: statistics.median(found) for name, found in rates.items()} | {"core_share": core / wall}


def main() -> None:
    """Answer in one line of JSON; the argument is how many seconds to take."""
    devices = [{"platform": each.platform, "kind": each.device_kind} for each in jax.devices()]
    found = timed({"gradients": gradients(), "gflops": products()}, float(sys.argv[-1]))
    found["share"] = found["gradients"] * flops() / found["gflops"]
    sys.stdout.write(json.dumps({"devices": devices, **found}) + "\n")
