"""A law fitted again without some of its sensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pdescry import JointFit, Readings
from pdescry.joint.left_out import left_out, some_sensors
from pdescry.joint.observations import Observations


@pytest.mark.parametrize(
    ("sensors", "expected"), [(3, []), (4, [2]), (5, [2]), (7, [2]), (8, [2, 6]), (16, [2, 6, 10, 14])]
)
def test_every_fourth_sensor_between_others_is_left_out(sensors: int, expected: list[int]) -> None:
    x, t = np.meshgrid(np.linspace(0, 1, sensors), [0.0, 1.0, 2.0])
    readings = Readings.from_arrays(t.ravel(), x.ravel(), x.ravel())
    assert some_sensors(Observations(readings)) == expected
    assert len(expected) <= sensors / 3


def test_what_is_left_out_does_not_count(fitted: JointFit) -> None:
    observed = fitted.experiment.observations
    sensors = some_sensors(observed)
    found = left_out(fitted, sensors)
    assert found.rows.sum() == len(found.noise_sd) == len(sensors) * 26
    assert len(found.fit.readings) == len(fitted.readings) - found.rows.sum()
    # Less is known, about as much as there are fewer readings; and nothing else is.
    assert 1.0 < found.fit.sd[0] / fitted.sd[0] < 2.0
    assert abs(found.fit.values[0] - fitted.values[0]) < 2 * found.fit.sd[0]
    assert found.noise_sd == pytest.approx(0.05, rel=0.15)
    # The fit has not seen them: about its field they scatter as its own readings do, and by its own uncertainty.
    own = found.fit.experiment.space.at(observed.points[found.rows])
    errors = observed.values[found.rows] - own @ found.fit.state
    assert 0.8 < np.sqrt(np.mean(errors**2)) / 0.05 < 1.3


def test_draws_start_as_readings_vary(fitted: JointFit) -> None:
    # ½ ∫ (d² + l² d_x²) dx / (l s²), for d one everywhere, and for d = x.
    bounded = replace(fitted.experiment, around=fitted.state)
    readings, space = fitted.readings, fitted.experiment.space
    low, high = space.axes[0].span
    size, length = np.std(readings.values), (high - low) / 11

    def cost(values: Callable[[np.ndarray], np.ndarray]) -> float:
        change = space.nearest(lambda x, t: [np.outer(values(x), np.ones_like(t))])
        off = (np.sum(each.off_prior(fitted.state + change) ** 2) for each in (bounded, fitted.experiment))
        return next(off) - next(off)

    assert cost(np.zeros_like) == pytest.approx(0, abs=1e-9)
    assert cost(np.ones_like) == pytest.approx((high - low) / (2 * length * size**2), rel=1e-6)
    squares = (high**3 - low**3) / 3 + length**2 * (high - low)
    assert cost(lambda x: x) == pytest.approx(squares / (2 * length * size**2), rel=1e-6)
    places = np.column_stack([np.linspace(low, high, 40), np.zeros(40)])
    start = fitted.draw(40, bounded=True)[1] @ space.at(places).T
    assert (start.std(0) < 1.5 * size).all()
    assert (fitted.draw(40, bounded=True)[0] == fitted.draw(40)[0]).all()  # no more is claimed of the law
