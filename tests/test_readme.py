"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from pdescry import systems

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def block(language: str, number: int = 0) -> str:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)[number]


def test_the_python_lines_run(tmp_path):
    systems.heat().observe(noise=0.05).to_csv(tmp_path / "rod.csv")
    subprocess.run([sys.executable, "-W", "error", "-c", block("python")], cwd=tmp_path, check=True)


def test_the_lines_about_the_field_and_its_law_run(tmp_path):
    small = (
        "from pdescry.surrogate import MCLMC, Adam, Network\n"
        "small = dict(network=Network(8, 2), start=Adam(steps=200), chains=2,"
        " sampler=MCLMC(draws=30, thin=5, rungs=2, rung_transitions=100))\n"
    )
    shown = block("python", 1)
    assert "interpolate(readings, " in shown
    code = small + shown.replace("interpolate(readings, ", "interpolate(readings, **small, ") + block("python", 2)
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, check=True)
    assert {path.name for path in tmp_path.iterdir()} == {"rod.run", "rod.nc"}


def test_the_first_command_prints_and_writes_what_it_says(tmp_path):
    command = block("sh").split("&& .venv/bin/pdescry ")[1]
    done = subprocess.run(
        [sys.executable, "-m", "pdescry", *shlex.split(command)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout in README
    assert {path.name for path in tmp_path.iterdir()} == {"burgers.nc", "burgers.png"}


def test_ci_runs_the_second_command():
    assert block("sh", 1).strip() in (ROOT / ".ci" / "run").read_text()
