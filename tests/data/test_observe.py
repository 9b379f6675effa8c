"""Sensors, clocks, losses and noise: as asked for, from one seed."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry import systems
from pdescry.data import observe
from pdescry.errors import InputError, PdescryError
from pdescry.solver import simulate

CLOUD = systems.advection_diffusion()


def test_one_seed_one_result():
    setting = {"noise": 0.1, "jitter": 0.2, "missing": 0.1}
    assert CLOUD.observe(seed=7, **setting) == CLOUD.observe(seed=7, **setting)
    assert CLOUD.observe(seed=7, **setting) != CLOUD.observe(seed=8, **setting)


def test_more_noise_moves_no_sensor():
    quiet, loud = CLOUD.observe(seed=7), CLOUD.observe(seed=7, noise=0.5)
    assert np.array_equal(quiet.space, loud.space)
    assert np.array_equal(quiet.time, loud.time)
    assert not np.array_equal(quiet.values, loud.values)


def test_layouts():
    even = CLOUD.observe(sensors=4, layout="even")
    np.testing.assert_allclose(even.places[:, 0], [-6, -2, 2, 6])
    given = CLOUD.observe(sensors=[1.0, -3.0, 5.5])
    np.testing.assert_allclose(given.places[:, 0], [-3.0, 1.0, 5.5])
    random = np.concatenate([CLOUD.observe(sensors=64, every=4, seed=seed).places[:, 0] for seed in range(20)])
    # Uniform over the whole domain: mean 0 and sd 16/√12, within four standard errors.
    assert abs(random.mean()) < 4 * (16 / np.sqrt(12)) / np.sqrt(len(random))
    assert random.std() == pytest.approx(16 / np.sqrt(12), rel=0.08)


def test_clocks():
    np.testing.assert_allclose(CLOUD.observe(every=2).times, [0, 2, 4, 6, 8])
    np.testing.assert_allclose(CLOUD.observe(every=3).times, [0, 3, 6])
    np.testing.assert_allclose(CLOUD.observe(times=[1, 2, 7]).times, [1, 2, 7])
    assert len(CLOUD.observe().times) == 51
    own = CLOUD.observe(every=0.5, jitter=0.4)
    assert len(own.times) > 16 * 12  # every sensor keeps a clock of its own
    assert own.span["t"][0] >= 0
    assert own.span["t"][1] <= 8


def test_losses():
    assert len(CLOUD.observe(missing=0.25)) == pytest.approx(0.75 * 816, rel=0.1)


def test_noise_absolute_relative_and_per_sensor():
    clean = CLOUD.observe(seed=2)
    sd = clean.values.std()
    absolute = CLOUD.observe(seed=2, noise=0.02).values - clean.values
    relative = CLOUD.observe(seed=2, noise="5%").values - clean.values
    assert absolute.std() == pytest.approx(0.02, rel=0.1)
    assert relative.std() == pytest.approx(0.05 * sd, rel=0.1)
    levels = np.linspace(0.01, 0.2, 16)
    each = CLOUD.observe(seed=2, noise=levels)
    for sensor in (0, 15):
        rows = each.sensor == sensor
        assert (each.values - clean.values)[rows].std() == pytest.approx(levels[sensor], rel=0.35)


def test_two_fields_are_read_together():
    readings = systems.fitzhugh_nagumo().observe(noise="2%")
    assert readings.values.shape[1] == 2
    assert readings.fields == ("u", "v")


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"sensors": 2}, "3 or more sensors"),
        ({"sensors": [0, 1, 99]}, "between -8 and 8"),
        ({"layout": "odd"}, "layout="),
        ({"every": 0}, "every="),
        ({"every": 100}, "every="),
        ({"times": [0, 99]}, "between 0 and 8"),
        ({"jitter": 2}, "jitter"),
        ({"missing": 1}, "missing"),
        ({"noise": -1}, "noise"),
        ({"noise": [1, 2]}, "16 numbers"),
        ({"noise": "loud"}, "relative as '5%'"),
        ({"noise": "-5%"}, "from 0 on"),
        ({"sensors": "many"}, "sensors as a number or as places"),
        ({"times": ["noon"]}, "times as numbers"),
        ({"every": "1"}, "time step"),
        ({"every": 1e-9}, "at most 2e\\+07 readings"),
        ({"seed": "a"}, "whole number"),
        ({"seed": -1}, "whole number"),
    ],
)
def test_bad_settings_are_told(bad, says):
    with pytest.raises(InputError, match=says):
        CLOUD.observe(**bad)


def test_a_solution_that_failed_is_not_observed():
    shock = simulate("u_t = -u*u_x", domain=(-8, 8), until=10, initial="-sin(pi*x/8)", max_points=60)
    with pytest.raises(PdescryError, match="could not be solved"):
        observe(shock)


PLATE = systems.heat_2d()


def test_sensors_in_the_plane():
    scattered = PLATE.observe(sensors=30, times=11, seed=3)
    assert (scattered.n_sensors, len(scattered), scattered.axes) == (30, 330, ("x", "y"))
    np.testing.assert_allclose(scattered.times, np.linspace(0, 5, 11))
    true = PLATE.solution.at(scattered.time, *scattered.space.T)
    np.testing.assert_allclose(scattered.values[:, 0], true, atol=1e-12)
    grid = PLATE.observe(sensors=(4, 3), times=3)
    np.testing.assert_allclose(np.unique(grid.space[:, 0]), [0.5, 1.5, 2.5, 3.5])
    np.testing.assert_allclose(np.unique(grid.space[:, 1]), [0.5, 1.5, 2.5])
    given = PLATE.observe(sensors=[[1, 2], [3, 0.5], [2, 1]], times=3)
    np.testing.assert_allclose(given.places, [[1, 2], [2, 1], [3, 0.5]])


def test_even_sensors_in_the_plane_leave_no_hole():
    places = PLATE.observe(sensors=50, layout="even", times=3).places
    x, y = np.meshgrid(np.linspace(0, 4, 41), np.linspace(0, 3, 31))
    nearest = np.hypot(x[..., None] - places[:, 0], y[..., None] - places[:, 1]).min(axis=-1)
    assert nearest.max() < 1.5 * np.sqrt(4 * 3 / 50)


def test_sensors_that_move():
    readings = PLATE.observe(sensors=8, layout="moving", times=21, seed=4)
    assert readings.n_sensors == 8
    for sensor in range(8):
        way = readings.space[readings.sensor == sensor]
        steps = np.linalg.norm(np.diff(way, axis=0) / [4, 3], axis=1)
        assert steps.max() == pytest.approx(1 / 20) == np.median(steps)  # shorter only where a side turns it back
    true = PLATE.solution.at(readings.time, *readings.space.T)
    np.testing.assert_allclose(readings.values[:, 0], true, atol=1e-12)
    turning = np.linspace(0, 2 * np.pi, 5, endpoint=False)
    circling = PLATE.observe(
        sensors=lambda t: np.stack(
            [2 + np.cos(turning + t[:, None]), 1.5 + np.sin(turning + t[:, None])], axis=-1
        ),
        times=11,
    )  # fmt: skip
    assert circling.n_sensors == 5
    np.testing.assert_allclose(np.hypot(circling.space[:, 0] - 2, circling.space[:, 1] - 1.5), 1.0)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"sensors": [[1, 2], [5, 1], [1, 1]]}, "x from 0 to 4 and y from 0 to 3"),
        ({"sensors": (1, 9)}, "2 or more by 2 or more"),
        ({"sensors": lambda t: np.zeros((len(t), 4))}, "places \\(T, sensors, 2\\)"),
        ({"sensors": lambda t: np.full((len(t), 4, 2), 9.0)}, "stay in the domain"),
        ({"times": 1}, "times as a number from 2"),
        ({"layout": "hexagons"}, "layout='moving'"),
    ],
)
def test_bad_settings_in_the_plane(setting, message):
    with pytest.raises(InputError, match=message):
        PLATE.observe(**setting)
