"""Laws refined from readings of known systems: near, sure of as much as is true, and the same in any units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pdescry import Equation, InputError, JointFit, Readings, refine, systems
from tests.joint.conftest import observed

# The largest sd of a coefficient, as a share of it.
CASES = {"heat": 0.02, "advection_diffusion": 0.05, "fisher_kpp": 0.15, "burgers": 0.1, "kdv": 0.02, "damped_wave": 0.1}
SLOW = ("burgers", "kdv", "fisher_kpp", "damped_wave")  # a fine mesh


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES])
def test_the_truth_lies_within_the_interval(name: str) -> None:
    """With 99.99 % intervals: the seeds are fixed, but nobody picked them."""
    fit = refine(observed(name, noise=0.02, sensors=16), systems.get(name).equation, workers=1)
    truth = systems.get(name).equation.coefficients
    assert fit.notes == ()
    for each, value, sd in zip(fit.terms, fit.values, fit.sd, strict=True):
        assert abs(value - truth[each.term]) < 4 * sd
        assert sd < CASES[name] * abs(truth[each.term]) + 1e-12


def test_the_noise_is_inferred(fitted: JointFit) -> None:
    assert fitted.noise == pytest.approx([0.05], rel=0.1)


def test_the_field_is_told_with_its_uncertainty(fitted: JointFit) -> None:
    t, x = np.linspace(0.5, 9.5, 10), np.linspace(*fitted.readings.span["x"], 15)
    found = fitted.predict(t, x)
    error = found["u"].values - systems.heat().solution.at(t[:, None], x[None, :])
    within = np.abs(error) < 3 * found["u_sd"].values
    assert within.mean() > 0.95
    assert found["u_sd"].values.max() < 0.08
    assert (found["u_low"].values < found["u"].values).all()
    assert (found["u"].values < found["u_high"].values).all()
    noisy = fitted.predict(t, x, noise=True)
    np.testing.assert_allclose(noisy["u_sd"] ** 2 - found["u_sd"] ** 2, fitted.noise[0] ** 2, rtol=1e-6)


def test_the_same_law_in_any_units(heat: Readings, fitted: JointFit) -> None:
    t, x, u = 100.0, 0.01, 10.0
    scaled = Readings.from_arrays(heat.time * t, heat.space * x, heat.values * u)
    again = refine(scaled, ["u_xx"], workers=1)
    factor = x**2 / t
    assert again.values[0] == pytest.approx(fitted.values[0] * factor, rel=1e-3)
    assert again.sd[0] == pytest.approx(fitted.sd[0] * factor, rel=1e-2)
    assert again.noise[0] == pytest.approx(fitted.noise[0] * u, rel=1e-2)


@pytest.mark.slow
def test_a_better_law_predicts_left_out_sensors_better(heat: Readings, fitted: JointFit) -> None:
    for wrong in ("u_t = u*u_xx", "u_t = u"):
        assert fitted.elpd > refine(heat, wrong, workers=1).elpd + 20


def test_left_out_sensors_are_as_far_off_as_expected(heat: Readings, fitted: JointFit) -> None:
    errors = fitted.held_out
    assert len(errors) == 12
    assert int(np.sum(errors["readings"])) == len(heat)
    inside = errors["inside"].to_numpy(bool)  # what comes in from outside, nobody foresees
    rms, expected = (np.sqrt(np.mean(errors[name].to_numpy()[inside] ** 2)) for name in ("rms_error", "expected"))
    assert 0.8 < rms / expected < 1.25


def test_a_law_that_cannot_be_met_is_told(heat: Readings) -> None:
    assert "readings-leave-law" in [note.code for note in refine(heat, "u_t = u", workers=1).notes]


def test_known_noise_is_kept(heat: Readings) -> None:
    fit = refine(replace(heat, noise=np.full_like(heat.values, 0.1)), "u_t = u_xx", workers=1)
    np.testing.assert_allclose(fit.experiment.noise_model.noise, 0.1)


def test_terms_may_be_conservative_or_hold_coordinates(heat: Readings, fitted: JointFit) -> None:
    fit = refine(heat, ["d_x(u_x)", "x*u"], workers=1)
    assert fit.values[0] == pytest.approx(fitted.values[0], abs=3 * fit.sd[0])
    assert abs(fit.values[1]) < 4 * fit.sd[1]


def test_it_prints_tabulates_and_gives_an_equation(fitted: JointFit) -> None:
    assert str(fitted).startswith("u_t = ")
    assert "*u_xx" in str(fitted)
    assert "elpd" in repr(fitted)
    assert fitted.equation == Equation.from_terms({"u_xx": float(fitted.values[0])})
    row = fitted.coefficients.iloc[0]
    assert (row["field"], row["term"]) == ("u", "u_xx")
    assert float(row["low"]) < float(row["mean"]) < float(row["high"])
    assert row["high"] - row["mean"] == pytest.approx(1.96 * row["sd"], rel=1e-3)


def test_progress_is_told_and_never_falls(heat: Readings) -> None:
    told: list[float] = []
    refine(heat, "u_t = u_xx", workers=1, progress=lambda what, fraction, left=None: told.append(fraction))
    assert told == sorted(told)
    assert told[-1] == 1.0


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ("u_t = u_xx; v_t = u", "a law for each of u, which were read"),
        ([], "at least one"),
        (["u_xx", "u_xx"], "more than once"),
        (["u_t"], "time derivative"),
        (Equation.parse("u_t = u_yy"), "u_yy|y"),
        (["u_xxxxx"], "at most order 4"),
    ],
)
def test_laws_that_it_cannot_refine(heat: Readings, law: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        refine(heat, law)


def test_places_beyond_the_sensors_are_refused(fitted: JointFit) -> None:
    with pytest.raises(InputError, match="where the law was fitted"):
        fitted.predict([1.0], [-5.0])


@pytest.mark.slow
def test_fourth_derivatives_do_not_drown_the_readings(heat: Readings, fitted: JointFit) -> None:
    """They did, on a fine mesh in double precision: sds shrank, and held-out sensors seemed known to the noise."""
    fit = refine(heat, "u_t = u_xx + u_xxxx", workers=1)
    assert abs(fit.values[1]) < 0.5
    assert fit.sd[0] > 0.9 * fitted.sd[0]
    edges = fit.held_out["expected"].to_numpy()[[0, -1]]
    assert (edges > 1.05 * fit.noise[0]).all()


@pytest.mark.slow
def test_terms_that_say_the_same_are_told(heat: Readings) -> None:
    """d_x(u*u_x) is u*u_xx + u_x^2: only the prior tells their coefficients apart, and it says so by its sds."""
    fit = refine(heat, ["u_xx", "d_x(u*u_x)", "u*u_xx", "u_x^2"], workers=1)
    assert (fit.sd[1:] > 0.5).all()


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """40 layouts of two systems: at 95 %, of 120 coefficients 106 to 119 should be held (99.9 % of the time)."""
    held = []
    for name in ("heat", "advection_diffusion"):
        equation = systems.get(name).equation
        for seed in range(40):
            fit = refine(observed(name, sensors=16, seed=100 + seed), equation)
            truth = np.array([equation.coefficients[each.term] for each in fit.terms])
            held += list(np.abs(fit.values - truth) < 1.96 * fit.sd)
    assert 106 <= sum(held) <= 119


# ---- several experiments ---------------------------------------------------------------------------------------------


def test_experiments_that_share_a_law_tell_more_than_each(fitted: JointFit, shared: JointFit) -> None:
    assert shared.n_experiments == 2
    assert abs(shared.values[0] - 2) < 3 * shared.sd[0]
    assert shared.sd[0] < 0.95 * fitted.sd[0]
    assert "2 experiments" in repr(shared)


def test_each_experiment_has_its_own_field(shared: JointFit) -> None:
    second = shared.of(1)
    assert len(second.readings) == 208
    assert second.noise[0] == pytest.approx(0.05, rel=0.15)
    assert second.offsets["sensor"].tolist() == list(range(8))
    assert len(second.draw(3)[1][0]) == len(second.state)
    truth = np.squeeze(systems.get("heat").solution.at(np.array([2.0]), np.array([5.0])))
    for fit in (shared, second):
        found = fit.predict([2.0], [5.0])
        assert abs(found["u"].values[0, 0] - truth) < 4 * found["u_sd"].values[0, 0]
    assert shared.held_out.groupby("experiment").size().tolist() == [12, 8]
    with pytest.raises(InputError, match="from 0 to 1; got 2"):
        shared.of(2)


def test_many_precise_readings_are_not_followed_into_their_noise() -> None:
    """With the tolerance of fewer readings, u_xx was 0.094 ± 0.003."""
    readings = systems.get("advection_diffusion").observe(sensors=64, noise="1%", seed=171)
    fit = refine(readings, "u_t = u_x + u_xx", workers=1)
    found = dict(zip((str(term.term) for term in fit.terms), zip(fit.values, fit.sd, strict=True), strict=True))
    for term, truth in (("u_x", -1.0), ("u_xx", 0.1)):
        value, sd = found[term]
        assert abs(value - truth) < 4 * sd
        assert sd < 1e-3
    assert fit.noise[0] == pytest.approx(0.01 * readings.values.std(), rel=0.05)
