"""Error of the posterior mean, and calibration of noise and intervals: nine cells × layouts.

    python benchmarks/interpolation.py run [--layouts 0 1 2] [--noises 0.05 0.01 0] [--out FILE.jsonl]
    python benchmarks/interpolation.py run --law --layouts 10 11 12 13 14 [--out FILE.jsonl]
    python benchmarks/interpolation.py table [--layouts 10 11 12] [--out FILE.jsonl]

Each cell is a system of the paper (16 random sensors, its times) and a noise level, with default settings of
`interpolate`. ``--places FOLDER`` puts the sensors where the paper had them, read from its released measurements in
that folder. ``--law`` measures the field that satisfies the law instead, with law and terms found in the same step from
the 36 candidates, over the whole domain: as `discover` does with ``--domain``. Cells are computed ``--workers`` at a
time, on one core each, or on the workers of a ``--cluster``.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import xarray as xr
from cells import add_engine, made

import pdescry
from pdescry.experiments.paper import EXPERIMENTS, NOISES
from pdescry.joint import Joint
from pdescry.surrogate import interpolate

# RMSE as published, one sensor layout: BNN, DNN, by noise.
PUBLISHED = {name: tuple(experiment.rmse.values()) for name, experiment in EXPERIMENTS.items()}


def measure(name: str, noise: float, layout: int, places: np.ndarray | None) -> dict:
    system = pdescry.systems.get(name)
    readings = system.observe(noise=noise, seed=layout, sensors=16 if places is None else places)
    began = time.monotonic()
    posterior = interpolate(readings, seed=layout, workers=1)
    seconds = time.monotonic() - began
    diagnostics = posterior.diagnostics
    return scored(name, noise, layout, readings, posterior.predict) | {
        "noise_sd": float(posterior.noise_sd.mean()),
        "r_hat": diagnostics.table.r_hat.to_dict(),
        "ess_bulk": diagnostics.table.ess_bulk.to_dict(),
        "energy_error": diagnostics.energy_error,
        "verdict": str(diagnostics.verdict),
        "mixed": diagnostics.mixed,
        "chains": posterior.n_chains,
        "seconds": seconds,
    }


def measure_with_law(name: str, noise: float, layout: int, places: np.ndarray | None) -> dict:
    system = pdescry.systems.get(name)
    sensors = 16 if places is None else places
    readings = system.observe(noise=noise, seed=layout, sensors=sensors)
    began = time.monotonic()
    choice = pdescry.choose(readings, method=Joint(domain=system.domain), workers=1)
    seconds = time.monotonic() - began
    fit = choice.fit
    return scored(name, noise, layout, fit.readings, fit.predict) | {
        "noise_sd": float(np.sqrt(np.mean(fit.noise**2))),
        "law": str(fit),
        "right": {str(each.term) for each in fit.terms} == {str(term) for term in system.equation.coefficients},
        "verdict": str(choice.comparison.reason or "a law was told"),
        "seconds": seconds,
    }


def scored(
    name: str, noise: float, layout: int, readings: pdescry.Readings, predict: Callable[..., xr.Dataset]
) -> dict:
    """Compared with the truth at random points of the whole domain; inside: between the outermost sensors."""
    system, rng = pdescry.systems.get(name), np.random.default_rng(1000 + layout)
    t, x = rng.uniform(*readings.span["t"], 1000), rng.uniform(*system.domain, 1000)
    truth = system.solution.at(t, x)
    found = predict(t, x, grid=False)
    inside = (x >= readings.space.min()) & (x <= readings.space.max())
    error = found["u"].to_numpy() - truth
    covered = (found["u_low"].to_numpy() <= truth) & (truth <= found["u_high"].to_numpy())
    return {
        "system": name,
        "noise": noise,
        "layout": layout,
        "rmse": float(np.sqrt(np.mean(error**2))),
        "rmse_inside": float(np.sqrt(np.mean(error[inside] ** 2))),
        "coverage_inside": float(covered[inside].mean()),
        "coverage_outside": float(covered[~inside].mean()) if not inside.all() else None,
        "outside": float((~inside).mean()),
    }


def run(
    out: Path,
    layouts: list[int],
    noises: list[float],
    folder: Path | None,
    with_law: bool,
    workers: int | None,
    cluster: str | None = None,
) -> None:
    import interpolation  # processes import the functions by the name of this module, not as the script's

    done = {(row["system"], row["noise"], row["layout"]) for row in rows(out)}
    tasks: dict[str, tuple] = {}
    for layout in layouts:
        for noise in noises:
            for name in PUBLISHED:
                if (name, noise, layout) in done:
                    continue
                places = None
                if folder is not None:
                    with np.load(folder / f"{name}_noise0.00_sensors.npz", allow_pickle=False) as paper:
                        places = np.unique(paper["x"])
                tasks[f"{name}, noise {noise:g}, layout {layout}"] = name, noise, layout, places
    make = interpolation.measure_with_law if with_law else interpolation.measure
    for _, row in made(make, tasks, workers, cluster):
        with out.open("a") as stream:
            stream.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)


def rows(out: Path) -> list[dict]:
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def table(out: Path, layouts: list[int] | None) -> None:
    """The table of these layouts, or of all."""
    found = [row for row in rows(out) if layouts is None or row["layout"] in layouts]
    with_law = any("law" in row for row in found)
    titles = (
        "system",
        "noise",
        "RMSE (each layout)",
        "published BNN, DNN",
        "no worse",
        "inferred noise",
        "covered",
        "right law" if with_law else "mixed",
        "seconds",
    )
    print("| " + " | ".join(titles) + " |\n|" + " --- |" * len(titles))
    for name, cells in PUBLISHED.items():
        for noise, published in zip(NOISES, cells, strict=True):
            cell = [row for row in found if (row["system"], row["noise"]) == (name, noise)]
            if not cell:
                continue

            def each(key: str, form: str, cell: list[dict] = cell) -> str:
                return ", ".join(format(row[key], form) for row in cell)

            mean = np.mean([row["rmse"] for row in cell])
            good = sum(row["right" if "right" in row else "mixed"] for row in cell)
            entries = (
                name,
                str(noise),
                f"{mean:.4f} ({each('rmse', '.4f')})",
                ", ".join(map(str, published)),
                "yes" if mean <= min(published) else "no",
                each("noise_sd", ".4f"),
                each("coverage_inside", ".0%"),
                f"{good} of {len(cell)}",
                each("seconds", ".0f"),
            )
            print("| " + " | ".join(entries) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--layouts", type=int, nargs="+")
    parser.add_argument("--noises", type=float, nargs="+", default=list(NOISES))
    parser.add_argument("--out", type=Path, default=Path("interpolation.jsonl"))
    parser.add_argument("--places", type=Path)
    parser.add_argument("--law", action="store_true")
    add_engine(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.what == "run":
        run(given.out, given.layouts or [0, 1, 2], given.noises, given.places, given.law, given.workers, given.cluster)
    table(given.out, given.layouts)
