"""How well laws predict left-out sensors when draws of them are solved forward: the table in docs/discovery.md.

    python benchmarks/forward.py FOLDER > table.txt

FOLDER holds posteriors as ``benchmarks/accuracy.py`` leaves them (``burgers-0.05-10.nc``). The true terms are fitted,
not searched for.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pandas as pd

import pdescry
from pdescry.discovery.forward import check_forward
from pdescry.joint import Choice, Comparison
from pdescry.joint.inference import JointInference

LAWS = {
    "heat-0.01": "u_t = u_xx",
    "heat-0.05": "u_t = u_xx",
    "burgers-0.01": "u_t = u*u_x + u_xx",
    "burgers-0.05": "u_t = u*u_x + u_xx",
    "kdv-0.01": "u_t = u*u_x + u_xxx",
    "kdv-0.05": "u_t = u*u_x + u_xxx",
    "advection_diffusion-5%": "u_t = u_x + u_xx",
    "fisher_kpp-5%": "u_t = u_xx + u + u^2",
    "allen_cahn-5%": "u_t = u_xx + u + u^3",
    "kuramoto_sivashinsky-5%": "u_t = u*u_x + u_xx + u_xxxx",
}
LAYOUTS = (10, 11, 12)


def main(folder: Path) -> None:
    print("system layout misfit sensors draws unsolved rms expected ratio coverage log_score cpu_seconds", flush=True)
    for name, law in LAWS.items():
        for layout in LAYOUTS:
            fit = pdescry.refine(pdescry.Posterior.load(folder / f"{name}-{layout}.nc"), law)
            # Terms that are given have nothing to be compared with.
            alone = Comparison(pd.DataFrame(), pd.Series(dtype=float), pd.DataFrame(), {})
            began = time.process_time()
            found = check_forward(JointInference(Choice(fit, fit.terms, alone)))
            seconds, score = time.process_time() - began, found.score
            if score is None:
                print(name, layout, found.status, found.message, found.unscored, f"{seconds:.1f}", flush=True)
                continue
            print(
                f"{name} {layout} {found.misfit:.4f} {len(score.sensors)} {score.draws} {score.unsolved} "
                f"{score.rms_error:.4g} {score.expected:.4g} {score.rms_error / score.expected:.2f} "
                f"{score.coverage:.3f} {score.log_score:.3f} {seconds:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
