"""Prediction of held-out sensors by draws of laws solved forward: the table in docs/discovery.md.

    python benchmarks/forward.py > table.txt

16 sensors at random places (32 for Kuramoto–Sivashinsky), as in ``benchmarks/accuracy.py``. The true terms are fitted,
not searched for.
"""

from __future__ import annotations

import time

import pandas as pd

import pdescry
from pdescry.discovery.forward import check_forward
from pdescry.joint import Choice, Comparison
from pdescry.joint.field.process import Process
from pdescry.joint.inference import JointInference

CELLS = [
    *((name, noise, 16) for name in ("heat", "burgers", "kdv") for noise in (0.01, 0.05)),
    *((name, "5%", 16) for name in ("advection_diffusion", "fisher_kpp", "allen_cahn")),
    ("kuramoto_sivashinsky", "5%", 32),
]
LAYOUTS = (10, 11, 12)


def inference_of(readings: pdescry.Readings, law: pdescry.Equation) -> JointInference:
    """An inference with given terms, without a comparison."""
    fit = pdescry.refine(readings, law)
    none = pd.DataFrame({"field": [], "term": [], "probability": []})
    alone = Comparison(pd.DataFrame(), none, pd.DataFrame(), {})
    processes = tuple((Process.fitted("shared", readings, number),) for number in range(len(readings.fields)))
    return JointInference(Choice(fit, fit.terms, alone, readings.fields, processes), (readings,))


def main() -> None:
    print(
        "system noise layout misfit sensors draws unsolved rms expected ratio coverage log_score cpu_seconds",
        flush=True,
    )
    for name, noise, sensors in CELLS:
        system = pdescry.systems.get(name)
        for layout in LAYOUTS:
            inference = inference_of(system.observe(sensors=sensors, noise=noise, seed=layout), system.equation)
            began = time.process_time()
            found = check_forward(inference)
            seconds, score = time.process_time() - began, found.score
            if score is None:
                print(name, noise, layout, found.status, found.message, found.unscored, f"{seconds:.1f}", flush=True)
                continue
            print(
                f"{name} {noise} {layout} {found.misfit:.4f} {len(score.sensors)} {score.draws} {score.unsolved} "
                f"{score.rms_error:.4g} {score.expected:.4g} {score.rms_error / score.expected:.2f} "
                f"{score.coverage:.3f} {score.log_score:.3f} {seconds:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
