"""`pdescry next-sensor`: where another sensor would add most information on a law that was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pdescry.cli.discover import Folder, check_run
from pdescry.notices import stored

if TYPE_CHECKING:
    from pdescry.joint import Advice


def next_sensor(
    folder: Folder,
    number: Annotated[int, typer.Option("--number", "-n", help="How many sensors to place.", min=1)] = 1,
    plot: Annotated[
        Path | None, typer.Option(help="Draw a map of the expected information (PNG, SVG or PDF).", metavar="FILE")
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a picture that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the advice as JSON.")] = False,
) -> None:
    """Say where further sensors would help most.

    Of a finished run: where they would reduce the uncertainty of its coefficients most, and by how much. Each is placed
    given those before it, and taken to read when the others do. Where no law was found, it is where the field is most
    uncertain.

    Examples:
        pdescry next-sensor rod.pdescry
        pdescry next-sensor rod.pdescry --number 3 --plot next.png
    """
    check_run(folder)
    from pdescry.files import check_target
    from pdescry.plot import PICTURES, save
    from pdescry.plot import next_sensor as draw_advice

    if plot is not None:
        check_target(plot, PICTURES, force)
    from pdescry.discovery import load

    advice = load(folder).next_sensor(number)
    if plot is not None:
        save(draw_advice(advice), plot)
    if as_json:
        typer.echo(json.dumps(_plain(advice), indent=2))
        return
    typer.echo("\n".join([*advice.sentences, *(note.for_shell() for note in advice.notes)]))
    if plot is not None:
        typer.echo(f"Wrote {plot}.")


def _plain(advice: Advice) -> dict[str, Any]:
    return {
        "about": advice.about,
        "sensors": advice.table.to_dict(orient="records"),
        "readings": advice.readings.to_dict(orient="records"),
        "sd": {str(term): float(value) for term, value in advice.sd.items()},
        "times": advice.times.tolist(),
        "notes": stored(advice.notes),
    }
