"""Weighted least squares and its formal covariance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdescry.regression.columns import COLLINEAR


def least_squares(
    X: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """argmin Σ wᵢ(yᵢ − Xᵢ·c)², the minimum-norm solution if there are several, and σ²(XᵀWX)⁺; shapes (k,), (k, k)."""
    root = np.sqrt(weights)
    length = np.linalg.norm(X * root[:, None], axis=0)
    length = np.where(length > 0, length, 1.0)
    scaled, target = X * root[:, None] / length, y * root
    inverse = np.linalg.pinv(scaled, rcond=COLLINEAR)
    coefficients = inverse @ target
    freedom = max(len(y) - X.shape[1], 1)
    noise = np.sum((target - scaled @ coefficients) ** 2) / freedom
    return coefficients / length, noise * (inverse @ inverse.T) / np.outer(length, length)
