"""The covariance of readings under a Gaussian process, and how likely it makes them.

Of a squared-exponential field, an offset of each sensor, independent noise, and perhaps errors of each sensor that last
for a while, with covariance v exp(−|t − t′|/ℓ).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, get_lapack_funcs

from pdescry.joint.field.axis import Array

JITTER = 1e-10
_cholesky, _invert = get_lapack_funcs(("potrf", "potri"), dtype=np.float64)


def correlation(left: Array, right: Array, lengths: Array) -> Array:
    """Squared-exponential, of points whose first columns go with the lengths."""
    squares = sum(((left[:, None, k] - right[:, k]) / length) ** 2 for k, length in enumerate(lengths))
    return np.exp(-0.5 * np.asarray(squares))


def covariance(points: Array, scales: Array, lasting: Array) -> Array:
    """(N, N), of readings at points (N, 1 + d + 1): time, places, sensor. scales: variances of field, offsets and
    noise, lengths along time and each axis of space. lasting: v and ℓ, or nothing."""
    same = points[:, None, -1] == points[:, -1]
    found = correlation(points, points, scales[3:]) * scales[0] + scales[1] * same
    if len(lasting):
        found += lasting[0] * same * np.exp(-np.abs(points[:, None, 0] - points[:, 0]) / lasting[1])
    found[np.diag_indices_from(found)] += JITTER + scales[2]
    return found


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Log marginal likelihood of values, (N,), and its slope. squares: (axes, N, N), of distances. same: (N, N),
    whether of one sensor."""

    values: Array
    squares: Array
    same: Array

    @classmethod
    def of(cls, points: Array, values: Array) -> Likelihood:
        squares = np.array([(points[:, None, k] - points[:, k]) ** 2 for k in range(points.shape[1] - 1)])
        return cls(values, squares, (points[:, None, -1] == points[:, -1]).astype(float))

    def at(self, scales: Array, lasting: Array) -> tuple[float, Array]:
        """With the slope in each of the scales, and in ``lasting``."""
        lengths = scales[3:]
        field = scales[0] * np.exp(-0.5 * np.tensordot(1 / lengths**2, self.squares, 1))
        whole = field + scales[1] * self.same
        apart = errors = np.zeros((0, 0))
        if len(lasting):
            apart = np.sqrt(self.squares[0])
            errors = self.same * np.exp(-apart / lasting[1])
            whole += lasting[0] * errors
        whole[np.diag_indices_from(whole)] += scales[2] + JITTER
        root, info = _cholesky(whole, lower=1)
        if info != 0:
            return -1e25, np.zeros(len(scales) + len(lasting))
        pulled = cho_solve((root, True), self.values)
        value = -0.5 * self.values @ pulled - np.log(np.diag(root)).sum() - 0.5 * len(pulled) * math.log(2 * math.pi)
        inverse, _ = _invert(root, lower=1)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        weight = np.outer(pulled, pulled) - inverse
        weighed = weight * field
        along = [0.5 * np.vdot(weighed, each) / length**3 for each, length in zip(self.squares, lengths, strict=True)]
        own = [weighed.sum() / scales[0], np.vdot(weight, self.same), np.trace(weight)]
        more = []
        if len(lasting):
            weighed = weight * errors
            more = [0.5 * weighed.sum(), 0.5 * lasting[0] * np.vdot(weighed, apart) / lasting[1] ** 2]
        return float(value), np.array([*(0.5 * np.array(own)), *along, *more])
