"""`pdescry simulate`: an equation, solved forward, into a NetCDF file and a picture."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from pdescry.cli.completing import one_of

UNSOLVED = 3


def simulate(
    equation: Annotated[
        str, typer.Argument(help='Such as "u_t = u_xx"; several with ";" between.', metavar="EQUATION")
    ],
    domain: Annotated[list[str], typer.Option(help="Left and right end; again for y.", metavar="LEFT RIGHT")],
    until: Annotated[float, typer.Option(help="Solve from t = 0 to this time.", metavar="TIME")],
    initial: Annotated[
        list[str],
        typer.Option(help='State at t = 0; or "u=…" and "u_t=…".', metavar="FORMULA"),
    ],
    boundary: Annotated[
        list[str] | None,
        typer.Option(
            help="periodic (default), dirichlet, neumann; y=neumann.",
            metavar="NAME",
            autocompletion=one_of("periodic", "dirichlet", "neumann"),
        ),
    ] = None,
    left: Annotated[
        str | None, typer.Option(help='Left end instead: "u=1", "u=0, u_x=0" or "free".', metavar="CONDITIONS")
    ] = None,
    right: Annotated[str | None, typer.Option(help="Right end, likewise.", metavar="CONDITIONS")] = None,
    bottom: Annotated[str | None, typer.Option(help="Lower side of the plane.", metavar="CONDITIONS")] = None,
    top: Annotated[str | None, typer.Option(help="Upper side, likewise.", metavar="CONDITIONS")] = None,
    known: Annotated[
        list[str] | None,
        typer.Option("--input", help='Known input: "P = 1 + sin(t)", P=power.csv (t, P).', metavar="NAME=VALUE"),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="NetCDF file.", metavar="FILE")] = Path("solution.nc"),
    plot: Annotated[Path | None, typer.Option(help="Also draw the field (PNG, SVG or PDF).", metavar="FILE")] = None,
    field: Annotated[str | None, typer.Option(help="Which field to draw (default: the first).", metavar="NAME")] = None,
    steps: Annotated[int, typer.Option(help="Even times after t = 0.", min=1, metavar="NUMBER")] = 100,
    points: Annotated[
        int | None, typer.Option(help="Even places (257; in the plane 101 by 101).", min=2, metavar="NUMBER")
    ] = None,
    rtol: Annotated[
        float | None, typer.Option(help="Tolerance in time (3e-10; in the plane 1e-8).", metavar="NUMBER")
    ] = None,
    max_points: Annotated[
        int | None, typer.Option(help="Limit on points of an axis (820; 160).", min=8, metavar="NUMBER")
    ] = None,
    max_steps: Annotated[int, typer.Option(help="Limit on time steps.", min=1, metavar="NUMBER")] = 20_000,
    max_seconds: Annotated[float, typer.Option(help="Limit on seconds.", metavar="NUMBER")] = 60.0,
    verify: Annotated[bool, typer.Option(help="Solve again from a disturbed start.")] = True,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace files that exist.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    r"""Solve an equation forward, and say whether to believe it.

    Examples:
        pdescry simulate "u_t = u_xx" --domain 0 1 --until 1 --initial "sin(2*pi*x)"
        pdescry simulate "u_t = -u*u_x + 0.1*u_xx" --domain -8 8 --until 10 \
          --initial "-sin(pi*x/8)" --boundary dirichlet --plot burgers.png
        pdescry simulate "u_t = u_xx + P" --domain 0 1 --until 9 --initial 0 \
          --boundary neumann --input "P = 1 + sin(t)"
        pdescry simulate "u_t = 0.1*u_xx + 0.1*u_yy" --domain -8 8 --domain 0 4 \
          --until 5 --initial "exp(-x^2 - (y-1)^2)" --boundary neumann
    """
    import numpy as np

    from pdescry.cli.progress import progress_bar
    from pdescry.cli.repeated import numbers
    from pdescry.equation import Equation
    from pdescry.errors import InputError
    from pdescry.files import check_target
    from pdescry.plot import PICTURES, save
    from pdescry.plot import solution as draw_solution
    from pdescry.solver import simulate as solve

    inputs = _inputs(known or [])
    law = Equation.parse(equation, inputs=tuple(inputs))
    if field is not None and field not in law.fields:
        raise InputError(f"Expected --field to be one of {', '.join(law.fields)}; got {field!r}.")
    check_target(output, (".nc", ".nc4"), force)
    if plot is not None:
        check_target(plot, PICTURES, force)
    pairs = [numbers(text, "--domain", "LEFT RIGHT") for text in domain]
    if len(pairs) < len(law.axes):
        raise InputError(f"Expected --domain LEFT RIGHT for each of {' and '.join(law.axes)}; give it again for y.")
    for low, high in pairs:
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise InputError(f"Expected --domain LEFT RIGHT with LEFT < RIGHT; got {low:g} {high:g}.")
    places = [np.linspace(low, high, points or (257 if len(pairs) == 1 else 101)) for low, high in pairs]
    if not (math.isfinite(until) and until > 0):
        raise InputError(f"Expected --until to be a positive time; got {until:g}.")
    with progress_bar(quiet or as_json) as progress:
        solution = solve(
            law,
            domain=pairs[0] if len(pairs) == 1 else pairs,
            initial=_initial(initial, law.fields),
            boundary=_boundary(
                boundary or [], {"left": left, "right": right, "bottom": bottom, "top": top}, len(pairs)
            ),
            inputs=inputs,
            times=np.linspace(0, until, steps + 1),
            x=places[0],
            y=places[1] if len(places) == 2 else None,
            rtol=rtol,
            max_points=max_points,
            max_steps=max_steps,
            max_seconds=max_seconds,
            verify=verify,
            progress=progress,
        )
    if not solution.ok:
        # What was reached is reported as finely as the whole would have been.
        solution = replace(solution, times=np.linspace(0, solution.reached or until, steps + 1))
    written: list[str] = []
    if solution.reached > 0:
        solution.to_netcdf(output)
        written.append(str(output))
        if plot is not None:
            save(draw_solution(solution, field), plot)
            written.append(str(plot))
    message = f"{solution.status}: {solution.message.for_shell()}"
    if as_json:
        typer.echo(json.dumps({**_plain(solution.dataset.attrs), "files": written}))
    elif not quiet:
        typer.echo(f"{law.to_unicode()}\n{message}\nWrote {' and '.join(written) or 'nothing'}.")
    if not solution.ok:
        if quiet:
            typer.echo(message, err=True)
        raise typer.Exit(UNSOLVED)


def _initial(given: list[str], fields: tuple[str, ...]) -> Any:
    """One formula, or ``u=…`` for each field; a formula itself never contains an equals sign."""
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


def _inputs(given: list[str]) -> dict[str, Any]:
    """``P = formula``, ``P=file.csv`` or ``P=file.csv held`` of each input."""
    from pdescry.errors import InputError

    inputs: dict[str, Any] = {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise InputError(f'Expected --input "P = 1 + sin(t)" or --input P=power.csv; got {text!r}.')
        if name in inputs:
            raise InputError(f"The input {name} is given twice; give it once.")
        file = value.removesuffix(" held").strip()
        if file.lower().endswith(".csv"):
            inputs[name] = (*_samples(name, Path(file)), "held" if file != value else "linear")
        else:
            inputs[name] = value
    return inputs


def _samples(name: str, file: Path) -> tuple[list[float], list[float]]:
    """Times and values from a CSV file with a header and the columns t and the input's name, or just two columns."""
    import csv

    from pdescry.errors import InputError

    if not file.is_file():
        raise InputError(f"The file {file} of the input {name} is not there; check its name.")
    with file.open(newline="", encoding="utf-8-sig") as lines:
        rows = [row for row in csv.reader(lines) if any(cell.strip() for cell in row)]
    header = [cell.strip() for cell in rows[0]] if rows else []
    if len(header) != 2 and not {"t", name} <= set(header):
        raise InputError(f"Expected two columns, t and {name}, with a header in {file}; got {', '.join(header)!r}.")
    columns = (header.index("t"), header.index(name)) if {"t", name} <= set(header) else (0, 1)
    times, values = [], []
    for number, row in enumerate(rows[1:], start=2):
        try:
            t, value = (float(row[column]) for column in columns)
        except (IndexError, ValueError):
            raise InputError(f"Row {number} of {file} has no two numbers ({', '.join(row)}); correct it.") from None
        times.append(t)
        values.append(value)
    return times, values


def _boundary(named: list[str], sides: dict[str, str | None], axes: int) -> Any:
    """One name for all sides, ``y=neumann`` for those of an axis, or conditions of each side."""
    from pdescry.errors import InputError

    given = {side: conditions for side, conditions in sides.items() if conditions is not None}
    if not given and len(named) <= 1 and not any("=" in name for name in named):
        return named[0] if named else "periodic"
    by_axis: dict[str, str] = {}
    for name in named:
        axis, equals, conditions = (part.strip() for part in name.partition("="))
        if axes == 1 or not (equals and conditions):
            raise InputError(
                'Expected --boundary, or both --left and --right ("free" for an end without a condition).'
                if axes == 1
                else f"Expected --boundary NAME once, or --boundary x=periodic --boundary y=neumann; got {name!r}."
            )
        by_axis[axis] = conditions
    if axes == 1 and set(given) != {"left", "right"}:
        raise InputError('Expected --boundary, or both --left and --right ("free" for an end without a condition).')
    return by_axis | given


def _plain(attributes: dict[Any, Any]) -> dict[str, Any]:
    """JSON has no NaN."""
    return {str(name): None if value != value else value for name, value in attributes.items()}
