"""Least squares over tensor splines, brought to a triangle element by element along x.

Rows are rotated (QR), never squared: fourth derivatives of short splines are so large that in the normal equations
nothing of the readings would be left in double precision. A window of six basis functions along x and all of them along
t moves over the mesh; what has left it on the left is final.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dgeqrf, dtbtrs
from scipy.sparse import csr_array

from pdescry.joint.splines import Array, Space


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
        found, info = dtbtrs(self.bands, right, uplo="U", trans=trans)
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
    rows_of, entries = _by_element(space, sparse)
    bands, right = np.zeros((space.band + 1, space.n)), np.zeros((space.n, others))
    carried = np.zeros((0, wide + others))
    first_t = np.arange(space.t.n)
    for element in range(space.x.n):
        own = rows_of[element]
        row, column, value = entries[element]
        window = np.zeros((len(carried) + space.t.n * per_element + len(own), wide + others), order="F")
        window[: len(carried)] = carried
        start = len(carried)
        for along_t in range(per_element):
            at = start + first_t * per_element + along_t
            for i in range(space.x.degree + 1):
                for j in range(space.t.degree + 1):
                    window[at, i * n_t + first_t + j] = in_elements[element, :, along_t, i, j]
        start += space.t.n * per_element
        window[len(carried) : start, wide:] = on_elements[element]
        window[start + row, column - element * n_t] = value
        window[start:, wide:] = on_sparse[own]
        factor, _, _, info = dgeqrf(window, lwork=64 * window.shape[1], overwrite_a=1)
        if info != 0:
            raise LinAlgError("A window of the mesh cannot be rotated.")
        upper = np.triu(factor[: min(wide + others, len(factor))])
        last = element == space.x.n - 1
        done = wide if last else n_t
        if len(upper) < done:
            raise LinAlgError("The field is not determined.")
        _store(bands, upper[:done, :wide], element * n_t)
        right[element * n_t : element * n_t + done] = upper[:done, wide:]
        carried = np.zeros((len(upper) - done, wide + others))
        carried[:, : wide - n_t] = upper[done:, n_t:wide] if not last else 0.0
        carried[:, wide:] = upper[done:, wide:]
    if not (np.isfinite(bands).all() and bands[-1].all()):
        raise LinAlgError("The field is not determined.")
    return Triangle(bands, right, carried[:, wide:])


def _by_element(space: Space, sparse: csr_array) -> tuple[list[Array], list[tuple[Array, Array, Array]]]:
    """For each element along x the rows that begin there, and their entries (row among them, column, value)."""
    n_t = space.t.size
    counts = np.diff(sparse.indptr)
    row = np.repeat(np.arange(sparse.shape[0]), counts)
    first = np.full(sparse.shape[0], space.n)
    np.minimum.at(first, row, sparse.indices)
    element = np.minimum(first // n_t, space.x.n - 1)
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
    i, j = np.triu_indices(len(rows), 0, rows.shape[1])
    near = j - i < len(bands)
    i, j = i[near], j[near]
    bands[len(bands) - 1 + i - j, start + j] = rows[i, j]
