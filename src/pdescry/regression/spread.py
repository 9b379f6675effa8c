"""The uncertainty of a law's coefficients, from one regression for each posterior draw of the field.

The formal covariance counts thousands of points of one smooth field as independent observations. Draws of the field
show the uncertainty that the readings leave: each draw's left side is regressed on its own terms, with the rows
weighted as in the fit, and the spread of the coefficients is their uncertainty.

It does not include a second error. A draw is the posterior mean plus an error e; the mean is the true field plus an
error of about the same size. Noise in the columns biases coefficients towards zero (attenuation), once in the fit on
the mean and twice in the fits on draws. So

    shift = (fit on the mean) − (mean of the fits on draws)

estimates the bias of the reported coefficient; subtracting it once more (`corrected`) is the linear case of SIMEX (Cook
and Stefanski, 1994). The interval is about the reported coefficient, with sd² = sd(draws)² + shift², and so contains
all three values. If the shift is much larger than the sd it is only a first approximation and the interval can still be
too narrow: a note says so. Draws at fewer points than the fit had have a larger spread. If coefficients cannot be
distinguished, or the draws have hardly more rows than terms, single draws are not informative, and no spread is given.

Measured on fields with an exact posterior (u_t = −0.5 u_x + 0.1 u_xx, 16 sensors × 21 times, 100 fields a noise level;
``tests/regression/test_spread.py``, slow), share of 95 % intervals that contain the truth, for u_x and u_xx:

    noise    this interval    quantiles of draws    formal
    0.01      1.00   0.99        0.88   0.85      0.73   0.65
    0.05      0.99   0.99        0.69   0.15      0.40   0.09
    0.10      1.00   0.92        0.32   0.01      0.14   0.01
    0.20      0.98   0.52        0.01   0.00      0.00   0.00
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdescry.equation.with_spread import TWO_SIDED_95
from pdescry.regression.design import DesignMatrix
from pdescry.regression.least_squares import least_squares

# Of a normal distribution, 95 % lies within this many sds.
ROWS_A_TERM = 10


@dataclass(frozen=True, eq=False)
class Spread:
    """For the k terms of a law.

    reported: (k,) coefficients of the fit. draws: (S, k) coefficients of single draws of the field.
    shift: (k,) estimated bias of the reported coefficients through noise in the columns, with opposite sign.
    """

    reported: NDArray[np.float64]
    draws: NDArray[np.float64]
    shift: NDArray[np.float64]

    @property
    def draws_sd(self) -> NDArray[np.float64]:
        return self.draws.std(axis=0, ddof=1)

    @property
    def sd(self) -> NDArray[np.float64]:
        """Sd about the reported coefficients: spread of the draws, and the shift."""
        return np.hypot(self.draws_sd, self.shift)

    @property
    def interval(self) -> NDArray[np.float64]:
        """(2, k): the ends of the 95 % interval."""
        return self.reported + np.array([[-1.0], [1.0]]) * TWO_SIDED_95 * self.sd

    @property
    def corrected(self) -> NDArray[np.float64]:
        """The reported coefficients minus their estimated bias."""
        return self.reported + self.shift


def spread_of(
    design: DesignMatrix, columns: NDArray[np.intp], reported: NDArray[np.float64], weights: NDArray[np.float64]
) -> Spread | None:
    """None if the design has fewer than two draws or too few rows of them. ``weights`` (N,) are those of the fit."""
    if design.draws is None or design.draws_left is None or len(design.draws) < 2 or not columns.size:
        return None
    rows = weights[design.rows]
    if rows.sum() ** 2 / np.sum(rows**2) < ROWS_A_TERM * columns.size:
        return None
    fits = np.array(
        [
            least_squares(draw[:, columns].astype(float), left.astype(float), rows)[0]
            for draw, left in zip(design.draws, design.draws_left, strict=True)
        ]
    )
    # On the same rows and draws, so that the shift is due to the noise and not to the choice of rows.
    mean, mean_left = (part.mean(axis=0, dtype=float) for part in (design.draws[..., columns], design.draws_left))
    return Spread(reported, fits, least_squares(mean, mean_left, rows)[0] - fits.mean(axis=0))
