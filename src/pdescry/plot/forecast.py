"""The law solved forward, compared with held-out sensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdescry.data.digits import distinct
from pdescry.errors import InputError
from pdescry.plot.axes import colour_of, field_named, label, new_axes
from pdescry.plot.dates import show_dates
from pdescry.plot.law import Drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 5  # sensors in one panel


def forecast(law: Drawn, ax: Axes | None = None, field: str | None = None) -> Axes:
    """Left-out sensors: the prediction by draws of the law, solved forward, and the readings as dots.

    Mean and 95 % interval over time, of at most five sensors: from one end to the other, along a line.

    Parameters
    ----------
    law : Law
        What is drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    field : str, optional
        By default the first.

    Returns
    -------
    matplotlib.axes.Axes
    """
    name, table = field_named(law.readings, field), law.forward.held_out
    if table is None:
        raise InputError(
            "Expected a law that was solved forward and compared with held-out sensors; this one was not"
            f" ({(law.forward.unscored or law.forward.message).marked}); draw law.simulate(…) instead."
        )
    if "field" in table:
        table = table[table["field"] == name]
    readings, ax = law.readings, new_axes(ax)
    sensors = list(dict.fromkeys(table["sensor"]))
    chosen = sensors[:: max(1, -(-len(sensors) // MOST))]
    for number, sensor in enumerate(chosen):
        rows = table[table["sensor"] == sensor]
        colour = colour_of(0.85 * number / max(len(chosen) - 1, 1))
        where = ", ".join(
            f"{axis} = {distinct(float(rows[name].iloc[0]), among)}"
            for axis, name, among in zip(readings.axes, ("x", "y"), readings.places.T, strict=False)
        )
        ax.fill_between(rows["t"], rows["low"], rows["high"], color=colour, alpha=0.2, linewidth=0)
        ax.plot(rows["t"], rows["mean"], color=colour, label=f"sensor {sensor} at {where}")
        ax.plot(
            rows["t"], rows["reading"], "o", color=colour, markersize=3, markeredgecolor="white", markeredgewidth=0.3
        )
    ax.set(xlabel=label(readings, readings.time_name), ylabel=label(readings, name))
    show_dates(ax.xaxis, readings)
    score = law.forward.score.by_field.loc[name if len(readings.fields) > 1 else ""]
    title = f"held out and predicted: rms {score['rms_error']:.3g}, expected {score['expected']:.3g}"
    ax.set_title(title, fontsize="medium")
    ax.legend(frameon=False, fontsize="small")
    return ax
