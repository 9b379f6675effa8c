"""A running mean and variance (or covariance) over draws that arrive in chunks.

Each chunk is summed in two passes in float32; chunks are joined in float64 by the formula of Chan, Golub and LeVeque,
which has no cancellation.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray


def of_chunk(values: jax.Array, present: jax.Array, covariance: bool) -> tuple[jax.Array, jax.Array]:
    """(draws, T, N) → means (T, N) and sums of squared deviations (T, N), or of their products (T, T, N).

    present: (draws,), 1 for a draw and 0 for padding.
    """
    number = jnp.sum(present)
    # Relative to the first draw: sums of small numbers have smaller rounding errors.
    first = values[0]
    mean = first + jnp.einsum("s,stn->tn", present, values - first, precision="highest") / number
    deviations = (values - mean) * jnp.sqrt(present)[:, None, None]
    if covariance:
        return mean, jnp.einsum("sin,sjn->ijn", deviations, deviations, precision="highest")
    return mean, jnp.sum(deviations * deviations, axis=0)


class Moments:
    """Mean and sum of squares over the chunks so far."""

    def __init__(self) -> None:
        self.number = 0
        self.mean: NDArray[np.float64] = np.zeros(())
        self.squares: NDArray[np.float64] = np.zeros(())

    def add(self, number: int, mean: Any, squares: Any) -> None:
        """Join a chunk of ``number`` draws."""
        mean, squares = np.asarray(mean, float), np.asarray(squares, float)
        total = self.number + number
        gap = mean - self.mean
        gaps = gap * gap if squares.ndim == gap.ndim else gap[:, None] * gap[None, :]
        self.squares = self.squares + squares + gaps * (self.number * number / total)
        self.mean = self.mean + gap * (number / total)
        self.number = total

    @property
    def variance(self) -> NDArray[np.float64]:
        """Variance of the draws (divided by their number); the covariance if products were summed."""
        return self.squares / self.number
