"""How much information readings not yet taken would add: on a law's coefficients, or on the field where there is no
law.

All is Gaussian, as Laplace's approximation has it. With coefficients θ of covariance Σ, a field u that follows them by
∂E[u|θ]/∂θ = G at the places and times of some readings, K = cov(u|θ) there and N their noise, reading them adds
Gᵀ(K + N)⁻¹G to the precision of θ, whatever they read, and so is expected to add

    I = ½ log|1 + Σ Gᵀ(K + N)⁻¹G|  nats of θ;  for one reading, −½ log(1 − cᵀΣ⁻¹c / (var u + σ²)), c = cov(θ, u)
    I = ½ log|1 + N⁻¹K|            nats of the field, where there are no coefficients

Further readings are judged given those before, so that no two sensors are sent to the same place for the same reason.
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
    """What is known of k coefficients, and of the field at P points.

    scale: (k, k), its square the coefficients' covariance before any of these readings. follows: (P, k), how the field
    follows the coefficients, in units of ``scale``. precision: (k, k), in the same units: one at first. prior:
    covariance of the field between points given the coefficients, before any of these readings. seen: (P, r), what
    readings since then have taken from it. chance: what the precision would seem to grow by for each freedom of the
    field if it had nothing to do with the coefficients, where all this is known from a number of draws: one over it.
    """

    scale: Array
    follows: Array
    precision: Array
    prior: _Covariance
    seen: Array
    chance: float = 0.0

    @classmethod
    def of_fit(cls, found: Minimum, number: int, points: Array) -> Belief:
        """In closed form, where law and fields were inferred together: of the fields of one experiment at points
        (P, D), places before time, once for each field, these outermost."""
        experiment, own = found.objective.experiments[number], found.solved.states[number]
        k, factor = len(found.coefficients), own.factor
        at = csr_array(vstack([experiment.space.at(points, field) for field in range(experiment.space.components)]))
        scale = solve_triangular(found.solved.root, np.eye(k))

        def prior(rows: Rows, columns: Rows) -> Array:
            if rows is columns:
                return factor.covariance(at[rows])
            return np.asarray(at[rows] @ factor.solve(at[columns].T.toarray()))

        follows = -(at @ own.through[:, :-1]) @ scale
        return cls(scale, follows, np.eye(k), prior, np.zeros((len(at.indptr) - 1, 0)))

    @classmethod
    def of_draws(cls, coefficients: Array, fields: Array) -> Belief:
        """From S draws of the coefficients, (S, k), and of the field that each belongs to, (S, P)."""
        number, k = coefficients.shape
        moved, apart = ((each - each.mean(0)) / np.sqrt(number - 1) for each in (coefficients, fields))
        alone, root = np.linalg.qr(moved)
        follows = apart.T @ alone
        left = (apart - alone @ follows.T) * np.sqrt((number - 1) / max(number - 1 - k, 1))
        return cls(
            root.T, follows, np.eye(k), lambda rows, columns: left[:, rows].T @ left[:, columns],
            np.zeros((fields.shape[1], 0)), 1 / number,
        )  # fmt: skip

    @property
    def k(self) -> int:
        return len(self.scale)

    @property
    def sd(self) -> Array:
        """(k,), of the coefficients."""
        if not self.k:
            return np.zeros(0)
        return np.sqrt(np.sum(solve_triangular(np.linalg.cholesky(self.precision), self.scale.T, lower=True) ** 2, 0))

    def covariance(self, rows: Rows, columns: Rows) -> Array:
        """Of the field between points, given the coefficients and the readings so far."""
        return self.prior(rows, columns) - self.seen[rows] @ self.seen[columns].T

    def after(self, rows: Rows, noise: Array) -> Belief:
        """Once the points of these rows have been read; noise: (m, m), the covariance of their errors."""
        own = self.covariance(rows, rows)
        root = np.linalg.cholesky(own + noise)
        told: Array = np.linalg.solve(root, self.follows[rows]).astype(float)
        seen = np.linalg.solve(root, self.covariance(np.arange(len(self.follows)), rows).T).T
        return replace(
            self,
            follows=self.follows - seen @ told,
            precision=self.precision + self._grown(told, own, own + noise),
            seen=np.hstack([self.seen, seen]),
        )

    def information(self, rows: Rows, noise: Array, own: Array | None = None) -> Array:
        """Expected of reading the points of these rows, in nats: (…) for rows (…, m). own: (…, m, m), of the field
        among these points before anything was read, if it is known already."""
        own = self.prior(rows, rows) if own is None else own
        own = own - self.seen[rows] @ np.swapaxes(self.seen[rows], -2, -1)
        root = np.linalg.cholesky(own + noise)
        if not self.k:
            logs = np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(-1)
            return logs - 0.5 * np.linalg.slogdet(noise)[1]
        grown = self._grown(np.linalg.solve(root, self.follows[rows]).astype(float), own, own + noise)
        return 0.5 * (np.linalg.slogdet(self.precision + grown)[1] - np.linalg.slogdet(self.precision)[1])

    def _grown(self, told: Array, own: Array, with_noise: Array) -> Array:
        """(…, k, k): by how much the precision grows; from few draws, less what chance would seem to add."""
        grown = np.swapaxes(told, -2, -1) @ told
        if not self.chance:
            return grown
        degrees_of_freedom = np.trace(np.linalg.solve(with_noise, own), axis1=-2, axis2=-1)
        values, vectors = np.linalg.eigh(grown)
        values = np.maximum(values - self.chance * degrees_of_freedom[..., None], 0)
        return (vectors * values[..., None, :]) @ np.swapaxes(vectors, -2, -1)


@dataclass(frozen=True, eq=False)
class Options:
    """Readings that may be taken: each m points of a belief, rows (O, m), with the covariance of their errors, noise
    (m, m). own: (O, m, m), of the field among the points of each before anything is read."""

    rows: Rows
    noise: Array
    own: Array

    def information(self, belief: Belief) -> Array:
        """(O,): of each alone, given what is known."""
        return belief.information(self.rows, self.noise, self.own)

    def best(self, belief: Belief, number: int) -> list[tuple[int, float, Belief]]:
        """One after the other, each the best given those before: which, its information, and the precision then."""
        found = []
        for _ in range(number):
            gains = self.information(belief)
            which = int(np.argmax(gains))
            belief = belief.after(self.rows[which], self.noise)
            found.append((which, float(gains[which]), belief))
        return found
