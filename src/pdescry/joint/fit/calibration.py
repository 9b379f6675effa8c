"""How each sensor errs systematically: by constants of its own times known patterns.

    offset         1                       it reads too much by a constant
    gain           u − mean of u           its scale is off
    displacement   u_x (u_y)               it is not exactly where it is said to be
    delay          −u_t                    its clock is off, or it lags

To first order in small errors, the reading is the field plus the sum of these. The constants of a sensor are
independent, with zero mean and an sd for each kind and field; zero where there is no evidence for it. Patterns other
than offsets are those of the fit in which the sds were inferred, scaled to an rms of one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdescry.joint.field.axis import Array
from pdescry.joint.lean import Lean

OFFSET, GAIN, DISPLACEMENT, DELAY = "offset", "gain", "displacement", "delay"


@dataclass(frozen=True, eq=False)
class Calibration(Lean):
    """kinds: (P,), the first is the offset; displacements are named with their axis ("displacement x"). sds: (F, P) of
    the constants, in units of the readings. patterns: (M, P), of the observations. scales: (F, P), by which a constant
    has to be divided to be a gain, a distance or a time."""

    kinds: tuple[str, ...]
    sds: Array
    patterns: Array
    scales: Array

    @classmethod
    def of_offsets(cls, sd: Array, number: int) -> Calibration:
        """sd: (F,). number: of observations."""
        sds = np.asarray(sd, float)[:, None]
        return cls((OFFSET,), sds, np.ones((number, 1)), np.ones_like(sds))

    def with_sd(self, kind: str, sd: Array) -> Calibration:
        """sd: (F,)"""
        sds = self.sds.copy()
        sds[:, self.kinds.index(kind)] = sd
        return replace(self, sds=sds)

    def with_sds_of(self, other: Calibration) -> Calibration:
        """With the sds of another fit to other readings, as gains, distances and times."""
        sds = np.zeros_like(self.sds)
        for k, kind in enumerate(self.kinds):
            if kind in other.kinds:
                j = other.kinds.index(kind)
                sds[:, k] = other.sds[:, j] * np.abs(self.scales[:, k] / other.scales[:, j])
        return replace(self, sds=sds)

    def where(self, some: NDArray[np.bool_]) -> Calibration:
        """Of some of the observations, (M,)."""
        return replace(self, patterns=self.patterns[some])

    @property
    def evident(self) -> Calibration:
        """Without the kinds for which there is no evidence, except offsets."""
        kept = [k for k, kind in enumerate(self.kinds) if kind == OFFSET or self.sds[:, k].any()]
        kinds = tuple(self.kinds[k] for k in kept)
        return Calibration(kinds, self.sds[:, kept], self.patterns[:, kept], self.scales[:, kept])

    def effects(self, field: NDArray[np.intp]) -> Array:
        """(M, P): patterns times their sds, for observations of these fields."""
        return self.patterns * self.sds[field]
