"""Jobs on the engines of a sweep, and how far they all are.

A job that runs here reports its progress itself; one in another process writes it to a file, which is looked at.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pdescry.errors import InputError, PdescryError
from pdescry.files import write_json
from pdescry.notices import Notice, NoticeWarning
from pdescry.progress import Progress
from pdescry.sweeps.schedule import Lost, engine_for, scheduled

# Called with a job, its number of workers, and a function to report progress to. A process finds it by name.
Work = Callable[[Any, int | None, Progress], None]
OFTEN = 1.0  # seconds between two tellings of a job elsewhere


def run_jobs(
    work: Work, jobs: Mapping[str, Any], workers: int, progress: Progress, executor: Any = None
) -> dict[str, str]:
    """Do them all, ``workers`` at a time; in this process if it is one at a time. Returns why jobs failed, by name.

    executor: the user's, in place of processes here. Interrupted, processes are ended first.
    """
    clock = _Clock(progress, list(jobs))
    if executor is None and (workers == 1 or len(jobs) == 1):
        return _in_turn(work, jobs, 1 if workers == 1 else None, clock)
    with TemporaryDirectory(prefix="pdescry-jobs-") as place:
        return _at_once(work, jobs, min(workers, len(jobs)), clock, executor, Path(place))


def _in_turn(work: Work, jobs: Mapping[str, Any], workers: int | None, clock: _Clock) -> dict[str, str]:
    failures: dict[str, str] = {}
    for name, job in jobs.items():
        try:
            work(job, workers, clock.of(name))
        except PdescryError as error:
            failures[name] = str(error)
        clock.end(name)
    return failures


def _at_once(
    work: Work, jobs: Mapping[str, Any], workers: int, clock: _Clock, executor: Any, place: Path
) -> dict[str, str]:
    failures: dict[str, str] = {}
    files = {name: place / f"{number}.json" for number, name in enumerate(jobs)}
    tasks = ((name, (work, job, str(files[name]))) for name, job in jobs.items())
    with engine_for(executor, workers) as engine:
        for end in scheduled(done_elsewhere, tasks, engine):
            if end is None:
                for name, file in files.items():
                    with suppress(OSError, ValueError):
                        clock.of(name)(*json.loads(file.read_text(encoding="utf-8")))
                continue
            name, result = end
            files.pop(name).unlink(missing_ok=True)
            if isinstance(result, Lost):
                failures[name] = f"{result.reason}; repeat the command to go on"
            else:
                reason, notices = result
                for each in notices:
                    warnings.warn(NoticeWarning(Notice.of("of-a-cell", cell=name, notice=each)), stacklevel=4)
                if reason:
                    failures[name] = reason
            clock.end(name)
    return failures


def done_elsewhere(work: Work, job: Any, file: str) -> tuple[str, list[Notice | str]]:
    """Why it failed, or nothing; and its warnings. How far it is goes to the file, where that can be written."""
    last = -OFTEN

    def report_progress(stage: str, fraction: float, left: float | None = None) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= OFTEN:
            last = now
            with suppress(OSError, InputError):
                write_json(file, [stage, fraction])

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            work(job, 1, report_progress)
            reason = ""
        except PdescryError as error:
            reason = str(error)
    ours = (each.message for each in caught if each.category in (UserWarning, NoticeWarning))
    notices = [each.notice if isinstance(each, NoticeWarning) else str(each) for each in ours]
    return reason, list(dict.fromkeys(notices))


class _Clock:
    """Fractions of jobs → one fraction and the time left, from the pace so far."""

    def __init__(self, progress: Progress, names: list[str]) -> None:
        self.progress = progress
        self.fractions = dict.fromkeys(names, 0.0)
        self.ended: set[str] = set()
        self.found: dict[str, float] = {}  # what a resumed job began with, and took no time
        self.began = time.monotonic()

    def of(self, name: str) -> Progress:
        def report_progress(stage: str, fraction: float, _: float | None = None) -> None:
            self.found.setdefault(name, fraction)
            self.fractions[name] = max(self.fractions[name], fraction)
            self._report(f"{name}: {stage}")

        return report_progress

    def end(self, name: str) -> None:
        self.fractions[name] = 1.0
        self.ended.add(name)
        self._report(name)

    def _report(self, what: str) -> None:
        total = len(self.fractions)
        overall = sum(self.fractions.values()) / total
        done = overall - sum(self.found.values()) / total
        left = (time.monotonic() - self.began) * (1 - overall) / done if done > 1e-6 else None
        self.progress(f"{len(self.ended)} of {total} cells done; {what}", overall, left)
