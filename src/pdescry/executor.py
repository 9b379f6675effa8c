"""Where fits run: anything with ``submit``, by default processes on this machine, each with one thread.

A task is a function of a module and picklable arguments, so that an executor of `concurrent.futures`, Dask or the like
can take it. Local processes are started once and kept; with one worker everything runs in this process.
"""

from __future__ import annotations

import copy
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol

from threadpoolctl import threadpool_limits

from pdescry.cores import ONE_THREAD, n_cores

KEPT = 600  # seconds that idle processes wait for more
LARGEST = 1_500_000_000  # bytes by which a process may grow before it is replaced


class Executor(Protocol):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any: ...


class Inline:
    """Does the work at once, in this process. Results are copied as if they came from another one: without what they
    have computed of themselves, which would fill the memory."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            with threadpool_limits(1, "blas"):
                done.set_result(copy.deepcopy(fn(*args, **kwargs)))
        except Exception as fault:
            done.set_exception(fault)
        return done


@contextmanager
def local_executor(workers: int | None = None) -> Iterator[Executor]:
    """Processes that are kept for later calls; an interrupt ends them."""
    number = workers or n_cores()
    if number == 1:
        yield Inline()
        return
    pool = _processes(number)
    try:
        yield pool
    except KeyboardInterrupt:
        pool.shutdown(wait=False, kill_workers=True)
        raise


def start_processes(workers: int | None, module: str) -> None:
    """Those of `local_executor`, ahead of time: each loads a module while this process is busy otherwise."""
    number = workers or n_cores()
    if number > 1:
        pool = _processes(number)
        for _ in range(number):
            pool.submit(import_module, module)


def _processes(number: int) -> Any:
    from loky import get_reusable_executor

    return get_reusable_executor(max_workers=number, timeout=KEPT, initializer=_begin, env=dict(ONE_THREAD))


def _begin() -> None:
    """One thread each; and an interrupt is for the process that asked. A fit of a long record may hold some hundred
    megabytes, which loky would take for a leak."""
    from loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = LARGEST
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(ONE_THREAD)
    threadpool_limits(1)


def in_order(
    executor: Executor, tasks: Sequence[tuple[Callable[..., Any], tuple]], tell: Callable[[float], None]
) -> list[Any]:
    """The results of tasks (function, arguments) in their order; ``tell`` is called with the share that is done."""
    futures = [executor.submit(function, *arguments) for function, arguments in tasks]
    for number, _ in enumerate(as_completed(futures) if all(isinstance(f, Future) for f in futures) else futures):
        tell((number + 1) / len(futures))
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
