"""Known inputs in equations: named, printed, rescaled, and refused where they make no sense."""

from __future__ import annotations

import pytest

from pdescry.equation import Component, Equation, Term
from pdescry.equation.algebra import expand, partial
from pdescry.equation.term import Derivative
from pdescry.errors import EquationError

ROD = Equation.parse("u_t = 0.1*u_xx + 2*P - P*u", inputs=("P",))


def test_an_input_is_a_factor_without_a_law_of_its_own():
    assert (ROD.fields, ROD.inputs) == (("u",), ("P",))
    assert ROD.coefficients[Term.parse("P", ("u", "P"))] == 2
    assert Term.parse("u*P", ("u", "P")).factors == ((Derivative("P"), 1), (Derivative("u"), 1))
    assert Equation.of(ROD.components, inputs=["P"]) == ROD
    assert Equation.from_terms({"u_xx": 0.1, "P": 2, "P*u": -1}, inputs=("P",)) == ROD


def test_only_inputs_in_the_terms_are_listed():
    assert Equation.parse("u_t = Q*u + P", inputs=("S", "P", "Q")).inputs == ("P", "Q")
    assert Equation.parse("u_t = u", inputs=("P",)) == Equation.parse("u_t = u")


def test_an_input_differs_from_a_field_of_that_name():
    assert Equation.parse("u_t = v", inputs=("v",)) != Equation.parse("u_t = v; v_t = 0")


def test_it_prints_and_reads_back():
    assert str(ROD) == "u_t = 2*P + 0.1*u_xx - P*u"
    assert Equation.parse(str(ROD), inputs=ROD.inputs) == ROD
    assert Equation.parse(ROD.to_unicode(), inputs=ROD.inputs) == ROD
    assert ROD.to_latex() == r"u_{t} = 2\,P + 0.1\,u_{xx} - P\,u"
    assert r"\mathrm{Power}" in Equation.parse("u_t = Power", inputs=("Power",)).to_latex()


def test_units_of_an_input_change_like_those_of_a_field():
    assert str(ROD.rescaled(P=10)) == "u_t = 0.2*P + 0.1*u_xx - 0.1*P*u"
    assert ROD.rescaled(P=10, u=2).rescaled(P=0.1, u=0.5) == ROD


def test_algebra_takes_inputs_as_factors():
    terms = ROD.coefficients
    assert expand(terms) == terms
    assert partial(terms, Derivative("u")) == {Term.parse("P", ("P",)): -1.0}
    assert partial(terms, Derivative("P")) == {Term(): 2.0, Term.parse("u"): -1.0}


@pytest.mark.parametrize(
    ("text", "inputs", "says"),
    [
        ("u_t = P_x", ("P",), "an input is known only where it was read"),
        ("u_t = u + P_t", ("P",), "an input is known only where it was read"),
        ("u_t = d_x(P*u_x)", ("P",), "an input is known only where it was read"),
        ("u_t = Q", ("P",), "an input (P)"),
        ("u_t = Q", (), "inputs="),
        ("u_t = u", ("u",), "cannot be both"),
        ("u_t = u", ("x",), "cannot be an input"),
        ("u_t = u", ("T_air",), "cannot be an input"),
        ("u_t = u", ("sin",), "cannot be an input"),
    ],
)
def test_what_is_refused(text, inputs, says):
    with pytest.raises(EquationError) as refused:
        Equation.parse(text, inputs=inputs)
    assert says in str(refused.value)


def test_components_with_an_input_that_is_not_named():
    with pytest.raises(EquationError, match=r"P_t = …', or name it in inputs="):
        Equation.of(ROD.components)
    with pytest.raises(EquationError, match="known only where it was read"):
        Equation.of([Component.of("u", {Term.parse("P_x", ("P",)): 1.0})], inputs=("P",))
