"""The overhead of a sweep, and whether it loses cases: with local processes, and on a Dask cluster.

    python benchmarks/sweep.py run RECORD.json [--cases 64] [--kills 10] [--queued 10000] [--only NAME …]

It measures, and writes after each part (--only: engines, killed, queued, messages)
- engines: small cases (heat, 8 sensors, 16 times, noise 0.01, two candidates) on 2 local processes and on 2 local
  workers of Dask, in the order local, cluster (and with --rounds 2 cluster, local, so that other programs affect both
  alike); every file of every run is compared, byte for byte;
- killed: the same on the cluster while workers are killed (SIGKILL) at random times; compared with the undisturbed;
- queued: trivial cases (their file does not exist) on the cluster: seconds a case, and the driver's memory;
- messages: time of Dask's scheduler for a task that does nothing, and the sizes of messages.

``scale.py`` makes a page of the record, with a plan for 10⁵ runs. Needs `pip install "pdescry[cluster]"`.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import platform
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from provenance import commit

import pdescry
from pdescry.data import systems
from pdescry.files import write_json
from pdescry.sweeps import Case, Study, load_study

WORKERS = 2
SETTINGS = {"law": {"candidates": ["u_x", "u_xx"]}}
COMPARED = ("law.json", "joint.nc", "config.toml", "readings.csv", "forward.csv")
FIRST_LAYOUT = 50  # layouts below are for design


@contextmanager
def cluster() -> Iterator[tuple[Any, Any]]:
    from distributed import Client, LocalCluster

    options: Any = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(n_workers=WORKERS, **options) as here, Client(here) as client:
        yield here, client


def write_readings(folder: Path, number: int) -> None:
    folder.mkdir()
    for k in range(number):
        times = np.linspace(0, 3, 16)
        readings = systems.heat().observe(noise=0.01, seed=FIRST_LAYOUT + k, sensors=8, times=times)
        readings.to_csv(folder / f"rod{k:03d}.csv")


def swept(files: Path, folder: Path, executor: Any = None) -> tuple[Study, float]:
    began = time.monotonic()
    study = pdescry.sweep(files / "*.csv", folder, config=SETTINGS, executor=executor, workers=WORKERS, reports=False)
    return study, time.monotonic() - began


def differing(one: Study, other: Study) -> list[str]:
    """Files of the runs of ``one`` that differ in the other, and "table"."""
    found = []
    for name in one.cases:
        for file in COMPARED:
            here, there = (each.path / "cases" / name / file for each in (one, other))
            if here.exists() != there.exists() or (here.exists() and here.read_bytes() != there.read_bytes()):
                found.append(f"{name}/{file}")
    tables = [each.table.set_index("case").loc[list(one.cases)].drop(columns="seconds") for each in (one, other)]
    if tables[0].to_csv() != tables[1].to_csv():
        found.append("table")
    return found


def measure_engines(place: Path, files: Path, rounds_of_both: int) -> dict[str, Any]:
    told, studies = [], []
    for number, where in enumerate(("local", "cluster", "cluster", "local")[: 2 * rounds_of_both]):
        folder = place / f"engine{number}"
        # In a process of its own, whose processor time, with that of all its workers, is known when it has ended.
        process = subprocess.Popen([sys.executable, __file__, "one", where, str(files), str(folder)])
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"The sweep on {where} failed.")
        study = load_study(folder)
        once = json.loads((place / f"engine{number}.json").read_text())
        once |= {"where": where, "processor": used.ru_utime + used.ru_stime, "done": study.done}
        print(json.dumps(once), flush=True)
        told.append(once)
        studies.append(study)

    def ratio(what: str) -> float:
        cluster, local = (sum(each[what] for each in told if each["where"] == where) for where in ("cluster", "local"))
        return cluster / local

    return {
        "cases": len(studies[0].cases),
        "rounds": told,
        "ratio": ratio("seconds"),
        "processor_ratio": ratio("processor"),
        "differing": [name for other in studies[1:] for name in differing(studies[0], other)],
    }


def one(where: str, files: Path, folder: Path) -> None:
    """A sweep; its seconds go into a file beside its folder."""
    if where == "local":
        study, seconds = swept(files, folder)
    else:
        with cluster() as (_, client):
            study, seconds = swept(files, folder, client)
    worked = float(np.sum(study.table["seconds"].to_numpy(float)))
    # Overhead of each case: starting, importing, sending, waiting, writing results.
    beside = (seconds * WORKERS - worked) / len(study.cases)
    write_json(folder.with_suffix(".json"), {"seconds": seconds, "of_cases": worked, "beside_a_case": beside})


def measure_killed(place: Path, files: Path, kills: int, disturbed: int) -> dict[str, Any]:
    calm, _ = swept(files, place / "engine0")  # only read, if it exists already
    some = place / "some"
    some.mkdir()
    for file in sorted(files.iterdir())[:disturbed]:
        shutil.copy2(file, some / file.name)
    names = [file.stem for file in some.iterdir()]
    seconds_of = calm.table.set_index("case")["seconds"]
    expected = float(np.sum(seconds_of.loc[names].to_numpy(float))) / WORKERS
    random = np.random.default_rng(0)
    moments = sorted(random.uniform(0.02, 0.95, kills) * expected)
    killed: list[float] = []
    with cluster() as (here, client):
        began, over = time.monotonic(), threading.Event()

        def kill() -> None:
            for moment in moments:
                if over.wait(max(0.0, moment - (time.monotonic() - began))):
                    return
                pids = [nanny.pid for nanny in here.workers.values() if nanny.pid]
                if pids:
                    os.kill(int(random.choice(pids)), signal.SIGKILL)
                    killed.append(time.monotonic() - began)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        study, seconds = swept(some, place / "killed", client)
        over.set()
        killer.join()
    return {
        "cases": len(study.cases),
        "kills": len(killed),
        "moments": killed,
        "seconds": seconds,
        "done": study.done,
        "differing": differing(study, calm),
    }


def measure_queued(number: int) -> dict[str, Any]:
    """Runs `queue` in a process of its own, to measure its memory."""
    done = subprocess.run([sys.executable, __file__, "queue", str(number)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def queue(number: int) -> None:
    cases = [
        Case(f"case{k:06d}", (f"/nowhere/{k}.csv",), settings={**SETTINGS, "seed": k}, varied={"seed": k})
        for k in range(number)
    ]
    with tempfile.TemporaryDirectory() as folder, cluster() as (_, client):
        began, before = time.monotonic(), time.process_time()
        study = pdescry.sweep(cases, Path(folder) / "study", executor=client, reports=False)
        seconds, used = time.monotonic() - began, time.process_time() - before
        sizes = {name: (study.path / name).stat().st_size for name in ("cases.jsonl", "outcomes.jsonl", "index.html")}
        told = {
            "cases": number,
            "ended": len(study.failures),
            "seconds_a_case": seconds / number,
            "driver_seconds_a_case": used / number,  # of its processor, with Dask's client and its scheduler
            "driver_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "bytes_a_case": {name: size / number for name, size in sizes.items()},
        }
    print(json.dumps(told))


def nothing(case: Any) -> None:
    return None


def measure_messages(place: Path, files: Path) -> dict[str, Any]:
    """Of the scheduler alone: tasks that do nothing, all at once, including the round trip."""
    swept(files, place / "engine0")
    run = next((place / "engine0" / "cases").iterdir())
    case = Case(f"case{0:06d}", (str(next(files.iterdir())),), settings=SETTINGS, varied={"seed": 0})
    outcome = (place / "engine0" / "outcomes.jsonl").read_text().splitlines()[0]
    number = 4000
    with cluster() as (_, client):
        client.gather(client.map(nothing, range(100), pure=False))
        began = time.monotonic()
        client.gather([client.submit(nothing, case, pure=False) for _ in range(number)])
        seconds = (time.monotonic() - began) / number
    kept = {each.name: each.stat().st_size for each in run.iterdir() if each.is_file()}
    return {
        "seconds_a_task": seconds,
        "bytes_of_a_case": len(pickle.dumps(case)),
        "bytes_of_an_outcome": len(outcome),
        "bytes_of_a_run": sum(kept.values()),
        "files_of_a_run": len(kept),
    }


def run(record: Path, number: int, rounds: int, kills: int, disturbed: int, queued: int, only: list[str]) -> None:
    found: dict[str, Any] = json.loads(record.read_text()) if record.exists() else {}
    found |= {"python": platform.python_version(), "cores": os.cpu_count()}
    place = Path(tempfile.mkdtemp(prefix="pdescry-sweep-"))
    try:
        files = place / "rods"
        write_readings(files, number)
        parts = {
            "engines": lambda: measure_engines(place, files, rounds),
            "killed": lambda: measure_killed(place, files, kills, disturbed),
            "queued": lambda: measure_queued(queued),
            "messages": lambda: measure_messages(place, files),
        }
        for name, measure in parts.items():
            if name in only:
                found[name] = measure() | {"commit": commit()}
                write_json(record, found)
                print(name, json.dumps(found[name]), flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    parts = ("engines", "killed", "queued", "messages")
    each = commands.add_parser("run")
    each.add_argument("record", type=Path)
    each.add_argument("--cases", type=int, default=64)
    each.add_argument("--rounds", type=int, choices=(1, 2), default=2)
    each.add_argument("--disturbed", type=int, default=64, help="cases while workers are killed")
    each.add_argument("--kills", type=int, default=10)
    each.add_argument("--queued", type=int, default=10_000)
    each.add_argument("--only", nargs="+", choices=parts, default=list(parts))
    each = commands.add_parser("one")
    each.add_argument("where", choices=("local", "cluster"))
    each.add_argument("files", type=Path)
    each.add_argument("folder", type=Path)
    each = commands.add_parser("queue")
    each.add_argument("number", type=int)
    given = parser.parse_args()
    if given.command == "run":
        run(given.record, given.cases, given.rounds, given.kills, given.disturbed, given.queued, given.only)
    elif given.command == "one":
        one(given.where, given.files, given.folder)
    else:
        queue(given.number)


if __name__ == "__main__":
    main()
