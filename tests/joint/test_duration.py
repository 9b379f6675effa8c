"""What is foreseen grows with fields and with the length of records, and falls with cores."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry import Readings
from pdescry.joint.duration import expected_seconds
from pdescry.problem import Problem
from tests.joint.conftest import smooth_readings


def test_more_fields_take_longer_and_more_cores_less() -> None:
    one, two = (Problem.of((smooth_readings(names),)) for names in (("u",), ("u", "v")))
    assert expected_seconds(two, 2) > 2 * expected_seconds(one, 2)
    assert expected_seconds(one, 1) == pytest.approx(2 * expected_seconds(one, 2))
    both = Problem.of((smooth_readings(("u",)), smooth_readings(("u",)).select(sensors=[0, 1, 2])))
    assert expected_seconds(both, 2) == pytest.approx(2 * expected_seconds(one, 2))


def test_a_long_record_takes_longer() -> None:
    t, x = np.linspace(0, 100, 1500), np.linspace(0, 1, 4)
    waves = np.sin(2 * np.pi * t[:, None] - x)
    slow = np.sin(0.05 * t[:, None] - x)
    long, short = (Problem.of((Readings.from_grid(t, x, each),)) for each in (waves, slow))
    assert expected_seconds(long, 2) > 2 * expected_seconds(short, 2)
