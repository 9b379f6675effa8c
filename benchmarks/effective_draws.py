"""Effective draws per second: MCLMC compared with the paper's Hamiltonian Monte Carlo, on the same posterior.

    python benchmarks/effective_draws.py [--scale 1.0]

The posterior is the paper's as run: 5 × 50 network, N(0, 1) on every weight, inputs standardised, Burgers' readings
with noise 0.05, of which the program makes a precision of 1/0.05. The paper's setting: step 5e-4, 30 leapfrog steps,
6000 samples of which 200 are dropped, from the trained network. (With the noise as printed, 0.05, that step is always
rejected.) Both use two chains, one per core. Effective draws are those of u and u_xx at the worst of 100 probe points
(and their 5 % quantile), per second of sampling alone, of the last half of each chain, chain by chain: for a chain that
still drifts the number is overestimated, because its half is treated as stationary. ``--scale`` shortens both alike.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

import pdescry
from pdescry.surrogate import HMC, MCLMC, PAPER_DNN, Network, Posterior, Prior, interpolate
from pdescry.surrogate.diagnostics import _arviz, probe_points, probe_values

PAPER = {
    "network": Network(width=50, depth=5),
    "prior": Prior("standard_normal", scale=1.0),
    "noise": 20**-0.5,  # the program passes 1/0.05 as a precision
    "standardise": "inputs",
    "start": PAPER_DNN,
    "chains": 2,
}


def main(scale: float) -> None:
    readings = pdescry.systems.burgers().observe(noise=0.05, seed=0)
    draws = int(5800 * scale)
    samplers = {
        "HMC, the paper's": HMC(step_size=5e-4, steps=30, draws=draws, burn=200),
        # The same number of draws, with the same number of gradients each: 30 a sample there, 2 a transition here.
        "MCLMC": MCLMC(draws=draws, thin=15, burn=90, rungs=10, rung_transitions=800),
    }
    rates = {}
    for name, sampler in samplers.items():
        ticks: list[tuple[str, float]] = []
        posterior = interpolate(
            readings,
            **PAPER,
            sampler=sampler,
            progress=lambda stage, fraction, left, ticks=ticks: ticks.append((stage, time.monotonic())),
        )
        sampling = [moment for stage, moment in ticks if stage == "sampling"]
        seconds = max(sampling) - min(sampling)
        rates[name] = report(name, posterior, seconds)
    ratios = {what: rates["MCLMC"][what] / rates["HMC, the paper's"][what] for what in rates["MCLMC"]}
    print("MCLMC / HMC:", ", ".join(f"{what} {ratio:.1f}" for what, ratio in ratios.items()))


def report(name: str, posterior: Posterior, seconds: float) -> dict[str, float]:
    print(f"{name}: {seconds:.0f} s of sampling; {posterior.diagnostics.verdict}")
    log_p = np.asarray(posterior.trace.log_density)
    print(
        "  log p by fifths of each chain:", [[round(float(v.mean())) for v in np.array_split(row, 5)] for row in log_p]
    )
    values = probe_values(posterior, probe_points(posterior.readings))
    rates = {}
    for quantity in ("u", "u_xx"):
        part = values[quantity][:, values[quantity].shape[1] // 2 :]
        # Chain by chain: otherwise chains that disagree would count as a handful of draws, however well each mixes.
        effective = np.sum(
            [_arviz().ess(_arviz().convert_to_dataset({"v": chain[None]}))["v"].values for chain in part], axis=0
        )
        rates[f"{quantity} (worst)"] = float(effective.min()) / (seconds / 2)
        rates[f"{quantity} (5 %)"] = float(np.quantile(effective, 0.05)) / (seconds / 2)
    print("  effective draws per second:", ", ".join(f"{what} {rate:.3g}" for what, rate in rates.items()), flush=True)
    return rates


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0)
    warnings.simplefilter("ignore")
    main(parser.parse_args().scale)
