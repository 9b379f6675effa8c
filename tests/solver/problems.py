"""Problems that several tests solve, each solved once for each test session."""

from __future__ import annotations

from functools import cache
from typing import Any

from pdescry.solver import Solution, simulate

BURGERS: dict[str, Any] = {"domain": (-8, 8), "until": 10, "initial": "-sin(pi*x/8)", "boundary": "dirichlet"}
HEAT: dict[str, Any] = {"domain": (0, 10), "until": 10, "initial": "10*cos(pi*(x-5)/10)", "boundary": "neumann"}
KDV: dict[str, Any] = {"domain": (-20, 20), "until": 40, "initial": "cos(pi*x/20)", "boundary": "periodic"}
EXTRA = " - 0.02*u_x^2 + 0.0165*u_x - 0.0253*u*u_xx"


@cache
def solved(name: str) -> Solution:
    law, setting = {
        "burgers": ("u_t = -u*u_x + 0.1*u_xx", BURGERS),
        "heat": ("u_t = 2*u_xx", HEAT),
        "kdv": ("u_t = -u*u_x - u_xxx", KDV),
        "burgers with extra terms": ("u_t = -u*u_x + 0.1*u_xx" + EXTRA, BURGERS),
        "heat with extra terms": ("u_t = 2*u_xx" + EXTRA, HEAT),
    }[name]
    return simulate(law, **setting)
