"""Errors of fields, against numbers worked out by hand and against a posterior that knows the truth."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr

from pdescry import Readings
from pdescry.errors import InputError
from pdescry.metrics import coverage, rmse, score_field


def test_rmse_by_hand():
    assert rmse([0, 0], [3, 4]) == pytest.approx(math.sqrt(12.5))
    assert rmse([[1.0, 2.0]], [[1.0, 2.0]]) == 0


def test_coverage_by_hand():
    assert coverage([0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0.5, 1.01]) == 0.75
    assert coverage([0], [0], [0]) == 1  # ends belong to it


@pytest.mark.parametrize(
    "call", [lambda: rmse([1], [1, 2]), lambda: coverage([1], [2], [1, 2]), lambda: rmse([], [])], ids=range(3)
)
def test_shapes_that_differ_are_told(call):
    with pytest.raises(InputError, match="as many values"):
        call()


class Known:
    """A posterior that knows u = t + x, but for an error where x > 0, and its own sd."""

    def __init__(self, error: float, half_width: float, last: float = 1.0) -> None:
        self.error, self.half_width = error, half_width
        time, space = np.meshgrid(np.arange(4.0), np.linspace(-1, last, 4))
        self.readings = Readings.from_arrays(time.ravel(), space.ravel(), (time + space).ravel())

    def predict(self, t: np.ndarray, x: np.ndarray, grid: bool) -> xr.Dataset:
        assert not grid
        field = self.readings.fields[0]
        mean = t + x + self.error * (x > 0)
        parts = {"": mean, "_low": mean - self.half_width, "_high": mean + self.half_width}
        return xr.Dataset({field + ending: ("point", values) for ending, values in parts.items()})


TRUTH: Any = SimpleNamespace(until=2.0, domain=(-2.0, 2.0), at=lambda t, x, of: t + x)


def score(seed: int = 0, **about: Any):
    return score_field(Known(**about), TRUTH, seed)  # pyright: ignore[reportArgumentType]


def test_the_truth_has_no_error_and_is_covered():
    found = score(error=0.0, half_width=0.1)
    assert found.rmse == found.rmse_inside == 0
    assert found.coverage == found.coverage_inside == 1


def test_an_error_in_half_the_domain():
    found = score(error=0.2, half_width=0.1)
    half = 1 - found.coverage  # the part of the points that are off
    assert half == pytest.approx(0.5, abs=0.06)
    assert found.rmse == pytest.approx(0.2 * math.sqrt(half))


def test_inside_is_between_the_outermost_sensors():
    found = score(error=0.2, half_width=0.1, last=0.0)
    assert found.rmse > 0
    assert found.rmse_inside == 0
    assert found.coverage_inside == 1


def test_points_depend_on_the_seed_alone():
    assert score(error=0.2, half_width=0.1, seed=3) == score(error=0.2, half_width=0.1, seed=3)
    assert score(error=0.2, half_width=0.1, seed=3) != score(error=0.2, half_width=0.1, seed=4)


def test_a_plane_is_refused():
    points = np.random.default_rng(0).uniform(size=(20, 3))
    posterior = SimpleNamespace(readings=Readings.from_arrays(points[:, 0], points[:, 1:], points.sum(1)))
    with pytest.raises(InputError, match="one space axis; got x, y"):
        score_field(posterior, TRUTH)  # pyright: ignore[reportArgumentType]
