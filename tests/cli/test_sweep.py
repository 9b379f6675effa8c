"""`pdescry sweep` at the shell: cases from words, plain lines, status, exit codes."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import pdescry
from pdescry.cli.app import app
from pdescry.cli.sweep_display import Lines, picture
from pdescry.sweeps.study import DONE, FAILED, Outcome
from pdescry.sweeps.sweep import Tally


def told(*words: Any) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["sweep", *map(str, words)], prog_name="pdescry")
    return done.exit_code, done.output


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would be run; nothing is."""
    calls: list[Any] = []

    def run_study(path: Path, asked: Any, *rest: Any) -> pdescry.Study:
        calls.append((path, asked.cases, *rest))
        return pdescry.Study(path, asked.cases, {})

    monkeypatch.setattr(importlib.import_module("pdescry.sweeps.sweep"), "run_study", run_study)
    return calls


def test_words_become_cases(asked: list[Any], tmp_path: Path) -> None:
    (tmp_path / "rod.csv").write_text("")
    words = [tmp_path / "rod.csv", "-o", tmp_path / "out", "-c", "u_x, u_xx", "--noise", "0.05", "--seeds", "2"]
    code, output = told(*words, "--grid", "regression.largest=[1, 2]", "--workers", "3", "--no-reports", "-q")
    assert (code, output) == (0, "")
    ((path, cases, executor, workers, reports, _),) = asked
    assert (path, executor, workers, reports) == (tmp_path / "out", None, 3, False)
    assert list(cases) == [f"rod_largest={k}_seed={seed}" for k in (1, 2) for seed in (0, 1)]
    case = cases["rod_largest=2_seed=1"]
    assert case.reading == {"noise": 0.05}
    assert case.settings == {
        "noise": {"sd": "readings"},
        "law": {"candidates": ["u_x", "u_xx"]},
        "regression": {"largest": 2},
        "seed": 1,
    }


def test_a_table_goes_into_a_folder_of_its_name(asked: list[Any], tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rod.csv").write_text("")
    Path("rods.toml").write_text('files = ["*.csv"]\n')
    assert told("rods.toml", "-q")[0] == 0
    ((path, cases, *_),) = asked
    assert (path, list(cases)) == (Path("rods"), ["rod"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "Expected files of readings, a table"),
        (("rod.csv", "--cluster", "tcp://a:1", "--workers", "2"), "either --cluster or --workers"),
        (("rod.csv", "--grid", "seed"), "Expected a grid as NAME=LIST"),
        (("rod.csv", "--grid", "nose=[1]"), "There is no setting nose"),
        (("--status", "nowhere"), "to be a sweep; it is none"),
    ],
)
def test_bad_words_are_told(asked: list[Any], words: tuple[str, ...], says: str) -> None:
    code, output = told(*words)
    assert code == 2
    assert says in output
    assert asked == []


def test_from_failure_to_status(tmp_path: Path) -> None:
    """A bad file, whose reason is told; then the folder, which goes on as it is."""
    (tmp_path / "bad.csv").write_text("t,x\n1,2\n")
    code, output = told(tmp_path / "bad.csv", "-o", tmp_path / "out", "--workers", "1")
    assert code == 1
    assert "[1/1] bad: failed: Expected a column of measured values" in output
    assert "1 case of 1 failed; repeat the command to try it again" in output
    assert told(tmp_path / "out", "-q", "--workers", "1")[0] == 1
    code, output = told("--status", tmp_path / "out")
    assert code == 0
    assert "0 done, 1 failed, 0 waiting" in output
    assert f"Nobody works there: `pdescry sweep {tmp_path / 'out'}` goes on." in output
    status = json.loads(told("--status", tmp_path / "out", "--json")[1])
    assert (status["cases"], status["done"], status["failed"], status["working"]) == (1, 0, 1, False)
    assert told(tmp_path / "out", "-c", "u_x")[0] == 2


def outcome(name: str, law: str = "") -> Outcome:
    return Outcome(name, DONE if law else FAILED, 1.25, "" if law else "no column", {"law": law} if law else None)


def test_the_live_table_and_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    tally, lines = Tally(4, done=1, found=1), Lines()
    lines(tally, None)
    for each in (outcome("rod", "u_t = u_xx"), outcome("bad")):
        tally.add(each)
        lines(tally, each)
    tally.flying = 1
    printed = capsys.readouterr().err
    assert "1 of 4 cases were done before." in printed
    assert "rod: u_t = u_xx (1.2 s)" in printed
    assert "bad: failed: no column" in printed
    console = Console(width=100, record=True, file=None)
    console.print(picture(Path("study"), tally, 100))
    shown = console.export_text()
    assert shown.splitlines()[2].split()[:8] == ["done", "2", "running", "1", "waiting", "0", "failed", "1"]
    assert "rod" in shown
    assert "no column" in shown
    assert all(len(line) <= 100 for line in shown.splitlines())


def test_of_many_cases_some_lines_and_all_failures(capsys: pytest.CaptureFixture[str]) -> None:
    tally, lines = Tally(1000), Lines()
    lines(tally, None)
    capsys.readouterr()
    for number in range(50):
        each = outcome(f"case{number}", "u_t = u_xx" if number != 20 else "")
        tally.add(each)
        lines(tally, each)
    assert [line.split("] ")[1].split(":")[0] for line in capsys.readouterr().err.splitlines()] == ["case20"]
    assert np.isfinite(tally.seconds_left or np.nan)
