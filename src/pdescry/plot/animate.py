"""Animations of a field in the plane, as GIF, or as MP4 if ffmpeg is installed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from pdescry.errors import InputError
from pdescry.files import appearing, check_target
from pdescry.plot.axes import COLOURS, check_choice, field_named, new_axes
from pdescry.plot.field import IN_THE_PLANE, MOST_IN_THE_PLANE, WHAT, draw_map, on_a_grid
from pdescry.plot.law import Inferred

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pdescry.solver import Solution

ENDINGS = (".gif", ".mp4")
MOST_FRAMES = 1000


def animate(
    shown: Inferred | Solution,
    path: str | os.PathLike[str],
    field: str | None = None,
    what: Literal["mean", "sd"] = "mean",
    *,
    frames: int = 60,
    seconds: float = 6.0,
    overwrite: bool = False,
) -> None:
    """Write an animation of a field in the plane.

    Parameters
    ----------
    shown : Law, Posterior or Solution
        A `Law` or another inferred field in the plane, or a `Solution`.
    path : str or path
        A file ``.gif``, or ``.mp4``, which needs ffmpeg.
    field : str, optional
        Which field; by default the first.
    what : {"mean", "sd"}
        "mean" or "sd" of an inferred field.
    frames, seconds : int and float
        Number of frames, evenly over the time span, and duration of the animation.
    overwrite : bool
        Replace a file that exists.
    """
    check_choice(what, WHAT)
    check_target(path, ENDINGS, overwrite)
    for name, value, most in (("frames", frames, MOST_FRAMES), ("seconds", seconds, 3600)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= most:
            raise InputError(f"Expected {name} as a number from 1 to {most}; got {value!r}.")
    if Path(path).suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
        raise InputError("Expected ffmpeg for an animation as MP4; it is not installed; install it, or write a .gif.")
    given: Any = shown
    of_solution = hasattr(given, "pieces")
    pictures: _Pictures
    pictures = _OfSolution(given, field, int(frames)) if of_solution else _OfField(given, field, what, int(frames))
    _write(pictures, path, frames / seconds)


def _write(pictures: _Pictures, path: str | os.PathLike[str], rate: float) -> None:
    from matplotlib.animation import FFMpegWriter, PillowWriter

    kind: Any = PillowWriter if Path(path).suffix.lower() == ".gif" else FFMpegWriter
    with appearing(path) as temporary:
        writer: Any = kind(fps=rate)
        ax = new_axes(None)
        figure: Any = ax.figure
        pictures.draw(0, ax)  # the first defines the layout of the panel
        figure.canvas.draw()
        with writer.saving(figure, str(temporary), dpi=100):
            for number in range(pictures.count):
                figure.clear()
                pictures.draw(number, figure.add_subplot())
                writer.grab_frame()


class _Pictures(Protocol):
    """A number of frames, each drawn on request."""

    count: int

    def draw(self, number: int, ax: Axes) -> None: ...


class _OfField:
    def __init__(self, law: Inferred, field: str | None, what: str, frames: int) -> None:
        if len(law.readings.axes) != 2:
            raise InputError("Expected a field in the plane; draw one along an axis with pdescry.plot.field.")
        self.readings, self.what, self.count = law.readings, what, frames
        self.name = field_named(law.readings, field)
        self.grid = on_a_grid(law, (max(frames, 2), *IN_THE_PLANE[1:]))
        values = self.grid[self.name if what == "mean" else f"{self.name}_sd"]
        self.ends = (
            (float(values.min()), float(values.max()))
            if what == "mean"
            else (0.0, float(values.quantile(MOST_IN_THE_PLANE)))
        )

    def draw(self, number: int, ax: Axes) -> None:
        now = self.grid.isel({self.readings.time_name: number})
        draw_map(self.readings, self.name, self.what, ax, now, self.ends)


class _OfSolution:
    def __init__(self, solution: Any, field: str | None, frames: int) -> None:
        if len(solution.axes) != 2:
            raise InputError("Expected a solution in the plane; draw one along an axis with pdescry.plot.solution.")
        self.name = field or solution.equation.fields[0]
        if self.name not in solution.equation.fields:
            raise InputError(f"Expected one of the fields {', '.join(solution.equation.fields)}; got {self.name!r}.")
        if not solution.reached > 0:
            raise InputError(f"Expected a solution to draw; this one ended at once ({solution.status}).")
        self.count, self.axes = frames, solution.axes
        self.times = np.linspace(0.0, solution.reached, frames)
        self.places = [np.linspace(low, high, 121) for low, high in solution.extent.values()]
        self.values = solution.pieces[self.name].on_grid(self.times, *self.places)

    def draw(self, number: int, ax: Axes) -> None:
        x, y = self.places
        image = ax.pcolormesh(
            x, y, self.values[number].T, cmap=COLOURS, vmin=self.values.min(), vmax=self.values.max(),
            shading="gouraud", rasterized=True,
        )  # fmt: skip
        wide = np.ptp(x) > 1.2 * np.ptp(y)
        ax.figure.colorbar(image, ax=ax, label=self.name, location="bottom" if wide else "right")
        ax.set(xlabel=self.axes[0], ylabel=self.axes[1], aspect="equal")
        ax.set_title(f"t = {self.times[number]:.3f}", fontsize="medium")
