"""One computed field: cubics in time between steps, spectral coefficients in space. Evaluated anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pdescry.solver.options import SOLVER
from pdescry.solver.space import TensorSpace
from pdescry.solver.stepping import interpolate

Array = np.ndarray


@dataclass(frozen=True)
class Pieces:
    times: Array  # (steps + 1,)
    coefficients: Array  # (steps + 1, size)
    bends: Array  # (steps, 3, size)
    space: TensorSpace

    def at(self, t: Array, places: Sequence[Array], orders: Sequence[int]) -> Array:
        """A space derivative, of an order along each axis, at scattered points: shape (len(t),)."""
        if len(places) > 1:
            return self._in_the_plane(t, places, orders)
        (x,), (order,), (basis,) = places, orders, self.space.bases
        out = np.empty(len(t))
        for start in range(0, len(t), SOLVER.points_at_once):
            block = slice(start, start + SOLVER.points_at_once)
            moments, index = np.unique(t[block], return_inverse=True)
            coefficients = interpolate(self.times, self.coefficients, self.bends, moments)
            out[block] = np.einsum("ij,ij->i", basis.matrix(x[block], order), coefficients[index])
        return out

    def _in_the_plane(self, t: Array, places: Sequence[Array], orders: Sequence[int]) -> Array:
        out = np.empty(len(t))
        for moment in np.unique(t):
            here = np.flatnonzero(t == moment)
            coefficients = self._coefficients(np.array([moment]))[0]
            for start in range(0, len(here), SOLVER.points_at_once):
                block = here[start : start + SOLVER.points_at_once]
                first, second = (
                    basis.matrix(x[block], order)
                    for basis, x, order in zip(self.space.bases, places, orders, strict=True)
                )
                out[block] = np.einsum("ij,ij->i", first @ coefficients, second)
        return out

    def _coefficients(self, t: Array) -> Array:
        """(times, size, size')."""
        found = interpolate(self.times, self.coefficients, self.bends, t)
        return found.reshape(len(t), *(basis.size for basis in self.space.bases))

    def on_grid(self, t: Array, *places: Array) -> Array:
        """Shape (len(t), len(x)), or (len(t), len(x), len(y))."""
        if len(places) == 1:
            return interpolate(self.times, self.coefficients, self.bends, t) @ self.space.bases[0].matrix(places[0]).T
        first, second = (basis.matrix(x) for basis, x in zip(self.space.bases, places, strict=True))
        out = np.empty((len(t), len(first), len(second)))
        for number, moment in enumerate(t):  # one at a time: coefficients of all times would take much memory
            out[number] = first @ self._coefficients(np.array([moment]))[0] @ second.T
        return out
