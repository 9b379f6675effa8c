"""From the variance of each entry to the weight of each row: the paper's γ (section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdescry.errors import InputError
from pdescry.notices import Notice

# A column with this share of all γ determines the weights alone.
DOMINANT = 0.9
# Fewer effective rows than this for each column are few.
FEW = 10


@dataclass(frozen=True)
class Weights:
    """``values`` (N,): the factor of each row's squared residual; rows are scaled by its square root."""

    values: NDArray[np.float64]
    gamma: tuple[float, float, float] | None
    notes: tuple[Notice, ...] = ()


def uncertainty(variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """γ_i = Σ_j Z_ij / max_i Z_ij, shape (N,); a column without variance adds nothing."""
    largest = variance.max(axis=0)
    return (variance[:, largest > 0] / largest[largest > 0]).sum(axis=1)


def row_weights(variance: NDArray[np.float64] | None, power: float, rows: int, names: tuple[str, ...]) -> Weights:
    """Rows scaled by γ^(−power), so weights γ^(−2·power); all 1 if no variance is known.

    A row with γ = 0 claims to be exact. It is assigned the least γ of the others, so that no row dominates them all.
    """
    if variance is None or power == 0:
        return Weights(np.ones(rows), None)
    gamma = uncertainty(variance)
    exact = gamma == 0
    if exact.all():
        return Weights(np.ones(rows), (0.0, 0.0, 0.0), (Notice.of("variances-zero"),))
    notes = []
    if exact.any():
        gamma = np.where(exact, gamma[~exact].min(), gamma)
        notes.append(Notice.of("rows-without-variance", rows=exact.sum()))
    largest = variance.max(axis=0)
    notes += [
        Notice.of("column-without-variance", term=names[j])
        for j in np.flatnonzero(largest == 0)
        if names[j] != "1"  # a constant has none
    ]
    if len(names) > 1:
        shares = (variance / np.where(largest > 0, largest, 1)).sum(axis=0)
        if shares.max() > DOMINANT * shares.sum():
            share = shares.max() / shares.sum()
            notes.append(Notice.of("variance-dominates", term=names[shares.argmax()], share=share))
    weights = gamma ** (-2 * power)
    if not np.isfinite(np.sum(weights**2)):
        raise InputError(
            f"Expected variances whose ratio to the power of {2 * power:g} is a number; got ratios up to"
            f" {gamma.max() / gamma.min():.1g}; lower gamma_power, or leave out the rows of least variance."
        )
    effective = weights.sum() ** 2 / np.sum(weights**2)
    if effective < FEW * len(names) < rows:
        notes.append(Notice.of("few-rows-weighted", effective=effective, rows=rows, columns=len(names)))
    least, middle, most = np.quantile(gamma, [0, 0.5, 1])
    return Weights(weights, (float(least), float(middle), float(most)), tuple(notes))
