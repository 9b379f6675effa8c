"""Sums over axes that are one term: ``lap(u)``, ``div(u)``, ``grad2(u)``."""

from __future__ import annotations

import pytest

from pdescry.equation import Component, Equation, Term
from pdescry.equation.algebra import expand
from pdescry.errors import EquationError

PLANE = ("x", "y")


def opened(text: str, axes: tuple[str, ...] = PLANE) -> Equation:
    law = Equation.parse(f"u_t = {text}", axes)
    return Equation.of([Component.of("u", expand(law["u"].coefficients))])


@pytest.mark.parametrize(
    ("group", "means"),
    [
        ("lap(u)", "u_xx + u_yy"),
        ("u*lap(u)", "u*u_xx + u*u_yy"),
        ("lap(u^2)", "2*u*u_xx + 2*u_x^2 + 2*u*u_yy + 2*u_y^2"),
        ("grad2(u)", "u_x^2 + u_y^2"),
        ("u*div(u)", "u*u_x + u*u_y"),
        ("lap_xyz(u)", "u_xx + u_yy + u_zz"),
        ("lap(2*u + u^3)", "2*u_xx + 2*u_yy + 3*u^2*u_xx + 6*u*u_x^2 + 3*u^2*u_yy + 6*u*u_y^2"),
        ("d_x(lap(u))", "u_xxx + u_xyy"),
        ("grad2(3*u)", "9*u_x^2 + 9*u_y^2"),
    ],
)
def test_what_a_group_is_the_sum_of(group: str, means: str) -> None:
    assert opened(group, ("x", "y", "z")) == Equation.parse(f"u_t = {means}")


@pytest.mark.parametrize("text", ["0.1*lap(u) - u*div(u)", "grad2(u) + u*lap(u)", "lap_xyz(u)", "lap(u_t)", "lap(u)^2"])
def test_a_law_with_groups_prints_and_parses_back(text: str) -> None:
    law = Equation.parse(f"u_tt = {text}")
    assert Equation.parse(str(law)) == law
    assert "(" in law.to_latex()
    assert "lap(" in str(law) or "lap_xyz(" in str(law) or "div(" in str(law) or "grad2(" in str(law)


def test_over_one_axis_a_group_is_what_it_is_the_sum_of() -> None:
    assert Term.parse("lap(u)", axes=("x",)) == Term.parse("u_xx")


def test_a_group_is_priced_as_one_term() -> None:
    lap = Term.parse("u*lap(u)", axes=PLANE)
    assert (lap.degree, lap.order(), lap.order("y"), lap.axes) == (2, 2, 2, {"x", "y"})
    assert Term.parse("grad2(u)", axes=PLANE).degree == 2


def test_other_units_keep_a_group_where_axes_change_alike() -> None:
    law = Equation.parse("u_t = lap(u)")
    assert str(law.rescaled(x=2, y=2)) == "u_t = 4*lap(u)"
    assert set(map(str, law.rescaled(x=2)["u"].coefficients)) == {"u_xx", "u_yy"}


def test_what_is_no_group() -> None:
    with pytest.raises(EquationError, match="one term inside grad2"):
        Equation.parse("u_t = grad2(u + u^2)")
    with pytest.raises(EquationError, match="each axis once"):
        Equation.parse("u_t = lap_xx(u)")
    with pytest.raises(EquationError, match=r"Unknown function 'lab'.*lap"):
        Equation.parse("u_t = lab(u)")
