"""Automatic relevance determination: each column has a prior width of its own, and columns whose width vanishes are
dropped."""

from __future__ import annotations

from typing import Annotated, Any, final

import numpy as np
from sklearn.linear_model import ARDRegression

from pdescry.regression.estimator import Search, SparseRegressor, Step, Table, check_gamma_power, check_least
from pdescry.regression.evidence import evidence_of
from pdescry.regression.options import GammaPower
from pdescry.schema import Setting


@final
class ARD(SparseRegressor):
    """scikit-learn's `ARDRegression` on columns and left side of unit mean square, so that units do not matter.

    Parameters
    ----------
    max_precision : float
        A column is dropped when its prior precision exceeds this; 1e4 means that its prior width is a hundredth of the
        left side.
    gamma_power : float
        As in `STBLR`; γ is computed from all columns.
    """

    scale_free = True

    def __init__(
        self,
        max_precision: Annotated[float, Setting("a term of higher prior precision is dropped")] = 1e4,
        gamma_power: GammaPower = 0.5,
    ) -> None:
        self.max_precision = max_precision
        self.gamma_power = gamma_power

    def _check(self) -> None:
        check_least("max_precision of ARD", self.max_precision, zero=False)
        check_gamma_power(self)

    def _search(self, table: Table) -> Search:
        weights = table.weighted(self.gamma_power)
        root = np.sqrt(weights.values)
        X, y = table.X * root[:, None], table.y * root
        size, left = np.sqrt(np.mean(X**2, axis=0)), np.sqrt(np.mean(y**2))
        model: Any = ARDRegression(fit_intercept=False, threshold_lambda=self.max_precision)
        model.fit(X / size, y / left)
        coefficients = model.coef_ * left / size
        columns = np.flatnonzero(model.lambda_ < self.max_precision)
        step = Step(
            table.names,
            tuple(coefficients.tolist()),
            evidence_of(table.X, table.y, weights.values),
            dropped=tuple(
                name
                for name, precision in zip(table.names, model.lambda_, strict=True)
                if precision >= self.max_precision
            ),
            gamma=weights.gamma,
        )
        if not columns.size:
            return Search.empty(len(y), (step,), weights.notes)
        covariance = model.sigma_ * left**2 / np.outer(size[columns], size[columns])
        return Search(columns, coefficients[columns], covariance, weights.values, (step,), weights.notes)
