"""The records of `benchmarks/accuracy.py`: what made them, and that different ones are not mixed unawares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pdescry


def source(package: Path, name: str, text: str) -> None:
    path = package / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def record(**changed: Any) -> dict[str, Any]:
    """Of the heat equation, found to be right."""
    found = {"terms": ["u: u_xx"], "values": [0.99], "sd": [0.01], "fields": ["u"], "orders": [1]}
    cell = {"system": "heat", "noise": 0.05, "layout": 1, "sensors": 16, "library": "general", "seconds": 9.0}
    made = {"commit": "abc", "inference": "i", "settings": "s", "versions": {"python": "3.11", "pdescry": "0.1"}}
    told = {
        "alternatives": [{"probability": 0.999}, {"probability": 0.001}],
        "probabilities": [
            {"field": "u", "term": "u_xx", "probability": 0.999},
            {"field": "u", "term": "u_x", "probability": 0.2},
        ],
    }
    return made | cell | found | told | {"law": "u_t = 0.99(1)*u_xx", "reason": "", "reasons": {}} | changed


def test_only_code_that_infers_a_law_changes_the_digest(module: Any, tmp_path: Path) -> None:
    provenance = module("provenance")
    source(tmp_path, "joint/fit.py", '"""A fit."""\n\n\ndef fit(x):\n    """Of x."""\n    return x + 1\n')
    source(tmp_path, "cli/app.py", "A = 1\n")
    source(tmp_path, "data/formats/text.py", "A = 1\n")
    before = provenance.inference_digest(tmp_path)
    commented = '"""One fit."""\n\n# Why.\ndef fit(x):\n    """Of\n    this x."""\n    return x + 1  # more\n'
    source(tmp_path, "joint/fit.py", commented)
    source(tmp_path, "cli/app.py", "A = 2\n")
    source(tmp_path, "data/formats/text.py", "A = 2\n")
    assert provenance.inference_digest(tmp_path) == before
    source(tmp_path, "joint/fit.py", commented.replace("x + 1", "x + 2"))
    changed = provenance.inference_digest(tmp_path)
    assert changed != before
    source(tmp_path, "joint/new.py", "")
    assert provenance.inference_digest(tmp_path) != changed


def test_what_is_left_out_of_the_digest_is_there(module: Any) -> None:
    provenance = module("provenance")
    package = Path(provenance.pdescry.__file__).parent
    assert [name for name in (*provenance.ROOMS, *provenance.WITHOUT) if not (package / name).exists()] == []


def test_settings_are_those_of_a_cell_whatever_its_layout(module: Any) -> None:
    accuracy, digest = module("accuracy"), module("provenance").settings_digest
    readings = pdescry.Readings.from_arrays(np.repeat([0.0, 1.0, 2.0], 3), np.tile([0.0, 1.0, 2.0], 3), np.arange(9.0))

    def of(layout: int = 1, noise: float = 0.05, library: str = "general") -> str:
        cell = {"system": "heat", "noise": noise, "layout": layout, "sensors": 16}
        return digest(accuracy.settings_of(cell, library, readings))

    assert of() == of(layout=2)
    assert len({of(), of(noise=0.01), of(library="paper")}) == 3


def test_stale_records_are_listed(
    module: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    accuracy = module("accuracy")
    monkeypatch.setattr(accuracy, "inference_digest", lambda: "present")
    (tmp_path / "new.json").write_text(json.dumps(record(inference="present")))
    assert accuracy.stale(tmp_path) == 0
    (tmp_path / "old.json").write_text(json.dumps(record(inference="0123456789", commit="fed")))
    without = {name: value for name, value in record(commit="older").items() if name != "inference"}
    (tmp_path / "older.json").write_text(json.dumps(without))
    capsys.readouterr()
    assert accuracy.stale(tmp_path) == 1
    told = capsys.readouterr().out
    assert "old: made by fed, inference 0123456789" in told
    assert "older: made by older, inference unknown" in told
    assert "2 of 3 records are stale" in told
    assert "new:" not in told


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"inference": "j"}, "2 different inferences"),
        ({"inference": None}, "2 different inferences"),
        ({"versions": {"python": "3.12"}}, "2 different sets of versions"),
        ({"settings": "t"}, "different settings in 1 cells"),
    ],
)
def test_different_records_are_mixed_only_if_asked(module: Any, other: dict[str, Any], said: str) -> None:
    markdown = module("accuracy_tables").markdown
    same = {"a": record(), "b": record(layout=2, commit="def", versions={"python": "3.11", "pdescry": "0.2"})}
    page = markdown(same)
    assert "mixed" not in page
    assert "abc, inference i (1); def, inference i (1)" in page
    records = same | {"c": record(layout=3, **other)}
    with pytest.raises(SystemExit, match=said):
        markdown(records)
    assert f"**These records are mixed**: {said}" in markdown(records, mixed=True)


def test_probabilities_are_scored(module: Any) -> None:
    wrong = {"terms": ["u: u_xxx"], "values": [0.1], "sd": [0.01], "layout": 2}
    records = {"a": record(), "b": record(**wrong), "c": record(layout=3, reason="Noise.", reasons={"u": "Noise."})}
    page = module("accuracy_tables").markdown(records)
    assert "of the 2 laws that were found; in 1 runs none was" in page
    assert "| 0.1 to 0.5 | 2 | 0.200 | 0.000 |" in page  # terms
    assert "| 0.99 to 1 | 2 | 0.999 | 0.500 |" in page  # laws
    assert f"Brier score: {(0.001**2 + 0.999**2) / 2:.4f}." in page
    assert "Wrong laws with a probability above 0.99: 1 (bar: 0)." in page
