"""How many conditions systems take at their ends, and on what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pdescry import Equation
from pdescry.solver import conditions_needed, simulate

WATER = "h_t = -h*v_x - v*h_x; v_t = -v*v_x - h_x"
VISCOUS = f"{WATER} + 0.2*v_xx"
NEEDED: dict[str, Any] = {
    "a slow current lets waves in through either end": (WATER, {"h": "1", "v": "0.3"}, (1, 1)),
    "a fast one only at the left": (WATER, {"h": "1", "v": "1.3"}, (2, 0)),
    "or at the right": (WATER, {"h": "1", "v": "-1.3"}, (0, 2)),
    "friction takes the velocity, inflow the depth": (VISCOUS, {"h": "1", "v": "0.3"}, {"h": (1, 0), "v": (1, 1)}),
    "inflow at the right": (VISCOUS, {"h": "1", "v": "-0.3"}, {"h": (0, 1), "v": (1, 1)}),
    "inflow at neither end": (VISCOUS, {"h": "1", "v": "x - 0.5"}, {"h": (0, 0), "v": (1, 1)}),
    "units do not matter": ("u_t = -v_x; v_t = -u_x", {"u": "1", "v": "1e-6"}, (1, 1)),
    "third order": ("u_t = -u_xxx + v; v_t = v_xxx", {"u": "1", "v": "1"}, {"u": (1, 2), "v": (2, 1)}),
    "beside a field without derivatives": ("u_t = -u_x + w; w_t = u - w", {"u": "1", "w": "1"}, (1, 0)),
    "second order in time beside first": (
        "u_tt = u_xx - T_x; T_t = T_xx - 0.1*u_tx",
        {"u": "1", "u_t": "0", "T": "1"},
        {"u": (1, 1), "T": (1, 1)},
    ),
    "even orders": ("u_t = -v_xx; v_t = u_xx", {"u": "1", "v": "1"}, {"u": (1, 1), "v": (1, 1)}),
}


@pytest.mark.parametrize("case", NEEDED)
def test_conditions_are_counted(case):
    law, initial, wanted = NEEDED[case]
    found = conditions_needed(Equation.parse(law), domain=(0, 1), initial=initial)
    assert (found if isinstance(wanted, dict) else tuple(map(sum, zip(*found.values(), strict=True)))) == wanted


def test_a_system_of_mixed_order_is_solved_with_ends_that_move():
    law = "h_t = -0.5*h_x - v_x; v_t = -h_x + 0.2*v_xx"
    rates, waves = np.linalg.eig(np.array([[-0.5 * 2j, -2j], [-2j, -0.2 * 4]]))  # at the wavenumber 2

    def exact(name, t, x):
        return np.real(waves["hv".index(name), 0] * np.exp(2j * np.asarray(x) + rates[0] * t))

    def solved(*held):
        ends = {
            side: {name: lambda t, x=x, name=name: float(exact(name, t, x)) for name in names}
            for side, x, names in zip(("left", "right"), (0.0, 3.0), held, strict=True)
        }
        start = {name: lambda x, name=name: exact(name, 0.0, x) for name in "hv"}
        return simulate(law, domain=(0, 3), until=3, initial=start, boundary=ends)

    solution = solved("hv", "v")
    assert solution.ok, solution.message
    t, x = np.linspace(0, 3, 31)[:, None], np.linspace(0, 3, 31)
    for name in "hv":
        assert np.abs(solution.at(t, x, name) - exact(name, t, x)).max() < 1e-8
    for wrong in (("v", "v"), ("hv", "hv")):
        refused = solved(*wrong)
        assert refused.status == "wrong-boundary"
        assert "takes 2 boundary conditions at the left end and 1 at the right end" in str(refused.message)
