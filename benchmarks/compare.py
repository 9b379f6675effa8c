"""pdescry beside other methods on the same readings: right laws, errors, intervals, seconds (docs/benchmark.md).

    benchmarks/peers/set_up.sh peers-env
    python benchmarks/compare.py run FOLDER [--methods pdescry pysindy] [--rows burgers-16-0.05] [--seeds 3]
    python benchmarks/compare.py missing FOLDER
    python benchmarks/compare.py document FOLDER docs/benchmark.md

run: each method on the readings of each row (``peers/rows.py``) and seed, by its adapter (``peers/methods.py``) in the
environment that ``set_up.sh`` made for it, one at a time and on one thread. A record is a file in FOLDER; those found
there are not made again. An adapter does not know the law: it answers for each of its settings, and the record holds
the answer that is nearest to the law, which favours methods with many settings, and the answer of their default ones.

missing: which records are not there; exits with 1 if any are.

document: the page of what is there, with its figures beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from cells import add_engine, made
from peers.measures import best, field_error
from peers.methods import METHODS, tasks
from peers.rows import ROWS, SEEDS, Row, field_at, truth_of, work_of
from provenance import commit, inference_digest, versions

from pdescry.cores import ONE_THREAD
from pdescry.experiments.markdown import lay_out
from pdescry.files import write_json

ENVIRONMENTS = Path("peers-env")
LINES = 3  # of what a failing adapter says


def name_of(row: Row, method: str, seed: int) -> str:
    return f"{row.name}--{method}--{seed}"


def run(folder: Path, todo: list[tuple[Row, str, int]], environments: Path, before: str, given: Any) -> None:
    from compare import record_of as make  # processes find it by the name of this module, not as the script's

    folder.mkdir(parents=True, exist_ok=True)
    missing = {}
    for row, method, seed in todo:
        python = METHODS[method].python(environments, sys.executable)
        if not Path(python).exists():
            raise SystemExit(
                f"Expected {python} for {method}; found none; run benchmarks/peers/set_up.sh {environments}."
            )
        if not (folder / f"{name_of(row, method, seed)}.json").exists():
            missing[name_of(row, method, seed)] = (row.name, method, seed, python, before)
    for name, record in made(make, missing, given.workers, given.cluster):
        write_json(folder / f"{name}.json", record)
        print(f"{name}: {said(record)}", flush=True)


def record_of(name: str, method: str, seed: int, python: str, before: str = "") -> dict[str, Any]:
    """before: words before the command, such as ``taskset -c 1``."""
    row = ROWS[name]
    work = work_of(row, seed)
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder) / "readings.npz", Path(folder) / "answers.json"
        work.save(asked)
        command = [*shlex.split(before), python, str(METHODS[method].script), str(asked), str(answered)]
        done = subprocess.run(command, env=os.environ | ONE_THREAD, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("; ".join(done.stderr.strip().splitlines()[-LINES:]))
        found = json.loads(answered.read_text(encoding="utf-8"))
    answers, default, truth = found["answers"], found["default"], truth_of(row)
    chosen, true_field = best(answers, default, truth, work.fields, work.axes), field_at(row, work.points)
    kept = ("coefficients", "sd", "settings", "seconds")
    made_by = {"commit": commit(), "versions": found["versions"]}
    if METHODS[method].own:
        made_by |= {"inference": inference_digest(), "versions": versions()}
    return made_by | {
        "row": name,
        "method": method,
        "seed": seed,
        "readings": len(work.time),
        "tried": len(answers),
        "best": {part: answers[chosen][part] for part in kept},
        "default": {part: answers[default][part] for part in kept},
        "field_error": field_error(answers[chosen]["field"], true_field),
    }


def said(record: dict[str, Any]) -> str:
    law = " ".join(f"{value:+.3g} [{name}]" for name, value in record["best"]["coefficients"].items())
    return f"{law or 'no law'} ({record['best']['settings']}; {record['best']['seconds']:.1f} s)"


def records_of(folder: Path) -> list[dict[str, Any]]:
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    if not found:
        raise SystemExit(f"Expected records (*.json) in {folder}; found none; make some: compare.py run {folder}.")
    return found


def missing(folder: Path, todo: list[tuple[Row, str, int]]) -> int:
    """The exit code."""
    names = [name_of(*task) for task in todo if not (folder / f"{name_of(*task)}.json").exists()]
    print("\n".join([*names, f"{len(names)} of {len(todo)} records are missing."]))
    return int(bool(names))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("run", "missing"):
        each = commands.add_parser(command)
        each.add_argument("folder", type=Path)
        each.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
        each.add_argument("--rows", nargs="+", choices=list(ROWS), metavar="ROW", help="default: those of each method")
        each.add_argument("--seeds", type=int, default=len(SEEDS), help="how many of each row's (default: all)")
        if command == "run":
            each.add_argument("--environments", type=Path, default=ENVIRONMENTS, help="where set_up.sh made them")
            each.add_argument("--before", default="", help="words before each adapter's command, e.g. 'taskset -c 1'")
            add_engine(each)
            each.set_defaults(workers=1)
    writing = commands.add_parser("document")
    writing.add_argument("folder", type=Path)
    writing.add_argument("file", type=Path)
    given = parser.parse_args()
    if given.command == "document":
        from peers.page import draw, markdown

        records = records_of(given.folder)
        given.file.write_text(lay_out(markdown(records, given.file.stem)), encoding="utf-8")
        draw(records, given.file)
        return
    todo = tasks(given.methods, given.rows, given.seeds)
    if given.command == "missing":
        raise SystemExit(missing(given.folder, todo))
    run(given.folder, todo, given.environments.resolve(), given.before, given)


if __name__ == "__main__":
    main()
