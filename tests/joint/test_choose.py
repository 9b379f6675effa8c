"""The terms of a law found among candidates; what is known is kept to; and readings that tell no law are told."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from pdescry import Choice, InputError, Posterior, Readings, Term, choose, systems
from pdescry.joint import Joint
from pdescry.joint.held_out import held_out, score
from pdescry.joint.known import Known
from pdescry.joint.neighbours import Neighbourhood, with_terms
from pdescry.joint.objective import Minimum
from pdescry.joint.price import earnings, price
from pdescry.joint.processes import Process
from pdescry.joint.proposals import proposals
from pdescry.joint.start import Start, from_network
from tests.joint.conftest import Guess, guess

FEW = ("u", "u_x", "u_xx", "u*u_x", "u*u_xx")


@pytest.fixture(scope="module")
def told() -> list[float]:
    """Fractions of progress."""
    return []


@pytest.fixture(scope="module")
def chosen(heat: Posterior, told: list[float]) -> Choice:
    return choose(heat, FEW, progress=lambda what, fraction, left=None: told.append(fraction))


def test_the_terms_are_found(chosen: Choice) -> None:
    assert [str(term) for term in chosen.fit.terms] == ["u_xx"]
    assert abs(chosen.fit.values[0] - 2) < 4 * chosen.fit.sd[0]
    assert chosen.fit.sd[0] < 0.03
    probabilities = chosen.comparison.probabilities.to_dict()
    assert list(probabilities) == list(FEW)
    assert probabilities.pop("u_xx") > 0.9
    assert max(probabilities.values()) < 0.1
    assert sum(chosen.comparison.alternatives["probability"].tolist()) == pytest.approx(1)


def test_a_law_beats_what_knows_none(chosen: Choice) -> None:
    comparison = chosen.comparison
    assert comparison.reason == ""
    assert chosen.fit.log_score > max(comparison.baselines.values()) + 20
    assert comparison.baselines["constant"] < comparison.baselines["smooth"]


def test_what_each_candidate_is_worth(chosen: Choice) -> None:
    """Worse without a term of the law, and not better with another: else it would not be the best one near it."""
    table: Any = chosen.comparison.singly.set_index("term")
    assert list(table.index) == list(FEW)
    assert table["kept"].tolist() == [term == "u_xx" for term in FEW]
    assert np.isnan(table.loc["u_xx", "worth"])  # without its only term there is no law
    others = table.drop(index="u_xx")
    assert (others["worth"] < others["gain"]).all()
    assert (others["worth"] < 0).all()
    found, values = chosen.fit.minimum, np.append(chosen.fit.values, 0.0)
    fitted = with_terms(found, (*chosen.fit.terms, Term.parse("u")), values).minimise(found.fields, values, 20)
    assert others.loc["u", "gain"] == pytest.approx(score(held_out(fitted)) - chosen.fit.log_score, abs=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["burgers", "kdv", "heat", "advection_diffusion", "fisher_kpp", "allen_cahn"])
def test_the_right_terms_of_named_systems(name: str) -> None:
    """From the general library, with noise of 5 % of the sd."""
    choice = choose(guess(name, noise=cast(float, "5%"), seed=7), "general")
    assert set(choice.fit.terms) == set(systems.get(name).equation.coefficients)
    assert choice.comparison.reason == ""


def test_a_law_among_its_neighbours_is_scored_as_it_was_fitted(chosen: Choice) -> None:
    found = chosen.fit.minimum
    around = Neighbourhood(found, chosen.candidates)
    own = around.of(around.kept)
    assert own.score == pytest.approx(score(held_out(found)), abs=0.05)
    np.testing.assert_allclose(own.coefficients, found.coefficients, rtol=1e-3)


def test_neighbours_are_about_what_a_fit_of_them_gives(chosen: Choice) -> None:
    found = chosen.fit.minimum
    around = Neighbourhood(found, chosen.candidates)
    near = around.of((*around.kept, FEW.index("u_x")))
    fitted = with_terms(found, near.terms, near.coefficients).minimise(found.fields, near.coefficients, 10)
    assert near.score == pytest.approx(score(held_out(fitted)), abs=0.5)
    np.testing.assert_allclose(near.coefficients, fitted.coefficients, atol=0.2 * np.sqrt(fitted.covariance.max()))


def test_every_law_a_term_or_two_away_is_a_neighbour(chosen: Choice) -> None:
    laws = {frozenset(some) for some in Neighbourhood(chosen.fit.minimum, chosen.candidates).laws()}
    (kept,) = (FEW.index("u_xx"),)
    others = [j for j in range(len(FEW)) if j != kept]
    wanted = {frozenset({kept, j}) for j in others} | {frozenset({j}) for j in others}
    wanted |= {frozenset({kept, i, j}) for i in others for j in others if i < j}
    assert laws == wanted


def test_a_term_pays_for_its_name_and_for_its_digits() -> None:
    one, prior = np.array([[1e-4]]), np.array([1.0])
    sure = price(np.array([1.0]), one, prior, 10)
    assert sure == pytest.approx(np.log(10) + np.log(100))
    assert price(np.array([1.0]), one, prior, 100) == pytest.approx(sure + np.log(10))
    # A coefficient of one sd does not earn its price, one of ten does.
    assert earnings(np.array([0.01]), one, prior, 10) == pytest.approx(0.5 - sure)
    assert earnings(np.array([0.1]), one, prior, 10) == pytest.approx(50 - sure)


# ---- what the user knows ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_known_term_is_in_the_law(heat: Posterior) -> None:
    kept = choose(heat, ("u_xx", "u_x"), Joint(known=("u_x", "u_xx > 0")))
    assert {str(term) for term in kept.fit.terms} == {"u_x", "u_xx"}


@pytest.mark.slow
def test_a_known_coefficient_is_kept_and_an_absent_term_left_out(heat: Posterior) -> None:
    kept = choose(heat, ("u_xx", "u_x", "u"), Joint(known=("u_xx = 1.9 ± 0.001", "u = 0")))
    table = kept.fit.coefficients.set_index("term")
    assert table.loc["u_xx", "mean"] == pytest.approx(1.9, abs=0.01)
    assert table.loc["u_xx", "sd"] <= 0.001
    assert "u" not in table.index
    assert kept.comparison.probabilities.to_dict()["u"] == 0
    assert kept.candidates == tuple(Term.parse(text) for text in ("u_xx", "u_x", "u"))


def test_a_known_coefficient_is_exact_unless_a_spread_is_told(heat: Posterior) -> None:
    terms = tuple(Term.parse(text) for text in ("u", "u_xx"))
    (exact,) = Known.of(("u_xx = 2",), terms, heat.readings).values.values()
    (spread,) = Known.of(("u_xx = 2 +- 0.5",), terms, heat.readings).values.values()
    assert (exact.value, exact.sd) == (2.0, 2e-6)
    assert (spread.value, spread.sd) == (2.0, 0.5)
    assert Known.of(("u = 0",), terms, heat.readings).candidates == terms[1:]


def test_a_law_may_be_all_known(heat: Posterior) -> None:
    terms = (Term.parse("u_x"),)
    known = Known.of(("u_x = -1",), terms, heat.readings)
    start = Start((from_network(heat),), known.values)
    assert [law for _, law in proposals([start], terms, 3, 4, known)] == [terms]


def test_what_is_known_decides_which_laws_are_allowed(heat: Posterior) -> None:
    u, u_x, u_xx = (Term.parse(name) for name in ("u", "u_x", "u_xx"))
    known = Known.of(("u_x", "u_xx > 0", "u<0"), (u, u_x, u_xx), heat.readings)
    assert known.allows({u_x: -3.0})
    assert known.allows({u_x: 1.0, u_xx: 1.0, u: -1.0})
    assert not known.allows({u_xx: 1.0})
    assert not known.allows({u_x: 1.0, u_xx: -1.0})
    assert not known.allows({u_x: 1.0, u: 1.0})


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("u_xxx", "among the candidates"),
        ("u_xx > 1", "u_xx > 0"),
        ("w_xx", "w_xx|Unknown"),
        ("u_xx = two", "got 'u_xx = two'"),
    ],
)
def test_what_cannot_be_known(heat: Posterior, known: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        choose(heat, FEW, Joint(known=(known,)))


@pytest.mark.parametrize(
    "known",
    [("u_xx > 0", "u_xx = -0.1"), ("u_xx > 0", "u_xx < 0"), ("u_xx = 0.1", "u_xx = 0.2"), ("u_xx = 0.1", "u_xx = 0")],
)
def test_what_is_known_does_not_contradict_itself(heat: Posterior, known: tuple[str, str]) -> None:
    terms = tuple(map(Term.parse, FEW))
    with pytest.raises(InputError, match=r"got both|got two|not both"):
        Known.of(known, terms, heat.readings)
    assert Known.of(("u_xx > 0", "u_xx = 0.1", "u_xx = 0.1"), terms, heat.readings).present


# ---- when it cannot tell ---------------------------------------------------------------------------------------------


def no_law(values: Any) -> Posterior:
    """Readings of heat with other values, and a posterior that believes what is smooth in them."""
    known = cast(Any, guess("heat"))
    readings: Readings = replace(known.readings, values=values(known.readings))
    return cast(Posterior, Guess(readings, known.truth, noise=1.0))


def test_noise_alone_tells_no_law() -> None:
    random = np.random.default_rng(4)
    choice = choose(no_law(lambda readings: random.normal(size=readings.values.shape)), ["u_xx", "u_x"])
    assert "one constant number" in choice.comparison.reason
    assert not choice.support.any()


@pytest.mark.slow
def test_a_profile_that_never_changes_tells_no_law() -> None:
    random = np.random.default_rng(5)
    steady = no_law(lambda readings: np.sin(readings.space) + 0.1 * random.normal(size=readings.values.shape))
    assert "never changes" in choose(steady, ["u_xx", "u_x"]).comparison.reason


def test_where_no_law_can_hold_the_best_guess_is_kept_and_none_is_told(
    heat: Posterior, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(found: Minimum) -> Minimum:
        raise np.linalg.LinAlgError

    monkeypatch.setattr(sys.modules["pdescry.joint.choose"], "harder", fails)
    choice = choose(heat, ["u_xx", "u_x"])
    assert choice.comparison.reason.startswith("No law of these candidates")
    assert not choice.support.any()
    assert choice.fit.terms


def test_what_is_known_to_be_otherwise_is_a_guess_at_most(heat: Posterior) -> None:
    told: list[float] = []
    known = Joint(known=("u_xx < 0",))
    choice = choose(heat, ["u_xx"], known, progress=lambda what, fraction, left=None: told.append(fraction))
    assert told == sorted(told)
    assert choice.comparison.reason.startswith("No law of these candidates, with what is known of them")
    assert not choice.support.any()


def test_progress_is_told_and_never_falls(chosen: Choice, told: list[float]) -> None:
    assert len(told) > 5
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_many_readings_are_thinned_by_whole_moments(heat: Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of baselines grows as the square of their number; scores stay about those of all readings."""
    every = {name: Process.fitted(name, heat.readings).left_out.score for name in ("constant", "memoryless")}
    monkeypatch.setattr("pdescry.joint.processes.LARGEST", 300)
    some = {name: Process.fitted(name, heat.readings).left_out.score for name in every}
    assert some == pytest.approx(every, rel=0.2)
    assert some["memoryless"] != every["memoryless"]
