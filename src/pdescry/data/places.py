"""Positions of named sensors, given separately from the readings: ``{"TC1": 0.05}``, ``"TC1=0.05, TC2=0.10"``, or a
file.

A logger that writes a column for each sensor (TC1 … TC8) has no places; neither has a long table with a sensor's
name in each row. Both become tables with places, sensors and values here, before anyone asks which column is what.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pdescry.data.headers import UNIT, stem, unit_in
from pdescry.data.names import axes_among, is_sensor_name
from pdescry.data.table import Table, Variable, shorten, to_number
from pdescry.errors import InputError
from pdescry.notices import Notice

PlacesLike = Mapping[str, float | Sequence[float]] | str | os.PathLike[str]

_PAIR = re.compile(rf"\s*([^=]+?)\s*=\s*([-+−]?[\d.,\s;eE+-]*?\d\.?)\s*({UNIT})?\s*", re.IGNORECASE)
_EXAMPLE = "⟦places={'TC1': 0.05, 'TC2': 0.1}‖--places \"TC1=0.05, TC2=0.1\"⟧"
VALUES, SENSORS = "u", "sensor"  # names of columns that are made here


@dataclass(frozen=True)
class Places:
    """of: places by the names of sensors. axes: their names. unit: empty where none was given."""

    of: Mapping[str, tuple[float, ...]]
    axes: tuple[str, ...]
    unit: str = ""


def parse_places(given: PlacesLike) -> Places:
    if isinstance(given, Mapping):
        return _checked({str(name): _numbers(name, place) for name, place in given.items()})
    if isinstance(given, str) and "=" in given:
        return _from_pairs(given)
    if isinstance(given, str | os.PathLike):
        return _from_file(Path(given))
    raise InputError(f"Expected places such as {_EXAMPLE}, or the path of a file; got {shorten(given)}.")


def _numbers(name: object, place: Any) -> tuple[float, ...]:
    parts = [place] if isinstance(place, str) or not isinstance(place, Sequence | np.ndarray) else list(place)
    found = [to_number(part) for part in parts]
    if not found or not all(each is not None and np.isfinite(each) for each in found):
        raise InputError(f"Expected the place of sensor {name} as a number; got {shorten(place)}; pass {_EXAMPLE}.")
    return tuple(float(each) for each in found if each is not None)


def _checked(of: dict[str, tuple[float, ...]], unit: str = "") -> Places:
    sizes = {len(place) for place in of.values()}
    if not of or len(sizes) != 1 or not sizes <= {1, 2, 3}:
        raise InputError(
            f"Expected a place for each sensor, all of them along the same one to three axes; got {shorten(of)}; "
            f"pass {_EXAMPLE}."
        )
    return Places(of, tuple("xyz"[: sizes.pop()]), unit)


def _from_pairs(text: str) -> Places:
    """``TC1=0.05 m, TC2=0.10 m``; in the plane ``A=0.1 0.2; B=0.3 0.4``."""
    separator = ";" if ";" in text else ","
    found: dict[str, tuple[float, ...]] = {}
    units = set()
    for part in filter(str.strip, text.split(separator)):
        match = _PAIR.fullmatch(part)
        if match is None:
            raise InputError(f"Expected places such as 'TC1=0.05, TC2=0.10'; got {part.strip()!r}; write a number.")
        if match[1] in found:
            raise InputError(f"Expected each sensor once in ⟦places=⟧; got {match[1]!r} twice; name it once.")
        found[match[1]] = _numbers(match[1], match[2].replace("−", "-").split())
        units.add(match[3] or "")
    if len(units) > 1:
        raise InputError("Expected all places in one unit; got several; write all of them in the same unit.")
    return _checked(found, units.pop() if units else "")


def _from_file(path: Path) -> Places:
    """A table with a column of names and one to three of places: ``sensor,x``."""
    from pdescry.data.formats.text import load

    if not path.is_file():
        raise InputError(
            f"Expected places as a file or such as 'TC1=0.05, TC2=0.10'; got no such file as {str(path)!r}; check it."
        )
    # Whatever column has the names is to be read as text: sensor 01 is not sensor 1.
    table = load(path, None)
    names = list(table.variables)
    labels = next((name for name in names if is_sensor_name(name)), None) or next(
        (name for name in names if not table.is_numeric(name)), names[0]
    )
    columns = axes_among(name for name in names if name != labels and table.is_numeric(name))
    if not columns:
        raise InputError(
            f"Expected a column of sensors' names and one of places, such as sensor,x, in {path.name}; got the "
            f"columns {table.listing()}; add a header."
        )
    places = np.column_stack([np.asarray(table.variables[name].values, float) for name in columns])
    found = {
        str(name).strip(): tuple(map(float, row))
        for name, row in zip(table.variables[labels].values, places, strict=True)
    }
    if not np.isfinite(places).all():
        raise InputError(f"Expected the place of every sensor in {path.name}; got a gap; fill it in.")
    unit = table.units.get(columns[0]) or unit_in(columns[0], "space")
    return _checked(found, unit)


# ---- a table with places ---------------------------------------------------------------------------------------------


def placed(table: Table, places: Places, sensor: str | None, fields: Sequence[str]) -> tuple[Table, dict[str, Any]]:
    """The table with columns of places, and who is who in it: arguments of `resolve`.

    fields: as the user named them; of a wide table one name for what its columns contain.
    """
    if not table.is_long():
        raise InputError(f"Expected ⟦places=⟧ with a table; {table.source} has arrays on a grid; leave it out.")
    columns = {name: sensor_name for sensor_name in places.of if (name := _column(table, sensor_name)) is not None}
    if columns:
        return _from_wide(table, places, columns, fields)
    label = sensor or next((name for name in table.variables if is_sensor_name(name)), None)
    if label is None or label not in table.variables:
        raise _strangers(table, places)
    return _from_long(table, places, label)


def _column(table: Table, name: str) -> str | None:
    """The column of a sensor; a unit in its header may be left out."""
    if name in table.variables:
        return name
    alike = [known for known in table.variables if stem(known) == name.strip()]
    return alike[0] if len(alike) == 1 else None


def _strangers(table: Table, places: Places) -> InputError:
    named = list(places.of)
    shown = ", ".join(named[:8]) + (" …" if len(named) > 8 else "")
    return InputError(
        f"Expected columns of the sensors {shown} in {table.source}, or a column of sensors' names; got the columns "
        f"{table.listing()}{table.remark}; name the columns in ⟦places=⟧."
    )


def _from_wide(
    table: Table, places: Places, columns: Mapping[str, str], fields: Sequence[str]
) -> tuple[Table, dict[str, Any]]:
    """A column for each sensor → a row for each reading."""
    if missing := [name for name in places.of if name not in columns.values()]:
        near = difflib.get_close_matches(missing[0], table.variables, 1, 0.6)
        hint = f"did you mean {near[0]!r}?" if near else "leave it out of ⟦places=⟧."
        raise InputError(
            f"Expected a column {missing[0]!r} in {table.source}, as ⟦places=⟧ has it; got the columns "
            f"{table.listing()}; {hint}"
        )
    value = fields[0] if len(fields) == 1 else VALUES
    taken = [name for name in (value, SENSORS, *places.axes) if name in table.variables and name not in columns]
    if taken or len(fields) > 1:
        raise InputError(
            f"Expected a column for each sensor, of one field; got also {', '.join(map(repr, taken or fields))} in "
            f"{table.source}; leave out ⟦places=⟧, or rename that column."
        )
    many, rows = len(columns), len(next(iter(table.variables.values())).values)
    variables = {
        name: Variable(np.repeat(variable.values, many))
        for name, variable in table.variables.items()
        if name not in columns
    }
    at = np.array([places.of[sensor_name] for sensor_name in columns.values()])
    stacked = np.stack([table.variables[name].values.astype(_kind(table, columns)) for name in columns], axis=1)
    variables |= {axis: Variable(np.tile(column, rows)) for axis, column in zip(places.axes, at.T, strict=True)}
    variables |= {
        SENSORS: Variable(np.tile(np.array(list(columns.values()), object), rows)),
        value: Variable(stacked.ravel()),
    }
    headers = list(columns)
    units = {table.units.get(name) or unit_in(name, "field") for name in headers}
    known = {name: unit for name, unit in table.units.items() if name in variables}
    known |= {value: units.pop()} if len(units) == 1 else {}
    known |= dict.fromkeys(places.axes, places.unit)
    note = Notice.of("sensors-as-columns", columns=_some(list(columns.values())))
    found = replace(
        table,
        variables=variables,
        units=known,
        notes=(*table.notes, note),
        where=lambda i: f"{table.where(i // many)}, column {headers[i % many]!r}",
    )
    return found, {"space": places.axes, "sensor": SENSORS, "fields": value}


def _kind(table: Table, columns: Collection[str]) -> Any:
    return float if all(table.variables[name].values.dtype.kind in "fiu" for name in columns) else object


def _from_long(table: Table, places: Places, label: str) -> tuple[Table, dict[str, Any]]:
    if there := [axis for axis in places.axes if axis in table.variables]:
        raise InputError(
            f"Expected a table without places; {table.source} has the column {there[0]!r}; leave out ⟦places=⟧."
        )
    names = [str(cell).strip().removesuffix(".0") for cell in table.variables[label].values]
    unknown = next((name for name in names if name not in places.of), None)
    if unknown is not None:
        raise InputError(
            f"Expected the place of every sensor in {table.source}; got none of {unknown!r}; add it to ⟦places=⟧."
        )
    at = np.array([places.of[name] for name in names])
    variables = dict(table.variables) | {axis: Variable(column) for axis, column in zip(places.axes, at.T, strict=True)}
    known = dict(table.units) | dict.fromkeys(places.axes, places.unit)
    return replace(table, variables=variables, units=known), {"space": places.axes, "sensor": label}


def _some(names: Sequence[str]) -> Sequence[str]:
    return names if len(names) <= 4 else (*names[:2], "…", names[-1])
