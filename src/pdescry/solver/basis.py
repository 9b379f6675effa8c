"""Spectral bases on an interval: a function is a vector of coefficients, everything else is a dense matrix.

A basis consists only of its collocation nodes and the matrix of its functions (or their derivatives) at any points.
Differentiation matrices, boundary conditions, interpolation and the test of resolution all follow from these
(`discretisation`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import numpy as np
from numpy.polynomial import chebyshev

Array = np.ndarray


class Basis(ABC):
    """``size`` smooth functions on ``[left, right]``, ordered from coarse to fine."""

    def __init__(self, left: float, right: float, size: int) -> None:
        self.left = left
        self.right = right
        self.size = size

    @abstractmethod
    def nodes(self, count: int) -> Array:
        """``count`` points at which collocation with this basis is well-conditioned, ascending."""

    @abstractmethod
    def matrix(self, x: Array, order: int = 0) -> Array:
        """Shape (len(x), size): the ``order``-th derivative of each function at each point, in the precision of x."""

    @abstractmethod
    def finest(self) -> float:
        """The largest wavenumber that the basis represents."""


@final
class Fourier(Basis):
    """1, cos, sin, cos 2, … of period right − left. ``size`` is odd, so that all modes are in pairs."""

    def nodes(self, count: int) -> Array:
        return self.left + (self.right - self.left) * np.arange(count) / count

    def matrix(self, x: Array, order: int = 0) -> Array:
        wave = 2 * np.pi / (self.right - self.left)
        k = wave * np.arange(1, self.size // 2 + 1)
        phase = np.outer(np.asarray(x) - self.left, k) + order * np.pi / 2  # each derivative adds a quarter turn
        out = np.empty((len(x), self.size), dtype=phase.dtype)
        out[:, 0] = 1.0 if order == 0 else 0.0
        out[:, 1::2] = k**order * np.cos(phase)
        out[:, 2::2] = k**order * np.sin(phase)
        return out

    def finest(self) -> float:
        return 2 * np.pi / (self.right - self.left) * (self.size // 2)


@final
class Chebyshev(Basis):
    """Chebyshev polynomials; nodes of the first kind, all inside, so that the ends are free for boundary conditions."""

    def nodes(self, count: int) -> Array:
        s = -np.cos(np.pi * (np.arange(count) + 0.5) / count)
        return self.left + (self.right - self.left) * (s + 1) / 2

    def matrix(self, x: Array, order: int = 0) -> Array:
        stretch = 2 / (self.right - self.left)
        s = np.clip((np.asarray(x) - self.left) * stretch - 1, -1.0, 1.0)
        if order >= self.size:
            return np.zeros((len(x), self.size))
        functions = np.eye(self.size, dtype=s.dtype)
        lowered = chebyshev.chebder(functions, order, stretch, axis=0) if order else functions
        return chebyshev.chebvander(s, self.size - 1 - order) @ lowered

    def finest(self) -> float:
        # In the middle of the interval a polynomial of degree p oscillates like cos(p s).
        return 2 / (self.right - self.left) * (self.size - 1)
