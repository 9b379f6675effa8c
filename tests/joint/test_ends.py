"""What is known at the ends is kept to, and sharpens the law; a domain carries the field beyond the sensors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdescry import InputError, JointFit, Posterior, refine, systems
from pdescry.joint import Joint
from pdescry.joint.ends import Condition, Ends, conditions_of, ends_of

ENDS = ("u_x(0) = 0", "u_x(10) = 0")


def test_texts_become_conditions(heat: Posterior) -> None:
    assert conditions_of(ENDS, heat.readings) == (Condition(1, 0.0, 0.0), Condition(1, 10.0, 0.0))
    assert conditions_of(["u ( -1.5e1 )=.5"], heat.readings) == (Condition(0, -15.0, 0.5),)
    assert Ends.of(heat.readings, ["u(12) = 1"]).reach[1] == 12
    assert Ends.of(heat.readings).reach == heat.readings.span["x"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("u = 1", "got 'u = 1'"),
        ("w(0) = 1", "got 'w"),
        ("u(5) = 1", "beyond the outermost sensors"),
        ("u_xxxx(0) = 1", "at most order 3"),
    ],
)
def test_what_cannot_be_a_condition(heat: Posterior, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        conditions_of([text], heat.readings)


def test_an_end_has_one_place(heat: Posterior) -> None:
    with pytest.raises(InputError, match="one place"):
        conditions_of(["u(0) = 1", "u_x(-1) = 0"], heat.readings)


def test_conditions_are_met_and_sharpen_the_law(heat: Posterior, fitted: JointFit) -> None:
    fit = refine(heat, "u_t = u_xx", boundary=ENDS)
    space = fit.experiment.space
    assert tuple(space.x.breaks[[0, -1]]) == (0.0, 10.0)
    # But for the start, which does not fit them.
    times = np.linspace(1, 10, 19)
    slopes = [space.at(np.full(len(times), end), times, 1) @ fit.spline for end in (0.0, 10.0)]
    assert np.abs(slopes).max() < 0.02
    assert abs(fit.values[0] - 2) < 3 * fit.sd[0]
    assert fit.sd[0] < fitted.sd[0]


@pytest.mark.slow
def test_a_wrong_condition_is_not_met_without_a_word(heat: Posterior) -> None:
    fit = refine(heat, "u_t = u_xx", boundary=["u(0) = 20"])
    assert fit.notes


def test_experiments_share_their_ends(heat: Posterior) -> None:
    readings = heat.readings
    longer = replace(readings, space=2 * readings.space)
    assert [len(each.conditions) for each in ends_of(["u(0) = 1"], None, [readings, longer])] == [1, 1]
    with pytest.raises(InputError, match="Expected ends that all experiments share"):
        ends_of(["u(25) = 1"], None, [readings, longer])
    assert [len(each.conditions) for each in ends_of(["u(25) = 1"], None, [longer])] == [1]


@pytest.mark.parametrize(
    ("domain", "said"),
    [
        ((2.0, 10.0), "holds all sensors"),
        ((0.0, 9.0), "holds all sensors"),
        ((-100.0, 10.0), "at most 3 times the interval"),
        ((-1.0, 10.0), "at an end of the domain, -1 or 10; got 0"),
    ],
)
def test_what_cannot_be_the_domain(heat: Posterior, domain: tuple[float, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ends_of(["u(0) = 1"], domain, [heat.readings])


@pytest.mark.parametrize("given", [(3.0, 3.0), (4, 1), 7, "0 10", (0, float("inf")), (1, 2, 3)])
def test_a_domain_is_two_increasing_numbers(given: object) -> None:
    with pytest.raises(InputError, match="Expected a domain as two increasing numbers"):
        Joint(domain=given)  # type: ignore[arg-type]


def test_the_field_is_followed_beyond_the_sensors(heat: Posterior, fitted: JointFit) -> None:
    system = systems.get("heat")
    left, right = heat.readings.span["x"]
    fit = refine(heat, "u_t = u_xx", domain=system.domain)
    assert fit.reach == {"t": heat.readings.span["t"], "x": (0.0, 10.0)}
    assert fitted.reach["x"] == (left, right)
    assert fit.values == pytest.approx(fitted.values, abs=2 * fitted.sd[0])
    times = np.linspace(0, 10, 41)
    beyond = fit.predict(times, np.r_[np.linspace(0, left, 20, False), np.linspace(10, right, 20, False)])
    truth = system.solution.at(times[:, None], beyond["x"].to_numpy()[None, :])
    held = (beyond["u_low"] <= truth) & (truth <= beyond["u_high"])
    assert held.mean() > 0.85  # of some forty that are independent: 0.95 less three sds
    # The farther, the less sure.
    sd = fit.predict(times, [5.0, right, (right + 10) / 2, 10.0])["u_sd"].mean("t").to_numpy()
    assert (np.diff(sd) > 0).all()
    with pytest.raises(InputError, match="from 0 to 10, where the law was fitted"):
        fit.predict(1.0, 10.5)
