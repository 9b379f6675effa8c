"""Faults as values and sentences; sensors that are left out."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry.data import Readings, SensorFault, read
from pdescry.errors import InputError

SENTENCES = {
    SensorFault("outliers", "u", ("a", "b", "c", "d"), True, 19): "19 readings of u are outliers (of 4 sensors) and "
    "were left out.",
    SensorFault("outliers", "u", ("5",), True, 1): "1 reading of u is an outlier (of sensor 5) and was left out.",
    SensorFault("constant", "T", ("TC5",), True, 51, 21.3): "TC5 reads T = 21.3 °C throughout and was left out.",
    SensorFault("constant", "T", ("TC5",), True, 9, 21.3, 60.0): "TC5 reads T = 21.3 °C from t = 60 s on; these 9 "
    "readings were left out.",
    SensorFault("drift", "T", ("TC5",), False, 51, -0.02): "TC5 drifts by −0.02 °C per s in T; it was kept: leave it "
    "out with without=['TC5'] if it is broken.",
    SensorFault("steps", "T", ("TC5", "TC6"), False, 51, 0.1, everywhere=True): "T changes in steps of 0.1 °C at all "
    "sensors, larger than the noise.",
}


@pytest.mark.parametrize("fault", SENTENCES, ids=[each.kind for each in SENTENCES])
def test_each_has_its_sentence_and_comes_back_from_plain_values(fault):
    assert str(fault.notice({"T": "°C", "t": "s"})) == SENTENCES[fault]
    assert SensorFault(**fault.to_dict()) == fault


def three() -> Readings:
    time, place = np.meshgrid(np.arange(4.0), [0.1, 0.2, 0.3], indexing="ij")
    return Readings.from_arrays(time.ravel(), place.ravel(), place.ravel() + time.ravel())


def test_sensors_without_names_keep_their_numbers():
    left = three().without([1])
    assert left.sensor_names == ("0", "2")
    assert left.without(["2"]).places.tolist() == [[0.1]]
    assert tuple(map(str, left.notes)) == ("Left out as asked: sensor 1.",)
    assert three().without(["1"]) == left
    with pytest.raises(InputError, match="'1'"):
        left.without(["1"])


def test_without_names_and_refusals(tmp_path):
    readings = three()
    file = tmp_path / "rod.csv"
    frame = readings.to_frame().assign(sensor=[f"TC{k}" for k in readings.sensor])
    frame.to_csv(file, index=False)
    assert read(file, without=["TC1", "TC2"]).sensor_names == ("TC0",)
    assert read(file, without="TC1").n_sensors == 2
    with pytest.raises(InputError, match="TC9"):
        read(file, without=["TC9"])
    with pytest.raises(InputError, match="remain"):
        read(file, without=["TC0", "TC1", "TC2"])
