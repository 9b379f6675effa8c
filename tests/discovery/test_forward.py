"""The law solved forward: ends that follow the field, and the score on sensors that were left out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pdescry
from pdescry import Law
from pdescry.data import observe
from pdescry.discovery.following import follow
from pdescry.discovery.forward import check_forward
from pdescry.discovery.judgement import judge
from pdescry.discovery.score import score_forward
from pdescry.joint.choice import Choice, Comparison
from pdescry.joint.field.mesh import space_of
from pdescry.joint.fit.noise_model import NoiseModel
from pdescry.joint.inference import JointInference
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.observations import Observations
from pdescry.notices import Notice
from pdescry.solver.profiles import nodes, polynomial
from tests.discovery.conftest import choice_of


def test_a_law_is_scored_on_sensors_that_were_left_out(chosen: tuple[Law, Path]) -> None:
    law, folder = chosen
    score = law.forward.score
    assert score is not None
    assert (law.forward.conditions, law.forward.unscored) == ("field", None)
    assert law.forward.misfit < 0.02  # with ends that follow the field, little is left but the law
    assert (score.sensors, score.readings, score.draws, score.unsolved) == ((2, 6), 2 * 21, 20, 0)
    assert 0.7 < score.rms_error / score.expected < 1.4
    assert 0.05 < score.expected < 0.1  # the readings' noise, and what the law leaves open
    assert score.coverage > 0.85
    table: Any = law.forward.held_out
    assert list(table) == ["sensor", "t", "x", "reading", "mean", "low", "high"]
    rows = np.isin(law.readings.sensor, score.sensors)
    assert sorted(table["reading"]) == sorted(law.readings.values[rows, 0])
    within = (table["low"] <= table["reading"]) & (table["reading"] <= table["high"])
    assert float(np.mean(within)) == pytest.approx(score.coverage)
    assert np.sqrt(np.mean((table["reading"] - table["mean"]) ** 2)) == pytest.approx(score.rms_error)
    told = json.loads((folder / "law.json").read_text(encoding="utf-8"))["forward"]["score"]
    assert told["coverage"] == score.coverage
    assert "table" not in told


def test_the_score_is_read_again(chosen: tuple[Law, Path]) -> None:
    law, folder = chosen
    again = pdescry.load(folder).forward
    assert again.score is not None
    assert law.forward.score is not None
    assert again.score.summary == law.forward.score.summary
    assert again.held_out is not None
    assert again.held_out.equals(law.forward.held_out)


def test_a_law_that_is_wrong_scores_worse(chosen: tuple[Law, Path]) -> None:
    law, _ = chosen
    assert law.forward.score is not None
    assert "misses-held-out" not in [each.code for each in law.warnings]
    wrong = replace(law.forward, score=replace(law.forward.score, rms_error=2 * law.forward.score.expected))
    warnings, _ = judge(law.inference, wrong)
    assert "misses-held-out" in [each.code for each in warnings]


@pytest.mark.parametrize("first", [-9.2, 1.7e9])
def test_clocks_that_begin_elsewhere(chosen: tuple[Law, Path], first: float) -> None:
    """Where rounding makes two times of one, or one of two."""
    fit = choice_of(chosen[0]).fit
    _, experiment, _ = fit.minimum.experiments[0]
    space, later = experiment.space, replace(fit.readings, time=fit.readings.time + first)
    moved = replace(
        experiment,
        space=space_of([space.axes[0].breaks, space.time.breaks + first], 1),
        noise_model=replace(experiment.noise_model, observations=Observations(later)),
    )
    fit = replace(fit, minimum=fit.minimum.with_experiments([moved]))
    found = check_forward(JointInference(replace(choice_of(chosen[0]), fit=fit), (later,)))
    assert found.status == "ok"
    assert found.score is not None
    assert found.score.rms_error == pytest.approx(chosen[0].forward.score.rms_error, rel=0.05)  # type: ignore[union-attr]


def test_times_are_told_in_the_users_clock(chosen: tuple[Law, Path]) -> None:
    assert chosen[0].simulate([3.0, 5.0, 10.0]).attrs["reached"] == 10.0


def test_few_sensors_are_not_left_out(chosen: tuple[Law, Path]) -> None:
    law, _ = chosen
    fit = choice_of(law).fit
    few = fit.readings.select(sensors=[0, 2, 5, 7])
    model = NoiseModel.of(fit.noise, fit.experiment.noise_model.offset_sd, Observations(few))
    experiment = replace(fit.experiment, noise_model=model)
    solved: Any = SimpleNamespace(steps=100, axes=("x",))
    fewer = replace(fit, minimum=fit.minimum.with_experiments([experiment]))
    score, why = score_forward(JointInference(replace(choice_of(law), fit=fewer), (few,)), solved, lambda part: None)
    assert score is None
    assert why == Notice.of("too-few-to-hold-out", sensors=4, enough=5)


def test_ends_follow_the_field_by_default(chosen: tuple[Law, Path]) -> None:
    law, _ = chosen
    found = law.simulate(np.linspace(0, 10, 11), x=np.linspace(*law.readings.span["x"], 9))
    assert found.attrs["boundary"] == "ends follow the inferred field"
    predicted = law.predict(found["t"].values, found["x"].values)["u"].values
    assert np.abs(found["u"].values - predicted).max() < 0.03 * np.ptp(predicted)


def test_draws_have_ends_of_their_own(chosen: tuple[Law, Path]) -> None:
    law, _ = chosen
    low, high = law.readings.span["x"]
    found = law.simulate([1.0, 2.0, 3.0], draws=3, x=[low, 5.0, high])
    laws = law.draw_laws(3)
    for number, (field, _) in enumerate(laws):
        ends = field.mean(np.array([2.0, 3.0]), np.array([low, high]))["u"]
        np.testing.assert_allclose(found["u_draws"][number].values[1:, [0, 2]], ends, atol=1e-2)


def test_a_law_whose_ends_take_what_they_need(chosen: tuple[Law, Path]) -> None:
    law, _ = chosen
    for text in ("u_t = -0.01*u", "u_t = -u_x", "u_t = 0.1*u_x", "u_t = -0.01*u_xxx", "u_t = -0.01*u_xxxx"):
        forward = check_forward(law.inference, pdescry.Equation.parse(text))
        assert (forward.status, forward.conditions) == ("ok", "field"), forward.message
        assert forward.score is None  # which is of the law that the field obeys
        assert forward.unscored == Notice.of("field-of-another-law")


def inferred(fit: JointFit) -> JointInference:
    """As `discover` would have it, had it found this law."""
    processes: Any = tuple((SimpleNamespace(noise=float(noise)),) for noise in fit.noise)
    comparison = Comparison(pd.DataFrame(), pd.DataFrame(), pd.DataFrame(), {})
    return JointInference(Choice(fit, fit.terms, comparison, fit.fields, processes), (fit.readings,))


def test_a_law_of_second_order_is_scored() -> None:
    system = pdescry.systems.damped_wave()
    readings = system.observe(sensors=10, noise="5%", every=0.5, seed=3)
    forward = check_forward(inferred(pdescry.refine(readings, system.equation, workers=1)))
    assert (forward.status, forward.conditions, forward.unscored) == ("ok", "field", None)
    assert forward.misfit < 0.05
    assert forward.score is not None
    assert (forward.score.draws, forward.score.unsolved) == (20, 0)
    assert 0.6 < forward.score.rms_error / forward.score.expected < 1.6


class PlaneWave:
    """Of p_t = −p_x/2 − v_x, v_t = −p_x + v_xx/5, at the wavenumber 2."""

    law = "p_t = -0.5*p_x - v_x; v_t = -p_x + 0.2*v_xx"
    rates, waves = np.linalg.eig(np.array([[-1j, -2j], [-2j, -0.8]]))
    readings: Any = SimpleNamespace(axes=("x",), inputs=())

    def at(self, name: str, t: Any, x: Any, order: int = 0) -> Any:
        return np.real(self.waves["pv".index(name), 0] * 2j**order * np.exp(2j * np.asarray(x) + self.rates[0] * t))

    def along_time(self, name: str, place: float, order: int) -> Any:
        return lambda t: float(self.at(name, t, place, order))

    def profile(self, time: float, domain: Any) -> dict[str, Any]:
        values = {name: self.at(name, time, nodes(domain)) for name in "pv"}
        return {name: polynomial(each, domain) for name, each in values.items()}


def test_ends_of_a_system_of_odd_order_follow_the_field() -> None:
    wave: Any = PlaneWave()
    times, places = np.linspace(1.0, 4.0, 21), np.linspace(0, 3, 31)
    law = pdescry.Equation.parse(wave.law)
    solution = follow(law, wave, times, (0, 3), profiles=wave.profile(1.0, (0, 3)), x=places)
    assert solution.ok, solution.message
    for name in "pv":
        np.testing.assert_allclose(solution[name].values, wave.at(name, times[:, None], places), atol=1e-3)


@pytest.mark.slow
def test_a_system_of_odd_order_is_scored() -> None:
    """Sound in a pipe with friction, fields in units far apart: p_t = −1000·v_x, v_t = −p_x/1000 + v_xx/5."""
    solution = pdescry.simulate(
        "p_t = -1000*v_x; v_t = -0.001*p_x + 0.2*v_xx",
        domain=(-6, 6),
        until=3,
        initial={"p": "1000*exp(2*cos(pi*x/6) - 2)", "v": "0.5*sin(pi*x/6)"},
    )
    readings = observe(solution, sensors=10, noise="5%", every=0.2, seed=1)
    fit = pdescry.refine(readings, "p_t = v_x; v_t = p_x + v_xx", workers=1)
    forward = check_forward(inferred(fit))
    assert (forward.status, forward.conditions, forward.unscored) == ("ok", "field", None)
    assert forward.misfit < 0.05
    assert forward.score is not None
    each = forward.score.by_field
    assert each.index.tolist() == ["p", "v"]
    np.testing.assert_allclose(each["expected"] / fit.noise, 1.2, atol=0.4)
    np.testing.assert_allclose(each["rms_error"] / each["expected"], 1.0, atol=0.5)


def test_ends_where_a_current_turns_are_told() -> None:
    """h_t = −v·h_x with v from 1 to −1: h enters at the left first, and at the right later."""
    t, x = (each.ravel() for each in np.meshgrid(np.linspace(0, 2, 11), np.linspace(0, 1, 8), indexing="ij"))
    values = np.column_stack([np.sin(2 * (x - t + t**2 / 2)), 1 - t])
    readings = pdescry.Readings.from_arrays(t, x, values, fields=("h", "v"))
    fit = pdescry.refine(readings, "h_t = v*h_x; v_t = 1", workers=1)
    forward = check_forward(inferred(fit))
    assert (forward.status, forward.score) == ("not tried", None)
    assert "left end the law takes 1 boundary condition at first and 0 by t =" in str(forward.message)
