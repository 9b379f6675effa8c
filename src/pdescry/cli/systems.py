"""`pdescry systems`: the named systems, and synthetic readings of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pdescry.cli.completing import one_of, system_names

if TYPE_CHECKING:
    from pdescry.data import Readings
    from pdescry.data.systems import System


def systems(
    name: Annotated[
        str | None,
        typer.Argument(help="A system; without one, all are listed.", metavar="NAME", autocompletion=system_names),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file to write readings to.", metavar="FILE")
    ] = None,
    sensors: Annotated[
        int | None, typer.Option(help="How many sensors (default: 16; in the plane 60).", metavar="NUMBER")
    ] = None,
    layout: Annotated[
        Any,
        typer.Option(help="random, even or moving.", metavar="NAME", autocompletion=one_of("random", "even", "moving")),
    ] = "random",
    every: Annotated[float | None, typer.Option(help="Time step (default: the system's own).", metavar="TIME")] = None,
    times: Annotated[int | None, typer.Option(help="Instead: so many even times.", metavar="NUMBER")] = None,
    jitter: Annotated[float, typer.Option(help="Clocks off by up to this part.", metavar="FRACTION")] = 0.0,
    missing: Annotated[float, typer.Option(help="Readings lost.", metavar="FRACTION")] = 0.0,
    noise: Annotated[str, typer.Option(help="Its sd, or relative to the field's: 5%.", metavar="NOISE")] = "0",
    seed: Annotated[int, typer.Option(help="Of places, clocks, losses, noise.", min=0, metavar="NUMBER")] = 0,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a file that exists.")] = False,
) -> None:
    """List named systems, or write synthetic readings of one.

    Examples:
        pdescry systems
        pdescry systems burgers --noise 0.05 --seed 3 --output burgers.csv
        pdescry systems heat_2d --sensors 60 --noise 2% --seed 1 --output plate.csv
    """
    from pdescry.data.systems import NAMES, get
    from pdescry.errors import InputError
    from pdescry.files import check_target

    if name is None:
        if output is not None:
            raise InputError(f"Expected the name of a system before --output; choose one of {', '.join(NAMES)}.")
        for known in NAMES:
            system = get(known)
            typer.echo(f"{known:23} {system.title}\n{'':23} {system.equation.to_unicode(digits=4)}")
        typer.echo("\nReadings of one: pdescry systems NAME --noise 5% --output FILE.csv")
        return
    system = get(name)
    if output is None:
        initial = (
            system.initial if isinstance(system.initial, str) else ", ".join(map(" = ".join, system.initial.items()))
        )
        typer.echo(
            f"{system.title}\n  law       {system.equation.to_unicode(digits=4)}\n"
            f"  domain    {_domain(system)}, {system.boundary}\n"
            f"  initial   {initial}\n{_inputs(system.inputs)}"
            f"  time      0 to {system.until:g}, readings every {system.every:g}\n"
            f"Readings of it: pdescry systems {name} --noise 5% --output {name}.csv"
        )
        return
    check_target(output, (".csv",), force)
    readings = system.observe(
        sensors=sensors, layout=layout, every=every, times=times, jitter=jitter, missing=missing, noise=noise, seed=seed
    )
    _logged(readings).to_csv(output)
    typer.echo(f"Wrote {len(readings)} readings by {readings.n_sensors} sensors to {output}.")
    if readings.inputs:
        flags = " ".join(f"--input {each.name}" for each in readings.inputs)
        typer.echo(f"With a known input: pdescry discover {output} {flags}")


def _logged(readings: Readings) -> Readings:
    """With inputs at the times of all readings, as a logger writes them, so that a switched one is seen to be held."""
    import numpy as np

    from pdescry.data import Input

    times = {each.name: np.union1d(each.time, readings.times) for each in readings.inputs}
    return replace(
        readings,
        inputs=tuple(
            Input(each.name, times[each.name], None, each.at(times[each.name]), each.between)
            for each in readings.inputs
        ),
    )


def _domain(system: System) -> str:
    if len(system.extent) == 1:
        return "{:g} to {:g}".format(*system.domain)
    return ", ".join(f"{axis} from {low:g} to {high:g}" for axis, (low, high) in system.extent.items())


def _inputs(inputs: dict[str, Any]) -> str:
    """A line for each known input: its samples in time."""
    lines = ""
    for name, (times, values, *between) in inputs.items():
        samples = ", ".join(f"{value:g} at {t:g}" for t, value in zip(times, values, strict=True))
        lines += f"  input     {name} = {samples}{' (each held until the next)' * (between == ['held'])}\n"
    return lines
