"""Where fits run: anything with ``submit``, by default processes on this machine, each with one thread.

A task is a function of a module and picklable arguments, so that an executor of `concurrent.futures`, Dask or the like
can take it; every task is computed with one thread, so that results do not depend on where it ran. Local processes (of
loky, joblib's own backend) are started once and kept; with one worker everything runs in this process.
"""

from __future__ import annotations

import copy
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol

from pdescry.checks import check_workers
from pdescry.cores import ONE_THREAD, keep_freed_memory, n_cores, one_thread, one_thread_of_any_kind
from pdescry.errors import InputError

KEPT = 600  # seconds that idle processes wait for more
POLL = 0.2  # seconds between two looks at futures that cannot call back
PROFILED = 1000.0  # ms between two samples of Dask's profiler, which it takes every 10 ms: 2 % of a case
LARGEST = 1_500_000_000  # bytes by which a process may grow before it is replaced


class Executor(Protocol):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any: ...


class Inline:
    """Does the work at once, in this process. Results are copied as if they came from another one: without what they
    have computed of themselves, which would fill the memory."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            with one_thread():
                done.set_result(copy.deepcopy(fn(*args, **kwargs)))
        except Exception as fault:
            done.set_exception(fault)
        return done


class Given:
    """An executor of the user's: each of its tasks is computed with one thread, and is a task of its own.

    Dask takes two calls of one function with equal arguments for one task, unless they are marked as different.
    """

    def __init__(self, executor: Any) -> None:
        if not callable(getattr(executor, "submit", None)) or isinstance(executor, type):
            raise InputError(
                "Expected an executor with a method submit, such as dask.distributed.Client(…) or "
                f"concurrent.futures.ProcessPoolExecutor(); got {executor!r}."
            )
        self.executor = executor
        self.options = {"pure": False} if is_dask(executor) else {}

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any:
        return self.executor.submit(single_threaded, fn, *args, **self.options)

    def submit_all(self, fn: Callable[..., Any], /, tasks: Sequence[tuple]) -> list[Any]:
        """The futures of several calls, whose arguments travel to a scheduler of Dask in one message."""
        if not is_dask(self.executor) or len(tasks) < 2:
            return [self.submit(fn, *arguments) for arguments in tasks]
        return self.executor.map(single_threaded, [fn] * len(tasks), *zip(*tasks, strict=True), **self.options)


def is_dask(executor: Any) -> bool:
    """Whether this is a client of Dask distributed, which need not be installed."""
    return any(each.__module__.partition(".")[0] == "distributed" for each in type(executor).__mro__)


def single_threaded(fn: Callable[..., Any], /, *args: Any) -> Any:
    keep_freed_memory()
    profile_seldom()
    with one_thread_of_any_kind():
        return fn(*args)


def profile_seldom() -> None:
    """On a worker of Dask: look at what its tasks are doing once a second, not a hundred times, for which they stop."""
    if "distributed" not in sys.modules:
        return
    with suppress(ImportError, ValueError, AttributeError, KeyError):  # no worker, or one that does not profile
        profiler = sys.modules["distributed"].get_worker().periodic_callbacks["profile"]
        profiler.callback_time = max(profiler.callback_time, PROFILED)


@dataclass(frozen=True)
class Engine:
    """Where a run computes. executor: the user's, or None for local processes; workers: how many of these, and of
    chains."""

    executor: Executor | None
    workers: int | None

    @staticmethod
    def of(executor: Any, workers: Any) -> Engine:
        ready = executor is None or isinstance(executor, Given)
        return Engine(executor if ready else Given(executor), check_workers(workers))

    @property
    def here(self) -> Engine:
        """This process alone."""
        return Engine(None, 1)

    @contextmanager
    def running(self) -> Iterator[Executor]:
        if self.executor is not None:
            yield self.executor
            return
        with local_executor(self.workers) as executor:
            yield executor


@contextmanager
def local_executor(workers: int | None = None) -> Iterator[Executor]:
    """Processes that are kept for later calls; an interrupt ends them."""
    number = workers or n_cores()
    if number == 1:
        yield Inline()
        return
    pool = processes(number)
    try:
        yield pool
    except KeyboardInterrupt:
        pool.shutdown(wait=False, kill_workers=True)
        raise


@contextmanager
def processes_ahead(workers: int | None, module: str) -> Iterator[None]:
    """Those of `local_executor`, started while this process is busy otherwise, and killed at the end: idle ones that
    are asked to go take half a second."""
    load_ahead(workers, module)
    try:
        yield
    finally:
        if (workers or n_cores()) > 1:
            processes(workers or n_cores()).shutdown(wait=True, kill_workers=True)


def load_ahead(workers: int | None, module: str) -> None:
    """Each of these processes loads a module before it is asked for."""
    number = workers or n_cores()
    if number > 1:
        pool = processes(number)
        for _ in range(number):
            pool.submit(import_module, module)


def load_here(*modules: str) -> None:
    """This process loads modules that it needs later, in a thread, while it waits for others."""
    Thread(target=lambda: [import_module(each) for each in modules], daemon=True).start()


def processes(number: int) -> Any:
    """So many of them, also if it is one; those that are there, or new ones in place of those that ended."""
    from loky import get_reusable_executor

    return get_reusable_executor(max_workers=number, timeout=KEPT, initializer=_begin, env=dict(ONE_THREAD))


def _begin() -> None:
    """One thread each; and an interrupt is for the process that asked. A fit of a long record may hold some hundred
    megabytes, which loky would take for a leak."""
    from loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = LARGEST
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(ONE_THREAD)
    keep_freed_memory()
    one_thread_of_any_kind()


class Endings:
    """Futures by the order in which they end.

    Those that can call back do so; others are looked at again and again if they have a method ``done``, or else
    waited for in the order of `add`.
    """

    def __init__(self) -> None:
        self.ended: SimpleQueue[Any] = SimpleQueue()
        self.others: list[Any] = []

    def add(self, future: Any) -> None:
        if hasattr(future, "add_done_callback"):
            future.add_done_callback(self.ended.put)
        else:
            self.others.append(future)

    def next(self, timeout: float | None = None) -> Any:
        """One that has ended, or None after so many seconds; its identity says which it is."""
        if not self.others:
            with suppress(Empty):
                return self.ended.get(timeout=timeout)
            return None
        begin = time.monotonic()
        while True:
            for number, future in enumerate(self.others):
                if not hasattr(future, "done"):
                    with suppress(Exception):  # it is asked again by whoever wants its result
                        future.result()
                if not hasattr(future, "done") or future.done():
                    return self.others.pop(number)
            with suppress(Empty):
                return self.ended.get(timeout=POLL)
            if timeout is not None and time.monotonic() - begin > timeout:
                return None

    def several(self, timeout: float, pause: float) -> list[Any]:
        """One that has ended, with those that end within ``pause`` seconds after it; none after ``timeout`` seconds."""
        first = self.next(timeout)
        if first is None:
            return []
        found = [first]
        if pause:
            time.sleep(pause)
            with suppress(Empty):
                while True:
                    found.append(self.ended.get_nowait())
        return found


def in_order(
    executor: Executor, tasks: Sequence[tuple[Callable[..., Any], tuple]], report_progress: Callable[[float], None]
) -> list[Any]:
    """The results of tasks (function, arguments) in their order; ``report_progress`` is called with the share that is
    done."""
    futures = [executor.submit(function, *arguments) for function, arguments in tasks]
    endings = Endings()
    for future in futures:
        endings.add(future)
    for number in range(len(futures)):
        endings.next()
        report_progress((number + 1) / len(futures))
    return [future.result() for future in futures]


def one_by_one(executor: Executor, tasks: Sequence[tuple[Callable[..., Any], tuple]]) -> Iterator[Any]:
    """The results of tasks in their order, of which few are begun before they are asked for."""
    ahead = 0 if isinstance(executor, Inline) else 2 * n_cores()
    waiting: deque[Any] = deque()
    for function, arguments in tasks:
        waiting.append(executor.submit(function, *arguments))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
