"""Pictures for people: `Readings`, a `Posterior` or a `Solution` in, a matplotlib figure or a sketch in characters out.

``figures.py`` draws with matplotlib (any of its functions takes ``ax=`` or ``axes=``), ``terminal.py`` with characters.
Nothing here changes a global setting of matplotlib.
"""

from pdescry.report.figures import PICTURES, draw_posterior, draw_readings, draw_slices, draw_solution, save_figure
from pdescry.report.terminal import sketch

__all__ = ["PICTURES", "draw_posterior", "draw_readings", "draw_slices", "draw_solution", "save_figure", "sketch"]
