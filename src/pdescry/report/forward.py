"""The forward solution of the law in the report: the resulting field, and held-out sensors."""

from __future__ import annotations

import warnings
from typing import Any

import xarray as xr

from pdescry.report.law import Reported
from pdescry.report.numbers import names_of, packed

SECONDS = 60  # a law that takes longer is mentioned, not drawn
MOST_IN_PLANE = 12  # held-out sensors that are drawn, of possibly hundreds of pixels


def forward_of(law: Reported, field: xr.Dataset | None) -> dict[str, Any] | None:
    """field: the inferred one on its grid, with which the solution is compared; None if there is nothing to show."""
    if field is None or not law.found or law.forward.status != "ok":
        return None
    readings = law.readings
    axis, *others = readings.axes
    if others:  # maps would be films
        return {"names": names_of(readings), "fields": [], "sensors": _left_out(law)}
    times, places = field[readings.time_name].to_numpy(), field[axis].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of assumed ends, which the page reports
        solved = law.simulate(times, x=places, max_seconds=SECONDS, verify=False)
    if solved.attrs["status"] != "ok":
        return None
    return {
        "names": names_of(readings),
        "times": packed(times, exact=True),
        "places": packed(places, exact=True),
        "fields": [
            {
                "name": name,
                "label": readings.label(name),
                "mean": packed(solved[name]),
                "difference": packed(solved[name].to_numpy() - field[name].to_numpy()),
            }
            for name in readings.fields
        ],
        "pins": [float(place) for place in readings.places[:, 0]],
        "sensors": _left_out(law),
    }


def _left_out(law: Reported) -> list[dict[str, Any]]:
    """Each sensor that draws of the law were compared with, for each field that it read."""
    table, readings = law.forward.held_out, law.readings
    if table is None:
        return []
    table = table if "field" in table else table.assign(field=readings.fields[0])
    if len(readings.axes) > 1:
        sensors = table["sensor"].unique()
        table = table[table["sensor"].isin(sensors[:: -(-len(sensors) // MOST_IN_PLANE)])]
    return [
        {
            "name": str(sensor),
            "field": str(name),
            "label": readings.label(str(name)),
            "place": [float(rows[name].iloc[0]) for name in ("x", "y")[: len(readings.axes)]],
            "times": packed(rows["t"], exact=True),
            **{key: packed(rows[column]) for key, column in (("mean", "mean"), ("low", "low"), ("high", "high"))},
            "read": packed(rows["reading"], exact=True),
        }
        for (name, sensor), rows in table.groupby(["field", "sensor"], sort=False)
    ]
