"""Diagnostics of the result: held-out sensors, residuals, chains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from pdescry.errors import InputError
from pdescry.plot.axes import INK, WARM, check_choice, colour_of, field_named, label, new_axes
from pdescry.plot.law import Drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 2000  # quantiles drawn


def diagnostics(
    law: Drawn,
    what: Literal["left_out", "residuals", "chains"] | None = None,
    ax: Axes | None = None,
    field: str | None = None,
) -> Axes:
    """How the law and its fields fit the readings.

    Parameters
    ----------
    law : Law
        What is drawn.
    what : {"left_out", "residuals", "chains"}, optional
        "left_out": the rms error of each sensor when predicted from the others, and the expected one (the default if
        laws were compared by it). "residuals": readings minus the field, in units of the noise, against a normal
        distribution (the default otherwise). "chains": log p of each chain, which should neither drift nor differ.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    field : str, optional
        By default the first field for "left_out", and all for "residuals".

    Returns
    -------
    matplotlib.axes.Axes
    """
    kinds = {"left_out": _left_out, "residuals": _residuals, "chains": _chains}
    what = what or ("residuals" if law.comparison is None else "left_out")
    check_choice(what, kinds)
    if field is not None:
        field_named(law.readings, field)
    return kinds[what](law, new_axes(ax), field)


def against_normal(values: NDArray[np.float64], most: int = MOST) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Normal quantiles, and the sorted values; at most this many of them."""
    ordered = np.sort(values)
    expected = ndtri((np.arange(len(ordered)) + 0.5) / len(ordered))
    some = np.unique(np.linspace(0, len(ordered) - 1, min(most, len(ordered))).astype(int))
    return expected[some], ordered[some]


def _left_out(law: Drawn, ax: Axes, field: str | None) -> Axes:
    if law.comparison is None:
        raise InputError(
            "Expected a law that was compared by held-out sensors; this one comes from a regression; pass "
            "what='residuals' or 'chains'."
        )
    name = field_named(law.readings, field)
    table: Any = law.comparison.held_out
    if "field" in table:
        table = table[table["field"] == name]
    rows = np.arange(len(table))
    inner = table["inside"].to_numpy(bool)
    errors, expected = (table[name].to_numpy(float) for name in ("rms_error", "expected"))
    ax.plot(rows, expected, "_", color="0.4", markersize=12, markeredgewidth=2, label="expected")
    ax.plot(rows[inner], errors[inner], "o", color=INK, markersize=5, label="rms error")
    ax.plot(rows[~inner], errors[~inner], "o", color="white", markeredgecolor=INK, markersize=5, label="outermost")
    few = len(rows) <= 40
    ax.set(xlabel="held-out sensor", ylabel=label(law.readings, name), xlim=(-0.8, len(rows) - 0.2))
    ax.set_xticks(rows if few else rows[:: len(rows) // 20])
    ax.set_xticklabels([str(table["sensor"].iloc[int(row)]) for row in ax.get_xticks()], fontsize="small")
    if inner.any():  # outermost sensors may have far larger errors
        ax.set_ylim(0, 1.15 * max(errors[inner].max(), expected[inner].max()))
    ax.legend(frameon=False, fontsize="small")
    ax.set_title("each sensor predicted from the others", fontsize="medium")
    return ax


def _residuals(law: Drawn, ax: Axes, field: str | None) -> Axes:
    names = law.readings.fields if field is None else (field,)
    for number, name in enumerate(names):
        expected, found = against_normal(law.inference.residuals(name))
        ends = np.array([expected[0], expected[-1]])
        ax.plot(ends, ends, color="0.6", linestyle="--", linewidth=1)
        colour = INK if len(names) == 1 else colour_of(0.85 * number / (len(names) - 1))
        ax.plot(expected, found, ".", color=colour, markersize=3, label=name)
    ax.set(xlabel="normal quantile", ylabel="reading less field, in units of the noise")
    ax.set_title("on the line: normal noise of the inferred size", fontsize="medium")
    if len(names) > 1:
        ax.legend(frameon=False, fontsize="small")
    return ax


def _chains(law: Drawn, ax: Axes, field: str | None) -> Axes:
    if law.posterior is None or law.diagnostics is None:
        raise InputError("Expected a law whose field was sampled by chains; this one has none; pass what='residuals'.")
    density = np.asarray(law.posterior.trace.log_density, float)
    for number, chain in enumerate(density):
        colour = colour_of(0.85 * number / max(len(density) - 1, 1))
        ax.plot(np.arange(1, len(chain) + 1), chain, color=colour, linewidth=1, label=f"chain {number + 1}")
    ax.set(xlabel="draw", ylabel="log p")
    ax.legend(frameon=False, fontsize="small")
    title, colour = ("mixed", "black") if law.diagnostics.mixed else ("not mixed", WARM)
    ax.set_title(f"chains of the field: {title}", fontsize="medium", color=colour)
    return ax
