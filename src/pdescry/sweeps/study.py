"""The folder of a sweep: what was asked for, what came of it, and a lock, in files that explain themselves.

    study/
      cases.jsonl       a line a case: its files, settings, and what was varied
      readings/         of cases that were given as readings, not as files
      cases/NAME/       the run directory of a case
      outcomes.jsonl    a line whenever a case ended: whether it is done, its law, or why it failed
      results.csv, results.parquet, index.html
      .lock             held while somebody works here

Only the process that holds the lock writes these files; workers write run directories and report the rest.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

import filelock

from pdescry.checks import differences
from pdescry.errors import InputError
from pdescry.files import appearing, is_on_the_way, plain
from pdescry.sweeps.case import Case

FORMAT = "pdescry sweep 1"
SHOWN = 3  # differences in a message
DONE, FAILED = "done", "failed"


@dataclass(frozen=True)
class Outcome:
    """How a case ended. status: "done" or "failed"; reason: of a failure; summary: of its law; stamps: of its files."""

    case: str
    status: str
    seconds: float
    reason: str = ""
    summary: Mapping[str, Any] | None = None
    stamps: list[list[int] | None] | None = None
    ended: str = ""


def run_directory(study: Path, name: str) -> Path:
    return study / "cases" / name


def is_study(path: Path) -> bool:
    return (path / "cases.jsonl").is_file()


def load_cases(path: Path) -> dict[str, Case]:
    file = path / "cases.jsonl"
    if not file.is_file():
        raise InputError(f"Expected {str(path)!r} to be a sweep; it is none; `pdescry sweep FILE… -o DIR` makes one.")
    try:
        head, *lines = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        if json.loads(head).get("format") != FORMAT:
            raise ValueError(f"its format is {head}")
        cases = [Case.from_dict(json.loads(line)) for line in lines]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
        raise InputError(f"Expected the cases of a sweep in {str(file)!r}; it is damaged ({fault}).") from None
    return {case.name: case for case in cases}


def load_outcomes(path: Path) -> dict[str, Outcome]:
    """The last of each case. A line that was not written to its end, by a process that was killed, does not count."""
    found: dict[str, Outcome] = {}
    try:
        with (path / "outcomes.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                try:
                    outcome = Outcome(**json.loads(line))
                except (ValueError, TypeError):
                    continue
                found[outcome.case] = outcome
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"Cannot read what was done in {str(path)!r}: {fault}.") from None
    return found


def in_use(path: Path) -> bool:
    """Whether a sweep is working there."""
    try:
        with filelock.FileLock(path / ".lock", timeout=0):
            return False
    except filelock.Timeout:
        return True
    except OSError:  # of a folder that we may only read
        return False


class Journal:
    """outcomes.jsonl, open while somebody works: a line reaches the disk before the next case begins."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, outcome: Outcome) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        entry = plain({**asdict(outcome), "ended": now})
        self.stream.write(json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n")
        self.stream.flush()


@contextmanager
def opened(path: Path, cases: Mapping[str, Case] | None) -> Iterator[tuple[dict[str, Case], Journal]]:
    """A new sweep, or one that was stopped, ours while we hold its lock. cases: those asked for, or None for those that
    are there. What is asked of a case that is there has to be the same; further ones may come."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(path / ".lock", timeout=0):
            for left in [each for each in path.iterdir() if is_on_the_way(each.name)]:
                left.unlink(missing_ok=True)
            cases = _agreed(path, cases)
            journal = path / "outcomes.jsonl"
            cut = _is_cut(journal)
            with journal.open("a", encoding="utf-8") as stream:
                stream.write("\n" if cut else "")
                yield dict(cases), Journal(stream)
    except filelock.Timeout:
        raise InputError(
            f"Another sweep is working in {str(path)!r}; wait for it to end, or choose another folder; `pdescry sweep "
            f"--status {path}` reports its progress."
        ) from None
    except OSError as fault:
        reason = os.strerror(fault.errno) if fault.errno else str(fault)
        raise InputError(
            f"Cannot write in {str(path)!r}: {reason}; make room or choose another folder; what is finished is kept, "
            "and the sweep can be resumed."
        ) from fault


def _is_cut(file: Path) -> bool:
    """Whether its last line was not written to its end."""
    if not file.exists() or not file.stat().st_size:
        return False
    with file.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read() != b"\n"


def _agreed(path: Path, cases: Mapping[str, Case] | None) -> Mapping[str, Case]:
    """The cases, which are written if they are new."""
    if not is_study(path):
        if cases is None:
            return load_cases(path)  # which says that there are none
        strangers = sorted(each.name for each in path.iterdir() if each.name != ".lock")
        if strangers:
            raise InputError(
                f"Expected a new or empty folder, or a sweep; {str(path)!r} contains {strangers[0]!r}; choose another."
            )
        _write(path, cases.values())
        return cases
    before = load_cases(path)
    if cases is None:
        return before
    _compare(path, before, cases)
    if len(cases) > len(before):
        _write(path, cases.values())
    return cases


def _write(path: Path, cases: Iterable[Case]) -> None:
    with appearing(path / "cases.jsonl") as temporary, temporary.open("w", encoding="utf-8") as stream:
        stream.write(json.dumps({"format": FORMAT}) + "\n")
        for case in cases:
            stream.write(json.dumps(case.to_dict(), ensure_ascii=False) + "\n")


def _compare(path: Path, before: Mapping[str, Case], now: Mapping[str, Case]) -> None:
    """An error that names what differs from the sweep in this folder."""
    changes: list[str] = []
    for name, case in before.items():
        if name not in now:
            changes.append(f"the case {name} is not asked for any more")
        elif case != now[name]:
            changes += [
                f"{what} of {name} was {old!r}, now {new!r}"
                for what, old, new in differences(case.to_dict(), now[name].to_dict())
                if not what.startswith("varied")
            ]
    if changes:
        more = f"; and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
        raise InputError(
            f"The folder {str(path)!r} contains another sweep: {'; '.join(changes[:SHOWN])}{more}. Choose another "
            f"folder, or go back to what was asked; `pdescry sweep {path}` goes on with it as it is."
        )
