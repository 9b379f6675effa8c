"""The law solved forward, beside sensors that were left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdescry.plot.axes import new_axes
from pdescry.plot.law import Drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def forecast(law: Drawn, ax: Axes | None = None) -> Axes:
    return new_axes(ax)
