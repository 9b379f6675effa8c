"""The program `pdescry`: its commands, its exit codes, and the one door through which every error leaves."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

import pdescry
from pdescry.cli.inspect import inspect
from pdescry.cli.simulate import simulate
from pdescry.cli.systems import systems
from pdescry.errors import PdescryError

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="pdescry",
    help="Finds the partial differential equation behind a handful of noisy sensors, and says how sure it is.",
    epilog="Exit codes: 0 done; 2 bad input; 3 the law could not be solved (the status says why); 130 interrupted.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _told(command: Callable[..., None]) -> Callable[..., None]:
    """The door: what a command raises becomes one message on the error stream and an exit code."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except PdescryError as error:
            typer.echo(f"Error: {error}", err=True)
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            typer.echo("Interrupted; nothing was written.", err=True)
            raise typer.Exit(INTERRUPTED) from None

    return run


for _command in (simulate, inspect, systems):
    app.command()(_told(_command))


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pdescry {pdescry.__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the program; it ends the process with one of the exit codes."""
    app(arguments, prog_name="pdescry")
