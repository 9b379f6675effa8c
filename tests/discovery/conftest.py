"""A run as small as it gets: two chains of a tiny network on readings of heat in a rod."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pdescry import Law, Readings, discover, systems

TINY: dict[str, Any] = {
    "law": {"candidates": ["u_xx", "u_x"]},
    "network": {"width": 6, "depth": 1},
    "start": {"steps": 400},
    "sampler": {"kind": "HMC", "step_size": 2e-3, "steps": 5, "draws": 30, "burn": 5},
    "field": {"chains": 2},
    "derivatives": {"points": 300, "keep_points": 100, "keep_draws": 25},
    "regression": {"method": "stols", "threshold": 0.0},
}


@pytest.fixture(scope="session")
def readings() -> Readings:
    return systems.heat().observe(sensors=8, noise=0.05, every=0.5, seed=3)


@pytest.fixture(scope="session")
def finished(readings: Readings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Law, Path]:
    """A law, and the run directory it came from."""
    folder = tmp_path_factory.mktemp("runs") / "rod.pdescry"
    return discover(readings, config=TINY, workdir=folder, workers=1), folder  # two would compile the same at a time
