"""The result of a run as files: law.json for people and programs, and the way back to a `Law`."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd

from pdescry.data import Readings
from pdescry.discovery.forward import Forward
from pdescry.discovery.law import Law
from pdescry.discovery.method import load_inference
from pdescry.discovery.run import config_text, is_ours, load_inputs, write_readings
from pdescry.discovery.score import Score
from pdescry.errors import DamagedFile, InputError
from pdescry.files import appearing, exact_floats, is_on_the_way, write_json
from pdescry.notices import Notice, restored, stored
from pdescry.surrogate import Diagnostics

FORMAT = "pdescry law 2"
_NEEDED = {"format", "diagnostics", "forward", "warnings", "advice"}  # to load a law


def write_law(path: Path, law: Law) -> None:
    """The result for people and programs. Nothing in it depends on when or how often the run was stopped."""
    summary = {
        "format": FORMAT,
        "law": str(law).splitlines(),
        "equation": str(law.equation) if law.found else None,
        "latex": law.equation.to_latex() if law.found else None,
        "coefficients": law.coefficients.to_dict(orient="records"),
        **law.inference.facts(),
        "noise": law.inference.noise,
        "readings": _about(law.readings),
        **(
            {"further_experiments": [_further(law, number) for number in range(1, len(law.experiments))]}
            if len(law.experiments) > 1
            else {}
        ),
        "candidates": list(dict.fromkeys(str(term) for fit in law.fits for term in fit.terms)),
        "forward": _forward(law.forward),
        "diagnostics": _diagnostics(law.diagnostics),
        "warnings": stored(law.warnings),
        "advice": stored(law.advice),
        "settings": law.settings.to_dict(),
        "versions": {name: importlib.metadata.version(name) for name in ("pdescry", "jax", "numpy", "scikit-learn")},
    }
    write_json(path, summary)


def _forward(forward: Forward) -> dict[str, Any]:
    stored = {each.name: getattr(forward, each.name) for each in fields(forward)}
    stored["message"] = forward.message.to_dict()
    stored["unscored"] = None if forward.unscored is None else forward.unscored.to_dict()
    return stored | {"score": None if forward.score is None else forward.score.summary}


def write_forward(path: Path, forward: Forward) -> None:
    """The prediction of held-out sensors, a row a reading, if there are any."""
    if forward.held_out is None:
        path.unlink(missing_ok=True)  # of a run that was stopped, and changed
        return
    with appearing(path) as temporary:
        forward.held_out.to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")


def _load_forward(stored: dict[str, Any], path: Path, named: bool) -> Forward:
    """named: whether sensors have names."""
    score = stored["score"]
    if score is not None:
        kinds: Any = {"sensor": str if named else int}
        table: Any = pd.read_csv(path, dtype=kinds, keep_default_na=False, **exact_floats())
        score = Score(**score | {"sensors": tuple(score["sensors"])}, table=table)
    unscored = None if stored["unscored"] is None else Notice.from_dict(stored["unscored"])
    notices = {"message": Notice.from_dict(stored["message"]), "unscored": unscored}
    return Forward(**stored | notices | {"misfit": _number(stored["misfit"]), "score": score})


def _about(readings: Readings) -> dict[str, Any]:
    faults = readings.faults
    return {
        "number": len(readings),
        "sensors": readings.n_sensors,
        "span": readings.span,
        "units": readings.units,
        "notes": stored(readings.notes),
        "faults": [each.to_dict() | {"notice": readings.fault_notice(each).to_dict()} for each in faults],
    }


def _further(law: Law, number: int) -> dict[str, Any]:
    return _about(law.experiments[number]) | law.inference.facts_of(number)


def _diagnostics(diagnostics: Diagnostics | None) -> dict[str, Any] | None:
    if diagnostics is None:
        return None
    stored = {name: value for name, value in vars(diagnostics).items() if name != "table"}
    return stored | {
        "verdict": diagnostics.verdict.to_dict(),
        "table": diagnostics.table.reset_index().to_dict(orient="split"),
    }


def _load_diagnostics(stored: dict[str, Any] | None) -> Diagnostics | None:
    if stored is None:
        return None
    table = pd.DataFrame(**stored["table"])
    table = table.set_index(table.columns[0]).rename_axis(None).infer_objects()
    numbers = {name: _number(value) for name, value in stored.items() if name not in ("table", "verdict")}
    return Diagnostics(**numbers, table=table, verdict=Notice.from_dict(stored["verdict"]))


def load_law(path: Path) -> Law:
    finished = (path / "law.json").exists()
    summary = _read_summary(path / "law.json") if finished else {}  # first: its format gives the version of all files
    experiments, settings = load_inputs(path)
    if not finished:
        raise InputError(f"The run in {str(path)!r} is not finished; go on with `pdescry resume {path}`.")
    return Law(
        load_inference(path, experiments, _load_diagnostics(summary["diagnostics"])),
        settings,
        _load_forward(summary["forward"], path / "forward.csv", experiments[0].sensor_names is not None),
        restored(summary["warnings"]),
        restored(summary["advice"]),
    )


def save_law(law: Law, path: Path) -> None:
    if path.exists():
        if not (path / "law.json").exists():
            raise InputError(f"Expected a new name or a folder with a law to replace; {str(path)!r} is neither.")
        strangers = (each.name for each in path.iterdir() if each.name != ".lock" and not is_on_the_way(each.name))
        if strangers := sorted(name for name in strangers if not is_ours(name)):
            raise InputError(
                f"Expected a folder with a law and nothing else to replace; {str(path)!r} contains {strangers[0]!r}."
            )
    with appearing(path) as folder:
        folder.mkdir()
        (folder / "config.toml").write_text(config_text(law.experiments, law.settings), encoding="utf-8")
        write_readings(folder, law.experiments)
        law.inference.save(folder)
        write_forward(folder / "forward.csv", law.forward)
        write_law(folder / "law.json", law)
        if (path / "law.json").is_file() and (path / "law.json").read_bytes() == (folder / "law.json").read_bytes():
            for each in path.iterdir():  # what was drawn of this law, and how it was made
                if each.name != ".lock" and not (folder / each.name).exists():
                    (shutil.copytree if each.is_dir() else shutil.copy2)(each, folder / each.name)


def _number(value: Any) -> Any:
    return float("nan") if value is None else value


def _read_summary(path: Path) -> dict[str, Any]:
    """What `write_law` wrote, of this version's format."""
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(summary, dict):
            raise ValueError("it is no JSON object")
        if missing := sorted(_NEEDED - summary.keys()):
            raise ValueError(f"it lacks {missing[0]!r}")
    except OSError as fault:
        raise InputError(f"Cannot read {str(path)!r}: {fault.strerror}; allow reading it.") from None
    except ValueError as fault:
        raise DamagedFile(
            f"Expected the result of a run in {str(path)!r}; it is damaged ({fault}); `pdescry resume "
            f"{path.parent}` makes it again."
        ) from None
    if summary["format"] != FORMAT:
        raise InputError(
            f"Expected {str(path)!r} in the format {FORMAT!r}; got {summary['format']!r}, of another version of "
            "pdescry; load it with that version, or run `pdescry discover` again."
        )
    return summary
