"""Duration of `pdescry discover`, from Enter to the report, as ratios of runs side by side; and its memory.

    python benchmarks/speed.py run FOLDER --reference PYTHON [--cases readme paper] [--again kdv]
    python benchmarks/speed.py run FOLDER --peer PYTHON --cases grid
    python benchmarks/speed.py run FOLDER --cases million long candidates fields
    python benchmarks/speed.py profile FOLDER
    python benchmarks/speed.py document FOLDER docs/speed.md

A case consists of commands on files made for it, each by this environment's Python and, if the case requires it, by
that of commit f4d7046 in an environment of its own (PYTHON: ``git worktree add /tmp/reference f4d7046``,
``python3 -m venv /tmp/refenv``, ``/tmp/refenv/bin/pip install /tmp/reference``). Run nothing else meanwhile. Each case
is a file in FOLDER, of rows with the commits that made them; existing rows are not measured again, unless requested.
--peer: the Python of an environment with pysindy and pandas.

    readme      the README's example, both
    paper       the paper's nine cells, one layout each, both
    grid        Burgers, 1 % noise: 20 sensors × 51 times, and a grid of 256 × 101, also by PySINDy's weak form
    million     the same law: 1,000 sensors × 1,000 times, from CSV and from Parquet
    long        a rod driven from one end: 10 oscillations by 6 sensors × 100 times, and 200 by 6 × 2,000
    candidates  FitzHugh–Nagumo with 36 and with 60 candidates
    fields      816 readings of one field (Burgers), and 816 of two (Schrödinger, FitzHugh–Nagumo)

profile: where the time of the README's example is spent, in one process, and the rate of the largest piece of linear
algebra compared with a product of matrices.
"""

from __future__ import annotations

import argparse
import json
import os
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from default_run import memory_of
from provenance import commit

import pdescry
from pdescry.cores import ONE_THREAD, one_thread
from pdescry.data import systems
from pdescry.experiments.markdown import lay_out
from pdescry.experiments.paper import EXPERIMENTS
from pdescry.files import write_json
from pdescry.joint.fit.factor import Factor
from pdescry.problem import Problem

LAYOUT = 30  # of sensors; not one of the accuracy tables
NOISES = (0.0, 0.01, 0.05)


@dataclass(frozen=True)
class Command:
    """words: after ``pdescry discover``. script: of a peer, which is run on the file instead."""

    name: str
    file: Path
    words: tuple[str, ...] = ()
    reference: bool = False  # whether the reference also runs it
    script: Path | None = None

    def line(self, python: str, folder: Path) -> list[str]:
        if self.script is not None:
            return [python, str(self.script), str(self.file)]
        return [python, "-m", "pdescry", "discover", str(self.file), *self.words, "--output", str(folder), "--quiet"]


def readme(folder: Path) -> Iterator[Command]:
    readings = systems.get("advection_diffusion").observe(sensors=20, noise=0.02, seed=1)
    yield Command("readme", _saved(readings, folder / "cloud.csv"), reference=True)


def paper(folder: Path) -> Iterator[Command]:
    for system in EXPERIMENTS:
        for noise in NOISES:
            readings = systems.get(system).observe(sensors=16, noise=noise, seed=LAYOUT)
            name = f"{system}, noise {noise:g}"
            yield Command(name, _saved(readings, folder / f"{system}-{noise:g}.csv"), reference=True)


def grid(folder: Path) -> Iterator[Command]:
    few, many = _burgers(20, 51), _burgers(256, 101, layout="even")
    yield Command(f"{len(few):,} readings", _saved(few, folder / "few.csv"))
    file = _saved(many, folder / "grid.csv")
    yield Command(f"{len(many):,} readings", file)
    yield Command(f"{len(many):,} readings, PySINDy's weak form", file, script=Path(__file__).parent / "weak_form.py")


def million(folder: Path) -> Iterator[Command]:
    yield Command("1,020 readings", _saved(_burgers(20, 51), folder / "few.csv"))
    readings = _burgers(1000, 1000)
    yield Command("1,000,000 readings, CSV", _saved(readings, folder / "million.csv"))
    table = folder / "million.parquet"
    readings.to_frame().to_parquet(table)
    yield Command("1,000,000 readings, Parquet", table)


def long(folder: Path) -> Iterator[Command]:
    """u_t = 0.05 u_xx − u, driven at x = 0 at two frequencies, in closed form by its stationary decaying waves."""
    waves = (1.0, 2j * np.pi, 0.0), (0.6, 0.74j * np.pi, 1.0)  # amplitude, frequency, phase
    for oscillations, times in ((10, 100), (200, 2000)):
        random = np.random.default_rng(LAYOUT)
        t, x = np.linspace(0, oscillations, times), np.linspace(0.02, 0.4, 6)
        parts = (a * np.exp(w * t[:, None] + 1j * at - np.sqrt((1 + w) / 0.05) * x) for a, w, at in waves)
        field = np.imag(np.sum(list(parts), axis=0))
        noisy = field + 0.01 * field.std() * random.standard_normal(field.shape)
        readings = pdescry.Readings.from_grid(t, x, noisy)
        yield Command(f"{oscillations} oscillations", _saved(readings, folder / f"long-{times}.csv"))


def candidates(folder: Path) -> Iterator[Command]:
    readings = systems.get("fitzhugh_nagumo").observe(sensors=20, noise="2%", seed=LAYOUT)
    file = _saved(readings, folder / "waves.csv")
    every = [str(each.term) for each in Problem.of((readings,)).of_field("u")]
    every += [str(term) for term in pdescry.candidates(fields=readings.fields) if str(term) not in every]
    law = ["1", "u", "v", "u_xx", "u^3"]
    for number in (36, 60):
        some = [*law, *(term for term in every if term not in law)][:number]
        yield Command(f"{len(some)} candidates", file, ("--candidates", ", ".join(some)))


def fields(folder: Path) -> Iterator[Command]:
    one = systems.get("burgers").observe(sensors=16, noise="2%", seed=LAYOUT)
    yield Command(f"{len(one)} readings of one field", _saved(one, folder / "one.csv"))
    for name in ("schrodinger", "fitzhugh_nagumo"):
        system = systems.get(name)
        two = system.observe(sensors=16, noise="2%", seed=LAYOUT, times=np.linspace(0, system.until, 51))
        yield Command(f"{len(two)} readings of two fields ({name})", _saved(two, folder / f"{name}.csv"))


CASES = {each.__name__: each for each in (readme, paper, grid, million, long, candidates, fields)}


def _burgers(sensors: int, times: int, layout: str = "random") -> pdescry.Readings:
    system, clock = systems.get("burgers"), np.linspace(0, 10, times)
    return system.observe(sensors=sensors, noise="1%", seed=LAYOUT, times=clock, layout=layout)


def _saved(readings: pdescry.Readings, path: Path) -> Path:
    readings.to_csv(path)
    return path


def timed(python: str, command: Command, folder: Path) -> dict[str, Any]:
    """Seconds from Enter to the report, peak memory in gigabytes, and the first line of the output."""
    began, most, words = time.monotonic(), 0, command.line(python, folder)
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        while process.poll() is None:
            most = max(most, memory_of(process.pid))
            time.sleep(0.2)
        seconds = time.monotonic() - began
        assert process.stdout is not None
        return {
            "seconds": seconds,
            "gigabytes": most / 1e9,
            "law": process.stdout.readline().strip(),
            "ended_with": process.returncode,
        }


def run(folder: Path, cases: list[str], again: list[str], reference: str | None, peer: str | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases:
        path = folder / f"{case}.json"
        rows = rows_of(path) if path.exists() else []
        rows = [row for row in rows if not any(part in row["name"] for part in again)]
        with tempfile.TemporaryDirectory() as scratch:
            for number, command in enumerate(CASES[case](Path(scratch))):
                if command.name in [row["name"] for row in rows]:
                    continue
                python = sys.executable if command.script is None else peer
                if python is None:
                    raise SystemExit(f"Expected --peer PYTHON for the case {case!r}.")
                row: dict[str, Any] = {"name": command.name, "commit": commit()}
                row["now"] = timed(python, command, _out(scratch, number))
                if command.reference:
                    if reference is None:
                        raise SystemExit(f"Expected --reference PYTHON for the case {case!r}.")
                    row["reference"] = timed(reference, command, _out(scratch, number, "-reference"))
                rows.insert(number, row)
                print(json.dumps(row), flush=True)
                write_json(path, {"case": case, "rows": rows})


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Each with the commit that made it."""
    record = json.loads(path.read_text(encoding="utf-8"))
    return [{"commit": record.get("commit"), **row} for row in record["rows"]]


def _out(scratch: str, number: int, which: str = "") -> Path:
    return Path(scratch) / f"run-{number}{which}"


# ---- where the time goes ---------------------------------------------------------------------------------------------

# By parts of the paths of the files of the functions' own time; the first match.
PLACES = {
    "loading": ("importlib", "<frozen", "marshal", "builtins.exec", "posix."),
    "linear algebra": ("fit/factor", "numpy/linalg", "scipy/linalg", "numpy/_core/numeric", "_multiarray_umath"),
    "matrices of the law": (
        "field/space",
        "field/axis",
        "fit/experiment",
        "fit/operator",
        "fit/objective",
        "sparse",
        "numpy.ndarray",
        "numpy.a",
        "evaluate_spline",
    ),
    "Gaussian processes": ("field/process",),
    "proposing and comparing laws": ("joint/search", "joint/choose", "fit/held_out"),
    "solving forward": ("pdescry/solver", "discovery/following", "scipy/integrate"),
    "figures and report": ("matplotlib", "pdescry/plot", "pdescry/report", "PIL"),
}


def profile(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        (command,) = readme(Path(scratch))
        words = ["discover", str(command.file), "--output", str(Path(scratch) / "run"), "--quiet", "--workers", "1"]
        stats = Path(scratch) / "stats"
        environment = os.environ | dict(ONE_THREAD)
        subprocess.run(
            [sys.executable, "-m", "cProfile", "-o", str(stats), "-m", "pdescry", *words],
            check=True, capture_output=True, env=environment,
        )  # fmt: skip
        found = dict.fromkeys([*PLACES, "the rest"], 0.0)
        for (file, _, name), (_, _, own, _, _) in pstats.Stats(str(stats)).stats.items():  # type: ignore[attr-defined]
            where = f"{file} {name}"
            found[next((place for place, parts in PLACES.items() if any(p in where for p in parts)), "the rest")] += own
    write_json(folder / "profile.json", {"commit": commit(), "seconds": found, "rates": _rates()})


def _rates() -> dict[str, float]:
    """GFlop/s of one core: of a banded Cholesky factor of the size in the README's example, and of a product."""
    n, band, random = 3234, 214, np.random.default_rng(0)
    bands = random.normal(size=(band + 1, n)) * 0.1
    bands[-1] = 4 * band
    square = random.normal(size=(600, 600))
    with one_thread():
        factor = min(timeit.repeat(lambda: Factor(bands.copy(), band), number=3, repeat=5)) / 3
        product = min(timeit.repeat(lambda: square @ square, number=3, repeat=5)) / 3
    return {"factor": n * band**2 / factor / 1e9, "product": 2 * 600**3 / product / 1e9}


# ---- the document ----------------------------------------------------------------------------------------------------

HEAD = """# How long it takes

Written by `python benchmarks/speed.py document`; each table was measured in one run on two cores, from Enter to the
report. The reference is commit f4d7046, which began from a sampled network.
"""


def document(folder: Path, path: Path) -> None:
    parts = [HEAD]
    for case in CASES:
        file = folder / f"{case}.json"
        if not file.exists():
            parts.append(f"## {case}\n\nNot measured yet.\n")
            continue
        rows = rows_of(file)
        made_by = ", ".join(dict.fromkeys(row["commit"] for row in rows))
        parts.append(f"## {case}\n\nMeasured with {made_by}.\n\n{_table(rows)}\n")
        if case == "paper":
            have = {row["name"] for row in rows}
            every = [f"{system}, noise {noise:g}" for system in EXPERIMENTS for noise in NOISES]
            if missing := [name for name in every if name not in have]:
                parts.append(f"Not measured yet: {'; '.join(missing)}.\n")
    if (file := folder / "profile.json").exists():
        parts.append(_profile(json.loads(file.read_text(encoding="utf-8"))))
    path.write_text(lay_out("\n".join(parts)), encoding="utf-8")


def _profile(record: dict[str, Any]) -> str:
    whole, rates = sum(record["seconds"].values()), record["rates"]
    lines = ["| part | seconds | share |", "| --- | --- | --- |"]
    lines += [f"| {place} | {own:.1f} | {own / whole:.0%} |" for place, own in record["seconds"].items()]
    return (
        f"## Where the time goes\n\nThe README's example in one process under Python's profiler (which slows it), own "
        f"time by place;\nmeasured with {record['commit']}.\n\n" + "\n".join(lines) + "\n\n"
        f"A banded Cholesky factor as large as there runs at {rates['factor']:.1f} GFlop/s on one core, a product of "
        f"matrices at {rates['product']:.1f}\n({rates['factor'] / rates['product']:.0%}).\n"
    )


def _table(rows: list[dict[str, Any]]) -> str:
    beside, mixed = "reference" in rows[0], len({row["commit"] for row in rows}) > 1
    titles = [
        "",
        "seconds",
        "memory, GB",
        *(["reference, seconds", "ratio"] if beside else ["ratio to the first"]),
        "law",
        *(["commit"] if mixed else []),
    ]
    lines = [f"| {' | '.join(titles)} |", f"|{' --- |' * len(titles)}"]
    ratios = []
    for row in rows:
        other = row["reference"]["seconds"] if beside else rows[0]["now"]["seconds"]
        ratios.append(row["now"]["seconds"] / other)
        cells = [row["name"], f"{row['now']['seconds']:.1f}", f"{row['now']['gigabytes']:.2f}"]
        cells += [f"{other:.0f}"] if beside else []
        cells += [f"{ratios[-1]:.2f}", f"`{row['now']['law']}`", *([row["commit"]] if mixed else [])]
        lines.append(f"| {' | '.join(cells)} |")
    if beside and len(rows) > 1:
        lines.append(f"\nMedian ratio of these {len(rows)}: {statistics.median(ratios):.2f}.")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="what", required=True)
    running = parts.add_parser("run")
    running.add_argument("folder", type=Path)
    running.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES))
    running.add_argument("--again", nargs="+", default=[], metavar="PART", help="rows with these in their names, again")
    running.add_argument("--reference", help="Python of the reference's environment")
    running.add_argument("--peer", help="Python of an environment with pysindy and pandas")
    profiling = parts.add_parser("profile")
    profiling.add_argument("folder", type=Path)
    writing = parts.add_parser("document")
    writing.add_argument("folder", type=Path)
    writing.add_argument("path", type=Path)
    given = parser.parse_args()
    if given.what == "run":
        run(given.folder, given.cases, given.again, given.reference, given.peer)
    elif given.what == "profile":
        profile(given.folder)
    else:
        document(given.folder, given.path)


if __name__ == "__main__":
    main()
