"""A law in a notebook: typeset, with its terms in a table, its notes, and a small figure."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import Any

from pdescry.equation.with_spread import with_spread
from pdescry.plot.field import field
from pdescry.plot.slices import slices
from pdescry.report.law import Reported
from pdescry.report.mathematics import typeset

WIDTH, HEIGHT, DPI = 9.0, 3.2, 80  # inches, and dots in one


def law_in_html(law: Reported) -> str:
    with_law = [fit for fit in law.fits if fit.support.any()]
    silent = [fit for fit in law.fits if not fit.support.any()]
    parts = [
        *(typeset(fit) for fit in with_law),
        *(f"<p>{escape(fit.concise)}</p>" for fit in silent),
        _table(law) if with_law else "",
        _listed("", law.remarks),
        _listed("Warning: ", law.warnings),
        _figure(law),
    ]
    return f'<div class="pdescry">{"".join(parts)}</div>'


def _table(law: Reported) -> str:
    rows = law.coefficients.to_dict(orient="records")
    several, units = len(law.fits) > 1, any(row["unit"] for row in rows)
    probable = any(row["probability"] == row["probability"] for row in rows)
    heads = ["term", "coefficient", *(["unit"] if units else []), "95 % interval"]
    heads += ["probability"] if probable else []
    cells = [
        [
            f"{row['field']}: {row['term']}" if several else row["term"],
            with_spread(row["mean"], row["sd"]),
            *([row["unit"] or "?"] if units else []),
            f"{row['low']:.4g} to {row['high']:.4g}",
            *([f"{row['probability']:.2f}"] if probable else []),
        ]
        for row in rows
    ]
    return _html_table(heads, cells)


def _html_table(heads: list[str], cells: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _listed(before: str, sentences: Any) -> str:
    items = "".join(f"<li>{escape(before + str(each))}</li>" for each in sentences)
    return f"<ul>{items}</ul>" if items else ""


def _figure(law: Reported) -> str:
    """The field, and its values at three times; nothing for a field along several axes."""
    if len(law.readings.axes) > 1:
        return ""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    left, right = figure.subplots(1, 2)
    field(law, ax=left).set_title("")
    slices(law, ax=right).set_title("")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=DPI)
    data = base64.b64encode(picture.getvalue()).decode()
    name = escape(law.readings.fields[0])
    return f'<img alt="The field {name}, and its values at three times" src="data:image/png;base64,{data}">'
