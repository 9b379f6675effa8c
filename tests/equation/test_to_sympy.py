"""Every kind of term has its counterpart in sympy."""

from __future__ import annotations

import pytest

from pdescry import Equation
from pdescry.equation.to_sympy import to_sympy


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("u_t = 0.5*u_xx - u*u_x", "0.5*u_xx - u*u_x"),
        ("u_t = x*u_xx + sin(2*u) - u^3", "x*u_xx + sin(2*u) - u**3"),
        ("u_t = d_x(u*u_x)", "u*u_xx + u_x**2"),
        ("u_t = lap(u)", "u_xx + u_yy"),
        ("u_t = div(u^2)", "2*u*u_x + 2*u*u_y"),
        ("u_t = grad2(u)", "u_x**2 + u_y**2"),
    ],
)
def test_a_law_is_the_same_equation(text, right):
    sympy = pytest.importorskip("sympy")
    (found,) = to_sympy(Equation.parse(text))
    u = next(iter(found.lhs.atoms(sympy.core.function.AppliedUndef)))
    symbols = {symbol.name: symbol for symbol in u.args}
    names = {
        f"u_{axes}": u.diff(*(symbols[axis] for axis in axes)) for axes in ("x", "xx", "y", "yy") if axes[0] in symbols
    }
    expected = sympy.sympify(right, locals={"u": u, **names, **symbols})
    assert sympy.simplify(found.rhs.doit() - expected) == 0
    assert found.lhs == u.diff(symbols["t"])
