"""Sequential threshold ridge regression, as in PDE-FIND (Rudy et al., 2017, their STRidge)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, final

import numpy as np

from pdescry.regression.estimator import Search, SparseRegressor, Table, check_gamma_power, check_least
from pdescry.regression.least_squares import least_squares
from pdescry.regression.options import GammaPower
from pdescry.regression.thresholding import Pass, drop_small
from pdescry.schema import Setting


@final
class SequentialRidge(SparseRegressor):
    """Ridge regression on columns of unit length with sequential threshold; finally least squares on the rest.

    Parameters
    ----------
    threshold : float
        Least size of a term, as a share of the left side: ‖c·column‖ / ‖y‖. Independent of units. Not doubled.
    penalty : float
        Of the ridge, with columns and left side at unit length; 1e-5 is PDE-FIND's.
    gamma_power : float
        As in `STBLR`.
    """

    scale_free = True

    def __init__(
        self,
        threshold: Annotated[float, Setting("least share of the left side that a term must have")] = 0.05,
        penalty: Annotated[float, Setting("of the ridge")] = 1e-5,
        gamma_power: GammaPower = 0.5,
    ) -> None:
        self.threshold = threshold
        self.penalty = penalty
        self.gamma_power = gamma_power

    def _check(self) -> None:
        for name in ("threshold", "penalty"):
            check_least(f"{name} of SequentialRidge", getattr(self, name))
        check_gamma_power(self)

    def _search(self, table: Table) -> Search:
        found = drop_small(table, self._regress, float(self.threshold), doubling=False)
        if not found.columns.size:
            return found
        coefficients, covariance = least_squares(table.X[:, found.columns], table.y, found.weights)
        return replace(found, coefficients=coefficients, covariance=covariance)

    def _regress(self, part: Table) -> Pass:
        weights = part.weighted(self.gamma_power)
        root = np.sqrt(weights.values)
        X, y = part.X * root[:, None], part.y * root
        length = np.linalg.norm(X, axis=0)
        k = len(length)
        # Ridge regression is least squares with one more row for each column.
        rows = np.vstack([X / length, np.sqrt(self.penalty) * np.eye(k)])
        size, _ = least_squares(rows, np.concatenate([y / np.linalg.norm(y), np.zeros(k)]), np.ones(len(rows)))
        return Pass(size * np.linalg.norm(y) / length, np.zeros((k, k)), np.abs(size), weights)
