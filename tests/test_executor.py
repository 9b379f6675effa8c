"""Work is the same wherever it is done, and comes back in order."""

from __future__ import annotations

import os
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest

from pdescry.executor import Inline, in_order, load_ahead, local_executor, one_by_one, processes_ahead


def inverse(number: int) -> np.ndarray:
    """With a sum whose last digits would depend on threads."""
    random = np.random.default_rng(number)
    matrix = random.normal(size=(60, 60))
    return np.linalg.inv(matrix @ matrix.T + np.eye(60))


def failing() -> None:
    raise ValueError("of a task")


def test_processes_do_what_this_one_does() -> None:
    tasks = [(inverse, (number,)) for number in range(6)]
    told: list[float] = []
    here = in_order(Inline(), tasks, told.append)
    with local_executor(2) as pool:
        there = in_order(pool, tasks, told.append)
        assert pool.submit(os.getpid).result() != os.getpid()
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)
    assert told == pytest.approx([k / 6 for k in range(1, 7)] * 2)


def test_one_worker_is_this_process() -> None:
    with local_executor(1) as executor:
        assert isinstance(executor, Inline)
        assert executor.submit(os.getpid).result() == os.getpid()


def test_what_goes_wrong_in_a_task_is_told() -> None:
    with pytest.raises(ValueError, match="of a task"):
        in_order(Inline(), [(failing, ())], lambda share: None)
    with local_executor(2) as pool, pytest.raises(ValueError, match="of a task"):
        in_order(pool, [(failing, ())], lambda share: None)


class Backwards:
    """Ends its tasks from the last to the first."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Any, tuple]] = []

    def submit(self, fn: Any, /, *args: Any) -> Future[Any]:
        self.waiting.append((Future(), fn, args))
        if len(self.waiting) == 3:
            for future, function, arguments in reversed(self.waiting):
                future.set_result(function(*arguments))
        return self.waiting[-1][0]


def test_results_come_in_the_order_of_tasks() -> None:
    assert in_order(Backwards(), [(abs, (-k,)) for k in range(3)], lambda share: None) == [0, 1, 2]
    assert in_order(Inline(), [], lambda share: None) == []


class Foreign:
    """As of another library: no `Future` of Python's."""

    def submit(self, fn: Any, /, *args: Any) -> Any:
        class Promise:
            def result(self) -> Any:
                return fn(*args)

        return Promise()


def test_executors_of_other_libraries_will_do() -> None:
    told: list[float] = []
    assert in_order(Foreign(), [(abs, (-k,)) for k in range(2)], told.append) == [0, 1]
    assert told == [0.5, 1.0]


def test_an_interrupt_ends_the_processes() -> None:
    def interrupted() -> None:
        with local_executor(2) as pool:
            pool.submit(os.getpid).result()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with local_executor(2) as pool:  # and others take their place
        assert pool.submit(abs, -1).result() == 1


def test_one_by_one_begins_few_before_they_are_asked_for() -> None:
    begun: list[int] = []
    results = one_by_one(Inline(), [(begun.append, (number,)) for number in range(5)])
    next(results)
    assert begun == [0]
    with local_executor(2) as executor:
        assert list(one_by_one(executor, [(abs, (-number,)) for number in range(30)])) == list(range(30))


def test_processes_that_are_started_early_are_those_that_are_used() -> None:
    with processes_ahead(2, "json"), local_executor(2) as executor:
        first = executor.submit(os.getpid).result()
        load_ahead(2, "tomllib")
        assert executor.submit(os.getpid).result() != os.getpid() != first
    with local_executor(2) as executor:  # those are gone, and others take their place
        assert executor.submit(os.getpid).result() not in (first, os.getpid())
    with processes_ahead(1, "json"):  # of one worker there is none to start
        pass
