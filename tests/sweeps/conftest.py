"""Readings of short rods, and a sweep over them that is done: three good cases, a bad file."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pdescry
from pdescry import Study

SETTINGS = {"law": {"candidates": ["u_x", "u_xx"]}}


class Here:
    """Does every task at once, in this process, and counts them."""

    _max_workers = 1

    def __init__(self) -> None:
        self.begun = 0

    def submit(self, fn: Any, /, *args: Any) -> Future[Any]:
        self.begun += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args))
        return future


def rod(seed: int) -> pdescry.Readings:
    return pdescry.systems.heat().observe(noise=0.01, seed=seed, sensors=8, times=np.linspace(0, 3, 16))


@pytest.fixture(scope="session")
def rods(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rods")
    for seed in (1, 2):
        rod(seed).to_csv(folder / f"rod{seed}.csv")
    (folder / "bad.csv").write_text("t,x\n1,2\n")
    return folder


@pytest.fixture(scope="session")
def finished(rods: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("done") / "study"
    return pdescry.sweep([rods / "*.csv"], folder, config=SETTINGS, grid={"reading.noise": [0.01]}, executor=Here())
