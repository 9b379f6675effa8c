"""Knots lie where the fields bend, and the first mesh is fine enough to follow them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdescry import Readings
from pdescry.data.inputs import Between, Input
from pdescry.joint.field.axis import Array
from pdescry.joint.field.mesh import (
    carried,
    elements_in_time,
    even_elements,
    even_space,
    extended_space,
    first_sizes,
    first_space,
    graded_space,
    halved,
    jumps_of,
    refined,
)
from pdescry.joint.field.options import FIELD
from pdescry.joint.field.space import Space
from pdescry.joint.observations import Observations
from tests.joint.conftest import smooth_readings

NO_JUMPS = np.zeros(0)
ON_A_LINE = FIELD.mesh.on_a_line
DEGREES, MOST = ON_A_LINE.degrees, ON_A_LINE.most
FINEST = (ON_A_LINE.in_space[-1], ON_A_LINE.in_time[-1])
EVEN = even_space([(-1.0, 1.0)], (0.0, 2.0), FINEST, 1, NO_JUMPS, 1)
SIZES = first_sizes(0, False)


def field(speed: float, width: float) -> Array:
    return EVEN.nearest(lambda x, t: [np.tanh((x[:, None] - speed * (t - 1)) / width)])


def test_knots_are_dense_where_the_field_bends() -> None:
    space = graded_space(EVEN, field(0.0, 0.05), (40, 10))
    (x,) = space.places
    middles = (x.breaks[1:] + x.breaks[:-1]) / 2
    assert x.n == 40
    assert even_elements(space) == 10
    assert x.lengths[np.abs(middles) < 0.1].max() < 0.3 * x.lengths[np.abs(middles) > 0.5].min()
    assert x.lengths.max() < 5 * 2 / 40


def test_knots_are_dense_where_any_of_the_fields_bends() -> None:
    two = replace(EVEN, components=2)
    state = two.nearest(
        lambda x, t: [np.tanh((x[:, None] - 0.5) / 0.05) + 0 * t, 1e3 * np.tanh(x[:, None] / 0.05) + 0 * t]
    )
    (x,) = graded_space(two, state, (40, 10)).places
    middles = (x.breaks[1:] + x.breaks[:-1]) / 2
    for centre in (0.0, 0.5):
        assert x.lengths[np.abs(middles - centre) < 0.08].max() < 0.5 * x.lengths[middles < -0.5].min()


def test_a_straight_field_has_even_knots() -> None:
    space = graded_space(EVEN, EVEN.nearest(lambda x, t: [x[:, None] + 0 * t]), (40, 10))
    np.testing.assert_allclose(space.axes[0].lengths, 2 / 40, rtol=0.05)


def test_time_begins_with_short_elements() -> None:
    assert EVEN.time.lengths[0] < 1e-3 * 2
    assert EVEN.time.lengths[-1] == np.max(EVEN.time.lengths)


def rate_error(space: Space, found: Array, true: Array, order: int = 1) -> float:
    rate = EVEN.values(true, 0, (0, order))
    matrices = [space.axes[0].matrix(EVEN.axes[0].points), space.time.matrix(EVEN.time.points, order)]
    own = space.on_grid(found, 0, matrices)
    return float(np.sqrt(EVEN.mean_square(own - rate) / EVEN.mean_square(rate)))


@pytest.mark.parametrize("order", [1, 2])
def test_a_wave_that_moves_fast_gets_a_finer_mesh(order: int) -> None:
    slow, fast = field(0.05, 0.5), field(0.9, 0.1)
    (calm, on_calm), (fine, on_fine) = (first_space(EVEN, each, SIZES, order) for each in (slow, fast))
    assert (calm.axes[0].n, even_elements(calm)) == SIZES[0]
    assert fine.n_elements > calm.n_elements
    assert rate_error(calm, on_calm, slow, order) < 0.05
    assert rate_error(fine, on_fine, fast, order) < (0.05 if order == 1 else 0.2)


def test_a_field_is_the_same_on_a_finer_mesh() -> None:
    true = field(0.05, 0.3)
    space = graded_space(EVEN, true, FINEST)
    matrices = [space.axes[0].matrix(EVEN.axes[0].points), space.time.matrix(EVEN.time.points)]
    found = space.on_grid(carried(true, EVEN, space), 0, matrices)
    np.testing.assert_allclose(found, EVEN.values(true, 0, (0, 0)), atol=1e-4)


@pytest.mark.parametrize("span", [(8.8, 59.29), (5.77, 61.6), (-9.0, 0.8), (-3.45, 12.28), (1.7e9, 1.7e9 + 3600)])
def test_a_mesh_ends_where_the_readings_do(span: tuple[float, float]) -> None:
    space = even_space([(0.1, 0.7)], span, (8, 16), 1, NO_JUMPS, 1)
    for _ in range(3):
        space = graded_space(space, np.ones(space.n), (9, 24))
        assert space.time.span == span
        assert space.axes[0].span == (0.1, 0.7)


def test_a_wider_mesh_keeps_the_field_and_ends_where_it_is_told() -> None:
    wave, (along,) = field(0.3, 0.2), EVEN.places
    wide = extended_space(EVEN, [(-1.0, 1.5)])
    (x,) = wide.places
    assert x.span == (-1.0, 1.5)
    assert set(along.breaks) <= set(x.breaks)
    assert x.lengths.max() < 1.01 * along.lengths.max()
    points = np.array([[-0.9, 0.3], [0.0, 1.2], [0.9, 1.9]])
    found = carried(wave, EVEN, wide)
    np.testing.assert_allclose(wide.at(points) @ found, EVEN.at(points) @ wave, atol=1e-3)
    beyond, end = ([[place, time] for time in points[:, 1]] for place in (1.4, 1.0))
    np.testing.assert_allclose(wide.at(np.array(beyond)) @ found, EVEN.at(np.array(end)) @ wave, atol=1e-2)


def test_meshes_are_refined_as_far_as_they_go() -> None:
    assert refined((48, 16), [0], MOST) == (72, 16)
    assert refined((48, 16), [0, 1], MOST) == (72, 24)
    assert refined(MOST, [0, 1], MOST) == MOST
    assert refined((300, 16), [0], MOST) == (300, 16)
    half = halved(EVEN, 0)
    assert half.axes[0].n == EVEN.axes[0].n // 2
    assert half.axes[0].span == EVEN.axes[0].span


def test_several_fields_begin_on_coarser_meshes() -> None:
    assert set(first_sizes(0, True)) < set(SIZES)
    assert all(size[1] >= 30 for size in first_sizes(30, False))
    costs = [x * t**2 for x, t in SIZES]
    assert costs == sorted(costs)


@pytest.mark.parametrize(("periods", "least"), [(1, 16), (16, 24)])
def test_sensors_that_are_read_often_ask_for_more_elements_in_time(periods: int, least: int) -> None:
    x, t = (each.ravel() for each in np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 300)))
    values = np.sin(2 * np.pi * periods * t) + 0.01 * np.random.default_rng(0).normal(size=len(t))
    found = elements_in_time(Observations(Readings.from_arrays(t, x, values)))
    assert (found == least) if periods == 1 else (found >= least)


def test_sensors_that_are_read_seldom_do_not_tell() -> None:
    assert elements_in_time(Observations(smooth_readings())) == 16


# ---- inputs that jump ------------------------------------------------------------------------------------------------


def with_input(times: list[float], values: list[float], between: Between = "held") -> Readings:
    given = Input("P", np.array(times), None, np.array(values), between)
    return replace(smooth_readings(), inputs=(given,))


def test_a_held_input_jumps_where_it_changes() -> None:
    given = [0.0, 1.4, 1.9, 2.5, 9.0], [0.0, 1.0, 1.0, 3.0, 0.0]
    assert jumps_of(with_input(*given)).tolist() == [1.4, 2.5]
    assert not len(jumps_of(with_input(*given, "linear")))
    assert not len(jumps_of(smooth_readings()))


def test_of_many_jumps_the_largest_count(monkeypatch: pytest.MonkeyPatch) -> None:
    two = replace(FIELD, mesh=replace(FIELD.mesh, most_jumps=2))
    monkeypatch.setattr("pdescry.joint.field.mesh.FIELD", two)
    given = [1.0, 1.2, 1.4, 1.6, 1.8], [0.0, 0.1, 5.0, 5.1, 9.0]
    assert jumps_of(with_input(*given)).tolist() == [1.4, 1.8]


@pytest.mark.parametrize("order", [1, 2])
def test_left_sides_may_jump_there_and_stay_so_on_other_meshes(order: int) -> None:
    jump = 0.71
    space = even_space([(0.0, 1.0)], (0.0, 2.0), (6, 16), 1, np.array([jump]), order)
    state = space.nearest(lambda x, t: [0 * x[:, None] + np.maximum(t - jump, 0) ** order])
    for _ in range(2):
        assert space.time.jumps.tolist() == [jump]
        assert np.sum(space.time.breaks == jump) == DEGREES[1] - order + 1
        around = np.array([[0.5, jump - 0.01], [0.5, jump + 0.01]])
        np.testing.assert_allclose(space.at(around, 0, (0, order)) @ state, [0.0, order], atol=1e-6)
        other = halved(graded_space(space, state, (6, 24)), 1)
        space, state = other, carried(state, space, other)
