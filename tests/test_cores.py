"""Work that keeps to one thread, and to memory that it has."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from pdescry.cores import keep_freed_memory, one_core_environment, one_thread_of_any_kind

CHURNING = """
import resource
import sys
import numpy as np
from pdescry.executor import single_threaded

def churn(rounds):
    for _ in range(rounds):
        np.ones(100_000)

if sys.argv[1] == "task":
    single_threaded(churn, 3)
churn(3)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
churn(500)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how: str, **variables: str) -> int:
    """Pages that the system has to map for 500 arrays of 0.8 MB, of which one at a time is alive."""
    environment = {name: value for name, value in one_core_environment().items() if not name.startswith("MALLOC_")}
    command = [sys.executable, "-c", CHURNING, how]
    done = subprocess.run(command, env=environment | variables, capture_output=True, text=True, check=True)
    return int(done.stdout)


def has_glibc() -> bool:
    import platform

    return platform.libc_ver()[0] == "glibc"


@pytest.mark.skipif(not has_glibc(), reason="another malloc")
def test_a_task_keeps_its_memory_where_dask_has_it_returned() -> None:
    of_dask = {"MALLOC_TRIM_THRESHOLD_": "65536"}
    pages = 500 * 800_000 // 4096
    assert faults("plain", **of_dask) > pages / 2  # else there is nothing to do
    assert faults("task", **of_dask) < pages / 20
    chosen = {**of_dask, "MALLOC_MMAP_THRESHOLD_": "131072"}  # by somebody who knows it
    assert faults("task", **chosen) > pages / 2


def test_processes_of_a_worker_keep_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    monkeypatch.delenv("MALLOC_MMAP_THRESHOLD_", raising=False)
    assert "MALLOC_TRIM_THRESHOLD_" not in one_core_environment()
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "131072")
    assert one_core_environment()["MALLOC_TRIM_THRESHOLD_"] == "65536"


def test_where_nothing_is_set_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    keep_freed_memory.cache_clear()
    assert not keep_freed_memory()


def test_one_thread_and_then_as_many_as_before() -> None:
    np.linalg.inv(np.eye(3))

    def threads() -> list[int]:
        return [each["num_threads"] for each in ThreadpoolController().info()]

    with ThreadpoolController().limit(limits=2):
        before = threads()
        with one_thread_of_any_kind():
            assert set(threads()) == {1}
        assert threads() == before
    assert 2 in before


def test_libraries_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with one_thread_of_any_kind():
        pass
    monkeypatch.setattr("pdescry.cores.ThreadpoolController", lambda: pytest.fail("looked for again"))
    with one_thread_of_any_kind():
        pass
