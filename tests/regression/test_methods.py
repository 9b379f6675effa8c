"""What all methods promise, run over the registry: a method added there is tested as the others are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from pdescry import InputError
from pdescry.regression import REGRESSORS, STBLR, STOLS, BestSubset, Greedy, SparseRegressor

NEEDED = {"stblr": {"threshold": 0.1}, "stols": {"threshold": 0.1}}
METHODS = {name: make(**NEEDED.get(name, {})) for name, make in REGRESSORS.items()} | {"bic": BestSubset("bic")}
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def fresh(method: SparseRegressor) -> Any:
    return clone(method)


def planted(seed: int, noise: float = 0.05, rows: int = 200, columns: int = 7):
    """A law of two or three of seven columns, coefficients well above any threshold."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) @ (np.eye(columns) + 0.2 * rng.normal(size=(columns, columns)))
    truth = np.zeros(columns)
    places = rng.choice(columns, rng.integers(2, 4), replace=False)
    truth[places] = rng.choice([-1, 1], len(places)) * rng.uniform(1.0, 2.0, len(places))
    variance = rng.uniform(0.5, 2.0, X.shape)
    return X, X @ truth + noise * rng.normal(size=rows), variance, truth


@parametrize_with_checks(list(METHODS.values()))
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@every_method
@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_recovers_planted_support(method, seed):
    """Exactly without noise; with it the law is found always, and at times a column of noise along with it."""
    X, y, variance, truth = planted(seed, noise=0.0)
    model = fresh(method).fit(X, y, variance)
    np.testing.assert_array_equal(model.support_, truth != 0)
    np.testing.assert_allclose(model.coef_, truth, atol=1e-3)
    assert model.outcome_ == "fitted"
    X, y, variance, truth = planted(seed, noise=0.05)
    model = fresh(method).fit(X, y, variance)
    assert model.support_[truth != 0].all()
    np.testing.assert_allclose(model.coef_, truth, atol=0.05)


@every_method
def test_a_column_of_noise_is_seldom_kept(method):
    laws = [planted(seed) for seed in range(40)]
    extra = [(fresh(method).fit(*law[:3]).support_ & (law[3] == 0)).sum() for law in laws]
    assert np.sum(extra) <= 0.05 * np.sum([np.sum(truth == 0) for *_, truth in laws])


@every_method
@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_permutation_changes_only_the_order(method, seed):
    X, y, variance, _ = planted(seed, noise=1.0)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    one, other = fresh(method).fit(X, y, variance), fresh(method).fit(X[:, order], y, variance[:, order])
    np.testing.assert_array_equal(one.support_[order], other.support_)
    np.testing.assert_allclose(one.coef_[order], other.coef_, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(one.sigma_[np.ix_(order, order)], other.sigma_, rtol=1e-6, atol=1e-12)


@every_method
@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), powers=st.lists(st.floats(-4, 4), min_size=8, max_size=8))
def test_scaling_changes_only_the_scale(method, seed, powers):
    """Columns and left side in other units. An absolute threshold cannot promise that: there, all share one unit."""
    X, y, variance, _ = planted(seed, noise=1.0)
    scale, left = 10.0 ** np.array(powers[:7]), 10.0 ** powers[7]
    if not method.scale_free:
        # One factor for all leaves the coefficients as they are, from nano to giga.
        scale, left = np.full(7, 10.0 ** (2 * powers[0])), 10.0 ** (2 * powers[0])
    one, other = fresh(method).fit(X, y, variance), fresh(method).fit(X * scale, y * left, variance * scale**2)
    np.testing.assert_array_equal(one.support_, other.support_)
    np.testing.assert_allclose(one.coef_, other.coef_ * scale / left, rtol=1e-6, atol=1e-6 * np.abs(one.coef_).max())


@pytest.mark.parametrize("method", [STBLR(0.1), STOLS(0.1)])
def test_an_absolute_threshold_is_not_scale_free(method):
    """Why the property above is not claimed: in other units a coefficient falls below the threshold."""
    X, y, _, truth = planted(0)
    assert not type(method).scale_free
    scale = np.where(np.arange(7) == np.argmax(np.abs(truth)), 1000.0, 1.0)
    assert fresh(method).fit(X * scale, y).support_.sum() < fresh(method).fit(X, y).support_.sum()


@every_method
def test_scores_predicts_and_looks_back(method):
    X, y, variance, truth = planted(5)
    model = fresh(method).fit(X, y, variance)
    assert model.score(X, y) > 0.99
    np.testing.assert_allclose(model.predict(X), X @ model.coef_)
    assert model.intercept_ == 0.0
    assert model.path_
    assert all(np.isfinite(step.evidence) and len(step.columns) == len(step.coefficients) for step in model.path_)
    assert np.all(np.diag(model.sigma_)[truth != 0] > 0)
    np.testing.assert_array_equal(np.diag(model.sigma_)[truth == 0], 0)
    assert (model.weights_ > 0).all()
    assert model.weights_.shape == y.shape


@pytest.mark.parametrize("method", [Greedy(), BestSubset(), BestSubset("bic")])
def test_noise_alone_leaves_little(method):
    """A left side that no column explains: of 140 columns of noise few are taken for real."""
    rng = np.random.default_rng(8)
    kept = [fresh(method).fit(rng.normal(size=(500, 7)), rng.normal(size=500)).support_.sum() for _ in range(20)]
    assert np.sum(kept) <= 4


def test_greedy_drops_what_it_no_longer_needs():
    """x0 ≈ x1 + x2 explains most at first; once both are in, it is dropped again."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 500))
    X = np.column_stack([a + b + 0.3 * rng.normal(size=500), a, b])
    model = Greedy().fit(X, a + b + 0.01 * rng.normal(size=500))
    assert model.path_[0].added == ("x0",)
    assert [step.dropped for step in model.path_][-1] == ("x0",)
    assert model.support_.tolist() == [False, True, True]
    assert np.all(np.diff([step.evidence for step in model.path_]) > 0)


def test_best_subset_finds_what_greedy_cannot():
    """Two columns that explain together and hardly alone, and a decoy: every choice is scored."""
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 300))
    X = np.column_stack([a, a + 0.05 * b, rng.normal(size=(300, 3))])
    model = BestSubset().fit(X, b + 0.01 * rng.normal(size=300))
    assert model.support_.nonzero()[0].tolist() == [0, 1]
    np.testing.assert_allclose(model.coef_[:2], [-20, 20], rtol=0.01)
    assert [len(step.columns) for step in model.path_] == [1, 2, 3, 4, 5]


def test_best_subset_refuses_more_than_it_can_try():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match=r"at most 16 .* got 17; .*Greedy"):
        BestSubset().fit(rng.normal(size=(50, 17)), rng.normal(size=50))
    assert BestSubset().fit(X := rng.normal(size=(50, 16)), X[:, 3]).support_.nonzero()[0].tolist() == [3]


@every_method
@pytest.mark.parametrize("bad", [-0.1, np.nan, np.inf, "much", None, True])
def test_parameters_are_refused_at_fit(method: SparseRegressor, bad):
    numbers = [name for name in method.get_params() if name not in ("doubling", "criterion")]
    for name in numbers:
        model = fresh(method).set_params(**{name: bad})
        with pytest.raises(InputError, match=rf"Expected the {name} of .* got .*; pass"):
            model.fit(np.eye(3), np.ones(3))


def test_unknown_criterion():
    with pytest.raises(InputError, match="'evidence' or 'bic'; got 'aic'"):
        BestSubset("aic").fit(np.eye(3), np.ones(3))
