"""Every way to fail ends promptly in a status that names it; what is fine is not flagged."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr

from pdescry.errors import EquationError, InputError, PdescryError
from pdescry.solver import simulate

from .problems import BURGERS, HEAT, KDV

PERIODIC = {**BURGERS, "boundary": "periodic"}
KURAMOTO = {"domain": (0, 22), "until": 150, "initial": "cos(2*pi*x/22)*(1+sin(2*pi*x/22))"}
UNIT = {"domain": (0, 1), "until": 1, "initial": "sin(2*pi*x)"}
# Of each kind a quicker one is left.
SLOW = {
    "a kink in a wave", "a shock in a system", "a shock, periodic", "an initial jump that diffusion smooths",
    "waves held where they enter",
}  # fmt: skip


def cases(some):
    return [pytest.param(*case, id=name, marks=pytest.mark.slow if name in SLOW else ()) for name, case in some.items()]


BAD = {
    "anti-diffusion, periodic": ("u_t = -0.1*u_xx", PERIODIC, "ill-posed"),
    "anti-diffusion, Dirichlet": ("u_t = -0.1*u_xx", BURGERS, "ill-posed"),
    "fourth order of the wrong sign": ("u_t = u_xxxx", PERIODIC, "ill-posed"),
    "fourth order of the wrong sign, Dirichlet": ("u_t = u_xxxx", BURGERS, "ill-posed"),
    "a tiny coefficient of the wrong sign": ("u_t = u_xx + 1e-9*u_xxxx", PERIODIC, "ill-posed"),
    "anti-diffusion where u is negative": ("u_t = u*u_xx", PERIODIC, "ill-posed"),
    "anti-diffusion that sets in later": (
        "u_t = u_xx - 0.5*u*u_xx + u", {**PERIODIC, "initial": "1 + 0.1*sin(pi*x/8)"}, "ill-posed"),
    "elliptic": ("u_tt = -u_xx", BURGERS, "ill-posed"),
    "elliptic system": ("u_t = v_x; v_t = -u_x", {**PERIODIC, "initial": {"u": "sin(pi*x/8)", "v": 0}}, "ill-posed"),
    "third order against the second": ("u_tt = u_xxx", PERIODIC, "ill-posed"),
    "KdV with -0.0253 u u_xx": ("u_t = -u*u_x - u_xxx - 0.0253*u*u_xx", KDV, "ill-posed"),
    "u_x squared with Neumann ends": ("u_t = 0.05*u_x^2", HEAT, "wrong-boundary"),
    "u cubed": ("u_t = u_xx + u^3", {**BURGERS, "initial": "3*sin(pi*x/8)"}, "blow-up"),
    "u cubed, periodic": ("u_t = u_xx + u^3", {**PERIODIC, "initial": "3*sin(pi*x/8)"}, "blow-up"),
    "u squared everywhere": ("u_t = u^2", {**PERIODIC, "initial": 1.0}, "blow-up"),
    "a shock": ("u_t = -u*u_x", BURGERS, "unresolved"),
    "a shock, periodic": ("u_t = -u*u_x", PERIODIC, "unresolved"),
    "u_xxx with two conditions": ("u_t = -u_xxx", BURGERS, "wrong-boundary"),
    "u_xxx with conditions on the wrong side": (
        "u_t = -u_xxx", {**BURGERS, "boundary": {"left": "u=0, u_x=0", "right": "u=0"}}, "wrong-boundary"),
    "u_xx with one condition": (
        "u_t = u_xx", {**BURGERS, "boundary": {"left": "u=0", "right": "free"}}, "wrong-boundary"),
    "u_xx held by u_xx": ("u_t = u_xx", {**BURGERS, "boundary": ("u_xx=0", "u=0")}, "wrong-boundary"),
    "outflow held": ("u_t = -u_x", {**BURGERS, "boundary": {"left": "u=0", "right": "u=0"}}, "wrong-boundary"),
    "a coefficient of 1e12": ("u_t = 1e12*u_xx", BURGERS, "unresolved"),
    "a nonlinear coefficient of 1e12": ("u_t = 1e12*u*u_x + 0.1*u_xx", BURGERS, "unresolved"),
    "an initial state with a NaN": (
        "u_t = u_xx", {**BURGERS, "initial": np.array([0, 1, np.nan, 1, 0, 0])}, "bad-initial"),
    "an initial state with a pole": ("u_t = u_xx", {**PERIODIC, "initial": "1/(x+8)"}, "bad-initial"),
    "an initial state that overflows the law": ("u_t = exp(u)", {**PERIODIC, "initial": "1e4 + x"}, "blow-up"),
    "a jump that nothing smooths": ("u_t = -u_x", {**PERIODIC, "initial": "x"}, "unresolved"),
    "a spike between the points": (
        "u_t = 0.001*u_xx", {**UNIT, "initial": "1+exp(-((x-0.5)/0.0005)^2)", "boundary": "neumann"}, "unresolved"),
    "a shock in a system": (
        "h_t = -h*v_x - v*h_x; v_t = -v*v_x - h_x",
        {**UNIT, "until": 3, "initial": {"h": "1+0.5*sin(2*pi*x)", "v": "0"}}, "unresolved"),
    "a kink in a wave": ("u_tt = u_xx", {**UNIT, "initial": "abs(x-0.5)", "boundary": "neumann"}, "unresolved"),
    "a wave that does not suit its ends": (
        "u_tt = u_xx", {**UNIT, "until": 3, "initial": "cos(pi*x)", "boundary": "dirichlet"}, "unresolved"),
    "conditions where waves leave": (
        "u_t = -u_x; v_t = v_x",
        {**UNIT, "initial": {"u": "0", "v": "0"}, "boundary": {"left": "v=0, u=0", "right": "free"}}, "wrong-boundary"),
    "an unstable rest": ("u_t = u - u^3", {**UNIT, "until": 40, "initial": "0"}, "sensitive"),
    "chaos beyond its horizon": ("u_t = -u*u_x - u_xx - u_xxxx", KURAMOTO, "sensitive"),
}  # fmt: skip


@pytest.mark.parametrize(("law", "setting", "status"), cases(BAD))
def test_bad_laws_are_named(law, setting, status):
    solution = simulate(law, **setting)
    assert solution.status == status
    assert not solution.ok
    assert str(solution.message).endswith((".", "'."))
    assert solution.reached < setting["until"]
    with pytest.raises(PdescryError, match=solution.status):
        solution.require_ok()


FINE = {
    "u_xx stabilised by u_xxxx": (
        "u_t = -u_xx - 0.01*u_xxxx", {**UNIT, "domain": (0, 0.6), "initial": "sin(2*pi*x/0.6)"}),
    "the same, growing": ("u_t = -u_xx - 0.01*u_xxxx", {**UNIT, "until": 0.3}),
    "the same, clamped": (
        "u_t = -u_xx - 0.01*u_xxxx", {**UNIT, "until": 0.1, "initial": "sin(pi*x)^2", "boundary": "dirichlet"}),
    "growth that is no blow-up": ("u_t = u", {**UNIT, "until": 15, "initial": "2 + sin(2*pi*x)"}),
    "an initial jump that diffusion smooths": (
        "u_t = u_xx", {**UNIT, "until": 0.1, "initial": 1.0, "boundary": "dirichlet"}),
    "diffusion that nearly vanishes": (
        "u_t = d_x(u*u_x)", {"domain": (-5, 5), "until": 1, "initial": "0.1 + exp(-x^2)", "boundary": "neumann"}),
    "nothing happens": ("u_t = 0", UNIT),
    "a wave at rest": ("u_tt = u_xx", {**UNIT, "initial": "1", "boundary": "neumann"}),
    "a pendulum at the top": ("u_tt = -sin(u)", {**UNIT, "initial": "3.14159265"}),
    "sound on a large pressure": (
        "p_t = -v_x; v_t = -p_x", {**UNIT, "initial": {"p": "1e5 + sin(2*pi*x)", "v": "0"}}),
    "growth by exp(30)": ("u_t = u", {**UNIT, "until": 30, "initial": "1"}),
    "growth in a second-order law": ("u_tt = u", {**UNIT, "until": 20, "initial": "0.001"}),
    "a strong source": ("u_t = u_xx + 1e14", {**UNIT, "initial": "0", "boundary": "dirichlet"}),
    "a source that drowns the start": (
        "u_t = u_xx + 1", {**UNIT, "initial": "1e-14*sin(pi*x)", "boundary": "dirichlet"}),
    "fast waves for a short time": ("u_tt = 9e16*u_xx", {**UNIT, "until": 1e-8}),
    "fields of unlike units": (
        "u_t = 1e10*v; v_t = -1e-10*u", {**UNIT, "initial": {"u": "sin(2*pi*x)", "v": "0"}}),
    "Cahn-Hilliard with insulated ends": (
        "u_t = d_xx(u^3) - u_xx - 0.001*u_xxxx",
        {**UNIT, "until": 0.1, "initial": "cos(pi*x) + 0.5*cos(3*pi*x)", "boundary": "neumann"}),
    "a conservative form of lower order than it looks": (
        "u_t = d_xx(u^2) - 2*u*u_xx", {**UNIT, "until": 0.1, "initial": "sin(pi*x)", "boundary": "dirichlet"}),
    "waves held where they enter": (
        "u_t = -u_x; v_t = v_x",
        {**UNIT, "initial": {"u": "sin(pi*x)^4", "v": "0"}, "boundary": {"left": "u=0", "right": "v=0"}}),
    "a field from nothing": ("u_t = u_xx + 1", {**UNIT, "initial": 0.0, "boundary": "dirichlet"}),
    "inflow by name": (
        "u_t = -u_x", {"domain": (0, 10), "until": 3, "initial": "exp(-4*(x-3)^2)", "boundary": "dirichlet"}),
    "a field that is not differentiated": (
        "u_t = u_xx - v; v_t = u - v", {**UNIT, "initial": {"u": "cos(pi*x)", "v": 0}, "boundary": "neumann"}),
}  # fmt: skip


@pytest.mark.parametrize(("law", "setting"), cases(FINE))
def test_fine_laws_are_not_flagged(law, setting):
    solution = simulate(law, **setting)
    assert solution.status == "ok", solution.message
    assert np.isfinite(solution.dataset.to_array()).all()


@pytest.mark.parametrize(
    ("law", "setting", "end", "status"),
    [
        ("u_t = -u*u_x + 0.3*u_xx", BURGERS, 10.0, "ok"),
        ("u_t = -u*u_x", {**BURGERS, "max_points": 250}, 3.0, "unresolved"),
        # Steepest halfway, and smooth again at the end.
        ("u_t = -8*u*u_x + 8*t*u*u_x", {**UNIT, "initial": "0.029*sin(2*pi*x)", "max_points": 200}, 2.0, "unresolved"),
        pytest.param("u_t = -u*u_x - u_xx - u_xxxx", KURAMOTO, 150.0, "sensitive", marks=pytest.mark.slow),
    ],
)
def test_the_verdict_does_not_depend_on_when_one_looks(law, setting, end, status):
    for times in ([end], np.linspace(0, end, 3), np.linspace(0, end, 50)):
        solution = simulate(law, **{**setting, "until": None}, times=times)
        assert solution.status == status
        assert status == "ok" or np.isnan(solution.at(end, 0.5))


def test_waves_finer_than_the_first_grid_are_seen():
    solution = simulate("u_t = 0.00001*u_xx", **{**UNIT, "initial": "sin(2*pi*50*x)"})
    x = np.linspace(0, 1, 33)
    exact = np.exp(-1e-5 * (100 * np.pi) ** 2) * np.sin(100 * np.pi * x)
    np.testing.assert_allclose(solution.at(1, x), exact, atol=1e-8)


def test_a_failed_solution_ends_where_it_failed():
    solution = simulate("u_t = -u*u_x", **BURGERS)
    assert 2.0 < solution.reached < 8 / np.pi  # the shock forms at t = 8/π
    assert np.isfinite(solution.at(1.0, 3.0))
    assert np.isnan(solution.at(5.0, 3.0))
    assert np.isnan(solution.field.sel(t=5.0)).all()


def test_limits_are_arguments():
    steps = simulate("u_t = -u*u_x - u_xxx", **KDV, max_steps=50, verify=False)
    assert (steps.status, steps.steps) == ("limit", 50)
    assert steps.message.code == "limit-of-steps"
    seconds = simulate("u_t = -u*u_x - u_xxx", **KDV, max_seconds=0.05)
    assert seconds.status == "limit"
    assert seconds.message.code == "limit-of-seconds"
    points = simulate("u_t = -u*u_x + 0.1*u_xx", **BURGERS, max_points=100)
    assert points.status == "unresolved"


BAD_ARGUMENTS = {
    "reversed domain": ({"domain": (8, -8)}, "left < right"),
    "one number for a domain": ({"domain": 8}, "two numbers"),
    "no end": ({"until": None}, "until="),
    "negative end": ({"until": -1}, "positive"),
    "unordered times": ({"times": [0, 2, 1], "until": None}, "increasing"),
    "unknown boundary": ({"boundary": "dirichlett"}, "periodic"),
    "unknown side": ({"boundary": {"top": "u=0"}}, "'left' and 'right'"),
    "unknown field at the boundary": ({"boundary": ("v=0", "u=0")}, "Unknown name 'v'"),
    "two conditions on one thing": ({"boundary": {"left": "u=0, u=1", "right": "u=0"}}, "two conditions"),
    "no value": ({"boundary": ("u=", "u=0")}, "value after '='"),
    "unknown name in a formula": ({"initial": "sin(pi*z)"}, "Unknown name 'z'"),
    "code in a formula": ({"initial": "__import__('os')"}, "Unexpected character"),
    "an array of text": ({"initial": ["a", "b", "c", "d"]}, "must be a formula"),
    "an array of two dimensions": ({"initial": np.zeros((5, 5))}, "(5, 5)"),
    "a function of the wrong shape": ({"initial": lambda x: np.zeros(3)}, "one value for each x"),
    "a state for an unknown field": ({"initial": {"w": "0"}}, "'w'"),
    "zero tolerance": ({"rtol": 0}, "rtol to be a number, between"),
    "a coarse tolerance": ({"rtol": 0.1}, "rtol to be a number, between"),
    "too few points": ({"max_points": 1}, "max_points to be a whole number, between 8"),
    "a text for a limit": ({"max_steps": "a"}, "max_steps to be a whole number"),
    "a text for the end": ({"until": "a"}, "positive time"),
    "texts for times": ({"times": ["a"], "until": None}, "times as a list of numbers"),
    "times beyond the end": ({"times": [0, 50]}, "after until"),
    "half a point": ({"min_points": 50.5}, "whole number"),
    "no end of points": ({"max_points": np.inf}, "whole number"),
    "a boundary value that is none": ({"boundary": (("dirichlet", np.nan), "u=0")}, "finite value"),
    "an infinite boundary value": ({"boundary": ("u=1/0", "u=0")}, "finite value"),
    "a function that fails": ({"initial": lambda x: math.sin(x)}, "write it with numpy functions"),
    "complex numbers": ({"initial": 1j * np.ones(9)}, "complex"),
    "a coordinate twice": ({"initial": xr.DataArray(np.zeros(5), coords={"x": [-8, 0, 0, 1, 8]})}, "distinct"),
    "a coordinate with a gap": ({"initial": xr.DataArray(np.zeros(4), coords={"x": [-8, 0, np.nan, 8]})}, "distinct"),
    "too short an array": ({"initial": xr.DataArray(np.zeros(2), coords={"x": [-8, 8]})}, "4 or more"),
    "strange names": ({"initial": {0: "1", "w": 3}}, "got one of 0"),
    "no initial state": ({"initial": None}, "must be a formula"),
    "an array beyond the domain": (
        {"initial": xr.DataArray(np.zeros(9), coords={"x": np.linspace(-9, 9, 9)})}, "beyond the domain"),
    "an array short of the domain": (
        {"initial": xr.DataArray(np.zeros(9), coords={"x": np.linspace(-7, 7, 9)})}, "must span the domain"),
    "a grid outside": ({"x": [-9, 0]}, "between -8 and 8"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "says"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS)
def test_bad_arguments_are_told(changes, says):
    with pytest.raises(InputError) as caught:
        simulate("u_t = u_xx", **{**BURGERS, **changes})
    assert says in str(caught.value)


def test_what_is_no_equation_is_told():
    with pytest.raises(EquationError, match="Expected a text"):
        simulate(42, **BURGERS)  # pyright: ignore[reportArgumentType]


@pytest.mark.slow
def test_a_coordinate_that_is_not_periodic_is_named():
    solution = simulate("u_t = u_xx + x", **PERIODIC)
    assert solution.status == "unresolved"
    assert solution.message.code == "unresolved-coordinate"


def test_a_domain_without_an_axis_of_the_law_is_told():
    with pytest.raises(InputError, match="domain of a law in x and y"):
        simulate("u_t = u_xx + u_yy", **BURGERS)
    with pytest.raises(InputError, match="one or two space dimensions"):
        simulate("u_t = u_xx + u_yy + u_zz", **BURGERS)
