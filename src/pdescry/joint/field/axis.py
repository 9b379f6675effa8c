"""`Axis`: B-splines along one axis, and the matrices that quadrature and residuals need."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline, PPoly
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.linalg import splu

from pdescry.joint.field.options import FIELD
from pdescry.joint.lean import Lean

Array = NDArray[np.float64]

QUADRATURE = 3  # Gauss points an element
EVERYWHERE = 1e-9  # relative: makes splines determined where there is no value
MOMENTS = 2  # of a residual in an element along each axis: its mean and its slope


@dataclass(frozen=True, eq=False)
class Axis(Lean):
    """breaks: (n + 1,), non-decreasing, the ends of the elements. A break that occurs m times is a knot of multiplicity
    m, where only the first ``degree − m`` derivatives are continuous; the elements of zero length between its copies
    have zero weight."""

    breaks: Array
    degree: int

    @property
    def n(self) -> int:
        """Number of elements."""
        return len(self.breaks) - 1

    @property
    def size(self) -> int:
        """Number of basis functions."""
        return self.n + self.degree

    @cached_property
    def lengths(self) -> Array:
        """(n,): lengths of the elements."""
        return np.diff(self.breaks)

    @property
    def jumps(self) -> Array:
        """Breaks of higher multiplicity."""
        return np.unique(self.breaks[:-1][self.lengths == 0])

    @property
    def span(self) -> tuple[float, float]:
        return float(self.breaks[0]), float(self.breaks[-1])

    @property
    def width(self) -> float:
        return float(self.breaks[-1] - self.breaks[0])

    @cached_property
    def points(self) -> Array:
        """(n·QUADRATURE,): quadrature points."""
        at, _ = np.polynomial.legendre.leggauss(QUADRATURE)
        return (self.breaks[:-1, None] + self.lengths[:, None] * (at + 1) / 2).ravel()

    @cached_property
    def weights(self) -> Array:
        """(n·QUADRATURE,): quadrature weights."""
        _, weights = np.polynomial.legendre.leggauss(QUADRATURE)
        return (self.lengths[:, None] * weights / 2).ravel()

    @cached_property
    def moments(self) -> Array:
        """(MOMENTS, QUADRATURE): Legendre polynomials, orthonormal over an element of length one, times the weights."""
        at, weights = np.polynomial.legendre.leggauss(QUADRATURE)
        found = [np.polynomial.Legendre.basis(k)(at) * np.sqrt(2 * k + 1) for k in range(MOMENTS)]
        return np.stack(found) * weights / 2

    @cached_property
    def _splines(self) -> BSpline:
        low, high = (np.full(self.degree, end) for end in self.span)
        return BSpline(np.concatenate([low, self.breaks, high]), np.eye(self.size), self.degree)

    def matrix(self, at: Array, order: int = 0) -> Array:
        """(len(at), size): values or derivatives of the basis; constant extrapolation beyond the ends."""
        splines = self._splines.derivative(order) if order else self._splines
        return splines(np.clip(at, *self.span))

    def local(self, at: Array, order: int = 0) -> tuple[Array, NDArray[np.intp]]:
        """(len(at), degree + 1): the same for the basis functions that are nonzero there, and the index of the
        first."""
        first = np.clip(np.searchsorted(self.breaks, at, side="right") - 1, 0, self.n - 1)
        columns = first[:, None] + np.arange(self.degree + 1)
        values, few = np.empty((len(at), self.degree + 1)), max(FIELD.memory.values // self.size, 1)
        for begin in range(0, len(at), few):  # the full matrix of a million points would not fit into memory
            some = slice(begin, begin + few)
            values[some] = np.take_along_axis(self.matrix(at[some], order), columns[some], axis=1)
        return values, first

    def rows(self, at: Array, order: int = 0) -> csr_array:
        """(len(at), size): the same as `matrix`, as a sparse matrix."""
        values, first = self.local(at, order)
        columns = first[:, None] + np.arange(self.degree + 1)
        ends = np.arange(len(at) + 1) * (self.degree + 1)
        return csr_array((values.ravel(), columns.ravel(), ends), shape=(len(at), self.size))

    def fitted(self, at: Array, values: Array) -> Array:
        """(size, …): least-squares spline coefficients for values (len(at), …)."""
        if self.size <= FIELD.memory.dense_basis:
            return np.asarray(np.linalg.lstsq(self.matrix(at), values, rcond=None)[0], float)
        rows = self.rows(at)
        square = csc_array(rows.T @ rows + EVERYWHERE * eye_array(self.size))
        return splu(square, permc_spec="NATURAL").solve(rows.T @ values)

    def full(self, order: int) -> Array | csr_array:
        """(points, size): the basis, or a derivative of it, at the quadrature points."""
        if order not in self._at_points:
            made = self.matrix if self.size <= FIELD.memory.dense_basis else self.rows
            self._at_points[order] = made(self.points, order)
        return self._at_points[order]

    def of_element(self, order: int) -> Array:
        """(n, MOMENTS·(degree + 1), QUADRATURE): moments of a factor at the points times the local basis."""
        if order not in self._of_elements:
            basis = self.local(self.points, order)[0].reshape(self.n, QUADRATURE, self.degree + 1)
            product = np.einsum("aq,eqb->eabq", self.moments, basis)
            self._of_elements[order] = product.reshape(self.n, -1, QUADRATURE)
        return self._of_elements[order]

    @cached_property
    def _at_points(self) -> dict[int, Array | csr_array]:
        return {}

    @cached_property
    def _of_elements(self) -> dict[int, Array]:
        return {}

    def along(self, coefficients: Array) -> Callable[[float], float]:
        """A scalar function, fast for repeated calls; constant extrapolation beyond the ends."""
        pieces = PPoly.from_spline(BSpline(self._splines.t, coefficients, self.degree))
        knots, polynomials = self.breaks.tolist(), pieces.c.T[self.degree : self.degree + self.n].tolist()

        def value(at: float) -> float:
            at = min(max(at, knots[0]), knots[-1])
            element = min(bisect_right(knots, at), self.n) - 1
            total, step = 0.0, at - knots[element]
            for coefficient in polynomials[element]:
                total = total * step + coefficient
            return total

        return value

    def lumped(self, order: int) -> csr_array:
        """Rows whose squares sum approximately to the integral of the squared derivative."""
        knots, found = self._splines.t, np.eye(self.size)
        for degree in range(self.degree, self.degree - order, -1):
            knots = knots[1:-1]
            spans = (knots[degree:] - knots[:-degree])[: len(found) - 1, None]
            slopes = degree * np.diff(found, axis=0)
            # Not evaluated at knots where the derivative jumps.
            found = np.divide(slopes, spans, out=np.zeros_like(slopes), where=spans > 0)
        degree = self.degree - order
        spans = knots[degree + 1 :] - knots[: -degree - 1]
        return csr_array(np.sqrt(spans / (degree + 1))[:, None] * found)
