"""Fields as tensor products of B-splines over (x, t), and sums of squares over them as banded matrices.

A field is a vector of n = n_x·n_t coefficients, those of one place next to each other, so that a matrix of overlaps has
``degree_x · n_t + degree_t`` bands below its diagonal: with few basis functions in time it is narrow. Banded
matrices are lower, as LAPACK stores them: ``bands[i − j, j]``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline, PPoly
from scipy.sparse import csr_array

Array = NDArray[np.float64]
Orders = tuple[int, int]  # of the derivative: along x, along t

QUADRATURE = 3  # Gauss points an element
MOMENTS = 2  # of a residual in an element: its mean and its slope


class Axis:
    """B-splines over one axis: ``breaks`` (n + 1,) between elements, simple knots inside."""

    def __init__(self, breaks: Array, degree: int) -> None:
        self.breaks, self.degree = np.asarray(breaks, float), degree
        self.n = len(self.breaks) - 1
        self.size = self.n + degree
        self.lengths = np.diff(self.breaks)
        low, high = (np.full(degree, end) for end in self.breaks[[0, -1]])
        self._splines = BSpline(np.concatenate([low, self.breaks, high]), np.eye(self.size), degree)
        at, weights = np.polynomial.legendre.leggauss(QUADRATURE)
        self.points = (self.breaks[:-1, None] + self.lengths[:, None] * (at + 1) / 2).ravel()
        self.weights = (self.lengths[:, None] * weights / 2).ravel()
        # (MOMENTS, QUADRATURE): orthonormal over an element of length one.
        self.moments = np.stack([np.ones(QUADRATURE), np.sqrt(3) * at])[:MOMENTS] * weights / 2

    def matrix(self, at: Array, order: int = 0) -> Array:
        """(len(at), size): values or derivatives of the basis; beyond the ends, those at the ends."""
        splines = self._splines.derivative(order) if order else self._splines
        return splines(np.clip(at, *self.breaks[[0, -1]]))

    def along(self, coefficients: Array) -> Callable[[float], float]:
        """A function of one number that is asked for very often; beyond the ends, as at the ends."""
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
        """Rows whose squares sum to about the integral of the derivative's square."""
        knots, found = self._splines.t, np.eye(self.size)
        for degree in range(self.degree, self.degree - order, -1):
            knots = knots[1:-1]
            spans = knots[degree:] - knots[:-degree]
            found = degree * np.diff(found, axis=0) / spans[: len(found) - 1, None]
        degree = self.degree - order
        spans = knots[degree + 1 :] - knots[: -degree - 1]
        return csr_array(np.sqrt(spans / (degree + 1))[:, None] * found)

    def local(self, at: Array, order: int = 0) -> tuple[Array, NDArray[np.intp]]:
        """(len(at), degree + 1): the same for those that are not zero there, and the number of the first."""
        first = np.clip(np.searchsorted(self.breaks, at, side="right") - 1, 0, self.n - 1)
        columns = first[:, None] + np.arange(self.degree + 1)
        return np.take_along_axis(self.matrix(at, order), columns, axis=1), first


@dataclass(frozen=True, eq=False)
class Space:
    """Fields over x and t. Points of quadrature form a grid (points of x, points of t)."""

    x: Axis
    t: Axis
    orders: Orders  # the highest derivatives that will be asked for

    @property
    def shape(self) -> tuple[int, int]:
        return self.x.size, self.t.size

    @property
    def n(self) -> int:
        return self.x.size * self.t.size

    @property
    def band(self) -> int:
        return self.x.degree * self.t.size + self.t.degree

    @cached_property
    def area(self) -> Array:
        """(points of x, points of t): weights of the quadrature, for a domain of area one."""
        area = self.x.weights[:, None] * self.t.weights
        return area / area.sum()

    def values(self, field: Array, orders: Orders = (0, 0)) -> Array:
        """The field or a derivative of it at the points of quadrature."""
        along_x, along_t = self._full[0][orders[0]], self._full[1][orders[1]]
        return along_x @ field.reshape(self.shape) @ along_t.T

    def at(self, x: Array, t: Array, order: int = 0) -> csr_array:
        """(N, n): the field, or a derivative of it along x, at N places and times."""
        (along_x, first_x), (along_t, first_t) = self.x.local(x, order), self.t.local(t)
        column_x = first_x[:, None, None] + np.arange(self.x.degree + 1)[:, None]
        columns = column_x * self.t.size + first_t[:, None, None] + np.arange(self.t.degree + 1)
        values = along_x[:, :, None] * along_t[:, None, :]
        ends = np.arange(len(x) + 1) * columns[0].size if len(x) else np.zeros(1, int)
        return csr_array((values.ravel(), columns.ravel(), ends), shape=(len(x), self.n))

    def nearest(self, values: Callable[[Array, Array], Array]) -> Array:
        """The field nearest to ``values(x, t)``, given on grids."""
        x, t = (np.unique(np.concatenate([axis.breaks, axis.points])) for axis in (self.x, self.t))
        half = np.linalg.lstsq(self.x.matrix(x), values(x, t), rcond=None)[0]
        return np.linalg.lstsq(self.t.matrix(t), half.T, rcond=None)[0].T.ravel().astype(float)

    # ---- residuals: what an operator leaves in each element ----------------------------------------------------

    def moments(self, values: Array) -> Array:
        """(elements, MOMENTS²): of values at the points of quadrature; their squares sum to about the mean square."""
        split = values.reshape(self.x.n, QUADRATURE, self.t.n, QUADRATURE)
        found = np.einsum("ai,bj,eifj->efab", self.x.moments, self.t.moments, split, optimize=True)
        return (found * self._root_area[:, :, None, None]).reshape(self.x.n * self.t.n, -1)

    def rows(self, operator: Mapping[Orders, Array]) -> Array:
        """(elements, MOMENTS², local basis): moments of Σ a·∂w, linear in w, by ``{orders: a at the points}``."""
        total: Array | float = 0.0
        for (order_x, order_t), factor in operator.items():
            split = factor.reshape(self.x.n, QUADRATURE, self.t.n * QUADRATURE)
            left = np.einsum("ai,eim->eami", self.x.moments, self._local[0][order_x])
            right = np.einsum("bj,fjn->fjbn", self.t.moments, self._local[1][order_t])
            half = left.reshape(self.x.n, -1, QUADRATURE) @ split
            half = half.reshape(self.x.n, -1, self.t.n, QUADRATURE).transpose(0, 2, 1, 3)
            total = total + half @ right.reshape(1, self.t.n, QUADRATURE, -1)
        shape = (self.x.n, self.t.n, MOMENTS, self.x.degree + 1, MOMENTS, self.t.degree + 1)
        found = np.asarray(total).reshape(shape).transpose(0, 1, 2, 4, 3, 5)
        found = found * self._root_area[:, :, None, None, None, None]
        return found.reshape(self.x.n * self.t.n, MOMENTS**2, -1)

    def pulled(self, rows: Array, values: Array) -> Array:
        """Rᵀv, (n, k) for values (elements, MOMENTS², k)."""
        products = rows.transpose(0, 2, 1) @ values
        parts = np.moveaxis(products, 2, 0)
        columns = [np.bincount(self._basis.ravel(), part.ravel(), minlength=self.n) for part in parts]
        return np.stack(columns, axis=1).astype(float)

    # ---- made once ---------------------------------------------------------------------------------------------

    @cached_property
    def _full(self) -> tuple[list[Array], list[Array]]:
        x, t = (
            [axis.matrix(axis.points, order) for order in range(highest + 1)]
            for axis, highest in zip((self.x, self.t), self.orders, strict=True)
        )
        return x, t

    @cached_property
    def _local(self) -> tuple[list[Array], list[Array]]:
        x, t = (
            [axis.local(axis.points, order)[0].reshape(axis.n, QUADRATURE, -1) for order in range(highest + 1)]
            for axis, highest in zip((self.x, self.t), self.orders, strict=True)
        )
        return x, t

    @cached_property
    def _root_area(self) -> Array:
        area = self.x.lengths[:, None] * self.t.lengths
        return np.sqrt(area / area.sum())

    @cached_property
    def _basis(self) -> NDArray[np.intp]:
        """(elements, local basis): which coefficients an element depends on, increasing."""
        in_x = np.arange(self.x.n)[:, None] + np.arange(self.x.degree + 1)
        in_t = np.arange(self.t.n)[:, None] + np.arange(self.t.degree + 1)
        return (in_x[:, None, :, None] * self.t.size + in_t[None, :, None, :]).reshape(self.x.n * self.t.n, -1)
