"""Laws of second order with time derivatives on the right side, against closed forms and an ordinary equation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pdescry.solver import simulate

T = np.linspace(0, 2, 21)


def decaying(k: float, damping: float) -> np.ndarray:
    """A mode of u_tt = -k²·u - damping·u_t from rest."""
    a = damping / 2
    w = np.sqrt(k**2 - a**2 + 0j)
    return np.real(np.exp(-a * T) * (np.cos(w * T) + a / w * np.sin(w * T)))


@pytest.mark.parametrize("law", ["u_tt = u_xx - 0.6*u_t", "u_tt = u_xx + 0.1*u_txx", "u_tt = u_xx + d_xx(0.1*u_t)"])
@pytest.mark.parametrize("boundary", ["periodic", {"left": "u=1", "right": "u=2"}], ids=["periodic", "held"])
def test_a_mode_decays(law, boundary):
    periodic = boundary == "periodic"
    k = 2 * np.pi if periodic else np.pi
    initial = "sin(2*pi*x)" if periodic else "sin(pi*x) + 1 + x"
    solution = simulate(law, domain=(0, 1), until=2, initial=initial, boundary=boundary, verify=False)
    x = 0.25 if periodic else 0.5
    exact = decaying(k, 0.6 if "0.6" in law else 0.1 * k**2) + (0 if periodic else 1 + x)
    np.testing.assert_allclose(solution.at(T, x), exact, atol=1e-8)


def test_a_damped_nonlinear_oscillation():
    law = "u_tt = u_xx - 0.3*u_t + u - u^3"
    solution = simulate(law, domain=(0, 1), until=2, initial={"u": "0.5", "u_t": "1.2"}, verify=False)
    right = solve_ivp(
        lambda t, y: (y[1], -0.3 * y[1] + y[0] - y[0] ** 3), (0, 2), (0.5, 1.2), t_eval=T, rtol=1e-10, atol=1e-12
    )
    np.testing.assert_allclose(solution.at(T, 0.4), right.y[0], atol=1e-8)


def test_a_wrong_sign_of_damping_by_velocity_waves_is_ill_posed():
    solution = simulate("u_tt = u_xx - 0.1*u_txx", domain=(0, 1), until=1, initial="sin(2*pi*x)")
    assert solution.status == "ill-posed"
