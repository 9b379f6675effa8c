"""What figures share: axes to draw into, names, perceptually uniform colours, and files. No global style."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pdescry.data import Readings
from pdescry.errors import InputError
from pdescry.files import appearing, check_target

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS, SD_COLOURS = "viridis", "magma"
INK, WARM = "#3b528b", "#c2410c"  # what is inferred; what is exceptional
PICTURES = (".png", ".svg", ".pdf")


def new_axes(ax: Axes | None, height: float = 4.4) -> Axes:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    # Not pyplot, which keeps every figure, and selects a backend for the whole process.
    from matplotlib.figure import Figure

    return Figure(figsize=(6.4, height), layout="constrained").add_subplot()


def rows_of(ax: Axes | None, names: Sequence[str]) -> tuple[Axes, list[int]]:
    """Axes with a named row for each, from top to bottom, and the positions of the rows."""
    ax = new_axes(ax, max(2.2, 0.8 + 0.26 * len(names)))
    rows = list(range(len(names)))[::-1]
    ax.set(yticks=rows, yticklabels=names, ylim=(-0.7, len(names) - 0.3))
    return ax, rows


def colour_of(share: float, colours: str = COLOURS) -> tuple[float, float, float, float]:
    from matplotlib import colormaps

    return colormaps[colours](share)


def field_named(readings: Readings, field: str | None) -> str:
    name = field or readings.fields[0]
    if name not in readings.fields:
        raise InputError(f"Expected one of the fields {', '.join(readings.fields)}; got {name!r}.")
    return name


def label(readings: Readings, name: str) -> str:
    """Time, an axis or a field with its unit, if that is known."""
    return plain(readings.label(name))


def plain(text: str) -> str:
    """A text as it is: matplotlib would interpret text between dollars as a formula."""
    return text.replace("$", r"\$")


def check_one_axis(readings: Readings) -> None:
    if len(readings.axes) > 1:
        raise InputError(
            f"Expected a field along one space axis; got {len(readings.axes)} ({', '.join(readings.axes)}); draw maps "
            "with pdescry.plot.field(law, time=…) or pdescry.plot.animate(law, 'law.gif')."
        )


def check_two_axes(readings: Readings) -> None:
    if len(readings.axes) > 2:
        raise InputError(
            f"Expected a field along one space axis or two; got {', '.join(readings.axes)}; draw what predict(…) gives "
            "on a plane."
        )


def check_choice(what: str, choices: Sequence[str] | dict[str, Callable[..., Axes]]) -> None:
    if what not in choices:
        raise InputError(f"Expected what= as one of {', '.join(choices)}; got {what!r}.")


def save(ax: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure of some axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Any axes of the figure.
    path : str or path
        The file, ending in ``.png``, ``.svg`` or ``.pdf``.
    """
    check_target(path, PICTURES)
    with appearing(path) as temporary:
        _figure(ax).savefig(temporary, dpi=150)


def _figure(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None  # axes made by `new_axes` or by the user belong to a figure
    return figure  # pyright: ignore[reportReturnType]
