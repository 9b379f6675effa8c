"""`DesignMatrix`, `regress` and `SparseFit`: from derivatives to a law in print."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from pdescry import InputError
from pdescry.derivatives import Derivatives
from pdescry.equation import Equation, Term
from pdescry.equation.term import Derivative
from pdescry.equation.with_spread import with_spread
from pdescry.notices import Notice
from pdescry.regression import STBLR, STOLS, DesignMatrix, Greedy, SparseFit, regress

TERMS = tuple(Term.parse(text) for text in ("1", "u", "u_xx", "u*u_x"))


def design(**changes: Any) -> DesignMatrix:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = 0.5 * X[:, 2] - X[:, 3] + 0.01 * rng.normal(size=200)
    draws = X[None, :50] + 0.05 * rng.normal(size=(40, 50, 4))
    left = y[None, :50] + 0.05 * rng.normal(size=(40, 50))
    values: dict[str, Any] = {
        "terms": TERMS, "X": X, "y": y, "variance": np.full(X.shape, 0.05**2),
        "draws": draws.astype(np.float32), "draws_left": left.astype(np.float32), "rows": np.arange(50),
    }  # fmt: skip
    return DesignMatrix(**{**values, **changes})


def test_regress_gives_a_law():
    method = STBLR(0.1)
    fit = regress(design(), method)
    assert isinstance(fit, SparseFit)
    assert fit.outcome == "fitted"
    assert set(fit.equation.coefficients) == {TERMS[2], TERMS[3]}
    assert fit.equation["u"].coefficients[TERMS[3]] == pytest.approx(-1, abs=0.01)
    assert fit.path[0].dropped == ("1", "u")
    assert np.isfinite(fit.evidence)
    # The estimator handed in is as it was; the fitted one is in the answer.
    assert not hasattr(method, "coef_")
    assert fit.method is not method
    assert fit.method.get_params() == method.get_params()


def test_the_same_whatever_was_fitted_before():
    method = STBLR(0.1).fit(np.eye(3), np.ones(3))
    before = method.coef_.copy()
    regress(design(), method)
    np.testing.assert_array_equal(method.coef_, before)


def test_table_has_a_row_for_each_candidate():
    fit = regress(design(), STBLR(0.1))
    table = fit.table.set_index("term")
    assert table.index.tolist() == ["1", "u", "u_xx", "u*u_x"]
    assert table.kept.tolist() == [False, False, True, True]
    assert table.loc["u", "coefficient"] == 0
    assert table.loc["u"].isna().sum() == 5
    kept = table.loc["u_xx"]
    assert kept.low < kept.coefficient < kept.high
    assert kept.low < kept.corrected < kept.high
    assert kept.honest_sd > kept.formal_sd
    without = regress(design(draws=None, draws_left=None, rows=None), STBLR(0.1))
    assert without.spread is None
    assert without.table.honest_sd.isna().all()
    assert "formal-without-draws" in [note.code for note in without.notes]


def test_prints_the_law_with_its_spread():
    fit = regress(design(), STBLR(0.1))
    law = repr(fit).split("\n")[0]
    assert law.startswith("u_t = 0.50")
    assert ")*u_xx - " in law
    assert ")*u*u_x (spread: honest), by STBLR(threshold=0.1), fitted" in law
    assert "formal, too narrow" in repr(regress(design(draws=None, draws_left=None, rows=None), STOLS(0.1)))
    covariance = np.diag([0, 0, 0.0021, 0.008]) ** 2
    known = replace(fit, coefficients=np.array([0, 0, 0.09853, -0.9971]), spread=None, covariance=covariance)
    assert repr(known).startswith("u_t = 0.0985(21)*u_xx - 0.9971(80)*u*u_x (")


def test_no_term_left():
    fit = regress(design(), STOLS(50.0))
    assert fit.outcome == "nothing left"
    assert fit.spread is None
    assert not fit.table.kept.any()
    assert "u_t = nothing is left, by STOLS" in repr(fit)
    with pytest.raises(InputError, match="at least one term; got none"):
        _ = fit.equation


def test_notes_name_terms_that_noise_dominates():
    fit = regress(design(variance=np.full((200, 4), [1e-4, 1e-4, 9.0, 1e-4])), Greedy())
    assert Notice.of("variance-exceeds-term", terms=["u_xx"]) in fit.notes


def test_a_second_order_law_of_another_field():
    v = (Term.parse("v", ("v",)), Term.parse("v_xx", ("v",)))
    X = np.random.default_rng(0).normal(size=(50, 2))
    fit = regress(DesignMatrix(v, X, 4 * X[:, 1], field="v", time_order=2), STOLS(0.1))
    assert fit.equation["v"].left == "v_tt"
    np.testing.assert_allclose(fit.equation.coefficients[v[1]], 4)


def test_a_law_that_speaks_of_other_fields():
    terms = (Term.parse("u", ("u", "v")), Term.parse("v", ("u", "v")))
    X = np.random.default_rng(0).normal(size=(50, 2))
    one = regress(DesignMatrix(terms, X, -X[:, 1]), STOLS(0.1))
    other = regress(DesignMatrix(terms, X, X[:, 0], field="v"), STOLS(0.1))
    system = Equation.of([one.component, other.component])
    np.testing.assert_allclose([system["u"].coefficients[terms[1]], system["v"].coefficients[terms[0]]], [-1, 1])


def sweep(n_fields: int = 2, **changes: Any) -> Derivatives:
    rng = np.random.default_rng(0)
    made = Derivatives(
        terms=tuple(Term.parse(text, ("u", "v")) for text in ("u", "v", "u_xx")),
        left=(Derivative("u", "t"), Derivative("v", "tt"))[:n_fields],
        inputs=("t", "x"),
        points=rng.normal(size=(10, 2)),
        mean=rng.normal(size=(10, 3)),
        variance=np.ones((10, 3)),
        left_mean=rng.normal(size=(10, n_fields)),
        left_variance=np.arange(10.0 * n_fields).reshape(10, n_fields),
        n_draws=100,
        draws=cast(Any, rng.normal(size=(6, 4, 3 + n_fields)).astype(np.float32)),
        rows=np.arange(0, 8, 2),
    )
    return replace(made, **changes)


def test_design_of_derivatives():
    made = sweep()
    found = DesignMatrix.of(made, "v")
    assert (found.field, found.time_order, found.left) == ("v", 2, "v_tt")
    np.testing.assert_array_equal(found.X, made.mean)
    np.testing.assert_array_equal(found.y, made.left_mean[:, 1])
    assert made.draws is not None
    np.testing.assert_array_equal(found.draws, made.draws[:, :, :3])
    np.testing.assert_array_equal(found.draws_left, made.draws[:, :, 4])
    assert found.draws is not None  # in the precision they came in
    assert found.draws.dtype == np.float32
    assert repr(found) == "DesignMatrix(v_tt from 3 terms at 10 points, 6 draws)"
    single = DesignMatrix.of(sweep(1, draws=None))
    assert (single.field, single.draws, single.rows) == ("u", None, None)
    for field in (None, "w"):
        with pytest.raises(InputError, match="one of the fields u, v"):
            DesignMatrix.of(made, field)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"terms": ()}, "candidate terms"),
        ({"terms": ("1", "u", "u_xx", "u*u_x")}, "candidate terms"),
        ({"terms": (*TERMS[:3], TERMS[0])}, "1 more than once"),
        ({"time_order": 3}, "order 1 or 2; got 3"),
        ({"X": np.ones((200, 3))}, r"X of shape \(200, 4\).*got \(200, 3\)"),
        ({"X": np.ones((0, 4)), "y": np.ones(0)}, "X of shape"),
        ({"X": np.full((200, 4), np.nan)}, r"finite numbers in X; got 800 .*first: nan at \(0, 0\)"),
        ({"X": np.full((200, 4), "a")}, "real numbers"),
        ({"X": np.ones((200, 4)) * 1j}, "real numbers"),
        ({"y": np.ones(199)}, "y of shape"),
        ({"y": np.full(200, np.inf)}, "finite numbers in y"),
        ({"variance": -np.ones((200, 4))}, "0 or more in variance"),
        ({"variance": np.ones(200)}, "variance of shape"),
        ({"draws": None}, "together"),
        ({"rows": None}, "together"),
        ({"rows": np.arange(50) + 180}, "from 0 to 199"),
        ({"rows": np.arange(50) / 2}, "from 0 to 199"),
        ({"rows": np.arange(49)}, r"draws of shape \(40, 49, 4\)"),
        ({"draws_left": np.ones((39, 50))}, "draws_left of shape"),
        ({"draws_left": np.full((40, 50), np.nan)}, "finite numbers in draws_left"),
    ],
)
def test_a_design_refuses_what_cannot_be_regressed(changes, match):
    with pytest.raises(InputError, match=match):
        design(**changes)


@pytest.mark.parametrize("method", ["stblr", STBLR, None])
def test_regress_wants_a_method_with_its_settings(method):
    with pytest.raises(InputError, match="such as STBLR"):
        regress(design(), method)
    with pytest.raises(InputError, match="DesignMatrix; got ndarray"):
        regress(np.eye(3), STBLR(0.1))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("value", "sd", "text"),
    [
        (0.0985, 0.0021, "0.0985(21)"),
        (0.985, 0.0999, "0.98(10)"),
        (-1234.0, 12.0, "(-1234 ± 12)"),
        (-12.0, 3.4, "-12.0(34)"),
        (1e-9, 1e-10, "(1e-09 ± 1e-10)"),
        (1.5, 0.0, "1.5"),
    ],
)
def test_coefficients_with_their_spread_in_few_characters(value, sd, text):
    assert with_spread(value, sd) == text
