"""What is written down of the paper: it agrees with itself, and its laws, solved, give its e_L."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from pdescry.data import systems
from pdescry.equation import Equation, Term
from pdescry.experiments.paper import EXPERIMENTS, NOISES, TERMS, Published
from pdescry.metrics import coefficient_error, solution_error
from pdescry.solver import Solution, simulate

CELLS = [(name, method, noise) for name in EXPERIMENTS for method in ("stblr", "stols") for noise in NOISES]


def published(name: str, method: str, noise: float) -> Published:
    return getattr(EXPERIMENTS[name], method)[noise]


def law_of(cell: Published) -> Equation:
    return Equation.from_terms({Term.parse(term): value for term, value in cell.coefficients.items()}, "u")


@pytest.mark.parametrize(("name", "method", "noise"), CELLS)
def test_published_coefficients_have_the_published_e_c(name, method, noise):
    cell = published(name, method, noise)
    assert cell.coefficients.keys() <= set(map(str, TERMS))
    error = coefficient_error(law_of(cell), systems.get(name).equation)
    # Four decimals of each coefficient; the paper's STOLS of KdV at 0.01 is printed with three.
    assert error == pytest.approx(cell.e_C, abs=3e-4)


def solve(law: Equation, name: str) -> Solution:
    system, (places, times) = systems.get(name), EXPERIMENTS[name].published_grid
    return simulate(
        law,
        domain=system.domain,
        initial=system.initial,
        boundary=system.boundary,
        times=np.linspace(0, system.until, times),
        x=np.linspace(*system.domain, places),
    )


@cache
def truth_of(name: str) -> Solution:
    return solve(systems.get(name).equation, name)


def e_l(name: str, method: str, noise: float) -> float:
    found = solve(law_of(published(name, method, noise)), name)
    return solution_error(found.field, truth_of(name).field).total


# The others cannot be solved to the end, or are in the test below.
SOLVED = [
    *(("burgers", *cell) for cell in (("stblr", 0.0), ("stblr", 0.01), ("stols", 0.0))),
    *(("kdv", method, noise) for method in ("stblr", "stols") for noise in NOISES),
    *(("heat", "stblr", noise) for noise in NOISES),
]
QUICK = {("kdv", "stblr", 0.0), ("heat", "stblr", 0.0)}


@pytest.mark.parametrize(
    ("name", "method", "noise"),
    [pytest.param(*cell, marks=[] if cell in QUICK else pytest.mark.slow) for cell in SOLVED],
)
def test_published_laws_give_the_published_e_l_on_the_implied_grid(name, method, noise):
    assert e_l(name, method, noise) == pytest.approx(published(name, method, noise).e_L, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "noise", "ours"), [("stblr", 0.05, 12.05), ("stols", 0.01, 2.10)])
def test_two_published_laws_of_burgers_do_not(method, noise, ours):
    """Why is not known; its other laws agree, and these are resolved. The document tells so."""
    assert e_l("burgers", method, noise) == pytest.approx(ours, abs=0.01)
