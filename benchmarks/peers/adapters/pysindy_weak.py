"""PySINDy's weak form (integrals over random subdomains of a grid) with sequentially thresholded least squares."""

# pyright: basic, reportMissingImports=false, reportArgumentType=false

from __future__ import annotations

import warnings

import numpy as np
import pysindy as ps
from exchange import Answer, Clock, Work, main
from gridded import fields
from stlsq import answers_of, degree_and_order

SUBDOMAINS = 400
HALF = (1 / 20, 1 / 8, 1 / 5)  # of a subdomain, as a share of each side of the grid; the first is PySINDy's


def method(work: Work) -> tuple[list[Answer], int]:
    warnings.filterwarnings("ignore")
    degree, order = degree_and_order(work)
    clock, answers = Clock(), []
    grids = fields(work)
    smoothed = clock()
    for name, grid in grids.items():
        values = np.moveaxis(grid.values, 0, -2)  # (X, [Y,] T, f), as PySINDy has it
        sides = np.array([np.ptp(each) for each in (*grid.places, grid.times)])
        axes = {"ax_spatial": list(range(len(work.axes))), "ax_time": len(work.axes), "ax_coord": len(work.axes) + 1}
        field = ps.AxesArray(values, axes)
        for half in HALF:
            begun = clock()
            np.random.seed(work.seed)  # noqa: NPY002 (which PySINDy draws from)
            library = ps.WeakPDELibrary(
                function_library=ps.PolynomialLibrary(degree=degree, include_bias=False),
                derivative_order=order,
                spatiotemporal_grid=np.stack(np.meshgrid(*grid.places, grid.times, indexing="ij"), axis=-1),
                include_bias=True,
                K=SUBDOMAINS,
                H_xt=list(half * sides),
            )
            columns = library.fit_transform([field])[0]
            rates = library.convert_u_dot_integral(field)
            names = library.get_feature_names(list(work.fields))
            said = f"{name}, subdomains of {2 * half:.0%}"
            answers += answers_of(columns, rates, names, work, said, smoothed + clock(begun))
    return answers, 0


if __name__ == "__main__":
    main(method, "pysindy", "scikit-learn")
