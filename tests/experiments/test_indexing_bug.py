"""The indexing bug behind table 9, on designs whose outcome is plain."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry.equation import Equation, candidates
from pdescry.experiments.indexing_bug import stols_with_the_indexing_bug
from pdescry.regression import STOLS, DesignMatrix, regress

TERMS = candidates("paper")


def design(coefficients: dict[str, float]) -> DesignMatrix:
    X = np.random.default_rng(5).standard_normal((400, len(TERMS)))
    return DesignMatrix(TERMS, X, X @ np.array([coefficients.get(str(term), 0.0) for term in TERMS]))


def terms(law: Equation) -> list[str]:
    return [str(term) for term in law.terms]


def test_a_large_term_is_deleted_because_others_are_small():
    made = design({"u_xx": 2.0, "u_x^2": 0.5})
    assert terms(regress(made, STOLS(0.1)).equation) == ["u_xx", "u_x^2"]
    found = terms(stols_with_the_indexing_bug(made, 0.1))
    assert "u_xx" not in found
    assert found[-1] == "u_x^2"


def test_small_coefficients_cost_first_columns():
    """With nothing but the last term planted, every other column is small until it is alone."""
    found = stols_with_the_indexing_bug(design({"u_x^2": 0.5}), 0.1)
    assert {str(term): value for term, value in found.components[0].terms} == {"u_x^2": pytest.approx(0.5)}


def test_where_nothing_is_small_nothing_is_deleted():
    found = stols_with_the_indexing_bug(design({str(term): 1.0 for term in TERMS}), 0.1)
    assert len(terms(found)) == len(TERMS)


def test_it_may_delete_every_column():
    assert stols_with_the_indexing_bug(design({"u": 1.0}), 0.1) == Equation.parse("u_t = 0")
