"""Times as dates: from a file to numbers and back."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from pdescry import InputError, Readings, read

START = pd.Timestamp("2024-05-31 22:00")


@pytest.fixture
def dated() -> Readings:
    times = np.repeat(pd.date_range(START, periods=5, freq="30min"), 4)
    return read(pd.DataFrame({"time": times, "x": [0, 1, 2, 3] * 5, "u": np.arange(20.0)}), time_unit="min")


def test_readings_know_the_date_of_time_zero(dated):
    assert dated.time_origin == "2024-05-31T22:00:00"
    assert dated.times.tolist() == [0, 30, 60, 90, 120]
    assert dated.dates(dated.times)[-1] == np.datetime64("2024-06-01T00:00")
    assert dated.select(sensors=[0, 1, 2]).time_origin == dated.time_origin


@pytest.mark.parametrize(
    "moment",
    [
        "2024-06-01", "2024-06-01 00:00", "01.06.2024 00:00", "2024-06-01T02:00+02:00",
        datetime.datetime(2024, 6, 1), datetime.date(2024, 6, 1), np.datetime64("2024-06-01"),
        pd.Timestamp("2024-06-01"), pd.Timestamp("2024-06-01 02:00", tz="Europe/Berlin"),
    ],
    ids=str,
)  # fmt: skip
def test_dates_of_any_kind_are_times(dated, moment):
    number, is_date = dated.to_times(moment)
    assert is_date
    assert float(number) == 120.0
    several, _ = dated.to_times([moment, moment])
    assert several.tolist() == [120.0, 120.0]


def test_numbers_are_times_as_they_are(dated):
    for numbers in (3, 3.5, [1, 2], np.arange(3.0)):
        found, are_dates = dated.to_times(numbers)
        assert found is numbers
        assert not are_dates


def test_many_dates_at_once(dated):
    assert dated.to_times(pd.date_range(START, periods=3, freq="h"))[0].tolist() == [0, 60, 120]


def test_dates_that_say_nothing_are_refused(dated):
    with pytest.raises(InputError, match="write them so"):
        dated.to_times("next Tuesday")
    plain = Readings.from_arrays(dated.time, dated.space, dated.values)
    with pytest.raises(InputError, match="readings with dates"):
        plain.to_times("2024-06-01")
    with pytest.raises(InputError, match="these are numbers"):
        plain.dates()
