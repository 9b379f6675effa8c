"""`pdescry doctor`: what is installed, what the machine has, and whether the speed is as expected."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pdescry.doctor import Examination

BROKEN = 1
INDENT = 10


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False) -> None:
    """Say what is installed, and whether the speed is as expected.

    Packages and their versions, cores, memory, devices, this folder, and the speed of the chains against what this
    machine should do; with a remedy for each problem. It takes about ten seconds. Exit code 1: something is broken.

    Examples:
        pdescry doctor
        pdescry doctor --json > doctor.json
    """
    from pdescry.doctor import examine

    found = examine()
    typer.echo(json.dumps(found.to_dict(), indent=2) if as_json else _said(found))
    if found.broken:
        raise typer.Exit(BROKEN)


def _said(found: Examination) -> str:
    lines = []
    for each in found.findings:
        lines.append(_filled(f"{each.about:<{INDENT}}", each.says))
        for trouble in each.troubles:
            kind = "broken" if trouble.broken else "warning"
            lines.append(_filled(" " * INDENT + "! ", f"{kind}: {trouble.says}; to fix it: {trouble.remedy}."))
    return "\n".join([*lines, found.verdict])


def _filled(head: str, text: str) -> str:
    from shutil import get_terminal_size

    width = max(50, min(100, get_terminal_size().columns))
    below = " " * len(head)
    return textwrap.fill(  # a command to copy stays in one piece
        text, width, initial_indent=head, subsequent_indent=below, break_on_hyphens=False, break_long_words=False
    )
