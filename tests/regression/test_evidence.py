"""The evidence against what defines it, a Gaussian density, maximised; subsets against plain least squares."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from pdescry.regression.evidence import Gram, evidence_of, log_bic, log_evidence


def test_is_the_density_of_y_at_its_maximum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    y = X @ [3.0, -2.0] + 0.2 * rng.normal(size=12)

    def negative(parameters):
        noise, g = np.exp(parameters)
        hat = X @ np.linalg.solve(X.T @ X, X.T)
        return -multivariate_normal(np.zeros(12), noise * (np.eye(12) + g * hat)).logpdf(y)

    best = minimize(negative, [-2.0, 4.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    assert np.exp(best.x[1]) > 12  # inside, not at the least g allowed
    np.testing.assert_allclose(evidence_of(X, y, np.ones(12)), -best.fun, atol=1e-6)
    # Under weights: rows are scaled, and the density is still that of y.
    w = rng.uniform(0.5, 2, 12)
    root = np.sqrt(w)
    expected = evidence_of(X * root[:, None], y * root, np.ones(12)) + np.log(root).sum()
    np.testing.assert_allclose(evidence_of(X, y, w), expected)
    # An overall factor of the weights says nothing.
    np.testing.assert_allclose(evidence_of(X, y, 7 * w), evidence_of(X, y, w))


def test_all_subsets_at_once_are_each_alone_and_least_squares():
    rng = np.random.default_rng(1)
    X, y, w = rng.normal(size=(30, 5)) * [1, 100, 1e-3, 1, 1], rng.normal(size=30), rng.uniform(0.1, 1, 30)
    gram = Gram.of(X, y, w)
    together = gram.unexplained_by_all()
    root = np.sqrt(w)
    for columns in chain.from_iterable(combinations(range(5), k) for k in range(6)):
        place = sum(1 << j for j in columns)
        part = X[:, list(columns)] * root[:, None]
        residual = y * root - part @ np.linalg.lstsq(part, y * root, rcond=None)[0]
        expected = np.sum(residual**2) / np.sum(w * y**2)
        np.testing.assert_allclose([together[place], gram.unexplained(columns)], expected, rtol=1e-9)
    # BIC by its definition, up to the sign and the factor of ½.
    noise = together[-1] * np.sum(w * y**2) / 30
    likelihood = -15 * np.log(2 * np.pi * noise) - 15 + np.log(root).sum()
    np.testing.assert_allclose(log_bic(gram, together[-1], 5), likelihood - 2.5 * np.log(30))


def test_no_evidence_for_collinear_columns_or_too_few_rows():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 20))
    gram = Gram.of(np.column_stack([a, b, a - b]), a, np.ones(20))
    together = gram.unexplained_by_all()
    assert np.isnan(together[7])
    assert np.isfinite(together[:7]).all()
    assert log_evidence(gram, together[7], 3) == -np.inf
    assert log_evidence(gram, 0.5, 20) == -np.inf


def test_noise_needs_more_than_luck():
    """A column of noise must cost: with g free it would enter the empty law whenever F > 1, a third of the time."""
    rng = np.random.default_rng(3)
    gains = []
    for _ in range(300):
        gram = Gram.of(rng.normal(size=(100, 1)), rng.normal(size=100), np.ones(100))
        gains.append(log_evidence(gram, gram.unexplained([0]), 1) - log_evidence(gram, 1.0, 0))
    assert np.mean(np.array(gains) > 0) < 0.06
