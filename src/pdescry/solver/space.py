"""One field in space: along one axis (`Space`), and over several as the tensor product of these (`TensorSpace`).

Along one axis, rectangular collocation. The unknowns are the values v at n nodes. With m boundary conditions the field
is the one function with n + m coefficients c that has these values and satisfies the conditions:

    [ Φ(nodes) ]       [ v ]
    [ boundary ]  c =  [ b ]        so  c = lift·v + fixed·b,   ∂ᵏu/∂xᵏ(nodes) = Φ⁽ᵏ⁾c = Dₖ·v + Gₖ·b

In the plane, v (n × n') is bordered by the conditions along the sides, at the nodes of the other axis, and at the
corners; each axis then acts on the rows or on the columns of that matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from pdescry.equation.term import Derivative
from pdescry.solver.basis import Basis, Chebyshev, Fourier
from pdescry.solver.boundary import Condition, Conditions

Array = np.ndarray


class Space:
    """One field in space: its basis, and the linear maps from nodal values to coefficients and derivatives."""

    def __init__(
        self, domain: tuple[float, float], points: int, conditions: Conditions, field: str, order: int
    ) -> None:
        given = conditions.of(field)
        kind = Fourier if conditions.periodic else Chebyshev
        self.basis: Basis = kind(*domain, points + len(given))
        self.nodes = self.basis.nodes(points)
        # From the third derivative on, rounding in the Chebyshev matrices would be significant; extended precision
        # avoids it.
        self._precise = order > 2 and not conditions.periodic
        number = np.longdouble if self._precise else np.float64
        rows, self.conditions, sizes = [self.basis.matrix(self.nodes.astype(number))], given, np.ones(len(given))
        for index, condition in enumerate(given):
            end = np.array([domain[0] if condition.low else domain[1]], dtype=number)
            row = self.basis.matrix(end, condition.order)
            sizes[index] = np.abs(row).max()  # rows of equal size keep the system well-conditioned
            rows.append(row / sizes[index])
        system = np.vstack(rows)
        self.at_ends = system[points:].astype(float)  # (m, size)
        inverse = np.linalg.inv(system.astype(float)).astype(number)
        for _ in range(2 * self._precise):  # Newton's iteration for an inverse
            inverse += inverse @ (np.eye(len(system)) - system @ inverse)
        self._lift = inverse[:, :points]
        self._fixed = inverse[:, points:] / sizes
        self.lift = self._lift.astype(float)  # (size, n)
        self.fixed = self._fixed.astype(float)  # (size, m)
        self._derivatives: dict[int, tuple[Array, Array]] = {}

    def smooth_noise(self, random: np.random.Generator) -> Array:
        """A random function of the coarsest modes that satisfies the boundary conditions: values at the nodes, largest
        1."""
        coarse = max(8, self.basis.size // 4)
        coefficients = random.standard_normal(coarse)
        ends = self.at_ends[:, :coarse]
        coefficients -= np.linalg.pinv(ends) @ (ends @ coefficients)
        values = self.basis.matrix(self.nodes)[:, :coarse] @ coefficients
        return values / np.abs(values).max()

    def derivative(self, order: int) -> tuple[Array, Array]:
        """(Dₖ, Gₖ): the contributions of the nodal values and of the boundary values."""
        if order not in self._derivatives:
            functions = self.basis.matrix(self.nodes.astype(self._lift.dtype), order)
            matrix = (functions @ self._lift).astype(float) if order else np.eye(len(self.nodes))
            by_ends = (functions @ self._fixed).astype(float) if order else np.zeros((len(matrix), len(self.at_ends)))
            self._derivatives[order] = (matrix, by_ends)
        return self._derivatives[order]

    def bordered_derivative(self, order: int) -> Array:
        """(n, n + m): Dₖ and Gₖ side by side."""
        return np.hstack(self.derivative(order))


class TensorSpace:
    """One field over all axes: nodal values (N,) and the boundary values (M,) → derivatives and coefficients.

    (M,) is, along one axis, a value for each condition; in the plane the border of the matrix of nodal values, row by
    row: values along y of every condition on x, values along x of every one on y, and the corners.
    """

    def __init__(self, factors: Mapping[str, Space]) -> None:
        self.axes = tuple(factors)
        self.factors = tuple(factors.values())
        self.bases = tuple(space.basis for space in self.factors)
        self.shape = tuple(len(space.nodes) for space in self.factors)
        self._full = tuple(space.basis.size for space in self.factors)  # with the border
        self._bordered: dict[tuple[int, int], Array] = {}

    @cached_property
    def _border(self) -> Array:
        """Which entries of the bordered matrix are not nodal values."""
        out = np.ones(self._full, bool)
        out[tuple(slice(n) for n in self.shape)] = False
        return out

    @cached_property
    def _constant_ends(self) -> bool:
        return not any(callable(condition.value) for space in self.factors for condition in space.conditions)

    @cached_property
    def _ends_at_rest(self) -> Array:
        return self._ends(lambda condition, places: condition.along(0.0, places))

    def at_end_values(self, t: float) -> Array:
        """(M,): b at a time."""
        if self._constant_ends:
            return self._ends_at_rest
        return self._ends(lambda condition, places: condition.along(t, places))

    def at_end_rates(self, t: float) -> Array:
        """(M,): db/dt, which is the boundary values of u_t."""
        if self._constant_ends:
            return np.zeros(len(self._ends_at_rest))
        return self._ends(lambda condition, places: condition.rate_along(t, places))

    def at_ends_of(self, name: Derivative, t: float) -> Array:
        """(M,): of a block of the state, u or u_t."""
        return self.at_end_rates(t) if name.axes else self.at_end_values(t)

    def _ends(self, values: Callable[[Condition, Array | None], Array]) -> Array:
        if len(self.factors) == 1:
            return np.array([float(values(condition, None)) for condition in self.factors[0].conditions])
        if not self._border.any():
            return np.zeros(0)
        first, second = self.factors
        (n, m), out = self.shape, np.zeros(self._full)
        for row, condition in enumerate(first.conditions, n):
            out[row, :m] = values(condition, second.nodes)
        for column, condition in enumerate(second.conditions, m):
            out[:n, column] = values(condition, first.nodes)
            for row, other in enumerate(first.conditions, n):
                out[row, column] = _at_corner(other, first, condition, second, values)
        return out[self._border]

    def _framed(self, values: Array, ends: Array) -> Array:
        """(…, N) and (…, M) → (…, n + m, n' + m')."""
        out = np.empty((*values.shape[:-1], *self._full))
        out[..., *(slice(n) for n in self.shape)] = values.reshape(*values.shape[:-1], *self.shape)
        if ends.shape[-1]:
            out[..., self._border] = ends
        return out

    def differentiate(self, values: Array, ends: Array, orders: Sequence[int]) -> Array:
        """(N,): a derivative at the nodes, of an order along each axis."""
        if len(self.factors) == 1:
            matrix, by_ends = self.factors[0].derivative(orders[0])
            return matrix @ values + by_ends @ ends
        out = self._framed(values, ends)
        for number, order in enumerate(orders):
            if order:
                out = along(self._bordered_matrix(number, order), out, number)
            else:
                out = out[(slice(None),) * number + (slice(self.shape[number]),)]
        return out.ravel()

    def _bordered_matrix(self, number: int, order: int) -> Array:
        if (number, order) not in self._bordered:
            self._bordered[number, order] = self.factors[number].bordered_derivative(order)
        return self._bordered[number, order]

    def apply(self, values: Array, orders: Sequence[int]) -> Array:
        """The derivative of a change with fixed boundary values: (…, n, n') → (…, n, n')."""
        for number, order in enumerate(orders):
            if order:
                matrix = self.factors[number].derivative(order)[0]
                values = along(matrix, values, number - len(orders))
        return values

    def coefficients(self, values: Array, ends: Array) -> Array:
        """Spectral coefficients for nodal values (…, N) and ends (…, M), or for a change of both: (…, size)."""
        if len(self.factors) == 1:
            (space,) = self.factors
            return values @ space.lift.T + ends @ space.fixed.T
        out = self._framed(values, ends)
        for number, space in enumerate(self.factors):
            out = along(np.hstack([space.lift, space.fixed]), out, number - len(self.factors))
        return out.reshape(*values.shape[:-1], -1)

    def evaluate(self, coefficients: Array, places: Sequence[Array], orders: Sequence[int] | None = None) -> Array:
        """(size,) → values on the grid of these places of each axis, or of a derivative."""
        out = coefficients.reshape(self._full)
        for number, (basis, x) in enumerate(zip(self.bases, places, strict=True)):
            out = along(basis.matrix(x, orders[number] if orders else 0), out, number)
        return out

    def amplitudes(self, coefficients: Array) -> dict[str, Array]:
        """For each axis, |coefficients| by mode number along it: the largest over the other axes."""
        sizes = np.abs(coefficients).reshape(self._full)
        if len(self.axes) == 1:
            return {self.axes[0]: sizes}
        return {
            axis: np.moveaxis(sizes, k, 0).reshape(self._full[k], -1).max(axis=1) for k, axis in enumerate(self.axes)
        }

    def smooth_noise(self, random: np.random.Generator) -> Array:
        """A random function of the coarsest modes that satisfies the boundary conditions: values at the nodes, largest
        1."""
        if len(self.factors) == 1:
            return self.factors[0].smooth_noise(random)
        coarse = [min(max(8, basis.size // 4), basis.size) for basis in self.bases]
        out = random.standard_normal(coarse)
        for number, (space, size) in enumerate(zip(self.factors, coarse, strict=True)):
            ends = space.at_ends[:, :size]
            within = np.eye(size) - np.linalg.pinv(ends) @ ends if len(ends) else np.eye(size)
            out = along(space.basis.matrix(space.nodes)[:, :size] @ within, out, number)
        return out.ravel() / np.abs(out).max()


def along(matrix: Array, values: Array, axis: int) -> Array:
    """A matrix applied along one of the last two axes, or along the only one."""
    axis = axis if axis < 0 else axis - values.ndim
    return values @ matrix.T if axis == -1 and values.ndim > 1 else matrix @ values


def _at_corner(
    across: Condition, first: Space, along_it: Condition, second: Space, values: Callable[[Condition, Array], Array]
) -> float:
    """∂ᵖ⁺ᑫu/∂xᵖ∂yᑫ at the corner of a side that fixes ∂ᵖu/∂xᵖ and one that fixes ∂ᑫu/∂yᑫ, from the conditions along
    either."""
    x, y = (
        np.array([space.basis.left if c.low else space.basis.right])
        for c, space in ((across, first), (along_it, second))
    )
    if along_it.order == 0:
        return float(values(across, y)[0])
    if across.order == 0:
        return float(values(along_it, x)[0])
    basis = type(second.basis)(second.basis.left, second.basis.right, len(second.nodes))
    slope = np.linalg.solve(basis.matrix(second.nodes).T, basis.matrix(y, along_it.order)[0])
    return float(slope @ values(across, second.nodes))
