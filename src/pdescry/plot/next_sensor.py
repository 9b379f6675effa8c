"""The map of the expected information of a reading, with present and advised sensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdescry.plot.axes import COLOURS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import PowerNorm

    from pdescry.joint import Advice

PRESENT, ADVISED = "0.85", "#ff6b5e"


def next_sensor(advice: Advice, ax: Axes | None = None) -> Axes:
    """The expected information of a single reading over place (across) and time (up).

    Thin lines are the present sensors, each with a tick at the upper edge; thick ones those that are advised, with
    their number; the star is the best single reading. In the plane: information of a whole sensor over the first two
    axes.

    Parameters
    ----------
    advice : Advice
        The result of ``law.next_sensor()``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax, axis, time = new_axes(ax), advice.axes[0], str(advice.map.dims[0])
    subject = {"law": "of the law", "field": "of the field"}[advice.about]
    if len(advice.axes) > 1:
        return _over_places(advice, subject, ax)
    places, times = advice.map[axis].values, advice.map[time].values
    # A map needs some height, also for a single time.
    values = advice.map.values if len(times) > 1 else np.repeat(advice.map.values, 2, axis=0)
    shown = times if len(times) > 1 else times + np.array([-0.5, 0.5])
    image = ax.pcolormesh(places, shown, values, cmap=COLOURS, norm=_norm(values), shading="gouraud", rasterized=True)
    ax.figure.colorbar(image, ax=ax, label=f"expected information {subject} (nats a reading)")
    edge = ax.get_xaxis_transform()  # places across, fractions of the panel up
    for place in advice.present[:, 0]:
        ax.axvline(place, color=PRESENT, linewidth=0.5, alpha=0.6)
    ax.plot(
        advice.present[:, 0], np.ones(len(advice.present)), "v",
        transform=edge, color="0.2", markersize=4, clip_on=False, label="sensors",
    )  # fmt: skip
    for number, place in enumerate(advice.table[axis], 1):
        ax.axvline(place, color=ADVISED, linewidth=1.8, label="advised" if number == 1 else None)
        if len(advice.table) > 1:
            ax.annotate(
                str(number), (place, 0.02), (3, 0), xycoords=edge, textcoords="offset points", color="white",
                fontsize="small", fontweight="bold",
            )  # fmt: skip
    best = advice.readings.iloc[0]
    ax.plot(
        best[axis], best[time], "*",
        color="white", markeredgecolor="black", markersize=11, clip_on=False, label="best single reading",
    )  # fmt: skip
    ax.set(xlabel=axis, ylabel=time, xlim=places[[0, -1]], ylim=shown[[0, -1]])
    ax.set_title(f"Next sensor: {advice.spelled(advice.table.iloc[0])}", fontsize="medium", pad=10)
    _legend(ax)
    return ax


def _over_places(advice: Advice, subject: str, ax: Axes) -> Axes:
    first, second = advice.axes[:2]
    x, y = (advice.sensors[axis].values for axis in (first, second))
    dots = ax.scatter(x, y, c=advice.sensors.values, cmap=COLOURS, vmin=0.0, s=40, linewidths=0, rasterized=True)
    ax.figure.colorbar(dots, ax=ax, label=f"expected information {subject} (nats a sensor)")
    ax.plot(advice.present[:, 0], advice.present[:, 1], "v", color="0.2", markersize=4, label="sensors")
    for number, row in enumerate(advice.table.to_dict(orient="records"), 1):
        ax.plot(
            row[first], row[second], "o",
            markerfacecolor="none", markeredgecolor=ADVISED, markeredgewidth=2, markersize=12,
            label="advised" if number == 1 else None,
        )  # fmt: skip
        ax.annotate(str(number), (row[first], row[second]), (8, 4), textcoords="offset points", color=ADVISED)
    ax.set(xlabel=first, ylabel=second)
    ax.set_title(f"Next sensor: {advice.spelled(advice.table.iloc[0])}", fontsize="medium")
    _legend(ax)
    return ax


def _norm(values: np.ndarray) -> PowerNorm:
    """A square-root scale (roughly a correlation): otherwise a few readings with much information would dominate the
    map."""
    from matplotlib.colors import PowerNorm

    return PowerNorm(0.5, 0.0, max(float(values.max()), np.finfo(float).tiny))


def _legend(ax: Axes) -> None:
    """Below the panel: inside it would hide a part of the map."""
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3, fontsize="small", frameon=False)
