from __future__ import annotations

import pytest

from pdescry.equation import Equation

LAW = Equation.parse("u_t = -u*u_x + 1e-7*u_xx - u_x^2 + d_x(u^2) + sin(2*u) - 0.5")


def test_unicode():
    assert Equation.parse("u_t = u*u_x").to_unicode() == "uₜ = u·uₓ"
    assert Equation.parse("u_t = -u^12*u_xy").to_unicode() == "uₜ = −u¹²·u_xy"
    assert LAW.to_unicode() == "uₜ = −0.5 + sin(2·u) + ∂ₓ(u²) + 1e-7·uₓₓ − u·uₓ − uₓ²"


def test_latex():
    assert LAW.to_latex() == (
        r"u_{t} = -0.5 + \sin\left(2\,u\right) + \partial_{x}\!\left(u^{2}\right) + 1\times10^{-7}\,u_{xx}"
        r" - u\,u_{x} - \left(u_{x}\right)^{2}"
    )
    assert Equation.parse("temp_t = temp_xx").to_latex() == r"\mathrm{temp}_{t} = \mathrm{temp}_{xx}"


def test_latex_is_understood_by_a_typesetter():
    from matplotlib.mathtext import MathTextParser

    MathTextParser("path").parse(f"${LAW.to_latex()}$".replace(r"\!", ""))


@pytest.mark.parametrize(("digits", "shown"), [(3, "u_t = 0.333*u_xx"), (None, "u_t = 0.3333333333333333*u_xx")])
def test_digits(digits, shown):
    assert Equation.parse("u_t = u_xx/3").to_text(digits) == shown


def test_large_numbers_are_short():
    assert str(Equation.parse("u_t = 1e12*u_xx + 1200*u + 0.00001")) == "u_t = 1e-5 + 1200*u + 1e12*u_xx"


def test_what_rounds_to_one_is_left_out():
    assert Equation.parse("u_t = 0.999999*u_xx").to_text(digits=3) == "u_t = u_xx"


def test_notebooks_show_the_law_typeset():
    assert Equation.parse("u_t = u")._repr_latex_() == "$u_{t} = u$"
