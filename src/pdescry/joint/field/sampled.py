"""`SampledField`: what the joint fit requires of a field sampled without a law, such as a network's posterior."""

from __future__ import annotations

from typing import Any, Protocol

import xarray as xr
from numpy.typing import ArrayLike

from pdescry.data import Readings


class SampledField(Protocol):
    """A `pdescry.Posterior`, which is defined in a higher layer."""

    @property
    def readings(self) -> Readings: ...
    @property
    def noise_sd(self) -> Any: ...  # (chains, draws, fields, groups)
    def at_most(self, draws: int, /) -> SampledField: ...
    def predict(self, t: ArrayLike, *places: ArrayLike) -> xr.Dataset: ...
