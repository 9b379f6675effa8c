"""What is known at the ends is kept to, and sharpens the law."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdescry import InputError, JointFit, Posterior, refine
from pdescry.joint.boundary import Condition, conditions_of, ends_of, reach

ENDS = ("u_x(0) = 0", "u_x(10) = 0")


def test_texts_become_conditions(heat: Posterior) -> None:
    assert conditions_of(ENDS, heat.readings) == (Condition(1, 0.0, 0.0), Condition(1, 10.0, 0.0))
    assert conditions_of(["u ( -1.5e1 )=.5"], heat.readings) == (Condition(0, -15.0, 0.5),)
    assert reach(conditions_of(["u(12) = 1"], heat.readings), heat.readings)[1] == 12
    assert reach((), heat.readings) == heat.readings.span["x"]


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


def test_a_wrong_condition_is_not_met_without_a_word(heat: Posterior) -> None:
    fit = refine(heat, "u_t = u_xx", boundary=["u(0) = 20"])
    assert fit.notes


def test_experiments_share_their_ends(heat: Posterior) -> None:
    readings = heat.readings
    longer = replace(readings, space=2 * readings.space)
    assert [len(each) for each in ends_of(["u(0) = 1"], [readings, longer])] == [1, 1]
    with pytest.raises(InputError, match="Expected ends that all experiments share"):
        ends_of(["u(25) = 1"], [readings, longer])
    assert [len(each) for each in ends_of(["u(25) = 1"], [longer])] == [1]
