"""`sweep`: many runs of `discover`, on this machine or on a cluster, in one folder that resumes."""

from __future__ import annotations

import hashlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from pdescry.checks import check_workers
from pdescry.data import Readings
from pdescry.discovery import Law, choose_settings, load, load_config
from pdescry.discovery.run import config_text, write_readings
from pdescry.discovery.settings import Settings
from pdescry.errors import InputError, PdescryError
from pdescry.files import appearing, made_folder
from pdescry.progress import Progress, watched
from pdescry.sweeps.case import Case
from pdescry.sweeps.page import write_page
from pdescry.sweeps.results import table_of, write_results
from pdescry.sweeps.schedule import Engine, EngineGone, Lost, engine_for, scheduled
from pdescry.sweeps.study import DONE, FAILED, Journal, Outcome, load_cases, load_outcomes, opened, run_directory
from pdescry.sweeps.table import cases_in
from pdescry.sweeps.work import BUSY, run_case

LATEST = 8  # cases that are listed by name
RECENT = 100  # ends of cases from which the time left is judged


@dataclass(frozen=True)
class Study:
    """A sweep on disk: its cases, and the outcomes of those that have ended.

    Parameters
    ----------
    path : path
        The folder.
    cases : mapping of str to Case
        By name.
    outcomes : mapping of str to Outcome
        Of the cases that are done or have failed.

    Notes
    -----
    ``table`` has a row for each case, ``failures`` the reasons of those that failed, ``law(name)`` the law of one.
    """

    path: Path
    cases: Mapping[str, Case]
    outcomes: Mapping[str, Outcome]

    @cached_property
    def table(self) -> pd.DataFrame:
        return table_of(self.cases, self.outcomes, self.path)

    @property
    def failures(self) -> dict[str, str]:
        return {name: each.reason for name, each in self.outcomes.items() if each.status == FAILED}

    @property
    def done(self) -> int:
        return sum(each.status == DONE for each in self.outcomes.values())

    @property
    def page(self) -> Path:
        return self.path / "index.html"

    def law(self, name: str) -> Law:
        """The law of a case that is done.

        Parameters
        ----------
        name : str
            Of the case.

        Returns
        -------
        Law
        """
        if name not in self.cases:
            raise InputError(f"There is no case {name!r} in {str(self.path)!r}; `table` lists them.")
        return load(run_directory(self.path, name))

    def __repr__(self) -> str:
        failed = len(self.failures)
        waiting = len(self.cases) - self.done - failed
        number = "1 case" if len(self.cases) == 1 else f"{len(self.cases)} cases"
        return f"{number} in {self.path}: {self.done} done, {failed} failed, {waiting} waiting"


@dataclass
class Tally:
    """How far a sweep is; the same object throughout, so that 10⁵ cases cost no copies."""

    total: int
    done: int = 0
    failed: int = 0
    found: int = 0  # done before this call
    flying: int = 0
    began: float = field(default_factory=time.monotonic)
    latest: deque[Outcome] = field(default_factory=lambda: deque(maxlen=LATEST))
    ends: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))

    @property
    def waiting(self) -> int:
        return self.total - self.done - self.failed - self.flying

    @property
    def seconds_left(self) -> float | None:
        """From the pace of the last cases."""
        if len(self.ends) < 2:
            return None
        since = self.began if len(self.ends) < RECENT else self.ends[0]
        return (time.monotonic() - since) / len(self.ends) * (self.total - self.done - self.failed)

    def add(self, outcome: Outcome) -> None:
        self.done += outcome.status == DONE
        self.failed += outcome.status == FAILED
        self.latest.append(outcome)
        self.ends.append(time.monotonic())


Watch = Callable[[Tally, Outcome | None], None]  # what has just ended, or nothing for a while


def sweep(
    cases: Any,
    workdir: str | os.PathLike[str],
    *,
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    reading: Mapping[str, Any] | None = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    seeds: int | Sequence[int] | None = None,
    executor: Any = None,
    workers: int | None = None,
    reports: bool = True,
    progress: Progress | bool | None = None,
) -> Study:
    """Find the laws behind many readings, each in a run directory of its own.

    A call that was stopped, at whatever moment, goes on when it is repeated: cases that are done are skipped, those
    that failed are tried again. A case that fails is recorded with its reason and stops nobody.

    Parameters
    ----------
    cases : str, path, Readings, mapping, or sequence of these
        Files (names, which may have wildcards), `Readings`, a mapping of names to either, `Case` objects, or the name
        of a table (TOML) of readings × settings × seeds.
    workdir : str or path
        The folder of the sweep, in which each case has a run directory ``cases/NAME``.
    config : str, path or mapping, optional
        Settings of all cases, as in `discover`: a TOML file or its tables.
    reading : mapping, optional
        Arguments of `pdescry.read` for all files.
    grid : mapping of str to sequence, optional
        Every combination of these values is a case: ``{"law.candidates": ["small", "general"], "reading.noise":
        [0.01, 0.05]}``.
    seeds : int or sequence of int, optional
        How many, or which; each is a case.
    executor : optional
        Where cases run: a `dask.distributed.Client`, an executor of `concurrent.futures`, submitit's, anything with
        ``submit``. Only paths and settings are sent, so that workers need pdescry and the same disk. By default,
        processes on this machine.
    workers : int, optional
        How many of these processes; by default one for each core. Each computes with one thread.
    reports : bool
        Whether each case has its report.html.
    progress : callable or bool, optional
        Called with what is done, its fraction, and the seconds left; True shows these in a line.

    Returns
    -------
    Study
        ``study.table`` (pandas) has a row for each case, ``study.failures`` the reasons of those that failed,
        ``study.law(name)`` the law of one. The folder has the same as results.csv, results.parquet and index.html.
    """
    path = Path(workdir)
    check_workers(workers)
    asked = asked_for(cases, path, config, reading, grid, seeds)
    with watched(progress) as report_progress:

        def watch(tally: Tally, ended: Outcome | None) -> None:
            over = tally.done + tally.failed
            report_progress(
                f"cases: {tally.done} done, {tally.failed} failed", over / max(tally.total, 1), tally.seconds_left
            )

        return run_study(path, asked, executor, workers, reports, watch)


@dataclass(frozen=True)
class Asked:
    """Cases by their names, and readings that the study keeps itself, by their folders in it."""

    cases: Mapping[str, Case]
    readings: Mapping[str, Readings] = field(default_factory=dict)


def asked_for(
    cases: Any,
    path: Path,
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    reading: Mapping[str, Any] | None = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    seeds: int | Sequence[int] | None = None,
) -> Asked:
    """With settings that exist. Nothing is written."""
    settings = {} if config is None else dict(config) if isinstance(config, Mapping) else load_config(config)
    table: dict[str, Any] = {"settings": settings, "reading": reading or {}, "grid": grid or {}}
    if seeds is not None:
        table["seeds"] = seeds if isinstance(seeds, int) else list(seeds)
    kept: dict[str, Readings] = {}
    found = list(_listed(cases, path, table, kept))
    by_name = {case.name: case for case in found}
    if len(by_name) < len(found):
        twice = next(case.name for case in found if by_name[case.name] is not case)
        raise InputError(f"Expected each case to have a name of its own; got {twice!r} twice; rename one of them.")
    _check_settings(found)
    return Asked(by_name, kept)


def _listed(cases: Any, path: Path, table: dict[str, Any], kept: dict[str, Readings]) -> Iterator[Case]:
    """kept: gains the readings that are given as such."""
    if isinstance(cases, str | os.PathLike | Readings | Case):
        cases = [cases]
    if isinstance(cases, Mapping):
        for name, each in cases.items():
            for case in _listed([each], path, table, kept):
                rest = case.name.partition("_")
                yield replace(case, name=f"{name}{rest[1]}{rest[2]}", varied={**case.varied, "file": str(name)})
        return
    cases = list(cases)
    if not cases:
        raise InputError("Expected cases: files, readings, or a table; got none.")
    files: list[str] = []
    for number, each in enumerate(cases):
        if isinstance(each, Case):
            yield each
        elif isinstance(each, Readings):
            name = Path(each.source or "").stem or "readings"
            folder = f"readings/{name}-{number + 1}-{_digest(each)}"
            kept[folder] = each
            files.append(os.path.abspath(path / folder))
        elif isinstance(each, str | os.PathLike) and Path(each).suffix.lower() == ".toml":
            if any(table.values()):
                raise InputError(
                    f"Expected settings, seeds and grids in the table {str(each)!r}; got some beside it; write them "
                    "into the table."
                )
            yield from cases_in(load_config(each), Path(each).resolve().parent)
        elif isinstance(each, str | os.PathLike):
            files.append(os.fspath(each))
        else:
            raise InputError(f"Expected a file, Readings or a Case; got {type(each).__name__}.")
    if files:
        home = os.path.join(os.path.abspath(path), "")
        for case in cases_in({**table, "files": files}, Path.cwd()):
            own = tuple(Path(file.removeprefix(home)).as_posix() for file in case.files)  # wherever the study is
            yield replace(case, files=own) if own != case.files else case


def _digest(readings: Readings) -> str:
    """The same for the same readings, so that others are another case."""
    parts = (readings.time, readings.space, readings.values, readings.sensor, readings.noise)
    found = hashlib.sha256(config_text([readings], Settings()).encode())
    for part in parts:
        found.update(b"" if part is None else part.tobytes())
    return found.hexdigest()[:8]


def _keep(path: Path, readings: Mapping[str, Readings]) -> None:
    """As in a run directory, from which they come back to the last bit; config.toml last."""
    for name, each in readings.items():
        folder = made_folder(path / name)
        if not (folder / "config.toml").exists():
            write_readings(folder, [each])
            with appearing(folder / "config.toml") as temporary:
                temporary.write_text(config_text([each], Settings()), encoding="utf-8")


def _check_settings(cases: Iterable[Case]) -> None:
    """What is wrong with settings is reported before any work; most cases share theirs."""
    seen: set[str] = set()
    for case in cases:
        key = repr({name: part for name, part in case.settings.items() if name != "seed"})
        if key not in seen:
            choose_settings(None, case.settings)
            seen.add(key)


def run_study(
    path: Path,
    asked: Asked | None,
    executor: Any,
    workers: int | None,
    reports: bool,
    watch: Watch,
) -> Study:
    """Do what is not done; asked None: of the sweep that is there."""
    with opened(path, None if asked is None else asked.cases) as (cases, journal):
        _keep(path, {} if asked is None else asked.readings)
        outcomes = load_outcomes(path)
        tally = Tally(len(cases))
        todo = [case for case in cases.values() if not _is_done(path, case, outcomes.get(case.name), tally)]
        watch(tally, None)
        if todo:
            with engine_for(executor, workers) as engine:
                _work(path, todo, engine, reports, journal, tally, watch)
        return concluded(path, cases)


def concluded(path: Path, cases: Mapping[str, Case]) -> Study:
    """Results and page of what has ended so far."""
    study = Study(path, cases, load_outcomes(path))
    write_results(path, study.table)
    write_page(study.page, path.resolve().name, cases, study.outcomes, study.table)
    return study


def _is_done(path: Path, case: Case, outcome: Outcome | None, tally: Tally) -> bool:
    """Also that its files are as they were, or gone; if not, `discover` compares readings, and refuses others."""
    done = outcome is not None and outcome.status == DONE
    if outcome is not None and outcome.stamps is not None:
        done &= all(now in (None, before) for now, before in zip(case.stamps(path), outcome.stamps, strict=True))
    tally.done += done
    tally.found += done
    return done


def _work(
    path: Path, todo: Sequence[Case], engine: Engine, reports: bool, journal: Journal, tally: Tally, watch: Watch
) -> None:
    place = str(path.resolve())
    tasks = ((case.name, (place, case, reports)) for case in todo)
    try:
        for end in scheduled(run_case, tasks, engine, lambda result: result.status == BUSY):
            outcome = None
            if end is not None:
                name, outcome = end
                if isinstance(outcome, Lost):
                    outcome = Outcome(name, FAILED, 0.0, outcome.reason)
                journal.write(outcome)
                tally.add(outcome)
            tally.flying = min(engine.workers, tally.total - tally.done - tally.failed)
            watch(tally, outcome)
    except EngineGone as fault:
        raise PdescryError(
            f"{fault}; {tally.done} of {tally.total} cases are done and kept; begin it again, and repeat the command "
            "to go on."
        ) from None


def load_study(path: str | os.PathLike[str]) -> Study:
    """A sweep as it is, without waiting for whoever works there."""
    folder = Path(path)
    return Study(folder, load_cases(folder), load_outcomes(folder))
