"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pdescry
from pdescry import systems

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def block(language: str, holding: str) -> str:
    """The one that holds a text."""
    (found,) = (each for each in blocks(language) if holding in each)
    return found


SMALL = (
    "from pdescry.surrogate import MCLMC, Adam, Network\n"
    "small = dict(network=Network(8, 2), start=Adam(steps=200), chains=2, workers=1,"
    " sampler=MCLMC(draws=30, thin=5, rungs=2, rung_transitions=100))\n"
)


def run(code: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=folder, check=True)


@pytest.mark.slow
def test_the_first_lines_run(tmp_path):
    systems.heat().observe(sensors=10, every=0.5, noise=0.05).to_csv(tmp_path / "rod.csv")
    shown = block("python", "pdescry.discover(readings, ")
    code = SMALL + shown.replace("discover(readings, ", 'discover(readings, ["u_xx"], **small, ').replace(
        "draws=5", "draws=1"
    )
    known = block("python", "Joint(known").replace("cloud", "rod")
    # What is known needs another fit, of which tests/joint has one: here it has to be a method.
    run(code + known.replace("pdescry.discover(law.readings, ", "dict("), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"rod.csv", "rod.pdescry", "copy.pdescry"}


def test_the_lines_about_the_pieces_run(tmp_path):
    systems.heat().observe(noise=0.05).to_csv(tmp_path / "rod.csv")
    run(block("python", "Equation.parse"), tmp_path)


@pytest.mark.slow
def test_the_lines_about_the_field_and_its_law_run(tmp_path):
    shown = block("python", "pdescry.interpolate(readings, ")
    run(
        SMALL + shown.replace("interpolate(readings, ", "interpolate(readings, **small, ") + block("python", "STBLR("),
        tmp_path,
    )
    assert {path.name for path in tmp_path.iterdir()} == {"rod.run", "rod.nc"}


@pytest.mark.slow
def test_the_first_command_prints_and_writes_what_it_says(tmp_path):
    """Minutes. Last digits may differ on another machine, so the law is compared, not the text."""
    make, find = block("sh", "pdescry discover").split("&& .venv/bin/pdescry ")[1:]
    program = [sys.executable, "-m", "pdescry"]
    subprocess.run([*program, *shlex.split(make)], cwd=tmp_path, check=True)
    done = subprocess.run([*program, *shlex.split(find)], cwd=tmp_path, capture_output=True, text=True, check=True)
    law = pdescry.load(tmp_path / "cloud.pdescry")
    assert set(law.coefficients["term"]) == {"u_x", "u_xx"}
    assert re.search(r"u_t = -[01]\.\d+\(\d+\)\*u_x \+ 0\.\d+\(\d+\)\*u_xx\n", done.stdout)


def test_the_example_is_what_the_first_command_makes(tmp_path):
    command = block("sh", "pdescry discover").split("&& .venv/bin/pdescry ")[1]
    subprocess.run([sys.executable, "-m", "pdescry", *shlex.split(command)], cwd=tmp_path, check=True)
    made, shipped = pdescry.read(tmp_path / "cloud.csv"), pdescry.read(ROOT / "examples" / "cloud.csv")
    np.testing.assert_allclose(made.values, shipped.values, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(made.space, shipped.space)


def test_ci_runs_the_second_command():
    assert block("sh", "-m pytest\n").strip() in (ROOT / ".ci" / "run").read_text()
