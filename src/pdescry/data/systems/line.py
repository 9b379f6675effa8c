"""Named systems along one axis: the three of the paper, exactly as its section 4 states them, and others."""

from __future__ import annotations

from functools import cache

from pdescry.data.systems.system import System
from pdescry.equation import Equation


@cache
def burgers() -> System:
    """Section 4.1 of the paper."""
    return System(
        "burgers",
        "Burgers: a wave steepens into a shock that viscosity keeps smooth (the paper's)",
        Equation.parse("u_t = -u*u_x + 0.1*u_xx"),
        extent={"x": (-8, 8)},
        until=10,
        every=0.2,
        initial="-sin(pi*x/8)",
        boundary="dirichlet",
    )


@cache
def kdv() -> System:
    """Section 4.2 of the paper. It states no boundary condition; its data are periodic."""
    return System(
        "kdv",
        "Korteweg–de Vries: a wave breaks up into solitons (the paper's)",
        Equation.parse("u_t = -u*u_x - u_xxx"),
        extent={"x": (-20, 20)},
        until=40,
        every=0.8,
        initial="cos(-pi*x/20)",
        boundary="periodic",
    )


@cache
def heat() -> System:
    """Section 4.3 of the paper. The initial state does not have the insulated ends' zero slope."""
    return System(
        "heat",
        "Heat in an insulated rod (the paper's)",
        Equation.parse("u_t = 2*u_xx"),
        extent={"x": (0, 10)},
        until=10,
        every=0.2,
        initial="10*cos(pi*(x-5)/10)",
        boundary="neumann",
    )


@cache
def kuramoto_sivashinsky() -> System:
    return System(
        "kuramoto_sivashinsky",
        "Kuramoto–Sivashinsky: flame fronts on the way to chaos",
        Equation.parse("u_t = -u*u_x - u_xx - u_xxxx"),
        extent={"x": (0, 36)},
        until=50,
        every=0.5,
        initial="cos(pi*x/18)*(1 + sin(pi*x/18))",
        boundary="periodic",
    )


@cache
def fisher_kpp() -> System:
    return System(
        "fisher_kpp",
        "Fisher–KPP: a population spreads and saturates",
        Equation.parse("u_t = u_xx + u - u^2"),
        extent={"x": (-20, 20)},
        until=8,
        every=0.16,
        initial="0.8*exp(-x^2/2)",
        boundary="neumann",
    )


@cache
def allen_cahn() -> System:
    return System(
        "allen_cahn",
        "Allen–Cahn: two phases separate",
        Equation.parse("u_t = 0.05*u_xx + u - u^3"),
        extent={"x": (-3, 3)},
        until=5,
        every=0.1,
        initial="0.1 + 0.6*cos(pi*x/3) + 0.4*sin(2*pi*x/3)",
        boundary="periodic",
    )


@cache
def advection_diffusion() -> System:
    return System(
        "advection_diffusion",
        "Advection and diffusion: a cloud drifts and spreads",
        Equation.parse("u_t = -u_x + 0.1*u_xx"),
        extent={"x": (-8, 8)},
        until=8,
        every=0.16,
        initial="exp(-x^2)",
        boundary="periodic",
    )


@cache
def kdv_two_solitons() -> System:
    return System(
        "kdv_two_solitons",
        "Korteweg–de Vries: a tall soliton overtakes a low one",
        Equation.parse("u_t = -6*u*u_x - u_xxx"),
        extent={"x": (-30, 30)},
        until=30,
        every=0.6,
        initial="0.8*sech(sqrt(0.4)*(x + 15))^2 + 0.3*sech(sqrt(0.15)*(x + 2))^2",
        boundary="periodic",
    )


@cache
def wave() -> System:
    return System(
        "wave",
        "Wave: two pulses on a string with fixed ends (second order in time)",
        Equation.parse("u_tt = u_xx"),
        extent={"x": (-5, 5)},
        until=10,
        every=0.2,
        initial="exp(-2*(x + 1)^2) + 0.5*exp(-4*(x - 2)^2)",
        boundary="dirichlet",
    )


@cache
def fitzhugh_nagumo() -> System:
    return System(
        "fitzhugh_nagumo",
        "FitzHugh–Nagumo: a nerve pulse runs both ways (two fields)",
        Equation.parse("u_t = u_xx + u - u^3/3 - v; v_t = 0.08*(u + 0.7 - 0.8*v)"),
        extent={"x": (0, 40)},
        until=30,
        every=0.6,
        initial={"u": "-1.2 + 2.5*exp(-(x - 14)^2/16)", "v": "-0.62"},
        boundary="neumann",
    )


@cache
def schrodinger() -> System:
    """i·A_t + A_xx/2 + (u² + v²)·A = 0 for A = u + i·v."""
    return System(
        "schrodinger",
        "Nonlinear Schrödinger: an envelope focuses and spreads (real part u, imaginary part v)",
        Equation.parse("u_t = -0.5*v_xx - u^2*v - v^3; v_t = 0.5*u_xx + u^3 + u*v^2"),
        extent={"x": (-5, 5)},
        until=6,
        every=0.12,
        initial={"u": "0.4 + 0.6*cos(pi*x/5)", "v": "0.6*sin(pi*x/5) - 0.3*cos(2*pi*x/5)"},
        boundary="periodic",
    )


@cache
def gray_scott() -> System:
    return System(
        "gray_scott",
        "Gray–Scott: a reaction front spreads from a spot (two fields)",
        Equation.parse("u_t = u_xx - u*v^2 + 0.04 - 0.04*u; v_t = 0.5*v_xx + u*v^2 - 0.1*v"),
        extent={"x": (0, 60)},
        until=100,
        every=2,
        initial={"u": "1 - 0.5*exp(6*cos(pi*(x - 30)/30) - 6)", "v": "0.25*exp(6*cos(pi*(x - 30)/30) - 6)"},
        boundary="periodic",
    )


@cache
def predator_prey() -> System:
    return System(
        "predator_prey",
        "Predator and prey: populations that oscillate and spread (prey u, predator v)",
        Equation.parse("u_t = 0.4*u_xx + u - 0.2*u^2 - u*v; v_t = 0.4*v_xx - v + u*v"),
        extent={"x": (0, 10)},
        until=12,
        every=0.24,
        initial={"u": "1 + 0.8*cos(pi*x/10)", "v": "0.8 + 0.6*cos(pi*x/5)"},
        boundary="neumann",
    )


@cache
def shallow_water() -> System:
    return System(
        "shallow_water",
        "Shallow water: waves on a current (depth h, velocity v)",
        Equation.parse("h_t = -h*v_x - v*h_x; v_t = -v*v_x - h_x + 0.2*v_xx"),
        extent={"x": (-8, 8)},
        until=12,
        every=0.24,
        initial={"h": "1 + 0.4*exp(2*cos(pi*(x + 3)/8) - 2) + 0.2*sin(pi*x/4)", "v": "0.3 - 0.3*cos(pi*x/8)"},
        boundary="periodic",
    )


@cache
def damped_wave() -> System:
    return System(
        "damped_wave",
        "Damped wave: pulses that friction slows (second order in time)",
        Equation.parse("u_tt = u_xx - 0.4*u_t"),
        extent={"x": (-5, 5)},
        until=8,
        every=0.16,
        initial="exp(2*cos(pi*(x + 1)/5) - 2) + 0.5*sin(2*pi*x/5)",
        boundary="periodic",
    )


@cache
def telegraph() -> System:
    return System(
        "telegraph",
        "Telegraph: signals that a cable damps and disperses (second order in time)",
        Equation.parse("u_tt = u_xx - 0.3*u_t - 0.8*u"),
        extent={"x": (-5, 5)},
        until=8,
        every=0.16,
        initial="exp(3*cos(pi*(x + 1)/5) - 3) - 0.6*exp(2*cos(pi*(x - 2.5)/5) - 2)",
        boundary="periodic",
    )


@cache
def phi4() -> System:
    return System(
        "phi4",
        "φ⁴: a field swings between two states (second order in time)",
        Equation.parse("u_tt = u_xx + u - u^3"),
        extent={"x": (-8, 8)},
        until=10,
        every=0.2,
        initial="0.7*cos(pi*x/4) + 0.5*sin(pi*x/8)",
        boundary="periodic",
    )


@cache
def heated_rod() -> System:
    return System(
        "heated_rod",
        "Heated rod: it cools to its surroundings, and a heater of known power P is switched",
        Equation.parse("u_t = 0.05*u_xx - 0.2*u + 0.5*P", inputs=("P",)),
        extent={"x": (0, 2)},
        until=10,
        every=0.2,
        initial="2 + 1.2*cos(pi*x/2) + 0.6*cos(pi*x)",
        boundary="neumann",
        inputs={"P": ((0.0, 1.5, 3.0, 4.5, 5.5, 7.0, 8.5, 10.0), (1.0, 0.0, 1.5, 0.5, 0.0, 1.2, 0.0, 0.0), "held")},
    )
