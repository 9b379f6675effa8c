"""The product rule, against what one would write by hand."""

from __future__ import annotations

import pytest

from pdescry.equation import Equation, Term
from pdescry.equation.algebra import expand, partial
from pdescry.equation.term import Derivative


def right(text: str) -> dict[Term, float]:
    return Equation.parse(f"u_t = {text}; v_t = 0").components[0].coefficients


@pytest.mark.parametrize(
    ("conservative", "expanded"),
    [
        ("d_x(u*u_x)", "u_x^2 + u*u_xx"),
        ("d_x(u^3)", "3*u^2*u_x"),
        ("d_xx(u^2)", "2*u_x^2 + 2*u*u_xx"),
        ("d_x(x*u_x)", "u_x + x*u_xx"),
        ("d_x(sin(2*u))", "2*cos(2*u)*u_x"),
        ("d_x(cos(u))", "-sin(u)*u_x"),
        ("d_x(exp(-u))", "-exp(-u)*u_x"),
        ("d_x(tanh(u))", "u_x - tanh(u)^2*u_x"),
        ("d_xy(u^2)", "2*u_x*u_y + 2*u*u_xy"),
        ("d_x(u*d_x(u^2))", "2*u*u_x^2 + 2*u*u_x^2 + 2*u^2*u_xx"),
        ("d_x(u^2)^2", "4*u^2*u_x^2"),
        ("d_x(u*v)", "u_x*v + u*v_x"),
    ],
)
def test_product_rule(conservative, expanded):
    assert expand(right(conservative)) == right(expanded)


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("u*u_x", "u_x"),
        ("u^3", "3*u^2"),
        ("sin(2*u)*u", "sin(2*u) + 2*u*cos(2*u)"),
        ("u_xx", "0"),
        ("exp(u)", "exp(u)"),
    ],
)
def test_partial_derivative_by_the_field(text, slope):
    assert partial(right(text), Derivative("u")) == right(slope)
