"""Probability of the left side given a subset of columns, whatever their coefficients: the log marginal likelihood.

Bayesian linear regression with Zellner's prior, c ~ N(0, g·θ²(XᵀX)⁻¹): its width scales with the units of each column,
so that rescaling columns has no effect, and the evidence depends only on f, the share of yᵀy that the columns leave
unexplained. For N rows and k columns

    log p = −N/2·log(2πe·θ²) − k/2·log(1+g),    N·θ² = yᵀy·(f + (1−f)/(1+g)),

where θ maximises it as written, and g at 1 + g = (N−k)(1−f)/(k·f). But g is at least N, the information of one row: a
tighter prior would admit a column of noise at no cost. Rows are treated as independent, which rows of one smooth field
are not: differences in evidence are then too large, and too many terms tend to be selected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdescry.regression.columns import COLLINEAR

# Below this share of yᵀy the result is rounding of the Gram matrix.
FLOOR = 1e-12
# A column is collinear if its residual on the others is below this (squared, relative).
PIVOT = COLLINEAR**2


@dataclass(frozen=True)
class Gram:
    """Sufficient statistics of N weighted rows for the evidence.

    matrix: (T+1, T+1), inner products of the columns and, last, of y, each at unit length.
    square: yᵀWy; log_scale: Σ log √w, which makes evidences under different weights comparable.
    """

    matrix: NDArray[np.float64]
    square: float
    rows: int
    log_scale: float

    @classmethod
    def of(cls, X: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]) -> Gram:
        table = np.column_stack([X, y]) * np.sqrt(weights)[:, None]
        length = np.linalg.norm(table, axis=0)
        table = table / length
        return cls(table.T @ table, float(length[-1] ** 2), len(y), float(np.sum(np.log(weights)) / 2))

    def unexplained(self, columns: Sequence[int] | NDArray[np.intp]) -> float:
        """The share of yᵀWy that least squares on these columns leaves unexplained; NaN if they are collinear."""
        places = [*columns, -1]
        part = self.matrix[np.ix_(places, places)][None]
        for _ in columns:
            part = _eliminate(part)
        return float(part[0, 0, 0])

    def unexplained_by_all(self) -> NDArray[np.float64]:
        """The same for all 2^T subsets: bit j of the index says whether column j is included.

        One elimination serves all subsets with the same prefix (Furnival and Wilson, 1974), so that 2^16 take
        milliseconds.
        """
        parts = self.matrix[None]
        for _ in range(len(self.matrix) - 1):
            parts = np.concatenate([parts[:, 1:, 1:], _eliminate(parts)])
        return parts[:, 0, 0]


def _eliminate(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Residuals of the others on the first column, (M, m, m) → (M, m−1, m−1); NaN where it is collinear."""
    pivot = np.where(parts[:, :1, :1] > PIVOT, parts[:, :1, :1], np.nan)
    return parts[:, 1:, 1:] - parts[:, 1:, :1] * parts[:, :1, 1:] / pivot


def log_evidence(gram: Gram, unexplained: ArrayLike, size: ArrayLike) -> NDArray[np.float64]:
    """log p(y | columns) from f and k; −∞ for collinear columns and if there are not more rows than columns."""
    f, k, n = np.clip(unexplained, FLOOR, 1.0), np.asarray(size, float), gram.rows
    widest = np.where(k > 0, (n - k) * (1 - f) / (np.maximum(k, 1) * f), 1.0)
    one_plus_g = np.where(k > 0, np.maximum(widest, 1.0 + n), 1.0)
    # Without columns nothing is explained: f = 1.
    noise = gram.square * (f + (1 - f) / one_plus_g) / n
    score = -n / 2 * np.log(2 * np.pi * np.e * noise) - k / 2 * np.log(one_plus_g) + gram.log_scale
    return np.where(np.isnan(f) | (k >= n), -np.inf, score)


def log_bic(gram: Gram, unexplained: ArrayLike, size: ArrayLike) -> NDArray[np.float64]:
    """−BIC/2, on the scale of `log_evidence`: the best likelihood less ½·log N for each column."""
    f, k, n = np.clip(unexplained, FLOOR, 1.0), np.asarray(size, float), gram.rows
    score = -n / 2 * np.log(2 * np.pi * np.e * gram.square * f / n) - k / 2 * np.log(n) + gram.log_scale
    return np.where(np.isnan(f) | (k >= n), -np.inf, score)


def evidence_of(X: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """`log_evidence` of all columns of X together."""
    gram = Gram.of(X, y, weights)
    return float(log_evidence(gram, gram.unexplained(range(X.shape[1])), X.shape[1]))
