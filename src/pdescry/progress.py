"""`Progress`: how long computations report what they do; `watched`: to whom."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TextIO

Progress = Callable[[str, float, float | None], None]  # what is going on, the fraction done, the seconds left if known

OFTEN = 0.2  # seconds between two lines
SOME = 0.02  # of a stage, before its end can be foreseen


@contextmanager
def watched(progress: Progress | bool | None) -> Iterator[Progress]:
    """What to call: the function that was given; or for True a line on the error stream, in notebooks below the cell,
    that is written again and again and gone in the end, as for None in notebooks, where people wait. False, and None
    elsewhere: nothing."""
    if progress is None:
        progress = _in_notebook()
    if not isinstance(progress, bool):
        yield progress
    elif progress:
        line = LineInNotebook() if _in_notebook() else Line(sys.stderr)
        try:
            yield line
        finally:
            line.clear()
    else:
        yield lambda what, fraction, left=None: None


def never_falling(report: Progress) -> Progress:
    """For work that begins anew, such as a second search: it goes on where the first one ended."""
    most = 0.0

    def report_progress(what: str, fraction: float, left: float | None = None) -> None:
        nonlocal most
        most = max(most, fraction)
        report(what, most, left)

    return report_progress


def _in_notebook() -> bool:
    """Whether cells of a notebook run this."""
    interactive = sys.modules.get("IPython")
    return interactive is not None and hasattr(interactive.get_ipython(), "kernel")


class Line:
    """One line of text: what is going on, how much of it is done, and how long the rest takes; judged from how long the
    stage (the part before a colon) took so far, unless it is given."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream, self.clock = stream, clock
        self.stage: str | None = None
        self.began, self.first = 0.0, 0.0
        self.written, self.width = -OFTEN, 0

    def __call__(self, what: str, fraction: float, left: float | None = None) -> None:
        now, stage = self.clock(), what.rpartition(":")[0]
        if stage != self.stage or fraction < self.first:
            self.stage, self.began, self.first = stage, now, fraction
        if now - self.written < OFTEN:
            return
        if left is None and fraction > self.first + SOME:
            left = (now - self.began) * (1 - fraction) / (fraction - self.first)
        rest = "" if left is None else f", about {timedelta(seconds=round(left))} left"
        self._write(f"{what} ({fraction:.0%}{rest})")
        self.written = now

    def _write(self, text: str) -> None:
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = len(text)

    def clear(self) -> None:
        self._write("")
        self.stream.write("\r")
        self.stream.flush()


class LineInNotebook(Line):
    """The same below the cell that runs."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(sys.stderr, clock)
        self.shown: Any = None

    def _write(self, text: str) -> None:
        if self.shown is None:
            from IPython.display import display

            self.shown = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self.shown.update({"text/plain": text}, raw=True)

    def clear(self) -> None:
        if self.shown is not None:
            self._write("")
