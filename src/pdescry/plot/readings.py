"""Readings as dots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdescry.plot.axes import COLOURS, field_named, label, new_axes
from pdescry.plot.dates import show_dates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pdescry.data import Readings


def readings(readings: Readings, field: str | None = None, ax: Axes | None = None) -> Axes:
    """Every reading as a dot at its place (across; the first axis) and time (up), coloured by its value.

    Parameters
    ----------
    readings : Readings
        What is drawn.
    field : str, optional
        By default the first.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    name = field_named(readings, field)
    values = readings.values[:, readings.fields.index(name)]
    ax = new_axes(ax)
    size = float(np.clip(4000 / len(readings), 1, 16))
    dots = ax.scatter(
        readings.space[:, 0], readings.time, c=values, s=size, cmap=COLOURS, linewidths=0, rasterized=True
    )
    ax.figure.colorbar(dots, ax=ax, label=label(readings, name))
    ax.set(xlabel=label(readings, readings.axes[0]), ylabel=label(readings, readings.time_name))
    show_dates(ax.yaxis, readings)
    others = f", all {' and '.join(readings.axes[1:])} together" if len(readings.axes) > 1 else ""
    ax.set_title(f"{len(readings)} readings of {name} by {readings.n_sensors} sensors{others}", fontsize="medium")
    return ax
