"""The run directory: what `discover` has done so far, in files that explain themselves.

    rod.pdescry/
      config.toml       every setting, with a comment each; and what readings.csv contains
      readings.csv      the readings, as they were understood
      chains/           checkpoints while the field is sampled; gone when posterior.nc is there
      posterior.nc      draws of the field
      inputs.csv        values of known inputs, if there are any
      readings-2.csv, chains-2/, posterior-2.nc, …   the same of further experiments that share the law
      joint.nc          law and field, inferred together, and how other laws compare; or else, for a regression,
      derivatives.nc    the candidate terms at many points, and
      fit.json          the regressions, with the path by which candidates fell
      forward.csv       what draws of the law, solved forward, say of held-out sensors
      law.json          the result, with intervals, verdict and warnings
      report.html       the result for people, one page
      figures/          pictures
      log.txt           what was done, and when
      .lock             held while somebody works here

Every file appears whole or not at all, so a file that is there is finished, and a stage whose file is there is done.
Readings, settings and law.json are written by this room (``storage.py``), the stages between by the method.
"""

from __future__ import annotations

import datetime
import logging
import os
import re
import shutil
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import filelock
import numpy as np
import pandas as pd

from pdescry.checks import differences
from pdescry.data import Input, Readings, SensorFault
from pdescry.discovery.config import load_config, settings_from, spelled, to_toml
from pdescry.discovery.method import files, method_for
from pdescry.discovery.settings import Settings
from pdescry.errors import DamagedFile, InputError
from pdescry.files import appearing, is_on_the_way
from pdescry.notices import Notice, NoticeWarning, restored, stored
from pdescry.two_stage.network import numbered

LOGGER = logging.getLogger("pdescry")
LOGGER.addHandler(logging.NullHandler())  # what is printed is the program's to decide


class RunInUse(InputError):
    """Another process holds the run directory."""


OURS = {
    "config.toml",
    "readings.csv",
    "inputs.csv",
    "forward.csv",
    "law.json",
    "report.html",
    "figures",
    "log.txt",
    *files(),
}
_OF_AN_EXPERIMENT = ("readings.csv", "inputs.csv", *(name for name, each in files().items() if each))
SENSOR = "sensor number"  # a column that no field can be called
_INPUT, _VALUE = "name of input", "its value"
_ABOUT_READINGS = ("time_name", "axes", "fields", "sensor_names", "source", "units", "time_origin")


@dataclass(frozen=True)
class Run:
    """A run directory that is ours while we hold its lock. experiments: readings of each, counted from 0."""

    path: Path
    experiments: tuple[Readings, ...]
    settings: Settings

    @property
    def readings(self) -> Readings:
        """Of the first experiment, or the only one."""
        return self.experiments[0]

    @property
    def forward(self) -> Path:
        return self.path / "forward.csv"

    @property
    def law(self) -> Path:
        return self.path / "law.json"

    @property
    def report(self) -> Path:
        return self.path / "report.html"

    @property
    def figures(self) -> Path:
        return self.path / "figures"

    def log(self, sentence: str) -> None:
        """One more line of log.txt, and of the logger "pdescry". A log that cannot be written stops nobody."""
        LOGGER.info("%s: %s", self.path, " ".join(sentence.split()))
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        with suppress(OSError), (self.path / "log.txt").open("a", encoding="utf-8") as stream:
            stream.write(f"{now} {' '.join(sentence.split())}\n")

    def staged(self, name: str, path: Path, load: Callable[[Path], Any], make: Callable[[], Any]) -> Any:
        """What a stage made, from its file: also when it was made just now, so that a resumed run sees the same
        bits. A file that is damaged is recomputed."""
        if path.exists():
            try:
                return load(path)
            except DamagedFile as fault:
                self.report_damage(fault)
        began = time.monotonic()
        make().save(path)
        self.log(f"Finished {name} in {time.monotonic() - began:.0f} s.")
        return load(path)

    def report_damage(self, fault: DamagedFile) -> None:
        """In the log and as a warning."""
        notice = Notice.of("stage-damaged", fault=fault.marked)
        self.log(str(notice))
        warnings.warn(NoticeWarning(notice), stacklevel=2)


def is_ours(name: str) -> bool:
    return name in OURS or any(_numbers(own).fullmatch(name) for own in _OF_AN_EXPERIMENT)


def _numbers(name: str) -> re.Pattern[str]:
    """Of all but the first: readings-2.csv, readings-3.csv, …"""
    first, dot, ending = name.partition(".")
    return re.compile(rf"{first}-([2-9]|[1-9]\d+){re.escape(dot + ending)}")


@contextmanager
def begun(path: Path, experiments: Sequence[Readings], settings: Settings, overwrite: bool = False) -> Iterator[Run]:
    """A run in a new or empty folder, or in one with the same run, stopped at whatever moment."""
    with _locked(path, make=True):
        config = path / "config.toml"
        if overwrite or not config.exists():
            ours = overwrite and _is_run(path)
            _clear(path, ours, _unchanged(path, experiments, settings) if ours else set())
            with appearing(config) as temporary:
                temporary.write_text(config_text(experiments, settings), encoding="utf-8")
        elif not _is_run(path):
            raise InputError(
                f"Expected a new or empty folder for the run; {str(path)!r} contains a 'config.toml' that is no run's; "
                "choose another folder."
            )
        else:
            _compare(path, experiments, settings)
        write_readings(path, experiments)
        yield Run(path, tuple(experiments), settings)


def _is_run(path: Path) -> bool:
    """Whether the config.toml in this folder is one of ours."""
    config = path / "config.toml"
    return config.is_file() and "readings" in load_config(config)


def _unchanged(path: Path, experiments: Sequence[Readings], settings: Settings) -> set[str]:
    """What a run has done that stays as it is under these settings: another threshold needs no other chains."""
    try:
        before, chosen = load_inputs(path)
    except InputError:
        return set()
    sections = {name.partition(".")[0] for name, _, _ in differences(chosen.to_dict(), settings.to_dict())} - {"preset"}
    if before != tuple(experiments):
        return set()
    return method_for(settings, experiments).unchanged(sections, len(experiments))


def _clear(path: Path, ours: bool, kept: set[str]) -> None:
    """Remove what a killed process left behind, and, if the folder is a run of ours, all but ``kept``; else refuse."""
    strangers = [each for each in path.iterdir() if each.name != ".lock" and not is_on_the_way(each.name)]
    if ours:
        strangers = [each for each in strangers if not is_ours(each.name)]
    if strangers:
        name = min(each.name for each in strangers)
        kind = "a run of pdescry and nothing else" if ours else "a new or empty folder for the run"
        raise InputError(f"Expected {kind}; {str(path)!r} contains {name!r}; choose another folder.")
    # config.toml stays until the new one takes its place: killed on the way, this is still a run to be overwritten.
    for each in path.iterdir():
        if each.name not in {".lock", "config.toml", *kept}:
            _remove(each)


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def reopened(path: Path) -> Iterator[Run]:
    """The run that was begun in this folder."""
    experiments, settings = load_inputs(path)
    with _locked(path, make=False):
        yield Run(path, experiments, settings)


def load_inputs(path: Path) -> tuple[tuple[Readings, ...], Settings]:
    """What a run was begun with."""
    if not path.is_dir():
        raise InputError(f"There is no run directory {str(path)!r}; `pdescry discover FILE` makes one.")
    if not (path / "config.toml").is_file():
        raise InputError(
            f"Expected {str(path)!r} to be a run of pdescry, with a config.toml; it has none; begin one with "
            "`pdescry discover FILE`."
        )
    tables = load_config(path / "config.toml")
    experiments = (_load_readings(path, number, each) for number, each in enumerate(_about(tables)))
    return tuple(experiments), settings_from(tables)


def _about(tables: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the readings of each experiment are. A run of one has had a single table."""
    about = tables.get("readings", {})
    return about if isinstance(about, list) else [about]


def written(path: Path) -> bool:
    """Whether a run was begun here, and all of its readings written."""
    config = path / "config.toml"
    if not config.is_file():
        return False
    return all(_is_written(path, number, each) for number, each in enumerate(_about(load_config(config))))


def _is_written(path: Path, number: int, about: Mapping[str, Any]) -> bool:
    names = ["readings.csv", *(["inputs.csv"] if about.get("inputs") else [])]
    return all((path / numbered(name, number)).exists() for name in names)


@contextmanager
def _locked(path: Path, make: bool) -> Iterator[None]:
    """The folder is ours until we leave or die; another process is refused."""
    try:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(path / ".lock", timeout=0)
        with lock:
            if _is_run(path):
                for left in [each for each in path.iterdir() if is_on_the_way(each.name)]:
                    _remove(left)
            yield
    except filelock.Timeout:
        raise RunInUse(
            f"Another process is working in {str(path)!r}; wait for it to end, or choose another folder."
        ) from None
    except OSError as fault:
        reason = os.strerror(fault.errno) if fault.errno else str(fault)
        raise InputError(
            f"Cannot write in {str(path)!r}: {reason}; make room or choose another folder; what is finished is kept, "
            "and the run can be resumed."
        ) from fault


def _compare(path: Path, experiments: Sequence[Readings], settings: Settings) -> None:
    """An error that names what differs from the run in this folder."""
    tables = load_config(path / "config.toml")
    chosen = settings_from(tables)
    same = len(_about(tables)) == len(experiments) and all(
        _load_readings(path, number, about) == readings
        for number, (about, readings) in enumerate(zip(_about(tables), experiments, strict=True))
        if _is_written(path, number, about)  # else killed before
    )
    changes = [
        f"{name} was {old!r}, now {new!r}" for name, old, new in differences(chosen.to_dict(), settings.to_dict())
    ]
    if not same:
        changes.append("the readings differ")
    if changes:
        raise InputError(
            f"The folder {str(path)!r} contains another run: {'; '.join(changes)}. Choose another folder, or go back "
            "to those settings."
        )


# ---- readings and settings as files ----------------------------------------------------------------------------------


def config_text(experiments: Sequence[Readings], settings: Settings) -> str:
    lines = [to_toml(settings)]
    for number, readings in enumerate(experiments):
        about = {name: getattr(readings, name) for name in _ABOUT_READINGS}
        about["notes"] = stored(readings.notes)
        about["faults"] = [each.to_dict() for each in readings.faults]
        about["inputs"] = {known.name: known.between for known in readings.inputs}
        lines.append(f"[[readings]]                 # what {numbered('readings.csv', number)} contains")
        lines += [f"{name} = {spelled(value)}" for name, value in about.items() if value not in (None, {}, [])]
    return "\n".join([*lines, ""])


def write_readings(folder: Path, experiments: Sequence[Readings]) -> None:
    """Those that are not there yet."""
    for number, readings in enumerate(experiments):
        for name, write in (("readings.csv", _write_readings), ("inputs.csv", _write_inputs)):
            path = folder / numbered(name, number)
            if not path.exists() and (name == "readings.csv" or readings.inputs):
                write(path, readings)


def _write_readings(path: Path, readings: Readings) -> None:
    columns = {readings.time_name: readings.time}
    columns |= dict(zip(readings.axes, readings.space.T, strict=True))
    columns |= dict(zip(readings.fields, readings.values.T, strict=True))
    if readings.noise is not None:
        columns |= {f"sd of {field}": sd for field, sd in zip(readings.fields, readings.noise.T, strict=True)}
    frame = pd.DataFrame(columns | {SENSOR: readings.sensor})  # by number: names are in config.toml
    with appearing(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")


def _write_inputs(path: Path, readings: Readings) -> None:
    """A row per value. Places are empty for an input that depends on time only."""
    tables = []
    for known in readings.inputs:
        places = np.full((len(known), len(readings.axes)), np.nan) if known.space is None else known.space
        columns = {
            _INPUT: known.name,
            readings.time_name: known.time,
            **dict(zip(readings.axes, places.T, strict=True)),
        }
        tables.append(pd.DataFrame(columns | {_VALUE: known.values}))
    with appearing(path) as temporary:
        pd.concat(tables).to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")


def _load_readings(folder: Path, number: int, about: Mapping[str, Any]) -> Readings:
    path = folder / numbered("readings.csv", number)
    try:
        frame = pd.read_csv(path, dtype=str)  # as texts: numpy reads them back to the last bit
        known: dict[str, Any] = {name: tuple(part) if isinstance(part, list) else part for name, part in about.items()}
        axes, fields, between = list(known["axes"]), list(known["fields"]), known.pop("inputs", {})
        known["notes"] = restored(known.pop("notes", ()))
        known["faults"] = tuple(SensorFault(**each) for each in known.pop("faults", ()))
        noise = [f"sd of {field}" for field in fields]
        readings = Readings(
            frame[known["time_name"]].to_numpy(float),
            frame[axes].to_numpy(float),
            frame[fields].to_numpy(float),
            frame[SENSOR].to_numpy(int).astype(np.intp),
            noise=frame[noise].to_numpy(float) if set(noise) <= set(frame.columns) else None,
            **known,
        )
        if not between:
            return readings
        path = folder / numbered("inputs.csv", number)
        return replace(readings, inputs=tuple(_load_inputs(path, readings, between)))
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise InputError(
            f"Expected the readings of a run in {str(path)!r}; they are not there, or damaged ({fault}); begin the run "
            "again with `pdescry discover FILE`."
        ) from None


def _load_inputs(path: Path, readings: Readings, between: Mapping[str, Any]) -> Iterator[Input]:
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    for name, how in between.items():
        rows = (frame[_INPUT] == name).to_numpy()
        time, values = (frame[column].to_numpy(float)[rows] for column in (readings.time_name, _VALUE))
        places = frame[list(readings.axes)].to_numpy(float)[rows]
        of_time = np.isnan(places).all()
        yield Input(name, time, None if of_time else places, values, how)
