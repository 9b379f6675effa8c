"""What is known at the ends, and from where to where the law holds, in texts and numbers."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry import InputError, Readings
from pdescry.joint import Joint
from pdescry.problem import Condition, Ends
from pdescry.problem.ends import conditions_of, ends_of
from tests.problem.conftest import made


def test_texts_become_conditions(one: Readings, two: Readings) -> None:
    ends = conditions_of(("u_x(0) = 0", "u_x(10) = 0"), one)
    assert ends == (Condition("u", 1, 0.0, 0.0), Condition("u", 1, 10.0, 0.0))
    assert conditions_of(["u ( -1.5e1 )=.5"], one) == (Condition("u", 0, -15.0, 0.5),)
    assert conditions_of(["v_xx(1) = 2"], two) == (Condition("v", 2, 1.0, 2.0),)
    assert Ends.of(one, ["u(12) = 1"]).reach == ((1.0, 12.0),)
    assert Ends.of(one).reach == Ends.of(one).domain == (one.span["x"],)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("u = 1", r"as 'u\(0\) = 1' or 'u_x\(10\) = 0'; got 'u = 1'"),
        ("w(0) = 1", "got 'w"),
        ("u_y(0) = 1", "got 'u_y"),
        ("u(5) = 1", r"at or beyond the outermost sensors \(1 and 9\)"),
        ("u_xxxx(0) = 1", "at most order 3"),
    ],
)
def test_what_cannot_be_a_condition(one: Readings, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        conditions_of([text], one)


def in_the_plane(shift: float = 0.0) -> Readings:
    x, y, t = (each.ravel() for each in np.meshgrid([1.0, 2.0, 4.0], [0.0, 1.0, 2.0], [0.0, 1.0, 2.0], indexing="ij"))
    return Readings.from_arrays(t, np.column_stack([x + shift, y]), x + t, axes=("x", "y"))


def test_conditions_along_edges_of_the_plane() -> None:
    ends = Ends.of(in_the_plane(), ["u(x=0) = 1", "u_x ( x = 0 ) = 2", "u_y(y=2.5) = -.5"])
    assert ends.conditions == (
        Condition("u", 0, 0.0, 1.0),
        Condition("u", 1, 0.0, 2.0),
        Condition("u", 1, 2.5, -0.5, axis=1),
    )
    assert ends.reach == ends.domain == ((0.0, 4.0), (0.0, 2.5))
    along_x, along_y = (ends.edges[ends.edges[:, axis] == place] for axis, place in ((0, 0.0), (1, 2.5)))
    assert (np.ptp(along_x[:, 1]), np.ptp(along_y[:, 0])) == (2.5, 4.0)
    assert len(Ends.of(in_the_plane()).edges) == 0


def test_a_place_may_be_named_on_a_line_too(one: Readings) -> None:
    assert conditions_of(["u_x(x=0) = 1"], one) == conditions_of(["u_x(0) = 1"], one)
    assert Ends.of(one, ["u(0) = 1"]).edges.shape == (0, 1)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["u(0) = 1"], r"at an edge as 'u\(x=0\) = 1' or 'u_y\(y=10\) = 0'; got 'u\(0\) = 1'"),
        (["u(z=0) = 1"], "got 'u"),
        (["u_y(x=0) = 0"], "across the edge, u_x where x is known; got 'u_y"),
        (["u_xy(x=0) = 0"], "across the edge, u_x where x is known; got 'u_xy"),
        (["u_xx(x=0) = 0"], "at most order 1 at an edge"),
        (["u(x=3) = 0"], r"at or beyond the outermost sensors \(1 and 4\)"),
        (["u(x=0) = 1", "u(x=-1) = 1"], "one place for an edge; got -1 and 0"),
        (["u(y=9) = 1"], "at most 3 times as far apart .* y = 0 and 2; got 0 to 9"),
    ],
)
def test_what_cannot_be_known_in_the_plane(texts: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Ends.of(in_the_plane(), texts)


def test_experiments_share_their_edges() -> None:
    assert len(ends_of(["u_x(x=0) = 0"], None, [in_the_plane(), in_the_plane(0.2)])) == 2
    with pytest.raises(InputError, match="Expected edges that all experiments share"):
        ends_of(["u_x(x=0) = 0"], None, [in_the_plane(), in_the_plane(2.0)])
    with pytest.raises(InputError, match="up to edges where something is known"):
        ends_of([], (0.0, 9.0), [in_the_plane()])


def test_an_end_has_one_place(one: Readings) -> None:
    with pytest.raises(InputError, match="one place for an end; got -1 and 0"):
        conditions_of(["u(0) = 1", "u_x(-1) = 0"], one)


def test_experiments_share_their_ends(one: Readings) -> None:
    longer = made(scale=2.0)
    assert [len(each.conditions) for each in ends_of(["u(0) = 1"], None, [one, longer])] == [1, 1]
    with pytest.raises(InputError, match="Expected ends that all experiments share"):
        ends_of(["u(25) = 1"], None, [one, longer])
    assert [len(each.conditions) for each in ends_of(["u(25) = 1"], None, [longer])] == [1]


@pytest.mark.parametrize(
    ("domain", "said"),
    [
        ((2.0, 10.0), "contains all sensors"),
        ((0.0, 8.0), "contains all sensors"),
        ((-100.0, 10.0), "at most 3 times the interval"),
        ((-1.0, 10.0), "at an end of the domain, -1 or 10; got 0"),
    ],
)
def test_what_cannot_be_the_domain(one: Readings, domain: tuple[float, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ends_of(["u(0) = 1"], domain, [one])


@pytest.mark.parametrize("given", [(3.0, 3.0), (4, 1), 7, "0 10", (0, float("inf")), (1, 2, 3)])
def test_a_domain_is_two_increasing_numbers(given: object) -> None:
    with pytest.raises(InputError, match="Expected a domain as two increasing numbers"):
        Joint(domain=given)  # type: ignore[arg-type]
