"""What is known at the ends is kept to, and sharpens the law; a domain carries the field beyond the sensors."""

from __future__ import annotations

from typing import Any

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


def test_known_edges_of_a_plate_sharpen_the_law_and_carry_the_field_to_them() -> None:
    random = np.random.default_rng(1)
    x, y = random.uniform(0.3, np.pi - 0.3, (2, 12))
    t = np.linspace(0, 3, 12)

    def truth(t: np.ndarray, x: np.ndarray, y: np.ndarray) -> Any:
        waves = [(1.0, 1, 0), (-0.7, 1, 1), (0.8, 0, 2), (0.5, 2, 1)]
        return sum(a * np.exp(-0.1 * (k**2 + m**2) * t) * np.cos(k * x) * np.cos(m * y) for a, k, m in waves)

    values = truth(t[:, None], x, y) + 0.02 * random.normal(size=(12, 12))
    places = np.tile(np.column_stack([x, y]), (12, 1))
    readings = Readings.from_arrays(np.repeat(t, 12), places, values.ravel(), axes=("x", "y"))
    walls = [f"u_{axis}({axis}={place}) = 0" for axis in "xy" for place in (0, np.pi)]
    free = refine(readings, "u_t = lap(u)", workers=1)
    fit = refine(readings, "u_t = lap(u)", boundary=walls, workers=1)
    assert abs(fit.values[0] - 0.1) < 3 * fit.sd[0]
    assert fit.sd[0] < 0.5 * free.sd[0]
    assert fit.reach == {"t": (0.0, 3.0), "x": (0.0, np.pi), "y": (0.0, np.pi)}
    assert free.reach["x"] == readings.span["x"]
    grid = np.linspace(0, np.pi, 9)
    found = fit.predict(t[::3], grid, grid)
    right = truth(t[::3, None, None], grid[:, None], grid)
    assert ((found["u_low"] <= right) & (right <= found["u_high"])).mean() > 0.85
    points = np.column_stack([np.full(9, np.pi), grid, np.full(9, 1.5)])
    assert np.abs(fit.experiment.space.at(points, 0, (1, 0, 0)) @ fit.state).max() < 0.02


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
