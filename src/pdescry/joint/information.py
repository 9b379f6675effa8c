"""Expected information of further readings: on a law's coefficients, or on the field if there is no law.

Everything is Gaussian, by Laplace's approximation. With coefficients θ of covariance Σ, the sensitivity ∂E[u|θ]/∂θ = G
of the field u at the places and times of some readings, K = cov(u|θ) there and N their noise, the readings add Gᵀ(K +
N)⁻¹G to the precision of θ, whatever their values, so that the expected information is

    I = ½ log|1 + Σ Gᵀ(K + N)⁻¹G|  nats of θ;  for one reading, −½ log(1 − cᵀΣ⁻¹c / (var u + σ²)), c = cov(θ, u)
    I = ½ log|1 + N⁻¹K|            nats of the field, if there are no coefficients

Further readings are judged given those before, so that two sensors are not placed next to each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array, vstack

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.objective import Minimum

Rows = NDArray[np.intp]
_Covariance = Callable[[Rows, Rows], Array]


@dataclass(frozen=True, eq=False)
class Belief:
    """Posterior of k coefficients, and of the field at P points.

    scale: (k, k), a root of the coefficients' covariance before any of these readings. sensitivity: (P, k), of the
    field to the coefficients, in units of ``scale``. precision: (k, k), in the same units, initially one. prior:
    covariance of the field between points given the coefficients, before any of these readings. reduction: (P, r), a
    root of the reduction of that covariance by the readings since then. chance: spurious increase of the precision for
    each degree of freedom of the field, if the posterior is given by a number of draws: one over this number.
    """

    scale: Array
    sensitivity: Array
    precision: Array
    prior: _Covariance
    reduction: Array
    chance: float = 0.0

    @classmethod
    def of_fit(cls, found: Minimum, number: int, points: Array) -> Belief:
        """In closed form from a joint fit: for the fields of one experiment at points (P, D), places before time, for
        each field in turn."""
        experiment, own = found.objective.experiments[number], found.solved.states[number]
        k, factor = len(found.coefficients), own.factor
        at = csr_array(vstack([experiment.space.at(points, field) for field in range(experiment.space.components)]))
        scale = solve_triangular(found.solved.root, np.eye(k))

        def prior(rows: Rows, columns: Rows) -> Array:
            if rows is columns:
                return factor.covariance(at[rows])
            return np.asarray(at[rows] @ factor.solve(at[columns].T.toarray()))

        sensitivity = -(at @ own.through[:, :-1]) @ scale
        return cls(scale, sensitivity, np.eye(k), prior, np.zeros((len(at.indptr) - 1, 0)))

    @classmethod
    def of_draws(cls, coefficients: Array, fields: Array) -> Belief:
        """From S draws of the coefficients, (S, k), and of the corresponding field, (S, P)."""
        number, k = coefficients.shape
        moved, apart = ((each - each.mean(0)) / np.sqrt(number - 1) for each in (coefficients, fields))
        alone, root = np.linalg.qr(moved)
        sensitivity = apart.T @ alone
        left = (apart - alone @ sensitivity.T) * np.sqrt((number - 1) / max(number - 1 - k, 1))
        return cls(
            root.T, sensitivity, np.eye(k), lambda rows, columns: left[:, rows].T @ left[:, columns],
            np.zeros((fields.shape[1], 0)), 1 / number,
        )  # fmt: skip

    @property
    def k(self) -> int:
        return len(self.scale)

    @property
    def sd(self) -> Array:
        """(k,): sds of the coefficients."""
        if not self.k:
            return np.zeros(0)
        return np.sqrt(np.sum(solve_triangular(np.linalg.cholesky(self.precision), self.scale.T, lower=True) ** 2, 0))

    def covariance(self, rows: Rows, columns: Rows) -> Array:
        """Covariance of the field between points, given the coefficients and the readings so far."""
        return self.prior(rows, columns) - self.reduction[rows] @ self.reduction[columns].T

    def after(self, rows: Rows, noise: Array) -> Belief:
        """The posterior after readings at the points of these rows; noise: (m, m), the covariance of their errors."""
        own = self.covariance(rows, rows)
        root = np.linalg.cholesky(own + noise)
        response: Array = np.linalg.solve(root, self.sensitivity[rows]).astype(float)
        reduction = np.linalg.solve(root, self.covariance(np.arange(len(self.sensitivity)), rows).T).T
        return replace(
            self,
            sensitivity=self.sensitivity - reduction @ response,
            precision=self.precision + self._increase(response, own, own + noise),
            reduction=np.hstack([self.reduction, reduction]),
        )

    def information(self, rows: Rows, noise: Array, own: Array | None = None) -> Array:
        """Expected information of readings at the points of these rows, in nats: (…) for rows (…, m). own: (…, m, m),
        covariance of the field among these points before any readings, if it is already computed."""
        own = self.prior(rows, rows) if own is None else own
        own = own - self.reduction[rows] @ np.swapaxes(self.reduction[rows], -2, -1)
        root = np.linalg.cholesky(own + noise)
        if not self.k:
            logs = np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(-1)
            return logs - 0.5 * np.linalg.slogdet(noise)[1]
        increase = self._increase(np.linalg.solve(root, self.sensitivity[rows]).astype(float), own, own + noise)
        return 0.5 * (np.linalg.slogdet(self.precision + increase)[1] - np.linalg.slogdet(self.precision)[1])

    def _increase(self, response: Array, own: Array, with_noise: Array) -> Array:
        """(…, k, k): increase of the precision; with few draws, minus its spurious part."""
        increase = np.swapaxes(response, -2, -1) @ response
        if not self.chance:
            return increase
        degrees_of_freedom = np.trace(np.linalg.solve(with_noise, own), axis1=-2, axis2=-1)
        values, vectors = np.linalg.eigh(increase)
        values = np.maximum(values - self.chance * degrees_of_freedom[..., None], 0)
        return (vectors * values[..., None, :]) @ np.swapaxes(vectors, -2, -1)


@dataclass(frozen=True, eq=False)
class PossibleReadings:
    """Possible readings: each of m points of a belief, rows (O, m), with the covariance of their errors, noise (m, m).
    own: (O, m, m), covariance of the field among the points of each before any readings."""

    rows: Rows
    noise: Array
    own: Array

    def information(self, belief: Belief) -> Array:
        """(O,): expected information of each alone, given the belief."""
        return belief.information(self.rows, self.noise, self.own)

    def best(self, belief: Belief, number: int) -> list[tuple[int, float, Belief]]:
        """Greedy choice, each the best given those before: index, information, and the belief afterwards."""
        found = []
        for _ in range(number):
            gains = self.information(belief)
            which = int(np.argmax(gains))
            belief = belief.after(self.rows[which], self.noise)
            found.append((which, float(gains[which]), belief))
        return found
