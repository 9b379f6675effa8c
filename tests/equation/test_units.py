"""Change of units, checked on functions: if u solves the law, the rescaled u solves the rescaled law."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdescry.equation import Equation
from pdescry.equation.term import Function
from pdescry.errors import InputError

factors = st.floats(1e-3, 1e3)
LAW = "u_t = -u*u_x + 0.1*u_xx + 0.3*u^3 + 2*x*u_x - 0.5*d_x(u*u_x) + 0.7*sin(2*u) + 4"


@given(factors, factors, factors)
def test_every_coefficient_changes_by_its_own_power(a, c, b):
    changed = Equation.parse(LAW).rescaled(u=a, t=c, x=b)
    expected = Equation.parse("u_t = u*u_x + u_xx + u^3 + x*u_x + d_x(u*u_x) + 1")
    by_hand = {
        "u*u_x": -b / (a * c), "u_xx": 0.1 * b**2 / c, "u^3": 0.3 / (a**2 * c), "x*u_x": 2 / c,
        "d_x(u*u_x)": -0.5 * b**2 / (a * c), "1": 4 * a / c,
    }  # fmt: skip
    for term in expected.terms:
        assert changed.coefficients[term] == pytest.approx(by_hand[str(term)], rel=1e-12)
    (sine,) = [term for term in changed.terms if "sin" in str(term)]
    factor = sine.factors[0][0]
    assert isinstance(factor, Function)
    assert factor.scale == pytest.approx(2 / a)
    assert changed.coefficients[sine] == pytest.approx(0.7 * a / c)


@given(factors, factors, factors)
def test_there_and_back(a, c, b):
    law = Equation.parse(LAW)
    back = law.rescaled(u=a, t=c, x=b).rescaled(u=1 / a, t=1 / c, x=1 / b)
    assert len(back.terms) == len(law.terms)
    for (term, coefficient), (again, same) in zip(law.coefficients.items(), back.coefficients.items(), strict=True):
        assert same == pytest.approx(coefficient, rel=1e-12)
        for (factor, power), (other, same_power) in zip(term.factors, again.factors, strict=True):
            assert power == same_power
            if isinstance(factor, Function):
                assert isinstance(other, Function)
                assert other.scale == pytest.approx(factor.scale, rel=1e-12)
            else:
                assert factor == other


def test_a_known_solution_stays_one():
    # u = exp(-k² D t) sin(kx) in the old units; in the new ones D becomes D·b²/c.
    law = Equation.parse("u_t = 0.1*u_xx").rescaled(x=100.0, t=60.0, u=3.0)
    ((_, diffusivity),) = law.coefficients.items()
    assert diffusivity == pytest.approx(0.1 * 100**2 / 60)


def test_decimal_factors_give_decimal_coefficients():
    law = Equation.parse("u_t = -u*u_x + 0.1*u_xx").rescaled(u=10, t=100, x=0.01)
    assert str(law) == "u_t = 1e-7*u_xx - 1e-5*u*u_x"


def test_overflow_and_underflow_are_told():
    with pytest.raises(InputError, match="too large"):
        Equation.parse("u_t = 1e300*u_xx").rescaled(x=1e9)
    with pytest.raises(InputError, match="too small"):
        Equation.parse("u_t = u^3").rescaled(u=1e200)


def test_second_order_in_time():
    assert Equation.parse("u_tt = 4*u_xx").rescaled(t=2.0) == Equation.parse("u_tt = u_xx")


def test_systems_mix_units():
    law = Equation.parse("u_t = v; v_t = u_xx").rescaled(u=10.0, v=2.0)
    assert law["u"].terms[0][1] == pytest.approx(5.0)
    assert law["v"].terms[0][1] == pytest.approx(0.2)


@pytest.mark.parametrize("bad", [{"q": 2.0}, {"u": 0.0}, {"x": -1.0}, {"t": math.inf}, {"u": "a"}])
def test_bad_factors_are_told(bad):
    with pytest.raises(InputError):
        Equation.parse("u_t = u_xx").rescaled(**bad)
