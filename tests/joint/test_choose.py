"""Laws found among candidates: one field, waves, several fields, inputs; and readings that tell no law are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdescry import Choice, Readings, choose, systems
from pdescry.equation import Term
from pdescry.errors import InputError
from pdescry.executor import Inline
from pdescry.joint import Joint
from pdescry.joint.field.process import Baseline
from pdescry.joint.fit.held_out import errors, score
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.stages import with_terms
from pdescry.joint.inference import JointInference, PartlyFree
from pdescry.joint.search.complexity import gains, naming_costs, penalty
from pdescry.joint.search.fitted_law import FittedLaw, fit_with_terms, judged, soft_fit
from pdescry.joint.search.neighbours import Neighbourhood
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.proposals import proposals
from pdescry.joint.search.search import Search
from pdescry.joint.search.verdict import missed, reasons_against
from pdescry.notices import Notice
from pdescry.problem import Candidate, Problem
from tests.joint.conftest import observed, start_of
from tests.joint.test_storage import again, assert_same

FEW = ("u", "u_x", "u_xx", "u*u_x", "u*u_xx")


def law_of(choice: Choice) -> set[str]:
    return {str(each) for each in choice.fit.terms}


def never() -> list[Any]:
    raise AssertionError("No network is asked for where a law is told, or where readings show no dynamics.")


# ---- one field -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def told() -> list[tuple[str, float]]:
    """What is told of progress."""
    return []


@pytest.fixture(scope="module")
def chosen(heat: Readings, told: list[tuple[str, float]]) -> Choice:
    """With the order in time to be found, too."""

    def tell(what: str, fraction: float, left: float | None = None) -> None:
        told.append((what, fraction))

    return choose(heat, FEW, workers=1, progress=tell, train=never)


def test_the_terms_are_found(chosen: Choice) -> None:
    assert law_of(chosen) == {"u: u_xx"}
    assert chosen.fit.orders == (1,)
    assert abs(chosen.fit.values[0] - 2) < 4 * chosen.fit.sd[0]
    assert chosen.fit.sd[0] < 0.05
    table: Any = chosen.comparison.probabilities
    assert table["term"].tolist() == list(FEW)
    assert set(table["field"]) == {"u"}
    probabilities = dict(zip(table["term"], table["probability"], strict=True))
    assert probabilities.pop("u_xx") > 0.9
    assert max(probabilities.values()) < 0.1
    alternatives: Any = chosen.comparison.alternatives
    assert list(alternatives) == ["terms", "law", "elpd", "score", "probability"]
    assert 0.9 < alternatives["probability"].sum() <= 1  # the rest: laws that were scored in closed form only
    assert alternatives["score"].tolist() == sorted(alternatives["score"], reverse=True)


def test_a_law_beats_what_knows_none(chosen: Choice) -> None:
    comparison = chosen.comparison
    baselines = comparison.baselines["u"]
    assert (comparison.reason, comparison.reasons) == (None, {})
    assert chosen.fit.elpd > max(baselines.values()) + 20
    assert baselines["constant"] < baselines["smooth"]


def test_what_each_candidate_would_change(chosen: Choice) -> None:
    """Worse without a term of the law, and not better with another: else it would not be the best one near it."""
    table: Any = chosen.comparison.single_term_changes.set_index("term")
    assert list(table.index) == list(FEW)
    assert table["kept"].tolist() == [term == "u_xx" for term in FEW]
    assert np.isnan(table.loc["u_xx", "score"])  # without its only term there is no law
    others = table.drop(index="u_xx")
    assert (others["score"] < others["gain"]).all()
    assert (others["score"] < 0).all()
    found, values = chosen.fit.minimum, np.append(chosen.fit.values, 0.0)
    more = (*chosen.fit.terms, Candidate("u", chosen.fit.problem.term("u")))
    fitted = with_terms(found, more, values).minimise(found.states, values, 20)
    assert others.loc["u", "gain"] == pytest.approx(score(fitted) - chosen.fit.elpd, abs=1.0)


def test_neighbours_of_a_nonlinear_fit_are_about_what_a_fit_of_them_gives(chosen: Choice) -> None:
    found = chosen.fit.minimum
    around = Neighbourhood(found, chosen.candidates, np.full(len(FEW), 5.0))
    steps, own = found.solved.step()  # the closed form counts what the fit left of its last steps
    there = replace(found, states=(found.states[0] + steps[0],), coefficients=found.coefficients + own)
    assert around.own.elpd == pytest.approx(score(there), abs=0.05)
    near = around.of((*around.kept, FEW.index("u_x")))
    fitted = with_terms(found, near.terms, near.coefficients).minimise(found.states, near.coefficients, 10)
    assert near.elpd == pytest.approx(score(fitted), abs=0.5)
    np.testing.assert_allclose(near.coefficients, fitted.coefficients, atol=0.2 * np.sqrt(fitted.covariance.max()))


def test_progress_is_told_and_never_falls(chosen: Choice, told: list[tuple[str, float]]) -> None:
    fractions = [fraction for _, fraction in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert list(dict.fromkeys(what for what, _ in told)) == [
        "looking at the readings", "trying laws", "tightening laws", "refining the mesh", "adding and dropping terms",
        "finishing",
    ]  # fmt: skip


def test_a_term_pays_for_its_name_and_for_its_digits() -> None:
    one, prior, ten = np.array([[1e-4]]), np.array([1.0]), np.log([10.0])
    sure = penalty(np.array([1.0]), one, prior, ten)
    assert sure == pytest.approx(np.log(10) + np.log(100))
    assert penalty(np.array([1.0]), one, prior, 2 * ten) == pytest.approx(sure + np.log(10))
    assert penalty(np.zeros(0), np.zeros((0, 0)), np.zeros(0), np.zeros(0)) == 0
    # A coefficient of one sd does not gain its penalty, one of ten does.
    assert gains(np.array([0.01]), one, prior, ten, np.array([False])) == pytest.approx(0.5 - sure)
    assert gains(np.array([0.1]), one, prior, ten, np.array([False])) == pytest.approx(50 - sure)
    assert gains(np.array([0.01]), one, prior, ten, np.array([True])) == np.inf


def test_complicated_terms_have_longer_names() -> None:
    """Beforehand they are less likely; all candidates of an equation together are certain."""
    both = {"u": ["1", "u_xx", "u*u_x", "u*u_xx^2"], "v": ["v", "u"]}
    named = (Candidate(field, Term.parse(text, ("u", "v"))) for field, texts in both.items() for text in texts)
    costs = naming_costs(named)
    by_name = {str(each): cost for each, cost in costs.items()}
    assert by_name["u: 1"] < by_name["u: u_xx"] == by_name["u: u*u_x"] < by_name["u: u*u_xx^2"]
    for field in both:
        assert sum(np.exp(-cost) for each, cost in costs.items() if each.field == field) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["burgers", "kdv", "heat", "advection_diffusion", "fisher_kpp", "allen_cahn"])
def test_the_right_terms_of_named_systems(name: str) -> None:
    """From the general library, with noise of 5 % of the sd."""
    choice = choose(observed(name, noise="5%", seed=7, sensors=16))
    assert {each.term for each in choice.fit.terms} == set(systems.get(name).equation.coefficients)
    assert choice.comparison.reason is None


@pytest.mark.slow
@pytest.mark.parametrize("layout", [132, 133, 134])
def test_a_shock_between_sensors_is_not_explained_by_another_law(layout: int) -> None:
    """Sensors on both sides of the shock, and none for a fifth of the domain beside it: other laws fit the readings,
    and are told with certainty unless held-out sensors are asked."""
    choice = choose(observed("burgers", noise=0.05, seed=layout, sensors=16))
    assert law_of(choice) == {"u: u_xx", "u: u*u_x"}
    assert choice.comparison.reason is None


def test_what_a_law_misses_at_left_out_sensors(complicated: tuple[Search, FittedLaw]) -> None:
    _, law = complicated
    unit = law.found.objective.experiments[0].observations.unit
    rms, _ = errors(law.held_out)
    assert missed(law, [np.zeros(1)]) == pytest.approx(rms / unit)
    assert missed(law, [np.array([rms])]) == 0


@pytest.mark.slow
def test_processes_find_what_this_one_finds(heat: Readings, chosen: Choice) -> None:
    assert repr(choose(heat, FEW, workers=2)) == repr(chosen)


# ---- waves, several fields, inputs -----------------------------------------------------------------------------------


def damped() -> Readings:
    """A wave of two modes in a string, which friction slows: exact, but for noise."""
    x, t = (each.ravel() for each in np.meshgrid(np.linspace(0, np.pi, 10), np.linspace(0, 6, 41)))
    values = np.zeros_like(x)
    for mode, size in ((1, 1.0), (2, 0.5)):
        rate = np.sqrt(mode**2 - 0.2**2)
        values += size * np.sin(mode * x) * np.exp(-0.2 * t) * (np.cos(rate * t) + 0.2 / rate * np.sin(rate * t))
    return Readings.from_arrays(t, x, values + 0.01 * np.random.default_rng(0).normal(size=len(x)))


def test_the_order_in_time_is_found() -> None:
    """u_tt = u_xx − 0.4 u_t"""
    choice = choose(damped(), ["u_xx", "u_t", "u", "u_x"], workers=1)
    assert choice.fit.orders == (2,)
    assert choice.laws[0].time_order == 2
    assert law_of(choice) == {"u: u_xx", "u: u_t"}
    truth = {"u_xx": 1.0, "u_t": -0.4}
    for each, value, sd in zip(choice.fit.terms, choice.fit.values, choice.fit.sd, strict=True):
        assert abs(value - truth[str(each.term)]) < 4 * sd < 0.2
    assert str(choice).startswith("u_tt = ")


def coupled(noise: float = 0.01) -> Readings:
    """u_t = 0.1 u_xx − v and v_t = u, of which modes are known in closed form; so short that a law has to help."""
    x, t = (each.ravel() for each in np.meshgrid(np.linspace(0.2, 3.0, 7), np.linspace(0, 4, 17)))
    values = np.zeros((len(x), 2))
    for mode, begin in ((1, (1.0, 0.3)), (2, (-0.5, 0.6)), (4, (0.8, -0.3))):
        rates, vectors = np.linalg.eig(np.array([[-0.1 * mode**2, -1.0], [1.0, 0.0]]))
        parts = np.linalg.solve(vectors, np.array(begin, complex))
        values += np.sin(mode * x)[:, None] * ((np.exp(np.outer(t, rates)) * parts) @ vectors.T).real
    values += noise * np.random.default_rng(1).normal(size=values.shape)
    return Readings.from_arrays(t, x, values, fields=("u", "v"))


TWO = {"u": ["u_xx", "v", "u"], "v": ["u", "v"]}


@pytest.fixture(scope="module")
def pair() -> Choice:
    """Some of the second field was not read."""
    readings = coupled()
    values = readings.values.copy()
    values[::4, 1] = np.nan
    return choose(replace(readings, values=values), TWO, Joint(proposals=1, largest=2), workers=1, time_order=1)


def test_two_fields_have_a_law_each(pair: Choice) -> None:
    assert law_of(pair) == {"u: u_xx", "u: v", "v: u"}
    truth = {"u: u_xx": 0.1, "u: v": -1.0, "v: u": 1.0}
    for each, value, sd in zip(pair.fit.terms, pair.fit.values, pair.fit.sd, strict=True):
        assert abs(value - truth[str(each)]) < 4 * sd < 0.1
    assert [law.field for law in pair.laws] == ["u", "v"]
    assert str(pair).splitlines() == [law.concise for law in pair.laws]
    # v is not coupled along x, so that its readings tell little of their noise.
    assert pair.fit.noise == pytest.approx([0.01, 0.01], rel=0.5)
    assert set(pair.comparison.baselines) == {"u", "v"}


def test_what_was_not_read_of_one_field_is_told_by_the_law(pair: Choice) -> None:
    fit = pair.fit
    missing = np.isnan(fit.readings.values[:, 1])
    assert len(fit.experiment.observations) == 2 * len(missing) - missing.sum()
    found = fit.predict(fit.readings.time[missing], fit.readings.space[missing, 0], grid=False)
    truth = coupled(0.0).values[missing, 1]
    errors = np.abs(found["v"].values - truth)
    assert np.median(errors) < 0.01
    assert (errors < 4 * found["v_sd"].values).mean() > 0.9


def test_two_fields_on_disk(pair: Choice, tmp_path: Path) -> None:
    readings = pair.processes[0][0].readings
    assert_same(pair, again(pair, tmp_path, readings))


@pytest.fixture(scope="module")
def silent() -> Choice:
    """Heat, and a field that is noise."""
    readings = observed("heat", every=0.5, sensors=10)
    noise = np.random.default_rng(2).normal(size=len(readings))
    values = np.column_stack([readings.values[:, 0], noise])
    both = Readings(readings.time, readings.space, values, readings.sensor, fields=("u", "v"))
    return choose(both, {"u": ["u_xx", "u_x"], "v": ["v_xx", "v"]}, workers=1, time_order=1)


def test_a_field_without_a_law_does_not_hide_that_of_the_other(silent: Choice) -> None:
    assert law_of(silent) == {"u: u_xx"}
    assert list(silent.comparison.reasons) == ["v"]
    assert silent.fields == ("u", "v")
    assert silent.fit.fields == ("u",)
    first, second = str(silent).splitlines()
    assert first.startswith("u_t = ")
    assert second.startswith("v: cannot tell: The readings are as well explained by one constant number")
    assert not silent.told
    assert silent.laws[1].summary.empty


def test_such_a_choice_answers_for_both_fields_and_comes_back(silent: Choice, tmp_path: Path) -> None:
    readings = silent.processes[0][0].readings
    assert readings.fields == ("u", "v")
    found = again(silent, tmp_path, readings)
    assert_same(silent, found)
    for choice in (silent, found):
        inference = JointInference(choice, (readings,))
        assert isinstance(inference.of(0), PartlyFree)
        predicted = inference.predict([1.0, 2.0], [3.0, 4.0])
        assert {"u", "u_sd", "v", "v_low"} <= set(predicted)
        assert np.abs(predicted["v"].values).max() < 0.5
        assert set(inference.noise) == {"u", "v"}
        assert len(inference.residuals("v")) == len(readings)
        assert np.std(inference.residuals("v")) == pytest.approx(1, rel=0.1)


@pytest.fixture(scope="module")
def rod() -> Readings:
    """Its heater P, and an input Q that has nothing to do with it."""
    readings = observed("heated_rod", noise=0.02, sensors=8)
    (power,) = readings.inputs
    other = replace(power, name="Q", time=np.linspace(0, 10, 11), values=np.sin(np.arange(11.0)), between="linear")
    return replace(readings, inputs=(power, other))


def test_an_input_that_acts_is_in_the_law_and_one_that_does_not_is_not(rod: Readings) -> None:
    choice = choose(rod, ["u", "u_xx", "P", "Q"], Joint(proposals=2), workers=1, time_order=1)
    assert law_of(choice) == {"u: u", "u: u_xx", "u: P"}
    truth = {"u": -0.2, "u_xx": 0.05, "P": 0.5}
    for each, value, sd in zip(choice.fit.terms, choice.fit.values, choice.fit.sd, strict=True):
        assert abs(value - truth[str(each.term)]) < 4 * sd < 0.1
    assert "P" in str(choice.fit.equation)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["schrodinger", "fitzhugh_nagumo", "telegraph", "heated_rod"])
def test_the_right_terms_of_systems_of_every_kind(name: str) -> None:
    equation = systems.get(name).equation
    choice = choose(observed(name, noise="1%", seed=1, sensors=16))
    wanted = {f"{part.field}: {term}" for part in equation.components for term in part.coefficients}
    assert law_of(choice) == wanted


# ---- laws that are too good --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def complicated(heat: Readings) -> tuple[Search, FittedLaw]:
    """A law with a term too many, softly fitted."""
    problem = Problem.of(heat, ["u_xx", "u_x", "u*u_xx", "u*u_xxx"], time_order=1)
    search = Search(problem, 1, 2, 1, Inline(), lambda what, fraction, left=None: None)
    terms = tuple(each for each in problem.candidates if str(each.term) in ("u_xx", "u*u_xx"))
    law = judged(search.rules, soft_fit, start_of(problem), terms)
    assert law is not None
    return search, law


def test_simple_laws_are_tried_in_place_of_complicated_ones(complicated: tuple[Search, FittedLaw]) -> None:
    search, law = complicated
    laws = [{str(each.term) for each in terms} for terms, _ in search.simpler(law)]
    assert laws == [{"u_xx"}, {"u_xx", "u_x"}]
    simple = judged(search.rules, fit_with_terms, law.found, *search.simpler(law)[0])
    assert simple is not None
    assert search.simpler(simple) == []


def test_a_law_that_its_own_field_fails_is_none(
    complicated: tuple[Search, FittedLaw], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, law = complicated
    assert reasons_against(law, poor(moving=True), LOUD) == {}
    monkeypatch.setitem(vars(law.found), "relative_residual_by_equation", np.array([0.999]))
    assert reasons_against(law, poor(moving=True), LOUD)["u"].code == "field-fails-law"


def test_no_law_is_told_of_still_readings_by_a_fit_that_failed(complicated: tuple[Search, FittedLaw]) -> None:
    """What it seems to predict is linearised about a point where it does not hold."""
    _, law = complicated
    failed = replace(law, found=replace(law.found, converged=False))
    assert reasons_against(failed, poor(moving=False), LOUD)["u"] == Notice.of("as-well-by-constant")
    assert reasons_against(failed, poor(moving=True), LOUD) == {}


def test_no_law_is_told_of_still_readings_that_it_only_knows_the_noise_of(
    complicated: tuple[Search, FittedLaw],
) -> None:
    """Where each sensor has a noise of its own, densities are larger than those of models that know none of it."""
    _, law = complicated
    law = replace(law, found=replace(law.found, converged=True))
    rms, _ = errors(law.held_out)
    nats = SEARCH.verdict.evidence + law.penalty

    def reasons(moving: bool, gain: float) -> dict[str, Notice]:
        own = poor(moving)["u"]
        scaled = {name: replace(each, rms_error=rms * np.exp(gain / each.readings)) for name, each in own.items()}
        return reasons_against(law, {"u": scaled}, LOUD)

    assert reasons(moving=False, gain=nats + 1) == {}
    assert reasons(moving=False, gain=nats - 1)["u"] == Notice.of("as-well-by-constant")
    assert reasons(moving=True, gain=nats - 1) == {}


LOUD = [np.array([1e9])]  # noise about a field without a law, so that no law scatters more


def poor(moving: bool) -> dict[str, dict[str, Baseline]]:
    """Baselines that any law is better than; moving: smoothness is better than the others."""
    names = ("constant", "steady", "memoryless", "smooth")
    return {"u": {name: Baseline(-1e8 if moving and name == "smooth" else -1e9, 1e9, 100) for name in names}}


# ---- what the user knows ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_known_term_is_in_the_law(heat: Readings) -> None:
    kept = choose(heat, ("u_xx", "u_x"), Joint(known=("u_x", "u_xx > 0")), workers=1)
    assert law_of(kept) == {"u: u_x", "u: u_xx"}


def test_a_known_coefficient_is_kept_and_an_absent_term_left_out(heat: Readings) -> None:
    kept = choose(heat, ("u_xx", "u_x", "u"), Joint(known=("u_xx = 1.9 ± 0.001", "u = 0")), workers=1, time_order=1)
    table: Any = kept.fit.coefficients.set_index("term")
    assert table.loc["u_xx", "mean"] == pytest.approx(1.9, abs=0.01)
    assert table.loc["u_xx", "sd"] <= 0.001
    assert "u" not in table.index
    assert float(kept.laws[0].probabilities.to_numpy()[2]) == 0
    assert [str(each.term) for each in kept.candidates] == ["u_xx", "u_x", "u"]


def test_a_law_may_be_all_known(heat: Readings) -> None:
    problem = Problem.of(heat, ["u_x"], time_order=1, known=["u_x = -1"])
    start = start_of(problem)
    assert [law for _, law in proposals([start], problem, 3, 4)] == [problem.candidates]
    np.testing.assert_array_equal(start.regressed(problem.candidates), [-1.0])


def test_what_is_known_to_be_otherwise_is_a_guess_at_most(heat: Readings) -> None:
    fractions: list[float] = []
    choice = choose(
        heat, ["u_xx"], Joint(known=("u_xx < 0",)), workers=1, time_order=1,
        progress=lambda what, fraction, left=None: fractions.append(fraction),
    )  # fmt: skip
    assert fractions == sorted(fractions)
    assert choice.comparison.reason == Notice.of("none-holds")
    assert not choice.laws[0].support.any()
    (claim,) = choice.comparison.claims.to_dict(orient="records")
    assert claim["claim"] == "u_xx < 0"
    assert claim["value"] == pytest.approx(2.0, abs=0.1)
    assert claim["cost"] > 10


# ---- when it cannot tell ---------------------------------------------------------------------------------------------


def with_values(heat: Readings, values: np.ndarray) -> Readings:
    return replace(heat, values=values.reshape(heat.values.shape))


def test_noise_alone_tells_no_law(heat: Readings) -> None:
    noise = with_values(heat, np.random.default_rng(4).normal(size=len(heat)))
    choice = choose(noise, ["u_xx", "u_x"], workers=1, train=never)
    assert choice.comparison.reason == Notice.of("as-well-by-constant")
    assert not choice.laws[0].support.any()


def test_a_profile_that_never_changes_tells_no_law(heat: Readings) -> None:
    random = np.random.default_rng(5)
    steady = with_values(heat, np.sin(heat.space[:, 0]) + 0.1 * random.normal(size=len(heat)))
    found = choose(steady, ["u_xx", "u_x"], workers=1)
    assert found.comparison.reason == Notice.of("as-well-by-steady-profile")


@pytest.mark.slow
def test_readings_shuffled_in_time_tell_no_law(heat: Readings) -> None:
    order = np.random.default_rng(6).permutation(len(heat.times))
    moment = np.searchsorted(heat.times, heat.time)
    shuffled = replace(heat, time=heat.times[order[moment]])
    assert choose(shuffled, ["u_xx", "u_x"], workers=1).comparison.reason


def test_where_no_law_can_hold_the_best_guess_is_kept_and_none_is_told(
    heat: Readings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(found: Minimum) -> Minimum:
        raise np.linalg.LinAlgError

    asked = []

    def train() -> list[Any]:
        asked.append("networks")
        raise InputError("These cannot be trained.")

    monkeypatch.setattr("pdescry.joint.search.fitted_law.tightened", fails)
    choice = choose(heat, ["u_xx", "u_x"], workers=1, time_order=1, train=train)
    assert asked == ["networks"]  # the readings move: another start might tell a law
    assert choice.comparison.reason == Notice.of("none-holds")
    assert not choice.laws[0].support.any()
    assert choice.fit.terms
    assert choice.comparison.single_term_changes.empty
