"""A plan for 10⁵ runs on 1,000 cores, from measurements by ``sweep.py``.

    python benchmarks/scale.py benchmarks/records/sweep.json docs/scale.md

What is sent, what is stored, and the load of the single scheduler: simulated from the measured cost of a case, as a
queue with one server (the scheduler and the driver) that every worker needs between two cases.
"""

from __future__ import annotations

import argparse
import heapq
import json
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from pdescry.experiments.markdown import lay_out
from pdescry.files import appearing

RUNS, CORES = 100_000, 1000
LENGTHS = (2.0, 10.0, 60.0, 300.0)  # seconds of a case: from the benchmark to a default run
SPREAD = 0.5  # sd of the logarithm of a case's seconds
DISK = 200.0  # files that a shared disk creates in a second: an assumption, for a small file server
NAMES = {"engines": "sweeps", "killed": "killed workers", "queued": "queue", "messages": "messages"}  # of parts
WANTED = {"cases": 64, "kills": 10, "queued": 10_000, "ratio": 1.15, "seconds_a_case": 5e-3, "driver_megabytes": 500.0}


def simulated(runs: int, cores: int, seconds: float, cost: float, seed: int = 0) -> dict[str, float]:
    """Cases of about this many seconds on this many workers, each start and end of which takes the scheduler ``cost``
    seconds: the total hours, and the load of workers and scheduler."""
    lengths = np.random.default_rng(seed).lognormal(np.log(seconds) - SPREAD**2 / 2, SPREAD, runs)
    asking = [0.0] * cores  # when each worker requests its next case
    free, last = 0.0, 0.0
    for length in lengths:
        free = max(free, heapq.heappop(asking)) + cost  # one at a time
        heapq.heappush(asking, free + length)
        last = max(last, free + length)
    return {
        "hours": last / 3600,
        "workers_busy": float(lengths.sum()) / (cores * last),
        "scheduler_busy": runs * cost / last,
    }


TEXT = """
# Sweeps at scale

Written by `python benchmarks/scale.py`, from what `python benchmarks/sweep.py run` measured (Python {python}, \
{cores} cores, which other programs used at the same time).
Commits of the measurements: {commits}.

## What was measured

{cases} small cases (heat, 8 sensors, 16 times, noise 0.01, candidates u_x and u_xx) on 2 local processes and on \
2 local workers of Dask, in this order:

{rounds}

The cluster took {ratio:.2f} times the time of local processes; of 64 cases, at most 1.15 times is wanted: {ratio_met}.
By the processor time of all processes it is {processor_ratio:.2f} times, which other programs change less.
"Beside a case" is a worker's time that no case has: starting, importing, sending, waiting, writing the results.
Between these sweeps, {differing} of the files of runs differ (law.json, joint.nc, config.toml, readings.csv, \
forward.csv, and the table but for its seconds).

While {kills} workers were killed (SIGKILL) at random moments of such a sweep, {killed_done} of {killed_cases} cases \
were done in the end, and {killed_differing} of their files differ from those of an undisturbed sweep.

{queued_cases:,} trivial cases (their file is not there), queued on the cluster, took {queued_ms:.1f} ms each, all \
in all; at most 5 ms is wanted: {queued_met}.
The driver, with Dask's scheduler in its process, used {driver_ms:.1f} ms of a core for each, and {megabytes:.0f} MB \
of memory at most; at most 500 MB is wanted: {memory_met}.
A task of Dask that does nothing took {task_ms:.1f} ms on the same two workers.

## A plan for {runs:,} runs on {workers:,} cores

**What travels.**
To a worker: the names of files and the settings of a case, {bytes_out:,} bytes.
Back: its outcome, {bytes_back:,} bytes.
For {runs:,} runs that is {travelling:.0f} MB in all.
At most 2,000 cases are sent ahead, so that scheduler and driver keep few of them; readings are read from the shared \
disk.

**What is stored.**
The run directory of such a small case has {files} files and {kilobytes:.0f} kB without its report: {all_files:,} \
files and {gigabytes:.1f} GB in all.
Reports take more than all the rest: pass `--no-reports`, and make those that you want to see with `pdescry report`.
The sweep itself keeps {bytes_asked:.0f} bytes a case for what was asked and {bytes_back:,} for what came of it; \
index.html takes {bytes_page:.0f} bytes a case of failed ones ({page_megabytes:.0f} MB), of which 500 rows are shown \
at a time.

**How busy the scheduler is.**
Simulated: {runs:,} cases, log-normal with an sd of {spread:g} of the logarithm, on {workers:,} workers; every case \
takes the one scheduler and driver {driver_ms:.1f} ms.

{simulation}

**The first limit** is the scheduler, where cases are shorter than {workers:,} × {driver_ms:.1f} ms = {shortest:.1f} \
s: workers then wait for it.
A default run takes tens of seconds of a core and more.
The next limit is the shared disk: {workers:,} workers on cases of 60 s make {files_a_second:.0f} files a second, \
where a small file server may make {disk:.0f} (an assumption, not measured).
Several sweeps with a scheduler each lift the first limit, a parallel file system the second.
The lock of a run directory is the operating system's (flock); on a network disk it has to be supported, as NFS from \
version 4 on does.
"""


def text_of(found: dict[str, Any]) -> str:
    engines, killed, queued, messages = (found[name] for name in ("engines", "killed", "queued", "messages"))
    cost, sizes = queued["driver_seconds_a_case"], queued["bytes_a_case"]
    rounds = [
        ("2 local processes" if each["where"] == "local" else "Dask, 2 workers", f"{each['seconds']:.1f} s",
         f"{each['of_cases']:.1f} s", f"{each['beside_a_case']:.2f} s", f"{each['processor']:.1f} s", f"{each['done']}")
        for each in engines["rounds"]
    ]  # fmt: skip
    plan = []
    for seconds in LENGTHS:
        each = simulated(RUNS, CORES, seconds, cost)
        best = RUNS * seconds / CORES / 3600
        shares = (f"{each['workers_busy']:.0%}", f"{each['scheduler_busy']:.0%}")
        plan.append((f"{seconds:g} s", f"{best:.2f} h", f"{each['hours']:.2f} h", *shares))
    text = TEXT.strip().format(
        commits=", ".join(f"{NAMES[name]} {found[name]['commit']}" for name in NAMES),
        python=found["python"], cores=found["cores"],
        cases=engines["cases"], ratio=engines["ratio"], processor_ratio=engines["processor_ratio"],
        ratio_met=_met(engines["ratio"] <= WANTED["ratio"], engines["cases"] >= WANTED["cases"]),
        rounds=_table(("where", "whole", "sum over cases", "beside a case", "processor", "done"), rounds),
        differing=len(engines["differing"]),
        kills=killed["kills"], killed_done=killed["done"], killed_cases=killed["cases"],
        killed_differing=len(killed["differing"]),
        queued_cases=queued["cases"], queued_ms=1000 * queued["seconds_a_case"],
        queued_met=_met(queued["seconds_a_case"] <= WANTED["seconds_a_case"], queued["cases"] >= WANTED["queued"]),
        driver_ms=1000 * cost, megabytes=queued["driver_megabytes"],
        memory_met=_met(queued["driver_megabytes"] <= WANTED["driver_megabytes"], queued["cases"] >= WANTED["queued"]),
        task_ms=1000 * messages["seconds_a_task"],
        runs=RUNS, workers=CORES, bytes_out=messages["bytes_of_a_case"], bytes_back=messages["bytes_of_an_outcome"],
        travelling=RUNS * (messages["bytes_of_a_case"] + messages["bytes_of_an_outcome"]) / 1e6,
        files=messages["files_of_a_run"], kilobytes=messages["bytes_of_a_run"] / 1e3,
        all_files=RUNS * messages["files_of_a_run"], gigabytes=RUNS * messages["bytes_of_a_run"] / 1e9,
        bytes_asked=sizes["cases.jsonl"], bytes_page=sizes["index.html"],
        page_megabytes=RUNS * sizes["index.html"] / 1e6, spread=SPREAD,
        simulation=_table(("a case takes", "at best", "simulated", "workers busy", "scheduler busy"), plan),
        shortest=CORES * cost, files_a_second=CORES * messages["files_of_a_run"] / 60, disk=DISK,
    )  # fmt: skip
    lines = [each if each.startswith(("|", "#")) else textwrap.fill(each, 120) for each in text.splitlines()]
    return "\n".join(lines) + "\n"


def _met(is_met: bool, is_whole: bool) -> str:
    """is_whole: whether as much was measured as required."""
    if not is_whole:
        return "not measured in full yet, " + ("and so far met" if is_met else "and so far not met")
    return "met" if is_met else "not met"


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=Path)
    parser.add_argument("page", type=Path)
    given = parser.parse_args()
    with appearing(given.page) as temporary:
        temporary.write_text(lay_out(text_of(json.loads(given.record.read_text()))), encoding="utf-8")


if __name__ == "__main__":
    main()
