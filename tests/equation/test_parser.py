"""The grammar: what is one term, what prints back, and what does not get through."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pdescry.equation import Equation, Term
from pdescry.equation.term import Coordinate, Derivative, Flux, Function
from pdescry.errors import EquationError


@pytest.mark.parametrize("text", ["u_x*u", "u*u_x", "u * u_x", " u_x * u ", "(u)*(u_x)", "u·uₓ"])
def test_one_term_however_it_is_written(text):
    assert Term.parse(text) == Term.of([(Derivative("u"), 1), (Derivative("u", "x"), 1)])
    assert hash(Term.parse(text)) == hash(Term.parse("u*u_x"))


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("u_t = -u*u_x + 0.1*u_xx", "u_t = 0.1*u_xx - u*u_x"),
        ("u_t = u_xx + u_xx", "u_t = 2*u_xx"),
        ("u_t = u_xx - u_xx", "u_t = 0"),
        ("u_t = 0.5*(u_xx - u) + 1", "u_t = 1 - 0.5*u + 0.5*u_xx"),
        ("u_t = u*(1 - u)", "u_t = u - u^2"),
        ("u_t = (0.01/pi)*u_xx", "u_t = 0.003183098861837907*u_xx"),
        ("u_t = -u^2", "u_t = -u^2"),
        ("u_t = (u + 1)^2", "u_t = 1 + 2*u + u^2"),
        ("u_t = u**3/2", "u_t = 0.5*u^3"),
        ("u_t = x*u_x", "u_t = x*u_x"),
        ("u_t = u_yx", "u_t = u_xy"),
        ("u_t = d_x(u*u_x)", "u_t = d_x(u*u_x)"),
        ("u_t = d_x(2*u^2 + u)", "u_t = u_x + 2*d_x(u^2)"),
        ("u_t = d_x(d_x(u^2))", "u_t = d_xx(u^2)"),
        ("u_t = d_x(x^2)", "u_t = 2*x"),
        ("u_t = d_x(y*u^2) + d_x(y*u)", "u_t = y*u_x + y*d_x(u^2)"),
        ("u_tt = u_xx - sin(u) - 0.1*u_t", "u_tt = -sin(u) - 0.1*u_t + u_xx"),
        ("u_t = sin(-u) + cos(-2*u) + exp(-u)", "u_t = cos(2*u) + exp(-u) - sin(u)"),
        ("v_t = u - v; u_t = u_xx - v", "u_t = -v + u_xx; v_t = u - v"),
        ("u_t = u_xx\nv_t = v_xx\n", "u_t = u_xx; v_t = v_xx"),
        ("uₜ = −u·uₓ + 0.1·uₓₓ + ∂ₓ(u²)", "u_t = d_x(u^2) + 0.1*u_xx - u*u_x"),
        ("temp_t = 2*temp_xx", "temp_t = 2*temp_xx"),
        ("u_t = 1", "u_t = 1"),
    ],
)
def test_canonical_form(text, printed):
    assert str(Equation.parse(text)) == printed
    assert Equation.parse(printed) == Equation.parse(text)


@pytest.mark.parametrize(
    ("text", "column", "says", "suggests"),
    [
        ("u_t = 0.1 u_xx", 10, "operator", "0.1*u_xx"),
        ("u_t = uxx", 6, "Unknown name 'uxx'", "u_xx"),
        ("u_t = u_XX", 6, "Expected axes", "u_xx"),
        ("u_t = u_xq", 6, "Expected axes", "u_x"),
        ("u_t = u_xx +", 12, "text ends", None),
        ("u_t =\tw", 6, "Unknown name 'w'", None),
        ("u_t = (u_xx", 11, "')'", None),
        ("u_t = sn(u)", 6, "Unknown function 'sn'", "sin"),
        ("u_t = sin u", 10, "operator", "sin(u)"),
        ("u_t = (u)(u_x)", 9, "operator", None),
        ("u_t = 2(u)", 7, "operator", None),
        ("ut = u", 0, "left side", "u_t"),
        ("dudt = u", 0, "left side", "u_t"),
        ("u_t = u^(1e308*10)", 9, "whole number", None),
        ("u_t = u" + "⁹" * 400, 7, "whole number", None),
        ("u_t = sin((1e308*10)*u)", 11, "a field inside sin", "sin(u)"),
        ("u_t = 0.5*u + u_t", 14, "time derivatives", None),
        ("x_t = x_xx", 0, "means something else", None),
        ("u_t = sin", 6, "'('", "sin(u)"),
        ("u_t = sin(x)", 10, "a field inside sin", "sin(u)"),
        ("u_t = sin(u_x)", 10, "a field inside sin", "sin(u)"),
        ("u_t = 2/u", 8, "only numbers can divide", None),
        ("u_t = u/0", 8, "other than zero", None),
        ("u_t = u^0.5", 8, "whole number", None),
        ("u_t = u^-1", 8, "whole number", None),
        ("u_t = u^u", 8, "whole number", None),
        ("u_t = u^99", 8, "at most", None),
        ("u_t = u_t", 6, "time derivatives", None),
        ("u_tt = u_tt", 7, "time derivatives", None),
        ("u_t + u_xx = 0", 0, "left side", None),
        ("u_x = u", 0, "left side", "u_t"),
        ("2*u_t = u", 0, "left side", None),
        ("u_t = u; u_t = v", 0, "one equation for each field", None),
        ("u_t = v", 6, "Unknown name 'v'", None),
        ("u_t", 3, "'='", None),
        ("u_t = u = u", 8, "operator", None),
        ("", 0, "an equation", None),
        ("u_t = u.real", 7, "Unexpected character '.'", None),
        ("u_t = u[0]", 7, "Unexpected character '['", None),
        ("u_t = __import__('os')", 6, "Unexpected character '_'", None),
        ("u_t = open(u)", 6, "Unknown function 'open'", None),
        ("u_t = lambda: 1", 12, "Unexpected character ':'", None),
        ("u_t = 1e999*u", 6, "too large", None),
        ("sin_t = u", 0, "reserved", None),
        ("u_t = d_t(u)", 6, "Expected axes", "d_x(…)"),
    ],
)
def test_error_points_at_the_fault(text, column, says, suggests):
    with pytest.raises(EquationError) as caught:
        Equation.parse(text)
    assert caught.value.position == column
    assert says in str(caught.value)
    assert caught.value.suggestion == suggests
    if text:
        shown, caret = str(caught.value).splitlines()[-2:]
        assert shown.strip() == text.replace("\t", " ").strip()
        assert caret.index("^") - 2 == column


def test_error_shows_only_the_line_at_fault():
    with pytest.raises(EquationError) as caught:
        Equation.parse("u_t = u_xx\nv_t = w\n")
    assert str(caught.value).splitlines()[-2:] == ["  v_t = w", "        ^"]


@pytest.mark.parametrize(
    "text", ["(" * 5000, "-" * 5000 + "u", "u_t = " + "(" * 5000, "u_t=" + "u^" * 5000, "u" * 30_000]
)
def test_deep_or_long_texts_are_refused_without_overflow(text):
    with pytest.raises(EquationError):
        Equation.parse(text)


def test_product_that_explodes_is_refused():
    with pytest.raises(EquationError, match="too large"):
        Equation.parse("u_t = (1+u+u_x+u_xx+u_xxx+u_xxxx+u_xxxxx)^9")


@pytest.mark.parametrize(
    ("terms", "says"),
    [
        ({"u_t": 1.0}, "time derivatives below u_t"),
        ({"u_xx": float("nan")}, "finite number"),
        ({"u_xx": "a"}, "finite number"),
        ({"u_x*u": 1, "u*u_x": 2}, "more than once"),
    ],
)
def test_equations_from_terms_are_checked_too(terms, says):
    with pytest.raises(EquationError, match=says):
        Equation.from_terms(terms)


def test_an_equation_is_not_made_of_a_text():
    with pytest.raises(EquationError, match=r"Equation\.parse"):
        Equation("u_t = u_xx")  # pyright: ignore[reportArgumentType]


def test_term_needs_no_coefficient_and_stands_alone():
    with pytest.raises(EquationError, match="without a coefficient"):
        Term.parse("2*u")
    with pytest.raises(EquationError, match="one term"):
        Term.parse("u + u_x")


FIELDS, AXES = ("u", "v"), ("x", "y")
derivatives = st.builds(
    lambda field, axes: Derivative(field, "".join(sorted(axes))), st.sampled_from(FIELDS), st.text(AXES, max_size=4)
)
functions = st.builds(
    lambda name, field, scale: Function(name, field, scale if name == "exp" else abs(scale)),
    st.sampled_from(["sin", "cos", "exp", "tanh"]),
    st.sampled_from(FIELDS),
    st.floats(-1e6, 1e6).filter(lambda scale: scale != 0),
)
plain = derivatives | functions | st.sampled_from(AXES).map(Coordinate)
products = st.lists(st.tuples(plain, st.integers(1, 4)), max_size=4).map(Term.of)
fluxes = st.builds(Flux, st.sampled_from(["x", "xx", "xy"]), products.filter(lambda term: term.degree > 1)).filter(
    lambda flux: flux.inner.coordinates <= set(flux.axes)  # others stand outside
)
terms = st.lists(st.tuples(plain | fluxes, st.integers(1, 3)), max_size=3).map(Term.of)
sums = st.dictionaries(terms, st.floats(allow_nan=False, allow_infinity=False).filter(lambda c: c != 0), max_size=5)


@given(terms)
def test_a_term_prints_and_parses_back(term):
    assert Term.parse(str(term), FIELDS, AXES) == term
    assert Term.parse(term.to_unicode(), FIELDS, AXES) == term


@settings(suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
@given(sums, sums)
def test_an_equation_prints_and_parses_back(u, v):
    from pdescry.equation.equation import Component

    equation = Equation.of([Component.of("u", u), Component.of("v", v, 2)])
    assert Equation.parse(str(equation), AXES) == equation
    assert Equation.parse(equation.to_unicode(), AXES) == equation


@given(st.permutations(["u", "u_x", "v^2", "x", "sin(u)", "d_x(u*v)"]))
def test_the_order_of_factors_does_not_matter(factors):
    assert Term.parse("*".join(factors), FIELDS) == Term.parse("x*u*u_x*v^2*sin(u)*d_x(u*v)", FIELDS)
