"""Laws with known inputs against closed forms, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.solver import conditions_needed, simulate

TIMES, POWER = [0.0, 1.0, 1.3, 2.77, 5.0], [0.0, 2.0, -1.0, 0.5, 0.5]
T = np.linspace(0, 5, 173)
HELD = np.interp(T, TIMES, np.cumsum([0, 0, 2 * 0.3, -1.47, 0.5 * 2.23]))  # ∫ of the held power


@dataclass(frozen=True)
class Logged:
    """As the input of readings: samples in time, held or linear, at places or everywhere."""

    time: np.ndarray
    values: np.ndarray
    between: str
    space: np.ndarray | None = None

    def at(self, time, space):
        assert space.shape == (len(time), 1)
        if self.between == "held":
            return self.values[np.searchsorted(self.time, time, side="right") - 1]
        return np.interp(time, self.time, self.values)


SAME = {
    "samples": (TIMES, POWER, "held"),
    "a logged input": Logged(np.array(TIMES), np.array(POWER), "held"),
    "a function": lambda t: POWER[np.searchsorted(TIMES, t, side="right") - 1],
    "a function of both": lambda t, x: np.full_like(x, POWER[np.searchsorted(TIMES, t, side="right") - 1]),
}


@pytest.mark.parametrize("given", SAME.values(), ids=SAME)
def test_a_switched_input_is_integrated_exactly(given):
    solution = simulate("u_t = P", domain=(0, 1), until=5, initial="0", inputs={"P": given})
    assert solution.status == "ok"
    np.testing.assert_allclose(solution.at(T, 0.3), HELD, atol=1e-6)


def test_steps_end_at_jumps():
    solution = simulate("u_t = P", domain=(0, 1), until=5, initial="0", inputs={"P": (TIMES, POWER, "held")})
    assert set(TIMES) <= set(solution.pieces["u"].times)
    assert solution.steps < 40


def test_a_log_that_seldom_changes_costs_few_steps():
    every_second = np.linspace(0, 5, 5001)
    log = Logged(every_second, np.where(every_second < 2, 0.0, 3.0), "held")
    solution = simulate("u_t = P - u", domain=(0, 1), until=5, initial="0", inputs={"P": log}, verify=False)
    assert solution.at(5, 0.5) == pytest.approx(3 * (1 - np.exp(-3)), rel=1e-8)
    assert solution.steps < 200


def test_straight_lines_between_samples():
    solution = simulate("u_t = P - u", domain=(0, 1), until=5, initial="1", inputs={"P": ([0, 2, 5], [0, 2, 2])})
    rising = T[T <= 2]
    exact = np.where(T <= 2, T - 1 + 2 * np.exp(-T), 2 - (1 - 2 * np.exp(-2)) * np.exp(-(T - 2)))
    assert len(rising) > 50
    np.testing.assert_allclose(solution.at(T, 0.5), exact, atol=1e-8)


@pytest.mark.parametrize("width", [0.1, 0.02])
def test_a_narrow_pulse_is_noticed(width):
    # Smooth, from a field that is zero and stays so half of the time: neither missed nor taken for a blow-up.
    solution = simulate(
        "u_t = P", domain=(0, 1), until=5, initial="0", inputs={"P": f"exp(-((t - 2.5)/{width})^2)"}, verify=False
    )
    assert solution.status == "ok"
    assert solution.at(5, 0.5) == pytest.approx(width * np.sqrt(np.pi), rel=1e-7)


def test_one_short_sample_is_noticed():
    pulse = ([0, 4.0, 4.0001, 10], [0, 1e4, 0, 0], "held")
    solution = simulate("u_t = 0.1*u_xx + P", domain=(0, 1), until=10, initial="0", inputs={"P": pulse})
    assert solution.at([3.9, 9], 0.5) == pytest.approx([0, 1], abs=1e-6)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_units_of_the_input_do_not_matter(unit):
    solution = simulate(
        "u_t = 0.1*u_xx - u + P",
        domain=(0, 1),
        until=1,
        initial="0",
        inputs={"P": ([0, 0.5, 1], [0, unit, unit], "held")},
    )
    assert solution.status == "ok"
    assert solution.at(1, 0.2) == pytest.approx(unit * (1 - np.exp(-0.5)), rel=1e-7)


@pytest.mark.parametrize("boundary", ["periodic", "dirichlet"])
def test_a_manufactured_solution(boundary):
    # u = cos(t)·sin(2πx) for u_t = u_xx + q.
    solution = simulate(
        "u_t = u_xx + q", domain=(0, 1), until=2, initial="sin(2*pi*x)", boundary=boundary,
        inputs={"q": "(4*pi^2*cos(t) - sin(t))*sin(2*pi*x)"}, verify=False,
    )  # fmt: skip
    t, x = np.linspace(0, 2, 21)[:, None], np.linspace(0, 1, 33)[None, :]
    np.testing.assert_allclose(solution.at(t, x), np.cos(t) * np.sin(2 * np.pi * x), atol=1e-8)
    np.testing.assert_allclose(solution.at(t, x, of="u_t"), -np.sin(t) * np.sin(2 * np.pi * x), atol=1e-6)


def test_a_wave_that_is_driven():
    # A switched uniform push beside a standing wave: the two do not mix.
    push = ([0, 0.5, 1.0, 2.0], [1.0, -1.0, 0.0, 0.0], "held")
    solution = simulate(
        "u_tt = u_xx + P", domain=(0, 1), until=2, initial="cos(2*pi*x)", boundary="periodic", inputs={"P": push}
    )
    assert solution.status == "ok"
    pushed = np.where(T <= 0.5, T**2 / 2, np.where(T <= 1, 0.125 + 0.5 * (T - 0.5) - (T - 0.5) ** 2 / 2, 0.25))
    inside = T <= 2
    np.testing.assert_allclose(
        solution.at(T[inside], 0.1), np.cos(2 * np.pi * T[inside]) * np.cos(0.2 * np.pi) + pushed[inside], atol=1e-7
    )


def test_an_input_that_switches_beside_ends_that_are_held():
    # The input pushes where the boundary does not give way: a layer at either end after each jump.
    solution = simulate(
        "u_t = u_xx + P", domain=(0, 1), until=1, initial="0", boundary="dirichlet", verify=False,
        inputs={"P": ([0, 0.3, 1], [0, 1, 1], "held")},
    )  # fmt: skip
    assert solution.status == "ok"
    x, odd = np.linspace(0, 1, 21), np.pi * np.arange(1, 400, 2)
    for since in (0.02, 0.7):
        exact = np.sin(np.outer(x, odd)) @ (4 / odd**3 * (1 - np.exp(-(odd**2) * since)))
        np.testing.assert_allclose(solution.at(0.3 + since, x), exact, atol=1e-7)


def test_a_law_that_an_input_makes_ill_posed():
    solution = simulate(
        "u_t = P*u_xx",
        domain=(0, 1),
        until=1,
        initial="sin(2*pi*x)",
        inputs={"P": ([0, 0.5, 1], [0.1, -0.1, 0], "held")},
    )
    assert solution.status == "ill-posed"
    assert solution.reached == pytest.approx(0.5, abs=0.02)


def test_growth_by_an_input_is_no_blow_up_but_a_blow_up_is():
    quick = {"domain": (0, 1), "rtol": 1e-6, "min_points": 9}
    growing = simulate("u_t = P*u", until=30, initial="1e-9", inputs={"P": 1}, **quick)
    assert growing.status == "ok"
    late = ([0, 1, 5], [0, 1, 1], "held")
    started = simulate("u_t = u^2 + P", until=5, initial="0", inputs={"P": late}, **quick)
    assert started.status == "blow-up"
    assert started.reached == pytest.approx(1 + np.pi / 2, abs=0.01)


def test_the_dataset_notes_the_inputs():
    law = Equation.parse("u_t = P + Q", inputs=("P", "Q"))
    solution = simulate(law, domain=(0, 1), until=1, initial="0", inputs={"P": 2, "Q": "t*sin(2*pi*x)"}, verify=False)
    data = solution.dataset
    assert list(data.data_vars) == ["u"]
    assert data["P"].dims == ("t",)
    np.testing.assert_allclose(data["P"], 2)
    assert data["Q"].dims == ("t", "x")


def test_conditions_that_a_law_with_an_input_takes():
    law = Equation.parse("u_t = -P*u_x", inputs=("P",))
    assert conditions_needed(law, domain=(0, 1), initial="1", inputs={"P": 1.0}) == {"u": (1, 0)}
    assert conditions_needed(law, domain=(0, 1), initial="1", inputs={"P": -1.0}) == {"u": (0, 1)}


LAW = Equation.parse("u_t = u_xx + P", inputs=("P",))
BAD = {
    "missing": (None, r"needs the input P; pass inputs=\{'P': …\}"),
    "not in the law": ({"P": 1, "Q": 2}, "contains no input Q"),
    "not a mapping": ([1, 2], r"inputs=\{'P': …\}"),
    "too short": ({"P": ([0, 0.5], [1, 2])}, "from t = 0 to 0.5, but the solution goes from 0 to 1"),
    "too late": ({"P": ([0.2, 2], [1, 2], "held")}, "whole time span"),
    "an object too short": ({"P": Logged(np.array([0, 0.5]), np.ones(2), "held")}, "whole time span"),
    "a sample that is missing": ({"P": ([0, 1], [1, np.nan])}, "not finite; remove"),
    "a function that ends": ({"P": lambda t: np.sqrt(0.5 - t)}, "not finite at t = 0.51"),
    "a formula without an end": ({"P": "1/t"}, "not finite at t = 0"),
    "a number without an end": ({"P": float("nan")}, "not finite"),
    "a function that fails": ({"P": lambda t: [][1]}, "could not be computed at t = 0"),
    "a function of a wrong shape": ({"P": lambda t: np.ones(3)}, "could not be computed"),
    "an unknown coordinate": ({"P": "sin(q)"}, "Unknown name 'q'"),
    "an unknown kind": ({"P": ([0, 1], [1, 2], "spline")}, "'linear' or 'held'"),
    "unequal lengths": ({"P": ([0, 1], [1, 2, 3])}, "as many values as times"),
    "times in disorder": ({"P": ([0, 2, 1], [1, 2, 3])}, "increasing times"),
    "no numbers": ({"P": ("abc", [1, 2])}, "two lists of numbers"),
    "nothing that is known": ({"P": None}, "a function of t"),
}


@pytest.mark.parametrize(("inputs", "says"), BAD.values(), ids=BAD)
def test_bad_inputs_are_told(inputs, says):
    with pytest.raises(InputError, match=says):
        simulate(LAW, domain=(0, 1), until=1, initial="0", inputs=inputs)


def test_a_text_with_a_name_that_is_no_input():
    with pytest.raises(InputError, match="inputs="):
        simulate("u_t = u_xx + P", domain=(0, 1), until=1, initial="0")
