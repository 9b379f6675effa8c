"""The data of the figures of a page, small enough to be part of it."""

from __future__ import annotations

import base64
import math
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from pdescry.data import Readings
from pdescry.plot.axes import COLOURS, SD_COLOURS, colour_of
from pdescry.plot.diagnostics import against_normal
from pdescry.plot.law import Inferred
from pdescry.plot.path import FURTHEST, ranked
from pdescry.report.law import Reported

DIFFERENCE_COLOURS = "RdBu_r"  # diverging, pale in the middle
STOPS = 33
MOST_READINGS = 120_000  # drawn and included in a page; attachments are often limited to 6 MB
EXACT = 20_000  # up to so many readings in double precision
EXPERIMENTS = 6  # whose fields a page includes


def numbers_of(law: Reported, name: str, fields: list[Inferred], grids: list[xr.Dataset]) -> dict[str, Any]:
    """All data, except those that require a forward solution. fields: of each experiment; grids: their values."""
    return {
        "name": name,
        "colours": {
            kind: _stops(colours)
            for kind, colours in (("mean", COLOURS), ("sd", SD_COLOURS), ("difference", DIFFERENCE_COLOURS))
        },
        **numbers_of_fields(fields, grids),
        "terms": _terms(law),
        "profiles": _profiles(law),
        "candidates": _candidates(law),
        "path": _path(law),
        "left_out": _left_out(law),
        "residuals": [_residuals(law, field) for field in law.readings.fields],
        "chains": _chains(law),
    }


def fields_of(law: Reported) -> list[Inferred]:
    """The fields of each experiment: the one that satisfies the law if it was inferred with it; none along three
    axes."""
    if len(law.readings.axes) > 2:
        return []
    return [law.inference.of(number) for number in range(min(len(law.experiments), EXPERIMENTS))]


def packed(values: ArrayLike, exact: bool = False) -> dict[str, str]:
    """Little-endian floats in base64, as ``figures.js`` decodes them; in single precision where that changes no
    figure."""
    values = np.asarray(values, float)
    known = values[np.isfinite(values)]
    alike = not known.size or np.abs(known - known.astype(np.float32)).max() <= 1e-4 * np.ptp(known)
    kind = "<f4" if alike and not exact else "<f8"
    return {kind[1:]: base64.b64encode(np.ascontiguousarray(values, kind).tobytes()).decode("ascii")}


def names_of(readings: Readings) -> dict[str, str]:
    """As axes are labelled; for readings with dates, time is labelled with the date that it counts from."""
    time = readings.label(readings.time_name)
    if readings.time_origin:
        unit = readings.units.get(readings.time_name, "s")
        time = f"{readings.time_name} ({unit} since {readings.time_origin.replace('T', ' ')})"
    return {"time": time, "axis": readings.label(readings.axes[0])}


def sensor_names(readings: Readings) -> list[str]:
    names = readings.sensor_names
    return [str(number) for number in range(readings.n_sensors)] if names is None else list(names)


def finite(value: Any) -> float | None:
    """For JSON: null if not finite."""
    return None if value is None or not math.isfinite(value) else float(value)


def numbers_of_fields(fields: list[Inferred], grids: list[xr.Dataset]) -> dict[str, list[dict[str, Any]]]:
    """Over an axis or, under another name, over the plane."""
    found: dict[str, list[dict[str, Any]]] = {"fields": [], "planes": []}
    for field, grid in zip(fields, grids, strict=True):
        if len(field.readings.axes) > 1:
            found["planes"].append(_plane(field, grid))
        else:
            found["fields"].append(_field(field, grid))
    return found


def _plane(inferred: Inferred, grid: xr.Dataset) -> dict[str, Any]:
    readings, (across, up) = inferred.readings, inferred.readings.axes
    every = math.ceil(len(readings) / MOST_READINGS)
    some, exact = slice(None, None, every), len(readings) <= EXACT
    grid = grid.transpose(readings.time_name, up, across)
    return {
        "names": {"time": names_of(readings)["time"], "across": readings.label(across), "up": readings.label(up)},
        "plain": {"time": readings.time_name, "across": across, "up": up},
        "times": packed(grid[readings.time_name], exact=True),
        "xs": packed(grid[across], exact=True),
        "ys": packed(grid[up], exact=True),
        "time": packed(readings.time[some], exact),
        "x": packed(readings.space[some, 0], exact),
        "y": packed(readings.space[some, 1], exact),
        "sensor": packed(readings.sensor[some]),
        "pins": [[float(x), float(y)] for x, y in readings.places],
        "sensor_names": sensor_names(readings),
        "fields": _of_each_field(readings, grid, some, exact),
    }


def _field(inferred: Inferred, grid: xr.Dataset) -> dict[str, Any]:
    readings = inferred.readings
    every = math.ceil(len(readings) / MOST_READINGS)
    some, exact = slice(None, None, every), len(readings) <= EXACT
    (axis,) = readings.axes
    return {
        "names": names_of(readings),
        "plain": {"time": readings.time_name, "axis": axis},
        "times": packed(grid[readings.time_name], exact=True),
        "places": packed(grid[axis], exact=True),
        "time": packed(readings.time[some], exact),
        "place": packed(readings.space[some, 0], exact),
        "sensor": packed(readings.sensor[some]),
        "pins": [float(place) for place in readings.places[:, 0]],
        "sensor_names": sensor_names(readings),
        "fields": _of_each_field(readings, grid, some, exact),
    }


def _of_each_field(readings: Readings, grid: xr.Dataset, some: slice, exact: bool) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "label": readings.label(name),
            "read": packed(readings.values[some, number], exact),
            **{
                key: packed(grid[f"{name}{ending}"])
                for key, ending in (("mean", ""), ("sd", "_sd"), ("low", "_low"), ("high", "_high"))
            },
        }
        for number, name in enumerate(readings.fields)
    ]


def _terms(law: Reported) -> list[dict[str, Any]]:
    table = law.coefficients
    several = len(set(table["field"])) > 1
    return [
        {
            "name": f"{row['field']}: {row['term']}" if several else row["term"],
            **{key: finite(row[key]) for key in ("mean", "sd", "low", "high", "probability")},
            "unit": row["unit"],
        }
        for row in table.to_dict(orient="records")
    ]


def _profiles(law: Reported) -> list[dict[str, Any]]:
    """Coefficients that vary along the axis."""
    if law.comparison is None or law.comparison.profiles.empty:
        return []
    return [
        {
            "name": _named(law, str(field), [str(term)])[0],
            "axis": names_of(law.readings)["axis"],
            **{key: packed(rows[key]) for key in ("place", "mean", "low", "high")},
        }
        for (field, term), rows in law.comparison.profiles.groupby(["field", "term"], sort=False)  # type: ignore[misc]
    ]


def _candidates(law: Reported) -> list[dict[str, Any]]:
    """The most probable first; none if the method gives no probabilities, or no law was found."""
    if law.comparison is None or not law.found:
        return []
    tables = [fit.table.assign(term=_named(law, fit.field, fit.table["term"])) for fit in law.fits]
    table = pd.concat(tables).sort_values(["probability", "kept"], ascending=False, kind="stable")
    return [
        {"name": row["term"], "probability": float(row["probability"]), "kept": bool(row["kept"])}
        for row in table.to_dict(orient="records")
    ]


def _named(law: Reported, field: str, terms: Iterable[str]) -> list[str]:
    """With the field of the law, if there are several."""
    return [f"{field}: {term}" if len(law.fits) > 1 else term for term in terms]


def _path(law: Reported) -> dict[str, Any]:
    table = ranked(law)
    rows = table.to_dict(orient="records")
    kept = [{"name": row["term"], "kept": bool(row["kept"])} for row in rows]
    if "step" in table:
        steps = [{"step": finite(row["step"])} for row in rows]
        return {"kind": "steps", "furthest": table.attrs["steps"] + 0.5, "rows": _joined(kept, steps)}
    scores = [{"score": finite(row["score"]), "ill_posed": bool(row["ill_posed"])} for row in rows]
    return {"kind": "score", "furthest": FURTHEST, "rows": _joined(kept, scores)}


def _joined(*lists: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for part in parts for name, value in part.items()} for parts in zip(*lists, strict=True)]


def _left_out(law: Reported) -> list[dict[str, Any]]:
    if law.comparison is None:
        return []
    return [
        {
            "sensor": _sensor(row),
            "inside": bool(row["inside"]),
            "rms_error": finite(row["rms_error"]),
            "expected": finite(row["expected"]),
        }
        for row in law.comparison.held_out.to_dict(orient="records")
    ]


def _sensor(row: Mapping[Hashable, Any]) -> str:
    """Its name, with the number of its experiment and the field, if there are several."""
    before = [str(row["experiment"] + 1)] if "experiment" in row else []
    return ": ".join([*before, *([str(row["field"])] if "field" in row else []), str(row["sensor"])])


def _residuals(law: Reported, field: str) -> dict[str, Any]:
    expected, found = map(packed, against_normal(law.inference.residuals(field)))
    return {"name": field, "expected": expected, "found": found}


def _chains(law: Reported) -> list[dict[str, str]]:
    if law.posterior is None:
        return []
    return [packed(chain) for chain in np.asarray(law.posterior.trace.log_density, float)]


def _stops(colours: str) -> list[str]:
    from matplotlib.colors import to_hex

    return [to_hex(colour_of(share, colours)) for share in np.linspace(0, 1, STOPS)]
