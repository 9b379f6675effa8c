"""What the user said of terms, where the readings say otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdescry import JointFit, Readings
from pdescry.joint.claims import contradicted, doubtful, notices_of
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.stages import with_terms
from pdescry.joint.inference import JointInference
from pdescry.joint.search.fitted_law import FittedLaw, Rules, judged
from pdescry.notices import Notice
from pdescry.problem import Problem
from tests.joint.conftest import compared
from tests.joint.test_storage import again, assert_same

CANDIDATES = ["u_xx", "u_x", "u"]


def law_with(fitted: JointFit, terms: list[str], *known: str) -> tuple[FittedLaw, Problem]:
    """Heat's fields, fitted to these terms with what is known of them."""
    problem = Problem.of(fitted.readings, CANDIDATES, time_order=1, known=known)
    chosen = tuple(each for each in problem.candidates if str(each.term) in terms)
    begin = np.array([1.996 if str(each.term) == "u_xx" else 0.0 for each in chosen])

    def fit() -> Minimum:
        found = fitted.minimum
        given = replace(found, objective=replace(found.objective, given=problem.known.values))
        return with_terms(given, chosen, begin).minimise(found.states, begin, 12)

    law = judged(Rules(problem.known), fit)
    assert law is not None
    return law, problem


@pytest.mark.parametrize(
    ("terms", "known", "doubted"),
    [
        (["u_xx"], ("u_xx = 1.75", "u = 0"), ["u_xx = 1.75"]),
        (["u_xx"], ("u_xx = 1.95 ± 0.05", "u = 0", "u_x > 0"), []),
        (["u_xx", "u_x"], ("u_x", "u_xx > 0"), ["u_x"]),
        (["u_xx", "u_x"], ("u_x = 0.2", "u_xx"), ["u_x = 0.2"]),
    ],
)
def test_a_claim_is_doubtful_where_the_law_scores_more_without_it(
    fitted: JointFit, terms: list[str], known: tuple[str, ...], doubted: list[str]
) -> None:
    assert [each.text for each in doubtful(*law_with(fitted, terms, *known))] == doubted


def test_what_it_costs_is_told(fitted: JointFit) -> None:
    law, problem = law_with(fitted, ["u_xx", "u_x"], "u_xx = 1.75", "u_x", "u = 0")
    other, free = law_with(fitted, ["u_xx"])
    table = contradicted(problem.known.claims, law, True, other, free)
    assert table["claim"].to_list() == ["u_xx = 1.75", "u_x"]
    assert table["favoured"].to_list() == ["1.996(32)", "a law without it"]
    named = law.rules.naming(tuple(each for each in problem.candidates if str(each.term) == "u_x"))[0]
    assert table["cost"].to_list() == pytest.approx([other.score - law.score - named] * 2)
    assert table["law"].iloc[0] == "u_t = 1.996(32)*u_xx"
    cost = f"{table['cost'].iloc[0]:.0f} nats"
    (said,) = notices_of(table.iloc[:1])
    assert str(said) == f"You said u_xx = 1.75; the readings favour 1.996(32), by {cost}."
    together = " together with what else they contradict."
    assert str(notices_of(table)[1]) == (
        f"You said that u_x is in the law; the readings favour a law without it, by {cost}{together}"
    )


def test_what_costs_little_is_not_told(fitted: JointFit) -> None:
    law, problem = law_with(fitted, ["u_xx"], "u_xx = 1.92")  # more than two sds away
    other, free = law_with(fitted, ["u_xx"])
    assert contradicted(problem.known.claims, law, True, other, free).empty


def test_it_is_warned_of_and_kept(fitted: JointFit, heat: Readings, tmp_path: Path) -> None:
    law, problem = law_with(fitted, ["u_xx"], "u_xx = 1.75")
    claims = contradicted(problem.known.claims, law, True, *law_with(fitted, ["u_xx"]))
    choice = compared(fitted)
    choice = replace(choice, comparison=replace(choice.comparison, claims=claims))
    said: list[tuple[str, ...]] = []
    inference = JointInference(choice, (heat,))
    inference.judge(lambda *notices: said.append(notices))
    assert (notices_of(claims)[0], Notice.of("check-claims", law=claims["law"].iloc[0])) in said
    assert inference.facts()["claims"][0]["claim"] == "u_xx = 1.75"
    assert_same(choice.comparison, again(choice, tmp_path, heat).comparison)
