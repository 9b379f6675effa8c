"""Knots lie where the field bends, and the first mesh is fine enough to follow it."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry.joint.mesh import (
    FIRST,
    carried,
    continued,
    even_elements,
    even_space,
    first_space,
    graded_space,
    widened_space,
)
from pdescry.joint.splines import Array, Space

EVEN = even_space((-1.0, 1.0), (0.0, 2.0), FIRST[-1])


def field(speed: float, width: float) -> Array:
    return EVEN.nearest(lambda x, t: np.tanh((x[:, None] - speed * (t - 1)) / width))


def test_knots_are_dense_where_the_field_bends() -> None:
    space = graded_space(EVEN, field(0.0, 0.05), (40, 10))
    lengths, middles = space.x.lengths, (space.x.breaks[1:] + space.x.breaks[:-1]) / 2
    assert space.x.n == 40
    assert even_elements(space) == 10
    assert lengths[np.abs(middles) < 0.1].max() < 0.3 * lengths[np.abs(middles) > 0.5].min()
    assert lengths.max() < 5 * 2 / 40


def test_a_straight_field_has_even_knots() -> None:
    space = graded_space(EVEN, EVEN.nearest(lambda x, t: x[:, None] + 0 * t), (40, 10))
    np.testing.assert_allclose(space.x.lengths, 2 / 40, rtol=0.05)


def test_time_begins_with_short_elements() -> None:
    assert EVEN.t.lengths[0] < 1e-3 * 2
    assert EVEN.t.lengths[-1] == np.max(EVEN.t.lengths)


def rate_error(space: Space, found: Array, true: Array) -> float:
    rate = EVEN.values(true, (0, 1))
    own = space.x.matrix(EVEN.x.points) @ found.reshape(space.shape) @ space.t.matrix(EVEN.t.points, 1).T
    return float(np.sqrt(np.mean((own - rate) ** 2) / np.mean(rate**2)))


def test_a_wave_that_moves_fast_gets_a_finer_mesh() -> None:
    slow, fast = field(0.05, 0.3), field(0.9, 0.1)
    (calm, on_calm), (fine, on_fine) = (first_space(EVEN, field, FIRST) for field in (slow, fast))
    assert (calm.x.n, even_elements(calm)) == FIRST[0]
    assert fine.t.n > calm.t.n
    assert rate_error(calm, on_calm, slow) < 0.05
    assert rate_error(fine, on_fine, fast) < 0.05


def test_a_field_is_the_same_on_a_finer_mesh() -> None:
    true = field(0.05, 0.3)
    space = graded_space(EVEN, true, FIRST[-1])
    np.testing.assert_allclose(
        space.x.matrix(EVEN.x.points)
        @ carried(true, EVEN, space).reshape(space.shape)
        @ space.t.matrix(EVEN.t.points).T,
        EVEN.values(true),
        atol=1e-4,
    )


@pytest.mark.parametrize("span", [(8.8, 59.29), (5.77, 61.6), (-9.0, 0.8), (-3.45, 12.28), (1.7e9, 1.7e9 + 3600)])
def test_a_mesh_ends_where_the_readings_do(span: tuple[float, float]) -> None:
    space = even_space((0.1, 0.7), span, (8, 16))
    for _ in range(3):
        space = graded_space(space, np.ones(space.shape).ravel(), (9, 24))
        assert tuple(space.t.breaks[[0, -1]]) == span
        assert tuple(space.x.breaks[[0, -1]]) == (0.1, 0.7)


def test_a_wider_mesh_keeps_the_field_and_ends_where_it_is_told() -> None:
    wave = field(0.3, 0.2)
    wide = widened_space(EVEN, (-1.0, 1.5))
    assert tuple(wide.x.breaks[[0, -1]]) == (-1.0, 1.5)
    assert set(EVEN.x.breaks) <= set(wide.x.breaks)
    assert wide.x.lengths.max() < 1.01 * EVEN.x.lengths.max()
    places, times = np.array([-0.9, 0.0, 0.9]), np.array([0.3, 1.2, 1.9])
    found = continued(wave, EVEN, wide)
    np.testing.assert_allclose(wide.at(places, times) @ found, EVEN.at(places, times) @ wave, atol=1e-3)
    at_end = wide.at(np.full(3, 1.4), times) @ found
    np.testing.assert_allclose(at_end, EVEN.at(np.full(3, 1.0), times) @ wave, atol=1e-2)
