"""The field along the axis at a few times, compared with the readings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdescry.data.digits import distinct
from pdescry.plot.axes import check_one_axis, colour_of, field_named, label, new_axes, plain
from pdescry.plot.dates import date_or_number
from pdescry.plot.law import Inferred, is_posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pdescry.data import Readings

NEAR = 1 / 20  # of the span of time: a reading this close to a slice is drawn in it


def slices(law: Inferred, times: ArrayLike | None = None, field: str | None = None, ax: Axes | None = None) -> Axes:
    """The field over place at a few times: mean, 95 % band, and readings as dots.

    A dot is a sensor's reading nearest in time, if its distance is less than a twentieth of the whole span of time.

    Parameters
    ----------
    law : Law, Posterior or JointFit
        What is drawn.
    times : array_like, optional
        By default early, midway and late.
    field : str, optional
        By default the first.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    readings = law.readings
    name = field_named(readings, field)
    check_one_axis(readings)
    chosen = (
        _early_midway_late(readings) if times is None else np.atleast_1d(np.asarray(readings.to_times(times)[0], float))
    )
    ax = new_axes(ax)
    places = np.linspace(*law.reach[readings.axes[0]], 201)
    summary, values = law.predict(chosen, places), readings.values[:, readings.fields.index(name)]
    start, end = readings.span[readings.time_name]
    unit = f" {plain(readings.units[readings.time_name])}" if readings.time_name in readings.units else ""
    for number, time in enumerate(chosen):
        now = summary.isel({readings.time_name: number})
        # The upper end of the colour map is too pale for a line on white.
        colour = colour_of(0.85 * number / max(len(chosen) - 1, 1))
        ax.fill_between(places, now[f"{name}_low"], now[f"{name}_high"], color=colour, alpha=0.25, linewidth=0)
        when = date_or_number(time, readings, f"{distinct(time, readings.times)}{unit}")
        ax.plot(places, now[name], color=colour, label=f"{readings.time_name} = {when}")
        near = _nearest(readings, values, time, (end - start) * NEAR)
        ax.plot(readings.space[near, 0], values[near], "o", color=colour, markersize=4, markeredgecolor="white")
    ax.set(xlabel=label(readings, readings.axes[0]), ylabel=label(readings, name))
    ax.margins(x=0.02)
    believed = "; not mixed" if is_posterior(law) and not law.diagnostics.mixed else ""
    ax.set_title(f"mean and 95 % band of {name}, readings nearest in time{believed}", fontsize="medium")
    ax.legend(frameon=False)
    return ax


def _early_midway_late(readings: Readings) -> NDArray[np.float64]:
    """A tenth, half and nine tenths of the span of time, moved to the nearest readings."""
    start, end = readings.span[readings.time_name]
    wanted = start + (end - start) * np.array([0.1, 0.5, 0.9])
    return np.unique([readings.times[np.abs(readings.times - time).argmin()] for time in wanted])


def _nearest(readings: Readings, values: NDArray[np.float64], time: float, within: float) -> NDArray[np.intp]:
    """Indices of each sensor's reading nearest to a time, for sensors that have one close enough. values: NaN where the
    field was not read."""
    away = np.where(np.isnan(values), np.inf, np.abs(readings.time - time))
    order = np.lexsort((away, readings.sensor))
    first = order[np.unique(readings.sensor[order], return_index=True)[1]]
    return first[away[first] <= within]
