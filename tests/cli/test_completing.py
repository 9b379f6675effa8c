"""What the shell gets to offer after Tab, by the protocol it asks with; and no JAX for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pdescry.cli import completing
from pdescry.data.formats import FORMATS
from pdescry.discovery import PRESETS
from pdescry.experiments.paper import EXPERIMENTS
from pdescry.experiments.reproduce import SCALES
from pdescry.regression import REGRESSORS

ASK = """
import sys
from pdescry.cli import main
try:
    main()
finally:
    assert not {"jax", "scipy", "pandas", "xarray"} & set(sys.modules)
"""


def offered(line: str, folder, shell: str = "bash") -> list[str]:
    """Completions of a line whose last word is incomplete, in a process of its own, as a shell starts one."""
    words = line.split(" ")
    asked = {"_PDESCRY_COMPLETE": f"complete_{shell}", "COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    asked |= {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = subprocess.run(
        [sys.executable, "-c", ASK], capture_output=True, text=True, cwd=folder, env={**os.environ, **asked}, check=True
    )
    return done.stdout.split()


LINES = {
    "pdescry sys": ["systems"],
    "pdescry re": ["resume", "refine", "reproduce"],
    "pdescry systems bur": ["burgers"],
    "pdescry config --preset p": ["paper", "paper_as_printed"],
    "pdescry discover rod.csv -c ": ["paper", "small", "general"],
    "pdescry reproduce k": ["kdv"],
    "pdescry show ": ["rod.pdescry"],
    "pdescry show runs/": ["runs/two.pdescry"],
    "pdescry show run": [],  # the shell offers the folder
    "pdescry discover ro": [],  # the shell offers files
}


@pytest.mark.parametrize(("line", "expected"), LINES.items(), ids=LINES)
def test_completion_without_jax(tmp_path, line, expected):
    for run in ("rod.pdescry", "runs/two.pdescry"):
        (tmp_path / run).mkdir(parents=True)
        (tmp_path / run / "config.toml").touch()
    assert offered(line, tmp_path) == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(tmp_path, shell):
    assert "burgers" in "".join(offered("pdescry systems bur", tmp_path, shell))


def test_names_are_those_of_the_library():
    assert completing.PRESETS == tuple(PRESETS)
    assert {"joint", *(name.replace("_", "-") for name in REGRESSORS)} == set(completing.METHODS)
    assert {*EXPERIMENTS, "all"} == set(completing.EXPERIMENTS)
    assert set(SCALES) == set(completing.SCALES)
    assert set(FORMATS) == set(completing.FORMATS)
