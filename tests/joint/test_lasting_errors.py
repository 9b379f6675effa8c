"""Errors of sensors that last for a while: their likelihood, and what a fit makes of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdescry import Readings, refine
from pdescry.joint.fit.lasting_errors import lasting_errors, log_likelihood, most_likely
from pdescry.joint.fit.noise_model import NoiseModel
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.observations import Observations
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.verdict import departures

NOISE = 0.05


def with_errors(readings: Readings, sd: float, correlation: float) -> Readings:
    """Each sensor errs by an autoregressive process, beside what it errs by already."""
    random, values = np.random.default_rng(5), readings.values.copy()
    for sensor in range(readings.n_sensors):
        own = np.flatnonzero(readings.sensor == sensor)
        errors = random.normal(size=len(own))
        for k in range(1, len(own)):
            errors[k] = correlation * errors[k - 1] + np.sqrt(1 - correlation**2) * errors[k]
        values[own[np.argsort(readings.time[own])], 0] += sd * errors
    return replace(readings, values=values)


def test_the_likelihood_of_records_is_that_of_their_covariance() -> None:
    random = np.random.default_rng(0)
    records = [(np.sort(random.uniform(0, 3, number)), random.normal(size=number)) for number in (4, 7)]
    grid = np.array([[0, 1, 0], [0.6, 0.5, 0], [1, 2, 0], [0.6, 0.5, 1], [1, 0.3, 1]], float)
    found, wanted = log_likelihood(records, *grid.T), []
    for part, length, smooth in grid:
        squares, logs = 0.0, 0.0
        for times, values in records:
            apart = np.abs(times[:, None] - times) / length
            covariance = (1 - part) * np.eye(len(times)) + part * (1 + smooth * apart) * np.exp(-apart)
            squares += values @ np.linalg.solve(covariance, values)
            logs += np.linalg.slogdet(covariance)[1]
        wanted.append(-0.5 * 11 * np.log(squares / 11) - 0.5 * logs)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def records_of(shares: list[float], times: list[float], smooth: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """Errors of sensors, read 150 times."""
    random, read = np.random.default_rng(3), np.linspace(0, 10, 150)
    apart, found = np.abs(read[:, None] - read), []
    for share, time in zip(shares, times, strict=True):
        correlation = (1 + smooth * apart / time) * np.exp(-apart / time)
        root = np.linalg.cholesky(share * correlation + (1 - share + 1e-9) * np.eye(len(read)))
        found.append((read, root @ random.standard_normal(len(read))))
    return found


@pytest.mark.parametrize("smooth", [False, True])
def test_whether_errors_are_smooth_is_inferred(smooth: bool) -> None:
    found = most_likely(records_of([0.9] * 6, [0.5] * 6, smooth), 10.0)
    np.testing.assert_array_equal(found, found[:1].repeat(6, axis=0))  # sensors do not differ
    share, time, is_smooth = found[0]
    assert 0.6 < share < 0.99
    assert 0.2 < time < 1.2
    assert is_smooth == smooth


def test_sensors_that_clearly_differ_have_errors_of_their_own() -> None:
    shares, times = [0.0, 0.0, 0.97, 0.97], [1.0, 1.0, 0.3, 3.0]
    found = most_likely(records_of(shares, times, True), 10.0)
    assert (found[:2, 0] < 0.5).all()
    assert (found[2:, 0] > 0.8).all()
    assert found[3, 1] > 2 * found[2, 1]
    assert not most_likely(records_of([0.0] * 4, [1.0] * 4, False), 10.0).any()


@pytest.fixture(scope="module")
def lasting(heat: Readings) -> JointFit:
    return refine(with_errors(heat, 2 * NOISE, 0.8), "u_t = u_xx", workers=1)


def test_errors_that_last_are_inferred_and_widen_the_interval(lasting: JointFit, fitted: JointFit) -> None:
    share, time = lasting.experiment.noise_model.lasting_of_fields[0]
    assert share > 0.4
    assert 0.3 < np.exp(-0.4 / time) < 0.97  # 0.8, from one reading to the next
    assert lasting.noise[0] == pytest.approx(np.hypot(NOISE, 2 * NOISE), rel=0.35)
    assert abs(lasting.values[0] - 2) < 4 * lasting.sd[0]
    assert lasting.sd[0] > 1.5 * fitted.sd[0]
    assert "lasting-errors" in [note.code for note in lasting.notes]


def test_independent_noise_has_none(fitted: JointFit) -> None:
    assert not lasting_errors(fitted.minimum).any()
    assert not fitted.experiment.noise_model.lasting.any()
    assert not departures(fitted.minimum, [np.array([NOISE])]).any()


@pytest.mark.parametrize(("size", "lasts"), [(1e-5, False), (1e-2, True)])
def test_errors_no_larger_than_what_splines_resolve_are_not_those_of_sensors(
    fitted: JointFit, size: float, lasts: bool
) -> None:
    (_, experiment, state), unit = fitted.minimum.experiments[0], float(np.std(fitted.readings.values))
    values = experiment.seen @ state + size * unit * np.sin(fitted.readings.time)
    observed = Observations(replace(fitted.readings, values=values[:, None]))
    model = NoiseModel.of(np.array([size * unit]), np.zeros(1), observed)
    found = fitted.minimum.with_experiments([replace(experiment, noise_model=model)])
    assert lasting_errors(found).any() == lasts


def test_how_far_readings_depart_from_a_law_is_told(lasting: JointFit) -> None:
    (departure,) = departures(lasting.minimum, [np.array([NOISE])])[0]
    spread = np.std(lasting.readings.values)
    assert departure == pytest.approx(2 * NOISE / spread, rel=0.5)
    assert departure < SEARCH.verdict.departure
