"""The run directory: what `discover` has done so far, in files that explain themselves.

    rod.pdescry/
      config.toml       every setting, with a comment each; and what readings.csv holds
      readings.csv      the readings, as they were understood
      chains/           checkpoints while the field is sampled; gone when posterior.nc is there
      posterior.nc      draws of the field
      derivatives.nc    the candidate terms at many points
      fit.json          the regressions, with the path by which candidates fell
      law.json          the result, with intervals, verdict and warnings
      figures/          pictures
      log.txt           what was done, and when
      .lock             held while somebody works here

Every file appears whole or not at all, so a file that is there is finished, and a stage whose file is there is done.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import filelock
import numpy as np
import pandas as pd

from pdescry.data import Readings
from pdescry.derivatives import Derivatives
from pdescry.discovery.config import load_config, settings_from, spelled, to_toml
from pdescry.discovery.forward import Forward
from pdescry.discovery.law import Law
from pdescry.discovery.settings import Settings
from pdescry.errors import InputError
from pdescry.files import appearing, write_json
from pdescry.regression import REGRESSORS, SparseFit
from pdescry.regression.storage import fit_from_dict, fit_to_dict
from pdescry.surrogate import Diagnostics, Posterior
from pdescry.surrogate.problem import differences

FORMAT = "pdescry law 1"
OURS = {
    "config.toml", "readings.csv", "chains", "posterior.nc", "derivatives.nc", "fit.json", "law.json", "figures",
    "log.txt",
}  # fmt: skip
# Of a process that was killed: the lock's file, and files on their way (`files.appearing`).
_LEFTOVER = re.compile(r"\.lock|\..*\.[0-9a-f]{8}(\.\w+)?")
SENSOR = "sensor number"  # a column that no field can be called
_ABOUT_READINGS = ("time_name", "axes", "fields", "sensor_names", "source", "notes")


@dataclass(frozen=True)
class Run:
    """A run directory that is ours while we hold its lock."""

    path: Path
    readings: Readings
    settings: Settings

    @property
    def chains(self) -> Path:
        return self.path / "chains"

    @property
    def posterior(self) -> Path:
        return self.path / "posterior.nc"

    @property
    def derivatives(self) -> Path:
        return self.path / "derivatives.nc"

    @property
    def fit(self) -> Path:
        return self.path / "fit.json"

    @property
    def law(self) -> Path:
        return self.path / "law.json"

    @property
    def figures(self) -> Path:
        return self.path / "figures"

    def log(self, sentence: str) -> None:
        """One more line of log.txt. A log that cannot be written stops nobody."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        with suppress(OSError), (self.path / "log.txt").open("a", encoding="utf-8") as stream:
            stream.write(f"{now} {' '.join(sentence.split())}\n")

    def end_sampling(self) -> None:
        """The posterior is safe: its checkpoints are not needed any more."""
        shutil.rmtree(self.chains, ignore_errors=True)


@contextmanager
def begun(path: Path, readings: Readings, settings: Settings, overwrite: bool = False) -> Iterator[Run]:
    """A run in a new or empty folder, or in one that holds the same run, stopped at whatever moment."""
    with _locked(path, make=True):
        config = path / "config.toml"
        if overwrite or not config.exists():
            ours = overwrite and _is_run(path)
            _clear(path, ours, _unchanged(path, readings, settings) if ours else set())
            with appearing(config) as temporary:
                temporary.write_text(_config(readings, settings), encoding="utf-8")
        else:
            _compare(path, readings, settings)
        if not (path / "readings.csv").exists():
            _write_readings(path / "readings.csv", readings)
        yield Run(path, readings, settings)


def _is_run(path: Path) -> bool:
    """Whether the config.toml in this folder is one of ours."""
    config = path / "config.toml"
    return config.is_file() and "readings" in load_config(config)


def _unchanged(path: Path, readings: Readings, settings: Settings) -> set[str]:
    """What a run has done that stays as it is under these settings: another threshold needs no other chains."""
    try:
        before, chosen = load_inputs(path)
    except InputError:
        return set()
    sections = {name.partition(".")[0] for name, _, _ in differences(chosen.to_dict(), settings.to_dict())} - {"preset"}
    if before != readings or sections - {"law", "derivatives", "regression"}:
        return set()
    return {"chains", "posterior.nc"} if sections - {"regression"} else {"chains", "posterior.nc", "derivatives.nc"}


def _clear(path: Path, ours: bool, kept: set[str]) -> None:
    """Remove what a killed process left behind, and, if the folder is a run of ours, all but ``kept``; else refuse."""
    strangers = [each for each in path.iterdir() if not _LEFTOVER.fullmatch(each.name)]
    if ours:
        strangers = [each for each in strangers if each.name not in OURS]
    if strangers:
        name = min(each.name for each in strangers)
        kind = "a run of pdescry and nothing else" if ours else "a new or empty folder for the run"
        raise InputError(f"Expected {kind}; {str(path)!r} holds {name!r}; choose another folder.")
    # config.toml stays until the new one takes its place: killed on the way, this is still a run to be overwritten.
    for each in path.iterdir():
        if each.name not in {".lock", "config.toml", *kept}:
            shutil.rmtree(each) if each.is_dir() else each.unlink()


@contextmanager
def reopened(path: Path) -> Iterator[Run]:
    """The run that was begun in this folder."""
    readings, settings = load_inputs(path)
    with _locked(path, make=False):
        yield Run(path, readings, settings)


def load_inputs(path: Path) -> tuple[Readings, Settings]:
    """What a run was begun with."""
    if not path.is_dir():
        raise InputError(f"There is no run directory {str(path)!r}; `pdescry discover FILE` makes one.")
    if not (path / "config.toml").is_file():
        raise InputError(
            f"Expected {str(path)!r} to be a run of pdescry, with a config.toml; it has none; begin one with "
            "`pdescry discover FILE`."
        )
    tables = load_config(path / "config.toml")
    return _load_readings(path / "readings.csv", tables.get("readings", {})), settings_from(tables)


@contextmanager
def _locked(path: Path, make: bool) -> Iterator[None]:
    """The folder is ours until we leave or die; another process is refused."""
    try:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(path / ".lock", timeout=0)
        with lock:
            yield
    except filelock.Timeout:
        raise InputError(
            f"Another process is working in {str(path)!r}; wait for it to end, or choose another folder."
        ) from None
    except OSError as fault:
        reason = os.strerror(fault.errno) if fault.errno else str(fault)
        raise InputError(
            f"Cannot write in {str(path)!r}: {reason}; make room or choose another folder; what is finished is kept, "
            "and the run can be resumed."
        ) from fault


def _compare(path: Path, readings: Readings, settings: Settings) -> None:
    """An error that names what differs from the run in this folder."""
    if not (path / "readings.csv").exists():  # killed before it was written
        before, chosen = readings, settings_from(load_config(path / "config.toml"))
    else:
        before, chosen = load_inputs(path)
    changes = [
        f"{name} was {old!r}, now {new!r}" for name, old, new in differences(chosen.to_dict(), settings.to_dict())
    ]
    if before != readings:
        changes.append("the readings differ")
    if changes:
        raise InputError(
            f"The folder {str(path)!r} holds another run: {'; '.join(changes)}. Choose another folder, or go back to "
            "those settings."
        )


# ---- readings and settings as files ----------------------------------------------------------------------------------


def _config(readings: Readings, settings: Settings) -> str:
    about = {name: getattr(readings, name) for name in _ABOUT_READINGS}
    lines = [f"{name} = {spelled(value)}" for name, value in about.items() if value is not None]
    return "\n".join([to_toml(settings), "[readings]                   # what readings.csv holds", *lines, ""])


def _write_readings(path: Path, readings: Readings) -> None:
    columns = {readings.time_name: readings.time}
    columns |= dict(zip(readings.axes, readings.space.T, strict=True))
    columns |= dict(zip(readings.fields, readings.values.T, strict=True))
    if readings.noise is not None:
        columns |= {f"sd of {field}": sd for field, sd in zip(readings.fields, readings.noise.T, strict=True)}
    frame = pd.DataFrame(columns | {SENSOR: readings.sensor})  # by number: names stand in config.toml
    with appearing(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")


def _load_readings(path: Path, about: dict[str, Any]) -> Readings:
    try:
        frame = pd.read_csv(path, dtype=str)  # as texts: numpy reads them back to the last bit
        known: dict[str, Any] = {name: tuple(part) if isinstance(part, list) else part for name, part in about.items()}
        axes, fields = list(known["axes"]), list(known["fields"])
        noise = [f"sd of {field}" for field in fields]
        return Readings(
            frame[known["time_name"]].to_numpy(float),
            frame[axes].to_numpy(float),
            frame[fields].to_numpy(float),
            frame[SENSOR].to_numpy(int).astype(np.intp),
            noise=frame[noise].to_numpy(float) if set(noise) <= set(frame.columns) else None,
            **known,
        )
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise InputError(
            f"Expected the readings of a run in {str(path)!r}; they are not there, or damaged ({fault}); begin the run "
            "again with `pdescry discover FILE`."
        ) from None


# ---- results as files ------------------------------------------------------------------------------------------------


def write_fits(path: Path, fits: tuple[SparseFit, ...]) -> None:
    write_json(path, [fit_to_dict(fit, REGRESSORS) for fit in fits])


def load_fits(path: Path, readings: Readings) -> tuple[SparseFit, ...]:
    return tuple(fit_from_dict(table, readings.fields, readings.axes, REGRESSORS) for table in _read_json(path))


def write_law(path: Path, law: Law) -> None:
    """The result for people and programs. Nothing in it depends on when or how often the run was stopped."""
    posterior, readings = law.posterior, law.readings
    noise = posterior.noise_sd
    diagnostics = {name: value for name, value in vars(law.diagnostics).items() if name != "table"}
    summary = {
        "format": FORMAT,
        "law": str(law).splitlines(),
        "equation": str(law.equation) if law.found else None,
        "latex": law.equation.to_latex() if law.found else None,
        "coefficients": law.coefficients.to_dict(orient="records"),
        "noise": {
            name: {"mean": float(noise[:, :, number].mean()), "sd": float(noise[:, :, number].mean(-1).std())}
            for number, name in enumerate(readings.fields)
        },
        "readings": {"number": len(readings), "sensors": readings.n_sensors, "span": readings.span},
        "candidates": [str(term) for term in law.fits[0].terms],
        "forward": asdict(law.forward),
        "diagnostics": diagnostics | {"table": law.diagnostics.table.reset_index().to_dict(orient="split")},
        "warnings": law.warnings,
        "advice": law.advice,
        "settings": law.settings.to_dict(),
        "versions": {name: importlib.metadata.version(name) for name in ("pdescry", "jax", "numpy", "scikit-learn")},
    }
    write_json(path, summary)


def load_law(path: Path) -> Law:
    readings, settings = load_inputs(path)
    if not (path / "law.json").exists():
        raise InputError(f"The run in {str(path)!r} is not finished; go on with `pdescry resume {path}`.")
    summary = _read_json(path / "law.json")
    try:
        forward = summary["forward"]
        told = summary["diagnostics"]
        table = pd.DataFrame(**told["table"])
        table = table.set_index(table.columns[0]).rename_axis(None).infer_objects()
        return Law(
            Posterior.load(path / "posterior.nc"),
            Derivatives.load(path / "derivatives.nc"),
            load_fits(path / "fit.json", readings),
            settings,
            Diagnostics(**{name: _number(value) for name, value in told.items() if name != "table"}, table=table),
            Forward(**forward | {"misfit": _number(forward["misfit"])}),
            tuple(summary["warnings"]),
            tuple(summary["advice"]),
        )
    except (KeyError, TypeError, ValueError) as fault:
        if isinstance(fault, InputError):
            raise
        raise InputError(f"Expected a law of pdescry in {str(path)!r}; it is damaged ({fault}).") from None


def save_law(law: Law, path: Path) -> None:
    if path.exists():
        if not (path / "law.json").exists():
            raise InputError(f"Expected a new name or a folder with a law to replace; {str(path)!r} is neither.")
        if strangers := sorted(each.name for each in path.iterdir() if each.name not in {*OURS, ".lock"}):
            raise InputError(
                f"Expected a folder with a law and nothing else to replace; {str(path)!r} holds {strangers[0]!r}."
            )
    with appearing(path) as folder:
        folder.mkdir()
        (folder / "config.toml").write_text(_config(law.readings, law.settings), encoding="utf-8")
        _write_readings(folder / "readings.csv", law.readings)
        law.posterior.save(folder / "posterior.nc")
        law.derivatives.save(folder / "derivatives.nc")
        write_fits(folder / "fit.json", law.fits)
        write_law(folder / "law.json", law)


def _number(value: Any) -> Any:
    return float("nan") if value is None else value


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise InputError(f"Cannot read {str(path)!r}: {fault}; the run can be resumed after removing it.") from None
