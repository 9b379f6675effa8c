"""The Jacobian in the plane: applied axis by axis, never assembled, and (shift − J)·x = b solved for implicit steps.

J = Σ diag(a)·(∂ᵖ/∂xᵖ ⊗ ∂ᑫ/∂yᑫ) over the slopes a of the law. GMRES solves with the exact J; a preconditioner in which
each a is replaced by its mean reduces it to a few iterations. Along a periodic axis the Fourier modes diagonalise every
derivative. Along other axes the eigenvectors of the highest even derivative diagonalise that one, and only the diagonal
of the others is kept. Then fields are coupled only mode by mode, and small matrices are inverted (fast diagonalisation:
Lynch, Rice and Thomas 1964).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.fft import fft, ifft
from scipy.sparse.linalg import LinearOperator, gmres

from pdescry.equation.term import Derivative
from pdescry.solver.basis import Fourier
from pdescry.solver.options import SOLVER
from pdescry.solver.space import Space, along

if TYPE_CHECKING:
    from pdescry.solver.discretisation import Discretisation

Array = np.ndarray
Slopes = Mapping[tuple[str, Derivative], Array]


class AxisModes:
    """Along one axis: the transform to modes and back, and the factors of derivatives for each mode."""

    def __init__(self, space: Space, order: int) -> None:
        self._space = space
        self.periodic = isinstance(space.basis, Fourier)
        self._forward = self._backward = np.eye(len(space.nodes))
        even = order - order % 2
        if not self.periodic and even:
            vectors = np.linalg.eig(space.derivative(even)[0])[1]
            self._backward, self._forward = vectors, np.linalg.inv(vectors)

    def factors(self, order: int) -> Array:
        """(n,): factor of each mode under a derivative."""
        nodes = self._space.nodes
        if order == 0:
            return np.ones(len(nodes))
        if self.periodic:
            length = self._space.basis.right - self._space.basis.left
            return (2j * np.pi * np.fft.fftfreq(len(nodes), length / len(nodes))) ** order
        return np.einsum("ij,jk,ki->i", self._forward, self._space.derivative(order)[0], self._backward)

    def to_modes(self, values: Array, axis: int) -> Array:
        return np.asarray(fft(values, axis=axis)) if self.periodic else along(self._forward, values, axis)

    def from_modes(self, values: Array, axis: int) -> Array:
        return np.asarray(ifft(values, axis=axis)) if self.periodic else along(self._backward, values, axis)


class Modes:
    """The modes of every field on a grid: the same for all Jacobians there."""

    def __init__(self, grid: Discretisation) -> None:
        self.grid = grid
        self.shape = tuple(grid.points[axis] for axis in grid.axes)
        self.numbers = {name: number for number, name in enumerate(grid.blocks)}
        self.fields = {
            field: [
                AxisModes(factor, grid.equation.order(axis, field))
                for axis, factor in zip(space.axes, space.factors, strict=True)
            ]
            for field, space in grid.spaces.items()
        }

    @cached_property
    def factors(self) -> dict[Derivative, Array]:
        """For each variable, the factor of its derivative for each mode of its field, of the grid's shape."""
        found = {}
        for variable, (_, orders) in self.grid.block_of.items():
            first, second = (
                modes.factors(order) for modes, order in zip(self.fields[variable.field], orders, strict=True)
            )
            found[variable] = np.multiply.outer(first, second)
        return found

    def symbol(self, slopes: Slopes) -> Array:
        """The law with constant coefficients, mode by mode: (n, n', blocks, blocks)."""
        size = len(self.numbers)
        out = np.zeros((*self.shape, size, size), complex)
        for component in self.grid.equation.components:
            if component.time_order == 2:
                name = Derivative(component.field)
                out[..., self.numbers[name], self.numbers[Derivative(component.field, "t")]] = 1.0
        for (field, variable), slope in slopes.items():
            row = self.numbers[Derivative(field, "t" * (self.grid.equation[field].time_order - 1))]
            column = self.numbers[self.grid.block_of[variable][0]]
            out[..., row, column] += slope.mean() * self.factors[variable]
        return out if np.any(np.imag(out)) else np.real(out)

    def transform(self, values: Array, back: bool = False) -> Array:
        """(blocks, n, n') between values at the nodes and modes."""
        parts = []
        for name, part in zip(self.numbers, values, strict=True):
            for axis, modes in enumerate(self.fields[name.field], -2):
                part = modes.from_modes(part, axis) if back else modes.to_modes(part, axis)
            parts.append(part)
        return np.array(parts)


class TensorJacobian:
    """J at one state, as an operator on (…, blocks·N)."""

    __array_ufunc__ = None  # so that numpy leaves the subtraction to `Shift`

    def __init__(self, modes: Modes, slopes: Slopes) -> None:
        self.modes = modes
        self.slopes = slopes

    @property
    def finite(self) -> bool:
        return all(bool(np.all(np.isfinite(slope))) for slope in self.slopes.values())

    @cached_property
    def symbol(self) -> Array:
        return self.modes.symbol(self.slopes)

    def __matmul__(self, change: Array) -> Array:
        if np.iscomplexobj(change):  # two real products take half the time of a complex one
            return (self @ np.real(change)) + 1j * (self @ np.imag(change))
        grid = self.modes.grid
        out = np.zeros_like(change)
        found: dict[Derivative, Array] = {}
        for (field, variable), slope in self.slopes.items():
            if variable not in found:
                name, orders = grid.block_of[variable]
                values = change[grid.blocks[name]].reshape(self.modes.shape)
                found[variable] = grid.spaces[variable.field].apply(values, orders).ravel()
            out[grid.force_block(field)] += slope * found[variable]
        for component in grid.equation.components:
            if component.time_order == 2:
                out[grid.blocks[Derivative(component.field)]] += change[grid.force_block(component.field)]
        return out


class Shift:
    """A multiple of the identity: ``shift * Shift() - jacobian`` is the matrix of an implicit step."""

    __array_ufunc__ = None

    def __init__(self, factor: complex = 1.0) -> None:
        self.factor = factor

    def __rmul__(self, factor: complex) -> Shift:
        return Shift(factor * self.factor)

    def __sub__(self, jacobian: TensorJacobian) -> Shifted:
        return Shifted(self.factor, jacobian)


class Shifted:
    """shift − J, with its preconditioner."""

    def __init__(self, shift: complex, jacobian: TensorJacobian) -> None:
        self.shift = shift
        self.jacobian = jacobian
        symbol = jacobian.symbol
        self._inverse = np.linalg.inv(shift * np.eye(symbol.shape[-1]) - symbol)

    def _precondition(self, residual: Array) -> Array:
        modes = self.jacobian.modes
        parts = modes.transform(residual.reshape(-1, *modes.shape))
        if len(parts) == 1:
            parts = self._inverse[..., 0, 0] * parts
        else:
            parts = np.einsum("xyij,jxy->ixy", self._inverse, parts)
        out = modes.transform(parts, back=True).ravel()
        return out if np.iscomplexobj(residual) else np.real(out)

    def solve(self, right: Array, sizes: Array) -> Array:
        """x of (shift − J)·x = right, with each component measured in units of its size."""
        kind: dict[str, Any] = {"shape": (len(right), len(right)), "dtype": right.dtype}
        kind["matvec"] = lambda x: (self.shift * (sizes * x) - self.jacobian @ (sizes * x)) / sizes
        operator = LinearOperator(**kind)
        inverse = LinearOperator(**kind | {"matvec": lambda x: self._precondition(sizes * x) / sizes})
        rtol, most = SOLVER.accuracy.krylov, SOLVER.accuracy.krylov_iterations
        found, _ = gmres(operator, right / sizes, M=inverse, rtol=rtol, restart=most, maxiter=1)
        return sizes * found
