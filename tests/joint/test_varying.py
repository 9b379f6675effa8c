"""Coefficients that vary along the axis: powers about the middle, curves with a band, words, and when they are told."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pdescry
from pdescry import Choice, InputError, Joint, JointFit, Readings, choose, refine
from pdescry.equation import Term
from pdescry.executor import Inline
from pdescry.joint.field.process import Baseline
from pdescry.joint.fit.centring import centring, has_higher_power
from pdescry.joint.profiles import notices_of, profiles_of, requested_but_constant, table_of
from pdescry.joint.search.fitted_law import FittedLaw, Rules, soft_fit
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.search import Search
from pdescry.joint.search.varying import Vary, _may_vary, varied
from pdescry.notices import Notice
from pdescry.problem import Candidate, Known, Problem
from tests.joint.conftest import compared, start_of


def named(*texts: str) -> tuple[Candidate, ...]:
    return tuple(Candidate("u", Term.parse(text)) for text in texts)


@cache
def rod(slope: float, origin: float = 0.0) -> Readings:
    """A rod of diffusivity 0.03 in the middle, ends held at 0; noise 0.5 % of the largest reading."""
    law = f"u_t = {0.03 - slope / 2}*u_xx + {slope}*x*u_xx"
    times, random = np.linspace(0, 1.5, 11), np.random.default_rng(5)
    start = "sin(pi*x) + 0.8*sin(2*pi*x) + 0.5*sin(3*pi*x)"
    places = np.linspace(0.04, 0.96, 9)
    solved = pdescry.simulate(law, domain=(0, 1), times=times, initial=start, boundary="dirichlet", x=places)
    values = np.array(solved["u"].values)
    values += 0.005 * values.max() * random.standard_normal(values.shape)
    t, x = np.meshgrid(times, places, indexing="ij")
    return Readings.from_arrays(t.ravel(), (x + origin).ravel(), values.ravel())


@pytest.fixture(scope="module")
def fit() -> JointFit:
    return refine(rod(0.03), ["u_xx", "x*u_xx"], workers=1)


# ---- powers about the middle -----------------------------------------------------------------------------------------


def test_centring_leaves_the_polynomial_as_it_is() -> None:
    terms = named("u_xx", "u_x", "x*u_xx", "x^2*u_xx")
    basis = centring(terms, {"x": 3.0, "t": 1.0})
    values = np.array([0.5, 7.0, -0.2, 0.1])
    about, x = basis @ values, np.linspace(-1, 9, 5)
    whole = values[0] + values[2] * x + values[3] * x**2
    np.testing.assert_allclose(about[0] + about[2] * (x - 3) + about[3] * (x - 3) ** 2, whole)
    assert about[1] == 7.0
    assert np.linalg.det(basis) == pytest.approx(1.0)


def test_only_the_highest_power_has_to_gain() -> None:
    assert has_higher_power(named("u_xx", "x*u_xx", "u_x", "x^2*u_xx")).tolist() == [True, True, False, False]


def test_the_profile_is_that_of_the_readings(fit: JointFit) -> None:
    table = fit.profiles
    place, mean, sd = (table[name].to_numpy(float) for name in ("place", "mean", "sd"))
    off = (mean - (0.015 + 0.03 * place)) / sd
    assert set(table["term"]) == {"u_xx"}
    assert np.abs(off).max() < 4
    assert sd.max() < 0.003


@pytest.mark.slow
def test_the_origin_of_the_axis_changes_nothing(fit: JointFit) -> None:
    moved = refine(rod(0.03, origin=100.0), ["u_xx", "x*u_xx"], workers=1)
    for column in ("mean", "sd"):
        np.testing.assert_allclose(moved.profiles[column], fit.profiles[column], rtol=0.02)
    assert moved.elpd == pytest.approx(fit.elpd, abs=0.2)


# ---- curves and words ------------------------------------------------------------------------------------------------


def test_the_band_follows_from_the_covariance(fit: JointFit) -> None:
    x = fit.profiles["place"].to_numpy(float)
    variance = fit.covariance[0, 0] + 2 * x * fit.covariance[0, 1] + x**2 * fit.covariance[1, 1]
    np.testing.assert_allclose(fit.profiles["sd"], np.sqrt(variance))
    np.testing.assert_allclose(fit.profiles["high"] - fit.profiles["mean"], 1.959964 * np.sqrt(variance), rtol=1e-6)


def test_the_law_is_printed_with_one_coefficient(fit: JointFit) -> None:
    assert str(fit).startswith("u_t = (0.0")
    assert str(fit).endswith("*x)*u_xx")
    assert str(fit.variation[0]).startswith("The coefficient of u_xx grows from 0.01")
    assert str(fit.variation[0]) in repr(fit)


def told(texts: tuple[str, ...], values: list[float], sds: list[float]) -> list[str]:
    terms = named(*texts)
    found = profiles_of(terms, np.array(values), np.diag(np.square(sds)), "x")
    return list(map(str, notices_of(found, terms, (0.0, 1.0))))


def test_how_a_coefficient_varies_in_words() -> None:
    (falls,) = told(("u_xx", "x*u_xx"), [0.03, -0.01], [0.001, 0.002])
    assert falls == "The coefficient of u_xx falls from 0.0300(10) at x = 0 to 0.0200(22) at x = 1."
    (bends,) = told(("u", "x*u", "x^2*u"), [1.0, -4.0, 4.0], [0.1, 0.1, 0.1])
    assert "varies along x: least, " in bends
    assert "at x = 0.5;" in bends
    assert told(("u_xx", "u_x"), [1.0, 1.0], [0.1, 0.1]) == []
    assert told(("x*u_x",), [1.0], [0.1]) == []  # a term of its own


def test_conservation_form_is_told_where_the_slope_agrees() -> None:
    texts, sds = ("u_xx", "x*u_xx", "u_x"), [0.001, 0.001, 0.002]
    assert "conservation form, (D*u_x)_x" in told(texts, [0.02, 0.01, 0.011], sds)[-1]
    assert len(told(texts, [0.02, 0.01, 0.03], sds)) == 1
    parabola = ("u_xx", "x*u_xx", "x^2*u_xx", "u_x", "x*u_x")
    assert "conservation" in told(parabola, [0.02, 0.01, 0.01, 0.01, 0.02], [0.001] * 5)[-1]
    assert "conservation" not in told(parabola, [0.02, 0.01, 0.01, 0.01, 0.0], [0.001] * 5)[-1]


def test_no_profiles_have_the_same_columns() -> None:
    assert list(table_of([], (0, 1))) == ["field", "term", "place", "mean", "sd", "low", "high"]


def test_what_was_asked_in_vain_is_told() -> None:
    asked = named("u_xx", "u")
    changes = pd.DataFrame({"field": ["u"], "term": ["x*u_xx"], "score": [-7.25]})
    constant, missing = requested_but_constant(asked, {asked[0]: 1.0}, changes, "x")
    assert str(constant) == "The coefficient of u_xx is constant along x: one that varies scores 7.2 nats less."
    assert missing == Notice.of("not-in-law", term="u")
    assert requested_but_constant(asked[:1], dict.fromkeys(named("u_xx", "x*u_xx"), 1.0), changes, "x") == []


# ---- which may vary --------------------------------------------------------------------------------------------------


def test_laws_are_whole_polynomials() -> None:
    problem = Problem.of(rod(0.0), ["u_xx", "u_x"], time_order=1)
    wider = problem.with_varying(named("u_xx"))
    assert set(wider.candidates) == set(named("u_x", "u_xx", "x*u_xx", "x^2*u_xx", "x^3*u_xx"))
    assert wider.known.candidates == wider.candidates
    assert wider.is_whole(named("u_xx", "x*u_xx"))
    assert not wider.is_whole(named("u_xx", "x^2*u_xx"))
    assert not wider.is_whole(named("u_x", "x*u_xx"))
    assert wider.with_varying(named("u_xx")).candidates == wider.candidates


def test_terms_to_vary_are_candidates() -> None:
    problem = Problem.of(rod(0.0), ["u_xx", "u_x"], time_order=1, known=["u_x = 2"])
    assert Vary.of(("u_xx",), problem).asked == named("u_xx")
    assert Vary.of(None, problem).unasked
    assert Vary.of(("all",), problem) == Vary(True)
    assert Vary.of(("none",), problem).terms_of(named("u_xx"), problem) == ()
    assert Vary.of(("all",), problem).terms_of(named("u_xx", "u_x"), problem) == named("u_xx")
    with pytest.raises(InputError, match="among the candidates"):
        Vary.of(("u_xxx",), problem)
    with pytest.raises(InputError, match="either known or to vary"):
        Vary.of(("u_x",), problem)


def test_a_power_is_one_choice_more() -> None:
    known, powers = Known(named("u_xx", "u", "x*u_xx")), frozenset(named("x*u_xx"))
    without = Rules(Known(known.candidates[:2])).naming(known.candidates[:2])
    asked, unasked = Rules(known, powers), Rules(known, powers, powers)
    np.testing.assert_allclose(asked.naming(known.candidates), [*without, np.log(2)])
    np.testing.assert_allclose(unasked.naming(known.candidates), [*without, SEARCH.varying.penalty])


# ---- found, or not ---------------------------------------------------------------------------------------------------


def searched(readings: Readings, vary: tuple[str, ...] | None) -> tuple[Search, list[FittedLaw]]:
    """What the check adds to a search that has seen u_xx alone."""
    problem = Problem.of(readings, ["u", "u_x", "u_xx"], time_order=1)
    search = Search(problem, 1, 1, 1, Inline(), lambda what, fraction, left=None: None)
    start = start_of(problem)
    soft = search.all_fitted([(soft_fit, (start, named("u_xx")))], "", 0, 0)
    return varied(search, soft, [start], Vary.of(vary, problem))


def test_a_coefficient_that_varies_is_found_unasked() -> None:
    search, laws = searched(rod(0.03), None)
    assert laws[0].key == frozenset(named("u_xx", "x*u_xx"))
    assert search.unasked == frozenset(named("x*u_xx", "x*u_x"))
    assert laws[0].found.about_middle[named("u_xx")[0]] == pytest.approx(0.03, rel=0.03)


def test_a_constant_one_stays_constant() -> None:
    search, laws = searched(rod(0.0), None)
    assert laws == []
    assert not search.problem.varying
    asked, laws = searched(rod(0.0), ("u_xx",))
    assert laws == []
    assert named("x*u_xx")[0] in asked.problem.candidates  # so that the table of changes has what it would cost


SUFFICES = {"is_satisfied": True, "shows_offsets": False, "noisier": False, "complicated": False, "error": 0.01}


@pytest.mark.parametrize(
    ("what", "value"),
    [("is_satisfied", False), ("shows_offsets", True), ("noisier", True), ("complicated", True), ("error", 0.05)],
)
def test_what_has_to_be_wrong_with_constant_ones(what: str, value: Any) -> None:
    """Before coefficients are varied that nobody asked for."""

    def may_vary(sensors: int, **law: Any) -> bool:
        table = pd.DataFrame({"inside": [True], "readings": [10], "rms_error": law["error"], "expected": 0.01})
        fitted: Any = SimpleNamespace(**law, is_noisier_than=lambda start: law["noisier"], held_out=table)
        problem = SimpleNamespace(experiments=[SimpleNamespace(n_sensors=sensors)])
        search: Any = SimpleNamespace(problem=problem, complicated=lambda each: ["u*u_xx"] * each.complicated)
        start: Any = None
        return _may_vary(fitted, [fitted], search, start, {"u": {"smooth": Baseline(0.0, 0.03, 10)}})

    assert not may_vary(12, **SUFFICES)
    assert may_vary(12, **SUFFICES | {what: value})
    assert not may_vary(6, **SUFFICES | {what: value})


def test_profiles_are_kept(fit: JointFit, tmp_path: Path) -> None:
    choice = compared(fit)
    whole = replace(choice.comparison, profiles=fit.profiles, variation=fit.variation)
    choice = replace(choice, comparison=whole)
    assert choice.remarks[0] == fit.variation[0]
    choice.save(tmp_path / "joint.nc")
    again = Choice.load(tmp_path / "joint.nc", fit.readings)
    pd.testing.assert_frame_equal(again.comparison.profiles, fit.profiles)
    assert again.comparison.variation == fit.variation


@pytest.mark.slow
def test_a_rod_whose_diffusivity_grows() -> None:
    found = choose(rod(0.03), ["u", "u_x", "u_xx"], workers=1)
    assert {str(each.term) for each in found.fit.terms} == {"u_xx", "x*u_xx"}
    assert set(found.laws[0].summary["term"]) == {"u_xx", "x*u_xx"}
    constant = choose(rod(0.0), ["u", "u_x", "u_xx"], Joint(vary=("u_xx",)), workers=1)
    assert [str(each.term) for each in constant.fit.terms] == ["u_xx"]
    assert constant.comparison.variation[0].code == "constant-coefficient"
