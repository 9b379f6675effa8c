"""A sketch of scattered values for the terminal: place across, time up, colour or shade by value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from rich.text import Text

# Nine steps of viridis, dark to light, and shades for a terminal without colours.
_COLOURS = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725")
_SHADES = "▁▂▃▄▅▆▇█"


def sketch(
    x: ArrayLike, t: ArrayLike, values: ArrayLike, width: int = 64, height: int = 16, colour: bool = True
) -> Text:
    """The mean value in each of width × height cells; a dot where there is none."""
    from rich.text import Text

    x, t, values = (np.asarray(array, float) for array in (x, t, values))
    column, row = _cells(x, width), height - 1 - _cells(t, height)
    cell = row * width + column
    count = np.bincount(cell, minlength=width * height)
    total = np.bincount(cell, weights=values, minlength=width * height)
    mean = np.divide(total, count, out=np.full(width * height, np.nan), where=count > 0).reshape(height, width)
    level = (mean - values.min()) / (float(np.ptp(values)) or 1.0)
    picture = Text(no_wrap=True, overflow="crop")
    for line in level:
        for share in line:
            if np.isnan(share):
                picture.append("·", style="dim")
            elif colour:
                picture.append("█", style=_COLOURS[min(int(share * len(_COLOURS)), len(_COLOURS) - 1)])
            else:
                picture.append(_SHADES[min(int(share * len(_SHADES)), len(_SHADES) - 1)])
        picture.append("\n")
    return picture


def _cells(coordinate: np.ndarray, count: int) -> np.ndarray:
    share = (coordinate - coordinate.min()) / (float(np.ptp(coordinate)) or 1.0)
    return np.minimum((share * count).astype(int), count - 1)
