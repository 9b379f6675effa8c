"""What a law offers: printing, coefficients, prediction, forward solutions with their spread."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from pdescry import Equation, InputError, Term, systems
from pdescry.discovery.forward import Forward, check_forward
from pdescry.discovery.judgement import judge
from pdescry.notices import Notice
from pdescry.two_stage import NetworkField
from tests.discovery.conftest import with_inference


def test_printing_and_coefficients(finished):
    law, _ = finished
    assert str(law).startswith("u_t = ")
    assert "(" in str(law)  # spread in the last digits
    table = law.coefficients
    assert list(table["term"]) == ["u_xx", "u_x"]
    assert (table["low"] < table["mean"]).all()
    assert (table["mean"] < table["high"]).all()
    assert set(table["spread"]) == {"honest"}
    assert law.equation.coefficients == dict(zip(law.fits[0].terms, table["mean"], strict=True))
    for warning in law.warnings:
        assert str(warning) in repr(law)


def test_predict_is_the_posteriors(finished):
    law, _ = finished
    t, x = [1.0, 2.0], [3.0, 4.0, 5.0]
    assert law.predict(t, x).equals(law.posterior.predict(t, x))


def test_profiles_are_the_field_in_double_precision(finished):
    law, _ = finished
    x = np.linspace(2, 8, 11)
    found = NetworkField(law.posterior).profile(1.5, (2, 8))
    np.testing.assert_allclose(found["u"](x), law.posterior.predict([1.5], x)["u"][0], atol=1e-3, rtol=0)
    # The mean is of some draws; of one draw it is exact up to single precision.
    draw = 7
    one = law.posterior.values(np.column_stack([np.full(11, 1.5), x]))[draw, 0]
    single = NetworkField(law.posterior.of_draws(np.array([draw])))
    np.testing.assert_allclose(single.profile(1.5, (2, 8))["u"](x), one, rtol=1e-4)
    later = single.profile(1.51, (2, 8))["u"](x)
    np.testing.assert_allclose(
        single.profile(1.505, (2, 8))["u_t"](x),
        (later - single.profile(1.5, (2, 8))["u"](x)) / 0.01,
        rtol=1e-2,
        atol=1e-3,
    )


def with_law(law, text):
    """The same with another law in place of what was found."""
    equation = Equation.parse(text)
    fit = law.fits[0]
    wanted = equation.components[0].coefficients
    coefficients = np.array([wanted.get(term, 0.0) for term in fit.terms])
    fit = replace(fit, coefficients=coefficients, support=coefficients != 0, spread=None)
    return with_inference(law, fits=(fit,))


def test_simulate_solves_the_law_forward(finished):
    law = with_law(finished[0], "u_t = 2*u_xx")
    system = systems.heat()
    found = law.simulate(
        [0.0, 1.0, 2.0], domain=system.domain, initial=system.initial, boundary="neumann", x=[0.0, 2.5, 5.0]
    )
    np.testing.assert_allclose(found["u"][1], [4.40281567075007, 6.40227138375463, 8.25742981922183], rtol=1e-6)
    assert found.attrs["status"] == "ok"


def test_simulate_starts_from_the_inferred_field(finished):
    law = with_law(finished[0], "u_t = 2*u_xx")
    ends = law.readings.span["x"]
    start = law.field.profile(2.0, ends)["u"]
    held = {side: f"u={float(start(np.array([end]))[0])!r}" for side, end in zip(("left", "right"), ends, strict=True)}
    found = law.simulate([2.0, 2.5, 3.0], boundary=held)
    assert list(found["t"].values) == [2.0, 2.5, 3.0]
    np.testing.assert_allclose(found["u"][0], start(found["x"].values), atol=1e-4)
    np.testing.assert_allclose(found["u"][0], law.predict([2.0], found["x"].values)["u"][0], atol=0.01)


def test_draws_of_the_law_spread_as_its_coefficients_do(finished):
    law = finished[0]
    laws = law.draw_laws(25, seed=1)
    drawn = np.array(
        [[law_of[term] for term in law.fits[0].terms] for law_of in (each.coefficients for _, each in laws)]
    )
    assert np.abs(drawn.mean(0) - law.coefficients["mean"]).max() < 3 * law.coefficients["sd"].max()
    np.testing.assert_allclose(drawn.std(0, ddof=1), law.coefficients["sd"], rtol=0.02)  # all kept draws once
    solve = partial(
        law.simulate,
        [0.0, 0.5, 1.0],
        draws=3,
        x=[3.0, 5.0, 7.0],
        domain=(0, 10),
        initial="7 + cos(pi*x/5)",
        boundary="periodic",
    )
    found = solve()
    assert found["u_draws"].dims == ("draw", "t", "x")
    assert found["u_draws"].sizes["draw"] == 3
    assert (found["u_low"] <= found["u_high"]).all()
    assert found.attrs["unsolved_draws"] == 0
    assert solve().equals(found)


def test_an_ill_posed_law_is_told(finished):
    law = finished[0]
    forward = check_forward(law.inference, Equation.parse("u_t = -2*u_xx"))
    assert forward.status == "ill-posed"
    warnings, advice = judge(law.inference, forward)
    assert "law-ill-posed" in [each.code for each in warnings]
    assert "try-lower-derivatives" in [each.code for each in advice]
    assert check_forward(law.inference, Equation.parse("u_t = 2*u_xx")).status == "ok"


def test_what_is_warned_of(finished):
    law = finished[0]
    fit = law.fits[0]
    nothing = replace(
        fit, support=np.zeros_like(fit.support), coefficients=0 * fit.coefficients, outcome="nothing left"
    )
    warnings, advice = judge(with_inference(law, fits=(nothing,)).inference, law.forward)
    assert Notice.of("no-candidate-left", left="u_t") in warnings
    assert "try-lower-threshold" in [each.code for each in advice]
    many = replace(nothing, terms=fit.terms * 20)
    warnings, _ = judge(with_inference(law, fits=(many,)).inference, law.forward)
    assert Notice.of("few-readings", readings=len(law.readings), candidates=40) in warnings


def test_forward_of_each_order(finished):
    """Conditions that fit the law; where there is no telling, none, and the reason."""
    found = finished[0].inference
    assert check_forward(found, Equation.parse("u_t = -0.01*u")).boundary == "free at the left, free at the right"
    for odd in ("u_t = -0.1*u_x", "u_t = -u_xxx"):
        forward = check_forward(found, Equation.parse(odd))
        assert forward.status == "not tried"
        assert forward.message.code == "ends-unknown"
    assert check_forward(found, Equation.parse("u_t = t*u_xx")).status == "not tried"


def test_a_law_that_holds_the_time_is_not_moved(finished):
    law = finished[0]
    fit = replace(law.fits[0], terms=(Term.parse("t*u"), Term.parse("u_x")))
    with pytest.raises(InputError, match="without t"):
        with_inference(law, fits=(fit,)).simulate([2.0, 3.0])


def test_conditions_that_are_assumed_are_told(finished):
    """Of a field that obeys no law: the nearest simple conditions, and in draws past the readings others."""
    law = with_law(finished[0], "u_t = 2*u_xx")
    with pytest.warns(UserWarning, match="Assumed, nearest to the field: "):
        found = law.simulate([9.0, 10.5], draws=2, x=[5.0], rtol=1e-4, verify=False)
    assert "Draws also have" in found.attrs["assumed"]
    assert float(found["u_low"][-1, 0]) < float(found["u"][-1, 0]) < float(found["u_high"][-1, 0])
    with pytest.raises(InputError, match="wider domain="):
        law.simulate([9.0, 10.0], domain=(-1, 11))
    nobody = replace(law, forward=Forward("not tried", Notice.of("ends-unknown")))
    with pytest.raises(InputError, match="pass boundary="):
        nobody.simulate([0.0, 9.0])


@pytest.mark.parametrize("times", [[1.0], [2.0, 1.0], [[0.0, 1.0]]])
def test_times_that_are_none(finished, times):
    with pytest.raises(InputError, match="increasing"):
        finished[0].simulate(times)
