"""A law fitted again without some of its sensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pdescry import JointFit, Readings
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.sensor_errors import noise_factors
from pdescry.joint.fit.stages import closer_to_law
from pdescry.joint.left_out import left_out, some_sensors
from pdescry.joint.observations import Observations
from tests.joint.conftest import small_experiment, smooth_readings, some_state


@pytest.mark.parametrize(
    ("sensors", "expected"), [(3, []), (4, [2]), (5, [2]), (7, [2]), (8, [2, 6]), (16, [2, 6, 10, 14])]
)
def test_every_fourth_sensor_between_others_is_left_out(sensors: int, expected: list[int]) -> None:
    x, t = np.meshgrid(np.linspace(0, 1, sensors), [0.0, 1.0, 2.0])
    readings = Readings.from_arrays(t.ravel(), x.ravel(), x.ravel())
    assert some_sensors(Observations(readings)) == expected
    assert len(expected) <= sensors / 3


def lattice(side: int) -> tuple[Observations, np.ndarray, np.ndarray]:
    """Sensors on a square, and where they are."""
    x, y, t = (each.ravel() for each in np.meshgrid(np.arange(side), np.arange(side), np.arange(3), indexing="ij"))
    observed = Observations(Readings.from_arrays(t, np.column_stack([x, y]), x, axes=("x", "y")))
    return observed, *observed.readings.places.T


def test_in_the_plane_every_fourth_of_neighbours_is_left_out() -> None:
    observed, x, y = lattice(6)
    chosen = some_sensors(observed)
    assert len(chosen) == 4  # of 4 x 4 inner ones, one in each quarter
    assert {(x[k] > 2.5, y[k] > 2.5) for k in chosen} == {(False, False), (False, True), (True, False), (True, True)}
    assert all(1 <= x[k] <= 4 and 1 <= y[k] <= 4 for k in chosen)
    within = some_sensors(observed, {"x": (0.0, 2.5), "y": (0.0, 5.0)})
    assert len(within) == 2
    assert all(x[k] <= 2 for k in within)
    assert some_sensors(observed, {"x": (0.5, 1.5), "y": (0.5, 1.5)}) == []


def test_pixels_are_left_out_in_groups_of_neighbours() -> None:
    observed, x, y = lattice(20)
    chosen = some_sensors(observed)
    assert 40 <= len(chosen) <= 80
    beside = [sum(abs(x[k] - x[other]) + abs(y[k] - y[other]) == 1 for other in chosen) for k in chosen]
    assert min(beside) >= 1


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
    bounded = fitted.experiment.varying(fitted.state, fitted.state, (1,))
    readings, space = fitted.readings, fitted.experiment.space
    low, high = space.axes[0].span
    size, length = np.std(readings.values), (high - low) / 11

    def cost(values: Callable[[np.ndarray], np.ndarray]) -> float:
        change = space.nearest(lambda x, t: [np.outer(values(x), np.ones_like(t))])
        off = (np.sum(each.prior_misfit(fitted.state + change) ** 2) for each in (bounded, fitted.experiment))
        return next(off) - next(off)

    assert cost(np.zeros_like) == pytest.approx(0, abs=1e-9)
    assert cost(np.ones_like) == pytest.approx((high - low) / (2 * length * size**2), rel=1e-6)
    squares = (high**3 - low**3) / 3 + length**2 * (high - low)
    assert cost(lambda x: x) == pytest.approx(squares / (2 * length * size**2), rel=1e-6)
    places = np.column_stack([np.linspace(low, high, 40), np.zeros(40)])
    start = fitted.draw(40, bounded=True)[1] @ space.at(places).T
    assert (start.std(0) < 1.5 * size).all()
    assert (fitted.draw(40, bounded=True)[0] == fitted.draw(40)[0]).all()  # no more is claimed of the law


def test_rates_belong_to_the_start_of_a_law_of_second_order() -> None:
    experiment = small_experiment(smooth_readings(("u", "v")))
    space, state = experiment.space, 10 * some_state(experiment.space)
    bounded = experiment.varying(state, state, (1, 2))
    (low, high), (first, _) = (axis.span for axis in space.axes)
    change = space.nearest(lambda x, t: [np.outer(np.ones_like(x), t - first)] * 2)  # u is as before, u_t is not
    off = [np.sum(each.prior_misfit(state + change) ** 2) for each in (bounded, experiment)]
    rates = np.sqrt(space.mean_square(space.values(state, 1, (0, 1))))
    assert off[0] - off[1] == pytest.approx((high - low) / (2 * (high - low) / 5 * rates**2), rel=1e-6)


def test_fields_to_be_solved_forward_obey_the_law_more_closely(fitted: JointFit) -> None:
    def missed(fit: JointFit, bounded: bool) -> float:
        laws = zip(*fit.draw(3, bounded=bounded), strict=True)
        found = [replace(fit.minimum, coefficients=values, states=(state,)).relative_residual for values, state in laws]
        return max(found)

    assert missed(fitted, bounded=True) < 0.5 * missed(fitted, bounded=False)
    tight = closer_to_law(fitted.minimum)
    assert tight.relative_residual < fitted.minimum.relative_residual
    assert noise_factors(tight, 0) == pytest.approx(1.0, abs=0.1)  # and the readings are met as well


def test_a_mesh_that_is_too_coarse_is_not_forced(fitted: JointFit, monkeypatch: pytest.MonkeyPatch) -> None:
    never = replace(FIT, tolerances=replace(FIT.tolerances, forward_noise_ratio=0.0))
    monkeypatch.setattr("pdescry.joint.fit.stages.FIT", never)
    assert closer_to_law(fitted.minimum) is fitted.minimum
