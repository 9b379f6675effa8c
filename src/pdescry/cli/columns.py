"""Text in columns, as commands print it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def in_columns(rows: Sequence[Sequence[str]]) -> str:
    """Text in columns: the first and the last to the left, the others to the right."""
    *widths, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = []
    for first, *middle, last in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(middle, widths[1:], strict=True)]
        lines.append("  " + "  ".join([f"{first:<{widths[0]}}", *cells, last]))
    return "\n".join(lines)


def terms_in_columns(rows: Iterable[tuple[str, Mapping[str, Any], str]]) -> str:
    """Coefficients with their intervals; each row a name, the numbers, and what to add to the interval.

    With a column for the probability of a term, if a row has one, and for units, if one is known.
    """
    rows = list(rows)
    probable = any(math.isfinite(row.get("probability", math.nan)) for _, row, _ in rows)
    with_units = any(row.get("unit") for _, row, _ in rows)
    units = ["unit"] if with_units else []
    cells = [("term", *(["probability"] if probable else []), "coefficient", "sd", *units, "95 % interval")]
    for name, row, remark in rows:
        probability = [f"{row['probability']:.2f}"] if probable else []
        unit = [row.get("unit") or "?"] if with_units else []
        interval = f"{row['low']:.4g} to {row['high']:.4g}{remark}"
        cells.append((name, *probability, f"{row['mean']:.4g}", f"{row['sd']:.2g}", *unit, interval))
    return in_columns(cells)
