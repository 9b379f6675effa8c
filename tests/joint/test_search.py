"""Which laws a search tries: common ones only if asked, simple ones with larger errors, changes of those as good."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from pdescry import Readings
from pdescry.executor import Inline
from pdescry.joint.search import search as searching
from pdescry.joint.search.fitted_law import judged, noisier_first_fit, soft_fit
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.proposals import common_laws, proposals
from pdescry.joint.search.search import Search
from pdescry.problem import Problem
from tests.joint.conftest import start_of


@pytest.fixture(scope="module")
def search(heat: Readings) -> Search:
    problem = Problem.of(heat, ["1", "u", "u_x", "u_xx", "u*u_x"], time_order=1)
    return Search(problem, 1, 1, 1, Inline(), lambda what, fraction, left=None: None)


def named(law: Any) -> set[str]:
    return {str(each.term) for each in law}


def test_common_laws_are_tried_unless_they_are_not_wanted(search: Search) -> None:
    start = start_of(search.problem)
    common = {frozenset(law) for law in common_laws(search.problem)}
    wanted, unwanted = (
        {frozenset(terms) for _, terms in proposals([start], search.problem, 1, 1, each)} for each in (True, False)
    )
    assert common <= wanted
    assert unwanted < wanted
    assert wanted - unwanted == common - unwanted
    assert not common <= unwanted


def test_a_wrong_law_has_larger_errors_if_these_are_inferred(search: Search) -> None:
    start = start_of(search.problem)
    (alone,) = (each for each in search.problem.candidates if str(each.term) == "u_x")
    (before,) = (each.experiment.noise_model.noise_of_fields for each in start.initial)
    for fit, wrong in ((soft_fit, False), (noisier_first_fit, True)):
        law = judged(search.rules, fit, start, (alone,))
        assert law is not None
        assert law.is_noisier_than(start) == wrong
        (experiment,) = law.found.objective.experiments
        assert bool((experiment.noise_model.noise_of_fields > 2 * before).all()) == wrong


def test_every_simple_term_alone_is_fitted_with_larger_errors(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def fitted(self: Search, fits: list[Any], what: str, begin: float, end: float) -> list[Any]:
        asked.extend(fits)
        return []

    monkeypatch.setattr(Search, "all_fitted", fitted)
    assert search.with_noisier([], [start_of(search.problem)]) == []
    assert {fit for fit, _ in asked} == {noisier_first_fit}
    assert [named(terms) for _, (_, terms) in asked] == [{"1"}, {"u"}, {"u_x"}, {"u_xx"}, {"u*u_x"}]


# ---- changes of laws that are as good --------------------------------------------------------------------------------


def scored(name: str, score: float) -> Any:
    return SimpleNamespace(name=name, key=frozenset(name), total_score=score, possible=True, found=None)


@pytest.fixture
def changed(search: Search, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[list[str], list[str]]]:
    """Names of the laws that were changed, and of those that are known in the end. near: by the name of a law, those
    that its changes lead to."""

    def names(laws: list[Any], near: dict[str, list[Any]]) -> tuple[list[str], list[str]]:
        begun: list[str] = []

        def laws_near(law: Any) -> list[Any]:
            begun.append(law.name)
            return [SimpleNamespace(terms=tuple(each.name), law=each) for each in near.get(law.name, [])]

        monkeypatch.setattr(searching, "laws_near", laws_near)
        monkeypatch.setattr(Search, "allowed", lambda self, best, new: [(each.terms, each.law) for each in new])
        monkeypatch.setattr(Search, "all_fitted", lambda self, fits, *_: [values for _, (_, _, values) in fits])
        found = search.improved(laws)
        return begun, ["".join(map(str, law.key)) for law in found]

    return names


def test_a_law_nearly_as_good_is_changed_too(changed: Callable[..., tuple[list[str], list[str]]]) -> None:
    as_good, best = SEARCH.soft.as_good, 100.0
    laws = [scored("a", best), scored("b", best - 0.9 * as_good), scored("c", best - 1.1 * as_good)]
    assert changed(laws, {"b": [scored("d", best - 50)]}) == (["a", "b"], ["a", "b", "c", "d"])


def test_what_a_better_law_leads_to_is_changed_in_turn(changed: Callable[..., tuple[list[str], list[str]]]) -> None:
    laws = [scored("a", 100.0), scored("b", 99.0)]
    # b is no longer as good as what a leads to.
    assert changed(laws, {"a": [scored("d", 110.0)]}) == (["a", "d"], ["d", "a", "b"])


def test_the_number_of_rounds_is_limited(changed: Callable[..., tuple[list[str], list[str]]]) -> None:
    chain = {
        letter: [scored(after, 100.0 + k)] for k, (letter, after) in enumerate(zip("abcdefgh", "bcdefghi", strict=True))
    }
    begun, _ = changed([scored("a", 99.0)], chain)
    assert begun == list("abcdefgh")[: SEARCH.soft.rounds]
