"""`read`: a file of any known format, a frame, an xarray object or an array → `Readings`."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pdescry.data.convert import from_frame, from_xarray, to_readings
from pdescry.data.formats import FORMATS
from pdescry.data.formats.first_bytes import TEXT, looks_like
from pdescry.data.input_sources import Inputs
from pdescry.data.places import PlacesLike
from pdescry.data.readings import Missing, Readings
from pdescry.data.steps import Steps
from pdescry.data.table import Table, Variable, shorten
from pdescry.errors import InputError
from pdescry.notices import Notice

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    Source = str | os.PathLike[str] | pd.DataFrame | xr.Dataset | xr.DataArray | np.ndarray[Any, Any] | Readings

_ALIKE = 0.8  # of difflib's ratio: names that merely share an ending stay below


def read(
    source: Source,
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
    *,
    places: PlacesLike | None = None,
    group: str | None = None,
    missing_value: float | Sequence[float] | None = None,
    time_unit: str | None = None,
    dayfirst: bool | None = None,
    dt: float | None = None,
    dx: float | Mapping[str, float] | None = None,
    t0: float = 0.0,
    x0: float | Mapping[str, float] = 0.0,
    average: bool = True,
) -> Readings:
    """Readings from a file, or from what is in memory already.

    Whatever is wrong with it arrives as `InputError`, one sentence with the remedy.

    Parameters
    ----------
    source : path, pandas.DataFrame, xarray object, numpy array or Readings
        The path of a CSV, Excel, Parquet, NetCDF, HDF5, Zarr, ``.npz``, ``.npy``, TIFF or MATLAB file; or a pandas
        DataFrame, an xarray Dataset or DataArray, a numpy array (with dt and dx), or Readings, which come back as they
        are.
    time, space, fields : str or sequence of str, optional
        Names of columns (or variables), guessed where they are obvious: ``t`` or ``time``; ``x``, ``y``, ``z`` or
        ``position``; ``u``, ``v``, ``w`` or the only column left. Units in a header, as in ``time (s)``, may be left
        out. A table with a column per place (``t, 0.1, 0.25``) is understood as well.
    sensor : str or False, optional
        The column that identifies sensors; False to identify them by their places alone.
    noise : str, sequence of str, float or False, optional
        A standard deviation, or the column(s) with one per reading; False to use none.
    missing : {"drop", "error"}
        "drop" leaves readings without time, place or any value out and says so in ``notes``; a reading of some of
        several fields stays, with NaN for the others. "error" refuses all gaps.
    format : str, optional
        "csv", "excel", "parquet", "netcdf", "hdf5", "zarr", "npz", "npy", "tiff" or "matlab", where the file's name
        does not say. Text is read as CSV whatever its name, also packed as ``.csv.gz``.
    units : mapping of str to str, optional
        As in ``{"t": "s", "T": "°C"}``, of the names in the readings; those that the file has need not be given.
    inputs : sequence of str or mapping, optional
        Columns of known quantities that act on the fields and are not to be explained, such as a heater's power, as
        in ``["P"]``, or ``{"P": "held"}`` (or "linear") to say how they go on between their values. A mapping may also
        give what is not in the file, as in `Readings.from_arrays`.
    without : iterable of int or str
        Sensors to leave out, by name, or by number where they have no names (`Readings.without`).
    places : mapping, str or path, optional
        Positions of sensors that are columns of a logger (TC1 … TC8) or names in a column: ``{"TC1": 0.05}``,
        ``"TC1=0.05 m, TC2=0.10 m"``, in the plane ``{"A": (0.1, 0.2)}``, or the path of a file
        with the columns ``sensor,x``.
    group : str, optional
        The group of a NetCDF or HDF5 file, or the sheet of an Excel workbook, that has the readings.
    missing_value : float or sequence of float, optional
        A number that stands for a gap, such as -9999; or several.
    time_unit : str, optional
        The unit into which times are converted: "s", "min", "h", "d" (also "hours", "day", …). By default dates, clock
        times and durations become seconds, and numbers stay.
    dayfirst : bool, optional
        What 05/06/2024 means where the file does not show it: True for the fifth of June.
    dt, dx, t0, x0 : float or mapping of str to float, optional
        Steps in time and space, and where they begin, of an array without coordinates, ``u[t, x]``, or of a stack of
        images, ``u[t, y, x]``; of pixels that are not square ``dx={"x": 0.5, "y": 0.4}``.
    average : bool
        False keeps every pixel of images that are too many (more than 40,000 values over time and a plane); by default
        they are averaged in blocks, and ``notes`` says so.
    """
    if isinstance(source, Readings):
        _refuse_more(locals())
        readings = source if units is None else replace(source, units={**source.units, **units})
    else:
        table = _table_of(source, format, sensor, group)
        readings = to_readings(
            table, time=time, space=space, fields=fields, sensor=sensor, noise=noise, missing=missing, units=units,
            inputs=inputs, places=places, missing_value=missing_value, time_unit=time_unit, dayfirst=dayfirst,
            steps=Steps(dt, dx, t0, x0), average=average,
        )  # fmt: skip
    return readings.without([without] if isinstance(without, int | str) else without)


_OF_READINGS = {"source", "units", "without"}


def _refuse_more(arguments: Mapping[str, object]) -> None:
    """Readings have been read: only their units and sensors can still be given."""
    usual = {"missing": "drop", "t0": 0.0, "x0": 0.0, "average": True}
    more = [name for name, value in arguments.items() if name not in _OF_READINGS and value != usual.get(name)]
    if more:
        raise InputError(
            f"Expected Readings as they are; got {more[0]}= as well; pass it where they are read from a file or frame."
        )


def _table_of(source: Any, format: str | None, sensor: object, group: str | None) -> Table:
    if isinstance(source, str | os.PathLike):
        return _load(source, format, sensor, group)
    if format is not None or group is not None:
        raise InputError("Expected ⟦format=⟧ and ⟦group=⟧ only with a path; leave them out.")
    if isinstance(source, np.ndarray):
        return Table({"u": Variable(source, None)}, "array")
    # Whoever has a frame has loaded pandas.
    if type(source).__module__.split(".")[0] == "pandas":
        return from_frame(source, "frame")
    if type(source).__module__.split(".")[0] == "xarray":
        return from_xarray(source, "xarray")
    raise InputError(
        "Expected the path of a file, a pandas DataFrame, an xarray Dataset or DataArray, a numpy array or Readings; "
        f"got {type(source).__name__} ({shorten(source)}); use Readings.from_arrays(t, x, u) for other arrays."
    )


def _load(path: str | os.PathLike[str], format: str | None, sensor: object, group: str | None) -> Table:
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
        table = FORMATS[kind].load(file, labels, group)
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


def _format_of(file: Path, format: str | None) -> tuple[str, list[Notice]]:
    """The format given, else that of the name's ending, else CSV for a text, with a note for the user."""
    known = ", ".join(f"{name} ({' '.join(kind.endings)})" for name, kind in FORMATS.items())
    if format is not None:
        if format not in FORMATS:
            raise InputError(f"Expected a known format: {known}; got ⟦format={format!r}⟧; pass one of those names.")
        return format, []
    suffixes = [suffix.lower() for suffix in file.suffixes]
    for name, kind in FORMATS.items():
        if suffixes and suffixes[-1] in kind.endings:
            if name == "excel" and file.is_file() and looks_like(file) == TEXT:  # as some loggers write them
                return "csv", [Notice.of("read-as-csv", file=file.name)]
            return name, []
    if suffixes[-1:] == [".gz"] and suffixes[:-1] and suffixes[-2] in FORMATS["csv"].endings:
        return "csv", []
    if file.is_dir():
        if any((file / name).exists() for name in ("zarr.json", ".zgroup", ".zmetadata", ".zarray")):
            return "zarr", []
        raise InputError(f"Expected a file; got the folder {str(file)!r}; pass the path of a file inside it.")
    seen = looks_like(file)
    if seen == TEXT:
        return "csv", [Notice.of("read-as-csv-without-ending", file=file.name)]
    if seen:
        raise InputError(f"Expected a file of a known format; got what looks like {seen.name}; {seen.remedy}.")
    ending = f"the ending {file.suffix!r}" if file.suffix else f"no ending in {file.name!r}"
    raise InputError(
        f"Expected a file of a known format: {known}; got {ending}; pass ⟦format=⟧ if it is one of those, "
        "else save it as CSV."
    )
