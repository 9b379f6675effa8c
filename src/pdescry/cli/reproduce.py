"""`pdescry reproduce`: the paper's tables and figures, ours beside the published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pdescry.cli.cluster import Cluster, cluster_at
from pdescry.cli.completing import EXPERIMENTS, SCALES, one_of
from pdescry.cli.interruption import reporting_interruption

if TYPE_CHECKING:
    from rich.table import Table as Grid

    from pdescry.experiments import Reproduction
    from pdescry.experiments.tables import Table


def reproduce(
    name: Annotated[
        str,
        typer.Argument(help="burgers, kdv, heat or all.", metavar="NAME", autocompletion=one_of(*EXPERIMENTS)),
    ],
    noise: Annotated[
        list[float] | None,
        typer.Option(help="0, 0.01 or 0.05; may repeat (default: all).", metavar="NUMBER"),
    ] = None,
    seeds: Annotated[int, typer.Option(help="Tables show the median and range.", min=1, metavar="NUMBER")] = 1,
    scale: Annotated[
        str,
        typer.Option(help="full (minutes a cell) or quick, to try.", metavar="NAME", autocompletion=one_of(*SCALES)),
    ] = "full",
    readings: Annotated[
        Path | None, typer.Option(help="The paper's own readings (default: generated).", metavar="DIR")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Records, tables, figures.", metavar="DIR")] = Path(
        "reproduction"
    ),
    document: Annotated[
        Path | None, typer.Option(help="All tables with a discussion (Markdown).", metavar="FILE")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Cells at a time (default: one per core).", min=1, metavar="NUMBER")
    ] = None,
    cluster: Cluster = None,
    no_figures: Annotated[bool, typer.Option("--no-figures", help="Draw no figures.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only warnings and errors.")] = False,
) -> None:
    """Reproduce the paper: its tables and figures beside ours.

    The paper is Bonneville & Earls 2021; there are tables 1 to 9. Finished cells are kept in the folder of --output: an
    interrupted command, repeated, continues where it stopped.

    Examples:
        pdescry reproduce burgers --noise 0.05 --scale quick
        pdescry reproduce all --seeds 3 --document results.md
    """
    from pdescry.cli.progress import progress_bar
    from pdescry.errors import PdescryError
    from pdescry.files import check_target

    if document is not None:
        check_target(document, (".md",))
    names = ("burgers", "kdv", "heat") if name.lower() == "all" else (name.lower(),)
    with (
        reporting_interruption(lambda: _how_to_go_on(output)),
        progress_bar(quiet) as progress,
        cluster_at(cluster) as executor,
    ):
        # It loads JAX.
        from pdescry.experiments import reproduce as run

        found = run(
            names,
            **({"noises": noise} if noise else {}),
            seeds=seeds,
            scale=scale,
            readings=readings,
            output=output,
            workers=workers,
            executor=executor,
            progress=progress,
        )
        progress("writing tables and figures", 1.0)
        written = _write(found, document, not no_figures)
    if not quiet:
        for table in found.tables:
            _print(table)
        typer.echo(f"Wrote {', '.join(written[:-1])}{' and ' if written[:-1] else ''}{written[-1]}.")
    if found.failures:
        for cell, reason in found.failures.items():
            typer.echo(f"Failed: {cell}: {reason}", err=True)
        count = len(found.failures)
        raise PdescryError(f"{count} cell{'s' if count > 1 else ''} failed; the others are kept in {str(output)!r}.")


def _write(found: Reproduction, document: Path | None, figures: bool) -> list[str]:
    """The files and folders, as they are printed."""
    written = [str(found.write_tables()[0].parent)]
    if document is not None:
        found.write_document(document)
        written.append(str(document))
    if figures and (pictures := found.draw_figures()):
        written.append(str(pictures[0].parent))
    return written


def _print(table: Table) -> None:
    """One table, or one for each noise where the terminal is too narrow."""
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(markup=False, emoji=False, highlight=False)
    console.print(table.heading)
    whole = _grid(table)
    wide = Measurement.get(console, console.options.update(max_width=1000), whole).maximum > console.width
    for grid in map(_grid, table.by_noise()) if wide and table.truth is not None else [whole]:
        console.print(grid)


def _grid(table: Table) -> Grid:
    from rich import box
    from rich.table import Table as Grid

    header, rows = table.layout()
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in header:
        grid.add_column(name.replace(": ", "\n").replace(", ", "\n"))  # noise above what it is of
    for row in rows:
        grid.add_row(*row)
    return grid


def _how_to_go_on(output: Path) -> str:
    return f"Interrupted; finished cells are kept in {str(output)!r}; repeat the command to go on from there."
