"""Tasks on an engine: few ahead of the workers, those that were lost again, and what each came to, as they end.

A task is lost with its process: killed, out of memory, the machine gone. Dask gives it to other workers by itself, and
gives it up after three of these died. Local processes end all together with one of them; which task was to blame is not
reported, so those that were lost then run one at a time, until each is done or has ended its process `TRIES` times.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pdescry.cores import n_cores
from pdescry.errors import PdescryError
from pdescry.executor import Endings, Given, is_dask, processes

TRIES = 3
AHEAD = 2000  # tasks that a cluster has at a time: some for each of a thousand workers, at 4 kB each
OFTEN = 1.0  # seconds between two looks at a cluster, and before a task is asked for again that somebody else does
TOGETHER = 0.02  # seconds for which ends of tasks on a cluster are collected, so that a message is about many of them
UNREACHABLE = 60.0  # seconds after which a scheduler is given up


class EngineGone(PdescryError):
    """No task can be done any more; those that ended are known."""


@dataclass(frozen=True)
class Lost:
    """Why there is no result of a task."""

    reason: str


class Engine:
    """An executor, and what there is to know of it.

    ahead: how many tasks it has at a time. breaks: whether all of its processes end with one, and are replaced.
    """

    def __init__(self, executor: Any, ahead: int, breaks: Callable[[], Any] | None = None) -> None:
        self.executor, self.ahead, self.breaks = executor, ahead, breaks
        self.given = executor.executor if isinstance(executor, Given) else None
        self.is_cluster = self.given is not None and is_dask(self.given)
        self._workers, self._asked, self._reached = 0, -OFTEN, time.monotonic()

    @property
    def workers(self) -> int:
        """How many tasks run at a time, as far as this can be known."""
        if not self.is_cluster:
            return int(getattr(self.given, "_max_workers", self.ahead))
        if time.monotonic() - self._asked > OFTEN:
            self._asked = time.monotonic()
            with suppress(Exception):  # of a scheduler that does not answer: `check` judges it
                self._workers = sum(self.given.nthreads().values()) if self.given.status == "running" else 0  # type: ignore[union-attr]
        return self._workers

    def check(self) -> None:
        """Raises `EngineGone` if a scheduler is not reached for too long."""
        if not self.is_cluster:
            return
        now, status = time.monotonic(), self.given.status  # type: ignore[union-attr]
        if status == "running":
            self._reached = now
        elif status in ("closed", "closing") or now - self._reached > UNREACHABLE:
            raise EngineGone("The scheduler of the cluster is gone")

    def is_lost(self, fault: BaseException) -> bool:
        """Whether a task has no result because its process ended."""
        return isinstance(fault, BrokenExecutor) or type(fault).__name__ == "KilledWorker"

    @property
    def at_once(self) -> int:
        """How many tasks are submitted at a time, at most."""
        return self.ahead if self.is_cluster else 1

    def submit(self, work: Callable[..., Any], tasks: Sequence[tuple]) -> list[Any]:
        if self.is_cluster:
            return self.executor.submit_all(work, tasks)
        return [self.executor.submit(work, *arguments) for arguments in tasks]

    @property
    def pause(self) -> float:
        """Seconds for which ends of tasks are collected."""
        return TOGETHER if self.is_cluster else 0.0

    def fetched(self, futures: Sequence[Any]) -> dict[int, Any]:
        """Results of tasks that have ended, by the identity of their futures, which a cluster sends in one message.
        Those that are not among them have to be asked for one by one."""
        whole = [future for future in futures if self.is_cluster and future.status == "finished"]
        if len(whole) > 1:
            with suppress(Exception):  # found out anew, task by task
                return dict(zip(map(id, whole), self.given.gather(whole), strict=True))  # type: ignore[union-attr]
        return {}

    def cancel(self, futures: Sequence[Any]) -> None:
        """What has not begun; what a cluster has begun, it ends."""
        with suppress(Exception):  # of a scheduler that is gone
            if self.is_cluster and futures:
                self.given.cancel(futures)  # type: ignore[union-attr]  # at once, not one by one
                return
        for future in () if self.is_cluster else futures:
            with suppress(Exception):
                future.cancel()

    def renew(self) -> None:
        """After its processes ended."""
        if self.breaks is None:
            raise EngineGone("The processes of the executor ended unexpectedly")
        self.executor = self.breaks()


@contextmanager
def engine_for(executor: Any, workers: int | None) -> Iterator[Engine]:
    """The user's executor, or local processes with a thread each: also if it is one, so that nothing that happens in a
    task can end this process."""
    if executor is not None:
        given = Given(executor)
        slots = getattr(executor, "_max_workers", None)  # of concurrent.futures
        yield Engine(given, AHEAD if slots is None else slots + 1)
        return
    number = workers or n_cores()

    def begin() -> Any:
        return processes(number)

    engine = Engine(begin(), number, begin)
    try:
        yield engine
    except BaseException:
        engine.executor.shutdown(wait=True, kill_workers=True)
        raise


def scheduled(
    work: Callable[..., Any],
    tasks: Iterable[tuple[str, tuple]],
    engine: Engine,
    is_busy: Callable[[Any], bool] = lambda result: False,
) -> Generator[tuple[str, Any] | None, None, None]:
    """(name, result or `Lost`) of each task, as they end; None whenever a second has passed without one.

    is_busy: of a result that says that the task has to be tried again later. Whoever stops asking cancels the rest.
    """
    coming = iter(tasks)
    again: deque[tuple[str, tuple]] = deque()  # lost: one at a time, where all processes end with one
    later: deque[tuple[float, str, tuple]] = deque()
    flying: dict[int, tuple[str, tuple, Any]] = {}
    lost: Counter[str] = Counter()
    endings = Endings()

    def waiting() -> Iterator[tuple[str, tuple]]:
        """Those that can be begun now, first things first."""
        while True:
            if again:
                yield again.popleft()
            elif later and later[0][0] < time.monotonic():
                yield later.popleft()[1:]
            elif (task := next(coming, None)) is not None:
                yield task
            else:
                return

    try:
        while True:
            suspect = engine.breaks and (again or any(lost[name] for name, _, _ in flying.values()))
            room = 1 if suspect else engine.ahead
            while batch := list(islice(waiting(), max(0, min(room - len(flying), engine.at_once)))):
                try:
                    futures = engine.submit(work, [arguments for _, arguments in batch])
                except BrokenExecutor:  # the others report it, too
                    again.extendleft(reversed(batch))
                    if not flying:
                        engine.renew()
                    break
                for (name, arguments), future in zip(batch, futures, strict=True):
                    flying[id(future)] = name, arguments, future
                    endings.add(future)
                    if engine.breaks and lost[name]:
                        room = 1
            if not (flying or again or later):
                return
            ended = endings.several(OFTEN if flying else 0.0, engine.pause)
            if not ended:
                engine.check()
                if not flying:
                    time.sleep(OFTEN / 4)
                yield None
                continue
            results = engine.fetched(ended)
            for future in ended:
                name, arguments, _ = flying.pop(id(future))
                try:
                    result = results[id(future)] if id(future) in results else future.result()
                except CancelledError:
                    raise EngineGone("The scheduler of the cluster is gone, or its tasks were cancelled") from None
                except Exception as fault:
                    if not engine.is_lost(fault):
                        result = Lost(f"{type(fault).__name__}: {fault}")
                    else:
                        lost[name] += 1
                        given_up = lost[name] >= TRIES
                        if not given_up:
                            again.append((name, arguments))
                        if not flying and isinstance(fault, BrokenExecutor):
                            engine.renew()
                        if not given_up:
                            continue
                        result = Lost(
                            f"its process ended unexpectedly, {TRIES} times, perhaps for want of memory: use fewer "
                            "workers on a machine, or fewer readings"
                        )
                if is_busy(result):
                    later.append((time.monotonic() + OFTEN, name, arguments))
                    yield None
                    continue
                yield name, result
    finally:
        engine.cancel([future for _, _, future in flying.values()])
