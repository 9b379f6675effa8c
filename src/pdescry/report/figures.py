"""Figures of a solution and of readings. Perceptually uniform colours, no global style."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from pdescry.errors import InputError
from pdescry.files import appearing, check_target

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pdescry.data import Readings
    from pdescry.solver import Solution

COLOURS = "viridis"
PICTURES = (".png", ".svg", ".pdf")


def draw_solution(solution: Solution, field: str | None = None, ax: Axes | None = None) -> Axes:
    """The field over place (across) and time (up). The figure belongs to ``ax``; without one, a new figure is made."""
    name = field or solution.equation.components[0].field
    values = solution[name]
    ax = _axes(ax)
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


def draw_readings(readings: Readings, field: str | None = None, ax: Axes | None = None) -> Axes:
    """Every reading as a dot at its place (across; the first axis) and time (up), coloured by its value."""
    name = field or readings.fields[0]
    if name not in readings.fields:
        raise InputError(f"Expected one of the fields {', '.join(readings.fields)}; got {name!r}.")
    values = readings.values[:, readings.fields.index(name)]
    ax = _axes(ax)
    size = float(np.clip(4000 / len(readings), 1, 16))
    dots = ax.scatter(
        readings.space[:, 0], readings.time, c=values, s=size, cmap=COLOURS, linewidths=0, rasterized=True
    )
    ax.figure.colorbar(dots, ax=ax, label=name)
    ax.set(xlabel=readings.axes[0], ylabel=readings.time_name)
    others = f", all {' and '.join(readings.axes[1:])} together" if len(readings.axes) > 1 else ""
    ax.set_title(f"{len(readings)} readings of {name} by {readings.n_sensors} sensors{others}", fontsize="medium")
    return ax


def save_figure(ax: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure of ``ax`` as PNG, SVG or PDF."""
    check_target(path, PICTURES)
    with appearing(path) as temporary:
        _figure(ax).savefig(temporary, dpi=150)


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    # Not pyplot: it keeps every figure, and picks a backend for the whole process.
    from matplotlib.figure import Figure

    return Figure(figsize=(6.4, 4.4), layout="constrained").add_subplot()


def _figure(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None  # axes made by `_axes` or by the user belong to a figure
    return figure  # pyright: ignore[reportReturnType]
