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
