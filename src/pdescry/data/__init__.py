"""Files, arrays and frames → `Readings`, the frozen type for scattered measurements.

In comes whatever the user has: a CSV, Parquet, NetCDF, Zarr, ``.npz`` or MATLAB file (:func:`read`), a pandas frame, an
xarray object, arrays (``Readings.from_…``). Out goes `Readings`: one row per measurement, in the user's own units.

    file ── read.py ─▶ formats/ ─▶ Table ── convert.py ─▶ check.py ─▶ Readings
                                   frame, xarray, arrays ─┘

Read first ``readings.py`` (the type), then ``convert.py`` (the one road to it), ``names.py`` (which column is what) and
``check.py`` (what is promised, with ``repeats.py`` and ``plausible.py``). ``inputs.py`` has `Input`, a known quantity
that acts on the fields; ``input_sources.py`` makes it of columns, arrays or functions. ``formats/`` contains one small
file per family of files. ``noise_level.py`` judges the noise from the readings alone; ``averaged.py`` averages
consecutive ones where only noise is lost; ``faults.py`` has `SensorFault`, what is wrong with a sensor, in words, too.
Synthetic readings come from ``systems.py`` (named laws, their truth) through ``observe.py`` and ``layout.py`` (sensors,
clocks, noise).
"""

from __future__ import annotations

from pdescry.data import systems
from pdescry.data.faults import SensorFault
from pdescry.data.inputs import Input
from pdescry.data.observe import observe
from pdescry.data.read import read
from pdescry.data.readings import Readings

__all__ = ["Input", "Readings", "SensorFault", "observe", "read", "systems"]
