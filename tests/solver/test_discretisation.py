"""What the time stepper is handed: spectra where they should be, and a Jacobian that is the derivative of the rate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pdescry.equation import Equation
from pdescry.solver.boundary import read_boundary
from pdescry.solver.discretisation import Discretisation


def on_an_interval(law: Equation, ends: tuple[float, float], boundary: Any, points: int) -> Discretisation:
    conditions = read_boundary(boundary, law, {"x": ends}, 1.0)
    return Discretisation(law, {"x": ends}, conditions, {"x": points})


WELL_POSED = {
    "u_xx, Dirichlet": ("u_t = u_xx", "dirichlet"),
    "u_xx, Neumann": ("u_t = u_xx", "neumann"),
    "-u_xxxx, clamped": ("u_t = -u_xxxx", "dirichlet"),
    "-u_xxxx, insulated": ("u_t = -u_xxxx", "neumann"),
    "-u_xxx": ("u_t = -u_xxx", {"left": "u=0", "right": "u=0, u_x=0"}),
    "-u_x": ("u_t = -u_x", {"left": "u=0", "right": "free"}),
    "-u_xxx, periodic": ("u_t = -u_xxx", "periodic"),
}


@pytest.mark.parametrize("points", [25, 49, 97, 193])
@pytest.mark.parametrize("name", WELL_POSED)
def test_no_mode_of_a_well_posed_law_grows(name, points):
    text, boundary = WELL_POSED[name]
    law = Equation.parse(text)
    grid = on_an_interval(law, (-1.0, 1.0), boundary, points)
    modes = np.linalg.eigvals(np.asarray(grid.jacobian(0.0, np.zeros(points))))
    assert modes.real.max() < 1e-12 * np.abs(modes).max()


@pytest.mark.parametrize(
    "text",
    [
        "u_t = -u*u_x + 0.1*u_xx + x*u_x^2 + sin(2*u) - t*u^3",
        "u_tt = u_xx*u - 0.1*u_t + exp(-u)*u_tx",
        "u_t = v*u_xx + tanh(v); v_t = u*v_x - cos(u)",
    ],
)
def test_the_jacobian_is_the_derivative_of_the_rate(text):
    law = Equation.parse(text)
    grid = on_an_interval(law, (0.0, 2.0), "periodic", 15)
    random = np.random.default_rng(1)
    y, direction = random.uniform(-1, 1, (2, len(grid.blocks) * 15))
    step = 1e-6
    difference = (grid.rate(0.7, y + step * direction) - grid.rate(0.7, y - step * direction)) / (2 * step)
    np.testing.assert_allclose(grid.jacobian(0.7, y) @ direction, difference, rtol=1e-6, atol=1e-5)
