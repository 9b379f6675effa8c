"""Pictures for people: a `Solution` or `Readings` in, a matplotlib figure or a sketch for the terminal out.

``figures.py`` draws with matplotlib (any of its functions takes ``ax=``), ``terminal.py`` with characters. Nothing here
changes a global setting of matplotlib.
"""

from pdescry.report.figures import PICTURES, draw_readings, draw_solution, save_figure
from pdescry.report.terminal import sketch

__all__ = ["PICTURES", "draw_readings", "draw_solution", "save_figure", "sketch"]
