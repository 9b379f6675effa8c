"""A fit as JSON and back, for every method."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pdescry.equation import candidates
from pdescry.regression import REGRESSORS, STBLR, STOLS, DesignMatrix, regress
from pdescry.regression.storage import fit_from_dict, fit_to_dict


@pytest.fixture(scope="module")
def design() -> DesignMatrix:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 11))
    noise = 0.05 * rng.standard_normal((12, 50, 11))
    y = X[:, 2] * 0.1 - X[:, 5]
    rows = np.arange(50)
    return DesignMatrix(
        candidates("paper"), X, y, np.full(X.shape, 0.05**2), draws=X[rows] + noise, draws_left=y[rows] + noise[..., 0],
        rows=rows,
    )  # fmt: skip


@pytest.mark.parametrize("name", REGRESSORS)
def test_round_trip(name, design):
    method = REGRESSORS[name](0.01) if name in ("stblr", "stols") else REGRESSORS[name]()  # type: ignore[call-arg]
    fit = regress(design, method)
    table = json.loads(json.dumps(fit_to_dict(fit, REGRESSORS), allow_nan=False))
    again = fit_from_dict(table, ("u",), ("x",), REGRESSORS)
    assert repr(again) == repr(fit)
    assert again.path == fit.path
    assert again.terms == fit.terms
    np.testing.assert_array_equal(again.covariance, fit.covariance)
    assert again.table.equals(fit.table)
    assert again.equation == fit.equation
    assert again.method.get_params() == fit.method.get_params()


def test_nothing_left_and_no_draws(design):
    without = DesignMatrix(design.terms, design.X, design.y)
    for fit in (regress(design, STBLR(1e3)), regress(without, STOLS(0.05))):
        again = fit_from_dict(json.loads(json.dumps(fit_to_dict(fit, REGRESSORS))), ("u",), ("x",), REGRESSORS)
        assert repr(again) == repr(fit)
        assert (again.spread is None) == (fit.spread is None)
