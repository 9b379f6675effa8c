"""How readings differ from the field: noise, which may be correlated in time, and an offset of each sensor and field.

Errors of one field by one sensor have covariance D (C + s²wwᵀ) D, with D the noise, C their correlation, s the offsets'
sd and w = 1/D. A share of their variance may be correlated in time (``correlation.py``). Misfits are whitened:
expressed in units in which they are independent with unit variance. For correlated errors these are the innovations of
a Kalman filter: each error minus its prediction from the earlier ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array, vstack
from scipy.sparse.linalg import spsolve

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.correlation import innovations
from pdescry.joint.fit.options import FIT
from pdescry.joint.lean import Lean
from pdescry.joint.observations import Numbers, Observations


@dataclass(frozen=True, eq=False)
class NoiseModel(Lean):
    """noise: (M,) sds of the observations. offset_sd: (F,) of the sensors' offsets, zero where there are none. lasting:
    (M, 3), the same for all observations of one field by one sensor: correlated share of the noise's variance, its
    correlation time, and whether it is smooth; zeros where there is none."""

    noise: Array
    offset_sd: Array
    observations: Observations
    lasting: Array

    @classmethod
    def of(cls, noise: Array, offset_sd: Array, observations: Observations) -> NoiseModel:
        """noise: (F,), used where the readings have no noise of their own; bounded below by the resolution of the
        splines."""
        given = observations.given_noise
        found = noise[observations.field] if given is None else given
        independent = np.zeros((len(observations), 3))
        return cls(at_least(found, observations), np.asarray(offset_sd, float), observations, independent)

    def with_noise(self, noise: Array) -> NoiseModel:
        return replace(self, noise=noise)

    def with_offsets(self, sd: Array) -> NoiseModel:
        return replace(self, offset_sd=sd)

    def with_lasting(self, lasting: Array) -> NoiseModel:
        return replace(self, lasting=lasting)

    def without(self, rows: NDArray[np.bool_], kept: Observations) -> NoiseModel:
        """Without some of the observations, (M,); kept: the others."""
        return replace(self, noise=self.noise[~rows], lasting=self.lasting[~rows], observations=kept)

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
    def has_offsets(self) -> bool:
        return bool(np.any(self.offset_sd > 0))

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
            mine = np.flatnonzero(self.observations.group[own] == group)
            along = self._along[own[mine]][:, [group]].toarray()[:, 0]
            stretched = 1 / (1 - self._shrunk[group]) - 1
            found[mine] += stretched * np.multiply.outer(along, along @ whitened[mine])
        if not self.lasting.any():
            return (self.noise[own] * found.T).T
        return np.asarray(spsolve(csc_array(self._decorrelating[own][:, own]), found)).reshape(found.shape)

    def variances(self, own: Numbers) -> Array:
        """(own,): variances of single errors."""
        return self.noise[own] ** 2 + self.offset_sd[self.observations.field[own]] ** 2

    def log_scale(self, own: Numbers) -> float:
        """Log determinant of the inverse of whitening, for the observations of one sensor."""
        groups = np.unique(self.observations.group[own])
        scales = self._decorrelating.diagonal()[own]
        return float(-np.sum(np.log(scales)) - np.sum(np.log(1 - self._shrunk[groups])))

    # ---- what offsets do -------------------------------------------------------------------------------------------

    def offset_columns(self, field: int) -> csr_array:
        """(M, sensors): effect of a unit offset in one field on the whitened observations."""
        scaled = csr_array(self._along @ diags_array(self._sizes * (1 - self._shrunk)))
        return csr_array(scaled[:, field :: self.observations.n_fields])

    @cached_property
    def _decorrelating(self) -> csr_array:
        """(M, M): C⁻¹ᐟ² D⁻¹, lower triangular in the order of time."""
        if not self.lasting.any():
            return csr_array(diags_array(1 / self.noise))
        values, rows, columns = [], [], []
        for own in self.observations.of_groups:
            steps = np.diff(self.observations.points[own, -1])
            share, time, smooth = map(float, self.lasting[own[0]])
            for k, (weights, sd) in enumerate(innovations(share, time, smooth, steps)):
                some = own[k - len(weights) : k + 1]
                values.append(np.append(-weights, 1.0) / (sd * self.noise[some]))
                rows.append(np.full(len(some), own[k]))
                columns.append(some)
        entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
        return csr_array(entries, shape=(len(self.noise), len(self.noise)))

    @cached_property
    def _offset_of_one(self) -> Array:
        """(M,): effect of a unit offset on decorrelated errors."""
        return np.asarray(self._decorrelating.sum(axis=1), float)

    @cached_property
    def _sizes(self) -> Array:
        """(groups,): |w| of each."""
        observed = self.observations
        return np.sqrt(np.bincount(observed.group, self._offset_of_one**2, minlength=observed.n_groups))

    @cached_property
    def _along(self) -> csr_array:
        """(M, groups): w of each group, normalised."""
        group = self.observations.group
        values = self._offset_of_one / self._sizes[group]
        return csr_array((values, (np.arange(len(group)), group)), shape=(len(group), self.observations.n_groups))

    @cached_property
    def _shrunk(self) -> Array:
        """(groups,): relative reduction of the component along w."""
        sd = np.tile(self.offset_sd, self.observations.readings.n_sensors)
        return 1 - 1 / np.sqrt(1 + (sd * self._sizes) ** 2)


@dataclass(frozen=True, eq=False)
class WhitenedRows(Lean):
    """Rows (m, n) that are linear in a state, whitened: W = (1 − A diag(s) Aᵀ) B.

    weighed: B, (m, n), decorrelated: as local as the splines and the correlation of readings. along: A, (m, groups),
    the normalised effect of an offset of each group; shrunk: s. W itself would couple all times of a sensor, so it is
    only computed for single sensors.
    """

    weighed: csr_array
    along: csr_array
    shrunk: Array

    def with_more(self, rows: csr_array) -> WhitenedRows:
        """With additional rows below, without offsets."""
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
        """V, (groups, n): WᵀW = BᵀB − VᵀV, for the groups with an offset."""
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
