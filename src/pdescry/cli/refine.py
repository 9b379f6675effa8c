"""`pdescry refine`: the coefficients of a law from the readings themselves, by way of a field that obeys it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pdescry.cli.discover import Folder, Quiet, check_run
from pdescry.cli.wording import in_columns, terms_in_columns

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

    The field of a finished run has to obey the law, so that readings of all sensors speak at once. Several laws are
    compared by how well each predicts every sensor from the others (the higher the score, the better).

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
    if not found.posteriors:
        raise InputError(f"Expected a run whose field was sampled, to begin from; {str(folder)!r} holds no draws.")
    told = found.settings.to_dict()["regression"]  # of the ends, if the method asks for them
    ends = {name: getattr(found.settings.method, name) for name in ("boundary", "domain") if name in told}
    fits = []
    for each in law or [found.equation]:
        with progress_bar(quiet or as_json) as progress:
            fits.append(infer(found.posteriors, each, **ends, progress=progress))
    if as_json:
        typer.echo(json.dumps([_plain(fit) for fit in fits], indent=2))
        return
    for fit in fits:
        typer.echo(str(fit))
        for note in fit.notes:
            typer.echo(f"Warning: {note}", err=True)
        if not quiet:
            typer.echo(_table(fit))
    if len(fits) > 1:
        best = max(fit.log_score for fit in fits)
        rows = [("law", "score", "")]
        rows += [(_terms(fit), f"{fit.log_score - best:+.1f}", "best" if fit.log_score == best else "") for fit in fits]
        typer.echo(in_columns(rows))


def _table(fit: JointFit) -> str:
    errors = fit.held_out
    return "\n".join(
        [
            terms_in_columns((row["term"], row, "") for row in fit.coefficients.to_dict(orient="records")),
            f"Each sensor predicted from the others: rms error {_rms(errors['rms_error']):.3g}, expected "
            f"{_rms(errors['expected']):.3g}; score {fit.log_score:.1f}.",
        ]
    )


def _rms(values: Any) -> float:
    return float((values.to_numpy() ** 2).mean() ** 0.5)


def _terms(fit: JointFit) -> str:
    return ", ".join(str(term) for term in fit.terms)


def _plain(fit: JointFit) -> dict:
    return {
        "law": str(fit),
        "equation": str(fit.equation),
        "coefficients": fit.coefficients.to_dict(orient="records"),
        "noise": float((fit.noise**2).mean() ** 0.5),
        "log_score": fit.log_score,
        "held_out": fit.held_out.to_dict(orient="records"),
        "notes": list(fit.notes),
    }
