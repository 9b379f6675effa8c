"""What a posterior offers: predictions, files, an ArviZ object, a verdict."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from pdescry import InputError
from pdescry.surrogate import Posterior
from pdescry.surrogate.diagnostics import _drift, diagnose, probe_points, probe_values
from pdescry.surrogate.options import SURROGATE
from tests.surrogate.conftest import two_fields


def test_predict_on_a_grid_and_at_points(posterior):
    t, x = [0.5, 1.0, 3.0], [-1.0, 0.3]
    grid = posterior.predict(t, x)
    assert set(grid.data_vars) == {"u", "u_sd", "u_low", "u_high"}
    assert dict(grid.sizes) == {"t": 3, "x": 2}
    points = posterior.predict([1.0, 3.0], [0.3, -1.0], grid=False)
    assert dict(points.sizes) == {"point": 2}
    np.testing.assert_allclose(points["u"], [grid["u"].sel(t=1.0, x=0.3), grid["u"].sel(t=3.0, x=-1.0)], rtol=1e-6)
    assert bool((grid["u_low"] < grid["u"]).all() & (grid["u"] < grid["u_high"]).all())


def test_predict_is_the_mean_and_spread_of_the_draws(posterior):
    points = np.array([[0.5, 0.1], [2.0, -1.5]])
    draws = posterior.values(points)
    assert draws.shape == (posterior.n_draws, 1, 2)
    found = posterior.predict(*points.T, grid=False, level=0.5)
    np.testing.assert_allclose(found["u"], draws[:, 0].mean(0))
    np.testing.assert_allclose(found["u_sd"], draws[:, 0].std(0))
    np.testing.assert_allclose(found["u_low"], np.quantile(draws[:, 0], 0.25, axis=0))
    assert found.attrs["level"] == 0.5


def test_a_few_draws_are_spread_over_all_chains(posterior):
    few, flat = posterior.at_most(3), posterior.positions.reshape(posterior.n_draws, -1)
    np.testing.assert_array_equal(few.positions[0], flat[[0, (posterior.n_draws - 1) // 2, -1]])
    assert few.trace.log_density.shape == (1, 3)
    assert posterior.at_most(posterior.n_draws) is posterior


def test_predict_what_a_sensor_would_read(posterior):
    field, reading = (posterior.predict(2.0, [0.0, 1.0], noise=noise) for noise in (False, True))
    np.testing.assert_allclose(field["u"], reading["u"])
    expected = np.sqrt(field["u_sd"] ** 2 + np.mean(posterior.noise_sd**2))
    np.testing.assert_allclose(reading["u_sd"], expected, rtol=1e-6)
    assert bool((reading["u_high"] > field["u_high"]).all())


def test_many_points_come_in_blocks(posterior):
    t = np.linspace(0, 4, 1500)
    whole = posterior.values(np.column_stack([t, 0 * t]))
    part = posterior.values(np.column_stack([t, 0 * t])[1100:1110])
    np.testing.assert_allclose(whole[:, :, 1100:1110], part, rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "options", "match"),
    [
        ((1.0,), {}, "2 coordinates"),
        ((1.0, np.nan), {}, "finite"),
        ((1.0, "here"), {}, "numbers for x"),
        ((1.0, 0.0), {"level": 95}, "level"),
        (([[1.0]], 0.0), {}, "one-dimensional"),
        (([1.0, 2.0], [0.0, 1.0, 2.0]), {"grid": False}, "one shape"),
    ],
)
def test_bad_questions(posterior, arguments, options, match):
    with pytest.raises(InputError, match=match):
        posterior.predict(*arguments, **options)


def test_layers_are_the_network(posterior):
    layers = posterior.layers()
    assert [layer.shape[1:] for layer in layers] == list(posterior.plan.model.shapes)
    at = np.array([[1.0, 0.5]])
    hidden = posterior.scaling.inputs(at)[None].repeat(posterior.n_draws, 0)
    for number, layer in enumerate(layers):
        hidden = layer[:, :, :-1] @ hidden + layer[:, :, -1:]
        hidden = np.tanh(hidden) if number < len(layers) - 1 else hidden
    expected = hidden[:, 0, 0] * posterior.scaling.field_spread + posterior.scaling.field_centre
    np.testing.assert_allclose(posterior.values(at)[:, 0, 0], expected, rtol=1e-4)


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["p.nc", "p.zarr"])
def test_saved_and_loaded(posterior, tmp_path, name):
    path = tmp_path / name
    posterior.save(path)
    posterior.save(path)  # replaces what is there
    again = Posterior.load(path)
    np.testing.assert_array_equal(again.positions, posterior.positions)
    assert again.readings == posterior.readings
    assert again.plan == posterior.plan
    assert repr(again) == repr(posterior)
    np.testing.assert_array_equal(again.predict(1.0, 0.5)["u"], posterior.predict(1.0, 0.5)["u"])
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_units_are_saved_and_older_files_without_them_are_read(posterior, tmp_path):
    known = replace(posterior, readings=replace(posterior.readings, units={"u": "°C", "t": "s"}))
    known.save(tmp_path / "p.nc")
    assert Posterior.load(tmp_path / "p.nc").readings.units == {"u": "°C", "t": "s"}
    older = xr.load_dataset(tmp_path / "p.nc", engine="h5netcdf")
    about = json.loads(older.attrs["readings"])
    del about["units"]
    older.attrs["readings"] = json.dumps(about)
    older.to_netcdf(tmp_path / "older.nc", engine="h5netcdf")
    assert Posterior.load(tmp_path / "older.nc").readings.units == {}


def test_what_is_no_posterior(posterior, tmp_path):
    with pytest.raises(InputError, match="no file"):
        Posterior.load(tmp_path / "nowhere.nc")
    (tmp_path / "text.nc").write_text("hello")
    with pytest.raises(InputError, match="damaged"):
        Posterior.load(tmp_path / "text.nc")
    posterior.predict(1.0, 0.5).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with pytest.raises(InputError, match="is none"):
        Posterior.load(tmp_path / "other.nc")
    posterior.save(tmp_path / "whole.nc")
    content = (tmp_path / "whole.nc").read_bytes()
    (tmp_path / "half.nc").write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="damaged"):
        Posterior.load(tmp_path / "half.nc")
    with pytest.raises(InputError, match=r"\*\.nc or \*\.zarr"):
        posterior.save(tmp_path / "p.pickle")


def test_arviz_object(posterior):
    data = posterior.to_arviz()
    assert data.posterior["u"].shape[:2] == posterior.positions.shape[:2]
    assert {"u", "u_t", "u_x", "u_xx", "noise_sd"} <= set(data.posterior.data_vars)
    assert {"lp", "diverging"} <= set(data.sample_stats.data_vars)


# ---- the verdict -----------------------------------------------------------------------------------------------------


def test_probe_values_are_the_derivatives(posterior):
    points = probe_points(posterior.readings)[:5]
    found = probe_values(posterior, points)
    step = 1e-2

    def shifted(axis, by):
        moved = points.copy()
        moved[:, axis] += by
        return posterior.values(moved)[:, 0].reshape(found["u"].shape)

    np.testing.assert_allclose(found["u"], shifted(0, 0.0), rtol=1e-5)
    for axis, name in ((0, "u_t"), (1, "u_x")):
        slope = (shifted(axis, step) - shifted(axis, -step)) / (2 * step)
        np.testing.assert_allclose(found[name], slope, atol=2e-2 * np.abs(found[name]).max())
    bend = (shifted(1, 5 * step) - 2 * shifted(1, 0.0) + shifted(1, -5 * step)) / (5 * step) ** 2
    np.testing.assert_allclose(found["u_xx"], bend, atol=5e-2 * np.abs(found["u_xx"]).max())


def test_probe_points_lie_within_the_hull():
    readings = two_fields()
    points = probe_points(readings)
    assert points.shape == (100, 4)
    assert np.all(points[:, 1:] <= readings.space.max(0))
    assert np.all(points[:, 1:] >= readings.space.min(0))


def independent(posterior: Posterior, number: int = 200) -> Posterior:
    """As if sampled perfectly: every draw near one network, apart only by noise that knows no chain."""
    rng = np.random.default_rng(0)
    shape = (2, number, posterior.positions.shape[-1])
    positions = posterior.positions[0, -1] + 1e-2 * rng.standard_normal(shape).astype(np.float32)
    flat = {name: np.zeros(shape[:2]) for name in posterior.trace._fields}
    flat["log_density"] = rng.standard_normal(shape[:2])
    flat["acceptance"] = np.full(shape[:2], np.nan)
    return replace(posterior, positions=positions, trace=type(posterior.trace)(**flat))


def test_independent_draws_are_mixed(posterior):
    diagnostics = diagnose(independent(posterior))
    assert diagnostics.mixed
    assert diagnostics.verdict.code == "mixed"
    assert diagnostics.table.r_hat.max() < 1.05
    assert diagnostics.table.ess_bulk.min() > 200


def test_chains_that_differ_are_not_mixed(posterior):
    good = independent(posterior)
    positions = good.positions.copy()
    positions[1] = posterior.positions[1, -1] + (positions[1] - posterior.positions[0, -1])
    diagnostics = diagnose(replace(good, positions=positions))
    assert not diagnostics.mixed
    assert {"chains-differ", "draw-longer"} <= {fault.code for fault in diagnostics.faults}
    assert "chains differ in u" in str(diagnostics.verdict)
    assert "--thin" in diagnostics.verdict.for_shell()


def test_drift_is_told(posterior):
    good = independent(posterior)
    drifting = np.asarray(good.trace.log_density) + np.linspace(0, 10, good.positions.shape[1])
    diagnostics = diagnose(replace(good, trace=good.trace._replace(log_density=drifting)))
    assert [fault.code for fault in diagnostics.faults] == ["drifting"]
    assert _drift(drifting) > 3


def test_divergences_and_rejections_are_told(posterior):
    good = independent(posterior)
    shape = good.positions.shape[:2]
    diverged = diagnose(replace(good, trace=good.trace._replace(divergences=np.ones(shape))))
    assert "diverged" in [fault.code for fault in diverged.faults]
    rejected = good.trace._replace(acceptance=np.full(shape, 0.01))
    assert "1% of the proposals were accepted" in str(diagnose(replace(good, trace=rejected)).verdict)


def test_too_few_draws_are_not_judged(posterior):
    few = replace(posterior, positions=posterior.positions[:, : SURROGATE.diagnostics.least_draws - 1])
    assert not few.diagnostics.mixed
    assert few.diagnostics.verdict.code == "few-draws"


def test_one_chain_is_judged_by_its_halves(posterior):
    good = independent(posterior)
    one = replace(good, positions=good.positions[:1], trace=type(good.trace)(*(part[:1] for part in good.trace)))
    assert one.diagnostics.mixed


def test_noise_given_too_small_is_told(posterior):
    readings = posterior.readings
    tight = replace(independent(posterior), known_noise=np.full((1, len(readings)), 1e-4))
    assert "missed-by-noise-given" in [fault.code for fault in tight.diagnostics.faults]


def test_coverage_takes_each_reading_at_its_own_noise(posterior):
    """Noise that differs from reading to reading, known: a calibrated posterior covers 95 %, whatever the mixture."""
    good, rng = independent(posterior), np.random.default_rng(5)
    readings = posterior.readings
    known = np.where(np.arange(len(readings)) % 4 > 0, 0.01, 1.0)[None]
    truth = good.values(np.column_stack([readings.time, readings.space])).mean(0)
    noisy = replace(readings, values=(truth + known * rng.standard_normal(known.shape)).T, noise=None)
    assert 0.89 < replace(good, readings=noisy, known_noise=known).diagnostics.coverage <= 1


def test_energy_far_out_is_told(posterior):
    good = independent(posterior)
    wild = np.full(good.positions.shape[:2], 100.0)
    found = diagnose(replace(good, trace=good.trace._replace(energy_error=wild)))
    assert "energy-error" in [fault.code for fault in found.faults]
