"""Tensor splines of any number of axes and fields: each product against a dense matrix."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pdescry.joint.field.axis import Axis
from pdescry.joint.field.options import FIELD
from pdescry.joint.field.space import Space
from pdescry.joint.fit.experiment import banded

BREAKS = {
    "even": np.linspace(0.0, 3.0, 4),
    "graded": np.array([0.0, 0.1, 0.5, 1.0]),
    "single": np.array([1.0, 2.0]),
    "double knot": np.array([0.0, 0.7, 0.7, 1.5]),
    "triple knot": np.array([0.0, 0.4, 0.4, 0.4, 1.0]),
}


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    number = draw(st.integers(1, 3))
    axes = tuple(
        Axis(BREAKS[draw(st.sampled_from(sorted(BREAKS)))], draw(st.integers(3, 5 if number < 3 else 3)))
        for _ in range(number)
    )
    return Space(axes, draw(st.integers(1, 3)))


def highest(axis: Axis) -> int:
    """The highest derivative that splines of an axis have everywhere, from one side at least; of interest up to two."""
    multiplicity = max(int(np.sum(axis.breaks == each)) for each in axis.breaks)
    return min(axis.degree - multiplicity + 1, 2)


quickly = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def dense_basis(space: Space, orders: tuple[int, ...]) -> np.ndarray:
    """(points, n of one field, as axes are counted): the basis at the points of quadrature, by Kronecker's product."""
    found = np.ones((1, 1))
    for axis, order in zip(space.axes, orders, strict=True):
        found = np.kron(found, axis.matrix(axis.points, order))
    return found


def dense(space: Space, component: int, orders: tuple[int, ...]) -> np.ndarray:
    """(points, n): one field, or a derivative of it, at the points of quadrature, for states as they are laid out."""
    places = space.unpacked(np.arange(float(space.n)))[component].ravel().astype(int)
    found = np.zeros((math.prod(space.points), space.n))
    found[:, places] = dense_basis(space, orders)
    return found


def random_operator(space: Space, equations: int, random: np.random.Generator) -> dict:
    return {
        (
            equation,
            int(random.integers(space.components)),
            tuple(int(random.integers(0, highest(axis) + 1)) for axis in space.axes),
        ): random.normal(size=space.points)
        for equation in range(equations)
        for _ in range(2)
    }


def dense_rows(space: Space, operator: dict, equations: int) -> np.ndarray:
    """(elements·equations·moments, n)"""
    found = np.zeros((space.n_elements, equations, space.n_moments, space.n))
    for (equation, component, orders), factor in operator.items():
        columns = (factor.reshape(-1, 1) * dense(space, component, orders)).T.reshape(space.n, *space.points)
        found[:, equation] += space.moments(columns).transpose(1, 2, 0)
    return found.reshape(-1, space.n)


@quickly
@given(spaces(), st.integers(0, 2**32 - 1))
def test_a_state_is_packed_and_unpacked(space: Space, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=space.shape)
    np.testing.assert_array_equal(space.unpacked(space.packed(values)), values)
    assert sorted(space.unpacked(np.arange(float(space.n))).ravel()) == list(range(space.n))


@quickly
@given(spaces(), st.data())
def test_values_and_derivatives_at_the_points(space: Space, data: st.DataObject) -> None:
    state = np.random.default_rng(0).normal(size=space.n)
    orders = tuple(data.draw(st.integers(0, highest(axis))) for axis in space.axes)
    for component in range(space.components):
        wanted = (dense(space, component, orders) @ state).reshape(space.points)
        np.testing.assert_allclose(space.values(state, component, orders), wanted, rtol=1e-9, atol=1e-8)


@quickly
@given(spaces(), st.data())
def test_the_fields_at_scattered_points(space: Space, data: st.DataObject) -> None:
    random = np.random.default_rng(1)
    points = np.column_stack([random.uniform(*axis.span, 7) for axis in space.axes])
    points[0] = [axis.span[1] for axis in space.axes]  # where the last element ends
    orders = tuple(data.draw(st.integers(0, highest(axis))) for axis in space.axes)
    for component in range(space.components):
        wanted = np.ones((7, 1))
        for k, axis in enumerate(space.axes):
            along = axis.matrix(points[:, k], orders[k])
            wanted = (wanted[:, :, None] * along[:, None, :]).reshape(7, -1)
        found = space.at(points, component, orders).toarray()
        places = space.unpacked(np.arange(float(space.n)))[component].ravel().astype(int)
        np.testing.assert_allclose(found[:, places], wanted, rtol=1e-9, atol=1e-9)
        assert np.count_nonzero(found) == np.count_nonzero(found[:, places])


@quickly
@given(spaces(), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_rows_their_products_and_their_squares(space: Space, equations: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    operator = random_operator(space, equations, random)
    rows, full = space.rows(operator, equations), dense_rows(space, operator, equations)
    size = np.abs(full).max()
    scattered = np.zeros((*rows.shape[:2], space.n))
    for element, basis in enumerate(space.basis):
        scattered[element][:, basis] = rows[element]
    np.testing.assert_allclose(scattered.reshape(-1, space.n), full, atol=1e-9 * size)
    right = random.normal(size=(*rows.shape[:2], 2))
    np.testing.assert_allclose(space.pulled(rows, right), full.T @ right.reshape(-1, 2), atol=1e-8 * size)
    square = full.T @ full
    i, j = np.triu_indices(space.n)
    far = j - i > space.band
    assert not square[i[far], j[far]].any()
    near = ~far
    bands = space.squared(rows)
    found = bands[space.band + i[near] - j[near], j[near]]
    np.testing.assert_allclose(found, square[i[near], j[near]], atol=1e-9 * size**2)
    np.testing.assert_array_equal(space.squared(rows), bands)  # its room is used again


@quickly
@given(spaces())
def test_moments_square_to_the_mean_square_of_what_is_linear_in_each_element(space: Space) -> None:
    values = np.ones(space.points)
    for k, axis in enumerate(space.axes):
        shape = [1] * len(space.axes)
        shape[k] = -1
        values = values * (2 + axis.points).reshape(shape)
    assert np.sum(space.moments(values) ** 2) == pytest.approx(space.mean_square(values))
    assert np.sum(space.volume) == pytest.approx(1)


@quickly
@given(spaces())
def test_the_axis_that_is_eliminated_along_leaves_the_fewest_bands(space: Space) -> None:
    assert space.band == min(space._band(order) for order in permutations(range(len(space.axes))))
    assert space.band <= space.window - 1 or len(space.axes) > 1


@pytest.mark.parametrize("shape", [(2, 30), (30, 2)])
def test_a_long_record_is_eliminated_along_time_and_a_short_one_along_space(shape: tuple[int, int]) -> None:
    space = Space(tuple(Axis(np.linspace(0, 1, n + 1), 4) for n in shape))
    assert space.order[0] == int(np.argmax(shape))


def test_polynomials_and_their_derivatives_are_exact() -> None:
    axes = Axis(np.array([0.0, 0.4, 1.1, 1.5, 3.0]), 5), Axis(np.array([1.0, 1.1, 1.5, 2.0]), 4)
    space = Space(axes, 2)
    state = space.nearest(lambda x, t: [np.outer(x**5 - x**2, t**4 + 1), np.outer(x**3, t**2)])
    x, t = axes[0].points[:, None], axes[1].points[None, :]
    np.testing.assert_allclose(space.values(state, 0, (0, 0)), (x**5 - x**2) * (t**4 + 1), rtol=1e-9)
    np.testing.assert_allclose(space.values(state, 0, (3, 0)), 60 * x**2 * (t**4 + 1), rtol=1e-7)
    np.testing.assert_allclose(space.values(state, 1, (1, 1)), 6 * x**2 * t, rtol=1e-8, atol=1e-8)
    points = np.array([[0.0, 2.0], [0.3, 1.0], [1.1, 1.5], [3.0, 1.0]])
    np.testing.assert_allclose(space.at(points, 1) @ state, points[:, 0] ** 3 * points[:, 1] ** 2, atol=1e-9)


def test_a_derivative_jumps_at_a_knot_of_higher_multiplicity_and_nowhere_else() -> None:
    """A kink at a knot of multiplicity four, for which splines of degree four have no continuous slope."""
    axis = Axis(np.array([0.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0]), 4)
    assert axis.jumps.tolist() == [2.0]
    space = Space((axis,))
    state = space.nearest(lambda t: [np.abs(t - 2)])
    np.testing.assert_allclose(space.values(state, 0, (0,)), np.abs(axis.points - 2), atol=1e-9)
    lengths = np.repeat(axis.lengths, 3)
    slope = space.values(state, 0, (1,))
    np.testing.assert_allclose(slope[lengths > 0], np.sign(axis.points - 2)[lengths > 0], atol=1e-8)
    assert np.linalg.matrix_rank(axis.matrix(np.linspace(0, 4, 200))) == axis.size


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_lumped_squares_are_about_the_integral(order: int) -> None:
    axis = Axis(np.concatenate([[0, 0.01, 0.02, 0.04], np.linspace(0.06, 1, 60)]), 5)
    coefficients = np.linalg.lstsq(axis.matrix(axis.points), np.sin(4 * axis.points), rcond=None)[0]
    wanted = np.sum(axis.weights * (axis.matrix(axis.points, order) @ coefficients) ** 2)
    assert np.sum((axis.lumped(order) @ coefficients) ** 2) == pytest.approx(wanted, rel=0.02)


def test_a_field_along_time_number_by_number() -> None:
    axis = Axis(np.array([0.0, 0.5, 0.5, 2.0]), 4)
    coefficients = np.random.default_rng(0).normal(size=axis.size)
    along = axis.along(coefficients)
    at = np.array([-1.0, 0.0, 0.2, 0.5, 1.3, 2.0, 9.0])
    np.testing.assert_allclose([along(float(each)) for each in at], axis.matrix(at) @ coefficients, atol=1e-12)


def test_many_points_are_evaluated_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    axis, at = Axis(np.linspace(0, 1, 6), 5), np.random.default_rng(0).uniform(size=50)
    values, first = axis.local(at, 1)
    few = replace(FIELD, memory=replace(FIELD.memory, values=7))
    monkeypatch.setattr("pdescry.joint.field.axis.FIELD", few)
    again, same = axis.local(at, 1)
    np.testing.assert_array_equal(again, values)
    np.testing.assert_array_equal(same, first)


def test_entries_beyond_the_bands_make_more_bands() -> None:
    from scipy.sparse import csr_array

    matrix = csr_array(np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 0.0, 2.0]]))
    np.testing.assert_array_equal(banded(matrix, 2)[0], [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(banded(matrix, 1), banded(matrix, 2))
