"""Past the last reading: what was inferred stays, what is assumed is told, and draws show what it may be wrong by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pdescry
from pdescry import Equation, InputError, Law
from pdescry.data import Input
from pdescry.discovery.assumed import boundary_of, ends_assumed, inputs_assumed
from pdescry.discovery.continuing import KEPT, Continued, Course, course_of, folded
from pdescry.discovery.extrapolating import Asked, Solved, solve, with_draws
from pdescry.notices import Notice
from pdescry.solver.profiles import nodes, polynomial
from tests.discovery.conftest import choice_of, with_inference


@pytest.fixture(scope="module")
def forecast(chosen: tuple[Law, Path]) -> Any:
    with pytest.warns(UserWarning, match="readings end at t = 10"):
        return chosen[0].simulate([0.0, 5.0, 10.0, 12.0, 15.0], x=[3.0, 5.0, 8.0], draws=8, verify=False)


def test_later_times_change_nothing_within_the_readings(chosen: tuple[Law, Path], forecast: Any) -> None:
    within = chosen[0].simulate([0.0, 5.0, 10.0], x=[3.0, 5.0, 8.0], draws=8, verify=False)
    for name in ("u", "u_draws", "u_sd", "u_low", "u_high"):
        np.testing.assert_array_equal(forecast[name].sel(t=[0.0, 5.0, 10.0]), within[name])
    start = chosen[0].predict([0.0], [3.0, 5.0, 8.0])["u"].to_numpy()[0]
    np.testing.assert_allclose(forecast["u"][0], start, atol=0.01)
    assert within.attrs["assumed"] == ""
    assert within.attrs["boundary"] == "ends follow the inferred field"


def test_a_forecast_tells_what_it_assumed(forecast: Any) -> None:
    assert forecast.attrs["boundary"] == (
        "ends follow the inferred field until t = 10, then u kept at the left, u kept at the right"
    )
    assert "u at the left end and u at the right end keep their value of t = 10" in forecast.attrs["assumed"]
    assert "boundary=" in forecast.attrs["assumed"]
    assert (forecast.attrs["status"], forecast.attrs["reached"]) == ("ok", 15.0)
    assert forecast.attrs["unsolved_draws"] == 0


def test_intervals_hold_the_mean_and_the_truth(forecast: Any) -> None:
    assert ((forecast["u_low"] < forecast["u"]) & (forecast["u"] < forecast["u_high"])).all()
    truth = 20 / np.pi  # an insulated rod, which is even by then
    assert (
        np.abs(forecast["u"].sel(t=15.0) - truth) < forecast["u_high"].sel(t=15.0) - forecast["u"].sel(t=15.0)
    ).all()
    widths = forecast["u_sd"].mean("x").to_numpy()
    assert widths[-1] > widths[2]


def test_times_after_the_last_reading_begin_there(chosen: tuple[Law, Path]) -> None:
    with pytest.warns(UserWarning, match="not known"):
        found = chosen[0].simulate([12.0, 15.0], x=[5.0])
    with pytest.warns(UserWarning, match="not known"):
        longer = chosen[0].simulate([10.0, 12.0, 15.0], x=[5.0])
    np.testing.assert_allclose(found["u"], longer["u"][1:], rtol=1e-4)


def test_known_ends_are_not_assumed(chosen: tuple[Law, Path]) -> None:
    law = chosen[0]
    fit = pdescry.refine(law.readings, "u_t = u_xx", boundary=["u_x(0) = 0", "u_x(10) = 0"], workers=1)
    known = with_inference(law, choice=replace(choice_of(law), fit=fit))
    found = known.simulate([10.0, 20.0], x=[2.0, 8.0])  # without a warning, which would be an error
    assert found.attrs["boundary"].endswith("u_x = 0 at the left, u_x = 0 at the right")
    assert found.attrs["assumed"].startswith("Beyond the outermost sensors, from x = 0 to ")
    np.testing.assert_allclose(found["u"][-1], 20 / np.pi, atol=0.1)


@pytest.mark.parametrize(
    "asked",
    [{"times": [1.0, 2.0], "domain": (-1.0, 10.0)}, {"times": [1.0, 2.0], "x": [-1.0]}, {"times": [-1.0, 2.0]}],
    ids=["domain", "places", "times"],
)
def test_where_the_field_is_not_known(chosen: tuple[Law, Path], asked: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="wider domain="):
        chosen[0].simulate(**asked)


class Travelling:
    """u = exp(ikx + st) for a law with constant coefficients, read from t = 0 to 4 on x = 0 to 3."""

    known_ends: tuple[Any, ...] = ()
    domain = (0.0, 3.0)

    def __init__(self, rates: Any, waves: Any, names: str, second: bool = False, inputs: Any = ()) -> None:
        self.rate, self.waves, self.names, self.second = rates, waves, names, second
        span = {"t": (0.0, 4.0), "x": self.domain}
        self.readings: Any = SimpleNamespace(axes=("x",), inputs=inputs, span=span, time_name="t")

    def at(self, name: str, t: Any, x: Any, order: int = 0, rates: int = 0) -> Any:
        wave = np.exp(2j * np.asarray(x) + self.rate * np.asarray(t))
        return np.real(self.waves[self.names.index(name)] * 2j**order * self.rate**rates * wave)

    def along_time(self, name: str, place: float, order: int) -> Any:
        return lambda t: float(self.at(name, t, place, order))

    def profile(self, time: float, domain: Any) -> dict[str, Any]:
        found = {name: polynomial(self.at(name, time, nodes(domain)), domain) for name in self.names}
        if self.second:
            found |= {
                f"{name}_t": polynomial(self.at(name, time, nodes(domain), rates=1), domain) for name in self.names
            }
        return found

    def asked(self, times: Any, **more: Any) -> Asked:
        return Asked(self.readings, np.asarray(times, float), self.domain, self.readings.span, **more)


_rates, _waves = np.linalg.eig(np.array([[-1j, -2j], [-2j, -0.8]]))
LAWS: dict[str, Any] = {
    "u_t = -u_x": ((-2j, [1.0], "u"), (1, 0)),
    "u_t = 0.1*u_xx": ((-0.4, [1.0], "u"), (1, 1)),
    "u_t = -0.1*u_xxx": ((0.8j, [1.0], "u"), (1, 2)),
    "u_t = -0.01*u_xxxx": ((-0.16, [1.0], "u"), (2, 2)),
    "u_tt = u_xx": ((-2j, [1.0], "u", True), (1, 1)),
    "p_t = -0.5*p_x - v_x; v_t = -p_x + 0.2*v_xx": ((_rates[0], _waves[:, 0], "pv"), (2, 1)),
    "u_t = -0.1*u": ((-0.1, [1.0], "u"), (0, 0)),
}


@pytest.mark.parametrize("law", LAWS)
def test_laws_of_each_order_go_on(law: str) -> None:
    """From the last reading on with as many conditions as the law takes; what was before is as it was."""
    made, conditions = LAWS[law]
    wave: Any = Travelling(*made)
    equation = Equation.parse(law)
    asked = wave.asked([1.0, 4.0, 4.01, 5.0])
    draws = [solve(asked, equation, wave, course, verify=False) for course in (KEPT, course_of(3, 1))]
    for found in draws:
        assert found.ok, found.fields.attrs["message"]
        assert tuple(map(len, found.taken)) == conditions
        for name in wave.names:
            values, x = found.fields[name].to_numpy(), found.fields["x"].to_numpy()
            np.testing.assert_allclose(values[:2], wave.at(name, [[1.0], [4.0]], x), atol=2e-3)
            np.testing.assert_allclose(values[2], values[1], atol=0.1)
    spread = np.ptp([found.fields[wave.names[0]].to_numpy()[-1] for found in draws], axis=0).max()
    assert (spread > 0.01) == any(conditions)
    assert bool(ends_assumed(asked, draws[0], equation, draws=True)) == any(conditions)


def test_inputs_keep_their_last_value() -> None:
    power = Input("P", np.array([0.0, 1.0, 4.0]), None, np.array([1.0, 1.0, 3.0]))
    still: Any = Travelling(0.0, [0.0], "u", inputs=(power,))
    law = Equation.parse("u_t = P", inputs=("P",))
    asked = still.asked([3.9999, 6.0])
    found = solve(asked, law, still).fields
    assert float(found["u"][-1, 0]) == pytest.approx(6.0, abs=1e-2)
    assert inputs_assumed(asked, law) == Notice.of("inputs-assumed", late=["P keeps its last value after t = 4"])
    assert inputs_assumed(still.asked([3.0, 6.0], inputs={"P": 2.0}), law) is None
    with pytest.raises(InputError, match="begin by 4"):
        still.asked([5.0, 6.0], inputs={"P": 2.0})


def test_ends_keep_another_start() -> None:
    """With initial=, ends are not the field's any more: they keep what they start with."""
    wave: Any = Travelling(*LAWS["u_t = 0.1*u_xx"][0])
    asked = wave.asked([1.0, 2.0], initial="7 + x")
    law = Equation.parse("u_t = 0.1*u_xx")
    found = solve(asked, law, wave)
    np.testing.assert_allclose(found.fields["u"][-1], 7 + found.fields["x"], atol=1e-3)
    assert boundary_of(asked, found) == "u kept at the left, u kept at the right"
    assumed = ends_assumed(asked, found, law, draws=False)
    assert assumed is not None
    assert assumed.code == "ends-assumed-from-start"


def test_draws_of_an_end_change_as_it_did() -> None:
    wave: Any = Travelling(-2j, [1.0], "u")
    ends = Continued(wave, wave.profile(4.0, wave.domain), Course(0.25, 1), 4.0, 5.0, wave.domain, moving=False)
    at = ends.along_time("u", 0.0, 0)
    record = wave.along_time("u", 0.0, 0)
    begin = 0.25 * 3  # of the three seconds at which a stretch of one may begin
    assert at(4.0) == pytest.approx(record(4.0))
    assert at(5.0) - at(4.0) == pytest.approx(record(begin + 1) - record(begin), abs=5e-3)
    assert [folded(time, 4.0) for time in (1.0, 5.0, 9.0)] == [1.0, 3.0, 1.0]
    courses = [course_of(draw, 0) for draw in range(8)]
    assert {each.sign for each in courses} == {-1, 1}
    assert sum(each.no_flux for each in courses) == 2


def test_few_draws_have_wide_intervals() -> None:
    wave: Any = Travelling(*LAWS["u_t = -0.1*u"][0])
    found = solve(wave.asked([1.0, 2.0], x=[1.0]), Equation.parse("u_t = -0.1*u"), wave)
    moved = Solved(found.fields + 0.1, ("x",))
    moved.fields.attrs.update(found.fields.attrs)
    widths = [
        float(with_draws(found.fields, [moved] * number)["u_high"][0, 0] - found.fields["u"][0, 0])
        for number in (2, 50)
    ]
    assert widths == pytest.approx([0.43, 0.2], abs=0.01)  # Student's t times the distance
