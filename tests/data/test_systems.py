"""The named systems: solvable, true to their laws, and the paper's exactly as it states them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from pdescry import Equation, systems
from pdescry.equation.term import Derivative, Factor
from pdescry.errors import InputError
from pdescry.solver.evaluate import evaluate_terms
from pdescry.solver.linearise import variables_of

SLOW = {"fitzhugh_nagumo", "kdv_two_solitons", "phi4", "predator_prey", "shallow_water", "wave"}  # to solve
SLOW |= {name for name in systems.NAMES if name.endswith("2d")} - {"heat_2d", "allen_cahn_2d"}


def some_slow(names):
    return [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in names]


@pytest.mark.parametrize("name", some_slow(systems.NAMES))
def test_every_system_has_a_solution_and_gives_readings(name):
    system = systems.get(name)
    assert system.name == name
    assert system.solution.status == "ok"
    readings = system.observe(noise="5%", seed=1)
    sensors = 16 if len(system.extent) == 1 else 60
    assert readings.n_sensors == sensors
    assert readings.axes == tuple(system.extent)
    assert readings.fields == system.equation.fields
    assert len(readings) == sensors * (round(system.until / system.every) + 1)


PAPER = {
    "burgers": ("u_t = -1*u*u_x + 0.1*u_xx", (-8, 8), 10, 0.2, lambda x: -np.sin(np.pi * x / 8)),
    "kdv": ("u_t = -1*u*u_x - 1*u_xxx", (-20, 20), 40, 0.8, lambda x: np.cos(-np.pi * x / 20)),
    "heat": ("u_t = 2*u_xx", (0, 10), 10, 0.2, lambda x: 10 * np.cos(np.pi * (x - 5) / 10)),
}


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_systems_are_as_it_states_them(name):
    law, domain, until, every, initial = PAPER[name]
    system = systems.get(name)
    assert system.equation == Equation.parse(law)
    assert (system.domain, system.until, system.every) == (domain, until, every)
    x = np.linspace(*domain, 50)[1:-1]
    if name != "heat":  # whose start does not meet its boundary condition
        np.testing.assert_allclose(system.solution.at(0, x), initial(x), atol=1e-8)
    else:
        np.testing.assert_allclose(system.solution.at(0, x), initial(x), atol=0.05)


def test_the_papers_boundary_conditions():
    t = np.linspace(0.5, 10, 7)
    for end in (-8, 8):
        np.testing.assert_allclose(systems.burgers().solution.at(t, end), 0, atol=1e-9)
    for end in (0, 10):
        np.testing.assert_allclose(systems.heat().solution.at(t, end, of="u_x"), 0, atol=1e-7)
    kdv = systems.kdv().solution
    np.testing.assert_allclose(kdv.at(t, -20, of="u_x"), kdv.at(t, 20, of="u_x"), atol=1e-9)


def anywhere(system, random, number) -> list[Any]:
    """Coordinates of places inside its domain."""
    return [low + random.uniform(0.05, 0.95, number) * (high - low) for low, high in system.extent.values()]


FIRST_ORDER = [name for name in systems.NAMES if systems.get(name).equation.components[0].time_order == 1]
SECOND_ORDER = sorted(set(systems.NAMES) - set(FIRST_ORDER))


@pytest.mark.parametrize("name", some_slow(FIRST_ORDER))
def test_the_field_obeys_its_law(name):
    # u_t by differences in time against the right side, at points of one's own choice.
    system = systems.get(name)
    random = np.random.default_rng(5)
    t = random.uniform(0.2, 0.9, 20) * system.until
    places = anywhere(system, random, 20)
    step = 1e-4 * system.until
    for field in system.equation.fields:
        ahead, behind = (system.solution.at(t + sign * step, *places, of=field) for sign in (1, -1))
        right = system.solution.at(t, *places, of=f"{field}_t")
        np.testing.assert_allclose((ahead - behind) / (2 * step), right, atol=2e-3 * max(1.0, np.abs(right).max()))


@pytest.mark.parametrize("name", some_slow(SECOND_ORDER))
def test_the_field_obeys_its_law_of_second_order(name):
    system = systems.get(name)
    random = np.random.default_rng(5)
    t = random.uniform(0.2, 0.9, 40) * system.until
    places = anywhere(system, random, 40)
    step = 5e-4 * system.until
    ahead, here, behind = (system.solution.at(t + sign * step, *places) for sign in (1, 0, -1))
    values: dict[Factor, np.ndarray] = {Derivative("u"): here, Derivative("u", "t"): (ahead - behind) / (2 * step)}
    for axis in system.extent:
        values[Derivative("u", 2 * axis)] = system.solution.at(t, *places, of=f"u_{2 * axis}")
    right = evaluate_terms(system.equation.coefficients, values, t)
    np.testing.assert_allclose((ahead - 2 * here + behind) / step**2, right, atol=2e-3 * max(1.0, np.abs(right).max()))


def rms(values):
    return np.sqrt(np.mean(values**2))


NEW = ("schrodinger", "gray_scott", "predator_prey", "shallow_water", "damped_wave", "telegraph", "phi4", "heated_rod")
NEW += tuple(name for name in systems.NAMES if name.endswith("2d") and name != "wave_2d")  # whose two terms cancel


@pytest.mark.parametrize("name", some_slow(NEW))
def test_every_term_matters_and_the_field_keeps_moving(name):
    system = systems.get(name)
    solution, law = system.solution, system.equation
    step = 5e-4 * system.until
    t = np.linspace(0.02, 0.98, 49) * system.until
    each_axis = [
        np.linspace(low, high, 62 if len(system.extent) == 1 else 18)[1:-1] for low, high in system.extent.values()
    ]
    flat: Any = [each.ravel() for each in np.meshgrid(t, *each_axis, indexing="ij")]
    t, *places = flat
    values: dict[Factor, np.ndarray] = {
        Derivative(known): solution.inputs[known].scattered(t, *places) for known in law.inputs
    }
    for variable in variables_of(law):
        if variable.axes == "t":
            values[variable] = (solution.at(t + step, *places) - solution.at(t - step, *places)) / (2 * step)
        else:
            values[variable] = solution.at(t, *places, of=f"{variable.field}_{variable.axes}".rstrip("_"))
    for component in law.components:
        left = evaluate_terms(component.coefficients, values, t)
        for term, coefficient in component.terms:
            assert rms(evaluate_terms({term: coefficient}, values, t)) > 0.1 * rms(left), term
        assert rms(left[len(left) // 10 :]) > 0.5 * rms(left)


def test_the_heater_is_known_and_switched():
    system = systems.heated_rod()
    times, values, between = system.inputs["P"]
    assert (times[0], times[-1], between) == (0, system.until, "held")
    mean = system.solution.at(np.array(times)[:, None], (np.arange(40)[None, :] + 0.5) / 20).mean(axis=1)
    # Insulated ends: the mean obeys m' = -0.2·m + 0.5·P exactly, whatever diffusion does.
    for (begin, end), power, before, after in zip(itertools.pairwise(times), values, mean, mean[1:], strict=False):
        level = 2.5 * power
        assert after == pytest.approx(level + (before - level) * np.exp(-0.2 * (end - begin)), rel=1e-6)


def test_as_in_the_paper():
    readings = systems.burgers().observe(sensors=16, every=0.2, noise=0.05, seed=3)
    assert len(readings) == 816  # 16 sensors × 51 times, as its released data
    assert readings.times[-1] == 10
    error = readings.values[:, 0] - systems.burgers().solution.at(readings.time, readings.space[:, 0])
    assert error.std() == pytest.approx(0.05, rel=0.1)
    assert readings.span["t"] == (0, 10)


def test_a_wrong_name_is_told_with_the_nearest():
    with pytest.raises(InputError, match="Did you mean 'burgers'"):
        systems.get("burger")
