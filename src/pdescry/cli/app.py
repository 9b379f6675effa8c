"""The program `pdescry`: its commands, its exit codes, and the one door through which every error leaves."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any

import typer

import pdescry
from pdescry.cli.discover import config, discover, report, resume, show
from pdescry.cli.doctor import doctor
from pdescry.cli.help import described, examples
from pdescry.cli.inspect import inspect
from pdescry.cli.interpolate import interpolate
from pdescry.cli.interruption import reporting_interruption
from pdescry.cli.next_sensor import next_sensor
from pdescry.cli.refine import refine
from pdescry.cli.repeated import Command
from pdescry.cli.reproduce import reproduce
from pdescry.cli.simulate import simulate
from pdescry.cli.sweep import sweep
from pdescry.cli.systems import systems
from pdescry.errors import InputError, PdescryError
from pdescry.notices import NoticeWarning

FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="pdescry",
    help="Finds the partial differential equation behind a handful of noisy sensors, and says how sure it is.",
    epilog=examples("pdescry discover rod.csv", "pdescry discover --help", "pdescry doctor")
    + "\n\nExit codes: 0 done; 1 the run failed; 2 bad input; 3 a law could not be solved (the status says why); "
    "130 interrupted.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The door: what a command raises becomes one message on the error stream and an exit code."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            with reporting_interruption(lambda: "Interrupted; nothing was written."), _warnings_as_lines():
                command(*arguments, **options)
        except PdescryError as error:
            typer.echo(f"Error: {error.for_shell()}", err=True)
            raise typer.Exit(BAD_INPUT if isinstance(error, InputError) else FAILED) from None
        except BrokenPipeError:
            raise  # the reader of our output has left, as `head` does: typer ends quietly
        except OSError as error:
            typer.echo(f"Error: the output could not be written: {error.strerror or error}.", err=True)
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt as interruption:
            typer.echo(str(interruption), err=True)
            raise typer.Exit(INTERRUPTED) from None

    return run


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """A warning becomes one line on the error stream, without the line of source that raised it."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = message.notice.for_shell() if isinstance(message, NoticeWarning) else str(message)
        typer.echo(f"Warning: {' '.join(text.split())}", err=True)

    with warnings.catch_warnings():
        if not sys.warnoptions:  # whoever runs `python -W …` has said what to do with them
            warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


for _command in (
    discover,
    resume,
    show,
    report,
    sweep,
    refine,
    next_sensor,
    config,
    inspect,
    interpolate,
    simulate,
    systems,
    reproduce,
    doctor,
):
    _help, _examples = described(_command)
    app.command(cls=Command, help=_help, epilog=_examples)(_guarded(_command))


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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # uₓ on a stream without Unicode is no reason to fail
    app(arguments, prog_name="pdescry")
