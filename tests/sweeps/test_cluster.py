"""Faults on a real cluster of Dask: a worker killed, a scheduler gone, a full disk; and the same laws everywhere."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import pdescry
from pdescry import InputError, PdescryError, Study
from pdescry.cluster import check_workers_of, connected
from pdescry.executor import PROFILED
from tests.sweeps.conftest import SETTINGS, rod

distributed: Any = pytest.importorskip("distributed")
FILES = ("law.json", "joint.nc", "config.toml", "readings.csv", "forward.csv")


@contextmanager
def cluster(workers: int) -> Iterator[Any]:
    """With processes of their own, of one thread each."""
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(n_workers=workers, **options) as here, distributed.Client(here) as client:
        yield client


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rods")
    for seed in range(1, 5):
        rod(seed).to_csv(folder / f"rod{seed}.csv")
    return folder


@pytest.fixture(scope="module")
def undisturbed(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """On local processes."""
    folder = tmp_path_factory.mktemp("undisturbed")
    return pdescry.sweep(files / "*.csv", folder / "study", config=SETTINGS, workers=2, reports=False)


def same(one: Study, other: Study) -> None:
    """Every file of every run, and the table but for the seconds."""
    for name in one.cases:
        for file in FILES:
            here, there = (each.path / "cases" / name / file for each in (one, other))
            assert here.exists() == there.exists()
            assert not here.exists() or here.read_bytes() == there.read_bytes(), here
    assert one.table.drop(columns="seconds").to_csv() == other.table.drop(columns="seconds").to_csv()


def after(seconds: float, do: Callable[[], Any]) -> None:
    timer = threading.Timer(seconds, do)
    timer.daemon = True
    timer.start()


def test_a_cluster_does_what_this_process_does(tmp_path: Path) -> None:
    """A small one, in this process."""
    rod(1).to_csv(tmp_path / "rod.csv")
    options = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(n_workers=1, **options) as here, connected(here.scheduler_address) as client:
        assert check_workers_of(client) is None
        study = pdescry.sweep(tmp_path / "rod.csv", tmp_path / "study", config=SETTINGS, executor=client, reports=False)
        law = pdescry.discover(pdescry.read(tmp_path / "rod.csv"), config=SETTINGS, workdir=tmp_path / "run",
                               executor=client, figures=False)  # fmt: skip
        (worker,) = here.workers.values()
        assert worker.periodic_callbacks["profile"].callback_time == PROFILED
    assert str(study.law("rod")) == str(law)
    for name in ("law.json", "joint.nc"):
        assert (tmp_path / "run" / name).read_bytes() == (study.path / "cases" / "rod" / name).read_bytes()


def test_where_there_is_no_scheduler_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdescry.cluster.PATIENCE", 0.3)
    with pytest.raises(InputError, match="Cannot reach a scheduler"), connected("tcp://127.0.0.1:9"):
        pass
    with pytest.raises(InputError, match="there is no such file"), connected(str(tmp_path / "scheduler.json")):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r'pip install "pdescry\[cluster\]"'), connected("tcp://127.0.0.1:9"):
        pass


def test_workers_of_another_version_are_refused() -> None:
    class Client:
        def run(self, *_: Any, **__: Any) -> dict[str, str]:
            return {"tcp://a:1": "0.0.1"}

    with pytest.raises(InputError, match=r"the worker tcp://a:1 has version 0\.0\.1"):
        check_workers_of(Client())


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_of_a_case(files: Path, undisturbed: Study, tmp_path: Path) -> None:
    with cluster(2) as client:
        for seconds in (3.0, 8.0):
            after(seconds, lambda: os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL))
        study = pdescry.sweep(files / "*.csv", tmp_path / "study", config=SETTINGS, executor=client, reports=False)
    assert study.failures == {}
    same(study, undisturbed)


@pytest.mark.slow
def test_one_run_on_a_cluster_is_the_same_bit_for_bit(files: Path, tmp_path: Path) -> None:
    readings = pdescry.read(files / "rod1.csv")
    pdescry.discover(readings, "small", workdir=tmp_path / "here", workers=1, figures=False)
    with cluster(2) as client:
        pdescry.discover(readings, "small", workdir=tmp_path / "there", executor=client, figures=False)
    for name in ("law.json", "joint.nc"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


@pytest.mark.slow
def test_a_full_disk_at_one_worker(files: Path, undisturbed: Study, tmp_path: Path) -> None:
    def fill() -> None:
        import pdescry.discovery.run as run

        def full(*_: Any) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        run.kept, run.write_readings = run.write_readings, full  # pyright: ignore[reportAttributeAccessIssue]

    def clear() -> None:
        import pdescry.discovery.run as run

        run.write_readings = run.kept  # pyright: ignore[reportAttributeAccessIssue]

    with cluster(2) as client:
        one = [next(iter(client.run(os.getpid)))]
        client.run(fill, workers=one)
        study = pdescry.sweep(files / "*.csv", tmp_path / "study", config=SETTINGS, executor=client, reports=False)
        assert study.failures
        assert all("No space left on device" in reason for reason in study.failures.values())
        assert study.done == len(study.cases) - len(study.failures)
        client.run(clear, workers=one)
        again = pdescry.sweep(files / "*.csv", tmp_path / "study", config=SETTINGS, executor=client, reports=False)
    assert again.failures == {}
    same(again, undisturbed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The cluster has no workers yet")
def test_the_scheduler_gone_is_told_and_the_sweep_goes_on_with_another(
    files: Path, undisturbed: Study, tmp_path: Path
) -> None:
    def begin(*words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-m", "dask", *words], stderr=subprocess.DEVNULL)

    place = tmp_path / "scheduler.json"
    scheduler = begin("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(place))
    worker = begin("worker", "--scheduler-file", str(place), "--nthreads", "1", "--no-dashboard")
    try:
        while not place.exists():
            time.sleep(0.1)
        with connected(str(place)) as client:
            client.wait_for_workers(1)

            def kill(what: str, fraction: float, left: float | None) -> None:
                if fraction > 0:
                    scheduler.kill()

            with pytest.raises(PdescryError, match=r"scheduler of the cluster is gone.*of 4 cases are done"):
                pdescry.sweep(
                    files / "*.csv", tmp_path / "study", config=SETTINGS, executor=client, reports=False, progress=kill
                )
    finally:
        for process in (scheduler, worker):
            process.terminate()
            process.wait()
    study = pdescry.sweep(files / "*.csv", tmp_path / "study", config=SETTINGS, workers=2, reports=False)
    same(study, undisturbed)


@pytest.mark.slow
def test_a_sweep_that_is_interrupted_says_how_to_go_on(files: Path, undisturbed: Study, tmp_path: Path) -> None:
    words = ["sweep", *map(str, sorted(files.glob("*.csv"))), "-o", "study", "-c", "u_x, u_xx", "--no-reports"]
    command = [sys.executable, "-m", "pdescry", *words, "--workers", "1"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    first = process.stderr.readline()
    assert first.startswith("[1/4")
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    assert "Interrupted; what is finished is in study: go on with `pdescry sweep study`." in told
    done = subprocess.run(
        [sys.executable, "-m", "pdescry", "sweep", "study", "--no-reports"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert "of 4 cases were done before" in done.stderr
    same(pdescry.sweeps.load_study(tmp_path / "study"), undisturbed)  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.slow
def test_chains_of_a_network_run_on_the_cluster(tmp_path: Path) -> None:
    import numpy as np

    from pdescry.surrogate import interpolate
    from tests.surrogate.conftest import SMALL, wave

    here = interpolate(wave(), **SMALL, workers=1)
    with cluster(2) as client:
        there = interpolate(wave(), **SMALL, executor=client, workdir=tmp_path)
    np.testing.assert_array_equal(there.positions, here.positions)
