"""What a reading would tell is what it does tell: against fits that have it, and against brute force by draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdescry import JointFit, Readings
from pdescry.joint.advice import Sites, typical_times
from pdescry.joint.fit.calibration import Calibration
from pdescry.joint.fit.noise_model import NoiseModel
from pdescry.joint.information import Belief, PossibleReadings
from pdescry.joint.observations import Observations
from pdescry.problem import Candidates, Problem
from tests.joint.conftest import observed, smooth_readings, start_of

FAR = 1e-6


@pytest.fixture(scope="module")
def clouds() -> JointFit:
    """Only begun, with a soft law, on a coarse mesh: the algebra is the same."""
    return begun(observed("advection_diffusion", sensors=10, every=0.8))


def begun(readings: Readings, candidates: Candidates = ("u_x", "u_xx")) -> JointFit:
    problem = Problem.of(readings, candidates, time_order=1)
    return JointFit(start_of(problem).fit(problem.candidates), problem)


def with_readings(fit: JointFit, t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The coefficients' covariance if there were further readings, of any values: the same minimum with more rows."""
    readings, experiment = fit.readings, fit.experiment
    sensor = np.concatenate([readings.sensor, np.full(len(t), readings.n_sensors)])
    more = Readings(
        np.concatenate([readings.time, t]),
        np.concatenate([readings.space, x[:, None]]),
        np.concatenate([readings.values, np.zeros((len(t), len(fit.fields)))]),
        sensor,
        fields=fit.fields,
    )
    model, observed = experiment.noise_model, Observations(more)
    # The roughness is in units of the readings' sd: its rows stay as they were.
    offsets = Calibration.of_offsets(model.offset_sd, len(observed))
    noise_model = NoiseModel(fit.noise[observed.field], offsets, observed, np.zeros((len(observed), 3)))
    same = replace(experiment, noise_model=noise_model)
    same.__dict__["prior"] = experiment.prior
    return fit.minimum.with_experiments([same]).covariance


def test_a_sensor_shrinks_the_sds_as_expected(clouds: JointFit) -> None:
    advice = clouds.next_sensor(2)
    assert advice.about == "law"
    assert list(advice.table) == ["x", "information", "sd of u_x", "sd of u_xx"]
    np.testing.assert_allclose(advice.sd, clouds.sd, rtol=FAR)
    m = len(advice.times)
    first, second = advice.table["x"]
    assert first != second
    one = with_readings(clouds, advice.times, np.full(m, first))
    np.testing.assert_allclose(advice.table.iloc[0, 2:].astype(float), np.sqrt(np.diag(one)), rtol=FAR)
    told = 0.5 * np.linalg.slogdet(np.linalg.solve(one, clouds.covariance))[1]
    np.testing.assert_allclose(advice.table["information"][0], told, rtol=FAR)
    # The two are one sensor here, but without offsets that is the same.
    both = with_readings(clouds, np.tile(advice.times, 2), np.repeat([first, second], m))
    np.testing.assert_allclose(advice.table.iloc[1, 2:].astype(float), np.sqrt(np.diag(both)), rtol=FAR)
    told = 0.5 * np.linalg.slogdet(np.linalg.solve(both, clouds.covariance))[1]
    np.testing.assert_allclose(advice.table["information"].sum(), told, rtol=FAR)


def test_a_single_reading_tells_as_the_map_says(clouds: JointFit) -> None:
    advice = clouds.next_sensor()
    assert advice.map.dims == ("t", "x")
    for place in (13, 60, 88):
        t, x = advice.map.t.values[7:8], advice.map.x.values[place : place + 1]
        told = 0.5 * np.linalg.slogdet(np.linalg.solve(with_readings(clouds, t, x), clouds.covariance))[1]
        np.testing.assert_allclose(float(advice.map[7, place]), told, rtol=1e-4, atol=1e-12)
    best = advice.readings.iloc[0]
    np.testing.assert_allclose(best["information"], float(advice.map.max()))
    np.testing.assert_allclose(best["information"], float(advice.map.sel(t=best["t"], x=best["x"])))
    np.testing.assert_allclose(advice.table["information"][0], float(advice.sensors.max()))


def test_a_sensor_with_an_offset_shrinks_the_sds_as_expected(clouds: JointFit) -> None:
    model = clouds.experiment.noise_model.with_offsets(np.array([0.1]))
    experiment = replace(clouds.experiment, noise_model=model)
    offset = replace(clouds, minimum=clouds.minimum.with_experiments([experiment]))
    advice = offset.next_sensor()
    told = np.sqrt(np.diag(with_readings(offset, advice.times, np.full(len(advice.times), advice.table["x"][0]))))
    np.testing.assert_allclose(advice.table.iloc[0, 2:].astype(float), told, rtol=FAR)
    assert (advice.map < clouds.next_sensor().map.max()).all()


def test_offsets_are_those_of_each_field() -> None:
    fit = begun(smooth_readings(("u", "v")), {"u": ["u_xx", "v"], "v": ["v_xx"]})
    model = fit.experiment.noise_model.with_offsets(np.array([0.3, 0.0]))
    experiment = replace(fit.experiment, noise_model=model)
    offset = replace(fit, minimum=fit.minimum.with_experiments([experiment]))
    advice = offset.next_sensor()
    told = np.sqrt(np.diag(with_readings(offset, advice.times, np.full(len(advice.times), advice.table["x"][0]))))
    np.testing.assert_allclose(advice.table.iloc[0, 2:].astype(float), told, rtol=1e-5)


def test_no_reading_tells_less_than_nothing_and_each_further_one_less(clouds: JointFit) -> None:
    advice = clouds.next_sensor(4)
    assert (advice.map > -1e-9).all()
    assert (advice.sensors.values > advice.map.max("t").values - 1e-9).all()
    gains = advice.table["information"].to_numpy()
    assert (np.diff(gains) < 1e-9).all()
    assert (gains > 0).all()
    assert len(set(advice.table["x"])) == 4
    assert (np.diff(advice.table[["sd of u_x", "sd of u_xx"]], axis=0) < 0).all()


def test_when_a_sensor_reads_can_be_told(clouds: JointFit) -> None:
    advice = clouds.next_sensor(times=[2.0, 1.0, 2.0])
    assert advice.times.tolist() == [1.0, 2.0]
    assert (advice.sensors < clouds.next_sensor().sensors.max()).all()
    once = clouds.next_sensor(times=3)
    np.testing.assert_allclose(once.sensors, once.map[0])
    assert "once, at t = 3" in str(once)


def test_in_words(clouds: JointFit) -> None:
    first, second, rest = str(clouds.next_sensor(2)).split("\n")
    assert first.startswith("A sensor at x = ")
    assert f"the coefficient of u_x from {clouds.sd[0]:.2g} to " in first
    assert second.startswith("One more at x = ")
    assert "11 times, from t = 0 to t = 8" in rest


def test_units_only_change_the_numbers(clouds: JointFit) -> None:
    t, x, u = 60.0, 1e-3, 40.0
    readings = clouds.readings
    scaled = Readings.from_arrays(readings.time * t, readings.space * x, readings.values * u)
    other = begun(scaled).next_sensor(2)
    plain = clouds.next_sensor(2)
    np.testing.assert_allclose(other.table["x"], plain.table["x"] * x, rtol=1e-6)
    np.testing.assert_allclose(other.table["information"], plain.table["information"], rtol=1e-3)
    np.testing.assert_allclose(other.table["sd of u_x"], plain.table["sd of u_x"] * x / t, rtol=1e-3)
    np.testing.assert_allclose(other.table["sd of u_xx"], plain.table["sd of u_xx"] * x**2 / t, rtol=1e-3)
    np.testing.assert_allclose(other.map.values, plain.map.values, rtol=1e-2, atol=1e-6)


def test_of_the_second_of_two_experiments(clouds: JointFit) -> None:
    readings, first = clouds.readings.select(sensors=range(5)), clouds.experiment
    model = NoiseModel.of(clouds.noise, np.zeros(1), Observations(readings))
    second = replace(first, noise_model=model)
    both = replace(clouds, minimum=clouds.minimum.with_experiments([first, second], [clouds.state] * 2))
    of_first, of_second = both.next_sensor(), both.of(1).next_sensor()
    np.testing.assert_allclose(of_first.sd, of_second.sd)
    assert (len(of_first.present), len(of_second.present)) == (10, 5)
    assert list(of_first.table["x"]) != list(of_second.table["x"])


# ---- by draws --------------------------------------------------------------------------------------------------------


def test_many_draws_say_what_the_closed_form_says(clouds: JointFit) -> None:
    sites = Sites.of(clouds.readings, np.linspace(0.5, 7.5, 6))
    points = np.roll(sites.points, -1, axis=1)
    exact = Belief.of_fit(clouds.minimum, 0, points)
    coefficients, states = clouds.draw(2000, seed=1)
    drawn = Belief.of_draws(coefficients, states @ clouds.experiment.space.at(points).T.toarray())
    np.testing.assert_allclose(drawn.sd, exact.sd, rtol=0.05)
    noise, rows = np.eye(6) * np.mean(clouds.noise**2), np.arange(len(points)).reshape(-1, 6)
    told = [
        PossibleReadings(rows, noise, np.array([belief.prior(each, each) for each in rows])).information(belief)
        for belief in (exact, drawn)
    ]
    np.testing.assert_allclose(told[1], told[0], atol=0.05)  # of 2,000 draws √(2 · 0.35 / 2000) is 0.02


def test_few_draws_of_a_field_that_has_nothing_to_do_with_the_coefficients_tell_next_to_nothing() -> None:
    random = np.random.default_rng(0)
    gains = []
    for _ in range(40):
        belief = Belief.of_draws(random.standard_normal((60, 2)), random.standard_normal((60, 10)))
        gains.append(belief.information(np.arange(10), 0.1 * np.eye(10)))
    # Uncorrected it is ½ · 2 · log(1 + 10 / 60 · …), about 0.15.
    assert np.mean(gains) < 0.08


def test_of_the_field_alone() -> None:
    belief = Belief.of_draws(np.zeros((500, 0)), np.random.default_rng(0).standard_normal((500, 2)) * [1.0, 3.0])
    single = PossibleReadings(
        np.array([[0], [1]]), np.eye(1), np.array([belief.prior(*[np.array([k])] * 2) for k in (0, 1)])
    )
    np.testing.assert_allclose(single.information(belief), 0.5 * np.log([2, 10]), atol=0.07)
    (first, _, after), (second, gain, _) = single.best(belief, 2)
    assert (first, second) == (1, 0)
    assert after.sd.shape == (0,)
    np.testing.assert_allclose(gain, 0.5 * np.log(2), atol=0.07)


# ---- when ------------------------------------------------------------------------------------------------------------


def test_typical_times(clouds: JointFit) -> None:
    np.testing.assert_array_equal(typical_times(clouds.readings), clouds.readings.times)
    few = Readings.from_arrays([0, 1, 2, 0, 2, 1, 3], [0, 0, 0, 1, 1, 2, 3], np.arange(7.0))
    assert typical_times(few).tolist() == [0, 2]
    scattered = Readings.from_arrays(np.arange(7.0), np.arange(7.0), np.arange(7.0))
    assert len(typical_times(scattered)) == 21


def test_many_times_stand_for_more(clouds: JointFit) -> None:
    sites = Sites.of(clouds.readings, np.linspace(0, 8, 1001))
    assert len(sites.times) == 100
    assert sites.each == 10.01
