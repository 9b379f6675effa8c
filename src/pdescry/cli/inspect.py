"""`pdescry inspect`: what was understood of a file of readings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pdescry.data import Readings


def inspect(
    file: Annotated[Path, typer.Argument(help="CSV, TSV, Parquet, NetCDF, Zarr, .npz or MATLAB file.")],
    time: Annotated[str | None, typer.Option(help="Column of times (guessed if obvious).")] = None,
    space: Annotated[list[str] | None, typer.Option(help="Column of places; repeat for y and z.")] = None,
    field: Annotated[list[str] | None, typer.Option(help="Column of values; repeat for several fields.")] = None,
    sensor: Annotated[str | None, typer.Option(help="Column that tells sensors apart.")] = None,
    noise: Annotated[str | None, typer.Option(help="Known noise: a number, or a column.")] = None,
    missing: Annotated[str, typer.Option(help="drop or error: what to do with gaps.")] = "drop",
    format: Annotated[str | None, typer.Option(help="csv, parquet, netcdf, zarr, npz or matlab.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the readings (PNG, SVG or PDF).", metavar="FILE")] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a picture that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what was understood of a file: fields, axes, sensors, gaps, and an estimate of the noise.

    Example: pdescry inspect rod.csv --time "time (s)" --field temperature --plot rod.png
    """
    from pdescry.data import read
    from pdescry.files import refuse_to_overwrite
    from pdescry.report import check_picture_name, draw_readings, save_figure

    if plot is not None:
        refuse_to_overwrite(plot, force)
        check_picture_name(plot)
    readings = read(
        file, time=time, space=space or None, fields=field or None, sensor=sensor, noise=_number_or_name(noise),
        missing=missing, format=format,  # pyright: ignore[reportArgumentType]
    )  # fmt: skip
    if plot is not None:
        save_figure(draw_readings(readings), plot)
    if as_json:
        typer.echo(json.dumps(_facts(readings)))
        return
    _print(readings)
    if plot is not None:
        typer.echo(f"Wrote {plot}.")


def _number_or_name(text: str | None) -> Any:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _facts(readings: Readings) -> dict[str, Any]:
    estimate = readings.estimate_noise()
    return {
        "source": readings.source,
        "readings": len(readings),
        "sensors": readings.n_sensors,
        "times": len(readings.times),
        "span": readings.span,
        "fields": {
            name: {
                "mean": float(column.mean()),
                "sd": float(column.std()),
                "min": float(column.min()),
                "max": float(column.max()),
                "noise_estimate": None if estimate.sd[name] != estimate.sd[name] else estimate.sd[name],
            }
            for name, column in zip(readings.fields, readings.values.T, strict=True)
        },
        "notes": [*readings.notes, *([estimate.reason] if estimate.reason else [])],
    }


def _print(readings: Readings) -> None:
    from rich.console import Console
    from rich.table import Table

    from pdescry.report import sketch

    facts = _facts(readings)
    console = Console(highlight=False)
    console.print(
        f"[bold]{readings.source}[/bold]: {len(readings)} readings by {readings.n_sensors} sensors", markup=True
    )
    for name, (low, high) in readings.span.items():
        console.print(f"  {name} from {low:.6g} to {high:.6g}")
    fields = Table("field", "mean", "sd", "min", "max", "noise (estimated sd)", box=None, pad_edge=False)
    for name, row in facts["fields"].items():
        sd = row["noise_estimate"]
        noise = "unknown" if sd is None else f"{sd:.3g} ({sd / row['sd']:.1%} of sd)"
        fields.add_row(name, *(f"{row[key]:.4g}" for key in ("mean", "sd", "min", "max")), noise)
    console.print(fields)
    console.print(_sensor_table(readings))
    for note in facts["notes"]:
        console.print(f"Note: {note}")
    first = readings.fields[0]
    console.print(f"{first}: {readings.axes[0]} to the right, {readings.time_name} upwards")
    width = max(20, min(72, console.width - 2))
    console.print(
        sketch(readings.space[:, 0], readings.time, readings.values[:, 0], width, 14, bool(console.color_system)),
        end="",
    )


def _sensor_table(readings: Readings) -> Any:
    """A row for each of the first sensors: place, how many readings, how regular its clock, its longest gap."""
    import numpy as np
    from rich.table import Table

    shown = 20
    table = Table(
        "sensor",
        ", ".join(readings.axes),
        "readings",
        "first",
        "last",
        "median step",
        "longest gap",
        box=None,
        pad_edge=False,
    )
    order = np.lexsort((readings.time, readings.sensor))
    edges = np.searchsorted(readings.sensor[order], np.arange(readings.n_sensors + 1))
    for number, place in enumerate(readings.places[:shown]):
        clock = readings.time[order[edges[number] : edges[number + 1]]]
        steps = np.diff(clock)
        name = readings.sensor_names[number] if readings.sensor_names else str(number)
        table.add_row(
            name,
            ", ".join(f"{coordinate:.4g}" for coordinate in place),
            str(len(clock)),
            f"{clock[0]:.4g}",
            f"{clock[-1]:.4g}",
            *((f"{np.median(steps):.4g}", f"{steps.max():.4g}") if len(steps) else ("-", "-")),
        )
    if readings.n_sensors > shown:
        table.caption = f"… and {readings.n_sensors - shown} more sensors"
    return table
