"""Readings → posterior → derivatives → STBLR, and posterior → `refine`: errors, and coverage by the intervals.

    python benchmarks/laws.py FOLDER [--systems burgers kdv heat] [--noises 0.05] [--seeds 0 1 2] [--workers 2]

For each cell the posterior of `interpolate` with default settings is computed (minutes) and saved in FOLDER as
SYSTEM_NOISE_SEED.nc; existing cells are not computed again, and a stopped one is continued. Then, in seconds: STBLR
with the paper's δ on the paper's eleven candidates; to judge the sds alone, the same on the true terms with δ = 0:
error of each coefficient, in units of formal sds and of those from draws; and the true terms refined, field and
coefficients together.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import pdescry
from pdescry.experiments.paper import EXPERIMENTS
from pdescry.regression import STBLR

SYSTEMS = ("burgers", "kdv", "heat")


def posterior_of(folder: Path, system: str, noise: float, seed: int, workers: int | None) -> pdescry.Posterior:
    path = folder / f"{system}_{noise}_{seed}.nc"
    if not path.exists():
        readings = getattr(pdescry.systems, system)().observe(sensors=16, noise=noise, seed=seed)
        run = folder / f"run_{system}_{noise}_{seed}"
        pdescry.interpolate(readings, workdir=run, workers=workers).save(path)
    return pdescry.Posterior.load(path)


def show(folder: Path, system: str, noise: float, seed: int, workers: int | None) -> tuple[list[float], list[float]]:
    """Print one cell; returns the errors of the true terms in units of the sds from draws, and in those of the refined
    law."""
    posterior = posterior_of(folder, system, noise, seed, workers)
    derivatives = pdescry.differentiate(posterior, "paper", keep_points=500)
    truth = getattr(pdescry.systems, system)().equation.coefficients
    found = pdescry.regress(derivatives, STBLR(EXPERIMENTS[system].threshold))
    errors = [c - truth.get(term, 0.0) for term, c in zip(found.terms, found.coefficients, strict=True)]
    print(f"{system} {noise} seed {seed}: {posterior.diagnostics.verdict.code}", flush=True)
    print(f"  {str(found).splitlines()[0]}\n  e_C {np.linalg.norm(errors):.3f}")
    given = pdescry.regress(derivatives.select(list(truth)), STBLR(0.0))
    ratios = []
    table = given.table
    for term, found_value, formal, honest in zip(
        given.terms, table["coefficient"], table["formal_sd"], table["honest_sd"], strict=True
    ):
        error = found_value - truth[term]
        ratios.append(error / honest)
        print(
            f"  {term}: {found_value:.4f}, error {error:+.4f} = {error / formal:+.1f} formal sds"
            f" = {error / honest:+.1f} honest sds of {honest:.3f}"
        )
    began = time.monotonic()
    refined = pdescry.refine(posterior, list(truth))
    took = time.monotonic() - began
    wrong = refined.values - np.array([truth[term] for term in refined.terms])
    published = EXPERIMENTS[system].stblr.get(noise)
    beside = f" (published {published.e_C})" if published else ""
    print(f"  refined in {took:.0f} s: {refined}, e_C {np.linalg.norm(wrong):.4f}{beside}")
    print("  errors in sds: " + ", ".join(f"{error:+.1f}" for error in wrong / refined.sd), flush=True)
    return ratios, list(wrong / refined.sd)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    parser.add_argument("--noises", nargs="+", type=float, default=[0.05])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--workers", type=int)
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    cells = [(s, n, k) for n in given.noises for s in given.systems for k in given.seeds]
    shown = [show(given.folder, *cell, given.workers) for cell in cells]
    for name, parts in zip(("honest", "refined"), zip(*shown, strict=True), strict=True):
        ratios = np.concatenate(parts)
        print(f"{np.mean(np.abs(ratios) < 1.96):.0%} of {len(ratios)} {name} 95 % intervals hold the truth")
