"""`pdescry inspect`: what was understood of a file of readings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pdescry.cli.reading import Field, File, Format, KnownNoise, Missing, Sensor, Space, Time, read_file

if TYPE_CHECKING:
    from pdescry.data import Readings


def inspect(
    file: File,
    time: Time = None,
    space: Space = None,
    field: Field = None,
    sensor: Sensor = None,
    noise: KnownNoise = None,
    missing: Missing = "drop",
    format: Format = None,
    plot: Annotated[Path | None, typer.Option(help="Draw them (PNG, SVG or PDF).", metavar="FILE")] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a picture that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what was understood of a file of readings.

    Fields, axes, sensors, gaps, an estimate of the noise, and a sketch.

    Examples:
        pdescry inspect rod.csv
        pdescry inspect rod.csv --time "time (s)" --field temperature --plot rod.png
    """
    from pdescry.files import check_target
    from pdescry.plot import PICTURES, save
    from pdescry.plot import readings as draw_readings

    if plot is not None:
        check_target(plot, PICTURES, force)
    readings = read_file(file, time, space, field, sensor, noise, missing, format)
    if plot is not None:
        save(draw_readings(readings), plot)
    if as_json:
        typer.echo(json.dumps(_facts(readings)))
        return
    _print(readings)
    if plot is not None:
        typer.echo(f"Wrote {plot}.")


def _facts(readings: Readings) -> dict[str, Any]:
    estimate = readings.estimate_noise()
    fields = {}
    for k, name in enumerate(readings.fields):
        values = readings.values[:, k]
        fields[name] = {
            "mean": float(values.mean()),
            "sd": float(values.std()),
            "min": float(values.min()),
            "max": float(values.max()),
            "noise_estimate": None if estimate.sd[name] != estimate.sd[name] else estimate.sd[name],
            "noise_given": None if readings.noise is None else float(readings.noise[:, k].mean()),
        }
    return {
        "source": readings.source,
        "readings": len(readings),
        "times": len(readings.times),
        "axes": list(readings.axes),
        "span": readings.span,
        "units": readings.units,
        "fields": fields,
        "sensors": _sensors(readings),
        "notes": [*readings.notes, *([estimate.reason] if estimate.reason else [])],
    }


def _sensors(readings: Readings) -> list[dict[str, Any]]:
    """Of each sensor: place, how many readings, when, how regular its clock is, and its longest gap."""
    import numpy as np

    order = np.lexsort((readings.time, readings.sensor))
    edges = np.searchsorted(readings.sensor[order], np.arange(readings.n_sensors + 1))
    found = []
    for number, place in enumerate(readings.places):
        clock = readings.time[order[edges[number] : edges[number + 1]]]
        steps = np.diff(clock)
        found.append(
            {
                "name": readings.sensor_names[number] if readings.sensor_names else str(number),
                "place": place.tolist(),
                "readings": len(clock),
                "first": float(clock[0]),
                "last": float(clock[-1]),
                "median_step": float(np.median(steps)) if len(steps) else None,
                "longest_gap": float(steps.max()) if len(steps) else None,
            }
        )
    return found


def _print(readings: Readings) -> None:
    from rich.console import Console
    from rich.table import Table

    from pdescry.report import sketch

    facts = _facts(readings)
    # Headers and names come from the user's file: brackets and colons in them are not markup.
    console = Console(markup=False, emoji=False, highlight=False)
    narrow = console.width < 70
    console.print(readings.summary())
    columns = ("sd", "noise") if narrow else ("mean", "sd", "min", "max", "noise given", "noise estimated")
    table = Table("field", *columns, box=None, pad_edge=False)
    for name, row in facts["fields"].items():
        sd, given = row["noise_estimate"], row["noise_given"]
        estimated = "unknown" if sd is None else f"{sd:.3g} ({sd / row['sd']:.1%} of sd)"
        numbers = [f"{row[key]:.4g}" for key in ("mean", "sd", "min", "max")]
        told = "-" if given is None else f"{given:.3g}"
        table.add_row(readings.label(name), *((numbers[1], estimated) if narrow else (*numbers, told, estimated)))
    console.print(table)
    start, end = readings.span[readings.time_name]
    digits = 5 if end - start > 1e-3 * max(abs(start), abs(end)) else 14  # seconds since 1970 need them all
    console.print(_sensor_table(facts["sensors"], ", ".join(map(readings.label, readings.axes)), narrow, digits))
    if reason := readings.estimate_noise().reason:
        console.print(f"Note: {reason}")
    across, *rest = readings.axes
    others = f", all {' and '.join(rest)} together" if rest else ""
    shown, across, up = map(readings.label, (readings.fields[0], across, readings.time_name))
    console.print(f"{shown}: {across} to the right{others}, {up} upwards")
    width = max(20, min(72, console.width - 2))
    colour = console.color_system is not None and not console.no_color
    console.print(sketch(readings.space[:, 0], readings.time, readings.values[:, 0], width, 14, colour), end="")


def _sensor_table(sensors: list[dict[str, Any]], axes: str, narrow: bool, digits: int) -> Any:
    from rich.table import Table

    shown = 20
    columns = () if narrow else ("first", "last", "median step", "longest gap")
    table = Table("sensor", axes, "readings", *columns, box=None, pad_edge=False)
    for row in sensors[:shown]:
        times = [row[key] for key in ("first", "last", "median_step", "longest_gap")]
        clock = ["-" if time is None else f"{time:.{digits}g}" for time in times]
        place = ", ".join(f"{coordinate:.4g}" for coordinate in row["place"])
        table.add_row(row["name"], place, str(row["readings"]), *([] if narrow else clock))
    if len(sensors) > shown:
        table.caption = f"… and {len(sensors) - shown} more sensors"
    return table
