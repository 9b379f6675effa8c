"""Splines reproduce polynomials with their derivatives, and banded sums of squares are those of the full matrices."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry.joint.splines import MOMENTS, Axis, Space


@pytest.fixture(scope="module")
def space() -> Space:
    return Space(Axis(np.array([0.0, 0.4, 1.1, 1.5, 3.0]), 5), Axis(np.array([1.0, 1.1, 1.5, 2.0]), 4), (4, 1))


def test_polynomials_and_their_derivatives_are_exact(space: Space) -> None:
    field = space.nearest(lambda x, t: np.outer(x**5 - x**2, t**4 + 1))
    x, t = space.x.points[:, None], space.t.points[None, :]
    np.testing.assert_allclose(space.values(field), (x**5 - x**2) * (t**4 + 1), rtol=1e-9)
    np.testing.assert_allclose(space.values(field, (3, 0)), 60 * x**2 * (t**4 + 1), rtol=1e-7)
    np.testing.assert_allclose(space.values(field, (0, 1)), (x**5 - x**2) * 4 * t**3, rtol=1e-8, atol=1e-8)


def test_the_field_at_scattered_places(space: Space) -> None:
    field = space.nearest(lambda x, t: np.outer(x**3, t**2))
    x, t = np.array([0.0, 0.3, 1.1, 2.9, 3.0]), np.array([2.0, 1.0, 1.5, 1.2, 1.0])
    np.testing.assert_allclose(space.at(x, t) @ field, x**3 * t**2, atol=1e-9)


def test_moments_square_to_the_mean_square_of_what_is_linear_in_each_element(space: Space) -> None:
    values = 2 + space.x.points[:, None] * space.t.points[None, :]
    assert np.sum(space.moments(values) ** 2) == pytest.approx(np.sum(space.area * values**2))


def test_products_are_those_of_the_full_matrix(space: Space) -> None:
    random = np.random.default_rng(0)
    shape = (len(space.x.points), len(space.t.points))
    operator = {(0, 1): random.normal(size=shape), (2, 0): random.normal(size=shape)}
    rows = space.rows(operator)
    matrix = np.zeros((rows.shape[0] * MOMENTS**2, space.n))
    for column in range(space.n):
        basis = np.eye(space.n)[column]
        applied = sum(factor * space.values(basis, orders) for orders, factor in operator.items())
        matrix[:, column] = space.moments(np.asarray(applied)).ravel()
    right = random.normal(size=(*rows.shape[:2], 3))
    np.testing.assert_allclose(space.pulled(rows, right), matrix.T @ right.reshape(-1, 3), atol=1e-9)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_lumped_squares_are_about_the_integral(order: int) -> None:
    axis = Axis(np.concatenate([[0, 0.01, 0.02, 0.04], np.linspace(0.06, 1, 60)]), 5)
    coefficients = np.linalg.lstsq(axis.matrix(axis.points), np.sin(4 * axis.points), rcond=None)[0]
    wanted = np.sum(axis.weights * (axis.matrix(axis.points, order) @ coefficients) ** 2)
    assert np.sum((axis.lumped(order) @ coefficients) ** 2) == pytest.approx(wanted, rel=0.02)
