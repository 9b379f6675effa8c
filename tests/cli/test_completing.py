"""What the shell gets to offer after Tab, by the protocol it asks with; and nothing heavy is loaded for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pdescry.cli import completing
from pdescry.data.formats import FORMATS
from pdescry.experiments.paper import EXPERIMENTS
from pdescry.experiments.reproduce import SCALES


def asked(line: str, shell: str = "bash") -> dict[str, str]:
    """What a shell asks with for a line whose last word is incomplete."""
    words = line.split(" ")
    of_bash = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    of_others = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    return {"_PDESCRY_COMPLETE": f"complete_{shell}", **of_bash, **of_others}


LINES = {
    "pdescry re": ["resume", "report", "refine", "reproduce"],
    "pdescry config --preset p": ["paper", "paper_as_printed"],
    "pdescry discover rod.csv -c ": ["paper", "small", "general"],
    "pdescry discover rod.csv --kn": ["--known"],
    "pdescry discover rod.csv --method b": ["best-subset"],
    "pdescry discover rod.csv --faults ": ["leave_out", "tell", "ignore"],
    "pdescry discover rod.csv --set s": ["seed", "start.", "sampler.", "sensors."],
    "pdescry discover rod.csv --set field.": ["field.chains", "field.standardise", "field.average"],
    "pdescry discover rod.csv --set sampler.drws": [],
    "pdescry discover rod.csv --set sampler.do": ["sampler.doublings"],
    "pdescry discover rod.csv --set regression.v": ["regression.vary"],
    "pdescry sweep rod.csv --grid law.": ["law.candidates", "law.time_order"],
    "pdescry reproduce k": ["kdv"],
    "pdescry show ": ["rod.pdescry"],
    "pdescry show runs/": ["runs/two.pdescry"],
    "pdescry show run": [],  # the shell offers the folder
    "pdescry show nowhere/": [],
    "pdescry discover ro": [],  # the shell offers files
    "pdescry inspect rod.csv --plot ro": [],
}


@pytest.mark.parametrize(("line", "expected"), LINES.items(), ids=LINES)
def test_what_is_offered(run, tmp_path, monkeypatch, line, expected):
    for folder in ("rod.pdescry", "runs/two.pdescry"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "config.toml").touch()
    for name, value in asked(line).items():
        monkeypatch.setenv(name, value)
    assert run()[1].split() == expected


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_names_of_systems_without_jax(shell):
    code = "import sys; from pdescry.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    environment = {**os.environ, **asked("pdescry systems bur", shell)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert "burgers" in done.stdout
    assert not {"jax", "scipy", "pandas", "xarray"} & set(done.stderr.split())


def test_names_of_commands():
    environment = {**os.environ, **asked("pdescry sys")}
    done = subprocess.run(
        [sys.executable, "-m", "pdescry"], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.split() == ["systems"]


def test_names_are_those_of_the_library():
    assert {*EXPERIMENTS, "all"} == set(completing.EXPERIMENTS)
    assert set(SCALES) == set(completing.SCALES)
    assert set(FORMATS) == set(completing.FORMATS)
