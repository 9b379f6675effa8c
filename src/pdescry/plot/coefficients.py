"""The terms of a law as a forest plot: each coefficient with its 95 % interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdescry.plot.axes import INK, rows_of
from pdescry.plot.law import Drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def coefficients(law: Drawn, ax: Axes | None = None) -> Axes:
    """A row for each term of ``law.coefficients``: dot and line for coefficient and 95 % interval; zero is dashed.

    Parameters
    ----------
    law : Law
        What is drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    table = law.coefficients
    several = len(set(table["field"])) > 1
    pairs = zip(table["field"], table["term"], strict=True)
    ax, rows = rows_of(ax, [f"{field}: {term}" if several else str(term) for field, term in pairs])
    mean, low, high = (table[name].to_numpy(float) for name in ("mean", "low", "high"))
    ax.axvline(0.0, color="0.6", linestyle="--", linewidth=1)
    ax.errorbar(mean, rows, xerr=np.abs([mean - low, high - mean]), fmt="o", color=INK, capsize=4, markersize=5)
    for row, value in zip(rows, mean, strict=True):
        ax.annotate(f"{value:.4g}", (value, row), (0, 8), textcoords="offset points", ha="center", fontsize="small")
    ax.set(xlabel="coefficient, 95 % interval", ylim=(-0.7, max(len(table), 1) - 0.3))
    kinds = set(table["spread"]) if len(table) else set()
    note = "no term is left" if not len(table) else "intervals: " + " and ".join(sorted(kinds))
    ax.set_title(note, fontsize="medium")
    ax.margins(x=0.1)
    return ax
