"""Derivatives of a network: our Taylor recurrences against jax.experimental.jet, nested jax.grad and nested PyTorch.

    pip install torch==2.13.0          # for this comparison only; skipped if it is missing
    python benchmarks/derivatives.py speed [--repeats 5]
    python benchmarks/derivatives.py memory [--draws 5800]

speed: u, u_x, u_xx, u_xxx, u_xxxx and u_t of a 5 × 50 network at 10,000 points, float32, all cores, several draws a
measurement. jet and nested grad are timed twice, on the whole array in the obvious implementation and within our own
blocks and threads, and the faster one counts. All alternate in one run; medians.

memory: the paper's sweep (5,800 draws at 10,000 points, its eleven terms), and the increase of the peak memory of the
process beyond the draws themselves.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import jet

import pdescry
from pdescry.cores import n_cores
from pdescry.derivatives.library import Library
from pdescry.derivatives.sweep import BLOCK, Lanes
from pdescry.derivatives.taylor import derivatives
from pdescry.surrogate import MCLMC, Adam, Network, Noise, Prior
from pdescry.surrogate.chain import Plan, Trace
from pdescry.surrogate.model import build
from pdescry.surrogate.scaling import Scaling

WIDTH, DEPTH, POINTS, DRAWS = 50, 5, 10_000, 8
TERMS = ["u", "u_x", "u_xx", "u_xxx", "u_xxxx", "u_t"]
INDICES = Library.of([pdescry.Term.parse(text) for text in TERMS], ("u",), ("t", "x")).indices
ORDER = [INDICES.index(index) for index in ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0))]


def network(draws: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    sizes = [2, *[WIDTH] * DEPTH, 1]
    shapes = [(after, before + 1) for before, after in pairwise(sizes)]
    return [(rng.standard_normal((draws, *shape)) / np.sqrt(shape[1])).astype(np.float32) for shape in shapes]


def points() -> np.ndarray:
    return np.random.default_rng(1).standard_normal((2, POINTS)).astype(np.float32)


# ---- one draw at some points, (2, N) → (6, N) --------------------------------------------------------------------


def ours(layers, inputs):
    found = derivatives(layers, inputs, INDICES)
    return jnp.stack([found[INDICES[k]][0] for k in ORDER])


def plain(layers, inputs):
    hidden = inputs
    for layer in layers[:-1]:
        hidden = jnp.tanh(layer[:, :-1] @ hidden + layer[:, -1:])
    return (layers[-1][:, :-1] @ hidden + layers[-1][:, -1:])[0]


def jetted(layers, inputs):
    along_t, along_x = (jnp.zeros_like(inputs).at[axis].set(1.0) for axis in (0, 1))
    zero = jnp.zeros_like(inputs)
    u, rest = jet.jet(lambda at: plain(layers, at), (inputs,), ((along_x, zero, zero, zero),))
    return jnp.stack([u, *rest, jax.jvp(lambda at: plain(layers, at), (inputs,), (along_t,))[1]])


def nested(layers, inputs):
    def u(t, x):
        return plain(layers, jnp.stack([t, x])[:, None])[0]

    functions = [u]
    for _ in range(4):
        functions.append(jax.grad(functions[-1], 1))
    functions.append(jax.grad(u, 0))
    return jnp.stack([jax.vmap(function)(*inputs) for function in functions])


# ---- all draws at all points -------------------------------------------------------------------------------------


def whole(one):
    """The obvious implementation: a loop over draws, each at all points, JAX's own threads."""
    compiled = jax.jit(lambda layers, inputs: jax.lax.map(lambda draw: one(draw, inputs), layers))
    return lambda layers, inputs: np.asarray(compiled(layers, inputs))


def blocked(one):
    """In blocks of points on all cores, as in `differentiate`."""
    compiled = jax.jit(
        lambda layers, inputs: jax.lax.map(lambda draw: one(draw, inputs), layers),
        compiler_options={"xla_cpu_multi_thread_eigen": False},
    )

    def run(layers, inputs):
        out = np.empty((DRAWS, 6, POINTS), np.float32)

        def work(where, block):
            out[:, :, where] = np.asarray(compiled(layers, block))[:, :, : where.stop - where.start]

        Lanes(None, None, "").run(work, inputs, 1.0)
        return out

    return run


def pytorch():
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    torch.set_num_threads(n_cores())

    def one(layers, inputs):
        t, x = (torch.from_numpy(row.copy()).requires_grad_() for row in inputs)
        hidden = torch.stack([t, x])
        for layer in layers[:-1]:
            hidden = torch.tanh(torch.addmm(layer[:, -1:], layer[:, :-1], hidden))
        u = torch.addmm(layers[-1][:, -1:], layers[-1][:, :-1], hidden)[0]
        found = [u]
        for _ in range(4):
            found.append(torch.autograd.grad(found[-1].sum(), x, create_graph=True)[0])
        u_t = torch.autograd.grad(u.sum(), t)[0]
        return torch.stack([*found, u_t]).detach().numpy()

    def run(layers, inputs):
        parts = [torch.from_numpy(layer) for layer in layers]
        return np.stack([one([part[draw] for part in parts], inputs) for draw in range(DRAWS)])

    return run


def speed(repeats: int) -> None:
    layers, inputs = network(DRAWS), points()
    methods = {
        "ours": blocked(ours),
        "ours, whole": whole(ours),
        "jet, blocked": blocked(jetted),
        "jet, whole": whole(jetted),
        "nested grad, blocked": blocked(nested),
        "nested grad, whole": whole(nested),
    }
    if torch := pytorch():
        methods["nested PyTorch"] = torch
    expected = methods["ours"](layers, inputs)
    for name, method in methods.items():  # compiles, and checks that all agree
        error = np.abs(method(layers, inputs) - expected).max((0, 2)) / np.abs(expected).max((0, 2))
        print(f"{name}: largest difference from ours {error.max():.1e}")
    times: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(repeats):
        for name, method in methods.items():
            began = time.perf_counter()
            method(layers, inputs)
            times[name].append((time.perf_counter() - began) / DRAWS * 1e3)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    print(f"\nms a draw, {POINTS} points, blocks of {BLOCK['cpu']}, {n_cores()} cores")
    for name, taken in times.items():
        print(f"{name:22s} median {medians[name]:6.1f}   {', '.join(f'{each:.1f}' for each in sorted(taken))}")
    for name, bar in (("jet", 1.8), ("nested grad", 3.0), ("nested PyTorch", 7.0)):
        if rivals := [value for rival, value in medians.items() if rival.startswith(name)]:
            print(f"{min(rivals) / medians['ours']:5.1f} × the speed of {name} (bar: {bar})")


def posterior(draws: int) -> pdescry.Posterior:
    """Draws from the prior of a 5 × 50 network, sufficient for timing."""
    readings = pdescry.systems.burgers().observe(sensors=16, noise=0.05, seed=0)
    scaling = Scaling.of(readings)
    model, _ = build(readings, Network(WIDTH, DEPTH), Prior(), Noise(), scaling)
    positions = np.random.default_rng(0).standard_normal((1, draws, model.dimension), np.float32)
    trace = Trace(*(np.zeros((1, draws)) for _ in Trace._fields))
    return pdescry.Posterior(readings, Plan(model, Adam(), MCLMC()), scaling, positions[:, 0], positions, trace)


def memory(draws: int) -> None:
    pdescry.differentiate(posterior(1), "paper", points=1)  # imports and compiles
    given = posterior(draws)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.perf_counter()
    found = pdescry.differentiate(given, "paper", points=POINTS)
    taken = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{draws} draws × {POINTS} points, {len(found.terms)} terms and u_t: {taken:.0f} s, "
        f"{1e3 * taken / draws:.1f} ms a draw; the largest memory rose by {after - before:.0f} MB "
        f"to {after:.0f} MB (draws: {given.positions.nbytes / 2**20:.0f} MB; bar: 1,000 MB beyond them)"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "memory"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--draws", type=int, default=5800)
    given = parser.parse_args()
    if given.what == "speed":
        speed(given.repeats)
    else:
        memory(given.draws)
