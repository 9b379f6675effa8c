"""STBLR and STOLS: algorithm 1 worked by hand, weights that must matter, agreement with scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import hadamard
from sklearn.linear_model import BayesianRidge, LinearRegression

from pdescry.regression import STBLR, STOLS, SequentialRidge
from pdescry.regression.weights import uncertainty

# Eight rows; columns at right angles, each of squared length 8, so that coefficients do not depend on one another.
H = hadamard(8).astype(float)


def by_hand(least_squares, square, residual, rows=8):
    """Bayesian ridge on orthogonal columns of one squared length: two scalars, ζ⁻² and θ⁻², to iterate."""
    noise, prior = 1.0, 1.0
    for _ in range(200):
        c = least_squares * square * noise / (square * noise + prior)
        used = len(c) * square * noise / (square * noise + prior)
        left = residual + square * np.sum((least_squares - c) ** 2)
        noise, prior = (rows - used) / left, used / np.sum(c**2)
    return least_squares * square * noise / (square * noise + prior)


def test_algorithm_1_by_hand():
    """y = 2·h₁ + 0.5·h₂ + 0.2·h₃ + 0·h₄ + 0.1·h₅, δ = 0.3: pass 1 drops h₃ and h₄, pass 2 (δ = 0.6) h₂, pass 3 none."""
    y = 2 * H[:, 1] + 0.5 * H[:, 2] + 0.2 * H[:, 3] + 0.1 * H[:, 5]
    model = STBLR(0.3).fit(H[:, 1:5], y)
    assert [step.threshold for step in model.path_] == [0.3, 0.6, 1.2]
    assert [step.columns for step in model.path_] == [("x0", "x1", "x2", "x3"), ("x0", "x1"), ("x0",)]
    assert [step.dropped for step in model.path_] == [("x2", "x3"), ("x1",), ()]
    expected = [
        by_hand(np.array([2, 0.5, 0.2, 0.0]), 8, 8 * 0.01),
        by_hand(np.array([2, 0.5]), 8, 8 * 0.05),
        by_hand(np.array([2.0]), 8, 8 * 0.30),
    ]
    for step, coefficients in zip(model.path_, expected, strict=True):
        np.testing.assert_allclose(step.coefficients, coefficients, atol=1e-3)
    # θ⁻² = (8 − 0.989) / 2.404 = 2.917 and ζ⁻² = 0.989 / 1.979² = 0.2527, so 2 shrinks to 2·8 / (8 + 0.2527/2.917).
    assert model.coef_[0] == pytest.approx(1.9786, abs=1e-4)
    np.testing.assert_array_equal(model.coef_[1:], 0)
    np.testing.assert_array_equal(model.support_, [True, False, False, False])
    assert np.count_nonzero(model.sigma_) == 1
    # Without doubling h₂ (0.5 > 0.3) stays.
    assert STBLR(0.3, doubling=False).fit(H[:, 1:5], y).support_.tolist() == [True, True, False, False]


def test_stols_by_hand():
    y = 2 * H[:, 1] + 0.5 * H[:, 2] + 0.2 * H[:, 3] + 0.1 * H[:, 5]
    model = STOLS(0.3).fit(H[:, 1:5], y)
    assert [step.dropped for step in model.path_] == [("x2", "x3"), ("x1",), ()]
    np.testing.assert_allclose(model.coef_, [2, 0, 0, 0])
    # Left over: 8·(0.25 + 0.04 + 0.01) = 2.4 over 7 degrees of freedom, divided by the squared length 8.
    assert model.sigma_[0, 0] == pytest.approx(2.4 / 7 / 8)


def test_gamma_is_recomputed_for_the_columns_that_are_left():
    """Variances (1, 2, 4) and (4, 2, 0): shares of the largest add up to 1.25, 1, 1; the first alone to ¼, ½, 1."""
    variance = np.array([[1.0, 4.0], [2.0, 2.0], [4.0, 0.0]])
    np.testing.assert_allclose(uncertainty(variance), [1.25, 1, 1])
    X = np.array([[1.0, 0.0], [1.0, 1e-3], [1.0, 0.0]])
    model = STBLR(0.5, doubling=False).fit(X, np.ones(3), variance)
    assert [step.gamma for step in model.path_] == [(1, 1, 1.25), (0.25, 0.5, 1)]
    np.testing.assert_allclose(model.weights_, [4, 2, 1])
    np.testing.assert_allclose(STBLR(0.5, 1.0, doubling=False).fit(X, np.ones(3), variance).weights_, [16, 4, 1])


def test_weighted_coefficient_by_hand():
    """Four rows say 2 with variance 1, four say 4 with variance 4: weights 4 and 1, mean (4·2 + 1·4)/5 = 2.4."""
    x = np.ones((8, 1))
    y, variance = np.repeat([2.0, 4.0], 4), np.repeat([1.0, 4.0], 4)[:, None]
    expected = by_hand(np.array([2.4]), 4 * 4 + 4 * 1, 4 * 4 * 0.4**2 + 4 * 1 * 1.6**2)
    np.testing.assert_allclose(STBLR(0.1).fit(x, y, variance).coef_, expected, atol=1e-3)
    assert STOLS(0.1).fit(x, y, variance).coef_[0] == pytest.approx(3.0)  # all rows alike, whatever their variance


@pytest.mark.parametrize("method", [STBLR(0.2), SequentialRidge(0.1)])
def test_weighting_recovers_the_law_under_corrupted_rows(method):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6))
    truth = np.array([0, 1.0, 0, -0.5, 0, 0])
    y = X @ truth + 0.01 * rng.normal(size=400)
    wrong = rng.random(400) < 0.3
    y[wrong] += 3 * X[wrong, 0] + rng.normal(size=wrong.sum())
    variance = np.where(wrong, 1.0, 1e-4)[:, None] * rng.uniform(0.5, 1.0, X.shape)
    weighted, alike = method.fit(X, y, variance).coef_, type(method)(**method.get_params()).fit(X, y).coef_
    np.testing.assert_allclose(weighted, truth, atol=0.02)
    assert abs(alike[0]) > 0.5


def test_threshold_zero_is_the_plain_regression():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    bayes, plain = BayesianRidge(fit_intercept=False).fit(X, y), LinearRegression(fit_intercept=False).fit(X, y)
    ours = STBLR(0).fit(X, y)
    np.testing.assert_allclose(ours.coef_, bayes.coef_)
    np.testing.assert_allclose(ours.sigma_, bayes.sigma_)
    np.testing.assert_allclose(STOLS(0.0).fit(X, y).coef_, plain.coef_)
    assert ours.support_.all()
    assert ours.outcome_ == "fitted"


def test_the_same_algorithm_on_a_field_of_our_own():
    """The paper's eleven terms of a Burgers-like field: u_t put together from them, noise in every entry."""
    rng = np.random.default_rng(3)
    x, t = rng.uniform(-3, 3, 3000), rng.uniform(0, 2, 3000)
    u, u_x, u_xx = (
        sum(a * k**n * np.sin(k * x + t + n * np.pi / 2) for k, a in ((1, 1.0), (2, 0.4))) for n in range(3)
    )
    u_xxx, u_xxxx = (sum(a * k**n * np.sin(k * x + t + n * np.pi / 2) for k, a in ((1, 1.0), (2, 0.4))) for n in (3, 4))
    X = np.column_stack([u, u_x, u_xx, u_xxx, u_xxxx, u * u_x, u * u_xx, u * u_xxx, u * u_xxxx, u**2, u_x**2])
    y = 0.1 * u_xx - u * u_x
    sd = 0.002 * (1 + 20 * (rng.random(3000) < 0.2))[:, None] * X.std(axis=0)
    noisy, left = X + sd * rng.normal(size=X.shape), y + sd[:, 0] * rng.normal(size=3000)
    model = STBLR(0.02).fit(noisy, left, sd**2)
    assert model.support_.nonzero()[0].tolist() == [2, 5]
    np.testing.assert_allclose(model.coef_[[2, 5]], [0.1, -1.0], atol=0.002)
    assert len(model.path_) >= 2
