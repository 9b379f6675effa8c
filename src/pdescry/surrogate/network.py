"""`Network`: a tanh network of any depth and width."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from pdescry.checks import check_whole, plain


@dataclass(frozen=True)
class Network:
    """``depth`` hidden layers of ``width`` tanh units; depth 0 is a linear map. Paper: 4 × 50; its program: 5 × 50."""

    width: int = 50
    depth: int = 4

    def __post_init__(self) -> None:
        plain(
            self,
            width=check_whole("width of the network", self.width, 1),
            depth=check_whole("depth of the network", self.depth, 0),
        )

    def shapes(self, inputs: int, outputs: int) -> tuple[tuple[int, int], ...]:
        """(out, in + 1) of each layer's matrix."""
        sizes = (inputs, *[self.width] * self.depth, outputs)
        return tuple((after, before + 1) for before, after in pairwise(sizes))
