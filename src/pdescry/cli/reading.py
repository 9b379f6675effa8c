"""How every command that takes a file of readings is told to read it: one set of options, one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pdescry.cli.completing import FORMATS, one_of
from pdescry.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdescry.data import Readings

File = Annotated[str, typer.Argument(help="CSV, TSV, Parquet, NetCDF, Zarr, npz or MATLAB.", metavar="FILE")]
Files = Annotated[
    list[str],
    typer.Argument(help="CSV, TSV, Parquet, NetCDF, Zarr, npz, MATLAB.", metavar="FILE"),
]
Time = Annotated[str | None, typer.Option(help="Column of times (guessed if obvious).", metavar="COLUMN")]
Space = Annotated[list[str] | None, typer.Option(help="Column of places; repeat for y and z.", metavar="COLUMN")]
Field = Annotated[list[str] | None, typer.Option(help="Column of values; repeat for more fields.", metavar="COLUMN")]
Sensor = Annotated[str | None, typer.Option(help="Column of sensors' names; none: by place.", metavar="COLUMN")]
Input = Annotated[
    list[str] | None,
    typer.Option("--input", help="Column of a known input; P=held if switched.", metavar="COLUMN"),
]
Without = Annotated[list[str] | None, typer.Option(help="Leave a sensor out; repeat, or as TC5,TC7.", metavar="SENSOR")]
KnownNoise = Annotated[str | None, typer.Option(help="Known noise: a number, a column or none.", metavar="NOISE")]
Missing = Annotated[
    str, typer.Option(help="Gaps: drop or error.", metavar="HOW", autocompletion=one_of("drop", "error"))
]
Format = Annotated[
    str | None,
    typer.Option(help="csv, parquet, netcdf, zarr, npz or matlab.", metavar="NAME", autocompletion=one_of(*FORMATS)),
]


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
) -> Readings:
    """The readings in a file, as these options have them."""
    from pdescry.data import read

    readings = read(file, **reading_of(time, space, field, sensor, noise, missing, format, inputs))
    return readings.without(sensors_in(without, readings.sensor_names or ()))


def reading_of(
    time: str | None,
    space: list[str] | None,
    field: list[str] | None,
    sensor: str | None,
    noise: str | None,
    missing: str,
    format: str | None,
    inputs: list[str] | None,
) -> dict[str, Any]:
    """Arguments of `pdescry.read`, without those that were not given."""
    given = {
        "time": time, "space": space or None, "fields": field or None, "sensor": _column(sensor),
        "noise": _column(noise), "missing": None if missing == "drop" else missing, "format": format,
        "inputs": _inputs(inputs or []) or None,
    }  # fmt: skip
    return {name: value for name, value in given.items() if value is not None}


def sensors_in(words: list[str] | None, names: Sequence[str] = ()) -> list[str]:
    """``["TC5,TC7", "TC9"]`` → ``["TC5", "TC7", "TC9"]``; a name that has a comma itself stays whole."""
    return [
        part.strip() for word in words or [] for part in ([word] if word in names else word.split(",")) if part.strip()
    ]


def _inputs(words: list[str]) -> dict[str, str | None]:
    """``["P", "q=held"]`` → ``{"P": None, "q": "held"}``."""
    found: dict[str, str | None] = {}
    for word in words:
        name, equals, between = word.rpartition("=")
        is_told = bool(equals) and between in ("held", "linear")
        column = name if is_told else word
        if column in found:
            raise InputError(f"Expected each input once; got {column!r} twice; name it once.")
        found[column] = between if is_told else None
    return found


def _column(text: str | None) -> Any:
    """A name, a number, or ``none`` for "do not use one"."""
    if text is None or text.lower() == "none":
        return None if text is None else False
    try:
        return float(text)
    except ValueError:
        return text
