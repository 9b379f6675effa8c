"""Jobs over cores, one spawned process for each job.

Not a pool of the standard library: its processes cannot be ended from outside before Python 3.14, and one that dies
takes all the others with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from pdescry.cores import ONE_THREAD
from pdescry.errors import PdescryError
from pdescry.progress import Progress

# Called with a job, the number of workers that it may use, and where to tell how far it is. A process finds it by name.
Work = Callable[[Any, int | None, Progress], None]


def run_jobs(work: Work, jobs: Mapping[str, Any], workers: int, progress: Progress) -> dict[str, str]:
    """Do them all, ``workers`` at a time; in this process if it is one at a time. Returns why jobs failed, by name.

    Interrupted, it ends its processes first.
    """
    clock = _Clock(progress, list(jobs))
    if workers == 1 or len(jobs) == 1:
        return _in_turn(work, jobs, 1 if workers == 1 else None, clock)
    return _at_once(work, jobs, workers, clock)


def _in_turn(work: Work, jobs: Mapping[str, Any], workers: int | None, clock: _Clock) -> dict[str, str]:
    failures: dict[str, str] = {}
    for name, job in jobs.items():
        try:
            work(job, workers, clock.of(name))
        except PdescryError as error:
            failures[name] = str(error)
        clock.end(name)
    return failures


def _at_once(work: Work, jobs: Mapping[str, Any], workers: int, clock: _Clock) -> dict[str, str]:
    waiting, failures = list(jobs), dict.fromkeys(jobs, "")
    running: dict[Connection, tuple[str, BaseProcess]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                name = waiting.pop(0)
                connection, process = _start(work, jobs[name])
                running[connection] = name, process
                failures[name] = "its process ended unexpectedly"  # until it tells otherwise
            for connection in wait(list(running)):
                assert isinstance(connection, Connection)
                name, process = running[connection]
                try:
                    kind, *told = connection.recv()
                except EOFError:
                    process.join()
                    if process.exitcode:
                        failures[name] += f" (exit status {process.exitcode}); repeat the command to go on"
                    del running[connection]
                    connection.close()
                    clock.end(name)
                    continue
                if kind == "at":
                    clock.of(name)(*told)
                elif kind == "warning":
                    warnings.warn(f"{name}: {told[0]}", stacklevel=4)
                else:
                    failures[name] = told[0]
    finally:
        for connection, (_, process) in running.items():
            process.terminate()
            process.join()
            connection.close()
    return {name: reason for name, reason in failures.items() if reason}


def _start(work: Work, job: Any) -> tuple[Connection, BaseProcess]:
    context = get_context("spawn")
    listen, speak = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(work, job, speak))
    with _deaf_to_interruption(), _one_thread():
        process.start()
    speak.close()  # the child's copy alone is left: when that closes, the child has ended
    return listen, process


@contextlib.contextmanager
def _deaf_to_interruption() -> Iterator[None]:
    """Ctrl-C goes to every process of a terminal; children born meanwhile do not hear it, and are ended by us."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Children born meanwhile keep to one core: with threads on all cores they would wait for one another."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _child(work: Work, job: Any, connection: Connection) -> None:
    def warned(message: Warning | str, *_: Any, **__: Any) -> None:
        connection.send(("warning", str(message)))

    warnings.showwarning = warned
    try:
        work(job, 1, lambda stage, fraction, left: connection.send(("at", stage, fraction, left)))
    except PdescryError as error:
        connection.send(("ended", str(error)))
    else:
        connection.send(("ended", ""))


class _Clock:
    """Fractions of jobs → one fraction and the time left, from the pace so far."""

    def __init__(self, progress: Progress, names: list[str]) -> None:
        self.progress = progress
        self.fractions = dict.fromkeys(names, 0.0)
        self.ended: set[str] = set()
        self.found: dict[str, float] = {}  # what a resumed job began with, and took no time
        self.began = time.monotonic()

    def of(self, name: str) -> Progress:
        def tell(stage: str, fraction: float, _: float | None = None) -> None:
            self.found.setdefault(name, fraction)
            self.fractions[name] = max(self.fractions[name], fraction)
            self._tell(f"{name}: {stage}")

        return tell

    def end(self, name: str) -> None:
        self.fractions[name] = 1.0
        self.ended.add(name)
        self._tell(name)

    def _tell(self, what: str) -> None:
        total = len(self.fractions)
        overall = sum(self.fractions.values()) / total
        done = overall - sum(self.found.values()) / total
        left = (time.monotonic() - self.began) * (1 - overall) / done if done > 1e-6 else None
        self.progress(f"{len(self.ended)} of {total} cells done; {what}", overall, left)
