"""`read`: a file of any known format → `Readings`."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pdescry.data.convert import to_readings
from pdescry.data.formats import FORMATS
from pdescry.data.formats.first_bytes import TEXT, looks_like
from pdescry.data.input_sources import Inputs
from pdescry.data.readings import Missing, Readings
from pdescry.data.table import Table, shorten
from pdescry.errors import InputError

_ALIKE = 0.8  # of difflib's ratio: names that merely share an ending stay below


def read(
    path: str | os.PathLike[str],
    time: str | None = None,
    space: str | Sequence[str] | None = None,
    fields: str | Sequence[str] | None = None,
    sensor: str | Literal[False] | None = None,
    noise: str | Sequence[str] | float | Literal[False] | None = None,
    missing: Missing = "drop",
    format: str | None = None,
    units: Mapping[str, str] | None = None,
    inputs: Inputs = None,
    without: Iterable[int | str] = (),
) -> Readings:
    """Readings from a CSV, Parquet, NetCDF, Zarr, ``.npz`` or MATLAB file.

    time, space, fields: names of columns (or variables), guessed where they are obvious: ``t`` or ``time``;
    ``x``, ``y``, ``z`` or ``position``; ``u``, ``v``, ``w`` or the only column left. Units in a header, as in
    ``time (s)``, may be left out. A table with a column per place (``t, 0.1, 0.25``) is understood as well.
    sensor: the column that tells sensors apart; False to tell them by their places alone.
    noise: a standard deviation, or the column(s) with one per reading; False to use none.
    missing: "drop" leaves readings without time, place or any value out and says so in ``notes``; a reading of some of
    several fields stays, with NaN for the others. "error" refuses all gaps.
    format: "csv", "parquet", "netcdf", "zarr", "npz" or "matlab", where the file's name does not tell. Text is read as
    CSV whatever its name, also packed as ``.csv.gz``.
    units: as in ``{"t": "s", "T": "°C"}``, of the names in the readings; those that the file tells need not be told.
    inputs: columns of known quantities that act on the fields and are not to be explained, such as a heater's power, as
    in ``["P"]``, or ``{"P": "held"}`` (or "linear") to say how they go on between their values. A mapping may also give
    what is not in the file, as in `Readings.from_arrays`.
    without: sensors to leave out, by name, or by number where they have no names (`Readings.without`).

    Whatever is wrong with the file arrives as `InputError`, one sentence with the remedy.
    """
    table = _load(path, format, sensor)
    readings = to_readings(
        table, time=time, space=space, fields=fields, sensor=sensor, noise=noise, missing=missing, units=units,
        inputs=inputs,
    )  # fmt: skip
    return readings.without([without] if isinstance(without, int | str) else without)


def _load(path: str | os.PathLike[str], format: str | None, sensor: object) -> Table:
    try:
        file = Path(path)
        exists, is_folder, is_file = file.exists(), file.is_dir(), file.is_file()
        if not str(path):
            raise ValueError("an empty path")
    except (TypeError, ValueError, OSError) as fault:
        raise InputError(f"Expected the path of a file; got {shorten(path)}; pass a name such as 'rod.csv'.") from fault
    if not exists:
        raise InputError(_no_such_file(file))
    if not (is_file or is_folder):
        raise InputError(f"Expected a file; got the device or pipe {file.name!r}; save its contents to a file first.")
    try:
        kind, notes = _format_of(file, format)
        if is_folder != (kind == "zarr"):
            got = "a folder" if is_folder else "a file"
            wanted = "a Zarr folder" if kind == "zarr" else "a file"
            raise InputError(f"Expected {wanted}; got {got}, {str(file)!r}; pass the path of {wanted}.")
        if is_file and file.stat().st_size == 0:
            raise InputError(f"Expected readings in {file.name}; got an empty file; check how it was written.")
        labels = sensor if isinstance(sensor, str) else None
        table = FORMATS[kind].load(file, labels)
        return replace(table, notes=(*notes, *table.notes))
    except OSError as fault:
        raise InputError(f"Cannot open {file.name}: {fault.strerror or fault}; check its permissions.") from fault


def _no_such_file(file: Path) -> str:
    if not file.parent.is_dir():
        return f"Expected a file; got no such folder as {str(file.parent)!r}; check the path."
    try:
        near = difflib.get_close_matches(file.name, os.listdir(file.parent), 3, _ALIKE)
    except OSError:
        near = []
    hint = (
        f"did you mean {' or '.join(map(repr, near))}?"
        if near
        else f"check the name and the folder {str(file.parent)!r}."
    )
    return f"Expected a file; got no such file as {file.name!r}; {hint}"


def _format_of(file: Path, format: str | None) -> tuple[str, list[str]]:
    """The format told, else that of the name's ending, else CSV for a text, with a note for the user."""
    known = ", ".join(f"{name} ({' '.join(kind.endings)})" for name, kind in FORMATS.items())
    if format is not None:
        if format not in FORMATS:
            raise InputError(f"Expected a known format: {known}; got format={format!r}; pass one of those names.")
        return format, []
    suffixes = [suffix.lower() for suffix in file.suffixes]
    for name, kind in FORMATS.items():
        if suffixes and suffixes[-1] in kind.endings:
            return name, []
    if suffixes[-1:] == [".gz"] and suffixes[:-1] and suffixes[-2] in FORMATS["csv"].endings:
        return "csv", []
    if file.is_dir():
        if any((file / name).exists() for name in ("zarr.json", ".zgroup", ".zmetadata", ".zarray")):
            return "zarr", []
        raise InputError(f"Expected a file; got the folder {str(file)!r}; pass the path of a file inside it.")
    seen = looks_like(file)
    if seen == TEXT:
        return "csv", [f"Read as CSV: {file.name} has no known ending and looks like text."]
    if seen:
        raise InputError(f"Expected a file of a known format; got what looks like {seen.name}; {seen.remedy}.")
    ending = f"the ending {file.suffix!r}" if file.suffix else f"no ending in {file.name!r}"
    raise InputError(
        f"Expected a file of a known format: {known}; got {ending}; pass format= if it is one of those, "
        "else save it as CSV."
    )
