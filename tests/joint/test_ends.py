"""What is known at the ends is kept to, and sharpens the law; a domain carries the field beyond the sensors."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry import InputError, JointFit, Readings, refine, systems

ENDS = ("u_x(0) = 0", "u_x(10) = 0")


def test_conditions_are_met_and_sharpen_the_law(heat: Readings, fitted: JointFit) -> None:
    fit = refine(heat, "u_t = u_xx", boundary=ENDS, workers=1)
    space = fit.experiment.space
    assert space.axes[0].span == (0.0, 10.0)
    # But for the start, which does not fit them.
    times = np.linspace(1, 10, 19)
    slopes = [
        space.at(np.column_stack([np.full(len(times), end), times]), 0, (1, 0)) @ fit.state for end in (0.0, 10.0)
    ]
    assert np.abs(slopes).max() < 0.02
    assert abs(fit.values[0] - 2) < 3 * fit.sd[0]
    assert fit.sd[0] < fitted.sd[0]


@pytest.mark.slow
def test_a_wrong_condition_is_not_met_without_a_word(heat: Readings) -> None:
    fit = refine(heat, "u_t = u_xx", boundary=["u(0) = 20"], workers=1)
    assert fit.notes


def test_the_field_is_followed_beyond_the_sensors(heat: Readings, fitted: JointFit) -> None:
    system = systems.get("heat")
    left, right = heat.span["x"]
    fit = refine(heat, "u_t = u_xx", domain=system.domain, workers=1)
    assert fit.reach == {"t": heat.span["t"], "x": (0.0, 10.0)}
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
