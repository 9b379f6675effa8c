"""Jobs over processes: failures stay with their job, and nothing outlives an interruption."""

from __future__ import annotations

import importlib
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pdescry.errors import PdescryError
from pdescry.experiments.jobs import run_jobs

# A module that the processes can import, wherever the tests are.
JOBS = """
import os, pathlib, time, warnings
from pdescry.errors import InputError

def work(job, workers, progress):
    folder, what = job
    progress("working", 0.5, None)
    (pathlib.Path(folder) / f"{what}.{os.getpid()}.{workers}").write_text(os.environ.get("NPROC", ""))
    if what == "fails":
        raise InputError("Expected another job.")
    if what == "dies":
        os._exit(7)
    if what == "warns":
        warnings.warn("A word of warning.")
    if what == "stays":
        time.sleep(600)
"""


@pytest.fixture
def work(tmp_path_factory, monkeypatch):
    home = tmp_path_factory.mktemp("jobs")
    (home / "pdescry_test_jobs.py").write_text(JOBS)
    monkeypatch.syspath_prepend(home)
    return importlib.import_module("pdescry_test_jobs").work


def jobs(folder, *names: str) -> dict[str, tuple[str, str]]:
    return {name: (str(folder), name) for name in names}


def silent(stage: str, fraction: float, left: float | None) -> None:
    pass


@pytest.mark.slow
def test_processes_side_by_side_keep_to_one_thread_each(work, tmp_path, monkeypatch):
    monkeypatch.setenv("NPROC", "8")
    assert run_jobs(work, jobs(tmp_path, "one", "two"), 2, silent) == {}
    assert [path.read_text() for path in tmp_path.iterdir()] == ["1", "1"]
    assert os.environ["NPROC"] == "8"
    monkeypatch.delenv("NPROC")
    assert run_jobs(work, jobs(tmp_path, "one", "two"), 2, silent) == {}
    assert "NPROC" not in os.environ


def test_in_turn_a_failure_does_not_lose_the_others(work, tmp_path):
    told: list[tuple[str, float]] = []

    def progress(stage: str, fraction: float, left: float | None) -> None:
        told.append((stage, fraction))

    failures = run_jobs(work, jobs(tmp_path, "one", "fails", "two"), 1, progress)
    assert failures == {"fails": "Expected another job."}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"{name}.{os.getpid()}.1" for name in ("one", "fails", "two")
    )
    assert told[0] == ("0 of 3 cells done; one: working", pytest.approx(1 / 6))
    assert told[-1] == ("3 of 3 cells done; two", pytest.approx(1))
    assert [fraction for _, fraction in told] == sorted(fraction for _, fraction in told)


def test_a_single_job_stays_here_and_may_use_every_core(work, tmp_path):
    assert run_jobs(work, jobs(tmp_path, "one"), 8, silent) == {}
    assert [path.name for path in tmp_path.iterdir()] == [f"one.{os.getpid()}.None"]


def test_a_bug_is_no_failure_of_a_job(tmp_path):
    def broken(job, workers, progress):
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        run_jobs(broken, jobs(tmp_path, "one"), 1, silent)
    assert not issubclass(RuntimeError, PdescryError)


@pytest.mark.slow
def test_over_processes_each_fails_alone(work, tmp_path):
    with pytest.warns(UserWarning, match=r"warns: A word of warning\."):
        failures = run_jobs(work, jobs(tmp_path, "fails", "dies", "warns"), 2, silent)
    assert failures.pop("fails") == "Expected another job."
    assert failures.pop("dies").startswith("its process ended unexpectedly, 3 times")
    assert failures == {}
    names = [path.name.split(".") for path in tmp_path.iterdir()]
    assert {name for name, _, _ in names} == {"dies", "fails", "warns"}
    assert {workers for _, _, workers in names} == {"1"}
    assert str(os.getpid()) not in {pid for _, pid, _ in names}


def test_on_an_executor_of_the_users(work, tmp_path):
    with pytest.warns(UserWarning, match=r"warns: A word of warning\."), ThreadPoolExecutor(1) as executor:
        failures = run_jobs(work, jobs(tmp_path, "fails", "warns"), 2, silent, executor)
    assert failures == {"fails": "Expected another job."}
    assert len(list(tmp_path.iterdir())) == 2


def test_interrupted_it_ends_its_processes(work, tmp_path):
    def interrupted(stage: str, fraction: float, left: float | None) -> None:
        while not list(tmp_path.glob("stays.*")):
            time.sleep(0.05)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_jobs(work, jobs(tmp_path, "stays", "one"), 2, interrupted)
    (name,) = (path.name for path in tmp_path.glob("stays.*"))
    with pytest.raises(ProcessLookupError):
        os.kill(int(name.split(".")[1]), 0)
