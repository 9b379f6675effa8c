"""The inferred field over place and time, or in the plane at one time: its mean, and its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from pdescry.errors import InputError
from pdescry.plot.axes import COLOURS, SD_COLOURS, check_choice, check_two_axes, field_named, label, new_axes
from pdescry.plot.dates import show_dates
from pdescry.plot.law import Inferred, is_posterior

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from pdescry.data import Readings

GRID = (61, 81)  # times and places: enough for a figure, and fast to predict
IN_THE_PLANE = (25, 41, 41)  # times and places along either axis
NEAR = 1 / 40  # of the span of time: readings this close to the time of a map are shown as dots
WHAT = ("mean", "sd")
MOST = 0.98  # share of the map that the colours of an sd distinguish
MOST_IN_THE_PLANE = 0.9  # sensors rarely are in the corners


def field(
    law: Inferred,
    field: str | None = None,
    what: Literal["mean", "sd"] = "mean",
    ax: Axes | None = None,
    time: float | None = None,
) -> Axes:
    """Mean or standard deviation of the field over place (across) and time (up), within its reach.

    In the plane: a map at ``time``; sensors are circles, filled where they were read near that time. Otherwise every
    reading is a dot, and every sensor a tick at the upper edge.

    Parameters
    ----------
    law : Law, Posterior, or the field of one experiment
        What is drawn; ``law.of(1)`` is the field of the second experiment.
    field : str, optional
        By default the first.
    what : {"mean", "sd"}
        What the colours show.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    time : float, optional
        Of a map in the plane; by default midway.

    Returns
    -------
    matplotlib.axes.Axes
    """
    name = field_named(law.readings, field)
    check_choice(what, WHAT)
    ax = _drawn(law, name, what, new_axes(ax), on_a_grid(law, time=time))
    ax.set_title(_of_what(law, name), fontsize="medium")
    return ax


def mean_and_sd(
    law: Inferred, field: str | None = None, axes: Sequence[Axes] | None = None, time: float | None = None
) -> tuple[Axes, Axes]:
    """`field` twice: the mean in the left of two panels, the standard deviation in the right one.

    Parameters
    ----------
    law : Law, Posterior, or the field of one experiment
        What is drawn.
    field : str, optional
        By default the first.
    axes : pair of matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    time : float, optional
        Of a map in the plane; by default midway.

    Returns
    -------
    pair of matplotlib.axes.Axes
    """
    readings = law.readings
    name, grid = field_named(readings, field), on_a_grid(law, time=time)
    left, right = (_drawn(law, name, what, ax, grid) for what, ax in zip(WHAT, _panels(axes), strict=True))
    left.set_title(_of_what(law, name), fontsize="medium")
    believed = ""
    if is_posterior(law):
        believed = "mixed; " if law.diagnostics.mixed else "not mixed; "
    right.set_title(f"{believed}{len(readings)} readings by {readings.n_sensors} sensors", fontsize="medium")
    return left, right


def on_a_grid(law: Inferred, grid: tuple[int, ...] | None = None, time: float | None = None) -> xr.Dataset:
    """Mean, sd and interval of the field, within its reach; in the plane at one time, unless a grid is given."""
    check_two_axes(law.readings)
    plane = len(law.readings.axes) > 1
    if time is not None and not plane:
        raise InputError("Expected time= only in the plane; along one axis all times are drawn.")
    reach = list(law.reach.values())
    if grid is None and plane:
        at = [np.array([sum(reach[0]) / 2 if time is None else float(time)])]
        return law.predict(*at, *(np.linspace(*ends, n) for ends, n in zip(reach[1:], IN_THE_PLANE[1:], strict=True)))
    return law.predict(*(np.linspace(*ends, number) for ends, number in zip(reach, grid or GRID, strict=True)))


def _drawn(law: Inferred, name: str, what: str, ax: Axes, grid: xr.Dataset) -> Axes:
    readings = law.readings
    if len(readings.axes) > 1:
        return draw_map(readings, name, what, ax, grid.isel({readings.time_name: 0}))
    axis = next(iter(readings.axes))
    values, colours, least, most = grid[name], COLOURS, None, None
    if what == "sd":  # otherwise large values in a corner would hide the rest
        values = grid[f"{name}_sd"]
        colours, least, most = SD_COLOURS, 0.0, float(values.quantile(MOST)) or None
    places, times = grid[axis].to_numpy(), grid[readings.time_name].to_numpy()
    image = ax.pcolormesh(
        places, times, values, cmap=colours, vmin=least, vmax=most, shading="gouraud", rasterized=True
    )
    extend = "neither" if most is None else "max"
    ax.figure.colorbar(image, ax=ax, label=f"{what} of {label(readings, name)}", extend=extend)
    _mark_sensors(readings, ax)
    ax.set(
        xlabel=label(readings, axis),
        ylabel=label(readings, readings.time_name),
        xlim=places[[0, -1]],
        ylim=times[[0, -1]],
    )
    show_dates(ax.yaxis, readings)
    return ax


def draw_map(
    readings: Readings, name: str, what: str, ax: Axes, now: xr.Dataset, ends: tuple[float, float] | None = None
) -> Axes:
    """The field in the plane at one time. ends: of the colours."""
    across, up = readings.axes
    values, colours, least, most = now[name].transpose(up, across), COLOURS, *(ends or (None, None))
    if what == "sd":
        values = now[f"{name}_sd"].transpose(up, across)
        colours, least, most = SD_COLOURS, 0.0, (ends or (0.0, float(values.quantile(MOST_IN_THE_PLANE)) or None))[1]
    image = ax.pcolormesh(
        now[across], now[up], values, cmap=colours, vmin=least, vmax=most, shading="gouraud", rasterized=True
    )
    wide = abs(float(np.ptp(now[across].to_numpy()))) > 1.2 * abs(float(np.ptp(now[up].to_numpy())))
    ax.figure.colorbar(
        image, ax=ax, label=f"{what} of {label(readings, name)}", location="bottom" if wide else "right",
        extend="max" if what == "sd" else "neither",
    )  # fmt: skip
    time = float(now[readings.time_name])
    start, end = readings.span[readings.time_name]
    near = np.abs(readings.time - time) <= NEAR * (end - start)
    far = np.setdiff1d(np.arange(readings.n_sensors), readings.sensor[near])
    places = readings.places[far]
    ax.plot(places[:, 0], places[:, 1], "o", markerfacecolor="none", markeredgecolor="white", markersize=3, alpha=0.6)
    ax.scatter(*readings.space[near].T, s=12, c="white", edgecolors="0.2", linewidths=0.6, rasterized=True)
    ax.set(xlabel=label(readings, across), ylabel=label(readings, up), aspect="equal")
    ax.text(
        0.01, 0.99, f"{label(readings, readings.time_name)} = {time:.4g}", transform=ax.transAxes, va="top",
        fontsize="small", bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0},
    )  # fmt: skip
    return ax


def _of_what(law: Inferred, name: str) -> str:
    if is_posterior(law):
        return f"{law.n_draws} draws of {name} in {law.n_chains} chains"
    fit = next((fit for fit in getattr(law, "fits", ()) if fit.field == name), None)
    if fit is None:
        return str(law).splitlines()[0]
    return fit.concise if fit.support.any() else f"{name}, which obeys no law"


def _mark_sensors(readings: Readings, ax: Axes) -> None:
    size = float(np.clip(2000 / len(readings), 1, 9))
    ax.scatter(
        readings.space[:, 0], readings.time, s=size, c="white", edgecolors="0.2", linewidths=0.3, rasterized=True
    )
    edge = ax.get_xaxis_transform()  # places across, fractions of the panel up
    ax.plot(
        readings.places[:, 0],
        np.ones(readings.n_sensors),
        "v",
        transform=edge,
        color="0.2",
        markersize=4,
        clip_on=False,
    )


def _panels(axes: Sequence[Axes] | None) -> tuple[Axes, Axes]:
    if axes is None:
        from matplotlib.figure import Figure

        left, right = Figure(figsize=(10.5, 4.4), layout="constrained").subplots(1, 2)
        return left, right
    if len(given := list(axes)) != 2:
        raise InputError(
            f"Expected two axes, for the mean and for the sd; got {len(given)}; make them with subplots(1, 2)."
        )
    return given[0], given[1]
