"""What can go wrong, each with a named outcome, a note or a refusal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pdescry import InputError
from pdescry.regression import STBLR, STOLS, BestSubset, SequentialRidge
from tests.regression.test_methods import every_method, fresh

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] - X[:, 2] + 0.01 * RNG.normal(size=60)


def said(model, *words: str) -> bool:
    return any(all(word in note for word in words) for note in model.notes_)


@pytest.mark.parametrize("method", [STBLR(100.0), STOLS(100.0), SequentialRidge(threshold=100.0)])
def test_every_term_pruned(method):
    model = method.fit(X, Y, np.ones_like(X))
    assert model.outcome_ == "nothing left"
    assert not model.support_.any()
    np.testing.assert_array_equal(model.predict(X), 0)
    assert model.path_[-1].dropped == ("x0", "x1", "x2")


@every_method
def test_a_left_side_of_zeros(method):
    model = fresh(method).fit(X, np.zeros(60))
    assert model.outcome_ == "nothing left"
    assert said(model, "left side is zero")


@every_method
def test_zero_columns_are_left_out_and_named(method):
    table = pd.DataFrame(np.column_stack([X, np.zeros(60)]), columns=["u", "u_x", "u_xx", "u_xxx"])
    model = fresh(method).fit(table, Y)
    assert said(model, "u_xxx is zero throughout")
    assert not model.support_[3]
    np.testing.assert_allclose(model.coef_, [*fresh(method).fit(X, Y).coef_.tolist(), 0.0])


@every_method
def test_constant_columns_are_columns_like_others(method):
    """The candidate 1: there is no intercept for it to collide with."""
    model = fresh(method).fit(np.column_stack([X, np.ones(60)]), Y + 3)
    assert model.support_.tolist() == [True, False, True, True]
    assert model.coef_[3] == pytest.approx(3, abs=0.02)


@every_method
def test_collinear_columns_are_told_which(method):
    table = pd.DataFrame(X, columns=["u", "u_x", "u_xx"]).assign(copy=lambda t: 2 * t.u - t.u_xx)
    model = fresh(method).fit(table, Y)
    note = next(note for note in model.notes_ if "combination" in note)
    assert all(name in note for name in ("u", "u_xx", "copy"))
    assert "u_x," not in note
    assert "u_x:" not in note
    np.testing.assert_allclose(model.predict(table), Y, atol=0.1)
    assert (model.outcome_ == "collinear") == (model.support_[[0, 2, 3]].all())


def test_outcome_of_collinear_columns():
    twice = np.column_stack([X[:, 0], X[:, 0]])
    assert STBLR(0.1).fit(twice, X[:, 0]).outcome_ == "collinear"
    np.testing.assert_allclose(STOLS(0.1).fit(twice, X[:, 0]).coef_, [0.5, 0.5])  # the shortest of many answers
    one = BestSubset().fit(twice, X[:, 0])
    assert one.outcome_ == "fitted"
    assert one.support_.sum() == 1


@every_method
def test_fewer_rows_than_columns(method):
    model = fresh(method).fit(RNG.normal(size=(3, 6)), RNG.normal(size=3))
    assert said(model, "fewer rows (3) than columns (6)")
    assert (model.outcome_ == "underdetermined") == (model.support_.sum() > 3)
    assert np.isfinite(model.coef_).all()


def test_outcome_of_fewer_rows_than_terms():
    assert STOLS(0.0).fit(RNG.normal(size=(3, 6)), RNG.normal(size=3)).outcome_ == "underdetermined"


def test_zero_variance_in_a_column():
    variance = np.column_stack([np.zeros(60), RNG.uniform(1, 2, (60, 2))])
    model = STBLR(0.1).fit(X, Y, variance)
    assert said(model, "variance of x0 is zero")
    without = STBLR(0.1).fit(X, Y, np.column_stack([np.full(60, 1e-300), variance[:, 1:]]))
    assert model.support_.tolist() == without.support_.tolist() == [True, False, True]


def test_rows_without_any_variance_do_not_outweigh_the_others():
    variance = RNG.uniform(1, 2, (60, 3))
    variance[:5] = 0
    model = STBLR(0.1).fit(X, Y, variance)
    assert said(model, "5 rows", "γ = 0")
    np.testing.assert_allclose(model.weights_[:5], model.weights_[5:].max())


def test_no_variance_anywhere_is_no_weighting():
    model = STBLR(0.1).fit(X, Y, np.zeros_like(X))
    assert said(model, "All variances are zero")
    np.testing.assert_array_equal(model.coef_, STBLR(0.1).fit(X, Y).coef_)


def test_a_variance_that_dominates_is_named():
    variance = np.column_stack([np.ones(60), np.r_[1.0, np.full(59, 1e-6)], np.r_[1.0, np.full(59, 1e-6)]])
    assert said(STBLR(0.1).fit(X, Y, variance), "variance of x0 makes up 97% of γ")


def test_weights_that_leave_few_rows_are_told():
    variance = np.ones_like(X)
    variance[:4] = 1e-6
    assert said(STBLR(0.1).fit(X, Y, variance), "about 4 of 60 rows")


def test_coefficients_near_the_tolerance_are_told():
    assert said(STBLR(0.0).fit(X, 1e-4 * Y), "near the tolerance", "units")


@every_method
@pytest.mark.parametrize(
    ("table", "left", "variance", "match"),
    [
        (
            np.where(np.arange(180).reshape(60, 3) == 4, np.nan, X),
            Y,
            None,
            r"finite numbers in X.*1 .*row 1, column x1",
        ),
        (np.where(np.arange(180).reshape(60, 3) == 4, np.inf, X), Y, None, "finite numbers in X"),
        (X, np.where(np.arange(60) == 4, np.nan, Y), None, "y contains NaN"),
        (X, Y, np.full_like(X, np.nan), "finite numbers in variance"),
        (X, Y, -np.ones_like(X), "variances of 0 or more"),
        (X, Y, np.ones((60, 2)), r"shape of X, \(60, 3\); got \(60, 2\)"),
        (X, Y, np.ones_like(X) * 1j, "real numbers"),
        (X, Y, np.full(X.shape, "wide"), "real numbers"),
        (X + 0j, Y, None, "Complex"),
        (np.full(X.shape, "u"), Y, None, "string"),
        (X, Y[:-1], None, "inconsistent"),
        (X[:, 0], Y, None, "2D"),
        (X[:0], Y[:0], None, "0 sample"),
        (X * 1e200, Y, None, "x0 that are too large or too small"),
        (X * [1, 1e-200, 1], Y, None, "x1 that are too large or too small"),
        (X, Y * 1e200, None, "left side that are too large or too small"),
    ],
)
def test_refusals(method, table, left, variance, match):
    with pytest.raises(InputError, match=match) as refusal:
        fresh(method).fit(table, left, variance)
    assert str(refusal.value).startswith("Expected")


def test_predict_refuses_other_columns():
    with pytest.raises(InputError, match="2 features"):
        STOLS(0.1).fit(X, Y).predict(X[:, :2])
