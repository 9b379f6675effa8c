"""Figures of a posterior made up for the purpose: two fields, as good as linear, with draws around a known plane."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from pdescry import Readings, plot
from pdescry.errors import InputError
from pdescry.plot import mean_and_sd, save, slices
from pdescry.surrogate import MCLMC, Adam, Network, Posterior, Prior
from pdescry.surrogate.chain import Plan, Trace
from pdescry.surrogate.model import Model
from pdescry.surrogate.scaling import Scaling

CHAINS, DRAWS = 2, 30


@pytest.fixture(scope="module")
def posterior() -> Posterior:
    rng = np.random.default_rng(0)
    time, place = (part.ravel() for part in np.meshgrid(np.linspace(10, 14, 9), [-1.0, 0.0, 2.0], indexing="ij"))
    values = np.column_stack([time + place, time - place])
    readings = Readings.from_arrays(time, place, values, axes=["y"], fields=["u", "v"])
    scaling = Scaling.of(readings)
    model = Model(Network(width=2, depth=1), Prior("standard_normal", scale=1.0), 2, 2, 1)
    # (u, v) = (t + y, t − y), each in units of its own spread; so near zero tanh is straight.
    slopes = np.array([[1, 1], [1, -1]]) * scaling.input_spread / scaling.field_spread[:, None]
    layers = [np.column_stack([matrix, [0, 0]]).ravel() for matrix in (0.1 * np.eye(2), 10 * slopes)]
    centre = np.concatenate([*layers, [0, 0]])
    positions = centre + 0.001 * rng.standard_normal((CHAINS, DRAWS, model.dimension))
    nothing = np.zeros((CHAINS, DRAWS))
    trace = Trace(rng.standard_normal((CHAINS, DRAWS)), nothing, nothing + 1, nothing)
    plan = Plan(model, Adam(), MCLMC(draws=DRAWS))
    positions = positions.astype(np.float32)
    return Posterior(readings, plan, scaling, positions[:, 0], positions, trace)


def test_mean_and_sd_are_drawn_side_by_side(posterior, tmp_path):
    left, right = mean_and_sd(posterior)
    assert left.figure is right.figure
    for ax in (left, right):
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("y", "t")
        assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 2), (10, 14))
    assert "60 draws of u in 2 chains" in left.get_title()
    assert "27 readings by 3 sensors" in right.get_title()
    mean, sd = (np.asarray(ax.collections[0].get_array()) for ax in (left, right))
    assert mean.min() == pytest.approx(9, abs=0.2)
    assert mean.max() == pytest.approx(16, abs=0.2)
    assert (sd > 0).all()
    assert right.collections[0].get_clim()[0] == 0
    save(left, tmp_path / "posterior.png")
    assert (tmp_path / "posterior.png").stat().st_size > 1000


def test_axes_and_colours_have_the_units_of_the_readings(posterior, tmp_path):
    known = replace(posterior, readings=replace(posterior.readings, units={"t": "s", "y": "mm", "u": r"$\frac$"}))
    for ax, what in zip(mean_and_sd(known), ("mean", "sd"), strict=True):
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("y (mm)", "t (s)")
        bar = ax.collections[0].colorbar
        assert bar is not None
        assert bar.ax.get_ylabel().startswith(f"{what} of u (")
    ax = slices(known, [12.0])
    assert (ax.get_xlabel(), ax.lines[0].get_label()) == ("y (mm)", "t = 12 s")
    dots = plot.readings(known.readings)
    assert (dots.get_xlabel(), dots.get_ylabel()) == ("y (mm)", "t (s)")
    for drawn in (ax, dots):
        save(drawn, tmp_path / "units.png")  # a unit is no formula, whatever it holds


def test_every_reading_is_a_dot_and_every_sensor_a_tick(posterior):
    for ax in mean_and_sd(posterior):
        dots = np.asarray(ax.collections[1].get_offsets())
        assert np.array_equal(dots, np.column_stack([posterior.readings.space[:, 0], posterior.readings.time]))
        assert np.array_equal(ax.lines[0].get_xdata(), [-1, 0, 2])


def test_whether_the_draws_mixed_stands_in_the_picture(posterior):
    assert posterior.diagnostics.mixed == ("not mixed" not in mean_and_sd(posterior)[1].get_title())
    apart = replace(posterior, positions=posterior.positions + np.array([0, 1], np.float32)[:, None, None])
    assert "not mixed" in mean_and_sd(apart)[1].get_title()
    assert "not mixed" in slices(apart).get_title()


def test_another_field_into_axes_of_ones_own(posterior):
    axes = Figure().subplots(2, 1)
    assert mean_and_sd(posterior, "v", axes=axes) == tuple(axes)
    assert "draws of v" in axes[0].get_title()
    ax = Figure().add_subplot()
    assert slices(posterior, field="v", ax=ax) is ax
    assert ax.get_ylabel() == "v"


def test_slices_show_three_times_with_bands_and_readings(posterior):
    ax = slices(posterior)
    assert [line.get_label() for line in ax.lines[::2]] == ["t = 10.5", "t = 12", "t = 13.5"]
    assert len(ax.collections) == 3
    for time, line, dots in zip((10.5, 12, 13.5), ax.lines[::2], ax.lines[1::2], strict=True):
        assert np.allclose(line.get_ydata(), time + np.asarray(line.get_xdata()), atol=0.2)
        assert np.allclose(dots.get_ydata(), time + np.asarray(dots.get_xdata()))
        assert len(np.asarray(dots.get_xdata())) == 3


def test_readings_too_far_in_time_are_not_drawn(posterior):
    ax = slices(posterior, times=[12.1, 12.25])
    assert [len(np.asarray(dots.get_xdata())) for dots in ax.lines[1::2]] == [3, 0]


def test_what_cannot_be_drawn_is_told(posterior):
    readings = posterior.readings
    twice = np.column_stack([readings.space, readings.time])
    plane = replace(readings, space=twice, axes=("x", "y"))
    room = replace(readings, space=np.column_stack([twice, readings.time]), axes=("x", "y", "z"))
    for draw in (mean_and_sd, slices):
        with pytest.raises(InputError, match="got 'w'"):
            draw(posterior, field="w")
        with pytest.raises(InputError, match="one space axis"):
            draw(replace(posterior, readings=room))
    with pytest.raises(InputError, match=r"one space axis.*got 2 \(x, y\)"):
        slices(replace(posterior, readings=plane))
    with pytest.raises(InputError, match=r"two axes.*got 1"):
        mean_and_sd(posterior, axes=[Figure().add_subplot()])


def test_a_single_fit_is_drawn_without_uncertainty(posterior, tmp_path):
    fit = replace(posterior, positions=posterior.positions[:1, :1])
    save(mean_and_sd(fit)[0], tmp_path / "fit.png")
    save(slices(fit), tmp_path / "slices.png")
