"""How readings differ from the field: noise, which may be correlated in time, and systematic errors of each sensor.

Errors of one field by one sensor have covariance D (C + WWᵀ) D, with D the noise, C their correlation, and W = E/D the
systematic errors that a sensor may make (``calibration.py``): patterns times sds, such as s·1 for an offset. A share of
the noise's variance may be correlated in time (``correlation.py``). Misfits are whitened: expressed in units in which
they are independent with unit variance. For correlated errors these are the innovations of a Kalman filter: each error
minus its prediction from the earlier ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array, vstack
from scipy.sparse.linalg import spsolve

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.calibration import OFFSET, Calibration
from pdescry.joint.fit.correlation import decorrelating
from pdescry.joint.fit.options import FIT
from pdescry.joint.lean import Lean
from pdescry.joint.observations import Numbers, Observations


@dataclass(frozen=True, eq=False)
class NoiseModel(Lean):
    """noise: (M,) sds of the observations. lasting: (M, 3), the same for all observations of one field by one sensor:
    correlated share of the noise's variance, its correlation time, and whether it is smooth; zeros where there is
    none."""

    noise: Array
    calibration: Calibration
    observations: Observations
    lasting: Array

    @classmethod
    def of(cls, noise: Array, offset_sd: Array, observations: Observations) -> NoiseModel:
        """noise: (F,), used where the readings have no noise of their own; bounded below by the resolution of the
        splines. offset_sd: (F,)"""
        given = observations.given_noise
        found = noise[observations.field] if given is None else given
        independent = np.zeros((len(observations), 3))
        offsets = Calibration.of_offsets(offset_sd, len(observations))
        return cls(at_least(found, observations), offsets, observations, independent)

    def with_noise(self, noise: Array) -> NoiseModel:
        return replace(self, noise=noise)

    def with_calibration(self, calibration: Calibration) -> NoiseModel:
        return replace(self, calibration=calibration)

    def with_offsets(self, sd: Array) -> NoiseModel:
        """sd: (F,)"""
        return self.with_calibration(self.calibration.with_sd(OFFSET, sd))

    def with_lasting(self, lasting: Array) -> NoiseModel:
        return replace(self, lasting=lasting)

    def without(self, rows: NDArray[np.bool_], kept: Observations) -> NoiseModel:
        """Without some of the observations, (M,); kept: the others."""
        calibration, lasting = self.calibration.where(~rows), self.lasting[~rows]
        return replace(self, noise=self.noise[~rows], calibration=calibration, lasting=lasting, observations=kept)

    @property
    def noise_of_fields(self) -> Array:
        """(F,): rms noise of each field."""
        observed = self.observations
        squares = np.bincount(observed.field, self.noise**2, minlength=observed.n_fields)
        return np.sqrt(squares / np.maximum(np.bincount(observed.field, minlength=observed.n_fields), 1))

    @property
    def lasting_of_fields(self) -> Array:
        """(F, 2): correlated share of the variance of each field's noise, and its correlation time (mean, weighted by
        its variance); zeros where there is none."""
        field, lasting = self.observations.field, self.noise**2 * self.lasting[:, 0]

        def summed(each: Array) -> Array:
            return np.asarray(np.bincount(field, each, minlength=self.observations.n_fields), float)

        known = summed(lasting) > 0
        times = summed(lasting * self.lasting[:, 1]) / np.where(known, summed(lasting), 1.0)
        return np.stack([summed(lasting) / np.maximum(summed(self.noise**2), np.finfo(float).tiny), times], axis=1)

    @property
    def offset_sd(self) -> Array:
        """(F,): of the sensors' offsets, zero where there are none."""
        return self.calibration.sds[:, 0]

    @property
    def has_offsets(self) -> bool:
        return bool(np.any(self.offset_sd > 0))

    @property
    def has_systematic_errors(self) -> bool:
        return bool(np.any(self.calibration.sds > 0))

    # ---- whitening and back ----------------------------------------------------------------------------------------

    def whitened_rows(self, rows: csr_array) -> WhitenedRows:
        """(M, n)"""
        return WhitenedRows(csr_array(self._decorrelating @ rows), self._along, self._shrunk)

    def whitened(self, errors: Array) -> Array:
        """(M,): errors in the units of the readings, whitened."""
        weighed = self._decorrelating @ errors
        return weighed - self._along @ (self._shrunk * (self._along.T @ weighed))

    def errors(self, own: Numbers, whitened: Array) -> Array:
        """Inverse of whitening, (own, …), for the observations of one sensor."""
        found = np.array(whitened, float)
        for group in np.unique(self.observations.group[own]):
            mine, some = np.flatnonzero(self.observations.group[own] == group), self._columns_of(group)
            along = self._along[own[mine]][:, some].toarray()
            stretched = 1 / (1 - self._shrunk[some]) - 1
            found[mine] += (along * stretched) @ (along.T @ whitened[mine])
        if not self.lasting.any():
            return (self.noise[own] * found.T).T
        return np.asarray(spsolve(csc_array(self._decorrelating[own][:, own]), found)).reshape(found.shape)

    def variances(self, own: Numbers) -> Array:
        """(own,): variances of single errors."""
        systematic = self.calibration.effects(self.observations.field)[own]
        return self.noise[own] ** 2 + np.sum(systematic**2, axis=1)

    def log_scale(self, own: Numbers) -> float:
        """Log determinant of the inverse of whitening, for the observations of one sensor."""
        shrunk = [self._shrunk[self._columns_of(group)] for group in np.unique(self.observations.group[own])]
        scales = self._decorrelating.diagonal()[own]
        return float(-np.sum(np.log(scales)) - np.sum(np.log(1 - np.array(shrunk))))

    def log_likelihood(self, errors: Array) -> float:
        """Of errors (M,) in the units of the readings, up to a constant."""
        scales = np.sum(np.log(self._decorrelating.diagonal())) + np.sum(np.log(1 - self._shrunk))
        return float(scales - 0.5 * np.sum(self.whitened(errors) ** 2))

    # ---- what systematic errors do ---------------------------------------------------------------------------------

    def columns(self, field: int, kind: str = OFFSET) -> csr_array:
        """(M, sensors): effect of a unit constant of one kind in one field on the whitened observations."""
        observed, number = self.observations, self.observations.readings.n_sensors
        own = np.flatnonzero(observed.field == field)
        pattern = self.calibration.patterns[own, self.calibration.kinds.index(kind)]
        unit = csr_array((pattern, (own, observed.sensor[own])), shape=(len(observed), number))
        weighed = csr_array(self._decorrelating @ unit)
        if not self._shrunk.any():
            return weighed
        return csr_array(weighed - self._along @ (diags_array(self._shrunk) @ (self._along.T @ weighed)))

    def without_systematic_errors(self, errors: Array) -> Array:
        """(M,): errors in the units of the readings, without what evident systematic errors explain of them: offsets of
        any size, others of sizes that their sds allow."""
        if not self.has_systematic_errors:
            return errors
        group, number, sds = self.observations.group, self.observations.n_groups, self.calibration.sds
        patterns = self.calibration.patterns * (sds > 0)[self.observations.field]
        weighed = patterns / self.noise[:, None]
        precision = np.where(sds > 0, 1 / np.where(sds > 0, sds, 1.0) ** 2, 0.0)
        precision[:, 0] = 0.0
        squares = _products(weighed, weighed, group, number)
        squares += np.tile(precision, (self.observations.readings.n_sensors, 1))[:, :, None] * np.eye(sds.shape[1])
        pulls = _products(weighed, (errors / self.noise)[:, None], group, number)[:, :, 0]
        constants = np.einsum("gpq,gq->gp", np.linalg.pinv(squares, hermitian=True), pulls)
        return errors - np.sum(patterns * constants[group], axis=1)

    @cached_property
    def _decorrelating(self) -> csr_array:
        """(M, M): C⁻¹ᐟ² D⁻¹, lower triangular in the order of time."""
        if not self.lasting.any():
            return csr_array(diags_array(1 / self.noise))
        values, rows, columns = [], [], []
        for own in self.observations.of_groups:
            times = self.observations.points[own, -1]
            share, time, smooth = map(float, self.lasting[own[0]])
            weights, later, earlier = decorrelating(share, time, smooth, (times - times[0]).tobytes())
            values.append(weights / self.noise[own[earlier]])
            rows.append(own[later])
            columns.append(own[earlier])
        entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
        return csr_array(entries, shape=(len(self.noise), len(self.noise)))

    def _columns_of(self, group: int) -> slice:
        """Which columns of `_along` belong to a group."""
        number = len(self.calibration.kinds)
        return slice(group * number, (group + 1) * number)

    @cached_property
    def _directions(self) -> tuple[csr_array, Array]:
        """U, (M, groups·P), and λ², (groups·P,): W = UΛVᵀ for each group, after decorrelation."""
        group, number = self.observations.group, self.observations.n_groups
        effects = np.asarray(self._decorrelating @ self.calibration.effects(self.observations.field), float)
        squares, vectors = np.linalg.eigh(_products(effects, effects, group, number))
        squares = np.maximum(squares, 0.0)
        turned = vectors / np.sqrt(np.where(squares > 0, squares, np.inf))[:, None, :]
        values = np.einsum("mp,mpq->mq", effects, turned[group])
        kinds = values.shape[1]
        rows = np.repeat(np.arange(len(group)), kinds)
        columns = (group[:, None] * kinds + np.arange(kinds)).ravel()
        along = csr_array((values.ravel(), (rows, columns)), shape=(len(group), number * kinds))
        along.eliminate_zeros()
        return along, squares.ravel()

    @property
    def _along(self) -> csr_array:
        """(M, groups·P): orthonormal directions of the systematic errors of each group."""
        return self._directions[0]

    @cached_property
    def _shrunk(self) -> Array:
        """(groups·P,): relative reduction of the components along these."""
        return 1 - 1 / np.sqrt(1 + self._directions[1])


def _products(one: Array, other: Array, group: Numbers, number: int) -> Array:
    """(groups, P, Q): sums over the observations of each group of products of columns, (M, P) and (M, Q)."""
    found = np.empty((number, one.shape[1], other.shape[1]))
    for p in range(one.shape[1]):
        for q in range(other.shape[1]):
            found[:, p, q] = np.bincount(group, one[:, p] * other[:, q], minlength=number)
    return found


@dataclass(frozen=True, eq=False)
class WhitenedRows(Lean):
    """Rows (m, n) that are linear in a state, whitened: W = (1 − A diag(s) Aᵀ) B.

    weighed: B, (m, n), decorrelated: as local as the splines and the correlation of readings. along: A, (m, groups·P),
    orthonormal directions of the systematic errors of each group; shrunk: s. W itself would couple all times of a
    sensor, so it is only computed for single sensors.
    """

    weighed: csr_array
    along: csr_array
    shrunk: Array

    def with_more(self, rows: csr_array) -> WhitenedRows:
        """With additional rows below, without systematic errors."""
        nothing = csr_array((len(rows.indptr) - 1, len(self.shrunk)))
        return replace(
            self,
            weighed=csr_array(vstack([self.weighed, rows])),
            along=csr_array(vstack([self.along, nothing])),
        )

    def times(self, values: Array) -> Array:
        """W x"""
        return self._shortened(self.weighed @ values)

    def transposed(self, values: Array) -> Array:
        """Wᵀ y"""
        return self.weighed.T @ self._shortened(values)

    def _shortened(self, values: Array) -> Array:
        if not self.shrunk.any():
            return values
        return values - self.along @ (self.shrunk * (self.along.T @ values).T).T

    def of(self, own: Numbers) -> csr_array:
        """Some rows of W itself; complete groups only."""
        weighed = csr_array(self.weighed[own])
        if not self.shrunk.any():
            return weighed
        along = csr_array(self.along[own])
        return csr_array(weighed - along @ (diags_array(self.shrunk) @ (along.T @ weighed)))

    def combined(self, columns: csr_array) -> csr_array:
        """Cᵀ W, (k, n), for columns (m, k)."""
        shortened = columns - self.along @ (diags_array(self.shrunk) @ (self.along.T @ columns))
        return csr_array(shortened.T @ self.weighed)

    @property
    def shared(self) -> csr_array:
        """V, (directions, n): WᵀW = BᵀB − VᵀV, for the directions with an effect."""
        some = np.flatnonzero(self.shrunk)
        if not len(some):
            return csr_array((0, self.weighed.shape[1]))  # type: ignore[index]
        scale = np.sqrt(self.shrunk[some] * (2 - self.shrunk[some]))
        return csr_array(diags_array(scale) @ (csr_array(self.along[:, some]).T @ self.weighed))

    def without(self, own: Numbers) -> WhitenedRows:
        """With zeros in place of some rows; complete groups only."""
        kept = np.ones(len(self.weighed.indptr) - 1)
        kept[own] = 0.0
        only = diags_array(kept)
        return replace(self, weighed=csr_array(only @ self.weighed), along=csr_array(only @ self.along))


def at_least(noise: Array, observations: Observations) -> Array:
    """(M,): noise, bounded below by the resolution of the splines."""
    return np.maximum(noise, FIT.noise.least_sd * observations.unit[observations.field])
