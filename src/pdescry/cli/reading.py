"""How commands read a file of readings: one set of options, one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from pdescry.cli.completing import FORMATS, TIME_UNITS, one_of
from pdescry.cli.expanding import expanded, unlisted
from pdescry.cli.settings import option_of
from pdescry.errors import InputError
from pdescry.schema import words

if TYPE_CHECKING:
    from pdescry.data import Readings

File = Annotated[str, typer.Argument(help="CSV, Excel, NetCDF, HDF5, npy, TIFF, MATLAB, …", metavar="FILE")]
Files = Annotated[
    list[str],
    typer.Argument(help="CSV, Excel, NetCDF, HDF5, npz, MATLAB, …", metavar="FILE"),
]
Time = Annotated[str | None, typer.Option(help="Column of times (guessed if obvious).", metavar="COLUMN")]
Space = Annotated[list[str] | None, typer.Option(help="Column of places; repeat for y and z.", metavar="COLUMN")]
Field = Annotated[list[str] | None, typer.Option(help="Column of values; repeat for more fields.", metavar="COLUMN")]
Sensor = Annotated[str | None, typer.Option(help="Column of sensors' names; none: by place.", metavar="COLUMN")]
Input = Annotated[
    list[str] | None,
    typer.Option("--input", help="Column of a known input; P=held if switched.", metavar="COLUMN"),
]
Without = Annotated[list[str] | None, option_of("sensors.without")]
KnownNoise = Annotated[str | None, typer.Option(help="Known noise: a number, a column or none.", metavar="NOISE")]
Missing = Annotated[
    str, typer.Option(help="Gaps: drop or error.", metavar="HOW", autocompletion=one_of("drop", "error"))
]
Format = Annotated[
    str | None,
    typer.Option(help="csv, excel, parquet, netcdf, hdf5, npz, …", metavar="NAME", autocompletion=one_of(*FORMATS)),
]


More = Mapping[str, Any]  # what `how_to_read` gives a command: further arguments of `pdescry.read`
NOTHING: More = {}


class _FurtherOptions:
    """Of every command that reads a file: options that few files need, by the names of arguments of `pdescry.read`."""

    places: Annotated[
        str | None, typer.Option(help='Of columns TC1, …: "TC1=0.05, TC2=0.1", or a CSV.', metavar="PLACES")
    ]
    group: Annotated[str | None, typer.Option(help="Group of HDF5 or NetCDF, sheet of Excel.", metavar="NAME")]
    missing_value: Annotated[list[float] | None, typer.Option(help="Number that marks a gap: -9999.", metavar="NUMBER")]
    time_unit: Annotated[
        str | None,
        typer.Option(help="Convert times to s, min, h or d.", metavar="UNIT", autocompletion=one_of(*TIME_UNITS)),
    ]
    dayfirst: Annotated[
        bool | None, typer.Option("--dayfirst/--monthfirst", help="What 05/06/2024 means.", show_default=False)
    ]
    dt: Annotated[float | None, typer.Option(help="Step in time of a plain array.", metavar="NUMBER")]
    dx: Annotated[float | None, typer.Option(help="Its step in space; --t0, --x0: its start.", metavar="NUMBER")]
    t0: Annotated[float | None, typer.Option(hidden=True)]
    x0: Annotated[float | None, typer.Option(hidden=True)]


def how_to_read(*shown: str, hidden: str = "") -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The further options for a command, which gets those that were given as ``more``; its help shows some, or all.
    hidden: an option of its own that gives them room there."""
    hints = get_type_hints(_FurtherOptions, include_extras=True)
    options = {name: unlisted(hint) if shown and name not in shown else hint for name, hint in hints.items()}
    return partial(expanded, parameter="more", options=options, hidden=hidden)


def read_file(
    file: str,
    time: str | None,
    space: list[str] | None,
    field: list[str] | None,
    sensor: str | None,
    noise: str | None,
    missing: str,
    format: str | None,
    inputs: list[str] | None = None,
    without: list[str] | None = None,
    more: More = NOTHING,
) -> Readings:
    """The readings in a file, as these options have them."""
    from pdescry.data import read

    readings = read(file, **reading_of(time, space, field, sensor, noise, missing, format, inputs, more))
    return readings.without(words.parts(without or [], readings.sensor_names or ()))


def reading_of(
    time: str | None,
    space: list[str] | None,
    field: list[str] | None,
    sensor: str | None,
    noise: str | None,
    missing: str,
    format: str | None,
    inputs: list[str] | None,
    more: More = NOTHING,
) -> dict[str, Any]:
    """Arguments of `pdescry.read`, without those that were not given."""
    given = {
        "time": time, "space": space or None, "fields": _fields(field, more), "sensor": _column(sensor),
        "noise": _column(noise), "missing": None if missing == "drop" else missing, "format": format,
        "inputs": _inputs(inputs or []) or None, **more,
    }  # fmt: skip
    return {name: value for name, value in given.items() if value is not None}


def _fields(field: list[str] | None, more: More) -> list[str] | str | None:
    """Of a table whose columns are sensors, the one name for what they contain."""
    return field[0] if field and len(field) == 1 and "places" in more else field or None


def _inputs(given: list[str]) -> dict[str, str | None]:
    """``["P", "q=held"]`` → ``{"P": None, "q": "held"}``."""
    found: dict[str, str | None] = {}
    for word in given:
        name, equals, between = word.rpartition("=")
        has_kind = bool(equals) and between in ("held", "linear")
        column = name if has_kind else word
        if column in found:
            raise InputError(f"Expected each input once; got {column!r} twice; name it once.")
        found[column] = between if has_kind else None
    return found


def _column(text: str | None) -> Any:
    """A name, a number, or ``none`` for "do not use one"."""
    if text is None or text.lower() == "none":
        return None if text is None else False
    try:
        return float(text)
    except ValueError:
        return text
