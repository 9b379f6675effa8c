"""How readings differ from the field: noise of each, and an offset of each sensor and field, as thermometers have.

Numbers of one field by one sensor share its offset, so their errors are correlated: covariance D (1 + s²wwᵀ) D with D
the noise, s the offsets' sd and w = 1/D. Misfits are whitened: told in units in which they are independent, each with
variance one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, diags_array, vstack

from pdescry.joint.field.axis import Array
from pdescry.joint.lean import Lean
from pdescry.joint.observations import Numbers, Observations

# The least noise, as a share of the sd of what was read: below it lies what splines of this number cannot resolve.
LEAST_NOISE = 2e-4


@dataclass(frozen=True, eq=False)
class NoiseModel(Lean):
    """noise: (M,) sds of the observations. offset_sd: (F,) of the sensors' offsets, zero where there are none."""

    noise: Array
    offset_sd: Array
    observations: Observations

    @classmethod
    def of(cls, noise: Array, offset_sd: Array, observations: Observations) -> NoiseModel:
        """noise: (F,), where readings bring none of their own; never less than splines can resolve."""
        given = observations.given_noise
        found = noise[observations.field] if given is None else given
        return cls(at_least(found, observations), np.asarray(offset_sd, float), observations)

    def with_noise(self, noise: Array) -> NoiseModel:
        return replace(self, noise=noise)

    def with_offsets(self, sd: Array) -> NoiseModel:
        return replace(self, offset_sd=sd)

    @property
    def noise_of_fields(self) -> Array:
        """(F,): the rms of the noise of each."""
        observed = self.observations
        squares = np.bincount(observed.field, self.noise**2, minlength=observed.n_fields)
        return np.sqrt(squares / np.maximum(np.bincount(observed.field, minlength=observed.n_fields), 1))

    @property
    def has_offsets(self) -> bool:
        return bool(np.any(self.offset_sd > 0))

    # ---- whitening and back ----------------------------------------------------------------------------------------

    def whitened_rows(self, rows: csr_array) -> WhitenedRows:
        """(M, n)"""
        return WhitenedRows(csr_array(diags_array(1 / self.noise) @ rows), self._along, self._shrunk)

    def whitened(self, errors: Array) -> Array:
        """(M,): of errors in the units of the readings."""
        weighed = errors / self.noise
        return weighed - self._along @ (self._shrunk * (self._along.T @ weighed))

    def errors(self, own: Numbers, whitened: Array) -> Array:
        """Back from those units, (own, …), for the observations of one sensor."""
        found = np.array(whitened, float)
        for group in np.unique(self.observations.group[own]):
            mine = np.flatnonzero(self.observations.group[own] == group)
            along = 1 / self.noise[own[mine]] / self._sizes[group]
            stretched = 1 / (1 - self._shrunk[group]) - 1
            found[mine] += stretched * np.multiply.outer(along, along @ whitened[mine])
        return (self.noise[own] * found.T).T

    def variances(self, own: Numbers) -> Array:
        """(own,): of single errors."""
        return self.noise[own] ** 2 + self.offset_sd[self.observations.field[own]] ** 2

    def log_scale(self, own: Numbers) -> float:
        """Log determinant of the way back, for the observations of one sensor."""
        groups = np.unique(self.observations.group[own])
        return float(np.sum(np.log(self.noise[own])) - np.sum(np.log(1 - self._shrunk[groups])))

    # ---- what offsets do -------------------------------------------------------------------------------------------

    def offset_columns(self, field: int) -> csr_array:
        """(M, sensors): what an offset of one in one field does to the whitened observations."""
        scaled = csr_array(self._along @ diags_array(self._sizes * (1 - self._shrunk)))
        return csr_array(scaled[:, field :: self.observations.n_fields])

    @cached_property
    def _sizes(self) -> Array:
        """(groups,): |w| of each."""
        observed = self.observations
        return np.sqrt(np.bincount(observed.group, 1 / self.noise**2, minlength=observed.n_groups))

    @cached_property
    def _along(self) -> csr_array:
        """(M, groups): w of each, of length one."""
        group = self.observations.group
        values = 1 / self.noise / self._sizes[group]
        return csr_array((values, (np.arange(len(group)), group)), shape=(len(group), self.observations.n_groups))

    @cached_property
    def _shrunk(self) -> Array:
        """(groups,): by which share what lies along w gets shorter."""
        sd = np.tile(self.offset_sd, self.observations.readings.n_sensors)
        return 1 - 1 / np.sqrt(1 + (sd * self._sizes) ** 2)


@dataclass(frozen=True, eq=False)
class WhitenedRows(Lean):
    """Rows (m, n) that are linear in a state, whitened: W = (1 − A diag(s) Aᵀ) B.

    weighed: B, (m, n), in units of the noise: as local as the splines are. along: A, (m, groups), what an offset of
    each group would do, of length one; shrunk: s. W itself would join all times of a sensor, so it is never made, but
    for single sensors.
    """

    weighed: csr_array
    along: csr_array
    shrunk: Array

    def with_more(self, rows: csr_array) -> WhitenedRows:
        """And these below, which share nothing."""
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
        """Some of them as such; with all that share an offset with them."""
        weighed, along = csr_array(self.weighed[own]), csr_array(self.along[own])
        return csr_array(weighed - along @ (diags_array(self.shrunk) @ (along.T @ weighed)))

    def combined(self, columns: csr_array) -> csr_array:
        """Cᵀ W, (k, n), for columns (m, k)."""
        shortened = columns - self.along @ (diags_array(self.shrunk) @ (self.along.T @ columns))
        return csr_array(shortened.T @ self.weighed)

    @property
    def shared(self) -> csr_array:
        """V, (groups, n): WᵀW = BᵀB − VᵀV, with groups that have an offset."""
        some = np.flatnonzero(self.shrunk)
        scale = np.sqrt(self.shrunk[some] * (2 - self.shrunk[some]))
        return csr_array(diags_array(scale) @ (csr_array(self.along[:, some]).T @ self.weighed))

    def without(self, own: Numbers) -> WhitenedRows:
        """With nothing in the place of some; these must be all that share an offset."""
        kept = np.ones(len(self.weighed.indptr) - 1)
        kept[own] = 0.0
        only = diags_array(kept)
        return replace(self, weighed=csr_array(only @ self.weighed), along=csr_array(only @ self.along))


def at_least(noise: Array, observations: Observations) -> Array:
    """(M,): no less than what splines can resolve."""
    return np.maximum(noise, LEAST_NOISE * observations.unit[observations.field])
