"""Time per gradient and memory of a worker, from 1,000 to 100,000 readings.

    python benchmarks/many_readings.py

One chain of the default network through `interpolate` with a few short draws; memory is the peak memory of the worker.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time

import numpy as np


def child(number: int) -> dict[str, float]:
    import jax
    import jax.numpy as jnp

    from pdescry import Readings
    from pdescry.surrogate import MCLMC, Network, Noise, Prior
    from pdescry.surrogate.model import build
    from pdescry.surrogate.scaling import Scaling

    rng = np.random.default_rng(0)
    t, x = rng.uniform(0, 10, number), rng.uniform(-8, 8, number)
    readings = Readings.from_arrays(t, x, np.sin(x - 0.3 * t) + 0.05 * rng.standard_normal(number))
    model, seen = build(readings, Network(), Prior(), Noise(), Scaling.of(readings))
    seen = jax.tree.map(jnp.asarray, seen)
    sampler = MCLMC()

    @jax.jit
    def transitions(state, seen, key):
        def step(state, key):
            return sampler.step(lambda position: model.log_density(position, seen), state, key)[0], None

        return jax.lax.scan(step, state, jax.random.split(key, 10))[0]

    state = sampler.init(lambda at: model.log_density(at, seen), model.prior_draw(jax.random.key(0)), jax.random.key(1))
    state = jax.block_until_ready(transitions(state, seen, jax.random.key(2)))
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < 5:
        jax.block_until_ready(transitions(state, seen, jax.random.key(3)))
        done += 20
    return {
        "milliseconds": (time.perf_counter() - began) / done * 1e3,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    first = None
    for number in (1_000, 3_000, 10_000, 30_000, 100_000):
        command = [sys.executable, __file__, str(number)]
        done = subprocess.run(command, capture_output=True, check=True, env=os.environ | {"NPROC": "1"})
        found = json.loads(done.stdout)
        per_reading = found["milliseconds"] / number
        first = first or per_reading
        print(
            f"{number:7d} readings: {found['milliseconds']:8.2f} ms a gradient "
            f"({per_reading / first:.2f} × the first, per reading), {found['megabytes']:.0f} MB",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(child(int(sys.argv[1]))))
    else:
        main()
