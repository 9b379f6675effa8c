"""`Adam`: the optimiser that fits a network to the readings, as a choice; ``warm_start.py`` is the fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pdescry.schema import check_settings, positive, setting, switch, whole


@dataclass(frozen=True)
class Adam:
    """How a network is fitted.

    Parameters
    ----------
    steps : int
        Full-batch steps of Adam.
    learning_rate : float
        At the beginning.
    decay : bool
        Whether the rate falls along a cosine.
    objective : {"posterior", "misfit"}
        "posterior" is anchored at a draw from the prior (``warm_start.py``); "misfit" is least squares, as in the
        paper.
    """

    steps: int = setting(6000, "of Adam, from which a chain starts", whole(0))
    learning_rate: float = setting(1e-2, "of Adam", positive())
    decay: bool = setting(True, "whether the rate falls along a cosine", switch)
    objective: Literal["posterior", "misfit"] = setting(
        "posterior",
        '"posterior" (near a draw from the prior) or "misfit" (the paper\'s DNN)',
        choices=("posterior", "misfit"),
    )

    def __post_init__(self) -> None:
        check_settings(self)


PAPER_DNN = Adam(steps=30_000, learning_rate=2e-4, decay=False, objective="misfit")
