"""Figures with matplotlib: every function takes what it draws and ``ax=``, and returns the axes.

    pdescry.plot.field(law)          the inferred field over place and time; ``what="sd"``: its uncertainty
    pdescry.plot.field(law, time=2.0)   in the plane: a map at one time; ``animate(law, "law.gif")``: at all
    pdescry.plot.slices(law)         the field at a few times with its 95 % band, and the readings
    pdescry.plot.coefficients(law)   the terms of the law with their 95 % intervals
    pdescry.plot.profiles(law)       coefficients that vary along the axis, with their 95 % bands
    pdescry.plot.path(law)           why these terms and no others
    pdescry.plot.forecast(law)       the law solved forward, compared with held-out sensors
    pdescry.plot.diagnostics(law)    held-out sensors, residuals and chains
    pdescry.plot.next_sensor(law.next_sensor(3))   where a reading would add most information
    pdescry.plot.readings(readings), pdescry.plot.solution(solution)
    pdescry.plot.save(ax, "law.png") PNG, SVG or PDF

``axes.py`` has what they share. Nothing here changes a global setting of matplotlib, and nothing computes more than a
figure needs: what is drawn comes from a `Law`, or from the `Posterior`, `JointFit` or `Solution` that it contains.
"""

from pdescry.plot.animate import animate
from pdescry.plot.axes import PICTURES, save
from pdescry.plot.coefficients import coefficients
from pdescry.plot.diagnostics import diagnostics
from pdescry.plot.field import field, mean_and_sd
from pdescry.plot.forecast import forecast
from pdescry.plot.next_sensor import next_sensor
from pdescry.plot.path import path
from pdescry.plot.profiles import profiles
from pdescry.plot.readings import readings
from pdescry.plot.slices import slices
from pdescry.plot.solution import solution

__all__ = [
    "PICTURES",
    "animate",
    "coefficients",
    "diagnostics",
    "field",
    "forecast",
    "mean_and_sd",
    "next_sensor",
    "path",
    "profiles",
    "readings",
    "save",
    "slices",
    "solution",
]
