"""`Prior`: how large the network's weights are before any reading is seen.

Every weight is w = scaleₗ · sd · z with z ~ N(0, 1); the sampler moves z (whitened coordinates), so that without
readings the posterior is the unit ball's shell whatever the prior. ``standard_normal`` (the paper's) has sd 1 for
every weight; with 50 units a layer, functions between the sensors are then almost unconstrained. ``fan_in`` has sd
1/√fan_in for weights beyond the first layer, ``first`` for those of the first layer and ``bias`` for biases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pdescry.schema import check_settings, optional, positive, setting


@dataclass(frozen=True)
class Prior:
    """Prior of the network's weights.

    Parameters
    ----------
    kind : {"fan_in", "standard_normal"}
        Standard deviation 1/√fan_in for weights beyond the first layer, or 1 for every weight, as in the paper.
    scale : float, optional
        Multiplies all standard deviations; by default one is inferred for each layer, log-normal around 1.
    spread : float
        Standard deviation of the log of inferred scales.
    first : float
        Standard deviation of weights of the first layer, for "fan_in".
    bias : float
        Standard deviation of biases, for "fan_in".
    """

    kind: Literal["fan_in", "standard_normal"] = setting(
        "fan_in",
        '"fan_in" or "standard_normal" (the paper\'s)',
        what="kind of the prior",
        choices=("fan_in", "standard_normal"),
    )
    scale: float | None = setting(
        None, '"auto": inferred for each layer; or a number', optional(positive()), what="scale of the prior"
    )
    spread: float = setting(1.0, "of the logarithm of an inferred scale", positive(), what="spread of the prior")
    first: float = setting(2.0, "sd of the weights of the first layer (fan_in)", positive(), what="first of the prior")
    bias: float = setting(1.0, "sd of the biases (fan_in)", positive(), what="bias of the prior")

    def __post_init__(self) -> None:
        check_settings(self)

    def sds(self, shapes: tuple[tuple[int, int], ...]) -> list[NDArray[np.float32]]:
        """The sd of every entry of every layer's matrix (out, in + 1), before an inferred scale."""
        scale = 1.0 if self.scale is None else self.scale
        return [np.full(shape, scale, np.float32) * self._layer(number, shape) for number, shape in enumerate(shapes)]

    def _layer(self, number: int, shape: tuple[int, int]) -> NDArray[np.float32]:
        sds = np.ones(shape, np.float32)
        if self.kind == "fan_in":
            sds[:, :-1] = self.first if number == 0 else (shape[1] - 1) ** -0.5
            sds[:, -1] = self.bias
        return sds
