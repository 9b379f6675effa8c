"""Least squares over tensor splines, brought to a triangle element by element along x.

Rows are rotated (QR), never squared: fourth derivatives of short splines are so large that in the normal equations
nothing of the readings would be left in double precision. A window of six basis functions along x and all of them along
t moves over the mesh; what has left it on the left is final.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, get_lapack_funcs
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from pdescry.joint.splines import Array, Space

Numbers = NDArray[np.intp]
_rotate, _solve = get_lapack_funcs(("tpqrt", "tbtrs"), dtype=np.float64)
PANEL = 24  # columns that LAPACK rotates at a time


def one_thread() -> threadpool_limits:
    """Windows are so small that threads of BLAS only wait for each other (three times as slow on two busy cores), and
    the last digits must not hang on how many cores there are."""
    return threadpool_limits(1, "blas")


@dataclass(frozen=True, eq=False)
class Triangle:
    """R of QR. bands: (band + 1, n), upper, as LAPACK stores it. right: (n, m) and rest: (m, m) are the other columns,
    rotated with it: R x + right lies in the field's reach, rest is out of it."""

    bands: Array
    right: Array
    rest: Array

    def solve(self, right: Array) -> Array:
        """R⁻¹ b."""
        return self._solve(right, "N")

    def solve_transposed(self, right: Array) -> Array:
        """R⁻ᵀ b."""
        return self._solve(right, "T")

    def _solve(self, right: Array, trans: str) -> Array:
        if not right.size:
            return np.array(right, float)
        found, info = _solve(self.bands, right, uplo="U", trans=trans)
        if info != 0 or not np.isfinite(found).all():
            raise LinAlgError("The triangle is singular.")
        return found.reshape(right.shape)

    @cached_property
    def log_determinant(self) -> float:
        """Of RᵀR."""
        return 2 * float(np.log(np.abs(self.bands[-1])).sum())


def triangle(space: Space, moments: Array, on_moments: Array, sparse: csr_array, on_sparse: Array) -> Triangle:
    """Of the rows of elements (elements, MOMENTS², local basis) and others, each within an element's window along x;
    ``on_…``: the other columns of the same rows."""
    n_t, wide = space.t.size, (space.x.degree + 1) * space.t.size
    others = on_moments.shape[-1]
    in_elements = moments.reshape(space.x.n, space.t.n, -1, space.x.degree + 1, space.t.degree + 1)
    on_elements = on_moments.reshape(space.x.n, -1, others)
    per_element = in_elements.shape[2]
    of_law = space.t.n * per_element
    # Where in a window (element along t, row, basis along x, basis along t) goes.
    at = np.arange(of_law).reshape(space.t.n, per_element, 1, 1)
    to = np.arange(space.t.n)[:, None, None, None] + n_t * np.arange(space.x.degree + 1)[:, None]
    to = to + np.arange(space.t.degree + 1)
    rows_of, entries = _by_element(space, sparse)
    bands, right = np.zeros((space.band + 1, space.n)), np.zeros((space.n, others))
    factor = np.zeros((wide + others, wide + others), order="F")
    for element in range(space.x.n):
        own = rows_of[element]
        row, column, value = entries[element]
        window = np.zeros((of_law + len(own), wide + others), order="F")
        window[at, to] = in_elements[element]
        window[:of_law, wide:] = on_elements[element]
        window[of_law + row, column - element * n_t] = value
        window[of_law:, wide:] = on_sparse[own]
        factor, _, _, info = _rotate(0, min(PANEL, wide + others), factor, window, overwrite_a=1, overwrite_b=1)
        if info != 0:
            raise LinAlgError("A window of the mesh cannot be rotated.")
        done = wide if element == space.x.n - 1 else n_t
        _store(bands, factor[:done, :wide], element * n_t)
        right[element * n_t : element * n_t + done] = factor[:done, wide:]
        moved = np.zeros_like(factor)  # the window moves on: what is left of it is a triangle again
        moved[: wide - n_t, : wide - n_t] = factor[n_t:wide, n_t:wide]
        moved[: wide - n_t, wide:] = factor[n_t:wide, wide:]
        moved[wide:, wide:] = factor[wide:, wide:]
        factor = moved
    if not (np.isfinite(bands).all() and bands[-1].all()):
        raise LinAlgError("The field is not determined.")
    return Triangle(bands, right, np.triu(factor[wide:, wide:]))


def _by_element(space: Space, sparse: csr_array) -> tuple[list[Numbers], list[tuple[Numbers, Numbers, Array]]]:
    """For each element along x the rows that begin there, and their entries (row among them, column, value)."""
    n_rows = len(sparse.indptr) - 1
    row = np.repeat(np.arange(n_rows), np.diff(sparse.indptr))
    first = np.full(n_rows, space.n)
    np.minimum.at(first, row, sparse.indices)
    element = np.minimum(first // space.t.size, space.x.n - 1)
    order = np.argsort(element, kind="stable")
    ends = np.searchsorted(element[order], np.arange(space.x.n + 1))
    rows_of = [order[low:high] for low, high in pairwise(ends)]
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order)) - ends[element[order]]
    entry_order = np.argsort(element[row], kind="stable")
    entry_ends = np.searchsorted(element[row][entry_order], np.arange(space.x.n + 1))
    entries = []
    for low, high in pairwise(entry_ends):
        some = entry_order[low:high]
        entries.append((place[row[some]], sparse.indices[some], sparse.data[some]))
    return rows_of, entries


def _store(bands: Array, rows: Array, start: int) -> None:
    """Rows of R into LAPACK's upper bands: bands[band + i − j, j]."""
    i, j = _upper(*rows.shape, len(bands))
    bands[len(bands) - 1 + i - j, start + j] = rows[i, j]


@lru_cache(maxsize=16)
def _upper(n_rows: int, n_columns: int, n_bands: int) -> tuple[Numbers, Numbers]:
    i, j = np.triu_indices(n_rows, 0, n_columns)
    near = j - i < n_bands
    return i[near], j[near]
