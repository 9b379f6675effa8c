"""A forward solution over place and time, or in the plane at one time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdescry.errors import InputError
from pdescry.plot.axes import COLOURS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pdescry.solver import Solution


def solution(solution: Solution, field: str | None = None, ax: Axes | None = None, time: float | None = None) -> Axes:
    """The field of a solution over place (across) and time (up); in the plane a map.

    Parameters
    ----------
    solution : Solution
        What is drawn.
    field : str, optional
        By default the first.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    time : float, optional
        Of a map in the plane; by default the last that was reached.

    Returns
    -------
    matplotlib.axes.Axes
    """
    name = field or solution.equation.components[0].field
    ax = new_axes(ax)
    if len(solution.axes) > 1:
        return _map(solution, name, ax, solution.reached if time is None else time)
    if time is not None:
        raise InputError("Expected time= only in the plane; along one axis all times are drawn.")
    values = solution[name]
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


def _map(solution: Solution, name: str, ax: Axes, time: float) -> Axes:
    (across, x), (up, y) = solution.grids.items()
    values = solution.at(time, x[:, None], y[None, :], of=name)
    image = ax.pcolormesh(x, y, np.ma.masked_invalid(values.T), cmap=COLOURS, shading="nearest", rasterized=True)
    ax.figure.colorbar(image, ax=ax, label=f"{name} at t = {time:.4g}")
    ax.set(xlabel=across, ylabel=up, xlim=solution.extent[across], ylim=solution.extent[up], aspect="equal")
    ax.set_title(f"${solution.equation.to_latex(digits=4)}$".replace(r"\!", ""), fontsize="medium")
    return ax
