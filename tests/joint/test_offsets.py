"""Sensors that are off: found where they are, and only there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from pdescry import JointFit, Posterior, refine
from pdescry.joint.offsets import at_rest


@pytest.fixture(scope="module")
def off() -> np.ndarray:
    return np.random.default_rng(4).normal(0, 0.5, 16)


@pytest.fixture(scope="module")
def mended(heat: Posterior, off: np.ndarray) -> JointFit:
    guessed = cast(Any, heat)
    readings = guessed.readings
    values = readings.values + off[readings.sensor][:, None]
    return refine(replace(guessed, readings=replace(readings, values=values)), "u_t = u_xx")


def test_offsets_are_found(mended: JointFit, off: np.ndarray) -> None:
    table = mended.offsets
    errors = (table["mean"].to_numpy() - off) / table["sd"].to_numpy()
    assert np.sqrt(np.mean(errors**2)) < 1.6
    assert mended.experiment.scatter.offset_sd == pytest.approx(0.5, rel=0.5)
    assert np.corrcoef(table["mean"], off)[0, 1] > 0.9


def test_the_law_is_found_in_spite_of_them(mended: JointFit) -> None:
    assert abs(mended.values[0] - 2) < 3 * mended.sd[0]
    assert mended.sd[0] < 0.1
    assert mended.noise[0] == pytest.approx(0.05, rel=0.1)
    (note,) = mended.notes
    assert "Sensors seem to be off" in note


def test_where_there_are_none_none_are_found(fitted: JointFit) -> None:
    assert fitted.experiment.scatter.offset_sd == 0
    assert (fitted.offsets[["mean", "sd"]].to_numpy() == 0).all()


def test_a_sensor_that_moves_has_none(heat: Posterior) -> None:
    readings = heat.readings
    space = readings.space + 1e-3 * np.sin(readings.time)[:, None]
    assert at_rest(readings)
    assert not at_rest(replace(readings, space=space))
