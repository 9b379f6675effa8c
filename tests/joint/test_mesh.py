"""Knots lie where the field bends, and the first mesh is fine enough to follow it."""

from __future__ import annotations

import numpy as np

from pdescry.joint.mesh import FIRST, carried, even_elements, even_space, first_space, graded_space
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
