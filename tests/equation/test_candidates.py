from __future__ import annotations

import pytest

from pdescry.equation import Term, candidates
from pdescry.errors import EquationError, InputError


def test_the_paper_has_eleven_in_the_order_of_its_table_2():
    assert [str(term) for term in candidates("paper")] == [
        "u", "u_x", "u_xx", "u_xxx", "u_xxxx", "u*u_x", "u*u_xx", "u*u_xxx", "u*u_xxxx", "u^2", "u_x^2",
    ]  # fmt: skip


def test_the_general_library_contains_the_papers():
    assert set(candidates("paper")) < set(candidates())
    assert len(candidates()) == len(set(candidates())) >= 20


def test_general_library_counts():
    # max_power=2, max_order=2, one derivative at most: 1, u, u², and {u_x, u_xx} × {1, u}.
    assert len(candidates(max_order=2, max_power=2, max_derivatives=1)) == 7
    assert len(candidates(max_order=2, max_power=2, max_derivatives=1, constant=False)) == 6


def test_several_fields_and_axes():
    found = candidates(fields=("u", "v"), axes=("x", "y"), max_order=2, max_power=2, max_derivatives=1)
    for text in ("u*v", "v*u_x", "u*v_yy", "u_xy"):
        assert Term.parse(text, ("u", "v")) in found
    assert Term.parse("u_x*v_x", ("u", "v")) not in found


def test_own_list_keeps_its_order():
    assert candidates(["u_xx", "u_x*u"]) == (Term.parse("u_xx"), Term.parse("u*u_x"))


@pytest.mark.parametrize(
    ("source", "says"),
    [("papre", "got 'papre'"), ([], "empty"), (["u", "u"], "more than once"), (["u_x*u", "u*u_x"], "more than once"),
     (["u_t"], "left side"), (5, "a list of terms"), (["2*u"], "coefficient"), (["w"], "Unknown name")],
)  # fmt: skip
def test_bad_lists_are_told(source, says):
    with pytest.raises((InputError, EquationError), match=says):
        candidates(source)


def test_names_may_be_single_texts_and_must_be_names():
    assert candidates(fields="temp", max_order=1, max_power=1) == candidates(fields=("temp",), max_order=1, max_power=1)
    with pytest.raises(EquationError, match="one letter"):
        candidates(axes=("xy",))


def test_bad_bounds_are_told():
    with pytest.raises(InputError, match="max_power must be a whole number, 1 or more"):
        candidates(max_power=0)
