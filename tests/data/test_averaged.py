"""Consecutive readings averaged: the means are right, nothing is lost but noise, and what is short or moves is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pdescry import systems
from pdescry.data import Readings
from pdescry.errors import InputError

SENSORS = 3


def logged(
    field: Callable[[Any, Any], Any], noise: float = 0.05, length: int = 2000, digit: float = 0.0, **more: Any
) -> Readings:
    """Sensors on one clock, read ``length`` times from t = 0 to 1, to the last digit that they give."""
    time, place = np.tile(np.linspace(0, 1, length), SENSORS), np.repeat(np.arange(SENSORS, dtype=float), length)
    values = field(time, place) + noise * np.random.default_rng(1).standard_normal(len(time))
    return Readings.from_arrays(time, place, np.round(values / digit) * digit if digit else values, **more)


def wave(periods: float) -> Callable[[Any, Any], Any]:
    return lambda t, x: np.sin(2 * np.pi * periods * t + x)


def left(readings: Readings) -> int:
    """How many of each sensor."""
    (number,) = set(np.bincount(readings.sensor))
    return int(number)


class TestMeans:
    def test_time_and_values_are_means_of_consecutive_readings(self) -> None:
        readings = logged(lambda t, x: 3 * t - x, noise=0.0)
        means = readings.averaged(100)
        for sensor in range(SENSORS):
            raw, own = readings.of_sensor(sensor), means.of_sensor(sensor)
            np.testing.assert_allclose(own.time, raw.time.reshape(100, 20).mean(1), rtol=1e-14)
            np.testing.assert_allclose(own.values[:, 0], raw.values.reshape(100, 20).mean(1), rtol=1e-12)
        assert len(means.times) == 100  # one clock stays one clock, to the last bit
        np.testing.assert_array_equal(means.places, readings.places)
        assert not means.values.flags.writeable

    @pytest.mark.parametrize("length", [2000, 1931])
    def test_they_lie_on_a_field_that_bends(self, length: int) -> None:
        """Plain means would be off by ½ u_tt Var(t), which is alike at all sensors and makes laws wrong."""
        means = logged(wave(5), noise=0.0, length=length).averaged(100)
        errors = np.abs(means.values[:, 0] - wave(5)(means.time, means.space[:, 0])).reshape(-1, SENSORS)
        off = (10 * np.pi) ** 2 / 2 * 0.01**2 / 12  # of plain means, at the crests
        assert errors[2:-2].max() < 0.1 * off
        assert errors.max() < off

    def test_the_order_of_rows_does_not_matter(self) -> None:
        readings = logged(wave(1))
        mixed = np.random.default_rng(2).permutation(len(readings))
        shuffled = Readings.from_arrays(readings.time[mixed], readings.space[mixed], readings.values[mixed])
        assert shuffled.averaged(100) == readings.averaged(100)

    def test_a_number_that_does_not_divide_the_record(self) -> None:
        readings = logged(wave(1), length=1331)
        means = readings.averaged(100)
        assert left(means) == 100
        np.testing.assert_allclose(np.mean(means.time), np.mean(readings.time), rtol=1e-3)
        assert "about 13 at a time" in str(means.notes[-1])

    def test_known_noise_weighs_readings_and_becomes_that_of_the_means(self) -> None:
        sd = np.tile([0.1, 0.2, 0.4, 0.1], 500 * SENSORS)
        line = logged(lambda t, x: 3 * t + x, noise=0.0)
        readings = Readings.from_arrays(line.time, line.space, line.values, noise=sd)
        means = readings.averaged(500)
        assert means.noise is not None
        weights = np.array([0.1, 0.2, 0.4, 0.1]) ** -2
        np.testing.assert_allclose(means.noise, weights.sum() ** -0.5, rtol=1e-12)
        expected = readings.of_sensor(0).time.reshape(500, 4) @ weights / weights.sum()
        np.testing.assert_allclose(means.of_sensor(0).time, expected, rtol=1e-12)
        # With the same weights for both, means of a straight line lie on it.
        np.testing.assert_allclose(means.values[:, 0], 3 * means.time + means.space[:, 0], rtol=1e-12)

    def test_noise_of_several_fields_and_sensors(self) -> None:
        time, place = np.tile(np.linspace(0, 1, 400), 3), np.repeat(np.arange(3.0), 400)
        sd = np.column_stack([1 + place, np.full(1200, 0.3)])
        readings = Readings.from_arrays(time, place, np.column_stack([time, place * time]), noise=sd)
        means = readings.averaged(100)
        assert means.noise is not None
        np.testing.assert_allclose(means.noise[:, 0], (1 + means.space[:, 0]) / 2, rtol=1e-12)
        np.testing.assert_allclose(means.noise[:, 1], 0.15, rtol=1e-12)
        assert len(means.times) == 100

    def test_no_bin_spans_a_long_hole(self) -> None:
        """A mean over a night in which nothing was read would be a reading of what nobody saw."""
        clock = np.concatenate([np.linspace(0, 1, 330), np.linspace(5, 6, 470)])
        time, place = np.tile(clock, 3), np.repeat(np.arange(3.0), 800)
        means = Readings.from_arrays(time, place, np.sin(time) + place).averaged(100)
        assert not ((means.time > 1) & (means.time < 5)).any()
        assert abs(left(means) - 100) <= 1

    def test_the_note(self) -> None:
        readings = logged(wave(1), source="logger")
        assert tuple(map(str, readings.averaged().notes)) == (
            "6,000 readings were averaged to 300, 20 at a time (all but noise is kept); average=False keeps them all.",
        )
        asked = readings.averaged(400)
        assert tuple(map(str, asked.notes)) == (
            "6,000 readings were averaged to 1,200, 5 at a time; average=False keeps them all.",
        )
        assert (asked.source, asked.fields, asked.axes) == ("logger", ("u",), ("x",))

    @pytest.mark.parametrize("wrong", [2, 0, -5, 100.5, True, "many"])
    def test_numbers_that_are_none(self, wrong: Any) -> None:
        with pytest.raises(InputError, match="whole number of at least 3; got"):
            logged(wave(1)).averaged(wrong)


class TestChoice:
    @pytest.mark.parametrize(("periods", "noise", "number"), [(1, 0.05, 100), (10, 0.05, 200), (10, 0.5, 100)])
    def test_as_few_as_the_field_and_its_noise_allow(self, periods: float, noise: float, number: int) -> None:
        assert left(logged(wave(periods), noise, length=6000).averaged()) == number

    @pytest.mark.parametrize(("periods", "noise"), [(1, 0.05), (3, 0.01), (10, 0.05), (30, 0.3)])
    def test_nothing_is_lost_but_noise(self, periods: float, noise: float) -> None:
        """The means differ from the field at their times as noise of their number would."""
        means = logged(wave(periods), noise, length=6000).averaged()
        errors = means.values[:, 0] - wave(periods)(means.time, means.space[:, 0])
        expected = noise / np.sqrt(6000 / left(means))
        assert left(means) <= 800
        assert np.sqrt(np.mean(errors**2)) < 1.15 * expected

    @pytest.mark.parametrize("readings_a_period", [3.6, 4, 6, 10])
    def test_a_wave_that_is_barely_sampled_is_left_alone(self, readings_a_period: float) -> None:
        """It scatters less between neighbours that are readings than between those that are means."""
        for length in (400, 2000):
            readings = logged(wave(length / readings_a_period), 0.01, length)
            assert readings.averaged() is readings

    def test_what_one_sensor_sees_decides_for_all(self) -> None:
        slow = logged(wave(1), length=6000).averaged()
        readings = logged(lambda t, x: np.where(x == 2, np.sin(60 * np.pi * t), np.sin(t)), length=6000)
        assert left(slow) == 100
        assert left(readings.averaged()) > 200

    def test_a_short_pulse_keeps_its_shape(self) -> None:
        means = logged(lambda t, x: np.exp(-0.5 * ((t - 0.43 - x / 20) / 0.005) ** 2), 0.02, length=6000).averaged()
        assert means.values.max() > 0.95

    def test_noise_in_bursts_is_noise(self) -> None:
        """As of the thermistors of a real rod: neighbours share a part of it."""
        random = np.random.default_rng(3)
        drift = np.convolve(random.standard_normal(6000 * SENSORS + 9), np.ones(10) / 10, "valid") * 0.05
        assert left(logged(lambda t, x: wave(1)(t, x) + drift, 0.1, length=6000).averaged()) <= 400

    def test_noise_without_a_scale_is_noise(self) -> None:
        """Of power 1/f^0.8 it hardly falls as it is averaged, and grows now and then by chance."""
        random = np.random.default_rng(4)
        pink = np.fft.irfft(np.fft.rfft(random.standard_normal(6000 * SENSORS)) / (np.arange(9001) + 1) ** 0.4)
        assert left(logged(lambda t, x: pink, noise=0.0, length=6000).averaged()) == 100

    def test_noise_that_alternates_is_noise(self) -> None:
        """Pairs have none of it, threes have some again."""
        readings = logged(lambda t, x: np.sin(6 * t) + 0.1 * np.cos(2000 * np.pi * t), 0.002, length=2001)
        assert left(readings.averaged()) < 1000

    def test_the_worst_field_decides(self) -> None:
        slow, fast = logged(wave(1), length=6000), logged(wave(30), length=6000)
        both = Readings.from_arrays(slow.time, slow.space, np.column_stack([slow.values, fast.values]))
        assert left(both.averaged()) == left(fast.averaged()) > left(slow.averaged())
        assert both.averaged().values.shape[1] == 2

    @pytest.mark.parametrize("power", [-150, 150])
    def test_units_do_not_matter(self, power: int) -> None:
        readings = logged(wave(10), length=6000)
        other = Readings.from_arrays(readings.time * 10.0**power, readings.space, readings.values * 10.0**power)
        np.testing.assert_allclose(
            other.averaged().values / 10.0**power, readings.averaged().values, rtol=1e-9, atol=1e-12
        )

    def test_steps_of_the_last_digit_are_no_field(self) -> None:
        """0.1 °C steps of a rod that cools slowly, by thermometers with less noise than that, and with none."""
        for noise in (0.0, 0.02, 0.1):
            assert left(logged(lambda t, x: 20 + 5 * np.exp(-t) + x, noise, digit=0.1).averaged()) == 100

    def test_noise_larger_than_the_last_digit_makes_means_finer_than_it(self) -> None:
        means = logged(wave(30), 0.05, length=6000, digit=0.1).averaged()
        assert left(means) >= 400

    def test_a_field_without_noise_is_left_alone(self) -> None:
        readings = logged(wave(3), noise=0.0)
        assert readings.averaged() is readings

    def test_a_sensor_that_always_reads_the_same(self) -> None:
        readings = logged(lambda t, x: 0.1 * x, noise=0.0)
        means = readings.averaged()
        assert left(means) == 100
        np.testing.assert_array_equal(means.values, 0.1 * means.space)

    def test_twice_is_once(self) -> None:
        once = logged(wave(10), length=6000).averaged()
        assert once.averaged() is once


class TestLeftAlone:
    def test_records_of_fewer_than_two_hundred(self) -> None:
        readings = systems.heat().observe(sensors=16, noise=0.05, seed=3)
        assert readings.averaged() is readings
        just_below = logged(wave(1), length=199)
        assert just_below.averaged() is just_below
        assert left(logged(wave(1), length=200).averaged()) == 100

    def test_short_records_beside_long_ones(self) -> None:
        long = logged(wave(1))
        rows = (long.space[:, 0] != 1) | (np.arange(len(long)) % 20 == 0)
        readings = long.select(rows)
        means = readings.averaged()
        assert list(np.bincount(means.sensor)) == [100, 100, 100]
        np.testing.assert_array_equal(means.of_sensor(1).values, readings.of_sensor(1).values)
        assert str(means.notes[-1]).startswith("4,000 readings were averaged to 200, 20 at a time")

    def test_sensors_that_move(self) -> None:
        long = logged(wave(1))
        place = long.space[:, 0] + np.where(long.sensor == 2, 0.1 * long.time, 0)
        readings = Readings.from_arrays(long.time, place, long.values, sensor=[f"s{k}" for k in long.sensor])
        means = readings.averaged()
        assert list(np.bincount(means.sensor)) == [100, 100, 2000]
        assert means.sensor_names == ("s0", "s1", "s2")
        assert means.of_sensor("s2") == readings.of_sensor("s2")

    def test_more_means_than_half_the_readings(self) -> None:
        readings = logged(wave(1))
        assert readings.averaged(1001) is readings
        assert left(readings.averaged(1000)) == 1000

    def test_several_axes(self) -> None:
        long = logged(wave(1))
        readings = Readings.from_arrays(long.time, np.column_stack([long.space, long.space**2]), long.values)
        means = readings.averaged()
        assert left(means) == 100
        np.testing.assert_array_equal(means.places, readings.places)
