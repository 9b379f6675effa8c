"""Gradients of the log posterior per second over all cores: ours, minimal PyTorch, and the limit by matrix products.

    pip install torch==2.13.0          # for this comparison only
    python benchmarks/gradients.py [--repeats 5]

The paper's program: 5 × 50 network, 816 readings, float32, Hamiltonian Monte Carlo with 30 leapfrog steps a sample.
Ours: one single-threaded process per core, as `interpolate` uses them, each running `HMC`. PyTorch: eager mode, one
chain with as many threads as cores. Matrix product: 2048 × 2048 in float32, one single-threaded process per core. All
alternate in one run; medians.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

SECONDS = 4.0
WIDTH, DEPTH, LEAPFROG = 50, 5, 30


def ours(threads: str) -> float:
    """Gradients per second of this process, one chain on each of its devices."""
    import jax

    from pdescry.doctor.work import gradients
    from pdescry.surrogate import Network

    def chain(device) -> float:
        return rate(*gradients(Network(WIDTH, DEPTH), device))

    if len(jax.devices()) == 1:
        return chain(jax.devices()[0])
    with ThreadPoolExecutor() as pool:
        return sum(pool.map(chain, jax.devices()))


def pytorch(threads: str) -> float:
    import torch  # pyright: ignore[reportMissingImports]

    from pdescry.doctor.work import readings

    torch.set_num_threads(int(threads))
    inputs, targets = (torch.from_numpy(part.T.copy()) for part in readings())
    sizes = [2, *[WIDTH] * DEPTH, 1]
    generator = torch.Generator().manual_seed(0)
    parts = [part for a, b in itertools.pairwise(sizes) for part in ((a, b), (b,))]
    weights = [torch.randn(part, generator=generator) * 0.1 for part in parts]

    def gradient(weights: list) -> list:
        leaves = [part.requires_grad_() for part in weights]
        hidden = inputs
        for k in range(0, len(leaves) - 2, 2):
            hidden = torch.tanh(torch.addmm(leaves[k + 1], hidden, leaves[k]))
        misfit = torch.addmm(leaves[-1], hidden, leaves[-2]) - targets
        log_p = -0.5 * 400.0 * misfit.square().sum() - 0.5 * sum(part.square().sum() for part in leaves)
        return list(torch.autograd.grad(log_p, leaves))

    def sample() -> None:
        momentum = [torch.randn(part.shape, generator=generator) for part in weights]
        place = [part.detach().clone() for part in weights]
        slope = gradient(place)
        with torch.no_grad():
            for _ in range(LEAPFROG):
                momentum = [p + 2.5e-4 * g for p, g in zip(momentum, slope, strict=True)]
                place = [w.detach() + 5e-4 * p for w, p in zip(place, momentum, strict=True)]
                with torch.enable_grad():
                    slope = gradient(place)
                momentum = [p + 2.5e-4 * g for p, g in zip(momentum, slope, strict=True)]

    sample()
    return rate(sample, LEAPFROG + 1)


def product(threads: str) -> float:
    """GFLOP/s of this process."""
    from pdescry.doctor.work import products

    return rate(*products(2048))


def rate(work, units: float) -> float:
    began, done = time.perf_counter(), 0
    while (passed := time.perf_counter() - began) < SECONDS:
        work()
        done += 1
    passed = time.perf_counter() - began
    return done * units / passed


def together(what: str, processes: int, threads: int, devices: int = 1) -> float:
    """The sum over simultaneous processes."""
    environment = dict(os.environ, NPROC=str(threads), OMP_NUM_THREADS=str(threads))
    if devices > 1:  # a worker does not set it, and it is slower with it even for one
        environment["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
    command = [sys.executable, __file__, "--child", what, str(threads)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) for _ in range(processes)]
    return sum(json.loads(process.communicate()[0]) for process in running)


def main(repeats: int) -> None:
    from pdescry.cores import n_cores
    from pdescry.doctor.work import flops
    from pdescry.surrogate import Network

    cores = n_cores()
    methods = {
        "ours, a process per core": lambda: together("ours", cores, 1),
        "ours, a JAX device per core": lambda: together("ours", 1, cores, cores),
        "ours, one process": lambda: together("ours", 1, cores),
        "PyTorch": lambda: together("pytorch", 1, cores),
        "product, GFLOP/s": lambda: together("product", cores, 1),
    }
    found: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(repeats):
        for name, method in methods.items():
            found[name].append(method())
    middle = {name: statistics.median(values) for name, values in found.items()}
    for name, values in found.items():
        print(f"{name:28s} median {middle[name]:7.4g}; all {', '.join(f'{value:.4g}' for value in values)}")
    best = middle["ours, a process per core"]
    for name in list(methods)[1:4]:
        print(f"a process per core / {name}: {best / middle[name]:.2f}")
    print(f"share of the matrix-product rate: {best * flops(Network(WIDTH, DEPTH)) / middle['product, GFLOP/s']:.0%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--child", nargs=2)
    given = parser.parse_args()
    if given.child:
        print(json.dumps({"ours": ours, "pytorch": pytorch, "product": product}[given.child[0]](given.child[1])))
    else:
        main(given.repeats)
