"""Laws in the plane, against closed forms; and that nothing is called solved which is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray as xr

from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.solver import conditions_needed, simulate
from pdescry.solver.boundary import read_boundary
from pdescry.solver.discretisation import Discretisation
from pdescry.solver.jacobian import Shifted, TensorJacobian
from pdescry.solver.options import SOLVER

PI = np.pi
EXACT = 1e-6  # of the largest value


def _gaussian(t, x, y):
    wide = 1 + 0.4 * t
    return np.exp(-((x - t) ** 2 + (y - 0.5 * t) ** 2) / wide) / wide


def _front(t, x, y):
    return 1 / (1 + np.exp((x + y - t) / 0.4))


def _cole_hopf(t, x, y):
    decay = np.exp(-0.2 * t)
    return 0.2 * decay * np.sin(x) * np.cos(y) / (2 + decay * np.cos(x) * np.cos(y))


def _following(field, domain) -> dict[str, Any]:
    (left, right), (bottom, top) = domain
    return {
        "left": {"u": lambda t, s: field(t, left, s)},
        "right": {"u": lambda t, s: field(t, right, s)},
        "y=" + str(bottom): {"u": lambda t, s: field(t, s, bottom)},
        "top": {"u": lambda t, s: field(t, s, top)},
    }


# law, domain, until, boundary, field
CLOSED_FORMS: dict[str, tuple[str, Any, float, Any, Any]] = {
    "heat, Dirichlet": (
        "u_t = 0.1*u_xx + 0.1*u_yy", ((0, 1), (0, 2)), 2, "dirichlet",
        lambda t, x, y: np.exp(-0.125 * PI**2 * t) * np.sin(PI * x) * np.sin(PI * y / 2),
    ),
    "anisotropic heat, Neumann and periodic": (
        "u_t = 0.1*u_xx + 0.3*u_yy", ((0, 1), (0, 2)), 1, {"x": "neumann", "y": "periodic"},
        lambda t, x, y: np.exp(-0.4 * PI**2 * t) * np.cos(PI * x) * np.sin(PI * y),
    ),
    "heat with a mixed derivative": (
        "u_t = 0.2*u_xx + 0.1*u_xy + 0.2*u_yy", ((0, 2 * PI), (0, 2 * PI)), 2, "periodic",
        lambda t, x, y: np.exp(-0.5 * t) * np.cos(x + y) + np.exp(-0.8 * t) * np.cos(x - 2 * y),
    ),
    "a drifting cloud, sides that follow it": (
        "u_t = -u_x - 0.5*u_y + 0.1*u_xx + 0.1*u_yy", ((-3, 4), (-3, 4)), 2, "follow", _gaussian,
    ),
    "a front of Burgers' law": (
        "u_t = -u*u_x - u*u_y + 0.2*u_xx + 0.2*u_yy", ((-2, 3), (-2, 2)), 1, "follow", _front,
    ),
    "wave": (
        "u_tt = u_xx + u_yy", ((0, 1), (0, 1)), 1, "dirichlet",
        lambda t, x, y: np.cos(np.sqrt(5) * PI * t) * np.sin(PI * x) * np.sin(2 * PI * y),
    ),
    "biharmonic": (
        "u_t = -0.01*u_xxxx - 0.02*u_xxyy - 0.01*u_yyyy", ((0, 1), (0, 1)), 0.1, "neumann",
        lambda t, x, y: np.exp(-0.25 * PI**4 * t) * np.cos(PI * x) * np.cos(2 * PI * y),
    ),
    "transport": (
        "u_t = -u_x - 0.5*u_y", ((0, 2 * PI), (0, 2 * PI)), 1, "periodic",
        lambda t, x, y: np.sin(x - t) * np.cos(y - 0.5 * t),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_it_agrees_with_the_closed_form(name):
    law, domain, until, boundary, field = CLOSED_FORMS[name]
    boundary = _following(field, domain) if boundary == "follow" else boundary
    solution = simulate(
        law, domain=domain, until=until, initial=lambda x, y: field(0.0, x, y), boundary=boundary, max_seconds=600
    )
    assert solution.status == "ok", solution.message
    ((left, right), (bottom, top)) = domain
    t, x, y = np.meshgrid(
        np.linspace(0, until, 5), np.linspace(left, right, 17), np.linspace(bottom, top, 19), indexing="ij"
    )
    np.testing.assert_allclose(solution.at(t, x, y), field(t, x, y), atol=EXACT)
    x, y = (solution.dataset[axis].to_numpy() for axis in "xy")
    np.testing.assert_allclose(solution.field[-1], field(until, x[:, None], y), atol=EXACT)


def test_two_fields_of_burgers_law_agree_with_cole_and_hopf():
    solution = simulate(
        "u_t = -u*u_x - v*u_y + 0.1*u_xx + 0.1*u_yy; v_t = -u*v_x - v*v_y + 0.1*v_xx + 0.1*v_yy",
        domain={"x": (0, 2 * PI), "y": (0, 2 * PI)},
        until=2,
        initial={"u": lambda x, y: _cole_hopf(0, x, y), "v": lambda x, y: _cole_hopf(0, y, x)},
        max_seconds=600,
    )
    t, x, y = np.meshgrid([0.5, 2.0], np.linspace(0, 6, 13), np.linspace(0, 6, 11), indexing="ij")
    np.testing.assert_allclose(solution.at(t, x, y, of="u"), _cole_hopf(t, x, y), atol=EXACT * 0.2)
    np.testing.assert_allclose(solution.at(t, x, y, of="v"), _cole_hopf(t, y, x), atol=EXACT * 0.2)


def test_derivatives_are_those_of_the_closed_form():
    solution = simulate(
        "u_t = 0.1*u_xx + 0.1*u_yy", domain=((0, 1), (0, 2)), until=1, initial="sin(pi*x)*sin(pi*y/2)",
        boundary="dirichlet", max_seconds=600,
    )  # fmt: skip
    decay = np.exp(-0.125 * PI**2)
    assert solution.at(1, 0.3, 0.7, "u_x") == pytest.approx(
        decay * PI * np.cos(0.3 * PI) * np.sin(0.35 * PI), abs=EXACT
    )
    assert solution.at(1, 0.3, 0.7, of="u_xy") == pytest.approx(
        decay * PI**2 / 2 * np.cos(0.3 * PI) * np.cos(0.35 * PI), abs=1e-5
    )
    assert solution.at(1, 0.3, 0.7, of="u_t") == pytest.approx(
        -0.125 * PI**2 * decay * np.sin(0.3 * PI) * np.sin(0.35 * PI), abs=EXACT
    )


WRONG = {
    "u_t = -u_xx - u_yy": "ill-posed",
    "u_t = u_xx - u_yy": "ill-posed",
    "u_t = u_xx + 3*u_xy + u_yy": "ill-posed",  # only waves along the diagonal grow
    "u_tt = u_xx - u_yy": "ill-posed",
    "u_t = u_xx + u_yy + 30*u^2": "blow-up",
    "u_t = -u*u_x - u*u_y": "unresolved",
}


@pytest.mark.parametrize("law", WRONG)
def test_what_has_no_solution_is_not_called_solved(law):
    initial = "1 + sin(2*pi*x)*sin(2*pi*y)/2"
    solution = simulate(law, domain=((0, 1), (0, 1)), until=1, initial=initial, max_points=36, max_seconds=600)
    assert solution.status == WRONG[law], solution.message
    assert np.isnan(solution.at(1.0, 0.5, 0.5))


@pytest.mark.slow
def test_chaos_is_called_sensitive():
    solution = simulate(
        "u_t = -u_xx - u_yy - u_xxxx - 2*u_xxyy - u_yyyy - u*u_x", domain=((0, 36), (0, 5)), until=200,
        initial="cos(pi*x/18)*(1 + sin(pi*x/18)) + 0.01*cos(2*pi*y/5)", rtol=1e-6, max_seconds=600,
    )  # fmt: skip
    assert solution.status == "sensitive", solution.message


def test_limits_are_told():
    settings: dict[str, Any] = {"domain": ((0, 1), (0, 1)), "until": 1, "initial": "sin(2*pi*x)*cos(2*pi*y)"}
    assert simulate("u_t = 0.1*u_xx + 0.1*u_yy", max_steps=5, **settings).status == "limit"
    sharp = simulate("u_t = 0.1*u_xx", **{**settings, "initial": "exp(-4000*(x-0.5)^2)", "max_points": 24})
    assert sharp.status == "unresolved"
    assert "on 0 to 1 in x and 0 to 1 in y" in str(sharp.message)


def test_memory_is_a_limit(monkeypatch):
    few = replace(SOLVER, stop=replace(SOLVER.stop, memory=400_000))
    monkeypatch.setattr("pdescry.solver.attempt.SOLVER", few)
    solution = simulate(
        "u_t = 0.1*u_xx + 0.1*u_yy", domain=((0, 1), (0, 1)), until=1, initial="sin(2*pi*x)*cos(2*pi*y)"
    )
    assert solution.status == "limit"
    assert solution.message.code == "limit-of-memory"


LAWS = [
    "u_t = -u*u_x + u_y*u_xy + 0.1*u_xxyy + x*u_x^2 + sin(2*u) - t*u^3*y",
    "u_tt = u_xx*u - 0.1*u_t + exp(-u)*u_ty",
    "u_t = v*u_xx + tanh(v) + v_yy; v_t = u*v_x - cos(u)",
]


def _grid(text, boundary, points=(12, 15)):
    law, domain = Equation.parse(text), {"x": (0.0, 2.0), "y": (-1.0, 1.0)}
    conditions = read_boundary(boundary, law, domain, 1.0)
    return Discretisation(law, domain, conditions, dict(zip("xy", points, strict=True)))


@pytest.mark.parametrize("text", LAWS)
def test_the_jacobian_is_the_derivative_of_the_rate(text):
    grid = _grid(text, {"x": "dirichlet", "y": "periodic"})
    random = np.random.default_rng(1)
    y, direction = random.uniform(-1, 1, (2, len(grid.blocks) * grid.size))
    step = 1e-6
    difference = (grid.rate(0.7, y + step * direction) - grid.rate(0.7, y - step * direction)) / (2 * step)
    jacobian = grid.jacobian(0.7, y)
    assert isinstance(jacobian, TensorJacobian)
    np.testing.assert_allclose(jacobian @ direction, difference, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(jacobian @ (1j * direction), 1j * difference, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("boundary", ["periodic", "dirichlet", {"x": "neumann", "y": "periodic"}])
@pytest.mark.parametrize("shift", [3.0, 2.0 + 5.0j])
def test_implicit_steps_are_solved(boundary, shift):
    grid = _grid("u_t = 0.3*u_xx + 0.2*u_yy - u*u_x + 0.1*u*v; v_t = 0.5*v_xx + 0.1*v_yy - u", boundary, (15, 13))
    random = np.random.default_rng(2)
    y, right = random.uniform(0, 1, (2, 2 * grid.size))
    jacobian = grid.jacobian(0.0, y)
    assert isinstance(jacobian, TensorJacobian)
    dense = np.array([jacobian @ column for column in np.eye(len(y))]).T
    wanted = np.linalg.solve(shift * np.eye(len(y)) - dense, right.astype(complex))
    found = Shifted(shift, jacobian).solve(right.astype(complex), np.ones(len(y)))
    assert np.linalg.norm(found - wanted) < 1e-2 * np.linalg.norm(wanted)


def test_sides_may_be_named_in_several_ways():
    law, domain = Equation.parse("u_t = u_xx + u_yy"), {"x": (0.0, 1.0), "y": (0.0, 4.0)}
    ways = [
        {"left": "u=1", "right": "neumann", "bottom": "periodic", "top": "periodic"},
        {"x=0": {"u": 1}, "x=1": "u_x=0", "y": "periodic"},
        {"y": "periodic", "x=0.0": ("u", 1.0), "right": ["u_x=0"]},
    ]
    found = [read_boundary(way, law, domain, 1.0) for way in ways]
    assert all(each["y"].periodic for each in found)
    told = [{(c.side, c.order, c.value) for c in each["x"].given} for each in found]
    assert told[0] == told[1] == told[2] == {("left", 0, 1.0), ("right", 1, 0.0)}


@pytest.mark.parametrize(
    ("boundary", "message"),
    [
        ({"upper": "u=0"}, "sides 'left', 'right', 'bottom' and 'top'"),
        ({"y=2": "u=0"}, "side at y=0 or y=4"),
        ({"x": "neumann", "left": "u=0"}, "one entry for each side"),
        ({"left": "u_y=0", "right": "u=0", "y": "periodic"}, "derivatives along x"),
        ({"left": {"u": lambda t, s: s / 0}, "right": "u=0", "y": "periodic"}, "finite number"),
        (("neumann", "periodic"), "conditions per side"),
    ],
)
def test_bad_boundaries_are_told(boundary, message):
    with pytest.raises(InputError, match=message), np.errstate(all="ignore"):
        simulate("u_t = u_xx + u_yy", domain=((0, 1), (0, 4)), until=1, initial="1", boundary=boundary)


def test_missing_conditions_of_an_axis_are_told():
    solution = simulate(
        "u_t = u_xx + u_yy", domain=((0, 1), (0, 4)), until=1, initial="1", boundary={"x": "neumann", "top": "u=1"}
    )
    assert solution.status == "wrong-boundary"
    assert "1 boundary condition at the bottom and 1 at the top; got 0 at the bottom" in str(solution.message)


def test_what_turns_along_a_side_is_told():
    with pytest.raises(InputError, match="changes its sign along a side of x"):
        simulate("u_t = y*u_x", domain=((-1, 1), (-1, 1)), until=1, initial="1", boundary={"x": "dirichlet"})


def test_values_along_a_side_may_be_formulas():
    solution = simulate(
        "u_t = 0.1*u_xx + 0.1*u_yy", domain=((0, 1), (0, 1)), until=1, initial="cos(pi*y)*exp(-pi*x)",
        boundary={"left": "u=cos(pi*y)", "right": "u=exp(-pi)*cos(pi*y)", "y": "neumann"}, max_seconds=600,
    )  # fmt: skip
    # Harmonic, so that nothing changes.
    assert solution.at(1.0, 0.4, 0.3) == pytest.approx(np.exp(-0.4 * PI) * np.cos(0.3 * PI), abs=EXACT)


def test_a_field_of_one_place_in_y_is_that_of_one_axis():
    settings: dict[str, Any] = {"until": 1, "initial": "exp(-4*x^2)"}
    line = simulate("u_t = -u*u_x + 0.2*u_xx", domain=(-4, 4), **settings)
    plane = simulate("u_t = -u*u_x + 0.2*u_xx", domain={"x": (-4, 4), "y": (0, 1)}, **settings)
    x = np.linspace(-4, 4, 9)
    np.testing.assert_allclose(plane.at(1, x, 0.3), line.at(1, x), atol=1e-7)


def test_initial_states_may_be_arrays():
    x, y = np.linspace(0, 1, 41), np.linspace(0, 2, 32, endpoint=False)
    values = np.cos(PI * x)[:, None] * np.sin(PI * y)
    named = xr.DataArray(values, coords={"x": x, "y": y}).transpose("y", "x")[::-1]
    settings: dict[str, Any] = {"domain": ((0, 1), (0, 2)), "until": 0.5, "boundary": {"x": "neumann", "y": "periodic"}}
    for initial in (values, named):
        solution = simulate("u_t = 0.1*u_xx + 0.1*u_yy", initial=initial, max_seconds=600, **settings)
        assert solution.status == "ok", solution.message
        decay = np.exp(-0.2 * PI**2 * 0.5)
        assert solution.at(0.5, 0.2, 0.3) == pytest.approx(decay * np.cos(0.2 * PI) * np.sin(0.3 * PI), abs=EXACT)
    with pytest.raises(InputError, match="4 or more values along x and y"):
        simulate("u_t = u_xx + u_yy", initial=np.ones(9), **settings)


def test_inputs_may_depend_on_the_place():
    solution = simulate(
        "u_t = 0.1*u_xx + 0.1*u_yy + P", domain=((0, 1), (0, 1)), until=1, initial="0", boundary="neumann",
        inputs={"P": lambda t, x, y: np.cos(PI * x) * np.cos(PI * y)}, max_seconds=600,
    )  # fmt: skip
    rate = 0.2 * PI**2
    wanted = (1 - np.exp(-rate)) / rate * np.cos(0.3 * PI) * np.cos(0.1 * PI)
    assert solution.at(1.0, 0.3, 0.1) == pytest.approx(wanted, abs=EXACT)
    assert solution.dataset["P"].dims == ("t", "x", "y")


def test_a_domain_is_asked_for_each_axis():
    settings: dict[str, Any] = {"until": 1, "initial": "1"}
    for domain, message in (
        ((0, 1), "domain of a law in x and y"),
        ({"x": (0, 1)}, "speaks of y"),
        (((0, 1), (2, 1)), "left < right"),
        (((0, 1), (0, 1), (0, 1)), "one or two space dimensions"),
        ({"x": (0, 1), "w": (0, 1)}, "among x, y and z"),
    ):
        with pytest.raises(InputError, match=message):
            simulate("u_t = u_xx + u_yy", domain=domain, **settings)
    solution = simulate("u_t = u_xx + u_yy", domain=((0, 1), (0, 1)), **settings)
    with pytest.raises(InputError, match=r"solution.at\(t, x, y\)"):
        solution.at(1, 0.5)
    with pytest.raises(InputError, match="along one axis"):
        _ = solution.domain


def test_conditions_needed_of_each_side():
    settings: dict[str, Any] = {"domain": ((0, 1), (0, 1)), "initial": "1 + x"}
    assert conditions_needed(Equation.parse("u_t = -u*u_x + u_yy"), **settings) == {"u": (1, 0)}
    assert conditions_needed(Equation.parse("u_t = -u*u_x + u_yy"), axis="y", **settings) == {"u": (1, 1)}
