"""`FreeField`: the fields of one experiment as Gaussian processes, without a law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import ndtri

from pdescry.data import Readings
from pdescry.data.asked import Asked
from pdescry.joint.field.axis import Array
from pdescry.joint.field.options import FIELD
from pdescry.joint.field.process import Process


@dataclass(frozen=True, eq=False)
class FreeField:
    """processes: one for each field. Predictions are possible anywhere; the uncertainty grows with the distance from
    the readings."""

    processes: tuple[Process, ...]

    @property
    def readings(self) -> Readings:
        return self.processes[0].readings

    @property
    def reach(self) -> dict[str, tuple[float, float]]:
        """Between the outermost sensors and times."""
        return self.readings.span

    def predict(
        self, t: ArrayLike, *places: ArrayLike, level: float = 0.95, noise: bool = False, grid: bool = True
    ) -> xr.Dataset:
        """Mean, sd and interval of the fields, as `JointFit.predict`."""
        readings = self.readings
        asked = Asked.of((t, *places), (readings.time_name, *readings.axes), level, grid)
        points, found = np.roll(asked.points, -1, axis=1), {}
        for process in self.processes:
            mean, variance = self._at(process, points)
            sd = np.sqrt(variance + (process.noise**2 if noise else 0.0))
            name, reach = readings.fields[process.field], float(ndtri((1 + level) / 2)) * sd
            found |= {name: mean, f"{name}_sd": sd, f"{name}_low": mean - reach, f"{name}_high": mean + reach}
        return asked.answered(found)

    @staticmethod
    def _at(process: Process, points: Array) -> tuple[Array, Array]:
        most = FIELD.memory.points
        parts = [process.at(points[begin : begin + most]) for begin in range(0, len(points), most)]
        mean, variance = zip(*parts, strict=True)
        return np.concatenate(mean), np.concatenate(variance)

    def draws(self, points: Array, number: int, seed: int = 0) -> Array:
        """(S, F, P): draws of the fields at points (P, D), places before time."""
        random, found = np.random.default_rng([seed, 17]), []
        for process in self.processes:
            mean, covariance = process.jointly(points)
            values, vectors = np.linalg.eigh(covariance)
            root = vectors * np.sqrt(np.maximum(values, 0))
            found.append(mean + random.standard_normal((number, len(points))) @ root.T)
        return np.stack(found, axis=1)
