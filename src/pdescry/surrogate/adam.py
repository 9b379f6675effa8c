"""`Adam`: the optimiser that fits a network to the readings, as a choice; ``warm_start.py`` is the fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pdescry.checks import check_choice, check_positive, check_whole, plain
from pdescry.errors import InputError


@dataclass(frozen=True)
class Adam:
    """``objective``: "posterior", anchored at a draw from the prior (``warm_start.py``), or "misfit". ``decay``: the
    rate falls along a cosine.
    """

    steps: int = 6000
    learning_rate: float = 1e-2
    decay: bool = True
    objective: Literal["posterior", "misfit"] = "posterior"

    def __post_init__(self) -> None:
        plain(
            self,
            steps=check_whole("steps of Adam", self.steps, 0),
            learning_rate=check_positive("learning_rate of Adam", self.learning_rate),
        )
        check_choice("objective of Adam", self.objective, ("posterior", "misfit"))
        if not isinstance(self.decay, bool):
            raise InputError(f"Expected decay of Adam to be True or False; got {self.decay!r}.")


PAPER_DNN = Adam(steps=30_000, learning_rate=2e-4, decay=False, objective="misfit")
