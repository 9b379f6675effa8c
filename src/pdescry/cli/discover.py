"""`pdescry discover`, `resume`, `show` and `config`: the law behind a file of readings, in one run directory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pdescry.cli.cluster import Cluster, cluster_at
from pdescry.cli.columns import terms_in_columns
from pdescry.cli.completing import run_directories
from pdescry.cli.interruption import reporting_interruption
from pdescry.cli.reading import (
    NOTHING,
    Field,
    Files,
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
from pdescry.cli.settings import Change, Chosen, Config, tables_of, with_settings
from pdescry.executor import processes_ahead
from pdescry.schema.values import OFF

if TYPE_CHECKING:
    from pdescry.discovery import Law

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only the law, warnings and errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print law.json; no progress.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Cores or accelerators (default: all).", metavar="NUMBER")]
Figures = Annotated[bool, typer.Option("--figures/--no-figures", help="Draw figures.", show_default=False)]
Folder = Annotated[
    Path,
    typer.Argument(
        help="A run directory, such as rod.pdescry.", metavar="DIR", show_default=False, autocompletion=run_directories
    ),
]


@how_to_read("places", hidden="missing")
@with_settings(but=("sensors.without",))
def discover(
    file: Files,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Run directory (default: FILE's name.pdescry).", metavar="DIR")
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
    workers: Workers = None,
    cluster: Cluster = None,
    figures: Figures = True,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Replace a run that exists; keep what is the same.")
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Find the law behind readings, and how sure it is. Several files share one law.
    If interrupted, `pdescry resume DIR` continues.

    Examples:
        pdescry discover rod.csv
        pdescry discover rod.csv --input P -c "u_xx, u, P" --known "u_xx > 0"
    """
    folder = output or Path(f"{_stem(file[0])}.pdescry")
    _check_folder(folder, force)
    if chosen.get("average") == OFF:
        more = {**more, "average": False}  # of images, which are averaged while they are read
    readings = [
        read_file(each, time, space, field, sensor, noise, missing, format, known_input, None, more) for each in file
    ]
    with reporting_interruption(lambda: _how_to_go_on(folder)):
        # Slow to load: whatever can be wrong with the file was reported before.
        usual = {"method": "joint", "preset": "default"}.items()
        here = cluster is None and all(chosen.get(option, value) == value for option, value in usual)
        with processes_ahead(workers, "pdescry.joint.choose") if here else nullcontext():
            from pdescry.discovery import discover as find

            tables = tables_of({**chosen, "without": without or []}, config, noise, change)
            with _bars(quiet or as_json) as progress, cluster_at(cluster) as executor:
                law = find(
                    readings,
                    config=tables,
                    workdir=folder,
                    workers=workers,
                    executor=executor,
                    figures=figures,
                    overwrite=force,
                    progress=progress,
                )
    _report(law, folder, quiet, as_json)


def resume(
    folder: Folder,
    workers: Workers = None,
    cluster: Cluster = None,
    figures: Figures = True,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Continue an interrupted run.

    It begins at the last checkpoint; the law is the same as without the interruption.

    Examples:
        pdescry resume rod.pdescry
    """
    check_run(folder)
    with reporting_interruption(lambda: _how_to_go_on(folder)):
        from pdescry.discovery import resume as go_on

        with _bars(quiet or as_json) as progress, cluster_at(cluster) as executor:
            law = go_on(folder, workers=workers, executor=executor, figures=figures, progress=progress)
    _report(law, folder, quiet, as_json)


def show(
    folder: Folder,
    derived: Annotated[
        list[str] | None,
        typer.Option("--derive", help="Such as u_x/u_xx, with its uncertainty; may repeat.", metavar="FORMULA"),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print the law as LaTeX.")] = False,
    as_json: Json = False,
) -> None:
    """Print the result of a finished run, or what is derived from it.

    Examples:
        pdescry show rod.pdescry
        pdescry show rod.pdescry --derive "L^2 / u_xx where L = 0.5 m"
        pdescry show rod.pdescry --json > law.json
    """
    check_run(folder)
    from pdescry.discovery import load

    law = load(folder)
    if latex:
        typer.echo(law.latex())
    for formula in derived or []:
        found = law.derive(formula)
        typer.echo(f"{found.formula} = {found}")
        for note in found.notes:
            typer.echo(f"Note: {note.for_shell()}")
    if not (latex or derived):
        _report(law, folder, False, as_json)


def report(
    folder: Folder,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page (default: report.html in DIR).", metavar="FILE")
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a file that exists elsewhere.")] = False,
) -> None:
    """Write the report of a finished run, here or elsewhere.

    One HTML file that needs nothing else and opens from disk; `pdescry discover` writes it, too.

    Examples:
        pdescry report rod.pdescry
        pdescry report rod.pdescry --output rod.html
    """
    check_run(folder)
    from pdescry.files import check_target

    if output is not None:
        check_target(output, (".html", ".htm"), force)
    from pdescry.discovery import load

    target = output or folder / "report.html"
    load(folder).report(target)
    typer.echo(f"Wrote {target}.")


@with_settings("preset")
def config(chosen: Chosen = NOTHING, change: Change = None) -> None:
    """Print all settings as TOML, with a comment each.

    Edit them and pass the file to `pdescry discover --config FILE`; or pass single ones as `--set NAME=VALUE`.

    Examples:
        pdescry config
        pdescry config --preset paper --set sampler.draws=500 > paper.toml
    """
    from pdescry.discovery import choose_settings, to_toml

    typer.echo(to_toml(choose_settings(None, tables_of(chosen, change=change))), nl=False)


# ---- what is printed -------------------------------------------------------------------------------------------------


def _report(law: Law, folder: Path, quiet: bool, as_json: bool) -> None:
    if as_json:
        typer.echo((folder / "law.json").read_text(encoding="utf-8"), nl=False)
        return
    typer.echo(str(law))
    has_law = any(fit.support.any() for fit in law.fits)  # of several fields, some may have no law
    for remark in (each for each in law.remarks if each not in law.warnings):
        typer.echo(f"  {remark.for_shell()}" if has_law else remark.for_shell())
    for warning in law.warnings:
        typer.echo(f"Warning: {warning.for_shell()}", err=True)
    if quiet:
        return
    if has_law:
        typer.echo(_table(law))
    if len(law.experiments) > 1:
        typer.echo(f"{len(law.experiments)} experiments, of one law; figures and the forward check are of the first.")
    for note in dict.fromkeys(note for each in law.experiments for note in each.remarks):
        typer.echo(f"Note: {note.for_shell()}")
    if errors := _errors(law):
        typer.echo(f"Held-out sensors are predicted to within {errors}.")
    if law.diagnostics is not None and law.diagnostics.mixed:
        typer.echo(f"Draws of the field: {law.diagnostics.verdict.for_shell()}")
    if law.found and law.forward.score is not None:
        typer.echo(law.forward.score.sentence)
    elif law.forward.status == "ok":
        typer.echo(
            f"Solved forward ({law.forward.boundary}), the law differs from the field by {law.forward.misfit:.2g} of "
            "the readings' sd (rms)."
        )
    if law.advice:
        typer.echo("What to try next:")
        for each in law.advice:
            typer.echo(f"  {each.for_shell()}")
    if (folder / "report.html").exists():
        typer.echo(f"The report, for your browser: {folder / 'report.html'}")
    there = [name for name in ("law.json", "config.toml", "figures/", "log.txt") if (folder / name).exists()]
    typer.echo(f"Everything is in {folder}{'/' if folder.is_dir() else ''} ({', '.join(there)}).")


def _errors(law: Law) -> str:
    """Rms errors of sensors predicted from the others, by field if there are several: each has units of its own."""
    if law.comparison is None:
        return ""
    table = law.comparison.held_out
    names = list(dict.fromkeys(table["field"])) if "field" in table else [""]
    found = [(name, *law.comparison.errors_of(name)) for name in names]
    parts = [
        f"{rms:.3g}{f' in {name}' if name else ''} (expected {expected:.3g})"
        for name, rms, expected in found
        if math.isfinite(rms)
    ]
    return " and ".join([", ".join(parts[:-1]), *parts[-1:]] if len(parts) > 1 else parts)


def _table(law: Law) -> str:
    """Terms, coefficients and intervals, in columns."""
    several = len(law.fits) > 1
    return terms_in_columns(
        (
            f"{row['field']}: {row['term']}" if several else row["term"],
            row,
            " (too narrow)" if row["spread"] == "formal" else "",
        )
        for row in law.coefficients.to_dict(orient="records")
    )


@contextmanager
def _bars(silent: bool) -> Iterator[Any]:
    from pdescry.cli.progress import progress_bars

    with progress_bars(silent) as progress:
        yield progress


# ---- what can go wrong -----------------------------------------------------------------------------------------------


def _how_to_go_on(folder: Path) -> str:
    if not (folder / "config.toml").exists():
        return "Interrupted; nothing was written."
    return f"Interrupted; what is finished is in {folder}: go on with `pdescry resume {quote(str(folder))}`."


def _check_folder(folder: Path, force: bool) -> None:
    from pdescry.errors import InputError

    if force:
        return
    if (folder / "law.json").exists():
        raise InputError(
            f"{str(folder)!r} contains a finished run: `pdescry show {quote(str(folder))}` prints it; choose another "
            "--output, or pass --force to replace it."
        )
    if not (folder / "config.toml").exists():
        return
    from pdescry.discovery.run import written  # slow to load: a missing file is reported before

    if written(folder):
        raise InputError(
            f"{str(folder)!r} contains a run that is not finished: go on with `pdescry resume {quote(str(folder))}`, "
            "choose another --output, or pass --force to begin anew."
        )


def check_run(folder: Path) -> None:
    from pdescry.errors import InputError

    if not (folder / "config.toml").exists():
        raise InputError(f"{str(folder)!r} is no run directory of pdescry; `pdescry discover FILE` makes one.")


def _stem(file: str) -> str:
    """The name of the file without its folder and ending: rod.csv.gz → rod, temp_0.5.csv → temp_0.5."""
    name = Path(file).name
    for packed in (".gz", ".bz2", ".xz", ".zip"):
        name = name.removesuffix(packed)
    return Path(name).stem
