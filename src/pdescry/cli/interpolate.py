"""`pdescry interpolate`: the field behind a file of readings, as draws from its posterior."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pdescry.cli.completing import one_of
from pdescry.cli.interruption import reporting_interruption
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
from pdescry.schema import words
from pdescry.schema.run import SAMPLERS

if TYPE_CHECKING:
    from pdescry.data import Readings
    from pdescry.surrogate import Posterior


_SAMPLERS = {words.hyphenated(name): name for name in SAMPLERS}


@how_to_read("places", hidden="thin")
def interpolate(
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
    noise_sd: Annotated[
        list[float] | None,
        typer.Option(help="Known noise of each field (else inferred).", metavar="NUMBER"),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="NetCDF or Zarr.", metavar="FILE")] = Path(
        "posterior.nc"
    ),
    plot: Annotated[
        Path | None, typer.Option(help="Draw mean and sd of the first field (PNG, SVG, PDF).", metavar="FILE")
    ] = None,
    table: Annotated[
        Path | None, typer.Option(help="Write mean, sd and 95 % interval on a grid (CSV).", metavar="FILE")
    ] = None,
    steps: Annotated[int, typer.Option(help="Times of the table.", min=1, metavar="NUMBER")] = 50,
    points: Annotated[int, typer.Option(help="Places of the table.", min=2, metavar="NUMBER")] = 101,
    workdir: Annotated[
        Path | None, typer.Option(help="Checkpoints, from which a repeated command continues.", metavar="DIR")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the chains.", metavar="NUMBER")] = 0,
    chains: Annotated[int, typer.Option(help="Chains, each from another start.", metavar="NUMBER")] = 4,
    workers: Annotated[
        int | None, typer.Option(help="Chains at a time (default: one per core).", metavar="NUMBER")
    ] = None,
    sampler: Annotated[
        str,
        typer.Option(help="Or adjusted-mclmc, hmc, nuts.", metavar="NAME", autocompletion=one_of(*_SAMPLERS)),
    ] = "mclmc",
    draws: Annotated[int | None, typer.Option(help="Draws of each chain.", metavar="NUMBER")] = None,
    thin: Annotated[int | None, typer.Option(help="Transitions from one draw to the next.", metavar="NUMBER")] = None,
    burn: Annotated[int | None, typer.Option(help="Draws before the first that counts.", metavar="NUMBER")] = None,
    width: Annotated[
        int | None, typer.Option(help="Units in a hidden layer; --depth N: how many layers.", metavar="NUMBER")
    ] = None,
    depth: Annotated[int | None, typer.Option(hidden=True)] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace files that exist.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only warnings and errors.")] = False,
) -> None:
    """Find the field between the sensors, and how sure it is.

    It takes minutes; repeated with --workdir DIR, it continues where it stopped.

    Examples:
        pdescry interpolate rod.csv -o rod.nc --plot rod.png --workdir rod.run
    """
    from pdescry.cli.progress import progress_bar
    from pdescry.files import check_target
    from pdescry.plot import PICTURES, mean_and_sd, save

    check_target(output, (".nc", ".zarr"), force)
    for target, endings in ((plot, PICTURES), (table, (".csv",))):
        if target is not None:
            check_target(target, endings, force)
    known_noise = _known_noise(noise_sd, noise)
    readings = read_file(file, time, space, field, sensor, noise, missing, format, known_input, without, more)
    _check_axes(readings, plot, table)
    written: list[Path] = []
    with reporting_interruption(lambda: _how_to_go_on(workdir, written)):
        # These load JAX: whatever can be wrong with the files was reported before.
        from pdescry.surrogate import Network
        from pdescry.surrogate import interpolate as sample

        network = Network(**_given(width=width, depth=depth))
        kind = _sampler(sampler)(**_given(draws=draws, thin=thin, burn=burn))
        with progress_bar(quiet) as progress:
            posterior = sample(
                readings,
                network=network,
                noise=known_noise,
                sampler=kind,
                chains=chains,
                seed=seed,
                workers=workers,
                workdir=workdir,
                progress=progress,
            )
            progress("judging and writing", 1.0)
            posterior.save(output)  # first: whatever else goes wrong, the draws are safe
            written.append(output)
            if plot is not None:
                save(mean_and_sd(posterior)[0], plot)
                written.append(plot)
            if table is not None:
                _write_table(posterior, steps, points, table)
                written.append(table)
            _ = posterior.diagnostics  # takes seconds, while the bar is there
    _print(posterior, written, quiet)


def _print(posterior: Posterior, written: list[Path], quiet: bool) -> None:
    """The summary and the files; draws that are not reliable are reported last, and on the error stream."""
    judged = posterior.diagnostics
    if not quiet:
        typer.echo(posterior.headline)
        for notice in (*([judged.verdict] if judged.mixed else []), *posterior.left_out):
            typer.echo(f"  {notice.for_shell()}")
        *others, last = map(str, written)
        typer.echo(f"Wrote {', '.join(others)}{' and ' if others else ''}{last}.")
    if not judged.mixed:
        typer.echo(f"Warning: {judged.verdict.for_shell()}", err=True)


def _write_table(posterior: Posterior, steps: int, points: int, path: Path) -> None:
    """A row for each time and place, even over the readings' span; columns t, x, u, u_sd, u_low, u_high."""
    import numpy as np

    from pdescry.files import appearing

    times, places = (
        np.linspace(*ends, number)
        for ends, number in zip(posterior.readings.span.values(), (steps + 1, points), strict=True)
    )
    frame = posterior.predict(times, places, level=0.95).to_dataframe().reset_index()
    with appearing(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")


def _how_to_go_on(workdir: Path | None, written: list[Path]) -> str:
    files = f"only {' and '.join(map(str, written))} was written" if written else "nothing was written"
    if workdir is None:
        advice = "with --workdir DIR a repeated command would go on where it stopped"
    else:
        advice = f"repeat the command to go on from the checkpoints in {str(workdir)!r}"
        advice += " (with --force)" if written else ""
    return f"Interrupted; {files}; {advice}."


def _known_noise(noise_sd: list[float] | None, noise: str | None) -> Any:
    if not noise_sd:
        return None
    if noise is not None and noise.lower() != "none":
        from pdescry.errors import InputError

        raise InputError(f"Expected --noise or --noise-sd; got both ({noise} and {noise_sd[0]:g}); leave one out.")
    return noise_sd[0] if len(noise_sd) == 1 else noise_sd


def _check_axes(readings: Readings, plot: Path | None, table: Path | None) -> None:
    from pdescry.errors import InputError

    axes = readings.axes
    for flag, target in (("--plot", plot), ("--table", table)):
        if target is not None and len(axes) > 1:
            raise InputError(
                f"Expected readings along one space axis for {flag}; got {len(axes)} ({', '.join(axes)}); "
                f"leave {flag} out, and ask the saved posterior instead."
            )


def _sampler(name: str) -> Any:
    from pdescry.surrogate.samplers import SAMPLERS as KINDS

    return KINDS[_SAMPLERS[words.meant(name, list(_SAMPLERS), "--sampler")]]


def _given(**options: Any) -> dict[str, Any]:
    """Options that were given; the library knows the defaults of the others."""
    return {name: value for name, value in options.items() if value is not None}
