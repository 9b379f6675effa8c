"""A forward solution over place and time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdescry.plot.axes import COLOURS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pdescry.solver import Solution


def solution(solution: Solution, field: str | None = None, ax: Axes | None = None) -> Axes:
    """The field over place (across) and time (up). The figure belongs to ``ax``; without one, a new figure is made."""
    name = field or solution.equation.components[0].field
    values = solution[name]
    ax = new_axes(ax)
    image = ax.pcolormesh(
        values[solution.axis],
        values["t"],
        np.ma.masked_invalid(values),
        cmap=COLOURS,
        shading="nearest",
        rasterized=True,
    )
    ax.figure.colorbar(image, ax=ax, label=name)
    ax.set(xlabel=solution.axis, ylabel="t", xlim=solution.domain, ylim=(0, float(solution.times[-1])))
    ax.set_title(f"${solution.equation.to_latex(digits=4)}$".replace(r"\!", ""), fontsize="medium")
    if not solution.ok:
        ax.set_facecolor("0.92")
        ax.axhline(solution.reached, color="0.3", linestyle="--", linewidth=1)
        ax.text(0.5, 0.97, solution.status, transform=ax.transAxes, ha="center", va="top", color="0.2")
    return ax
