"""Notes about the columns before the fit: zeros, copies and linear combinations, too few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from pdescry.notices import Notice

# A column whose residual on the others is this small, relative to its length, is a linear combination of them: terms
# are averaged in float32, and d_x(u·u_x) with u·u_xx and u_x² leaves rounding errors of 1e-7.
COLLINEAR = 1e-5


def is_deficient(X: NDArray[np.float64]) -> bool:
    """Whether a column of X (N ≥ k, none zero) is a combination of others."""
    return _rank(X)[0] < X.shape[1]


def note_columns(X: NDArray[np.float64], y: NDArray[np.float64], names: tuple[str, ...]) -> tuple[Notice, ...]:
    notes = []
    if not np.any(y):
        notes.append(Notice.of("left-side-zero"))
    zero = ~np.any(X, axis=0)
    notes += [Notice.of("column-zero", term=names[j]) for j in np.where(zero)[0]]
    used = np.flatnonzero(~zero)
    if len(X) < len(used):
        return (*notes, Notice.of("few-rows", rows=len(X), columns=len(used)))
    if not len(used):
        return tuple(notes)
    rank, order, triangle = _rank(X[:, used])
    # Column r+i of R is, up to rounding, R₁₁ times the coefficients of the first r columns in it.
    shares = scipy.linalg.solve_triangular(triangle[:rank, :rank], triangle[:rank, rank:])
    for i, column in enumerate(used[order[rank:]]):
        among = used[order[:rank]][np.abs(shares[:, i]) > 1e-6]
        notes.append(Notice.of("column-combined", term=names[column], others=[names[j] for j in sorted(among)]))
    return tuple(notes)


def _rank(X: NDArray[np.float64]) -> tuple[int, NDArray[np.intp], NDArray[np.float64]]:
    """Rank, order of the columns (independent ones first) and R of a pivoted QR of X at unit column lengths."""
    qr: Any = scipy.linalg.qr(X / np.linalg.norm(X, axis=0), mode="r", pivoting=True)
    triangle, order = qr
    diagonal = np.abs(np.diag(triangle))
    return int(np.sum(diagonal > COLLINEAR)), order, triangle[: X.shape[1]]
