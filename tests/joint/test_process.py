"""Fields that know no law: their likelihood, what they predict, and held-out sensors against processes without them."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from pdescry import Readings
from pdescry.joint.field.free import FreeField
from pdescry.joint.field.kernel import Likelihood, covariance
from pdescry.joint.field.options import FIELD
from pdescry.joint.field.process import SCALES, Baseline, Process
from tests.joint.conftest import smooth_readings

SCALED = np.array([0.8, 0.05, 0.02, 0.4, 0.3])


@pytest.fixture(scope="module")
def noisy() -> Readings:
    readings = smooth_readings(sensors=7, times=8)
    return replace(
        readings, values=readings.values + 0.05 * np.random.default_rng(0).normal(size=readings.values.shape)
    )


@pytest.mark.parametrize("lasting", [[], [0.3, 0.2]], ids=["independent errors", "lasting errors"])
@pytest.mark.parametrize("places", [1, 2])
def test_the_likelihood_and_its_slope(places: int, lasting: list[float]) -> None:
    random = np.random.default_rng(0)
    points = np.column_stack([random.uniform(size=(30, 1 + places)), np.arange(30.0) % 6])
    values, scales = random.normal(size=30), np.append(SCALED, [0.6] * (places - 1))
    likelihood = Likelihood.of(points, values)
    value, slope = likelihood.at(scales, np.array(lasting))
    squares = sum(((points[:, None, k] - points[:, k]) / scales[3 + k]) ** 2 for k in range(1 + places))
    same = points[:, None, -1] == points[:, -1]
    wanted = scales[0] * np.exp(-0.5 * np.asarray(squares)) + scales[1] * same + scales[2] * np.eye(30)
    if lasting:
        wanted += lasting[0] * same * np.exp(-np.abs(points[:, None, 0] - points[:, 0]) / lasting[1])
    np.testing.assert_allclose(covariance(points, scales, np.array(lasting)), wanted, atol=1e-9)
    likely = -0.5 * (values @ np.linalg.solve(wanted, values) + np.linalg.slogdet(wanted)[1])
    assert value == pytest.approx(likely - 15 * np.log(2 * np.pi))
    every = np.concatenate([scales, lasting])
    assert len(slope) == len(every)
    for k in range(len(every)):
        more, less = (every + sign * 1e-6 * np.eye(len(every))[k] for sign in (1, -1))
        values_there = [likelihood.at(each[: len(scales)], each[len(scales) :])[0] for each in (more, less)]
        assert slope[k] == pytest.approx((values_there[0] - values_there[1]) / 2e-6, rel=1e-4, abs=1e-4)


def test_errors_that_last_for_a_while_are_seen_where_there_are_any() -> None:
    random = np.random.default_rng(0)
    readings, errors = smooth_readings(sensors=10, times=40), random.normal(size=(40, 10))
    for k in range(1, 40):
        errors[k] = 0.8 * errors[k - 1] + 0.6 * random.normal(size=10)
    number = np.searchsorted(readings.times, readings.time)
    lasting = readings.values + 0.2 * errors[number, readings.sensor][:, None]
    # Ahead by 16 nats, and by 7 to 29 with other seeds, where 5 are enough.
    found = Process.fitted("smooth", replace(readings, values=lasting), 0).with_lasting_errors()
    assert 0.5 < np.exp(-1 / 39 / found.lasting[1]) < 0.95  # 0.8
    independent = readings.values + 0.1 * random.normal(size=readings.values.shape)
    process = Process.fitted("smooth", replace(readings, values=independent), 0)
    assert process.with_lasting_errors() is process


def test_scales_that_have_no_likelihood_are_avoided() -> None:
    points = np.zeros((4, 3))
    likelihood = Likelihood.of(points, np.arange(4.0))
    value, slope = likelihood.at(np.array([1e12, 0.0, 0.0, 1.0, 1.0]), np.zeros(0))
    assert value == -1e25
    assert not slope.any()


@pytest.mark.parametrize("name", SCALES)
def test_fitted_scales_are_likelier_than_those_around_them(noisy: Readings, name: str) -> None:
    process = Process.fitted(name, noisy, 0)
    every = np.arange(len(noisy))
    likelihood = Likelihood.of(process._points(every), process._values(every))
    best, _ = likelihood.at(process.scales, np.zeros(0))
    offsets = name != "shared"
    for k, factor in itertools.product((1, 2) if offsets else (2,), (0.5, 2.0)):
        other = process.scales.copy()
        other[k] *= factor
        assert likelihood.at(other, np.zeros(0))[0] < best + 1e-3
    assert (process.scales[1] == 0) == (not offsets)


def test_left_out_sensors_are_predicted_by_the_others(noisy: Readings) -> None:
    process = Process("smooth", noisy, 0, SCALED)
    every = np.arange(len(noisy))
    whole, values = process.covariance(process._points(every)), process._values(every)
    score, errors = 0.0, []
    for sensor in range(1, 6):  # those between others
        own = noisy.sensor == sensor
        pulled = np.linalg.solve(whole[np.ix_(~own, ~own)], whole[np.ix_(~own, own)]).T
        left = whole[np.ix_(own, own)] - pulled @ whole[np.ix_(~own, own)]
        error = process.unit * (values[own] - pulled @ values[~own])
        left = process.unit**2 * left
        errors.append(error)
        score -= 0.5 * (error @ np.linalg.solve(left, error) + np.linalg.slogdet(left)[1] + 8 * np.log(2 * np.pi))
    assert process.left_out.score == pytest.approx(score)
    assert process.left_out.rms_error == pytest.approx(np.sqrt(np.mean(np.square(errors))))
    assert process.left_out.readings == 40


def test_the_field_on_a_grid_and_at_points(noisy: Readings) -> None:
    process = Process("smooth", noisy, 0, SCALED)
    x, t = np.linspace(0, 3, 5), np.linspace(1, 3, 4)
    points = np.array([(place, time) for place in x for time in t])
    mean, variance = process.at(points)
    np.testing.assert_allclose(process.mean(x, t).ravel(), mean, atol=1e-9)
    np.testing.assert_allclose(process.sd(x, t).ravel(), np.sqrt(variance), rtol=1e-6)
    jointly, spread = process.jointly(points)
    np.testing.assert_allclose(jointly, mean)
    np.testing.assert_allclose(np.diag(spread), variance, rtol=1e-6)
    truth = np.outer(np.sin(x), np.exp(-0.3 * t))
    assert np.sqrt(np.mean((process.mean(x, t) - truth) ** 2)) < 0.1


def test_units_only_change_the_numbers(noisy: Readings) -> None:
    a, b, c = 40.0, 1e-3, 60.0
    scaled = Readings.from_arrays(noisy.time * c, noisy.space * b, noisy.values * a + 7)
    one, other = (Process.fitted("smooth", each, 0) for each in (noisy, scaled))
    np.testing.assert_allclose(other.scales, one.scales, rtol=1e-3)
    assert other.noise == pytest.approx(a * one.noise, rel=1e-3)
    assert other.left_out.rms_error == pytest.approx(a * one.left_out.rms_error, rel=1e-3)
    lost = one.left_out.readings * np.log(a)
    assert other.left_out.score == pytest.approx(one.left_out.score - lost, abs=0.1)


def test_what_was_not_read_is_left_out(noisy: Readings) -> None:
    values = np.column_stack([noisy.values, noisy.values])
    values[::3, 1] = np.nan
    both = Readings(noisy.time, noisy.space, values, noisy.sensor, fields=("u", "v"))
    rows = np.isfinite(values[:, 1])
    alone = Process("smooth", noisy.select(rows), 0, SCALED)
    points = np.array([[1.0, 2.0], [2.5, 1.2]])
    np.testing.assert_allclose(Process("smooth", both, 1, SCALED).at(points), alone.at(points))


def test_scales_are_fitted_to_whole_moments(noisy: Readings) -> None:
    process = Process("memoryless", noisy, 0, SCALED)
    assert len(np.unique(noisy.time[process._some_moments(30)])) == 4


@pytest.mark.parametrize("name", SCALES)
def test_of_many_readings_sensors_are_predicted_by_neighbours(
    name: str, noisy: Readings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory of all at once grows as the square of their number."""
    process = Process.fitted(name, noisy, 0)
    by_all = replace(process).left_out
    few = replace(FIELD.process, readings_at_once=30)
    monkeypatch.setattr("pdescry.joint.field.process.FIELD", replace(FIELD, process=few))
    some = replace(process).left_out
    assert some.readings == by_all.readings
    assert some.score != by_all.score
    assert some.score == pytest.approx(by_all.score, abs=0.1 * some.readings)
    every = replace(few, nearest_sensors=noisy.n_sensors)  # all others, and the whole of each record
    monkeypatch.setattr("pdescry.joint.field.process.FIELD", replace(FIELD, process=every))
    assert replace(process).left_out.score == pytest.approx(by_all.score, rel=1e-6)


def test_sensors_that_are_read_in_turn_are_thinned_each(noisy: Readings) -> None:
    apart = Readings(noisy.time + 1e-3 * noisy.sensor, noisy.space, noisy.values, noisy.sensor)
    some = Process("constant", apart, 0, SCALED)._some_moments(28)
    assert np.bincount(apart.sensor[some]).tolist() == [4] * 7


def test_baselines_add_up() -> None:
    both = Baseline.of_all([Baseline(1.0, 3.0, 1), Baseline(2.0, 1.0, 3), Baseline(0.0, np.nan, 0)])
    assert (both.score, both.readings) == (3.0, 4)
    assert both.rms_error == pytest.approx(np.sqrt(3))


# ---- the field that obeys no law -------------------------------------------------------------------------------------


def test_a_free_field_answers_as_a_posterior_does(noisy: Readings) -> None:
    process = Process.fitted("shared", noisy, 0)
    field = FreeField((process,))
    found = field.predict([1.5, 2.0], [0.5, 1.0, 2.0])
    assert found["u"].dims == ("t", "x")
    assert ((found["u_low"] < found["u"]) & (found["u"] < found["u_high"])).all()
    with_noise = field.predict([1.5, 2.0], [0.5, 1.0, 2.0], noise=True)
    np.testing.assert_allclose(with_noise["u_sd"] ** 2 - found["u_sd"] ** 2, process.noise**2, rtol=1e-6)
    far = field.predict([2.0], [1.0, 6.0])["u_sd"].values[0]
    assert far[1] > 2 * far[0]
    assert field.reach == noisy.span
    scattered = field.predict([1.5, 2.0], [0.5, 1.0], grid=False)
    assert scattered["u"].values[1] == pytest.approx(float(found["u"].sel(t=2.0, x=1.0)))


def test_draws_of_a_free_field_vary_as_it_says(noisy: Readings) -> None:
    field = FreeField((Process.fitted("shared", noisy, 0),))
    points = np.array([[0.5, 1.5], [2.2, 2.9]])
    draws = field.draws(points, 4000)
    assert draws.shape == (4000, 1, 2)
    mean, variance = field.processes[0].at(points)
    np.testing.assert_allclose(draws[:, 0].std(0), np.sqrt(variance), rtol=0.06)  # 5 sds of an sd of 4000
    np.testing.assert_allclose(draws[:, 0].mean(0), mean, atol=5 * np.sqrt(variance.max() / 4000))
    np.testing.assert_array_equal(field.draws(points, 3), field.draws(points, 3))
