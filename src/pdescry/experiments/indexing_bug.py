"""Table 9 as it came about: the indexing bug of the released program, replayed.

There the left side has shape (N, 1), so scikit-learn's coefficients have shape (1, n), and ``np.where(|c| < δ)[0]``
contains row numbers, all zero, instead of column numbers. Whatever is small, the *first* column is deleted; and δ does
not double. From the paper's eleven candidates the last one, u_x², remains.
"""

from __future__ import annotations

import numpy as np

from pdescry.equation import Equation
from pdescry.regression import DesignMatrix


def stols_with_the_indexing_bug(design: DesignMatrix, threshold: float) -> Equation:
    """The law that the program would have printed; u_t = 0 if it deleted every column."""
    for first in range(len(design.terms)):
        coefficients = np.linalg.lstsq(design.X[:, first:], design.y, rcond=None)[0]
        if not (np.abs(coefficients) < threshold).any():
            return Equation.from_terms(
                dict(zip(design.terms[first:], map(float, coefficients), strict=True)), design.field
            )
    return Equation.from_terms({}, design.field)
