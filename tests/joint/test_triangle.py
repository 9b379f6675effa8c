"""The triangle is that of the full matrix, and keeps what its square would lose."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import LinAlgError
from scipy.sparse import csr_array, eye_array

from pdescry.joint.splines import MOMENTS, Axis, Space
from pdescry.joint.fit.factor import Triangle, triangle


def reduced(space: Space, seed: int = 0, scale: float = 1.0) -> tuple[Triangle, np.ndarray, np.ndarray]:
    """A triangle of random rows, the matrix and the other columns."""
    random = np.random.default_rng(seed)
    local = (space.x.degree + 1) * (space.t.degree + 1)
    rows = scale * random.normal(size=(space.x.n * space.t.n, MOMENTS**2, local))
    on_rows = random.normal(size=(*rows.shape[:2], 3))
    seen = space.at(random.uniform(0, 3, 40), random.uniform(1, 2, 40))
    sparse = csr_array(np.vstack([seen.toarray(), 0.1 * eye_array(space.n).toarray()]))
    on_sparse = random.normal(size=(40 + space.n, 3))
    full = np.zeros((rows.shape[0] * MOMENTS**2, space.n))
    for element, basis in enumerate(space._basis):
        full[element * MOMENTS**2 : (element + 1) * MOMENTS**2, basis] = rows[element]
    matrix = np.vstack([full, sparse.toarray()])
    others = np.vstack([on_rows.reshape(-1, 3), on_sparse])
    return triangle(space, rows, on_rows, sparse, on_sparse), matrix, others


@pytest.fixture(params=[(1, 1), (2, 5), (7, 3)])
def space(request: pytest.FixtureRequest) -> Space:
    n_x, n_t = request.param
    return Space(Axis(np.linspace(0, 3, n_x + 1), 5), Axis(np.linspace(1, 2, n_t + 1), 4), (4, 1))


def test_it_is_that_of_the_full_matrix(space: Space) -> None:
    found, matrix, others = reduced(space)
    right = np.random.default_rng(3).normal(size=(space.n, 2))
    square = matrix.T @ matrix
    np.testing.assert_allclose(found.solve(found.solve_transposed(right)), np.linalg.solve(square, right), rtol=1e-8)
    assert found.log_determinant == pytest.approx(np.linalg.slogdet(square)[1])
    nearest, *_ = np.linalg.lstsq(matrix, others, rcond=None)
    np.testing.assert_allclose(found.solve(found.right), nearest, rtol=1e-7, atol=1e-9)
    left = others - matrix @ nearest
    np.testing.assert_allclose(found.rest.T @ found.rest, left.T @ left, rtol=1e-8, atol=1e-9)


def test_small_rows_are_not_lost_beside_large_ones() -> None:
    """Rows 1e10 times the others, of fewer dimensions: squared, the others would be rounded away."""
    space = Space(Axis(np.linspace(0, 3, 3), 5), Axis(np.linspace(1, 2, 3), 4), (4, 1))
    rows = np.zeros((4, MOMENTS**2, 30))
    rows[:, 0, :] = 1e10  # of the sum of an element's coefficients only
    sparse = csr_array(eye_array(space.n))
    random = np.random.default_rng(5)
    wanted = random.normal(size=(space.n, 1))
    on_rows = 1e10 * np.stack([wanted[basis].sum(axis=0) for basis in space._basis])[:, None] * np.eye(4)[0][:, None]
    found = triangle(space, rows, on_rows, sparse, wanted)
    np.testing.assert_allclose(found.solve(found.right), wanted, atol=1e-5)


def test_an_undetermined_field_is_told() -> None:
    space = Space(Axis(np.linspace(0, 3, 3), 5), Axis(np.linspace(1, 2, 3), 4), (4, 1))
    nothing = csr_array((1, space.n))
    with pytest.raises(LinAlgError, match="not determined"):
        triangle(space, np.zeros((4, 4, 30)), np.zeros((4, 4, 1)), nothing, np.zeros((1, 1)))
