"""PySINDy's weak form on a full grid of readings, to compare with (``speed.py``, the case "grid").

    PYTHON benchmarks/weak_form.py grid.csv

PYTHON is that of an environment of its own with pysindy and pandas. Weak-form features over random subdomains; the
threshold is the one that predicts other subdomains best, its coefficients are of the first ones. Prints the law.
"""

# pyright: basic, reportMissingImports=false, reportArgumentType=false

import sys
import warnings

import numpy as np
import pandas as pd
import pysindy as ps

THRESHOLDS = 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2
SUBDOMAINS = 1000


def features(x, t, u, seed):
    """Features, their targets, and their names."""
    np.random.seed(seed)  # noqa: NPY002 (which PySINDy draws from)
    grid = np.stack(np.meshgrid(x, t, indexing="ij"), axis=-1)
    library = ps.WeakPDELibrary(
        function_library=ps.PolynomialLibrary(degree=2, include_bias=False),
        derivative_order=3,
        spatiotemporal_grid=grid,
        K=SUBDOMAINS,
    )
    field = ps.AxesArray(u[..., None], {"ax_spatial": [0], "ax_time": 1, "ax_coord": 2})
    (found,) = library.fit_transform([field])
    return np.asarray(found), np.asarray(library.convert_u_dot_integral(field)), library.get_feature_names(["u"])


def main():
    warnings.filterwarnings("ignore")
    table = pd.read_csv(sys.argv[1]).pivot(index="x", columns="t", values="u")
    x, t, u = table.index.to_numpy(), table.columns.to_numpy(), table.to_numpy()
    (seen, change, names), (other, its_change, _) = (features(x, t, u, seed) for seed in (0, 1))
    laws = [
        ps.STLSQ(threshold=each, alpha=1e-12, normalize_columns=False).fit(seen, change).coef_[0] for each in THRESHOLDS
    ]
    best = min(laws, key=lambda law: np.linalg.norm(other @ law[:, None] - its_change))
    print("u_t =", " + ".join(f"{value:.5g}*{name}" for value, name in zip(best, names, strict=True) if value))


if __name__ == "__main__":
    main()
