"""`pdescry inspect`: what was understood of a file of readings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pdescry.cli.reading import (
    NOTHING,
    Field,
    File,
    Format,
    Input,
    KnownNoise,
    Missing,
    More,
    Sensor,
    Space,
    Time,
    Without,
    how_to_read,
    read_file,
)
from pdescry.notices import Notice, stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdescry.data import Readings, SensorFault
    from pdescry.data.inputs import Input as KnownInput


@how_to_read()
def inspect(
    file: File,
    time: Time = None,
    space: Space = None,
    field: Field = None,
    known_input: Input = None,
    sensor: Sensor = None,
    without: Without = None,
    noise: KnownNoise = None,
    missing: Missing = "drop",
    format: Format = None,
    more: More = NOTHING,
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
    from pdescry.joint.sensors import examine
    from pdescry.plot import PICTURES, save
    from pdescry.plot import readings as draw_readings

    if plot is not None:
        check_target(plot, PICTURES, force)
    readings = read_file(file, time, space, field, sensor, noise, missing, format, known_input, without, more)
    _, faults = examine(readings)
    if plot is not None:
        save(draw_readings(readings), plot)
    if as_json:
        typer.echo(json.dumps(_facts(readings, faults)))
        return
    _print(readings, faults)
    if plot is not None:
        typer.echo(f"Wrote {plot}.")


def _facts(readings: Readings, faults: Sequence[SensorFault]) -> dict[str, Any]:
    estimate = readings.estimate_noise()
    fields = {}
    for k, name in enumerate(readings.fields):
        measured = readings.observed[:, k]
        values = readings.values[measured, k]
        fields[name] = {
            "readings": len(values),
            "mean": float(values.mean()),
            "sd": float(values.std()),
            "min": float(values.min()),
            "max": float(values.max()),
            "noise_estimate": None if estimate.sd[name] != estimate.sd[name] else estimate.sd[name],
            "noise_given": None if readings.noise is None else float(readings.noise[measured, k].mean()),
        }
    return {
        "source": readings.source,
        "readings": len(readings),
        "times": len(readings.times),
        "axes": list(readings.axes),
        "span": readings.span,
        "units": readings.units,
        "fields": fields,
        "inputs": {known.name: _of_input(known) for known in readings.inputs},
        "sensors": _sensors(readings),
        "faults": [each.to_dict() | {"notice": readings.fault_notice(each).to_dict()} for each in faults],
        "notes": stored([*readings.notes, *([estimate.reason] if estimate.reason else [])]),
    }


def _of_input(known: KnownInput) -> dict[str, Any]:
    return {
        "values": len(known),
        "depends_on_place": known.space is not None,
        "between": known.between,
        "first": known.span[0],
        "last": known.span[1],
        "min": float(known.values.min()),
        "max": float(known.values.max()),
    }


def _sensors(readings: Readings) -> list[dict[str, Any]]:
    """Of each sensor: place, how many readings, when, how regular its clock is, and its longest gap."""
    import numpy as np

    order = np.lexsort((readings.time, readings.sensor))
    edges = np.searchsorted(readings.sensor[order], np.arange(readings.n_sensors + 1))
    found = []
    observed = readings.observed
    for number, place in enumerate(readings.places):
        rows = order[edges[number] : edges[number + 1]]
        clock = readings.time[rows]
        steps = np.diff(clock)
        found.append(
            {
                "name": readings.sensor_names[number] if readings.sensor_names else str(number),
                "place": place.tolist(),
                "readings": len(clock),
                "readings_of": dict(zip(readings.fields, observed[rows].sum(axis=0).tolist(), strict=True)),
                "first": float(clock[0]),
                "last": float(clock[-1]),
                "median_step": float(np.median(steps)) if len(steps) else None,
                "longest_gap": float(steps.max()) if len(steps) else None,
            }
        )
    return found


def _print(readings: Readings, faults: Sequence[SensorFault]) -> None:
    from rich.console import Console
    from rich.table import Table

    from pdescry.data.summary import summary
    from pdescry.report import sketch

    facts = _facts(readings, faults)
    # Headers and names come from the user's file: brackets and colons in them are not markup.
    console = Console(markup=False, emoji=False, highlight=False)
    narrow = console.width < 70
    console.print(summary(readings, Notice.for_shell))
    columns = ("sd", "noise") if narrow else ("mean", "sd", "min", "max", "noise given", "noise estimated")
    table = Table("field", *columns, box=None, pad_edge=False)
    for name, row in facts["fields"].items():
        sd, given = row["noise_estimate"], row["noise_given"]
        estimated = "unknown" if sd is None else f"{sd:.3g} ({sd / row['sd']:.1%} of sd)"
        numbers = [f"{row[key]:.4g}" for key in ("mean", "sd", "min", "max")]
        given_text = "-" if given is None else f"{given:.3g}"
        table.add_row(readings.label(name), *((numbers[1], estimated) if narrow else (*numbers, given_text, estimated)))
    console.print(table)
    start, end = readings.span[readings.time_name]
    digits = 5 if end - start > 1e-3 * max(abs(start), abs(end)) else 14  # seconds since 1970 need them all
    by_field = () if readings.observed.all() else readings.fields
    axes = ", ".join(map(readings.label, readings.axes))
    console.print(_sensor_table(facts["sensors"], axes, narrow, digits, by_field))
    if reason := readings.estimate_noise().reason:
        console.print(f"Note: {reason.for_shell()}")
    if faults:
        console.print("What `pdescry discover` finds, and does about it (--faults tell: keeps all of them):")
    for fault in faults:
        console.print(f"  {readings.fault_notice(fault).for_shell()}")
    across, *rest = readings.axes
    others = f", all {' and '.join(rest)} together" if rest else ""
    shown, across, up = map(readings.label, (readings.fields[0], across, readings.time_name))
    console.print(f"{shown}: {across} to the right{others}, {up} upwards")
    width = max(20, min(72, console.width - 2))
    colour = console.color_system is not None and not console.no_color
    seen = readings.observed[:, 0]
    across, up, values = readings.space[seen, 0], readings.time[seen], readings.values[seen, 0]
    console.print(sketch(across, up, values, width, 14, colour), end="")


def _sensor_table(sensors: list[dict[str, Any]], axes: str, narrow: bool, digits: int, by_field: Sequence[str]) -> Any:
    """by_field: the fields, where sensors have different numbers of readings of them."""
    from rich.table import Table

    shown = 20
    columns = () if narrow else ("first", "last", "median step", "longest gap")
    numbers = [f"of {name}" for name in by_field] or ["readings"]
    table = Table("sensor", axes, *numbers, *columns, box=None, pad_edge=False)
    for row in sensors[:shown]:
        times = [row[key] for key in ("first", "last", "median_step", "longest_gap")]
        clock = ["-" if time is None else f"{time:.{digits}g}" for time in times]
        place = ", ".join(f"{coordinate:.4g}" for coordinate in row["place"])
        counts = [row["readings_of"][name] for name in by_field] or [row["readings"]]
        table.add_row(row["name"], place, *map(str, counts), *([] if narrow else clock))
    if len(sensors) > shown:
        table.caption = f"… and {len(sensors) - shown} more sensors"
    return table
