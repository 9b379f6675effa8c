"""`Network`: a tanh network of any depth and width."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from pdescry.schema import check_settings, setting, whole


@dataclass(frozen=True)
class Network:
    """A neural network with tanh units.

    Parameters
    ----------
    width : int
        Units of a hidden layer.
    depth : int
        Hidden layers; 0 is a linear map. The paper has 4 layers of 50 units; its program 5.
    """

    width: int = setting(50, "units in each hidden layer", whole(1), what="width of the network")
    depth: int = setting(4, "hidden layers", whole(0), what="depth of the network")

    def __post_init__(self) -> None:
        check_settings(self)

    def shapes(self, inputs: int, outputs: int) -> tuple[tuple[int, int], ...]:
        """(out, in + 1) of each layer's matrix."""
        sizes = (inputs, *[self.width] * self.depth, outputs)
        return tuple((after, before + 1) for before, after in pairwise(sizes))
