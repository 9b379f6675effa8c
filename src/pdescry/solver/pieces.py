"""One computed field: cubics in time between steps, spectral coefficients in space. Evaluated anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pdescry.solver.basis import Basis
from pdescry.solver.stepping import interpolate

Array = np.ndarray

_BLOCK = 4096  # points evaluated at a time: bounds memory however many are asked for


@dataclass(frozen=True)
class Pieces:
    times: Array  # (steps + 1,)
    coefficients: Array  # (steps + 1, size)
    bends: Array  # (steps, 3, size)
    basis: Basis

    def at(self, t: Array, x: Array, order: int = 0) -> Array:
        """The ``order``-th space derivative at scattered points, shape (len(t),)."""
        out = np.empty(len(t))
        for start in range(0, len(t), _BLOCK):
            block = slice(start, start + _BLOCK)
            moments, index = np.unique(t[block], return_inverse=True)
            coefficients = interpolate(self.times, self.coefficients, self.bends, moments)
            out[block] = np.einsum("ij,ij->i", self.basis.matrix(x[block], order), coefficients[index])
        return out

    def on_grid(self, t: Array, x: Array) -> Array:
        """Shape (len(t), len(x))."""
        return interpolate(self.times, self.coefficients, self.bends, t) @ self.basis.matrix(x).T
