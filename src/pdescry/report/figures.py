"""Figures of a solution, of readings and of a posterior. Perceptually uniform colours, no global style."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pdescry.errors import InputError
from pdescry.files import appearing, check_target

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pdescry.data import Readings
    from pdescry.solver import Solution
    from pdescry.surrogate import Posterior

COLOURS, SD_COLOURS = "viridis", "magma"
PICTURES = (".png", ".svg", ".pdf")
GRID = (81, 101)  # times and places of a drawn posterior: enough for the eye, and quick to predict


def draw_solution(solution: Solution, field: str | None = None, ax: Axes | None = None) -> Axes:
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


def draw_readings(readings: Readings, field: str | None = None, ax: Axes | None = None) -> Axes:
    """Every reading as a dot at its place (across; the first axis) and time (up), coloured by its value."""
    name = _field(readings, field)
    values = readings.values[:, readings.fields.index(name)]
    ax = new_axes(ax)
    size = float(np.clip(4000 / len(readings), 1, 16))
    dots = ax.scatter(
        readings.space[:, 0], readings.time, c=values, s=size, cmap=COLOURS, linewidths=0, rasterized=True
    )
    ax.figure.colorbar(dots, ax=ax, label=name)
    ax.set(xlabel=readings.axes[0], ylabel=readings.time_name)
    others = f", all {' and '.join(readings.axes[1:])} together" if len(readings.axes) > 1 else ""
    ax.set_title(f"{len(readings)} readings of {name} by {readings.n_sensors} sensors{others}", fontsize="medium")
    return ax


def draw_posterior(
    posterior: Posterior, field: str | None = None, axes: Sequence[Axes] | None = None
) -> tuple[Axes, Axes]:
    """Mean (left) and standard deviation (right) of the field over place (across) and time (up), as far as readings go.

    Every reading is a dot, every sensor a tick at the upper edge. ``axes``: the two panels to draw into.
    """
    readings = posterior.readings
    name = _field(readings, field)
    _one_axis(readings)
    left, right = _panels(axes)
    times, places = (np.linspace(*ends, number) for ends, number in zip(readings.span.values(), GRID, strict=True))
    summary = posterior.predict(times, places)
    shapes = ((left, "mean", summary[name], COLOURS, None), (right, "sd", summary[f"{name}_sd"], SD_COLOURS, 0.0))
    for ax, what, values, colours, least in shapes:
        image = ax.pcolormesh(places, times, values, cmap=colours, vmin=least, shading="gouraud", rasterized=True)
        ax.figure.colorbar(image, ax=ax, label=f"{what} of {name}")
        _mark_sensors(readings, ax)
        ax.set(xlabel=readings.axes[0], ylabel=readings.time_name, xlim=places[[0, -1]], ylim=times[[0, -1]])
    left.set_title(f"{posterior.n_draws} draws of {name} in {posterior.n_chains} chains", fontsize="medium")
    believed = "mixed" if posterior.diagnostics.mixed else "not mixed"
    right.set_title(f"{believed}; {len(readings)} readings by {readings.n_sensors} sensors", fontsize="medium")
    return left, right


def draw_slices(
    posterior: Posterior, times: ArrayLike | None = None, field: str | None = None, ax: Axes | None = None
) -> Axes:
    """The field over place at a few times, by default early, midway and late: mean, 95 % band, and readings as dots.

    A dot is a sensor's reading nearest in time, if it is nearer than a twentieth of the whole span of time.
    """
    readings = posterior.readings
    name = _field(readings, field)
    _one_axis(readings)
    chosen = _early_midway_late(readings) if times is None else np.atleast_1d(np.asarray(times, float))
    ax = new_axes(ax)
    places = np.linspace(*readings.span[readings.axes[0]], 201)
    summary = posterior.predict(chosen, places)
    start, end = readings.span[readings.time_name]
    for number, time in enumerate(chosen):
        now = summary.isel({readings.time_name: number})
        # The upper end of the colours is too pale for a line on white.
        colour = _colour(0.85 * number / max(len(chosen) - 1, 1))
        ax.fill_between(places, now[f"{name}_low"], now[f"{name}_high"], color=colour, alpha=0.25, linewidth=0)
        ax.plot(places, now[name], color=colour, label=f"{readings.time_name} = {time:.4g}")
        near = _nearest(readings, time, (end - start) / 20)
        values = readings.values[near, readings.fields.index(name)]
        ax.plot(readings.space[near, 0], values, "o", color=colour, markersize=4, markeredgecolor="white")
    ax.set(xlabel=readings.axes[0], ylabel=name)
    ax.margins(x=0.02)
    believed = "" if posterior.diagnostics.mixed else "; not mixed"
    ax.set_title(f"mean and 95 % band of {name}, readings nearest in time{believed}", fontsize="medium")
    ax.legend(frameon=False)
    return ax


def save_figure(ax: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure of ``ax`` as PNG, SVG or PDF."""
    check_target(path, PICTURES)
    with appearing(path) as temporary:
        _figure(ax).savefig(temporary, dpi=150)


def _mark_sensors(readings: Readings, ax: Axes) -> None:
    size = float(np.clip(2000 / len(readings), 1, 9))
    ax.scatter(
        readings.space[:, 0], readings.time, s=size, c="white", edgecolors="0.2", linewidths=0.3, rasterized=True
    )
    edge = ax.get_xaxis_transform()  # places across, parts of the panel up
    ax.plot(
        readings.places[:, 0],
        np.ones(readings.n_sensors),
        "v",
        transform=edge,
        color="0.2",
        markersize=4,
        clip_on=False,
    )


def _early_midway_late(readings: Readings) -> np.ndarray:
    """A tenth, half and nine tenths of the span of time, moved to where there are readings."""
    start, end = readings.span[readings.time_name]
    wanted = start + (end - start) * np.array([0.1, 0.5, 0.9])
    return np.unique([readings.times[np.abs(readings.times - time).argmin()] for time in wanted])


def _nearest(readings: Readings, time: float, within: float) -> np.ndarray:
    """The number of each sensor's reading nearest to a time, of those that have one so near."""
    away = np.abs(readings.time - time)
    order = np.lexsort((away, readings.sensor))
    first = order[np.unique(readings.sensor[order], return_index=True)[1]]
    return first[away[first] <= within]


def _colour(share: float) -> tuple[float, ...]:
    from matplotlib import colormaps

    return colormaps[COLOURS](share)


def _field(readings: Readings, field: str | None) -> str:
    name = field or readings.fields[0]
    if name not in readings.fields:
        raise InputError(f"Expected one of the fields {', '.join(readings.fields)}; got {name!r}.")
    return name


def _one_axis(readings: Readings) -> None:
    if len(readings.axes) > 1:
        raise InputError(
            "Expected a posterior along one space axis, which is all that can be drawn so far; "
            f"got {len(readings.axes)} ({', '.join(readings.axes)}); draw what posterior.predict gives on a plane."
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


def new_axes(ax: Axes | None) -> Axes:
    """These axes, or those of a new figure."""
    if ax is not None:
        return ax
    # Not pyplot: it keeps every figure, and picks a backend for the whole process.
    from matplotlib.figure import Figure

    return Figure(figsize=(6.4, 4.4), layout="constrained").add_subplot()


def _figure(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None  # axes made by `_axes` or by the user belong to a figure
    return figure  # pyright: ignore[reportReturnType]
