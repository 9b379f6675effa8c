"""A progress bar on the error stream, silent when nobody watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(silent: bool) -> Iterator[Callable[[str, float], None]]:
    """A function ``(stage, fraction)`` that draws. Silent if asked to be, or if the error stream is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if silent or not console.is_terminal:
        yield lambda stage, fraction: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=1.0)
        current = ""

        def show(stage: str, fraction: float) -> None:
            nonlocal current
            if stage != current:
                bar.reset(task, total=1.0, description=stage)
                current = stage
            bar.update(task, completed=fraction)

        yield show
