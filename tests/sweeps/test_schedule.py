"""Tasks on engines: those that are lost come again, and what ends its process is found out."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import BrokenExecutor, CancelledError, Future
from pathlib import Path
from typing import Any

import pytest

from pdescry.errors import InputError, PdescryError
from pdescry.executor import Endings, Given
from pdescry.sweeps.schedule import Engine, EngineGone, Lost, engine_for, scheduled


def ended(found: Any) -> dict[str, Any]:
    return dict(each for each in found if each is not None)


def doubled(number: int) -> int:
    return 2 * number


def deadly(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def failing(number: int) -> int:
    raise OSError(28, "No space left on device")


def test_processes_also_if_it_is_one() -> None:
    with engine_for(None, 1) as engine:
        found = ended(scheduled(os.getpid, (("a", ()), ("b", ())), engine))
    assert found["a"] == found["b"] != os.getpid()


@pytest.mark.slow
def test_a_task_that_ends_its_process_is_given_up_and_stops_no_other() -> None:
    with engine_for(None, 2) as engine:
        found = ended(scheduled(deadly, ((str(number), (number,)) for number in range(6)), engine))
    lost = found.pop("3")
    assert isinstance(lost, Lost)
    assert "ended unexpectedly, 3 times" in lost.reason
    assert found == {str(number): number for number in (0, 1, 2, 4, 5)}


class Scripted:
    """Its tasks end as the script has it, whatever they are: with an exception, or with their own result."""

    _max_workers = 2

    def __init__(self, *script: BaseException | None) -> None:
        self.script, self.most, self.now = list(script), 0, 0

    def submit(self, fn: Any, /, *args: Any) -> Future[Any]:
        future: Future[Any] = Future()
        fault = self.script.pop(0) if self.script else None
        if fault is None:
            future.set_result(fn(*args))
        else:
            future.set_exception(fault)
        return future


class KilledWorker(Exception):
    """As Dask calls it."""


def test_a_task_that_lost_its_worker_comes_again() -> None:
    tasks = [(str(number), (number,)) for number in range(3)]
    with engine_for(Scripted(KilledWorker(), None, KilledWorker()), None) as engine:
        assert ended(scheduled(doubled, tasks, engine)) == {"0": 0, "1": 2, "2": 4}
    with engine_for(Scripted(*[KilledWorker()] * 3), None) as engine:
        (lost,) = ended(scheduled(doubled, tasks[:1], engine)).values()
        assert "3 times" in lost.reason


class Breaking:
    """Processes that all end where task 1 runs; counts how many ran at a time with it."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Any, tuple]] = []
        self.beside: list[int] = []

    def submit(self, fn: Any, /, *args: Any) -> Future[Any]:
        self.waiting.append((Future(), fn, args))
        return self.waiting[-1][0]

    def run(self) -> None:
        waiting, self.waiting = self.waiting, []
        deadly = any(args == (1,) for _, _, args in waiting)
        if deadly:
            self.beside.append(len(waiting))
        for future, fn, args in waiting:
            future.set_exception(BrokenExecutor()) if deadly else future.set_result(fn(*args))


def test_which_task_ends_the_processes_is_found_by_running_suspects_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Breaking()
    look = Endings.next

    def run_and_look(self: Endings, timeout: float | None = None) -> Any:
        pool.run()
        return look(self, timeout)

    monkeypatch.setattr(Endings, "next", run_and_look)
    engine = Engine(pool, 3, lambda: pool)
    found = ended(scheduled(doubled, ((str(number), (number,)) for number in range(7)), engine))
    assert isinstance(found.pop("1"), Lost)
    assert found == {str(number): 2 * number for number in (0, 2, 3, 4, 5, 6)}
    assert pool.beside == [3, 1, 1]


def test_another_fault_of_the_engine_is_of_its_task_alone() -> None:
    tasks = [(str(number), (number,)) for number in range(2)]
    with engine_for(Scripted(ValueError("no such module")), None) as engine:
        found = ended(scheduled(doubled, tasks, engine))
    assert found == {"0": Lost("ValueError: no such module"), "1": 2}


def test_an_executor_that_broke_or_was_cancelled_is_told() -> None:
    for fault in (BrokenExecutor(), CancelledError()):
        with pytest.raises(EngineGone), engine_for(Scripted(fault), None) as engine:
            list(scheduled(doubled, [("a", (1,))], engine))
    assert issubclass(EngineGone, PdescryError)


def test_what_is_busy_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdescry.sweeps.schedule.OFTEN", 0.02)
    answers = iter(["busy", "busy", "free"])
    with engine_for(Scripted(), None) as engine:
        found = list(scheduled(lambda: next(answers), [("a", ())], engine, lambda result: result == "busy"))
    assert [each for each in found if each is not None] == [("a", "free")]


def test_few_tasks_are_ahead_and_the_rest_is_cancelled() -> None:
    class Slow:
        futures: list[Future[Any]]

        def __init__(self) -> None:
            self.futures = []

        def submit(self, fn: Any, /, *args: Any) -> Future[Any]:
            self.futures.append(Future())
            return self.futures[-1]

    slow = Slow()
    engine = Engine(Given(slow), 3)
    engine.is_cluster = False
    found = scheduled(doubled, ((str(number), (number,)) for number in range(100)), engine)
    threading.Timer(0.05, lambda: slow.futures[0].set_result(0)).start()
    assert next(each for each in found if each is not None) == ("0", 0)
    assert len(slow.futures) == 3
    found.close()
    assert all(future.cancelled() for future in slow.futures[1:])


def test_ends_are_collected_for_a_while() -> None:
    endings, futures = Endings(), [Future() for _ in range(4)]
    for future in futures:
        endings.add(future)
    assert endings.several(0.01, 0.01) == []
    for future in futures[:3]:
        future.set_result(None)
    assert endings.several(0.01, 0.0) == futures[:1]
    assert endings.several(0.01, 0.001) == futures[1:3]


def test_what_is_no_executor_is_told() -> None:
    with pytest.raises(InputError, match="Expected an executor with a method submit"), engine_for("tcp://head", 1):
        pass


class Polled:
    """As submitit's jobs: no callback, but they tell whether they are done."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def done(self) -> bool:
        self.looks -= 1
        return self.looks < 0

    def result(self) -> str:
        return "done"


def test_futures_that_cannot_call_back_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdescry.executor.POLL", 0.001)
    endings, late, soon = Endings(), Polled(3), Polled(1)
    endings.add(late)
    endings.add(soon)
    assert [endings.next(), endings.next()] == [soon, late]
    never = Polled(10**9)
    endings.add(never)
    assert endings.next(timeout=0.01) is None


def test_processes_that_end_while_nobody_looks_are_replaced(tmp_path: Path) -> None:
    with engine_for(None, 1) as engine:
        (pid,) = ended(scheduled(os.getpid, [("a", ())], engine)).values()
        os.kill(pid, signal.SIGKILL)
        (other,) = ended(scheduled(os.getpid, [("a", ())], engine)).values()
    assert other != pid


class Messages:
    """As a client of Dask: its tasks end when it is asked to run them; counts what travels."""

    status = "running"

    def __init__(self) -> None:
        self.sent, self.asked, self.waiting = [], [], []

    def map(self, function: Any, works: Any, *columns: Any, pure: bool) -> list[Any]:
        assert not pure
        futures = [Answer(lambda given=given: function(*given)) for given in zip(works, *columns, strict=True)]
        self.sent.append(len(futures))
        self.waiting += futures
        return futures

    def submit(self, function: Any, *given: Any, pure: bool) -> Any:
        return self.map(function, *[[each] for each in given], pure=pure)[0]

    def gather(self, futures: list[Any]) -> list[Any]:
        self.asked.append(len(futures))
        return [future.value for future in futures]

    def cancel(self, futures: list[Any]) -> None:
        assert not futures

    def run(self) -> None:
        waiting, self.waiting = self.waiting, []
        for future in waiting:
            future.end()


Messages.__module__ = "distributed.client"


class Answer(Future):
    """Of `Messages`."""

    status = "pending"

    def __init__(self, make: Any) -> None:
        super().__init__()
        self.make, self.value = make, None

    def end(self) -> None:
        try:
            self.value = self.make()
            self.status = "finished"
            self.set_result(None)
        except Exception as fault:
            self.status = "error"
            self.set_exception(fault)

    def result(self, timeout: float | None = None) -> Any:
        super().result(timeout)
        return self.value


def cautious(number: int) -> int:
    if number == 7:
        raise ValueError("seven")
    return 2 * number


def test_a_message_to_a_cluster_is_about_many_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Messages()
    look = Endings.next

    def run_and_look(self: Endings, timeout: float | None = None) -> Any:
        client.run()
        return look(self, timeout)

    monkeypatch.setattr(Endings, "next", run_and_look)
    monkeypatch.setattr("pdescry.sweeps.schedule.AHEAD", 40)
    tasks = ((str(number), (number,)) for number in range(101))
    with engine_for(client, None) as engine:
        found = ended(scheduled(cautious, tasks, engine))
    assert found.pop("7") == Lost("ValueError: seven")
    assert found == {str(number): 2 * number for number in range(101) if number != 7}
    assert client.sent == [40, 40, 21]
    assert client.asked == [39, 40, 21]


def test_where_results_cannot_be_fetched_together_each_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Messages()
    monkeypatch.setattr(client, "gather", lambda futures: 1 / 0)
    with engine_for(client, None) as engine:
        found = scheduled(doubled, ((str(number), (number,)) for number in range(3)), engine)
        threading.Timer(0.05, client.run).start()
        assert ended(found) == {"0": 0, "1": 2, "2": 4}
