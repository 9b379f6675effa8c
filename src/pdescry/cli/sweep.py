"""`pdescry sweep`: the laws behind many files, on this machine or on a cluster."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from pdescry.cli.cluster import Cluster, cluster_at
from pdescry.cli.completing import run_directories, setting_names
from pdescry.cli.interruption import reporting_interruption
from pdescry.cli.reading import (
    NOTHING,
    Field,
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
    reading_of,
)
from pdescry.cli.settings import Change, Chosen, Config, tables_of, with_settings
from pdescry.errors import InputError, PdescryError
from pdescry.schema import words

LISTED = 10  # failures and laws that are printed


@how_to_read("places", hidden="missing")
@with_settings("law.candidates", "preset")
def sweep(
    file: Annotated[
        list[str] | None,
        typer.Argument(help="Files, a table (TOML), or DIR to continue.", metavar="FILE", show_default=False),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder of the sweep (default: study).", metavar="DIR")
    ] = None,
    status: Annotated[
        Path | None,
        typer.Option(help="Report how far a sweep is.", metavar="DIR", autocompletion=run_directories),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            help="Values to combine: NAME=[1, 2]; may repeat.", metavar="NAME=LIST", autocompletion=setting_names
        ),
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Run each with seeds 0, 1, ….", metavar="NUMBER")] = None,
    cluster: Cluster = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Cases at a time (default: one a core).", metavar="NUMBER")
    ] = None,
    chosen: Chosen = NOTHING,
    config: Config = None,
    change: Change = None,
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
    reports: Annotated[bool, typer.Option("--reports/--no-reports", help="A page for each case.")] = True,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only warnings and errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --status: print JSON.")] = False,
) -> None:
    """Find the laws behind many files, each in a run directory.

    Stopped and repeated, it continues; a case that fails stops no other.

    Examples:
        pdescry sweep rods/*.csv -o study --grid "reading.noise=[0.01, 0.05]"
        pdescry sweep study.toml --cluster tcp://head:8786
        pdescry sweep --status study
    """
    if status is not None:
        _report_status(status, as_json)
        return
    if not file:
        raise InputError("Expected files of readings, a table (TOML), or the folder of a sweep; got none; see --help.")
    if cluster is not None and workers is not None:
        raise InputError("Expected either --cluster or --workers; got both; workers of a cluster are begun there.")
    settings = tables_of({**chosen, "without": without or []}, config, noise, change)
    reading = reading_of(time, space, field, sensor, noise, missing, format, known_input, more)
    grids = dict(_grid(word) for word in grid or [])
    folder, again = _folder(file, output, bool(settings or reading or grids or seeds))
    with reporting_interruption(lambda: _how_to_go_on(folder)):
        from pdescry.cli.sweep_display import shown
        from pdescry.sweeps.sweep import asked_for, run_study

        asked = None if again else asked_for(list(file), folder, settings, reading, grids, seeds)
        with cluster_at(cluster) as client, shown(folder, quiet) as watch:
            study = run_study(folder, asked, client, workers, reports, watch)
    if not quiet:
        typer.echo(f"{study}.")
        typer.echo(f"The page, for your browser: {study.page}")
        tables = [study.path / name for name in ("results.csv", "results.parquet")]
        typer.echo(f"The table: {', '.join(str(each) for each in tables if each.exists())}")
    if failures := study.failures:
        for line in _failures(failures):
            typer.echo(line, err=True)
        raise PdescryError(
            f"{_counted(len(failures))} of {len(study.cases)} failed; repeat the command to try "
            f"{'it' if len(failures) == 1 else 'them'} again; what is done is kept in {str(folder)!r}."
        )


def _folder(file: list[str], output: Path | None, has_settings: bool) -> tuple[Path, bool]:
    """Where the sweep is, and whether one that is there goes on as it is."""
    from pdescry.sweeps.study import is_study

    if len(file) == 1 and is_study(Path(file[0])):
        if has_settings or (output is not None and output != Path(file[0])):
            raise InputError(
                f"Expected no settings and no --output to go on with the sweep {file[0]!r}, which has its own; got "
                "some; leave them out, or name files and another --output."
            )
        return Path(file[0]), True
    if len(file) == 1 and Path(file[0]).suffix.lower() == ".toml":
        return output or Path(Path(file[0]).stem), False
    return output or Path("study"), False


def _grid(word: str) -> tuple[str, list[Any]]:
    name, equals, text = word.partition("=")
    values = words.value(text)
    if values == text.strip():  # no TOML
        values = [words.value(part) for part in text.split(",")]
    if not equals or not name.strip() or not text.strip():
        raise InputError(f'Expected a grid as NAME=LIST, such as "reading.noise=[0.01, 0.05]"; got {word!r}.')
    return name.strip(), values if isinstance(values, list) else [values]


# ---- what is printed -------------------------------------------------------------------------------------------------


def _how_to_go_on(folder: Path) -> str:
    if not (folder / "cases.jsonl").exists():
        return "Interrupted; nothing was begun."
    return f"Interrupted; what is finished is in {folder}: go on with `pdescry sweep {quote(str(folder))}`."


def _failures(failures: dict[str, str]) -> list[str]:
    lines = [f"Failed: {name}: {reason}" for name, reason in list(failures.items())[:LISTED]]
    if len(failures) > LISTED:
        lines.append(f"… and {len(failures) - LISTED} more; results.csv and index.html have all reasons.")
    return lines


def _counted(number: int) -> str:
    return "1 case" if number == 1 else f"{number} cases"


def _report_status(folder: Path, as_json: bool) -> None:
    from pdescry.sweeps import load_study
    from pdescry.sweeps.study import in_use

    study, working = load_study(folder), in_use(folder)
    failures, left = study.failures, len(study.cases) - study.done - len(study.failures)
    if as_json:
        counts = {"cases": len(study.cases), "done": study.done, "failed": len(failures), "left": left}
        typer.echo(json.dumps({**counts, "working": working, "failures": failures}, ensure_ascii=False, indent=1))
        return
    typer.echo(f"{study}.")
    if working:
        typer.echo("A sweep is working there.")
    elif left or failures:
        typer.echo(f"Nobody works there: `pdescry sweep {quote(str(folder))}` goes on.")
    for line in _failures(failures):
        typer.echo(line)
