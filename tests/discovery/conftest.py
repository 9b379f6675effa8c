"""Runs as small as they get: two chains of a tiny network on readings of heat in a rod; a regression, and jointly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pytest

from pdescry import Choice, Law, Posterior, Readings, discover, systems
from pdescry.discovery.judgement import judge
from pdescry.joint.inference import JointInference

TINY: dict[str, Any] = {
    "law": {"candidates": ["u_xx", "u_x"]},
    "network": {"width": 6, "depth": 1},
    "start": {"steps": 400},
    "sampler": {"kind": "HMC", "step_size": 2e-3, "steps": 5, "draws": 30, "burn": 5},
    "field": {"chains": 2},
    "derivatives": {"points": 300, "keep_points": 100, "keep_draws": 25},
    "regression": {"method": "stols", "threshold": 0.0},
}

PICTURES = {f"{name}.png" for name in ("coefficients", "diagnostics", "field", "path", "slices")}
JOINT = TINY | {"regression": {"method": "auto"}}


@pytest.fixture(scope="session")
def readings() -> Readings:
    return systems.heat().observe(sensors=8, noise=0.05, every=0.5, seed=3)


@pytest.fixture(scope="session")
def finished(readings: Readings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Law, Path]:
    """A law, and the run directory it came from."""
    folder = tmp_path_factory.mktemp("runs") / "rod.pdescry"
    return discover(readings, config=TINY, workdir=folder, workers=1), folder  # two would compile the same at a time


@pytest.fixture(scope="session")
def chosen(readings: Readings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Law, Path]:
    """A law inferred together with the field, and its run directory."""
    folder = tmp_path_factory.mktemp("runs") / "joint.pdescry"
    return discover(readings, config=JOINT, workdir=folder, workers=1), folder


def with_inference(law: Law, **changes: Any) -> Law:
    """The same law, of which the method found something else."""
    inference: Any = law.inference
    return replace(law, inference=replace(inference, **changes))


def choice_of(law: Law) -> Choice:
    """Where it was inferred together with the field."""
    return cast(JointInference, law.inference).choice


def with_readings(law: Law, readings: Readings) -> Law:
    """The same law of a regression, of other readings."""
    return with_inference(law, posterior=replace(sampled(law), readings=readings))


def sampled(law: Law) -> Posterior:
    assert law.posterior is not None
    return law.posterior


def with_comparison(law: Law, **changes: Any) -> Law:
    """The same law, compared in another way."""
    choice = choice_of(law)
    law = with_inference(law, choice=replace(choice, comparison=replace(choice.comparison, **changes)))
    warnings, advice = judge(law.inference, law.forward)
    return replace(law, warnings=warnings, advice=advice)


def near_tie(law: Law) -> Law:
    """The same law, and another that may as well be true."""
    assert law.comparison is not None
    best = law.comparison.alternatives.iloc[:1]
    return with_comparison(law, alternatives=pd.concat([best, best], ignore_index=True).assign(probability=[0.7, 0.3]))
