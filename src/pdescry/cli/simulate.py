"""`pdescry simulate`: an equation, solved forward, into a NetCDF file and a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

UNSOLVED = 3


def simulate(
    equation: Annotated[str, typer.Argument(help='For example "u_t = -u*u_x + 0.1*u_xx"; several separated by ";".')],
    domain: Annotated[tuple[float, float], typer.Option(help="Left and right end.", metavar="LEFT RIGHT")],
    until: Annotated[float, typer.Option(help="Solve from t = 0 to this time.", metavar="TIME")],
    initial: Annotated[
        list[str],
        typer.Option(help='State at t = 0: "-sin(pi*x/8)"; for several fields "u=…" and "v=…".', metavar="FORMULA"),
    ],
    boundary: Annotated[str, typer.Option(help='periodic, dirichlet, neumann, or as --left: "u=0".')] = "periodic",
    left: Annotated[str | None, typer.Option(help='Conditions at the left end: "u=1" or "u=0, u_x=0".')] = None,
    right: Annotated[str | None, typer.Option(help="Conditions at the right end.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="NetCDF file to write.")] = Path("solution.nc"),
    plot: Annotated[Path | None, typer.Option(help="Also draw the field (PNG, SVG or PDF).", metavar="FILE")] = None,
    field: Annotated[str | None, typer.Option(help="Which field to draw (default: the first).")] = None,
    steps: Annotated[int, typer.Option(help="How many even times to report after t = 0.", min=1)] = 100,
    points: Annotated[int, typer.Option(help="How many even places to report.", min=2)] = 257,
    rtol: Annotated[float, typer.Option(help="Tolerance of the time stepper.")] = 3e-10,
    max_points: Annotated[int, typer.Option(help="Limit on collocation points.", min=1)] = 820,
    max_steps: Annotated[int, typer.Option(help="Limit on time steps.", min=1)] = 20_000,
    max_seconds: Annotated[float, typer.Option(help="Limit on seconds.")] = 60.0,
    verify: Annotated[bool, typer.Option(help="Solve again from a disturbed start.")] = True,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace files that exist.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress; print nothing but errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Solve an equation forward, and say whether the answer can be believed.

    Example: pdescry simulate "u_t = -u*u_x + 0.1*u_xx" --domain -8 8 --until 10 --initial "-sin(pi*x/8)"
    --boundary dirichlet --plot burgers.png
    """
    import numpy as np

    from pdescry.cli.progress import progress_bar
    from pdescry.equation import Equation
    from pdescry.errors import InputError
    from pdescry.files import refuse_to_overwrite
    from pdescry.report import check_picture_name, draw_solution, save_figure
    from pdescry.solver import simulate as solve

    law = Equation.parse(equation)
    if field is not None and field not in law.fields:
        raise InputError(f"Expected --field to be one of {', '.join(law.fields)}; got {field!r}.")
    refuse_to_overwrite(output, force)
    if plot is not None:
        refuse_to_overwrite(plot, force)
        check_picture_name(plot)
    if domain[0] >= domain[1]:
        raise InputError(f"Expected --domain LEFT RIGHT with LEFT < RIGHT; got {domain[0]:g} {domain[1]:g}.")
    if not until > 0:
        raise InputError(f"Expected --until to be a positive time; got {until:g}.")
    with progress_bar(quiet or as_json) as progress:
        solution = solve(
            law,
            domain=domain,
            initial=_initial(initial, law.fields),
            boundary=_boundary(boundary, left, right),
            times=np.linspace(0, until, steps + 1),
            x=np.linspace(*domain, points),
            rtol=rtol,
            max_points=max_points,
            max_steps=max_steps,
            max_seconds=max_seconds,
            verify=verify,
            progress=progress,
        )
    solution.to_netcdf(output)
    if plot is not None:
        save_figure(draw_solution(solution, field), plot)
    written = [str(path) for path in (output, plot) if path is not None]
    if as_json:
        typer.echo(json.dumps({**_plain(solution.dataset.attrs), "files": written}))
    elif not quiet:
        typer.echo(f"{law.to_unicode()}\n{solution.status}: {solution.message}\nWrote {' and '.join(written)}.")
    if not solution.ok:
        if quiet:
            typer.echo(f"{solution.status}: {solution.message}", err=True)
        raise typer.Exit(UNSOLVED)


def _initial(given: list[str], fields: tuple[str, ...]) -> Any:
    """One formula, or ``u=…`` for each field; a formula itself never holds an equals sign."""
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    from pdescry.errors import InputError

    states: dict[str, str] = {}
    for text in given:
        name, equals, formula = text.partition("=")
        if not equals:
            raise InputError(f'Expected --initial "{fields[0]}=…" for each field; got {text!r}.')
        states[name.strip()] = formula
    return states


def _boundary(boundary: str, left: str | None, right: str | None) -> Any:
    if left is None and right is None:
        return boundary
    from pdescry.errors import InputError

    if left is None or right is None:
        raise InputError('Expected both --left and --right; write "free" for an end without a condition.')
    return {"left": left, "right": right}


def _plain(attributes: dict[Any, Any]) -> dict[str, Any]:
    """JSON knows no NaN."""
    return {str(name): None if value != value else value for name, value in attributes.items()}
