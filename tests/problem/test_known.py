"""What the user knows of terms, in texts."""

from __future__ import annotations

import pytest

from pdescry import InputError, Readings
from pdescry.problem import Candidate, Known, Problem

FEW = ["u", "u_x", "u_xx", "u*u_x"]


def known(readings: Readings, *said: str, candidates: list[str] | None = None) -> Known:
    return Problem.of(readings, candidates or FEW, time_order=1, known=said).known


def candidate(readings: Readings, text: str, field: str = "u") -> Candidate:
    return Candidate(field, Problem.of(readings, FEW, time_order=1).term(text))


def test_a_coefficient_is_exact_unless_a_spread_is_told(one: Readings) -> None:
    for text, sd in (("u_xx = 2", 2e-6), ("u_xx = 2 +- 0.5", 0.5), ("u_xx=2±0.5", 0.5), ("u_xx = 2 +/- 0.5", 0.5)):
        (found,) = known(one, text).values.values()
        assert (found.value, found.sd) == (2.0, sd)
    assert known(one, "u_xx = 2").present == (candidate(one, "u_xx"),)


def test_what_is_absent_is_no_candidate_any_more(one: Readings) -> None:
    assert candidate(one, "u") not in known(one, "u = 0").candidates
    assert len(known(one, "u = 0").candidates) == len(FEW) - 1


def test_it_decides_which_laws_are_allowed(one: Readings) -> None:
    u, u_x, u_xx = (candidate(one, name) for name in ("u", "u_x", "u_xx"))
    found = known(one, "u_x", "u_xx > 0", "u<0")
    assert found.allows({u_x: -3.0})
    assert found.allows({u_x: 1.0, u_xx: 1.0, u: -1.0})
    assert not found.allows({u_xx: 1.0})
    assert not found.allows({u_x: 1.0, u_xx: -1.0})
    assert not found.allows({u_x: 1.0, u: 1.0})


@pytest.mark.parametrize(
    ("said", "agrees", "contradicts"),
    [
        ("u_xx", [0.1, -0.1], [None]),
        ("u_xx = 0", [None], [0.1]),
        ("u_xx < 0", [-0.1, None], [0.1]),
        ("u_xx = 2 ± 0.5", [2.9, 1.1], [3.1, 0.9, None]),
    ],
)
def test_a_law_may_contradict_it(
    one: Readings, said: str, agrees: list[float | None], contradicts: list[float | None]
) -> None:
    (claim,) = known(one, said).claims
    assert not any(claim.contradicted_by(value) for value in agrees)
    assert all(claim.contradicted_by(value) for value in contradicts)
    if contradicts[0] is not None:  # the law's own spread counts, too
        assert claim.contradicted_by(contradicts[0], 10.0) == (claim.kind != "value")


def test_it_can_be_released(one: Readings) -> None:
    problem = Problem.of(one, FEW, known=["u_x", "u_xx = 2", "u = 0", "u*u_x < 0"])
    some = [each for each in problem.known.claims if each.text in ("u_xx = 2", "u = 0")]
    for found, order in ((problem.released(some), 1), (problem.released(some).alternatives[0], 2)):
        expected = Problem.of(one, FEW, time_order={"u": order}, known=["u_x", "u*u_x < 0"])
        assert found.known == expected.known
        assert found.orders == (order,)


def test_of_several_fields_it_is_of_the_one_in_the_term_or_of_the_one_named(two: Readings) -> None:
    terms = ["u", "v", "u_xx", "v_xx", "u*v"]
    found = known(two, "u_xx > 0", "v: u > 0", "v : u*v", candidates=terms)
    assert [(str(each), sign) for each, sign in found.signs] == [("u: u_xx", 1.0), ("v: u", 1.0)]
    assert [str(each) for each in found.present] == ["v: u*v"]
    with pytest.raises(InputError, match=r"the equation in which 'u\*v' is known, .*; write 'u: u\*v > 0'"):
        known(two, "u*v > 0", candidates=terms)
    with pytest.raises(InputError, match="the equation of u, v in 'w: u > 0'; got 'w'"):
        known(two, "w: u > 0", candidates=terms)


def test_an_input_is_known_in_the_equation_of_the_only_field(driven: Readings) -> None:
    (found,) = known(driven, "P > 0", candidates=["u", "P"]).signs
    assert str(found[0]) == "u: P"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("u_xxx", "'u_xxx', of which something is known, among the candidates; add it"),
        ("u_xx > 1", "u_xx > 0"),
        ("w_xx", "w_xx|Unknown"),
        ("u_xx = two", "got 'u_xx = two'"),
        ("u_xx = 1 ± -2", "got 'u_xx = 1 ± -2'"),
        ("u_xx = inf", "got 'u_xx = inf'"),
    ],
)
def test_what_cannot_be_known(one: Readings, said: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        known(one, said)


@pytest.mark.parametrize(
    "said",
    [("u_xx > 0", "u_xx = -0.1"), ("u_xx > 0", "u_xx < 0"), ("u_xx = 0.1", "u_xx = 0.2"), ("u_xx = 0.1", "u_xx = 0")],
)
def test_it_does_not_contradict_itself(one: Readings, said: tuple[str, str]) -> None:
    with pytest.raises(InputError, match=r"got both|got two|not both"):
        known(one, *said)
    assert known(one, "u_xx > 0", "u_xx = 0.1", "u_xx = 0.1").present


def test_some_candidate_has_to_be_left(one: Readings) -> None:
    with pytest.raises(InputError, match="some left"):
        known(one, "u = 0", candidates=["u"])
