"""Named systems in the plane: a plate, clouds, populations, phases, spirals and a membrane."""

from __future__ import annotations

from functools import cache

from pdescry.data.systems.system import System
from pdescry.equation import Equation


@cache
def heat_2d() -> System:
    return System(
        "heat_2d",
        "Heat in an insulated plate",
        Equation.parse("u_t = 0.1*u_xx + 0.1*u_yy"),
        extent={"x": (0, 4), "y": (0, 3)},
        until=5,
        every=0.125,
        initial="2 + cos(pi*x/4)*cos(pi*y/3) + 0.8*cos(pi*x/2) - 0.9*cos(2*pi*y/3) + 0.7*cos(3*pi*x/4)*cos(pi*y/3)",
        boundary="neumann",
    )


@cache
def advection_diffusion_2d() -> System:
    return System(
        "advection_diffusion_2d",
        "Advection and diffusion: two clouds drift across the plane and spread",
        Equation.parse("u_t = -0.8*u_x - 0.5*u_y + 0.1*u_xx + 0.1*u_yy"),
        extent={"x": (-4, 4), "y": (-4, 4)},
        until=4,
        every=0.1,
        initial="exp(3*cos(pi*(x+1.5)/4) + 3*cos(pi*(y+1)/4) - 6)"
        " - 0.7*exp(4*cos(pi*(x-1)/4) + 3*cos(pi*(y-1.5)/4) - 7)",
        boundary="periodic",
    )


@cache
def fisher_kpp_2d() -> System:
    return System(
        "fisher_kpp_2d",
        "Fisher–KPP: two colonies spread, meet and saturate",
        Equation.parse("u_t = 0.2*u_xx + 0.2*u_yy + u - u^2"),
        extent={"x": (-6, 6), "y": (-6, 6)},
        until=5,
        every=0.125,
        initial="0.8*exp(-(x+1.5)^2 - (y+1)^2) + 0.5*exp(-(x-2)^2 - (y-1.5)^2)",
        boundary="neumann",
    )


@cache
def burgers_2d() -> System:
    return System(
        "burgers_2d",
        "Burgers: waves steepen along the diagonal, and viscosity keeps them smooth",
        Equation.parse("u_t = -u*u_x - u*u_y + 0.1*u_xx + 0.1*u_yy"),
        extent={"x": (-3, 3), "y": (-3, 3)},
        until=3,
        every=0.075,
        initial="0.2 + 0.6*sin(pi*x/3)*cos(pi*y/3) + 0.3*cos(2*pi*x/3) - 0.4*sin(pi*y/3)",
        boundary="periodic",
    )


@cache
def allen_cahn_2d() -> System:
    return System(
        "allen_cahn_2d",
        "Allen–Cahn: two phases separate and their borders straighten",
        Equation.parse("u_t = 0.1*u_xx + 0.1*u_yy + u - u^3"),
        extent={"x": (-3, 3), "y": (-3, 3)},
        until=4,
        every=0.1,
        initial="0.1 + 0.5*cos(pi*x/3)*cos(pi*y/3) + 0.3*sin(2*pi*x/3) - 0.3*cos(pi*(x + 2*y)/3)",
        boundary="periodic",
    )


@cache
def lambda_omega_2d() -> System:
    """u_t = λ·u − ω·v + 0.2·Δu and v_t = ω·u + λ·v + 0.2·Δv, with λ = 1 − u² − v² and ω = −(u² + v²)."""
    return System(
        "lambda_omega_2d",
        "Lambda–omega: rotating spirals (two fields)",
        Equation.parse(
            "u_t = 0.2*u_xx + 0.2*u_yy + u - u^3 - u*v^2 + u^2*v + v^3;"
            "v_t = 0.2*v_xx + 0.2*v_yy + v - u^2*v - v^3 - u^3 - u*v^2"
        ),
        extent={"x": (-5, 5), "y": (-5, 5)},
        until=6,
        every=0.1,
        initial={"u": "0.9*sin(pi*x/5) + 0.2*cos(pi*(x + y)/5)", "v": "0.9*sin(pi*y/5) - 0.2*cos(2*pi*x/5)"},
        boundary="periodic",
    )


@cache
def wave_2d() -> System:
    return System(
        "wave_2d",
        "Wave: a membrane with a fixed rim, plucked in two places (second order in time)",
        Equation.parse("u_tt = u_xx + u_yy"),
        extent={"x": (0, 4), "y": (0, 3)},
        until=5,
        every=0.125,
        initial="sin(pi*x/4)*sin(pi*y/3)*(exp(cos(pi*x/4) + cos(pi*y/3) - 1) - 0.7*exp(-cos(pi*x/4) - cos(pi*y/3)))",
        boundary="dirichlet",
    )
