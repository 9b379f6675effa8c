"""`Space`: fields as tensor products of B-splines over any number of axes, several fields (components) on one mesh.

A state is a vector of n = F·n_1·…·n_D coefficients. The components of one basis function are adjacent; the outermost
axis is the one that gives the smallest bandwidth of a matrix of overlaps: a long record is eliminated along time, a
short one along space, and the cost of either is proportional to its length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, kron

from pdescry.joint.field.axis import MOMENTS, QUADRATURE, Array, Axis
from pdescry.joint.field.options import FIELD
from pdescry.joint.field.region import Region
from pdescry.joint.lean import Lean

Orders = tuple[int, ...]  # of a derivative, along each axis


@dataclass(frozen=True, eq=False)
class Space(Lean):
    """``components`` fields over axes, time last. Quadrature points form a grid, with one dimension for each axis.
    region: where a law is required; None for everywhere."""

    axes: tuple[Axis, ...]
    components: int = 1
    region: Region | None = None

    @property
    def time(self) -> Axis:
        return self.axes[-1]

    @property
    def places(self) -> tuple[Axis, ...]:
        """The axes of space."""
        return self.axes[:-1]

    @property
    def shape(self) -> tuple[int, ...]:
        """(F, n_1, …, n_D)"""
        return self.components, *(axis.size for axis in self.axes)

    @property
    def n(self) -> int:
        return prod(self.shape)

    @property
    def n_elements(self) -> int:
        return prod(axis.n for axis in self.axes)

    @property
    def n_moments(self) -> int:
        """Moments of the residual of one equation in an element."""
        return MOMENTS ** len(self.axes)

    @property
    def n_local(self) -> int:
        """Basis functions of one component that are nonzero on an element."""
        return prod(axis.degree + 1 for axis in self.axes)

    @property
    def points(self) -> tuple[int, ...]:
        """Quadrature points along each axis."""
        return tuple(len(axis.points) for axis in self.axes)

    # ---- how a state is laid out -----------------------------------------------------------------------------------

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Axes from the outermost to the innermost in a state."""
        ways = permutations(range(len(self.axes)))
        return min(ways, key=lambda way: (self._band(way), way))

    def _strides(self, order: Sequence[int]) -> tuple[int, ...]:
        """Stride of each axis in a state."""
        strides, step = [0] * len(order), self.components
        for axis in reversed(order):
            strides[axis] = step
            step *= self.axes[axis].size
        return tuple(strides)

    def _band(self, order: Sequence[int]) -> int:
        steps = zip(self.axes, self._strides(order), strict=True)
        return sum(axis.degree * step for axis, step in steps) + self.components - 1

    @cached_property
    def strides(self) -> tuple[int, ...]:
        return self._strides(self.order)

    @cached_property
    def band(self) -> int:
        """Bandwidth: diagonals above the main one."""
        return self._band(self.order)

    @property
    def window(self) -> int:
        """Unknowns in the support of a point along the outermost axis."""
        outer = self.order[0]
        return (self.axes[outer].degree + 1) * self.strides[outer]

    def unpacked(self, state: Array) -> Array:
        """(F, n_1, …, n_D) of a state (n,)."""
        laid = state.reshape(*(self.axes[axis].size for axis in self.order), self.components)
        places = [self.order.index(axis) for axis in range(len(self.axes))]
        return laid.transpose(len(self.axes), *places)

    def packed(self, values: Array) -> Array:
        """The state (n,) of (F, n_1, …, n_D)."""
        return np.ascontiguousarray(values.transpose(*(1 + axis for axis in self.order), 0)).reshape(-1)

    # ---- fields ----------------------------------------------------------------------------------------------------

    @cached_property
    def required(self) -> NDArray[np.bool_] | None:
        """(elements along each axis of space): where a law is required; None where it is everywhere."""
        if self.region is None:
            return None
        middles = [(axis.breaks[1:] + axis.breaks[:-1]) / 2 for axis in self.places]
        grid = np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1)
        return self.region.contains(grid.reshape(-1, len(middles))).reshape(grid.shape[:-1])

    @cached_property
    def _share(self) -> float:
        """Share of the box in which a law is required."""
        if self.required is None:
            return 1.0
        volume = np.ones(())
        for axis in self.places:
            volume = np.multiply.outer(volume, axis.lengths / axis.width)
        return float(np.sum(volume * self.required))

    @cached_property
    def volume(self) -> Array:
        """(points): quadrature weights, normalised to the volume in which a law is required."""
        found = np.ones(())
        for axis in self.axes:
            found = np.multiply.outer(found, axis.weights / axis.width)
        if self.required is None:
            return found
        wide = self.required
        for axis in range(wide.ndim):
            wide = wide.repeat(QUADRATURE, axis=axis)
        return found * wide[..., None] / self._share

    def mean_square(self, values: Array) -> Array:
        """(…): mean square of values (…, points) over the region of the law."""
        return np.sum(self.volume * values**2, axis=tuple(range(-len(self.axes), 0)))

    def tested(self, residuals: Array) -> Array:
        """(…): mean square of residuals (…, points) as the objective measures it. In the plane, where splines are
        cubic, that is of the moments in each element, not of values at points."""
        if len(self.places) == 1:
            return self.mean_square(residuals)
        return np.sum(self.moments(residuals) ** 2, axis=(-2, -1))

    def values(self, state: Array, component: int, orders: Orders) -> Array:
        """One field, or a derivative of it, at the quadrature points."""
        return self.on_grid(state, component, [axis.full(order) for axis, order in zip(self.axes, orders, strict=True)])

    def on_grid(self, state: Array, component: int, matrices: Sequence[Array | csr_array]) -> Array:
        """One field on a grid, given the basis along each axis as matrices (points, size)."""
        found = self.unpacked(state)[component]
        for matrix in matrices:  # each contraction moves the first axis to the end
            if isinstance(matrix, csr_array):
                rest = found.shape[1:]
                found = (matrix @ found.reshape(len(found), -1)).T.reshape(*rest, -1)
            else:
                found = np.tensordot(found, matrix, (0, 1))
        return found

    def at(self, points: Array, component: int = 0, orders: Orders | None = None) -> csr_array:
        """(N, n): one field, or a derivative of it, at N points, (N, D)."""
        number = len(points)
        values, columns = np.ones((number, 1)), np.full((number, 1), component)
        for k, axis in enumerate(self.axes):
            along, first = axis.local(points[:, k], orders[k] if orders else 0)
            index = (first[:, None] + np.arange(axis.degree + 1)) * self.strides[k]
            values = (values[:, :, None] * along[:, None, :]).reshape(number, -1)
            columns = (columns[:, :, None] + index[:, None, :]).reshape(number, -1)
        ends = np.arange(number + 1) * self.n_local
        found = csr_array((values.ravel(), columns.ravel(), ends), shape=(number, self.n))
        found.sort_indices()
        return found

    def roughness(self, orders: Orders) -> csr_array:
        """Rows (m, n/F) whose squares sum approximately to the mean square of a derivative of one field."""
        if orders not in self._roughness:
            rows = csr_array(np.ones((1, 1)))
            for k in self.order:  # from the outermost axis to the innermost, as in a state
                rows = kron(rows, self.axes[k].lumped(orders[k]) / np.sqrt(self.axes[k].width), format="csr")
            self._roughness[orders] = csr_array(rows)
        return self._roughness[orders]

    def of_component(self, rows: csr_array, component: int) -> csr_array:
        """(m, n): rows (m, n/F) applied to one of the fields."""
        columns = rows.indices * self.components + component
        return csr_array((rows.data, columns, rows.indptr), shape=(len(rows.indptr) - 1, self.n))

    @cached_property
    def _roughness(self) -> dict[Orders, csr_array]:
        return {}

    def nearest(self, values: Callable[..., Sequence[Array]]) -> Array:
        """The least-squares state for fields given on grids: ``values(x, …, t)`` returns each, (x, …, t)."""
        grids = [np.unique(np.concatenate([axis.breaks, axis.points])) for axis in self.axes]
        found = np.stack(list(values(*grids)))
        for axis, grid in zip(self.axes, grids, strict=True):
            along = np.moveaxis(found, 1, 0)
            fitted = axis.fitted(grid, along.reshape(len(grid), -1))
            found = np.moveaxis(fitted.reshape(axis.size, *along.shape[1:]), 0, -1)
        return self.packed(found.astype(float))

    # ---- residuals: what an operator leaves in each element --------------------------------------------------------

    def moments(self, values: Array) -> Array:
        """(…, elements, moments) of values (…, points); their squares sum approximately to the mean square."""
        lead = values.shape[: values.ndim - len(self.axes)]
        found = values.reshape(-1, *self.points)
        for axis in self.axes:
            split = found.reshape(len(found), axis.n, QUADRATURE, *found.shape[2:])
            found = np.moveaxis(np.tensordot(split, axis.moments, (2, 1)), 1, -2)  # moments go to the end
            found = found.reshape(*found.shape[:-2], axis.n * MOMENTS)
        found = found.reshape(len(found), *(size for axis in self.axes for size in (axis.n, MOMENTS)))
        d = len(self.axes)
        found = found.transpose(0, *range(1, 2 * d, 2), *range(2, 2 * d + 1, 2)).reshape(*lead, self.n_elements, -1)
        return found * self._root_volume[:, None]

    def rows(self, operator: Mapping[tuple[int, int, Orders], Array], equations: int) -> Array:
        """(elements, equations·moments, F·local basis): moments of Σ a·∂w, linear in the state, from ``{(equation,
        component, orders): a at the points}``."""
        d, shape = len(self.axes), (self.n_elements, equations, self.n_moments, self.components, self.n_local)
        found = np.zeros(shape)
        for (equation, component, orders), factor in operator.items():
            part = factor.reshape(tuple(size for axis in self.axes for size in (axis.n, QUADRATURE)))
            for axis, order in zip(self.axes, orders, strict=True):  # each axis goes to the end in turn
                own = part.reshape(axis.n, QUADRATURE, -1)
                product = axis.of_element(order) @ own  # (elements, moments·basis, rest)
                part = product.reshape(-1, own.shape[2]).T.reshape(*part.shape[2:], axis.n, product.shape[1])
            split = part.reshape(tuple(size for axis in self.axes for size in (axis.n, MOMENTS, axis.degree + 1)))
            split = split.transpose(*(first + 3 * k for first in range(3) for k in range(d)))
            found[:, equation, :, component, :] += split.reshape(self.n_elements, self.n_moments, self.n_local)
        found *= self._root_volume[:, None, None, None, None]
        return found.reshape(self.n_elements, equations * self.n_moments, -1)

    @cached_property
    def _root_volume(self) -> Array:
        """(elements,)"""
        volume = np.ones(())
        for axis in self.axes:
            volume = np.multiply.outer(volume, axis.lengths / axis.width)
        if self.required is not None:
            volume = volume * self.required[..., None] / self._share
        return np.sqrt(volume).reshape(-1)

    @cached_property
    def basis(self) -> NDArray[np.intp]:
        """(elements, F·local basis): the unknowns with support in each element."""
        found: NDArray[np.intp] = np.zeros((1, 1), np.intp)
        for axis, stride in zip(self.axes, self.strides, strict=True):
            own = (np.arange(axis.n)[:, None] + np.arange(axis.degree + 1)) * stride
            found = (found[:, None, :, None] + own[None, :, None, :]).reshape(-1, found.shape[1] * own.shape[1])
        components = np.arange(self.components)
        return (components[None, :, None] + found[:, None, :]).reshape(len(found), -1)

    def pulled(self, rows: Array, values: Array) -> Array:
        """Rᵀv, (n, k), for the rows of elements and values (elements, equations·moments, k)."""
        products = rows.transpose(0, 2, 1) @ values
        where, parts = self.basis.ravel(), products.reshape(-1, values.shape[-1]).T
        columns = [np.bincount(where, part, minlength=self.n) for part in parts]
        return np.stack(columns, axis=1).astype(float, copy=False)

    def squared(self, rows: Array) -> Array:
        """Upper bands (band + 1, n) of RᵀR, as LAPACK stores them: ``bands[band + i − j, j]`` is entry (i, j); in
        column-major order, a new array each time."""
        return self._squared_by_pairs(rows) if len(self.places) == 1 else self._squared_by_elements(rows)

    def _squared_by_elements(self, rows: Array) -> Array:
        """Element by element, for elements with many unknowns."""
        bands = np.zeros((self.n, self.band + 1))
        flat, (upper, targets) = bands.ravel(), self._targets
        first = self.basis[:, 0] * (self.band + 1)
        for begin in range(0, len(rows), FIELD.memory.elements):
            some = slice(begin, begin + FIELD.memory.elements)
            products = (rows[some].transpose(0, 2, 1) @ rows[some]).reshape(-1, rows.shape[2] ** 2)[:, upper]
            for start, product in zip(first[some], products, strict=True):
                flat[start + targets] += product
        return bands.T

    @cached_property
    def _targets(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs of an element's unknowns in the upper triangle, and the offsets of their entries in the bands from that
        of the first element's first unknown."""
        own = self.basis[0] - self.basis[0, 0]
        i, j = (each.ravel() for each in np.meshgrid(own, own, indexing="ij"))
        upper = np.flatnonzero(i <= j)
        return upper, (j * (self.band + 1) + self.band + i - j)[upper]

    def _squared_by_pairs(self, rows: Array) -> Array:
        """Pair by pair of an element's unknowns, for many elements."""
        by_basis = np.ascontiguousarray(rows.transpose(1, 2, 0))  # (rows, F·local basis, elements)
        bands, into = self._assembly
        bands.fill(0.0)
        sizes, order = tuple(axis.n for axis in self.axes), self.order
        for b, (first, targets) in enumerate(into):
            products = np.einsum("me,mce->ce", by_basis[:, b], by_basis[:, first])
            for target, product in zip(targets, products.reshape(-1, *sizes), strict=True):
                target += product.transpose(order)
        return np.array(bands.reshape(self.band + 1, self.n), order="F")

    @cached_property
    def _assembly(self) -> tuple[Array, list[tuple[list[int], list[Array]]]]:
        """A buffer for the bands, and for each of an element's basis functions the later ones, with the positions of
        their products in the bands: the stride between pairs is the same in every element."""
        sizes = tuple(axis.n for axis in self.axes)
        bands = np.zeros((self.band + 1, *(self.axes[axis].size for axis in self.order), self.components))
        offsets = list(np.ndindex(*(axis.degree + 1 for axis in self.axes)))
        local = [
            (f, offset, sum(o * s for o, s in zip(offset, self.strides, strict=True)) + f)
            for f in range(self.components)
            for offset in offsets
        ]
        into = []
        for _, _, above in local:
            after = [c for c, (_, _, below) in enumerate(local) if below >= above]
            targets = []
            for c in after:
                component, offset, below = local[c]
                where = (slice(offset[axis], offset[axis] + sizes[axis]) for axis in self.order)
                targets.append(bands[(self.band - (below - above), *where, component)])
            into.append((after, targets))
        return bands, into
