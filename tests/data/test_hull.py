"""Points in a hull: inside, everywhere in it, and for hulls without a volume, too."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry.data.hull import points_in_hull


def test_uniform_over_a_polygon():
    places = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1e-3], [0.0, 1e-3], [0.5, 5e-4]])
    found = points_in_hull(places, 4000, np.random.default_rng(0))
    assert (found >= 0).all()
    assert (found <= [1.0, 1e-3]).all()
    counts, *_ = np.histogram2d(found[:, 0], found[:, 1] * 1e3, bins=4, range=[[0, 1], [0, 1]])
    assert np.abs(counts - 250).max() < 5 * np.sqrt(250)


@pytest.mark.parametrize("slope", [0.0, -2.0])
def test_sensors_along_a_line_in_the_plane(slope):
    x = np.array([0.0, 1.0, 3.0])
    found = points_in_hull(np.column_stack([x, 5 + slope * x]), 500, np.random.default_rng(0))
    np.testing.assert_allclose(found[:, 1], 5 + slope * found[:, 0], atol=1e-9)
    assert 0 <= found[:, 0].min() < 0.1
    assert 2.9 < found[:, 0].max() <= 3


def test_an_interval_and_a_single_place():
    found = points_in_hull(np.array([[2.0], [5.0], [3.0]]), 500, np.random.default_rng(0))
    assert found.shape == (500, 1)
    assert 2 <= found.min() < 2.1
    assert 4.9 < found.max() <= 5
    np.testing.assert_array_equal(points_in_hull(np.array([[1.0, 2.0]]), 3, np.random.default_rng(0)), [[1, 2]] * 3)


def test_a_body_in_space():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    found = points_in_hull(corners, 2000, np.random.default_rng(0))
    assert (found.sum(1) <= 1 + 1e-9).all()
    np.testing.assert_allclose(found.mean(0), 0.25, atol=0.02)
