"""What can go wrong, each with a named outcome, a note or a refusal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pdescry import InputError
from pdescry.notices import Notice
from pdescry.regression import STBLR, STOLS, BestSubset, Greedy, SequentialRidge
from pdescry.regression.weights import uncertainty
from tests.regression.test_methods import every_method, fresh

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] - X[:, 2] + 0.01 * RNG.normal(size=60)


def noted(model) -> list[str]:
    return [note.code for note in model.notes_]


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
    assert "left-side-zero" in noted(model)


@every_method
def test_zero_columns_are_left_out_and_named(method):
    table = pd.DataFrame(np.column_stack([X, np.zeros(60)]), columns=["u", "u_x", "u_xx", "u_xxx"])
    model = fresh(method).fit(table, Y)
    assert Notice.of("column-zero", term="u_xxx") in model.notes_
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
    told = next(note.parameters for note in model.notes_ if note.code == "column-combined")
    assert {told["term"], *told["others"]} == {"u", "u_xx", "copy"}
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
    assert Notice.of("few-rows", rows=3, columns=6) in model.notes_
    assert (model.outcome_ == "underdetermined") == (model.support_.sum() > 3)
    assert np.isfinite(model.coef_).all()


def test_outcome_of_fewer_rows_than_terms():
    assert STOLS(0.0).fit(RNG.normal(size=(3, 6)), RNG.normal(size=3)).outcome_ == "underdetermined"


def test_zero_variance_in_a_column():
    variance = np.column_stack([np.zeros(60), RNG.uniform(1, 2, (60, 2))])
    model = STBLR(0.1).fit(X, Y, variance)
    assert Notice.of("column-without-variance", term="x0") in model.notes_
    # It has no say: the weights are those of the other two.
    gamma = model.path_[0].gamma
    assert gamma is not None
    np.testing.assert_allclose(gamma, np.quantile(uncertainty(variance[:, 1:]), [0, 0.5, 1]))
    assert model.support_.tolist() == [True, False, True]


def test_rows_without_any_variance_do_not_outweigh_the_others():
    variance = RNG.uniform(1, 2, (60, 3))
    variance[:5] = 0
    model = STBLR(0.1).fit(X, Y, variance)
    assert Notice.of("rows-without-variance", rows=5) in model.notes_
    np.testing.assert_allclose(model.weights_[:5], model.weights_[5:].max())


def test_no_variance_anywhere_is_no_weighting():
    model = STBLR(0.1).fit(X, Y, np.zeros_like(X))
    assert "variances-zero" in noted(model)
    np.testing.assert_array_equal(model.coef_, STBLR(0.1).fit(X, Y).coef_)


def test_a_variance_that_dominates_is_named():
    variance = np.column_stack([np.ones(60), np.r_[1.0, np.full(59, 1e-6)], np.r_[1.0, np.full(59, 1e-6)]])
    assert "The variance of x0 makes up 97% of γ: it weights the rows alone." in map(
        str, STBLR(0.1).fit(X, Y, variance).notes_
    )


def test_weights_that_leave_few_rows_are_told():
    variance = np.ones_like(X)
    variance[:4] = 1e-6
    assert "few-rows-weighted" in noted(STBLR(0.1).fit(X, Y, variance))


def test_coefficients_near_the_tolerance_are_told():
    assert "near-tolerance" in noted(STBLR(0.0).fit(X, 1e-4 * Y))


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


@every_method
def test_columns_collinear_but_for_the_rounding_of_float32(method):
    """d_x(u·u_x) beside u·u_xx and u_x², averaged in float32: their sum differs by 1e-7, which is no fact."""
    table = pd.DataFrame(X.astype(np.float32).astype(float), columns=["u", "u_x", "u_xx"])
    table["sum"] = (table["u"].to_numpy(np.float32) + table["u_xx"].to_numpy(np.float32)).astype(float)
    model = fresh(method).fit(table, Y)
    assert any("sum" in str(note) for note in model.notes_ if note.code == "column-combined")
    assert np.abs(model.coef_).max() < 3
    assert (model.outcome_ == "collinear") == bool(model.support_[[0, 2, 3]].all())


def test_collinear_through_the_weights_alone_is_told_which():
    variance = np.ones((60, 3))
    variance[:2] = 1e-15
    model = STBLR(0.0, gamma_power=1.0).fit(pd.DataFrame(X, columns=["u", "u_x", "u_xx"]), Y, variance)
    assert model.outcome_ == "collinear"
    assert "column-combined" in noted(model)


def test_one_row_of_huge_variance_counts_for_nothing():
    X_, Y_ = X.copy(), Y.copy()
    Y_[0] += 1000.0
    variance = np.ones((60, 3))
    variance[0] = 1e18
    model = STBLR(0.1).fit(X_, Y_, variance)
    np.testing.assert_allclose(model.coef_, [1, 0, -1], atol=0.02)
    assert "rows-without-variance" not in noted(model)


def test_the_path_of_best_subset_holds_what_it_says():
    twice = np.column_stack([X[:, 0], X[:, 0], X[:, 1]])
    sizes = [len(step.columns) for step in BestSubset().fit(twice, X[:, 0]).path_]
    assert sizes == [1, 2]  # of three, two are the same: no choice of three says anything
    assert [len(step.columns) for step in BestSubset().fit(RNG.normal(size=(3, 6)), RNG.normal(size=3)).path_] == [1, 2]


@pytest.mark.parametrize("method", [Greedy(), BestSubset()])
def test_two_columns_that_explain_together_and_hardly_alone(method):
    """Newton's cooling of something near 300 K: u and 1 cancel but for what matters."""
    rng = np.random.default_rng(1)
    u = 300 + 10 * rng.standard_normal(500)
    y = -0.5 * (u - 300) + 0.05 * rng.standard_normal(500)
    model = method.fit(np.column_stack([np.ones(500), u, rng.standard_normal(500)]), y)
    assert model.support_.tolist() == [True, True, False]
    np.testing.assert_allclose(model.coef_[:2], [150, -0.5], rtol=0.01)


def test_a_table_of_variances_goes_by_its_names():
    table = pd.DataFrame(X, columns=["u", "u_x", "u_xx"])
    variance = pd.DataFrame(RNG.uniform(1, 2, (60, 3)), columns=table.columns)
    one, other = (STBLR(0.1).fit(table, Y, v) for v in (variance, variance[["u_xx", "u", "u_x"]]))
    np.testing.assert_array_equal(one.weights_, other.weights_)
    with pytest.raises(InputError, match="named as those of X"):
        STBLR(0.1).fit(table, Y, variance.rename(columns={"u": "v"}))


@pytest.mark.parametrize(
    ("method", "match"),
    [
        (STBLR(0.1, gamma_power=400), "4 or less"),
        (STBLR(0.1, doubling="no"), "True or False"),  # pyright: ignore[reportArgumentType]
        (STOLS(0.1, doubling=2), "True or False"),  # pyright: ignore[reportArgumentType]
        (BestSubset(["evidence"]), "criterion"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_settings_that_cannot_be_used(method, match):
    with pytest.raises(InputError, match=match):
        method.fit(X, Y)


def test_variances_beyond_all_ratios():
    variance = np.geomspace(1e-200, 1, 60)[:, None] * np.ones(3)
    with pytest.raises(InputError, match="lower gamma_power"):
        STBLR(0.1, gamma_power=1.0).fit(X, Y, variance)
