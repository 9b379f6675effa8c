"""Laws in the plane solved forward as a user asks for it: through the readings, past them, with known edges."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import pdescry
from pdescry import Equation, InputError, Law, Readings
from pdescry.cli.app import app
from pdescry.data import Input
from pdescry.discovery.assumed import boundary_of, ends_assumed
from pdescry.discovery.continuing import KEPT, course_of
from pdescry.discovery.continuing_in_plane import State
from pdescry.discovery.extrapolating_in_plane import AskedInPlane, domain_of, solve_in_plane
from pdescry.equation.to_sympy import to_sympy
from pdescry.equation.units import unit_of_coefficient
from pdescry.problem import Condition

PLATE = {"x": (0.0, np.pi), "y": (0.0, np.pi)}
WAVES = [(1.0, 1, 0), (-0.7, 1, 1), (0.8, 0, 2), (0.5, 2, 1)]


def plate_at(t: Any, x: Any, y: Any) -> Any:
    """u_t = 0.1 lap(u) + 0.1 u on an insulated plate."""
    return sum(size * np.exp((0.1 - 0.1 * (k**2 + m**2)) * t) * np.cos(k * x) * np.cos(m * y) for size, k, m in WAVES)


@pytest.fixture(scope="module")
def law() -> Law:
    random = np.random.default_rng(3)
    x, y = random.uniform(0, np.pi, (2, 24))
    t = np.linspace(0, 3, 16)
    u = plate_at(t[:, None], x, y) + 0.01 * random.normal(size=(16, 24))
    places = np.tile(np.column_stack([x, y]), (16, 1))
    readings = Readings.from_arrays(np.repeat(t, 24), places, u.ravel(), axes=("x", "y"))
    return pdescry.discover(readings, candidates=["lap(u)", "u"], workers=1)


def truth_of(found: Any) -> Any:
    return plate_at(found["t"], found["x"], found["y"]).transpose("t", "x", "y")


def test_draws_of_the_law_predict_held_out_sensors(law: Law) -> None:
    forward = law.forward
    assert (forward.status, forward.conditions, forward.unscored) == ("ok", "field", None)
    assert forward.misfit < 0.02
    score, table = forward.score, forward.held_out
    assert score is not None
    assert table is not None
    assert score.draws >= 8
    assert score.rms_error < 2 * score.expected < 0.2 * np.std(law.readings.values)
    assert score.coverage > 0.85
    assert list(table.columns) == ["sensor", "t", "x", "y", "reading", "mean", "low", "high"]
    assert len(table) == score.readings == 16 * len(score.sensors)
    places = table[["x", "y"]].to_numpy()[::16]
    np.testing.assert_array_equal(places, law.readings.places[np.array(score.sensors, int)])


def test_what_is_drawn_of_held_out_sensors_says_where_they_are(law: Law, tmp_path: Path) -> None:
    score = law.forward.score
    assert score is not None
    places = {number: law.readings.places[int(number)] for number in score.sensors}
    _, labels = pdescry.plot.forecast(law).get_legend_handles_labels()
    assert labels == [f"sensor {number} at x = {x:.3g}, y = {y:.3g}" for number, (x, y) in places.items()]
    law.report(tmp_path / "plate.html")
    page = (tmp_path / "plate.html").read_text(encoding="utf-8")
    assert score.sentence in page
    assert page.count('data-figure="forecast-') == len(places)
    assert all(f"Sensor {number} at x = {x:.4g}, y = {y:.4g}, held out" in page for number, (x, y) in places.items())


def test_edges_follow_the_field_and_then_keep_their_values(law: Law) -> None:
    times = [0.0, 1.5, 3.0, 5.0]  # the last one after the readings
    with pytest.warns(UserWarning, match="The readings end at t = 3"):
        found = law.simulate(times, draws=4, verify=False)
    assert (dict(found.sizes), found["u"].dims) == ({"t": 4, "x": 41, "y": 41, "draw": 4}, ("t", "x", "y"))
    assert found.attrs["boundary"] == "edges follow the inferred field until t = 3, then u kept at all edges"
    assert "u at all edges keeps its value of t = 3" in found.attrs["assumed"]
    assert (found.attrs["status"], found.attrs["unsolved_draws"]) == ("ok", 0)
    truth = truth_of(found)
    assert float(np.sqrt(((found["u"] - truth)[:3] ** 2).mean())) < 0.06
    held = ((found["u_low"] <= truth) & (truth <= found["u_high"])).mean(("x", "y"))
    assert (held > 0.7).all()
    widths = found["u_sd"].mean(("x", "y"))
    assert widths[3] > 2 * widths[2]
    within = law.simulate(times[:3], verify=False)
    assert within.attrs["assumed"] == ""
    np.testing.assert_allclose(within["u"], found["u"][:3], atol=1e-12)


def test_known_edges_make_a_forecast_sure(law: Law) -> None:
    found = law.simulate([0.0, 3.0, 6.0], domain=PLATE, boundary="neumann", draws=2, verify=False)
    assert (found.attrs["boundary"], found.attrs["unsolved_draws"]) == ("neumann", 0)
    assert "extrapolated" in found.attrs["assumed"]
    truth = truth_of(found)[1:]
    assert float(np.abs(found["u"][1:] - truth).max()) < 0.1
    assert bool(((found["u_low"][1:] <= truth) & (truth <= found["u_high"][1:])).mean() > 0.9)


def test_another_start(law: Law) -> None:
    found = law.simulate(
        [0.0, 2.0], domain=[(0, np.pi), (0, np.pi)], boundary="neumann", initial="cos(x)*cos(y)", x=[0.0, 1.0], y=[0.5]
    )
    rate = float(law.equation["u"].coefficients[pdescry.Term.parse("u")])
    spread = float(law.equation["u"].coefficients[pdescry.Term.parse("lap(u)")])
    wanted = np.exp(2 * (rate - 2 * spread)) * np.cos([0.0, 1.0]) * np.cos(0.5)
    np.testing.assert_allclose(found["u"][1, :, 0], wanted, atol=1e-4)
    assert found.attrs["assumed"] == ""


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"boundary": "neumann"}, "where the edges are"),
        ({"domain": (0, 1)}, "low < high"),
        ({"domain": {"z": (0, 1)}}, "low < high"),
        ({"domain": {"x": (0, 9)}}, "pass initial=.*or boundary="),
        ({"domain": {"x": (-9, 9), "y": (0, 1)}, "boundary": "neumann"}, "25 % beyond"),
        ({"x": [9.0]}, "places of x within"),
        ({"times": [-1.0, 1.0]}, "times from 0 on"),
    ],
)
def test_what_cannot_be_asked_for(law: Law, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        law.simulate(**asked)


class Wave:
    """The field exp(i (x + y/2)) of some fields, with its rate."""

    known_ends: tuple[Any, ...] = ()

    def __init__(self, rate: complex, inputs: Any = None) -> None:
        self.rate = rate
        t = np.linspace(0, 4, 9)
        places = np.tile([[0.0, 0.0], [2.0, 2.0], [0.0, 2.0]], (9, 1))
        values = self.at(t.repeat(3), places[:, 0], places[:, 1])
        self.readings = Readings.from_arrays(t.repeat(3), places, values, axes=("x", "y"), inputs=inputs)
        self.rectangle = {"x": (0.0, 2.0), "y": (0.0, 2.0)}

    def at(self, t: Any, x: Any, y: Any, order_t: int = 0) -> Any:
        return np.real(self.rate**order_t * np.exp(self.rate * t + 1j * x + 0.5j * y))

    def over(self, name: str, times: Any, x: Any, y: Any, order_t: int = 0) -> Any:
        return self.at(np.asarray(times)[:, None, None], np.asarray(x)[:, None], y, order_t)


LAWS = {
    "u_t = 0.1*lap(u)": (-0.125, 4),
    "u_t = 0.1*u_xx": (-0.1, 2),
    "u_t = 0.1*lap(u) - u_x": (-0.125 - 1j, 4),
    "u_t = -0.1*u": (-0.1, 0),
    "u_tt = lap(u)": (-1j * np.sqrt(1.25), 4),
}


@pytest.mark.parametrize("text", [*list(LAWS)[:-1], pytest.param("u_tt = lap(u)", marks=pytest.mark.slow)])
def test_laws_take_as_many_conditions_as_they_can(text: str) -> None:
    rate, conditions = LAWS[text]
    wave: Any = Wave(rate)
    law = Equation.parse(text)
    times, reach = np.array([1.0, 4.0, 4.01, 5.0]), wave.readings.span
    asked = AskedInPlane(wave.readings, times, wave.rectangle, reach, wave.rectangle)
    for course in (KEPT, course_of(3, 1)):
        found = solve_in_plane(asked, law, wave, course, verify=False)
        assert found.ok, found.fields.attrs["message"]
        assert sum(map(len, found.taken)) == conditions
        values, x, y = (found.fields[name].to_numpy() for name in "uxy")
        np.testing.assert_allclose(values[:2], wave.over("u", [1.0, 4.0], x, y), atol=3e-3)
        np.testing.assert_allclose(values[2], values[1], atol=0.1)
        assert bool(ends_assumed(asked, found, law, draws=True)) == bool(conditions)
    if conditions == 0:
        assert boundary_of(asked, found).endswith("no condition at all edges")


def test_known_edges_are_kept_to_after_the_readings() -> None:
    wave: Any = Wave(*LAWS["u_t = 0.1*lap(u)"][:1])
    wave.known_ends = (Condition("u", 1, 0.0, 0.3), Condition("u", 0, 2.0, -0.5, axis=1))
    asked = AskedInPlane(wave.readings, np.array([4.5, 5.0]), wave.rectangle, wave.readings.span, wave.rectangle)
    for text, slope in (("u_t = 0.1*lap(u)", 0.3), ("u_t = -0.1*u_x", None)):
        law = Equation.parse(text)
        found = solve_in_plane(asked, law, wave, course_of(3, 1), verify=False)
        left, _, _, top = found.taken
        assert left == (("u", 1 if slope else 0, slope),)  # a law of first order takes no slope
        assert top == ((("u", 0, -0.5),) if slope else ())
        assert found.ok
        if slope:
            np.testing.assert_allclose(found.fields["u"].to_numpy()[1, :, -1], -0.5, atol=1e-3)


@pytest.mark.slow
def test_a_law_with_known_edges_is_kept_and_forecast(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    x, y = random.uniform(0.3, np.pi - 0.3, (2, 16))
    t = np.linspace(0, 3, 12)
    u = plate_at(t[:, None], x, y) + 0.01 * random.normal(size=(12, 16))
    places = np.tile(np.column_stack([x, y]), (12, 1))
    readings = Readings.from_arrays(np.repeat(t, 16), places, u.ravel(), axes=("x", "y"))
    walls = tuple(f"u_{axis}({axis}={place}) = 0" for axis in "xy" for place in (0, np.pi))
    known = pdescry.Joint(boundary=walls)
    law = pdescry.discover(readings, candidates=["lap(u)", "u"], method=known, workers=1)
    assert law.forward.score is not None
    law.save(tmp_path / "plate.pdescry")
    loaded = pdescry.load(tmp_path / "plate.pdescry")
    assert law.field.rectangle == loaded.field.rectangle == PLATE
    later = loaded.simulate([0.0, 3.0, 6.0], draws=4, verify=False)  # nothing is assumed, so no warning
    assert later.attrs["assumed"] == ""
    assert "u_x = 0 at the left" in later.attrs["boundary"]
    truth = truth_of(later)
    assert float(np.sqrt(((later["u"] - truth)[2] ** 2).mean())) < 0.02
    assert float(((later["u_low"] <= truth) & (truth <= later["u_high"])).mean()) > 0.9


def test_inputs_and_other_names_of_axes() -> None:
    power = Input("P", np.array([0.0, 4.0]), None, np.array([1.0, 1.0]))
    wave: Any = Wave(0.0, {"P": power})
    law = Equation.parse("u_t = P", inputs=("P",))
    asked = AskedInPlane(wave.readings, np.array([3.0, 6.0]), wave.rectangle, wave.readings.span, wave.rectangle)
    found = solve_in_plane(asked, law, wave, verify=False).fields["u"]
    np.testing.assert_allclose(found[1] - found[0], 3.0, atol=1e-3)
    with pytest.raises(InputError, match="whose field was not inferred"):
        AskedInPlane(wave.readings, np.array([3.0, 6.0]), wave.rectangle, wave.readings.span, None)
    readings: Any = SimpleNamespace(axes=("x", "y"))
    assert domain_of({"y": (0, 1)}, readings, wave.rectangle) == {"x": (0.0, 2.0), "y": (0.0, 1.0)}


def test_a_state_is_known_with_its_slopes() -> None:
    state = State.of(lambda x, y: np.sin(x)[:, None] * np.exp(y), {"x": (0.0, 1.0), "y": (-1.0, 1.0)})
    x, y = np.array([0.1, 0.7]), np.array([0.2, -0.5])
    np.testing.assert_allclose(state(x, y), np.sin(x) * np.exp(y), atol=1e-12)
    np.testing.assert_allclose(state.edge(0, 1.0, 1)(y), np.cos(1.0) * np.exp(y), atol=1e-9)
    np.testing.assert_allclose(state.edge(1, -1.0)(x), np.sin(x) * np.exp(-1), atol=1e-12)


GROUPS = {
    "lap(u)": ("m²/s", "0.1*lap(u)"),
    "grad2(u)": ("m²/(K·s)", "0.1*lap(u) - 0.1*grad2(u)"),
    "div(u)": ("m/s", "0.1*lap(u) - 0.1*div(u)"),
    "u*lap(u)": ("m²/(K·s)", "0.1*u*lap(u)"),
}


@pytest.mark.parametrize("term", GROUPS)
def test_groups_are_solved_converted_and_have_units(term: str) -> None:
    """The same by the solver as their parts; sympy knows no groups."""
    unit, right = GROUPS[term]
    parts = (
        right.replace("u*lap(u)", "u*u_xx + 0.1*u*u_yy")
        .replace("lap(u)", "u_xx + 0.1*u_yy")
        .replace("grad2(u)", "u_x^2 - 0.1*u_y^2")
        .replace("div(u)", "u_x - 0.1*u_y")
    )
    solved = [
        pdescry.simulate(
            f"u_t = {each}", domain={"x": (0, np.pi), "y": (0, np.pi)}, until=0.2, initial="2 + cos(2*x)*cos(2*y)",
            boundary="periodic", x=[0.3, 1.0], y=[0.7], rtol=1e-5, verify=False,
        ).require_ok()
        for each in (right, parts)
    ]  # fmt: skip
    np.testing.assert_allclose(solved[0]["u"], solved[1]["u"], atol=1e-6)
    equation = Equation.parse(f"u_t = {right}")
    (converted,) = to_sympy(equation)
    (of_parts,) = to_sympy(Equation.parse(f"u_t = {parts}"))
    assert (converted.rhs - of_parts.rhs).expand() == 0
    units = {"t": "s", "x": "m", "y": "m", "u": "K"}
    assert unit_of_coefficient(pdescry.Term.parse(term), "u", 1, units) == unit


def test_a_law_with_a_group_is_told_kept_and_shown(law: Law, tmp_path: Path) -> None:
    assert r"\nabla^{2}" in law.latex()
    assert str(law.to_sympy().rhs).count("Derivative") == 2
    assert law.derive("'lap(u)' / u").value == pytest.approx(1.0, abs=0.3)
    law.save(tmp_path / "plate.pdescry")
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "plate.pdescry"), "--derive", "u / 'lap(u)'"])
    assert shown.exit_code == 0, shown.output
    assert "u / 'lap(u)' =" in shown.output
    loaded = pdescry.load(tmp_path / "plate.pdescry")
    kept: Any = loaded.forward.held_out
    told: Any = law.forward.held_out
    pd.testing.assert_frame_equal(kept, told)
    again = loaded.simulate([0.0, 1.0], x=[1.0], y=[1.0], verify=False)
    np.testing.assert_allclose(again["u"], law.simulate([0.0, 1.0], x=[1.0], y=[1.0], verify=False)["u"])
