"""Faults that were put into readings by hand are found and named; sound readings stay as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdescry.data import Readings, systems
from pdescry.joint.sensors import examine
from pdescry.joint.sensors.steps import steps


def observed(noise: float = 0.05, fields: int = 1) -> Readings:
    """A wave that decays and a mode that stays, by 12 sensors; a second field is the same, earlier."""
    random = np.random.default_rng(3)
    time, place = np.meshgrid(np.linspace(0, 10, 41), np.sort(random.uniform(0, 5, 12)), indexing="ij")
    t, x = time.ravel(), place.ravel()
    true = [np.sin(1.5 * x - s) * np.exp(-0.1 * s) + 0.5 * np.cos(x) for s in (t, t + 1)[:fields]]
    values = np.stack(true, axis=1) + noise * random.standard_normal((len(t), fields))
    return Readings.from_arrays(t, x, values)


def changed(readings: Readings, change) -> Readings:
    values = readings.values.copy()
    change(values)
    return replace(readings, values=values)


def inside(readings: Readings, which: int) -> int:
    """The number of a sensor, counted along x."""
    return int(np.argsort(readings.places[:, 0])[which])


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.05])
def test_sound_readings_stay_as_they_are(noise):
    readings = observed(noise, fields=2)
    found, faults = examine(readings)
    assert faults == ()
    assert found == readings


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("name", ["burgers", "heat", "kdv", "fisher_kpp", "advection_diffusion", "fitzhugh_nagumo"])
def test_sharp_and_short_waves_are_no_faults(name, noise):
    for layout in (11, 12):
        assert examine(systems.get(name).observe(sensors=16, noise=noise, seed=layout))[1] == ()


def test_outliers_are_left_out_and_counted():
    readings = observed()
    random = np.random.default_rng(1)
    rows = random.choice(len(readings), 12, replace=False)
    signs = random.choice([-1, 1], 12)

    def spikes(values):
        values[rows, 0] += 20 * 0.05 * signs

    found, (fault,) = examine(changed(readings, spikes))
    gone = np.setdiff1d(readings.values, found.values).size + len(rows)
    assert (fault.kind, fault.left_out) == ("outliers", True)
    assert len(found) == len(readings) - fault.readings
    assert fault.readings >= 11  # a first reading may not stand out
    assert gone <= 2 * len(rows)  # none of the others is gone
    assert fault.notice().code == "outliers-left-out"


def test_a_dead_sensor_is_named_and_left_out_and_others_keep_their_numbers():
    readings = observed()
    dead = inside(readings, 5)
    own = readings.sensor == dead

    def constant(values):
        values[own, 0] = 21.3
        values[np.flatnonzero(own)[20], 0] = 40.0  # an outlier, beside

    broken = replace(changed(readings, constant), units={"u": "°C"})
    found, faults = examine(broken)
    told = [each for each in faults if each.kind == "constant"]
    assert [(each.sensors, each.value, each.since) for each in told] == [((str(dead),), 21.3, None)]
    assert str(told[0].notice(broken.units)) == f"Sensor {dead} reads u = 21.3 °C throughout and was left out."
    assert found.sensor_names == tuple(str(k) for k in range(12) if k != dead)
    assert "constant-left-out" in [each.code for each in found.warnings]


def test_a_sensor_that_dies_loses_only_what_it_read_after():
    readings = observed()
    own = np.flatnonzero(readings.sensor == inside(readings, 6))
    dies = own[readings.time[own] > 4]

    def stuck(values):
        values[dies, 0] = values[dies[0], 0]

    found, (fault,) = examine(changed(readings, stuck))
    assert (fault.kind, fault.readings) == ("constant", len(dies))
    assert fault.since == pytest.approx(readings.time[dies].min())
    assert len(found) == len(readings) - len(dies)
    assert found.n_sensors == 12


def test_an_outermost_sensor_that_is_held_is_named_and_kept():
    readings = observed()
    own = readings.sensor == inside(readings, 0)

    def held(values):
        values[own, 0] = 0.0

    found, faults = examine(changed(readings, held))
    (told,) = [each for each in faults if each.kind == "constant"]
    assert told.outermost
    assert not told.left_out
    assert found.n_sensors == 12
    assert not found.warnings


def test_a_drifting_sensor_is_named_with_its_rate():
    readings = observed(noise=0.01)
    drifts = inside(readings, 6)
    own = readings.sensor == drifts

    def drift(values):
        values[own, 0] += 0.1 * readings.time[own]

    found, (fault,) = examine(changed(readings, drift))
    assert (fault.kind, fault.sensors) == ("drift", (str(drifts),))
    assert fault.value == pytest.approx(0.1, rel=0.2)
    assert found.n_sensors == 11


def test_told_but_kept_if_asked():
    readings = observed()
    own = readings.sensor == inside(readings, 5)

    def constant(values):
        values[own, 0] = 21.3

    broken = changed(readings, constant)
    found, faults = examine(broken, leave_out=False)
    assert found == broken
    assert not any(each.left_out for each in faults)
    assert faults[0].notice().code == "constant-kept"


def test_half_of_the_sensors_stay_whatever_is_wrong_with_them():
    readings = observed()
    dead = [inside(readings, k) for k in (1, 2, 4, 5, 6, 8, 9, 10)]
    rows = np.isin(readings.sensor, dead)

    def constant(values):
        values[rows, 0] = 0.1

    found, faults = examine(changed(readings, constant))
    assert found.n_sensors >= 6
    assert not all(each.left_out for each in faults)


def test_steps_of_a_converter_are_told_and_equal_readings_are_no_fault():
    readings = observed(noise=0.001)
    coarse = changed(readings, lambda values: np.round(values / 0.2, out=values))
    coarse = replace(coarse, values=coarse.values * 0.2)
    found, (fault,) = examine(coarse)
    assert (fault.kind, fault.everywhere or len(fault.sensors) > 6) == ("steps", True)
    assert fault.value == pytest.approx(0.2, rel=0.05)
    assert found == coarse
    assert np.isnan(steps(readings, 0)).all()


def test_a_field_of_several_loses_only_its_own_values():
    readings = observed(0.01, fields=2)
    own = readings.sensor == inside(readings, 5)

    def constant(values):
        values[own, 0] = 0.12

    found, (fault,) = examine(changed(readings, constant))
    assert (fault.field, fault.kind) == (readings.fields[0], "constant")
    assert len(found) == len(readings)
    assert found.observed.sum(axis=0).tolist() == [len(readings) - own.sum(), len(readings)]
