"""The result of a run as files: law.json for people and programs, the fits, and the way back to a `Law`."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdescry.data import Readings
from pdescry.derivatives import Derivatives
from pdescry.discovery.fit import Fit
from pdescry.discovery.forward import Forward
from pdescry.discovery.law import Law
from pdescry.discovery.run import config_text, is_ours, load_inputs, numbered, write_readings
from pdescry.discovery.score import Score
from pdescry.errors import InputError
from pdescry.files import appearing, exact_floats, is_on_the_way, write_json
from pdescry.joint import Choice
from pdescry.regression import REGRESSORS, SparseFit
from pdescry.regression.storage import fit_from_dict, fit_to_dict
from pdescry.surrogate import Diagnostics, Posterior

FORMAT = "pdescry law 1"


def write_fits(path: Path, fits: Sequence[Fit]) -> None:
    """Those that are regressions."""
    write_json(path, [fit_to_dict(fit, REGRESSORS) for fit in fits if isinstance(fit, SparseFit)])


def load_fits(path: Path, readings: Readings) -> tuple[SparseFit, ...]:
    return tuple(fit_from_dict(table, readings.fields, readings.axes, REGRESSORS) for table in _read_json(path))


def write_law(path: Path, law: Law) -> None:
    """The result for people and programs. Nothing in it depends on when or how often the run was stopped."""
    diagnostics = {name: value for name, value in vars(law.diagnostics).items() if name != "table"}
    summary = {
        "format": FORMAT,
        "law": str(law).splitlines(),
        "equation": str(law.equation) if law.found else None,
        "latex": law.equation.to_latex() if law.found else None,
        "coefficients": law.coefficients.to_dict(orient="records"),
        **({} if law.choice is None else _compared(law.choice)),
        "noise": _noise(law),
        "readings": _about(law.readings),
        **(
            {"further_experiments": [_further(law, number) for number in range(1, len(law.experiments))]}
            if law.others
            else {}
        ),
        "candidates": [str(term) for term in law.fits[0].terms],
        "forward": _forward(law.forward),
        "diagnostics": diagnostics | {"table": law.diagnostics.table.reset_index().to_dict(orient="split")},
        "warnings": law.warnings,
        "advice": law.advice,
        "settings": law.settings.to_dict(),
        "versions": {name: importlib.metadata.version(name) for name in ("pdescry", "jax", "numpy", "scikit-learn")},
    }
    write_json(path, summary)


def _forward(forward: Forward) -> dict[str, Any]:
    told = {each.name: getattr(forward, each.name) for each in fields(forward)}
    return told | {"score": None if forward.score is None else forward.score.summary}


def write_forward(path: Path, forward: Forward) -> None:
    """What was said of left-out sensors, a row a reading, if any were left out."""
    if forward.held_out is None:
        path.unlink(missing_ok=True)  # of a run that was stopped, and changed
        return
    with appearing(path) as temporary:
        forward.held_out.to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")


def _load_forward(told: dict[str, Any], path: Path, named: bool) -> Forward:
    """named: whether sensors have names. A law of an older version has no score."""
    score = told.get("score")
    if score is not None:
        kinds: Any = {"sensor": str if named else int}
        table: Any = pd.read_csv(path, dtype=kinds, keep_default_na=False, **exact_floats())
        score = Score(**score | {"sensors": tuple(score["sensors"])}, table=table)
    return Forward(**told | {"misfit": _number(told["misfit"]), "score": score})


def _about(readings: Readings) -> dict[str, Any]:
    return {
        "number": len(readings),
        "sensors": readings.n_sensors,
        "span": readings.span,
        "units": readings.units,
        "notes": readings.notes,
    }


def _further(law: Law, number: int) -> dict[str, Any]:
    posterior = law.posteriors[number]
    noise = {} if law.choice is None else {"noise": float(np.sqrt(np.mean(law.choice.fit.of(number).noise ** 2)))}
    return _about(posterior.readings) | noise | {"verdict": posterior.diagnostics.verdict}


def _compared(choice: Choice) -> dict[str, Any]:
    """How other laws fared, and no law at all; scores are log densities of left-out sensors. Offsets of sensors."""
    comparison, fit = choice.comparison, choice.fit
    offsets = [
        ({"experiment": number} if fit.n_experiments > 1 else {}) | row
        for number in range(fit.n_experiments)
        for row in fit.of(number).offsets.to_dict(orient="records")
    ]
    rms_error, expected = comparison.errors
    sensors = comparison.held_out.to_dict(orient="records")
    return {
        "alternatives": comparison.alternatives.to_dict(orient="records"),
        "probabilities": comparison.probabilities.to_dict(),
        "singly": comparison.singly.to_dict(orient="records"),
        "held_out": {"rms_error": rms_error, "expected": expected, "sensors": sensors},
        "baselines": comparison.baselines,
        "offsets": offsets,
    }


def _noise(law: Law) -> dict[str, Any]:
    """Of each field about the field that obeys the law, or else over the draws of the network."""
    if law.choice is not None and law.found:
        return {law.choice.field: {"mean": float(np.sqrt(np.mean(law.choice.fit.noise**2))), "sd": None}}
    noise = law.posterior.noise_sd
    return {
        name: {"mean": float(noise[:, :, number].mean()), "sd": float(noise[:, :, number].mean(-1).std())}
        for number, name in enumerate(law.readings.fields)
    }


def load_posterior(path: Path, readings: Readings) -> Posterior:
    """Draws of the field behind these readings: the same numbers, of which a later run may know more, such as units."""
    return replace(Posterior.load(path), readings=readings)


def load_law(path: Path) -> Law:
    experiments, settings = load_inputs(path)
    if not (path / "law.json").exists():
        raise InputError(f"The run in {str(path)!r} is not finished; go on with `pdescry resume {path}`.")
    summary = _read_json(path / "law.json")
    try:
        told = summary["diagnostics"]
        table = pd.DataFrame(**told["table"])
        table = table.set_index(table.columns[0]).rename_axis(None).infer_objects()
        posterior, *others = (
            load_posterior(path / numbered("posterior.nc", number), each) for number, each in enumerate(experiments)
        )
        return Law(
            posterior,
            *_load_results(path, experiments),
            settings,
            Diagnostics(**{name: _number(value) for name, value in told.items() if name != "table"}, table=table),
            _load_forward(summary["forward"], path / "forward.csv", experiments[0].sensor_names is not None),
            tuple(summary["warnings"]),
            tuple(summary["advice"]),
            tuple(others),
        )
    except (KeyError, TypeError, ValueError, OSError) as fault:
        if isinstance(fault, InputError):
            raise
        raise InputError(f"Expected a law of pdescry in {str(path)!r}; it is damaged ({fault}).") from None


def _load_results(path: Path, experiments: Sequence[Readings]) -> tuple[Derivatives | None, tuple[Fit, ...]]:
    if (path / "joint.nc").exists():
        return None, (Choice.load(path / "joint.nc", experiments),)
    return Derivatives.load(path / "derivatives.nc"), load_fits(path / "fit.json", experiments[0])


def save_law(law: Law, path: Path) -> None:
    if path.exists():
        if not (path / "law.json").exists():
            raise InputError(f"Expected a new name or a folder with a law to replace; {str(path)!r} is neither.")
        strangers = (each.name for each in path.iterdir() if each.name != ".lock" and not is_on_the_way(each.name))
        if strangers := sorted(name for name in strangers if not is_ours(name)):
            raise InputError(
                f"Expected a folder with a law and nothing else to replace; {str(path)!r} holds {strangers[0]!r}."
            )
    with appearing(path) as folder:
        folder.mkdir()
        (folder / "config.toml").write_text(config_text(law.experiments, law.settings), encoding="utf-8")
        write_readings(folder, law.experiments)
        for number, posterior in enumerate(law.posteriors):
            posterior.save(folder / numbered("posterior.nc", number))
        if law.choice is not None:
            law.choice.save(folder / "joint.nc")
        if law.derivatives is not None:
            law.derivatives.save(folder / "derivatives.nc")
            write_fits(folder / "fit.json", law.fits)
        write_forward(folder / "forward.csv", law.forward)
        write_law(folder / "law.json", law)
        if (path / "law.json").is_file() and (path / "law.json").read_bytes() == (folder / "law.json").read_bytes():
            for each in path.iterdir():  # what was drawn of this law, and how it was made
                if each.name != ".lock" and not (folder / each.name).exists():
                    (shutil.copytree if each.is_dir() else shutil.copy2)(each, folder / each.name)


def _number(value: Any) -> Any:
    return float("nan") if value is None else value


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise InputError(f"Cannot read {str(path)!r}: {fault}; the run can be resumed after removing it.") from None
