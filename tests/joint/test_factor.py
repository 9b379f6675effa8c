"""The banded factor against dense matrices: solutions, the determinant, and the inverse at near and far rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import LinAlgError
from scipy.sparse import csr_array

from pdescry.joint.fit.experiment import banded
from pdescry.joint.fit.factor import Factor
from pdescry.joint.fit.options import FIT

FEW = FIT.memory.single_columns
sizes = st.tuples(st.integers(1, 40), st.integers(0, 12), st.integers(1, 30), st.integers(0, 3))
Size = tuple[int, int, int, int]
quickly = settings(max_examples=60, deadline=None)


def made(n: int, band: int, block: int, less: int = 0, seed: int = 0) -> tuple[Factor, np.ndarray]:
    """A factor and the matrix that it is of, positive definite with so many bands, less so many rows' squares."""
    random, band = np.random.default_rng(seed), min(band, n - 1)
    half = np.triu(np.tril(random.normal(size=(n, n)), band))
    half[np.diag_indices(n)] = 1 + np.abs(half[np.diag_indices(n)])
    matrix = half.T @ half
    rows = random.normal(size=(less, n))
    taken = np.einsum("gi,ij,gj->g", rows, np.linalg.inv(matrix), rows)
    rows /= np.sqrt(2 * max(less, 1) * taken)[:, None]
    return Factor(banded(csr_array(matrix), band), block, csr_array(rows)), matrix - rows.T @ rows


@quickly
@given(sizes, st.sampled_from([1, FEW, FEW + 1, 3 * FEW]))
def test_it_solves(size: Size, columns: int) -> None:
    factor, matrix = made(*size)
    right = np.random.default_rng(1).normal(size=(size[0], columns))
    close = {"rtol": 1e-6, "atol": 1e-8 * np.linalg.cond(matrix)}
    np.testing.assert_allclose(factor.solve(right), np.linalg.solve(matrix, right), **close)


def test_draws_have_the_covariance_of_the_inverse() -> None:
    factor, matrix = made(8, 2, 3, 2)
    found = np.cov(factor.draws(np.random.default_rng(0), 200_000))
    inverse = np.linalg.inv(matrix)
    np.testing.assert_allclose(found, inverse, atol=0.02 * np.abs(inverse).max())


@quickly
@given(sizes)
def test_the_determinant(size: Size) -> None:
    factor, matrix = made(*size)
    assert factor.log_determinant == pytest.approx(np.linalg.slogdet(matrix)[1], abs=1e-6)


@quickly
@given(sizes, st.integers(0, 2**32 - 1))
def test_the_inverse_at_near_and_far_rows(size: Size, seed: int) -> None:
    factor, matrix = made(*size)
    n, random = size[0], np.random.default_rng(seed)
    inverse = np.linalg.inv(matrix)
    first = int(random.integers(n))
    near = np.zeros((3, n))
    near[:, first : first + factor.block + 1] = random.normal(size=(3, min(factor.block + 1, n - first)))
    far = np.zeros((2, n))
    far[0, 0], far[1, -1] = 1.0, 2.0
    for rows in (near, far, random.normal(size=(4, n))):
        found = factor.covariance(csr_array(rows))
        np.testing.assert_allclose(found, rows @ inverse @ rows.T, rtol=1e-6, atol=1e-8 * np.abs(inverse).max())
        np.testing.assert_allclose(found, found.T)


@quickly
@given(sizes, st.integers(0, 2**32 - 1))
def test_variances_of_near_rows(size: Size, seed: int) -> None:
    factor, matrix = made(*size)
    n, random = size[0], np.random.default_rng(seed)
    rows = np.zeros((5, n))
    for row in (rows[k] for k in (0, 1, 3, 4)):  # one sees nothing
        first = int(random.integers(n))
        row[first : first + factor.block] = random.normal(size=min(factor.block, n - first))
    inverse = np.linalg.inv(matrix)
    wanted = np.diag(rows @ inverse @ rows.T)
    np.testing.assert_allclose(factor.variances(csr_array(rows)), wanted, rtol=1e-6, atol=1e-8 * np.abs(inverse).max())


def test_rows_without_entries_have_no_covariance() -> None:
    factor, _ = made(9, 2, 3)
    assert not factor.covariance(csr_array((2, 9))).any()
    assert not factor.variances(csr_array((2, 9))).any()


@pytest.mark.parametrize("entry", [0.0, -1.0, np.nan])
def test_what_is_not_determined_is_told(entry: float) -> None:
    with pytest.raises(LinAlgError, match="not determined"):
        Factor(np.array([[0.0, 0.5, 0.5], [1.0, entry, 1.0]]), 2)


@pytest.mark.parametrize("columns", [1, FEW + 1])
def test_a_solution_that_is_not_finite_is_told(columns: int) -> None:
    factor, _ = made(9, 2, 3)
    with np.errstate(all="ignore"), pytest.raises(LinAlgError, match="singular"):
        factor.solve(np.full((9, columns), np.inf))
