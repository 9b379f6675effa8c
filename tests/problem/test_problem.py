"""What is asked is validated once, and what is wrong with it is said in a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pdescry import Equation, InputError, Readings
from pdescry.problem import Candidate, Problem, members
from tests.problem.conftest import made


def texts(problem: Problem) -> list[str]:
    return [str(each) for each in problem.candidates]


# ---- candidates ------------------------------------------------------------------------------------------------------


def test_a_list_is_for_every_equation_and_a_mapping_for_each_its_own(two: Readings) -> None:
    assert texts(Problem.of(two, ["u_xx", "v"], time_order=1)) == ["u: u_xx", "u: v", "v: u_xx", "v: v"]
    own = Problem.of(two, {"u": ["u_xx"], "v": ["u", "v"]}, time_order=1)
    assert texts(own) == ["u: u_xx", "v: u", "v: v"]
    assert [str(each) for each in own.of_field("v")] == ["v: u", "v: v"]
    assert texts(Problem.of(two, {"v": ["u"]}, time_order=1)) == ["v: u"]


def test_the_general_library_holds_inputs_and_damping(driven: Readings) -> None:
    first, second = (Problem.of(driven, time_order=order) for order in (1, 2))
    for problem in (first, second):
        assert {"u: P", "u: P*u", "u: u_xx"} <= set(texts(problem))
    assert "u: u_t" not in texts(first)
    assert {"u: u_t", "u: u_txx"} <= set(texts(second))


def test_what_is_tried_grows_with_the_number_of_sensors() -> None:
    def tried(sensors: int, candidates: str | list[str] | None = None) -> set[str]:
        values = np.random.default_rng(0).normal(size=(6, sensors))
        readings = Readings.from_grid(np.arange(6.0), np.arange(float(sensors)), values)
        return set(texts(Problem.of(readings, candidates, time_order=1)))

    few = tried(5)
    assert {"u: 1", "u: u", "u: u^2", "u: u^3", "u: u_x", "u: u*u_x", "u: u_xx"} <= few
    assert not {"u: u_xxx", "u: u*u_xx"} & few
    assert few < tried(8) < tried(10) < tried(12) < tried(16) == tried(40)
    assert "u: u*u_xx" in tried(8)
    assert "u: u_xxx" not in tried(11)  # it takes four sensors for each order
    assert "u: u_xxx" in tried(12)
    assert "u: u_xxxx" not in tried(15)
    assert tried(5, ["u_xxxx"]) == {"u: u_xxxx"}  # named by the user
    assert tried(5, "paper") == tried(40, "paper")


def test_the_general_library_couples_fields() -> None:
    names = texts(Problem.of(made(("u", "v")), time_order=1))
    assert {"u: v_xx", "u: u*v", "u: u^2*v", "v: u*v_xx", "u: u_x*v_x", "v: u^2*v_xx"} <= set(names)
    assert len(names) == len(set(names))
    three = texts(Problem.of(made(("u", "v", "w")), time_order=1))
    assert "u: u*v_xxx" in names
    assert "u: u*v_xxx" not in three
    assert "u: u*v*w" in three


def test_candidates_are_sorted_so_that_simple_terms_come_first(one: Readings) -> None:
    names = texts(Problem.of(one, time_order=1))
    assert names.index("u: u_xx") < names.index("u: u^2*u_xx")


@pytest.mark.parametrize(
    ("fields", "candidates", "said"),
    [
        (("u",), {"w": ["u"]}, r"candidates for the equations of u; got some for 'w'; name a field"),
        (("u", "v"), ["w_xx"], "w_xx|w"),
        (("u",), ["u_yy"], "u_yy|y"),
        (("u",), ["P"], "P"),
        (("u",), [], "at least one"),
        (("u",), ["u_xx", "u_xx"], "more than once"),
        (("u",), ["u_xxxxx"], "at most order 4; got one of order 5"),
        (("u",), ["d_x(u*u_xxxx)"], "at most order 4"),
        (("u",), ["u_t"], "a candidate for u without time derivatives"),
        (("u",), "generous", "generous"),
    ],
)
def test_candidates_that_cannot_be(fields: tuple[str, ...], candidates: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Problem.of(made(fields), candidates, time_order=1)


def test_the_derivative_of_an_input_is_not_known(driven: Readings) -> None:
    with pytest.raises(InputError, match="the input P itself among the candidates; got P_x; derivatives of an input"):
        Problem.of(driven, ["u_xx", "P_x"])


def test_time_derivatives_stay_below_the_left_side(one: Readings, two: Readings) -> None:
    assert texts(Problem.of(one, ["u_xx", "u_t"], time_order=2)) == ["u: u_xx", "u: u_t"]
    with pytest.raises(InputError, match="u_tt is a time derivative, which belongs on the left side; remove it"):
        Problem.of(one, ["u_xx", "u_tt"], time_order=2)
    with pytest.raises(InputError, match="time derivatives below v_t among the candidates; got v_t; leave it out"):
        Problem.of(two, ["u_xx", "v_t"], time_order={"u": 2})


# ---- orders in time --------------------------------------------------------------------------------------------------


def test_both_orders_are_compared_unless_one_is_told(two: Readings) -> None:
    auto = Problem.of(two, ["u_xx", "u_t", "v"])
    assert auto.orders == (1, 1)
    assert [each.orders for each in auto.alternatives] == [(2, 2)]
    assert "u: u_t" not in texts(auto)
    assert "u: u_t" in texts(auto.alternatives[0])
    assert Problem.of(two, time_order=2).orders == (2, 2)
    mixed = Problem.of(two, time_order={"v": 2})
    assert (mixed.orders, mixed.alternatives) == ((1, 2), ())
    assert (mixed.left("u"), mixed.left("v")) == ("u_t", "v_tt")


def test_the_paper_has_one_order(one: Readings) -> None:
    assert Problem.of(one, "paper").alternatives == ()


@pytest.mark.parametrize(
    ("time_order", "said"),
    [
        ({"w": 2}, r"time_order for fields that were read \(u, v\); got 'w'; leave it out"),
        (3, "the time order of u to be 1, 2 or 'auto'; got 3"),
        ({"v": 0}, "the time order of v to be 1, 2 or 'auto'; got 0"),
    ],
)
def test_orders_that_cannot_be(two: Readings, time_order: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Problem.of(two, time_order=time_order)


@pytest.mark.parametrize("time_order", [2, {"u": 2}])
def test_a_second_derivative_in_time_takes_three_times(one: Readings, time_order: Any) -> None:
    twice = one.select(one.time < 2)
    with pytest.raises(InputError, match="3 or more times for a law of second order in time; got 2; pass time_order=1"):
        Problem.of(twice, ["u_xx"], time_order=time_order)
    assert Problem.of(twice, ["u_xx"], time_order=1).orders == (1,)


# ---- experiments -----------------------------------------------------------------------------------------------------


def test_experiments_have_to_be_alike(one: Readings, driven: Readings) -> None:
    other = made(scale=1.1)
    assert Problem.of([one, other]).n_readings == len(one) + len(other)
    with pytest.raises(InputError, match=r"u along x \(.*\), and v along x \(.*\); name columns alike"):
        Problem.of([one, made(("v",))])
    with pytest.raises(InputError, match=r"the same inputs; got none \(.*\), and P \(.*\); name the same inputs"):
        Problem.of([one, driven])
    with pytest.raises(InputError, match="the same readings twice"):
        Problem.of([one, one])
    with pytest.raises(InputError, match="empty list"):
        Problem.of([])


def readings_along(d: int) -> Readings:
    places = np.random.default_rng(0).uniform(size=(30, d))
    return Readings.from_arrays(np.arange(30.0), places, np.arange(30.0) % 7)


def test_two_axes_of_space_are_taken_and_three_refused() -> None:
    assert Problem.of(readings_along(2)).axes == ("x", "y")
    with pytest.raises(InputError, match=r"one or two axes of space; got 3 \(x, y, z\); .* 14,641 unknowns"):
        Problem.of(readings_along(3))


def test_what_is_along_one_axis_only_is_refused_in_the_plane() -> None:
    plane = readings_along(2)
    with pytest.raises(InputError, match=r"known at an edge as 'u\(x=0\) = 1'"):
        Problem.of(plane, boundary=["u(0) = 1"])
    with pytest.raises(InputError, match="domain for readings along one axis"):
        Problem.of(plane, domain=(0.0, 20.0))
    with pytest.raises(InputError, match="order 2 along an axis of the plane; got one of order 3"):
        Problem.of(plane, ["u_xxx"])
    with pytest.raises(InputError, match="candidates in the plane as 'general', 'small' or a list"):
        Problem.of(plane, "paper")


def test_candidates_in_the_plane_are_some_thirty_with_groups() -> None:
    names = [str(each.term) for each in Problem.of(readings_along(2), time_order=1).candidates]
    assert 20 <= len(names) <= 40
    assert {"lap(u)", "u*lap(u)", "grad2(u)", "u*div(u)", "u_xx", "u_yy", "u_xy", "u^3"} <= set(names)
    assert {"lap(u_t)", "u_t"} <= {str(each.term) for each in Problem.of(readings_along(2), time_order=2).candidates}


def test_a_group_never_stands_beside_a_term_that_it_holds() -> None:
    problem = Problem.of(readings_along(2), time_order=1)
    (lap, xx, yy, x), law = (Candidate("u", problem.term(name)) for name in ("lap(u)", "u_xx", "u_yy", "u_x")), problem
    assert law.is_whole([lap, x])
    assert law.is_whole([xx, yy, x])
    assert not law.is_whole([lap, xx])
    assert members([xx, lap, x, yy]) == {1: (0, 3)}


# ---- laws ------------------------------------------------------------------------------------------------------------


def test_a_law_has_its_own_orders_and_terms(two: Readings) -> None:
    problem, terms = Problem.of(two, time_order=1).law_of("u_tt = v_xx - u_t; v_t = u")
    assert problem.orders == (2, 1)
    assert {str(each) for each in terms} == {"u: v_xx", "u: u_t", "v: u"}
    law = dict.fromkeys(terms, 2.0)
    assert problem.equation(law) == Equation.parse("u_tt = 2*v_xx + 2*u_t; v_t = 2*u")


def test_a_law_of_one_field_may_be_a_list_of_terms(driven: Readings) -> None:
    problem, terms = Problem.of(driven, time_order=1).law_of(["u_xx", "P"])
    assert terms == (Candidate("u", problem.term("u_xx")), Candidate("u", problem.term("P")))
    again, same = Problem.of(driven, time_order=1).law_of("u_t = u_xx + P")
    assert set(same) == set(terms)
    assert again.orders == (1,)


@pytest.mark.parametrize("law", ["u_t = u_xx", "u_t = u_xx; w_t = u"])
def test_a_law_is_for_each_field_that_was_read(two: Readings, law: str) -> None:
    with pytest.raises(InputError, match="a law for each of u, v, which were read"):
        Problem.of(two, time_order=1).law_of(law)


def test_some_fields_alone(two: Readings) -> None:
    problem = Problem.of(
        two, ["u_xx", "v", "u*v"], known=["u: u_xx > 0", "v: v > 0"], boundary=["u(0) = 1", "v(0) = 1"]
    )
    alone = problem.without(["v"])
    assert (alone.fields, alone.orders, texts(alone)) == (("u",), (1,), ["u: u_xx"])
    assert alone.experiments[0].fields == ("u",)
    assert [str(each) for each, _ in alone.known.signs] == ["u: u_xx"]
    assert [each.field for each in alone.ends[0].conditions] == ["u"]
    assert [each.orders for each in alone.alternatives] == [(2,)]
