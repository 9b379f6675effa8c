"""Sensors that err systematically: found where they do, and only there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pdescry import JointFit, Readings, refine
from pdescry.data import systems
from pdescry.joint.fit.calibration import DELAY, GAIN, OFFSET, Calibration
from pdescry.joint.fit.systematic_errors import evidence, offset_sds, with_all_kinds
from pdescry.joint.observations import Observations
from pdescry.joint.options import ANSWER
from tests.joint.conftest import small_experiment, small_objective, smooth_readings, some_state
from tests.joint.test_storage import again, assert_same, compared


@pytest.fixture(scope="module")
def off() -> np.ndarray:
    return np.random.default_rng(4).normal(0, 0.5, 12)


@pytest.fixture(scope="module")
def corrected(heat: Readings, off: np.ndarray) -> JointFit:
    values = heat.values + off[heat.sensor][:, None]
    return refine(replace(heat, values=values), "u_t = u_xx", workers=1)


def test_offsets_are_found(corrected: JointFit, off: np.ndarray) -> None:
    table = corrected.offsets
    errors = (table["mean"].to_numpy() - off) / table["sd"].to_numpy()
    assert np.sqrt(np.mean(errors**2)) < 1.6
    assert corrected.experiment.noise_model.offset_sd[0] == pytest.approx(0.5, rel=0.5)
    assert np.corrcoef(table["mean"], off)[0, 1] > 0.9


def test_the_law_is_found_in_spite_of_them(corrected: JointFit) -> None:
    assert abs(corrected.values[0] - 2) < 3 * corrected.sd[0]
    assert corrected.sd[0] < 0.15
    assert corrected.noise[0] == pytest.approx(0.05, rel=0.15)
    (note,) = corrected.notes
    assert note.code == "offsets"


def test_where_there_are_none_none_are_found(fitted: JointFit) -> None:
    assert (fitted.experiment.noise_model.offset_sd == 0).all()
    assert (fitted.offsets[["mean", "sd"]].to_numpy() == 0).all()


def test_evidence_does_not_depend_on_the_last_steps_to_the_minimum(fitted: JointFit) -> None:
    found, sizes = fitted.minimum, np.geomspace(1e-3, 3, 7)
    stopped_short = replace(found, states=(found.states[0] + 0.01,))  # a constant, which u_t = u_xx does not see
    np.testing.assert_allclose(evidence(stopped_short, sizes), evidence(found, sizes), atol=0.02)


def test_of_two_fields_the_one_that_is_off_is_told() -> None:
    readings = smooth_readings(("u", "v"), sensors=8)
    values = readings.values + 0.01 * np.random.default_rng(1).normal(size=readings.values.shape)
    values[:, 1] += np.random.default_rng(0).normal(0, 0.5, 8)[readings.sensor]
    experiment = small_experiment(replace(readings, values=values), noise=0.02, tolerance=0.02)
    objective = small_objective([experiment], [("u", "u"), ("v", "v")], (1, 1))
    found = objective.minimise((some_state(experiment.space),), np.zeros(2), 30)
    sds = offset_sds(found)
    assert sds[0] < 0.1
    assert sds[1] > 0.2


def test_a_sensor_that_moves_has_none(corrected: JointFit) -> None:
    moving = replace(
        corrected.readings, space=corrected.readings.space + 1e-3 * np.sin(corrected.readings.time)[:, None]
    )
    experiment = corrected.experiment
    other = replace(experiment, noise_model=replace(experiment.noise_model, observations=Observations(moving)))
    assert not offset_sds(corrected.minimum.with_experiments([other])).any()


# ---- gains, places and clocks ----------------------------------------------------------------------------------------


def erring(kind: str, size: float, seed: int = 1) -> tuple[Readings, np.ndarray]:
    """Readings of heat conduction by sensors with constants of this sd, and the constants."""
    system = systems.get("heat")
    times = np.linspace(0.5, 9.5, 46)  # the solution is also known somewhat earlier and later
    readings = system.observe(sensors=16, times=times, noise="1%", seed=seed)
    own = np.random.default_rng([seed, 3]).normal(0, size, 16)
    t, x, constant = readings.time, readings.space[:, 0], own[readings.sensor]
    exact = system.solution.at(t, x)
    moved = {
        "gain": lambda: exact + constant * (exact - exact.mean()),
        "displacement": lambda: system.solution.at(t, x + constant),
        "delay": lambda: system.solution.at(t - constant, x),
    }[kind]()
    return replace(readings, values=readings.values + np.reshape(moved - exact, (-1, 1))), own


@pytest.mark.parametrize(
    ("kind", "size", "code"),
    [("gain", 0.03, "gains"), ("displacement", 0.02, "displacements"), ("delay", 0.1, "delays")],
)
def test_other_systematic_errors_are_found(kind: str, size: float, code: str) -> None:
    readings, own = erring(kind, size)
    fit = refine(readings, "u_t = u_xx", workers=1)
    table: Any = fit.calibration
    found = table[table["kind"].str.startswith(kind)]
    assert np.corrcoef(found["mean"], own)[0, 1] > 0.8
    assert np.sqrt(np.mean(((found["mean"] - own) / found["sd"]) ** 2)) < 2
    assert abs(fit.values[0] - 2) < 3 * fit.sd[0]
    assert fit.sd[0] < 0.05
    (note,) = (note for note in fit.notes if note.code == code)
    z = np.abs(found["mean"] / found["sd"]).to_numpy()
    assert f"sensor {found['sensor'].to_numpy()[z.argmax()]} " in str(note)
    assert len(note.parameters["clearly"]) == min(int((z > ANSWER.report.clear_constant).sum()), 3)


def test_sensors_are_named_as_they_are(tmp_path: Path) -> None:
    readings, _ = erring("gain", 0.03)
    names = tuple(f"TC-{number:02d}" for number in range(16))
    fit = refine(replace(readings, sensor_names=names), "u_t = u_xx", workers=1)
    (note,) = (note for note in fit.notes if note.code == "gains")
    assert all(each.split()[0] in names for each in note.parameters["clearly"])
    assert "−" in str(note)
    # And they come back from disk.
    choice = compared(fit)
    found = again(choice, tmp_path, fit.readings).fit
    assert_same(fit.minimum, found.minimum)
    pd.testing.assert_frame_equal(found.calibration, fit.calibration)


def test_sds_of_another_fit_are_gains_distances_and_times() -> None:
    one = Calibration((OFFSET, GAIN), np.array([[0.5, 0.2]]), np.ones((3, 2)), np.array([[1.0, 10.0]]))
    other = Calibration((OFFSET, DELAY, GAIN), np.array([[0.1, 0.3, 0.4]]), np.ones((2, 3)), np.array([[1.0, -2, 5]]))
    np.testing.assert_allclose(one.with_sds_of(other).sds, [[0.1, 0.8]])
    np.testing.assert_allclose(other.with_sds_of(one).sds, [[0.5, 0.0, 0.1]])


def test_no_other_ones_are_found_in_independent_noise(fitted: JointFit, corrected: JointFit) -> None:
    for fit in (fitted, corrected):
        assert set(fit.calibration["kind"]) == {"offset"}


def test_patterns_are_of_the_field(fitted: JointFit) -> None:
    calibration, field = with_all_kinds(fitted.minimum, 0), fitted.experiment.space
    assert calibration.kinds == ("offset", "gain", "displacement x", "delay")
    u, u_x, u_t = (
        field.at(fitted.experiment.observations.points, 0, orders) @ fitted.state for orders in ((0, 0), (1, 0), (0, 1))
    )
    for k, expected in enumerate((np.ones(len(u)), u - u.mean(), u_x, -u_t)):
        np.testing.assert_allclose(calibration.patterns[:, k] * calibration.scales[0, k], expected, atol=1e-9)
        assert np.mean(calibration.patterns[:, k] ** 2) == pytest.approx(1)
