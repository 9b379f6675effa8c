"""How readings scatter about the field: noise of each reading, and an offset of each sensor, as thermometers have.

Readings of a sensor share its offset, so their errors are correlated: covariance D (1 + s²wwᵀ) D with D the noise, s
the offsets' sd and w = 1/D. Misfits are told in units in which they are independent, each with variance one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from pdescry.data import Readings
from pdescry.joint.splines import Array


@dataclass(frozen=True, eq=False)
class Scatter:
    """noise: (N,) sds of the readings. offset_sd: of the sensors' offsets; none where it is zero."""

    noise: Array
    offset_sd: float
    readings: Readings

    def with_noise(self, noise: Array) -> Scatter:
        return replace(self, noise=noise)

    def with_offsets(self, sd: float) -> Scatter:
        return replace(self, offset_sd=sd)

    # ---- to units of the scatter and back ------------------------------------------------------------------------

    def weighed_rows(self, rows: csr_array) -> csr_array:
        """(N, n): rows of the readings, in units of the scatter."""
        weighed = diags_array(1 / self.noise) @ rows
        return csr_array(weighed - self._along @ (diags_array(self._shrunk) @ (self._along.T @ weighed)))

    def weighed(self, errors: Array) -> Array:
        """(N,): errors of the readings, in units of the scatter."""
        weighed = errors / self.noise
        return weighed - self._along @ (self._shrunk * (self._along.T @ weighed))

    def errors(self, sensor: int, weighed: Array) -> Array:
        """Back from those units, for the readings of one sensor, (own, …)."""
        along, noise = self._direction(sensor), self.noise[self.of(sensor)]
        stretched = 1 / (1 - self._shrunk[sensor]) - 1
        return (noise * (weighed + stretched * np.multiply.outer(along, along @ weighed)).T).T

    def log_scale(self, sensor: int) -> float:
        """Log determinant of the way back."""
        return float(np.sum(np.log(self.noise[self.of(sensor)])) - np.log(1 - self._shrunk[sensor]))

    # ---- what offsets do -----------------------------------------------------------------------------------------

    @property
    def offset_columns(self) -> csr_array:
        """(N, sensors): what an offset of one does to the readings, in units of the scatter."""
        return csr_array(self._along @ diags_array(self._sizes * (1 - self._shrunk)))

    def of(self, sensor: int) -> NDArray[np.intp]:
        return np.flatnonzero(self.readings.sensor == sensor)

    def _direction(self, sensor: int) -> Array:
        return 1 / self.noise[self.of(sensor)] / self._sizes[sensor]

    @cached_property
    def _sizes(self) -> Array:
        """(sensors,): |w| of each."""
        squares = np.bincount(self.readings.sensor, 1 / self.noise**2, minlength=self.readings.n_sensors)
        return np.sqrt(squares)

    @cached_property
    def _along(self) -> csr_array:
        """(N, sensors): w of each, of length one."""
        sensor = self.readings.sensor
        values = 1 / self.noise / self._sizes[sensor]
        return csr_array((values, (np.arange(len(sensor)), sensor)), shape=(len(sensor), len(self._sizes)))

    @cached_property
    def _shrunk(self) -> Array:
        """(sensors,): by which share what lies along w gets shorter."""
        return 1 - 1 / np.sqrt(1 + (self.offset_sd * self._sizes) ** 2)
