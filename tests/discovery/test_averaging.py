"""Readings are averaged once, before a run begins: its directory holds the means, and their noise."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from pdescry import InputError, Readings, discover
from pdescry.discovery.run import Run, load_inputs
from pdescry.surrogate import Noise
from tests.discovery.conftest import TINY

LENGTH = 1000


@pytest.fixture
def logged() -> Readings:
    """Four thermometers, each read a thousand times."""
    time, place = np.tile(np.linspace(0, 1, LENGTH), 4), np.repeat(np.arange(4.0), LENGTH)
    noise = 0.05 * np.random.default_rng(0).standard_normal(len(time))
    return Readings.from_arrays(time, place, np.exp(-time) * np.sin(place) + noise)


@pytest.fixture
def worked_on(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """The runs that begin, of which none is done."""
    runs: list[Run] = []
    # By import: in the room, `discover` is the function.
    monkeypatch.setattr(import_module("pdescry.discovery.discover"), "_work", lambda run, *_: runs.append(run))
    return runs


@pytest.mark.parametrize(("average", "number"), [(None, 100), (True, 100), (250, 250), (False, LENGTH)])
def test_a_run_holds_the_means(average: Any, number: int, logged: Readings, worked_on: list[Run], tmp_path: Path):
    discover(logged, config=TINY, average=average, workdir=tmp_path / "run")
    (readings,), settings = load_inputs(tmp_path / "run")
    assert len(readings) == 4 * number
    assert readings == worked_on[0].readings
    assert readings.notes == worked_on[0].readings.notes
    assert [note.code for note in readings.notes] == ([] if number == LENGTH else ["averaged-in-time"])
    assert settings == worked_on[0].settings
    discover(logged, config=TINY, average=average, workdir=tmp_path / "run")  # the same run, from the same readings
    assert worked_on[1].readings == readings
    with pytest.raises(InputError, match=r"field\.average was .*, now 120; the readings differ"):
        discover(logged, config=TINY, average=120, workdir=tmp_path / "run")


def test_the_papers_presets_and_short_records_keep_their_readings(
    logged: Readings, readings: Readings, worked_on: list[Run]
):
    discover(logged, preset="paper")
    discover(readings, config=TINY)
    assert worked_on[0].readings is logged
    assert worked_on[1].readings is readings


@pytest.mark.parametrize("noise", [0.05, Noise((0.05,) * 4, per="sensor")])
def test_noise_that_is_told_is_that_of_a_reading(noise: Any, logged: Readings, worked_on: list[Run]):
    """Ten readings at a time have a third of it."""
    discover(logged, config=TINY, noise=noise)
    run = worked_on[0]
    told = Noise(noise) if isinstance(noise, float) else noise
    assert run.settings.noise == told
    assert run.readings.noise is not None
    np.testing.assert_allclose(run.readings.noise, 0.05 / np.sqrt(10))
    discover(logged, config=TINY, noise=noise, average=False)
    assert worked_on[1].settings.noise == told
    assert worked_on[1].readings is logged


@pytest.mark.parametrize(
    ("changes", "sd"),
    [
        ({}, 0.05 / np.sqrt(10)),  # of means
        ({"average": False}, 0.05),
        ({"preset": "paper", "config": None}, 0.05),
    ],
)
def test_the_field_is_sampled_with_the_noise_that_was_told(
    changes: dict[str, Any], sd: float, logged: Readings, monkeypatch: pytest.MonkeyPatch
):
    """And not with one that the file brought."""
    asked: list[np.ndarray | None] = []

    def interpolate(readings: Readings, *, noise: Noise, **_: Any) -> None:
        asked.append(noise.known(readings))
        raise InputError("Enough.")

    monkeypatch.setattr(import_module("pdescry.two_stage.network"), "interpolate", interpolate)
    brought = replace(logged, noise=np.full_like(logged.values, 3.0))
    with pytest.raises(InputError, match="Enough"):
        discover(brought, noise=0.05, **cast(Any, {"config": TINY} | changes))
    assert asked[0] is not None
    np.testing.assert_allclose(asked[0], sd)


def test_noise_that_is_told_goes_with_all_experiments(logged: Readings, readings: Readings, worked_on: list[Run]):
    discover([logged, readings], config=TINY | {"regression": {"method": "auto"}}, noise=0.05)
    (run,) = worked_on
    means, whole = run.experiments
    assert len(means) == 400
    assert len(whole) == len(readings)
    assert run.settings.noise == Noise(0.05)
    assert whole.noise is not None
    assert means.noise is not None
    np.testing.assert_allclose(whole.noise, 0.05)
    assert means.noise.max() < 0.05
