"""Pictures for people, and nothing that computes: a matplotlib figure or a sketch in characters.

``figures.py`` draws readings, a `Posterior` or a `Solution`, ``coefficients.py`` the terms of a law, all of it with
matplotlib (every function takes ``ax=`` or ``axes=``), ``terminal.py`` with characters. Nothing here changes a global
setting of matplotlib.
"""

from pdescry.report.coefficients import draw_coefficients
from pdescry.report.figures import PICTURES, draw_posterior, draw_readings, draw_slices, draw_solution, save_figure
from pdescry.report.terminal import sketch

__all__ = [
    "PICTURES",
    "draw_coefficients",
    "draw_posterior",
    "draw_readings",
    "draw_slices",
    "draw_solution",
    "save_figure",
    "sketch",
]
