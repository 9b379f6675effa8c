"""Ill-posed around a state, whatever the boundary conditions."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry.equation import Equation
from pdescry.equation.term import Factor
from pdescry.solver import is_ill_posed
from pdescry.solver.linearise import opened, variables_of

SPAN = {"t": (0.0, 1.0), "x": (0.0, 2 * np.pi)}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("u_t = u_xx", False),
        ("u_t = -0.1*u_xx", True),
        ("u_t = 0.1*u_xxxx", True),
        ("u_t = -u_xxxx + u_xx", False),
        ("u_t = -u_xxx - u*u_x", False),
        ("u_t = d_x(u*u_x)", False),  # around u = 1
        ("u_t = -d_x(u*u_x)", True),
        ("u_t = u*(1 - u)", False),
        ("u_tt = u_xx", False),
        ("u_tt = -u_xx", True),
        ("u_t = u_xx - v; v_t = u - v", False),
        ("u_t = u_xx - v; v_t = u - v_xx", True),
    ],
)
def test_around_one(text, wrong):
    equation = Equation.parse(text)
    rng = np.random.default_rng(0)
    values: dict[Factor, np.ndarray] = {
        variable: rng.normal(1.0, 0.1, 200) for variable in variables_of(opened(equation))
    }
    assert is_ill_posed(equation, values, SPAN) is wrong


def test_a_law_without_slopes():
    assert not is_ill_posed(Equation.parse("u_t = 1"), {}, SPAN)
