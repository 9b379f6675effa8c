"""One full-scale cell of the paper, ours and PyTorch on the same cores in the same run; its memory; growth of cost.

    pip install torch==2.13.0          # for this comparison only
    python benchmarks/paper_cell.py time [--system burgers] [--noise 0.05] [--share 0.1]
    python benchmarks/paper_cell.py growth

time: DNN (30,000 steps of Adam), chain (6,000 × 30 leapfrog steps), derivatives (5,800 draws at 10,000 points), STBLR,
STOLS, both laws solved forward. Ours is `discover` with the preset "paper" (which also judges the chain and checks the
law forward; the derivatives run in parallel with the chain, on the idle core), the baseline's derivatives, STOLS and
the solutions. PyTorch (eager, as many threads as cores) does a tenth of the steps, samples and draws, and is
extrapolated from it; regressions and solutions are the same code for both and counted for both as measured.

growth: seconds of chain and derivatives with half and a quarter of the draws, points and readings.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import tempfile
import time
from pathlib import Path
from typing import cast

import numpy as np

from pdescry.cores import n_cores
from pdescry.data import systems
from pdescry.derivatives import differentiate
from pdescry.discovery import discover
from pdescry.experiments.cell import Cell
from pdescry.experiments.reproduce import SCALES
from pdescry.regression import STBLR, STOLS, SparseFit, regress
from pdescry.solver import simulate
from pdescry.surrogate import HMC, Network, Prior, interpolate
from pdescry.two_stage import Regressed

WIDTH, DEPTH, LEAPFROG = 50, 5, 30
EXTRA = "of which judging the chain and trying the law forward"  # of ours alone: the paper's program does neither


def clock(work):
    began = time.perf_counter()
    return work(), time.perf_counter() - began


# ---- ours ------------------------------------------------------------------------------------------------------------


def ours(cell: Cell) -> tuple[dict[str, float], float]:
    """Seconds by part, and the seconds of the parts that both sides share."""
    experiment, system, scale = cell.experiment, systems.get(cell.system), SCALES["full"]
    stages: dict[str, float] = {}

    def progress(stage: str, fraction: float, left: float | None) -> None:
        stages[stage.partition(":")[0]] = time.perf_counter()

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        law = discover(
            cell.readings(),
            "paper",
            preset="paper",
            seed=cell.seed,
            sampler=HMC(step_size=experiment.step_size, steps=LEAPFROG, draws=scale.draws, burn=scale.burn),
            method=STBLR(experiment.threshold),
            within={"t": (0.0, float(system.until)), "x": (float(system.domain[0]), float(system.domain[1]))},
            workdir=Path(folder) / "run",
            figures=False,
            progress=progress,
        )
        seconds = {"discover": time.perf_counter() - began}
    seconds["of which field"] = stages["field"] - began
    seconds["of which derivatives"] = stages["derivatives"] - stages["field"]
    regressed = cast(Regressed, law.inference)  # as the preset "paper" has it
    own = regressed.derivatives
    assert own is not None
    places = own.points
    baseline, seconds["baseline's derivatives"] = clock(
        lambda: differentiate(regressed.posterior.start, "paper", points=places)
    )
    fit, stols = clock(lambda: regress(baseline, STOLS(experiment.threshold)))
    _, stblr = clock(lambda: regress(own, STBLR(experiment.threshold)))
    seconds[EXTRA] = seconds["discover"] - (stages["derivatives"] - began) - stblr
    solved = 0.0
    for found in (fit, law):
        if found.support.any() if isinstance(found, SparseFit) else found.found:
            _, passed = clock(
                lambda equation=found.equation: simulate(
                    equation, domain=system.domain, until=system.until, initial=system.initial,
                    boundary=system.boundary,
                )
            )  # fmt: skip
            solved += passed
    seconds |= {"STOLS": stols, "solutions": solved}
    return seconds, stblr + stols + solved


# ---- PyTorch ---------------------------------------------------------------------------------------------------------


def pytorch(cell: Cell, share: float) -> dict[str, float]:
    """Seconds by part for the whole work, extrapolated from a share of its steps, samples and draws."""
    import torch  # pyright: ignore[reportMissingImports]

    torch.set_num_threads(n_cores())
    readings, scale = cell.readings(), SCALES["full"]
    points = np.column_stack([readings.time, readings.space])
    inputs = torch.tensor((points - points.mean(0)) / points.std(0), dtype=torch.float32)
    targets = torch.tensor(readings.values, dtype=torch.float32)
    generator = torch.Generator().manual_seed(0)
    sizes = [2, *[WIDTH] * DEPTH, 1]
    weights = [
        (torch.rand(shape, generator=generator) * 2 - 1) / before**0.5
        for before, after in itertools.pairwise(sizes)
        for shape in ((before, after), (after,))
    ]

    def field(leaves: list, hidden):
        for k in range(0, len(leaves) - 2, 2):
            hidden = torch.tanh(torch.addmm(leaves[k + 1], hidden, leaves[k]))
        return torch.addmm(leaves[-1], hidden, leaves[-2])

    # ---- the DNN
    leaves = [part.clone().requires_grad_() for part in weights]
    adam = torch.optim.Adam(leaves, lr=2e-4)

    def train(steps: int) -> None:
        best, kept = float("inf"), leaves
        for _ in range(steps):
            adam.zero_grad()
            loss = (field(leaves, inputs) - targets).square().mean()
            loss.backward()
            if (value := loss.item()) < best:
                best, kept = value, [leaf.detach().clone() for leaf in leaves]
            adam.step()
        weights[:] = kept

    # ---- the chain
    def log_p_and_gradient(place: list) -> tuple:
        place = [part.requires_grad_() for part in place]
        misfit = field(place, inputs) - targets
        log_p = -0.5 * 100.0 * misfit.square().sum() - 0.5 * sum(part.square().sum() for part in place)
        return log_p.item(), list(torch.autograd.grad(log_p, place))

    step = cell.experiment.step_size
    draws: list = []

    def sample(number: int) -> None:
        here = [part.detach().clone() for part in weights]
        now, first = log_p_and_gradient(here)
        for _ in range(number):
            momentum = [torch.randn(part.shape, generator=generator) for part in here]
            energy = now - 0.5 * sum(p.square().sum().item() for p in momentum)
            place, slope, then = [part.detach().clone() for part in here], first, now
            with torch.no_grad():
                for _ in range(LEAPFROG):
                    momentum = [p + step / 2 * g for p, g in zip(momentum, slope, strict=True)]
                    place = [w.detach() + step * p for w, p in zip(place, momentum, strict=True)]
                    with torch.enable_grad():
                        then, slope = log_p_and_gradient(place)
                    momentum = [p + step / 2 * g for p, g in zip(momentum, slope, strict=True)]
            if (
                np.log(np.random.default_rng(len(draws)).uniform())
                < then - 0.5 * sum(p.square().sum().item() for p in momentum) - energy
            ):
                here, first, now = [part.detach() for part in place], slope, then
            draws.append([part.detach() for part in here])

    # ---- the derivatives
    random = np.random.default_rng(0)
    system = systems.get(cell.system)
    where = np.column_stack(
        [random.uniform(0, system.until, scale.points), random.uniform(*system.domain, scale.points)]
    )
    columns = [torch.tensor(column, dtype=torch.float32) for column in ((where - points.mean(0)) / points.std(0)).T]

    def sweep(number: int) -> None:
        total = torch.zeros(12, scale.points)
        squares = torch.zeros(12, scale.points)
        for draw in draws[-number:]:
            t, x = (column.clone().requires_grad_() for column in columns)
            u = field(draw, torch.stack([t, x], 1))[:, 0]
            along = [u]
            for _ in range(4):
                along.append(torch.autograd.grad(along[-1].sum(), x, create_graph=True)[0])
            (rate,) = torch.autograd.grad(u.sum(), t)
            u, first, second, third, fourth = (part.detach() for part in along)
            terms = torch.stack(
                [u, first, second, third, fourth, u * first, u * second, u * third, u * fourth, u**2, first**2, rate]
            )
            total += terms
            squares += terms**2

    steps, samples, sweeps = (int(share * whole) for whole in (scale.start.steps, 6000, scale.draws))
    train(20)
    found = {"DNN": clock(lambda: train(steps))[1] * scale.start.steps / steps}
    sample(2)
    found["chain"] = clock(lambda: sample(samples))[1] * 6000 / samples
    sweep(2)
    found["derivatives"] = clock(lambda: sweep(sweeps))[1] * scale.draws / sweeps
    return found


def peak_memory() -> float:
    """Peak memory in GB of this process and those it started, summed although the peaks differ in time (Linux only).

    Workers continue for the next call, so they are not among the ended children of `resource`.
    """
    own, total = str(os.getpid()), 0.0
    for path in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):  # it has just ended
            status = dict(line.split(":\t", 1) for line in path.read_text().splitlines() if ":\t" in line)
            if own in (status["Pid"], status["PPid"]) and "VmHWM" in status:
                total += int(status["VmHWM"].split()[0]) / 1e6
    return total


def compare(cell: Cell, share: float) -> None:
    mine, shared = ours(cell)
    peak = peak_memory()
    theirs = pytorch(cell, share)
    total = sum(value for name, value in mine.items() if not name.startswith("of which"))
    other = sum(theirs.values()) + shared
    print(f"cell {cell.name}, {n_cores()} cores")
    print("ours: " + ", ".join(f"{name} {value:.1f} s" for name, value in mine.items()))
    print(f"PyTorch, from {share:.0%} of the work: " + ", ".join(f"{n} {value:.0f} s" for n, value in theirs.items()))
    print(f"shared by both: regressions and solutions {shared:.1f} s")
    print(f"in all: ours {total:.0f} s, PyTorch {other:.0f} s: {other / total:.1f} times as long")
    same = total - mine[EXTRA]
    print(f"the same work on both sides: ours {same:.0f} s: {other / same:.1f} times as long (bar 5)")
    print(f"peak memory of ours, this process and its worker added up: {peak:.2f} GB (bar 2)")


# ---- how cost grows --------------------------------------------------------------------------------------------------


def growth() -> None:
    system = systems.burgers()

    def chain(draws: int, readings: int):
        every = system.until / (readings // 16 - 1)
        return lambda: interpolate(
            system.observe(every=every, noise=0.05),
            network=Network(WIDTH, DEPTH),
            prior=Prior("standard_normal", scale=1.0),
            noise=0.1,
            start=SCALES["quick"].start,
            sampler=HMC(step_size=5e-4, steps=LEAPFROG, draws=draws, burn=1),
            chains=1,
            standardise="inputs",
        )

    chain(8, 816)()  # compiled, and the worker started
    posterior = chain(600, 816)()
    differentiate(posterior, "paper", points=256)
    print("| what | number | seconds | per unit, relative to the first |\n| --- | --- | --- | --- |")

    def rows(name: str, numbers: list[int], work) -> None:
        first = None
        for number in numbers:
            run = work(number)
            _, passed = clock(run)
            each = passed / number
            first = first or each
            print(f"| {name} | {number} | {passed:.1f} | {each / first:.2f} |", flush=True)

    rows("draws of the chain (816 readings, with a short warm start)", [1200, 600, 300], lambda n: chain(n, 816))
    rows("readings (600 draws; compiled anew for each number)", [1632, 816, 408], lambda n: chain(600, n))
    rows("points of the derivatives (600 draws)", [10_000, 5_000, 2_500],
         lambda n: lambda: differentiate(posterior, "paper", points=n))  # fmt: skip
    halves = {n: _part(posterior, n) for n in (600, 300, 150)}
    rows("draws of the derivatives (10,000 points)", list(halves),
         lambda n: lambda: differentiate(halves[n], "paper", points=10_000))  # fmt: skip


def _part(posterior, number: int):
    from dataclasses import replace

    return replace(posterior, positions=posterior.positions[:, :number])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["time", "growth"])
    parser.add_argument("--system", choices=["burgers", "kdv", "heat"], default="burgers")
    parser.add_argument("--noise", type=float, default=0.05)
    parser.add_argument("--share", type=float, default=0.1)
    given = parser.parse_args()
    if given.what == "time":
        compare(Cell(given.system, given.noise, 0), given.share)
    else:
        growth()
