"""Ends that follow functions of time, against closed forms."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from pdescry.errors import InputError
from pdescry.solver import simulate
from pdescry.solver.stepping import Trajectory


def _heat(t, x, order=0):
    return np.exp(-1.2 * x) * np.cos(1.44 * t - 1.2 * x)


def _sine(t, x, order=0):
    return np.sin(2 * (x - t))


def _shock(t, x, order=0):
    return 1.0 - 0.5 * np.tanh((x - 1.0 - t) / 0.8)


def _soliton(t, x, order=0):
    """It leaves through the right end."""
    along = (x - 2.0 - t) / 2
    return 3 / np.cosh(along) ** 2 * (1 if order == 0 else -np.tanh(along))


def _swing(t, x, order=0):
    """exp(ikx − k⁴t) with k⁴ = 1.3⁴ i: nothing decays."""
    k = 1.3 * np.exp(1j * np.pi / 8)
    return np.real((1j * k) ** order * np.exp(1j * k * x - k**4 * t))


# The law, the domain, the end, what obeys it, and which derivatives are held at the left and at the right.
PROBLEMS = {
    "heat": ("u_t = 0.5*u_xx", (0.0, 3.0), 2.0, _heat, ("u", "u")),
    "advection": ("u_t = -u_x", (0.0, 2.0), 3.0, _sine, ("u", "")),
    "burgers": ("u_t = -u*u_x + 0.2*u_xx", (0.0, 3.0), 2.0, _shock, ("u", "u")),
    "kdv": ("u_t = -u*u_x - u_xxx", (-8.0, 8.0), 8.0, _soliton, ("u", "u u_x")),
    "fourth order": ("u_t = -u_xxxx", (0.0, 2.0), 1.0, _swing, ("u u_x", "u u_x")),
}


def _ends(name, held=None):
    _, domain, _, exact, usual = PROBLEMS[name]
    return {
        side: {what: lambda t, x=x, what=what: exact(t, x, what.count("x")) for what in names.split()}
        for side, x, names in zip(("left", "right"), domain, held or usual, strict=True)
    }


@pytest.mark.parametrize("name", PROBLEMS)
def test_ends_that_move_are_followed(name):
    law, domain, until, exact, _ = PROBLEMS[name]
    solution = simulate(law, domain=domain, until=until, initial=lambda x: exact(0.0, x), boundary=_ends(name))
    assert solution.ok, solution.message
    t, x = np.linspace(0, until, 57)[:, None], np.linspace(*domain, 41)
    assert np.abs(solution.at(t, x) - exact(t, x)).max() < 1e-8  # as with ends that stand still
    assert "f(t)" in solution.boundary


def test_a_moving_end_does_not_replace_a_missing_one():
    law, domain, until, exact, _ = PROBLEMS["kdv"]
    few = _ends("kdv", ("u", "u"))
    solution = simulate(law, domain=domain, until=until, initial=lambda x: exact(0.0, x), boundary=few)
    assert solution.status == "wrong-boundary"
    assert "2 at the right end" in str(solution.message)


def test_with_a_wide_tolerance_ends_that_do_not_fit_the_start_cost_little():
    law, domain, until, exact, _ = PROBLEMS["kdv"]
    boundary: dict[str, Any] = _ends("kdv")
    boundary["right"]["u"] = lambda t: exact(t, 8.0) + 2e-5 * math.cos(5 * t)
    given = {"domain": domain, "until": until, "initial": lambda x: exact(0.0, x), "boundary": boundary}
    solution = simulate(law, **given, verify=False, rtol=1e-5)
    assert solution.ok, solution.message
    assert solution.points < 120
    assert solution.steps < 300
    early = float(re.findall(r"approximate before t = ([\d.]+)\.", str(solution.message))[0])
    t, x = np.linspace(early, until, 57)[:, None], np.linspace(*domain, 41)
    assert np.abs(solution.at(t, x) - exact(t, x)).max() < 1e-4


@pytest.mark.parametrize("end", [lambda t: math.nan if t > 1 else 0.0, lambda t: "one", lambda t: None])
def test_ends_that_are_no_numbers_are_refused(end):
    with pytest.raises(InputError, match="finite number at every time"):
        simulate("u_t = u_xx", domain=(0, 1), until=2, initial="0", boundary={"left": {"u": end}, "right": "u=0"})


@pytest.mark.parametrize("friction", [0.0, 0.1])
def test_velocities_follow_the_rate_of_the_ends(friction):
    """u_tt = u_xx + c·u_txx: waves exp(ikx + st) with s² + ck²s + k² = 0."""
    k = 2.0
    s = -friction * k**2 / 2 + 1j * np.sqrt(k**2 - (friction * k**2 / 2) ** 2)

    def exact(t, x, order=0):
        return np.real(s**order * np.exp(1j * k * x + s * t))

    solution = simulate(
        f"u_tt = u_xx + {friction}*u_txx",
        domain=(0, 2),
        until=3,
        initial={"u": lambda x: exact(0.0, x), "u_t": lambda x: exact(0.0, x, 1)},
        boundary={"left": {"u": lambda t: exact(t, 0.0)}, "right": {"u": lambda t: exact(t, 2.0)}},
    )
    assert solution.ok, solution.message
    assert solution.points == 48  # start and ends suit each other: nothing is rough
    t, x = np.linspace(0, 3, 57)[:, None], np.linspace(0, 2, 41)
    assert np.abs(solution.at(t, x) - exact(t, x)).max() < 1e-7


def test_a_run_without_a_single_step_has_no_bends():
    """A law that could not be begun."""
    stuck = Trajectory(np.zeros(1), np.zeros((1, 5)), np.zeros((0, 3, 5)), "stalled")
    assert stuck.bends_of(lambda t: np.array([t, 1.0])).shape == (0, 3, 2)
