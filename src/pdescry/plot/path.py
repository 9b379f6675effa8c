"""Why these terms and no others: the change of the score by each candidate, or the order in which they were dropped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from pdescry.errors import InputError
from pdescry.plot.axes import INK, WARM, rows_of
from pdescry.plot.law import Drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FURTHEST = 20.0  # nats: e²⁰ to one; larger changes are drawn there, as an arrow


def path(law: Drawn, field: str | None = None, ax: Axes | None = None) -> Axes:
    """Why these terms: a row for each candidate, those of the law first.

    If laws were compared by prediction: the change of the elpd of held-out sensors minus that of the complexity
    penalty, if a term of the law is removed or another one is added. If the law comes from a regression: the step at
    which each candidate was dropped.

    Parameters
    ----------
    law : Law
        What is drawn.
    field : str, optional
        Rows of the law of one field; by default of all.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    table = ranked(law, field)
    return _steps(table, ax) if "step" in table else _scores(table, ax)


def ranked(law: Drawn, field: str | None = None) -> pd.DataFrame:
    """One row for each candidate, those of the law first, then those closest to being in it; as `Inference.ranking`.
    For all fields, consecutively and named, if there are several and none is given."""
    names = [fit.field for fit in law.fits]
    if field is not None and field not in names:
        raise InputError(f"Expected one of the fields {', '.join(names)}; got {field!r}.")
    if field is not None or len(names) == 1:
        return law.inference.ranking(field or names[0])
    tables = {name: law.inference.ranking(name) for name in names}
    named = [
        table.assign(term=[f"{name}: {term}" for term in table["term"]])
        for name, table in tables.items()
        if not table.empty
    ]
    found = pd.concat(named, ignore_index=True) if named else pd.DataFrame()
    found.attrs["steps"] = max(table.attrs.get("steps", 0) for table in tables.values())
    return found


def _scores(table: pd.DataFrame, ax: Axes | None) -> Axes:
    ax, rows = rows_of(ax, [] if table.empty else [str(term) for term in table["term"]])
    records = table.to_dict(orient="records")
    for row, each in zip(rows, records, strict=True):
        kept, score = bool(each["kept"]), float(each["score"])
        colour = INK if kept else WARM if score > 0 and not each["ill_posed"] else "0.55"
        shown = -FURTHEST if math.isnan(score) else max(min(score, FURTHEST), -FURTHEST)
        ax.plot([0, shown], [row, row], color=colour, linewidth=2)
        ax.plot([shown], [row], "<" if shown == -FURTHEST else "o", color=colour, markersize=5)
        if each["ill_posed"]:
            ax.annotate(
                "ill-posed", (max(shown, 0), row), (6, 0), textcoords="offset points", va="center", fontsize="x-small"
            )
    ax.axvline(0, color="0.6", linestyle="--", linewidth=1)
    ax.set(xlim=(-1.08 * FURTHEST, 0.3 * FURTHEST), xlabel="change of the elpd less the complexity penalty (nats)")
    empty = "no law was fitted to its end" if table.empty else "dark: taken from the law; grey: added to it"
    ax.set_title(empty, fontsize="medium")
    ax.tick_params(axis="y", labelsize="small")
    return ax


def _steps(table: pd.DataFrame, ax: Axes | None) -> Axes:
    steps = int(table.attrs["steps"])
    ax, rows = rows_of(ax, [str(term) for term in table["term"]])
    for row, each in zip(rows, table.to_dict(orient="records"), strict=True):
        reached = steps + 0.5 if each["kept"] else 0.0 if math.isnan(each["step"]) else each["step"]
        ax.barh(row, reached, height=0.6, color=INK if each["kept"] else "0.7")
    ax.set(xlim=(0, steps + 0.5), xlabel="step at which it was dropped")
    ax.set_title("dark: in the law to the end", fontsize="medium")
    ax.tick_params(axis="y", labelsize="small")
    return ax
