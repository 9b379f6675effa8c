"""`Scaling`: physical units outside, numbers of size one inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pdescry.data import Readings

Standardise = Literal["all", "inputs"]
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scaling:
    """inside = (outside − centre) / spread, for the 1 + d inputs (t, x, …) and for the f fields."""

    input_centre: Array
    input_spread: Array
    field_centre: Array
    field_spread: Array

    @classmethod
    def of(cls, readings: Readings, standardise: Standardise = "all") -> Scaling:
        """Mean and sd of the readings; ``"inputs"`` leaves the fields as they are (the paper's program)."""
        inputs = np.column_stack([readings.time, readings.space])
        fields = readings.values
        if standardise == "inputs":
            fields = np.array([[-1.0], [1.0]]) * np.ones(fields.shape[1])  # mean 0, standard deviation 1
        return cls(inputs.mean(0), _spread(inputs), fields.mean(0), _spread(fields))

    def inputs(self, points: Array) -> NDArray[np.float32]:
        """(N, 1 + d) in physical units → (1 + d, N) inside."""
        return np.asarray(((points - self.input_centre) / self.input_spread).T, np.float32)

    def values(self, values: Array) -> NDArray[np.float32]:
        """(N, f) in physical units → (f, N) inside."""
        return np.asarray(((values - self.field_centre) / self.field_spread).T, np.float32)


def _spread(columns: Array) -> Array:
    """The standard deviation, or 1 for a column that does not vary."""
    spread = columns.std(0)
    # Rounding leaves a constant column with a spread of a few last digits of its size.
    constant = spread <= 1e-12 * np.abs(columns).max(0)
    return np.where(constant, 1.0, spread)
