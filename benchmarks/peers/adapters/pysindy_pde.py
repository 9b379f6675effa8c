"""PySINDy's PDE library (finite differences on a grid) with sequentially thresholded least squares."""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import warnings

import numpy as np
import pysindy as ps
from exchange import Answer, Clock, Work, main
from gridded import fields
from stlsq import answers_of, degree_and_order

POINTS = 20_000  # of the grid that the regression takes at most


def method(work: Work) -> tuple[list[Answer], int]:
    warnings.filterwarnings("ignore")
    degree, order = degree_and_order(work)
    clock, answers = Clock(), []
    grids = fields(work)
    smoothed = clock()
    for name, grid in grids.items():
        begun = clock()
        values = np.moveaxis(grid.values, 0, -2)  # (X, [Y,] T, f), as PySINDy has it
        library = ps.PDELibrary(
            function_library=ps.PolynomialLibrary(degree=degree, include_bias=False),
            derivative_order=order,
            spatial_grid=np.stack(np.meshgrid(*grid.places, indexing="ij"), axis=-1),
            include_bias=True,
        )
        axes = {"ax_spatial": list(range(len(work.axes))), "ax_time": len(work.axes), "ax_coord": len(work.axes) + 1}
        field = ps.AxesArray(values, axes)
        columns = np.asarray(library.fit_transform([field])[0])
        rates = np.asarray(ps.FiniteDifference(axis=len(work.axes))(field, grid.times))
        columns, rates = columns.reshape(-1, columns.shape[-1]), rates.reshape(-1, rates.shape[-1])
        some = np.random.default_rng(work.seed).permutation(len(rates))[:POINTS]
        names = library.get_feature_names(list(work.fields))
        answers += answers_of(columns[some], rates[some], names, work, name, smoothed + clock(begun))
    return answers, 0


if __name__ == "__main__":
    main(method, "pysindy", "scikit-learn")
