"""Coefficients that vary along the axis, as curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdescry.errors import InputError
from pdescry.plot.axes import new_axes
from pdescry.plot.law import Drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def profiles(law: Drawn, term: str | None = None, ax: Axes | None = None) -> Axes:
    """Mean and 95 % band of each coefficient that varies along the axis, over place.

    Parameters
    ----------
    law : Law
        One whose ``law.profiles`` is not empty.
    term : str, optional
        Only the coefficient of this term, such as ``"u_xx"``; by default, of all.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default, a new figure.
    """
    table: Any = None if law.comparison is None else law.comparison.profiles
    varying = [] if table is None else sorted(set(table["term"]))
    if table is None or not varying or term not in (None, *varying):
        found = f"only those of {', '.join(varying)} do" if varying else "all are constant"
        what = "a law with coefficients that vary" if term is None else f"the coefficient of {term!r} to vary"
        raise InputError(f"Expected {what} along the axis; {found}.")
    ax = new_axes(ax)
    several = len(set(table["field"])) > 1
    for (field, name), rows in table.groupby(["field", "term"], sort=False):
        if term in (None, name):
            label = f"{field}: {name}" if several else str(name)
            (line,) = ax.plot(rows["place"], rows["mean"], label=label)
            ax.fill_between(rows["place"], rows["low"], rows["high"], color=line.get_color(), alpha=0.2, linewidth=0)
    ax.set(xlabel=law.readings.label(law.readings.axes[0]), ylabel="coefficient, 95 % band")
    ax.legend()
    return ax
