"""Sequential threshold ordinary least squares: the paper's baseline (its tables 3 and 6)."""

from __future__ import annotations

from typing import final

import numpy as np

from pdescry.regression.estimator import Search, SparseRegressor, Table, check_least, check_switch
from pdescry.regression.least_squares import least_squares
from pdescry.regression.options import Doubling, Threshold
from pdescry.regression.thresholding import Pass, drop_small


@final
class STOLS(SparseRegressor):
    """Least squares with sequential threshold. All rows have the same weight: the variance is checked and not used.

    Parameters
    ----------
    threshold : float
        In the coefficients' units, one for all; 0 drops nothing.
    doubling : bool
        Whether it doubles after each pass.
    """

    scale_free = False

    def __init__(self, threshold: Threshold, doubling: Doubling = True) -> None:
        self.threshold = threshold
        self.doubling = doubling

    def _check(self) -> None:
        check_least("threshold of STOLS", self.threshold)
        check_switch("doubling of STOLS", self.doubling)

    def _search(self, table: Table) -> Search:
        return drop_small(table, _regress, float(self.threshold), bool(self.doubling))


def _regress(part: Table) -> Pass:
    alike = part.weighted(0.0)
    coefficients, covariance = least_squares(part.X, part.y, alike.values)
    return Pass(coefficients, covariance, np.abs(coefficients), alike)
