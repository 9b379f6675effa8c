"""`pdescry refine`: the coefficients of a law from the readings themselves, by way of a field that obeys it."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated

import typer

from pdescry.cli.columns import in_columns, terms_in_columns
from pdescry.cli.discover import Folder, Quiet, check_run
from pdescry.notices import stored

if TYPE_CHECKING:
    from pdescry.joint import JointFit


def refine(
    folder: Folder,
    law: Annotated[
        list[str] | None,
        typer.Option("--law", "-l", help="Instead of the law found; repeat to compare.", metavar="EQUATION"),
    ] = None,
    quiet: Quiet = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON; no progress.")] = False,
) -> None:
    """Infer the coefficients of given laws, and compare the laws.

    Fields that obey the law are fitted to the readings of a finished run. Several laws are compared by how well each
    predicts every sensor from the others (elpd, expected log predictive density: the higher, the better).

    Examples:
        pdescry refine rod.pdescry
        pdescry refine rod.pdescry --law "u_t = u_xx" --law "u_t = u_xx + u"
    """
    check_run(folder)
    from pdescry.cli.progress import progress_bar
    from pdescry.discovery import load
    from pdescry.errors import InputError
    from pdescry.joint import refine as infer

    found = load(folder)
    if not (law or found.found):
        raise InputError(f"Expected a law to refine; {str(folder)!r} found none; name its terms with --law.")
    keys = found.settings.to_dict()["regression"]  # of the ends, if the method asks for them
    ends = {name: getattr(found.settings.method, name) for name in ("boundary", "domain") if name in keys}
    fits = []
    for each in law or [found.equation]:
        with progress_bar(quiet or as_json) as progress:
            fits.append(infer(found.experiments, each, **ends, progress=progress))
    if as_json:
        typer.echo(json.dumps([_plain(fit) for fit in fits], indent=2))
        return
    for fit in fits:
        typer.echo(str(fit))
        for note in fit.notes:
            typer.echo(f"Warning: {note.for_shell()}", err=True)
        if not quiet:
            typer.echo(_table(fit))
    if len(fits) > 1:
        best = max(fit.elpd for fit in fits)
        rows = [("law", "elpd", "")]
        rows += [(_terms(fit), f"{fit.elpd - best:+.1f}", "best" if fit.elpd == best else "") for fit in fits]
        typer.echo(in_columns(rows))


def _table(fit: JointFit) -> str:
    from pdescry.joint.fit.held_out import errors as errors_of

    several = len(fit.fields) > 1
    rows = fit.coefficients.to_dict(orient="records")
    errors = [
        "rms error {:.3g}{}, expected {:.3g}".format(rms, f" in {name}" if several else "", expected)
        for name in fit.fields
        for rms, expected in [errors_of(fit.held_out, name)]
        if math.isfinite(rms)
    ]
    return "\n".join(
        [
            terms_in_columns((f"{row['field']}: {row['term']}" if several else row["term"], row, "") for row in rows),
            f"Sensors between others, each predicted from the rest: {'; '.join([*errors, f'elpd {fit.elpd:.1f}'])}.",
        ]
    )


def _terms(fit: JointFit) -> str:
    return ", ".join(str(each) if len(fit.fields) > 1 else str(each.term) for each in fit.terms)


def _plain(fit: JointFit) -> dict:
    return {
        "law": str(fit),
        "equation": str(fit.equation),
        "coefficients": fit.coefficients.to_dict(orient="records"),
        "noise": dict(zip(fit.fields, map(float, fit.noise), strict=True)),
        "elpd": fit.elpd,
        "held_out": fit.held_out.to_dict(orient="records"),
        "notes": stored(fit.notes),
    }
