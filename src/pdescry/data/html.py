"""Readings in a notebook: what they are in words, and a small map of them, drawn here as SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pdescry.data.readings import Readings

WIDTH, HEIGHT, MARGIN = 420, 220, 30  # pixels
MOST = 1500  # dots: more make the page slow, and show no more
_COLOURS = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725")


def readings_in_html(readings: Readings) -> str:
    head, *lines = readings.summary().splitlines()
    items = "".join(f"<li>{escape(line.strip())}</li>" for line in lines)
    return f'<div class="pdescry"><p>{escape(head)}</p><ul>{items}</ul>{_map(readings)}</div>'


def _map(readings: Readings) -> str:
    """Each reading of the first field as a dot: place across, time up, colour by value."""
    values = readings.values[:, 0]
    rows = np.flatnonzero(~np.isnan(values))
    rows = rows[:: -(-len(rows) // MOST)] if len(rows) else rows
    across = _scaled(readings.space[rows, 0], MARGIN, WIDTH - 10)
    up = _scaled(readings.time[rows], HEIGHT - MARGIN, 10)
    number = np.round(_scaled(values[rows], 0, len(_COLOURS) - 1)).astype(int)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{_COLOURS[k]}"/>'
        for x, y, k in zip(across, up, number, strict=True)
    )
    names = readings.axes[0], readings.time_name, readings.fields[0]
    axis, time, field = (escape(readings.label(name)) for name in names)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    words = (
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">{axis}</text>'
        f'<text x="12" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 12 {HEIGHT / 2})">{time}</text>'
    )
    title = f"{field} over {axis} and {time}, from {low:.4g} (dark) to {high:.4g} (light)"
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-size="12" '
        f'fill="currentColor" aria-label="{title}"><title>{title}</title>{dots}{words}</svg><p>{title}.</p>'
    )


def _scaled(values: np.ndarray, low: float, high: float) -> np.ndarray:
    least, span = values.min(initial=np.inf), np.ptp(values) if len(values) else 0.0
    return low + (high - low) * ((values - least) / span if span else np.full(len(values), 0.5))
