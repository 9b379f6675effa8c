"""A progress bar on the error stream, silent when nobody watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import ProgressColumn


class Show(Protocol):
    """What the library calls: the stage, the fraction done, and the seconds left if it is known."""

    def __call__(self, stage: str, fraction: float, seconds_left: float | None = None, /) -> None: ...


@contextmanager
def progress_bar(silent: bool) -> Iterator[Show]:
    """A function that draws. Silent if asked to be, or if the error stream is no terminal.

    Fractions may be of each stage or of the whole: one that falls begins another bar. Where the caller does not say
    the seconds left, they are judged from the fractions.
    """
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if silent or not console.is_terminal:
        yield lambda stage, fraction, seconds_left=None, /: None
        return
    with Progress(*_columns(), console=console, transient=True) as bar:
        number = bar.add_task("starting", total=1.0, left=_spelled(None))
        task = bar.tasks[0]

        def show(stage: str, fraction: float, seconds_left: float | None = None, /) -> None:
            if fraction < task.completed:
                bar.reset(number, total=1.0)
            bar.update(number, completed=fraction, description=stage)
            bar.update(number, left=_spelled(task.time_remaining if seconds_left is None else seconds_left))

        yield show


@contextmanager
def progress_bars(silent: bool) -> Iterator[Show]:
    """As `progress_bar`, with a bar for each stage of a run, all of which stay; labelled as "field: sampling"."""
    from rich.console import Console
    from rich.progress import Progress, TaskID

    console = Console(stderr=True)
    if silent or not console.is_terminal:
        yield lambda stage, fraction, seconds_left=None, /: None
        return
    with Progress(*_columns(), console=console, transient=True) as bars:
        rows: dict[str, TaskID] = {}

        def show(stage: str, fraction: float, seconds_left: float | None = None, /) -> None:
            name = stage.partition(":")[0]
            for other, row in rows.items():
                if other != name and not bars.tasks[row].finished:  # the next stage began, so this one is done
                    bars.update(row, completed=1.0, description=other, left=_spelled(0))
            if name not in rows:
                rows[name] = bars.add_task(stage, total=1.0, left=_spelled(None))
            row = rows[name]
            bars.update(row, completed=max(fraction, bars.tasks[row].completed), description=stage)
            left = bars.tasks[row].time_remaining if seconds_left is None else seconds_left
            bars.update(row, left=_spelled(left))

        yield show


def _columns() -> tuple[ProgressColumn, ...]:
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    return (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left {task.fields[left]}", style="progress.remaining"),
    )


def _spelled(seconds: float | None) -> str:
    return "-:--:--" if seconds is None else str(timedelta(seconds=round(seconds)))
