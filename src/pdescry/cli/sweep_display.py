"""A sweep in the terminal: one live table, or plain lines where the error stream is no terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pdescry.sweeps.study import Outcome
    from pdescry.sweeps.sweep import Tally, Watch

OFTEN = 0.25  # seconds between two pictures,
LINES = 5.0  # and between two plain lines without a failure, of many cases
FEW = 200  # cases of which each has its line


@contextmanager
def shown(folder: Path, quiet: bool) -> Iterator[Watch]:
    from rich.console import Console

    console = Console(stderr=True)
    if quiet:
        yield lambda tally, ended: None
    elif not console.is_terminal:
        yield Lines()
    else:
        from rich.live import Live

        with Live(console=console, auto_refresh=False, transient=True) as live:
            last = 0.0

            def show(tally: Tally, ended: Outcome | None) -> None:
                nonlocal last
                now = time.monotonic()
                if now - last >= OFTEN:
                    last = now
                    live.update(picture(folder, tally, console.width), refresh=True)

            yield show


class Lines:
    """A line for each case that ended; of many cases, some of them, and all that failed."""

    def __init__(self) -> None:
        self.last_line = 0.0

    def __call__(self, tally: Tally, ended: Outcome | None) -> None:
        if ended is None:
            if not self.last_line and tally.found:
                typer.echo(f"{tally.found} of {tally.total} cases were done before.", err=True)
            self.last_line = self.last_line or time.monotonic()
            return
        now = time.monotonic()
        over = tally.done + tally.failed
        if tally.total > FEW and now - self.last_line < LINES and ended.status == "done" and over < tally.total:
            return
        self.last_line = now
        left = tally.seconds_left
        rest = f", about {_spelled(left)} left" if left else ""
        typer.echo(f"[{over}/{tally.total}{rest}] {ended.case}: {said(ended)}", err=True)


def said(outcome: Outcome) -> str:
    what = outcome.summary["law"] if outcome.summary else f"failed: {outcome.reason}"
    return f"{what} ({outcome.seconds:.1f} s)"


def picture(folder: Path, tally: Tally, width: int) -> RenderableType:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    counts = Table.grid(padding=(0, 2))
    spent = time.monotonic() - tally.began
    parts: list[tuple[str, Any, str]] = [
        ("done", tally.done, "green"),
        ("running", tally.flying, ""),
        ("waiting", max(tally.waiting, 0), ""),
        ("failed", tally.failed, "red" if tally.failed else ""),
        ("time", _spelled(spent), ""),
        ("left", _spelled(tally.seconds_left), ""),
    ]
    counts.add_row(*(Text(f"{name} {value}", style=style) for name, value, style in parts))
    bar = Table.grid()
    bar.add_row(ProgressBar(total=max(tally.total, 1), completed=tally.done + tally.failed, width=min(60, width - 2)))
    ended = Table(box=None, show_header=True, header_style="dim", padding=(0, 2, 0, 0), expand=True)
    ended.add_column("ended last", no_wrap=True, max_width=36)
    ended.add_column("law", no_wrap=True, ratio=1)
    ended.add_column("s", justify="right", no_wrap=True)
    for each in reversed(tally.latest):
        text = each.summary["law"] if each.summary else each.reason
        ended.add_row(Text(each.case), Text(text, style="" if each.summary else "red"), f"{each.seconds:.1f}")
    return Group(Text(f"{tally.total} cases in {folder}"), bar, counts, *([ended] if tally.latest else []))


def _spelled(seconds: float | None) -> str:
    return "-:--:--" if seconds is None else str(timedelta(seconds=round(seconds)))
