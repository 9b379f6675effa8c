"""Errors of laws, against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from pdescry.equation import Equation, Term
from pdescry.errors import InputError
from pdescry.metrics import coefficient_error, solution_error, true_positive_rate

TRUTH = Equation.parse("u_t = 0.1*u_xx - u*u_x")
NAMES = ("u", "u_x", "u_xx", "u*u_x", "u^2")


@st.composite
def laws(draw: st.DrawFn) -> Equation:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    numbers = st.floats(-10, 10).filter(lambda value: abs(value) > 1e-6)
    return Equation.from_terms({Term.parse(name): draw(numbers) for name in names}, "u")


BY_HAND = {
    "both a little off": ("u_t = 0.13*u_xx - 0.96*u*u_x", 0.05),
    "one is missing": ("u_t = -u*u_x", 0.1),
    "one too many": ("u_t = 0.1*u_xx - u*u_x + 0.5*u", 0.5),
    "nothing in common": ("u_t = 2*u_x", math.sqrt(4 + 1 + 0.01)),
    "no term at all": ("u_t = 0", math.sqrt(1.01)),
}


@pytest.mark.parametrize(("law", "error"), BY_HAND.values(), ids=BY_HAND)
def test_e_c_by_hand(law, error):
    assert coefficient_error(Equation.parse(law), TRUTH) == pytest.approx(error, rel=1e-12)


def test_coefficients_of_two_fields_are_kept_apart():
    truth = Equation.parse("u_t = u_xx; v_t = 2*v_xx")
    assert coefficient_error(Equation.parse("u_t = u_xx + 2*v_xx; v_t = 2*v_xx"), truth) == 2
    assert coefficient_error(Equation.parse("u_t = 4*u_xx; v_t = 6*v_xx"), truth) == 5


@given(laws(), laws(), laws())
def test_e_c_is_a_metric(one, two, three):
    assert coefficient_error(one, one) == 0
    assert coefficient_error(one, two) == coefficient_error(two, one)
    assert (coefficient_error(one, two) == 0) == (one == two)
    around = coefficient_error(one, three) + coefficient_error(three, two)
    assert coefficient_error(one, two) <= around * (1 + 1e-12)


RATES = {
    "exactly right, whatever the numbers": ("u_t = 7*u_xx + u*u_x", 1.0),
    "one missing": ("u_t = u*u_x", 1 / 2),
    "one too many": ("u_t = u_xx + u*u_x + u", 2 / 3),
    "one missing and two too many": ("u_t = u_xx + u + u^2", 1 / 4),
    "all wrong": ("u_t = u", 0.0),
    "no term at all": ("u_t = 0", 0.0),
}


@pytest.mark.parametrize(("law", "rate"), RATES.values(), ids=RATES)
def test_true_positive_rate_by_hand(law, rate):
    assert true_positive_rate(Equation.parse(law), TRUTH) == rate


def field(values: list[list[float]]) -> xr.DataArray:
    times, places = np.arange(len(values)) * 0.5, np.arange(len(values[0]))
    return xr.DataArray(np.array(values, float), {"t": times, "x": places}, ("t", "x"))


def test_e_l_by_hand():
    error = solution_error(field([[1, 2, 3], [4, 5, 6]]), field([[1, 2, 0], [4, 1, 6]]))
    assert error.total == 5
    assert error.per_point == pytest.approx(5 / math.sqrt(6))
    assert error.per_point_until == pytest.approx(error.per_point)
    assert error.until == 0.5


def test_a_solution_that_ends_early_has_no_e_l_but_one_up_to_there():
    broken = field([[1, 1], [3, 1], [math.nan, 1], [5, 5]])
    error = solution_error(broken, field([[1, 1], [1, 1], [1, 1], [1, 1]]))
    assert math.isnan(error.total)
    assert math.isnan(error.per_point)
    assert error.until == 0.5
    assert error.per_point_until == 1  # one of four values is 2 off


def test_what_was_never_solved_is_nan():
    error = solution_error(field([[math.nan, 1], [1, 1]]), field([[1, 1], [1, 1]]))
    assert all(math.isnan(each) for each in (error.total, error.per_point, error.until, error.per_point_until))


def test_equal_solutions_have_no_error():
    assert solution_error(field([[1, 2]]), field([[1, 2]])).total == 0


def test_two_grids_are_refused():
    with pytest.raises(InputError, match="at the same times and places"):
        solution_error(field([[1, 2]]), field([[1, 2, 3]]))
