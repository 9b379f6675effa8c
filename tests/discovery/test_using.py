"""What a law is used for: its covariance, draws of its coefficients, derived quantities, LaTeX, sympy, units."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from latex2mathml.converter import convert
from typer.testing import CliRunner

from pdescry import InputError, Law, Readings, Term
from pdescry.cli.app import app
from pdescry.discovery.coefficients import Coefficient
from pdescry.discovery.derive import derive
from pdescry.notices import Notice
from tests.discovery.conftest import with_comparison, with_inference
from tests.discovery.test_inference import Guessed, fit_of


def of(*parts: tuple[str, float, str], field: str = "u", several: bool = False) -> list[Coefficient]:
    return [
        Coefficient(f"{field}: {text}" if several else text, field, Term.parse(text, ("u", "v"), ("x",)), mean, unit)
        for text, mean, unit in parts
    ]


TOLD = of(("u_x", -2.0, "m/s"), ("u_xx", 0.5, "m²/s"), ("u*u_x", 3.0, "m/(°C·s)"))


def draws_of(told: list[Coefficient], sd: float = 0.01) -> Any:
    return np.array([each.mean for each in told]) + sd * np.random.default_rng(0).standard_normal((4000, len(told)))


def derived(text: str, told: list[Coefficient] = TOLD, sd: float = 0.01, **units: str) -> Any:
    return derive(text, told, draws_of(told, sd), ("x",), units)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("u_x / u_xx", -4.0, "1/m"),
        ("-u_x * L / u_xx where L = 0.5 m", 2.0, "1"),
        ("L^2 / u_xx where L = 0.5 m", 0.5, "s"),
        ("L**2/u_xx where L=2cm", 8.0, "cm²·s/m²"),  # nothing is converted
        ("sqrt(u_xx)", math.sqrt(0.5), "m/s^0.5"),
        ("'u*u_x' / u_x", -1.5, "1/°C"),
        ("\"u_x*u\" + 'u*u_x'", 6.0, "m/(°C·s)"),
        ("abs(u_x)^2", 4.0, "m²/s²"),
        ("u_x^-2", 0.25, "s²/m²"),
        ("T*u_x where T = 2", -4.0, ""),  # T may have a unit that was not told
        ("2*pi*u_xx", math.pi, "m²/s"),
        ("u_x + u_xx", -1.5, ""),
    ],
)
def test_a_derived_quantity_has_its_value_and_its_unit(text, value, unit):
    found = derived(text)
    assert found.value == pytest.approx(value)
    assert found.unit == unit
    assert found.low < found.value < found.high


def test_the_spread_is_that_of_the_draws():
    found = derived("u_x / u_xx")  # to first order 4*hypot(0.01/2, 0.01/0.5)
    assert found.sd == pytest.approx(4 * math.hypot(0.01 / 2, 0.01 / 0.5), rel=0.05)
    assert found.high - found.low == pytest.approx(2 * 1.96 * found.sd, rel=0.06)
    assert str(found) == f"{found.value:.3f} ± {found.sd:.3f} [{found.low:.3f}, {found.high:.3f}] 1/m"


def test_a_constant_brings_its_own_uncertainty():
    alone, uncertain = (derived(f"L*u_x where L = {told}").sd for told in ("1 m", "1 ± 0.1 m"))
    assert uncertain == pytest.approx(math.hypot(alone, 0.2), rel=0.05)


def test_a_coefficient_that_varies_is_taken_at_a_place():
    told = of(("u_xx", 1.0, "m²/s"), ("x*u_xx", 2.0, "m/s"), ("u_x", -1.0, "m/s"))
    found = derived("u_xx where x = 0.5", told, x="m")
    assert found.value == pytest.approx(2.0)
    assert found.unit == "m²/s"
    assert found.sd == pytest.approx(math.hypot(0.01, 0.005), rel=0.05)
    assert derived("'x*u_xx'", told).value == 2.0
    with pytest.raises(InputError, match=r"a place, as the coefficient varies: 'where x = 0.3'"):
        derived("u_xx", told)


def test_of_several_fields_a_term_is_named_with_its_equation():
    told = of(("u_xx", 1.0, ""), several=True) + of(("u_xx", 4.0, ""), ("v", 3.0, ""), field="v", several=True)
    assert derived("'v: u_xx' / 'u: u_xx'", told).value == 4.0
    assert derived("v", told).value == 3.0
    with pytest.raises(InputError, match="'u: u_xx' or 'v: u_xx', in quotes"):
        derived("u_xx", told)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a formula such as"),
        ("u_y", "u_x, u_xx, 'u\\*u_x'"),
        ("u*u_x", "got 'u' in"),
        ("u_x /", "the text ends here"),
        ("__import__('os')", "Unexpected character"),
        ("open('x')", "got 'open'"),
        ("sqrt(u_x)", "has none: nan"),
        ("L*u_x where L", "where L = 0.5 m"),
        ("L*u_x where L = 1, L = 2", "'L' twice"),
        ("u_x where u_x = 1", "another name"),
    ],
)
def test_a_formula_that_says_nothing_is_refused_with_the_remedy(text, words):
    with pytest.raises(InputError, match=words):
        derived(text)


def test_draws_without_a_value_and_far_out_are_told():
    told = of(("u_xx", 0.02, ""))
    assert derived("sqrt(u_xx)", told, 0.02).notes[0].code == "draws-without-value"
    assert "draws-far-out" in [note.code for note in derived("1/u_xx", told, 0.02).notes]


# ---- of a law, by each method ----------------------------------------------------------------------------------------


def with_units(law: Law) -> Law:
    (readings,) = law.experiments
    return with_inference(law, experiments=(replace(readings, units={"t": "s", "x": "m", "u": "°C"}),))


def test_coefficients_have_units_in_the_table_and_in_law_json(chosen, tmp_path):
    law = with_units(chosen[0])
    units = dict(zip(law.coefficients["term"], law.coefficients["unit"], strict=True))
    assert units["u_xx"] == "m²/s"
    assert set(chosen[0].coefficients["unit"]) == {""}
    law.save(tmp_path / "law")
    told = json.loads((tmp_path / "law" / "law.json").read_text(encoding="utf-8"))
    assert {row["term"]: row["unit"] for row in told["coefficients"]} == units
    law.report(tmp_path / "law.html")
    assert "m²/s" in (tmp_path / "law.html").read_text(encoding="utf-8")
    done = CliRunner().invoke(app, ["show", str(tmp_path / "law")])
    assert "unit" in done.stdout
    assert "m²/s" in done.stdout


@pytest.mark.parametrize("method", ["chosen", "finished"])
def test_covariance_and_draws_agree_with_the_table(method, request):
    law: Law = request.getfixturevalue(method)[0]
    table, covariance, drawn = law.coefficients, law.covariance, law.sample(4000, seed=1)
    assert list(covariance) == list(covariance.index) == list(drawn) == list(table["term"])
    assert np.sqrt(np.diag(covariance)) == pytest.approx(table["sd"])
    assert drawn.std().to_numpy() == pytest.approx(table["sd"].to_numpy(), rel=0.15)
    assert np.all(abs(drawn.mean() - table["mean"].to_numpy()) < 0.2 * table["sd"].to_numpy())
    assert drawn.equals(law.sample(4000, seed=1))
    found = law.derive(f"2 * {table['term'][0]}" if "*" not in table["term"][0] else f"2 * '{table['term'][0]}'")
    assert found.sd == pytest.approx(2 * table["sd"][0], rel=0.15)


def test_a_law_of_several_fields_is_typeset_and_derived_from():
    grid = np.linspace(0, 1, 6)
    waves = np.outer(grid, grid)
    readings = Readings.from_grid(grid, grid, {"u": waves, "v": 1 + waves})
    law = Law(Guessed((readings,), (fit_of("u"), fit_of("v"))), None, None)  # type: ignore[arg-type]
    assert list(law.covariance) == ["u: u_xx", "v: v_xx"]
    assert law.derive("v_xx / u_xx").value == pytest.approx(2.0)
    assert law.derive("v_xx / u_xx").notes[-1].code == "spread-too-narrow"
    assert law.latex().count("&=") == 2
    assert len(law.to_sympy()) == 2


def test_latex_is_understood_by_a_typesetter(chosen):
    law = chosen[0]
    assert convert(law.latex()).startswith("<math")
    assert law.latex().startswith("u_{t} = ")
    assert "(" in law.latex()  # the spread
    assert "(" not in law.latex(digits=3)


def test_sympy_solves_what_the_law_says(chosen):
    sympy = pytest.importorskip("sympy")
    law = chosen[0]
    equation = law.to_sympy()
    t, x, k = sympy.symbols("t x k", real=True)
    u = sympy.Function("u")(t, x)
    assert equation.lhs == sympy.Derivative(u, t)
    wave = sympy.exp(-law.equation.coefficients[Term.parse("u_xx")] * k**2 * t) * sympy.sin(k * x)
    terms = [term for term in equation.rhs.as_ordered_terms() if term.has(sympy.Derivative(u, (x, 2)))]
    left, right = (part.subs(u, wave).doit() for part in (equation.lhs, terms[0]))
    assert sympy.simplify(left - right) == 0


def test_where_no_law_is_told_there_is_nothing_to_derive(chosen):
    law = with_comparison(chosen[0], reasons={"u": Notice.of("none-explains")})
    for ask in (lambda: law.covariance, law.sample, law.latex, law.to_sympy, lambda: law.derive("u_xx")):
        with pytest.raises(InputError, match="determine none"):
            ask()


def test_the_shell_derives_as_well(chosen):
    folder = str(chosen[1])
    done = CliRunner().invoke(app, ["show", folder, "--derive", "L^2/u_xx where L = 2", "--latex"])
    assert done.exit_code == 0, done.output
    first, second = done.stdout.splitlines()
    assert first.startswith("u_{t}")
    assert second.startswith("L^2/u_xx where L = 2 = ")
    assert CliRunner().invoke(app, ["show", folder, "--derive", "u_q"]).exit_code == 2


def test_where_readings_had_dates_a_law_is_asked_for_dates(chosen, tmp_path):
    law = chosen[0]
    readings = replace(law.readings, time_origin="2024-05-31T12:00:00", units={"t": "min"})
    law = with_inference(law, experiments=(readings,))
    low, high = readings.span["x"]
    dates = ["2024-05-31 12:01", "2024-05-31 12:02"]
    by_date, by_number = law.predict(dates, [low, high]), law.predict([1.0, 2.0], [low, high])
    assert by_date["t"].to_numpy().tolist() == np.array(dates, "M8[us]").tolist()
    assert np.array_equal(by_date["u"], by_number["u"])
    scattered = law.predict(dates, [low, high], grid=False)
    assert scattered["t"].dtype.kind == "M"
    law.save(tmp_path / "law")
    assert Law.load(tmp_path / "law").readings.time_origin == "2024-05-31T12:00:00"
