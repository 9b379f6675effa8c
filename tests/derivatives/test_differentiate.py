"""The verb, end to end: products draw by draw, then averages; any points, fields, axes, workers."""

from __future__ import annotations

import threading
from dataclasses import replace

import jax
import numpy as np
import pandas as pd
import pytest

from pdescry import InputError, Term
from pdescry.derivatives import Derivatives, differentiate
from pdescry.derivatives.differentiation import Differentiation
from pdescry.derivatives.sweep import TRACES
from pdescry.surrogate import Network
from pdescry.surrogate.scaling import Scaling
from tests.derivatives.conftest import posterior_of, readings_of
from tests.derivatives.test_taylor import nested

POINTS = np.array([[0.5, -2.0], [1.5, 0.3], [3.0, 4.0]])


def by_hand(posterior, points, index, field=0):
    """A derivative of every draw, by nested gradients in float64: (draws, N)."""
    scaling, layers = posterior.scaling, posterior.layers()
    inputs = ((points - scaling.input_centre) / scaling.input_spread).T
    unit = scaling.field_spread[field] / np.prod(scaling.input_spread ** np.array(index))
    with jax.enable_x64(True):
        draws = [
            nested([np.float64(layer[k]) for layer in layers], inputs, index)[field] for k in range(posterior.n_draws)
        ]
    return np.array(draws) * unit + (0 if any(index) else scaling.field_centre[field])


def test_products_are_formed_per_draw_and_then_averaged():
    posterior = posterior_of(readings_of(), draws=12)
    found = differentiate(posterior, ["u*u_x", "u_xx", "u^2"], points=POINTS)
    u, u_x, u_xx, u_t = (by_hand(posterior, POINTS, index) for index in [(0, 0), (0, 1), (0, 2), (1, 0)])
    for column, draws in enumerate([u * u_x, u_xx, u**2]):
        np.testing.assert_allclose(found.mean[:, column], draws.mean(0), rtol=1e-4)
        np.testing.assert_allclose(found.variance[:, column], draws.var(0), rtol=1e-3)
    np.testing.assert_allclose(found.left_mean[:, 0], u_t.mean(0), rtol=1e-4)
    np.testing.assert_allclose(found.left_variance[:, 0], u_t.var(0), rtol=1e-3)
    # The test would not notice E[u]·E[u_x] if it were the same.
    assert np.all(np.abs((u * u_x).mean(0) - u.mean(0) * u_x.mean(0)) > 1e-2 * np.abs((u * u_x).mean(0)))


def test_two_fields_in_the_plane_with_mixed_partials():
    posterior = posterior_of(readings_of(axes=2, fields=2), draws=5, network=Network(width=5, depth=1))
    points = np.array([[1.0, 0.0, 2.0], [3.0, 4.0, -1.0]])
    found = differentiate(posterior, ["u_xy", "v*u_x", "v_xxyy"], points=points, time_order=2)
    assert [part.axes for part in found.left] == ["tt", "tt"]
    u_x, v = by_hand(posterior, points, (0, 1, 0)), by_hand(posterior, points, (0, 0, 0), field=1)
    expected = [by_hand(posterior, points, (0, 1, 1)), v * u_x, by_hand(posterior, points, (0, 2, 2), field=1)]
    for column, draws in enumerate(expected):
        np.testing.assert_allclose(found.mean[:, column], draws.mean(0), rtol=1e-3, atol=1e-4 * np.abs(draws).max())
    for field in range(2):
        u_tt = by_hand(posterior, points, (2, 0, 0), field)
        np.testing.assert_allclose(found.left_mean[:, field], u_tt.mean(0), rtol=1e-3, atol=1e-4 * np.abs(u_tt).max())


def test_change_of_units_changes_terms_exactly(posterior):
    a, b, c = 1e-3, 1e-9, 3600.0  # u, x and t in other units
    scaling = posterior.scaling
    other = replace(
        posterior,
        scaling=Scaling(
            scaling.input_centre * [c, b],
            scaling.input_spread * [c, b],
            scaling.field_centre * a,
            scaling.field_spread * a,
        ),
    )
    terms = ["u", "u*u_xx", "u_xxxx", "u_x^2", "d_x(u*u_x)"]
    one = differentiate(posterior, terms, points=POINTS)
    two = differentiate(other, terms, points=POINTS * [c, b])
    factors = np.array([a, a**2 / b**2, a / b**4, a**2 / b**2, a**2 / b**2])
    np.testing.assert_allclose(two.mean, one.mean * factors, rtol=1e-4)
    np.testing.assert_allclose(two.variance, one.variance * factors**2, rtol=1e-3)
    np.testing.assert_allclose(two.left_mean, one.left_mean * a / c, rtol=1e-4)


def test_the_same_for_any_number_of_workers_and_under_any_setting_of_jax(posterior):
    one, two = (differentiate(posterior, "paper", points=700, workers=workers, keep_points=5) for workers in (1, 3))
    was = jax.config.read("jax_enable_x64")
    try:
        jax.config.update("jax_enable_x64", True)
        three = differentiate(posterior, "paper", points=700, keep_points=5)
    finally:
        jax.config.update("jax_enable_x64", was)
    for name in ("points", "mean", "variance", "left_mean", "left_variance", "draws"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


@pytest.mark.parametrize("sizes", [(300,), (10, 3, 60, 200), (64, 64)], ids=str)
@pytest.mark.parametrize("covariance", [False, True])
def test_begun_while_draws_are_made_it_ends_the_same(sizes, covariance):
    posterior = posterior_of(readings_of(), draws=300)
    options = {"points": 400, "keep_points": 5, "covariance": covariance}
    begun = Differentiation(posterior.readings, posterior.scaling, "paper", **options)
    done = 0
    for size in sizes:
        begun.add(posterior.of_draws(slice(done, done + size)), workers=1)
        done += size
    told = []
    found = begun.finish(posterior, 2, lambda _, fraction, left: told.append((fraction, left)))
    whole = differentiate(posterior, "paper", **options)
    for name in ("mean", "variance", "left_mean", "left_variance", "draws", "covariance"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
    assert told[-1] == (pytest.approx(1), pytest.approx(0, abs=1e-6))


def test_what_was_swept_of_a_chain_that_was_left_out_does_not_count(posterior):
    begun = Differentiation(posterior.readings, posterior.scaling, ["u"], points=10)
    begun.add(posterior_of(readings_of(), draws=64, seed=5), workers=1)
    without = replace(posterior, left_out=("Left out: chain 0.",))
    np.testing.assert_array_equal(begun.finish(without).mean, differentiate(posterior, ["u"], points=10).mean)


def test_points_in_blocks_and_draws_in_chunks_make_no_difference(posterior):
    whole = differentiate(posterior, ["u_xx"], points=600)
    part = differentiate(posterior, ["u_xx"], points=whole.points[[3, 300, 599]])
    np.testing.assert_allclose(part.mean, whole.mean[[3, 300, 599]], rtol=1e-5)
    np.testing.assert_allclose(part.variance, whole.variance[[3, 300, 599]], rtol=1e-5)


def test_covariance_and_kept_draws_agree_with_the_averages(posterior):
    found = differentiate(posterior, ["u", "u*u_x"], points=300, covariance=True, keep_points=40)
    assert found.covariance is not None
    assert found.draws is not None
    assert found.rows is not None
    assert found.draws.shape == (posterior.n_draws, 40, 3)
    np.testing.assert_allclose(found.draws.mean(0)[:, :2], found.mean[found.rows], rtol=1e-5)
    np.testing.assert_allclose(found.draws.var(0)[:, 2:], found.left_variance[found.rows], rtol=1e-4)
    np.testing.assert_allclose(np.diagonal(found.covariance, axis1=1, axis2=2)[:, :2], found.variance)
    one = found.rows[7]
    np.testing.assert_allclose(found.covariance[one], np.cov(found.draws[:, 7].T, bias=True), rtol=1e-3, atol=1e-5)
    plain = differentiate(posterior, ["u", "u*u_x"], points=300, keep_points=40, keep_draws=9)
    assert plain.draws is not None
    assert plain.draws.shape[:2] == (9, 40)
    assert plain.covariance is None
    np.testing.assert_allclose(plain.variance, found.variance, rtol=1e-5)


def test_where_random_points_lie(posterior):
    time, space = posterior.readings.time, posterior.readings.space
    hull = differentiate(posterior, ["u"], points=500)
    assert (hull.points.min(0) >= [time.min(), space.min()]).all()
    assert (hull.points.max(0) <= [time.max(), space.max()]).all()
    assert np.ptp(hull.points[:, 1]) > 0.95 * np.ptp(space)
    wide = differentiate(posterior, ["u"], points=500, within={"x": (-20, 30)})
    assert wide.points[:, 1].min() < -15
    assert wide.points[:, 1].max() > 25
    assert wide.points[:, 0].max() <= time.max()
    other = differentiate(posterior, ["u"], points=500, seed=1)
    assert not np.array_equal(other.points, hull.points)


def test_hull_and_box_in_the_plane():
    readings = readings_of(axes=2)
    triangle = replace(readings, space=np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[np.arange(len(readings)) % 3])
    posterior = posterior_of(triangle, draws=3)
    hull, box = (differentiate(posterior, ["u"], points=2000, within=where).points for where in ("hull", "box"))
    assert hull[:, 1:].sum(1).max() <= 4.0 + 1e-9
    assert np.mean(box[:, 1:].sum(1) > 4) == pytest.approx(0.5, abs=0.05)


def test_a_grid(posterior):
    found = differentiate(posterior, ["u"], points={"x": [0.0, 1.0, 2.0], "t": [0.5, 1.0]})
    np.testing.assert_array_equal(found.points, [[0.5, 0], [0.5, 1], [0.5, 2], [1, 0], [1, 1], [1, 2]])


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"points": 0}, "between 1 and"),
        ({"points": [[1.0, 2.0, 3.0]]}, "2 columns"),
        ({"points": [[np.nan, 2.0]]}, "finite"),
        ({"points": "many"}, "Expected points"),
        ({"points": {"t": [1.0]}}, "grid of t, x"),
        ({"points": {"t": [1.0], "x": [np.inf]}}, "along x"),
        ({"points": {"t": np.arange(1e4), "x": np.arange(1e4)}}, "coarser"),
        ({"within": "sphere"}, "within="),
        ({"within": {"y": (0, 1)}}, "'y'"),
        ({"within": {"x": (1, 0)}}, "range of x"),
        ({"within": {"x": 3}}, "range of x"),
        ({"time_order": 3}, "below 3"),
        ({"keep_points": -1}, "at least 0"),
        ({"keep_points": 3, "keep_draws": 0}, "at least 1"),
        ({"keep_draws": 3}, "keep_points="),
        ({"workers": 0}, "at least 1"),
        ({"seed": 0.5}, "seed"),
        ({"terms": ["u_t"]}, "left side"),
        ({"terms": ["v"]}, "Unknown name 'v'"),
        ({"terms": []}, "at least one"),
    ],
)
def test_bad_input_is_told(posterior, options, match):
    with pytest.raises(InputError, match=match):
        differentiate(posterior, **{"terms": ["u"], "points": 10} | options)


def test_not_a_posterior():
    with pytest.raises(InputError, match="interpolate"):
        differentiate(readings_of(), ["u"])  # type: ignore[arg-type]


def test_a_term_that_leaves_the_numbers(posterior):
    with pytest.raises(InputError, match=r"exp\(1e4\*u\)"):
        differentiate(posterior, ["exp(10000*u)"], points=10)


def test_damping_beside_the_second_time_derivative(posterior):
    found = differentiate(posterior, ["u_t", "u_xx"], points=POINTS, time_order=2)
    np.testing.assert_allclose(
        found.mean[:, 0], differentiate(posterior, ["u"], points=POINTS).left_mean[:, 0], rtol=1e-5
    )


def test_nothing_is_compiled_twice(posterior):
    differentiate(posterior, ["u_xx"], points=10, keep_points=3)
    before = dict(TRACES)
    fewer = replace(posterior, positions=posterior.positions[:, :31], trace=posterior.trace)
    differentiate(posterior, ["u_xx"], points=900, keep_points=7, workers=2)
    differentiate(fewer, ["u_xx"], points=30, keep_points=7, seed=3)
    assert before == TRACES


def test_progress_and_ctrl_c(posterior):
    told = []
    differentiate(posterior, ["u"], points=1000, keep_points=10, progress=lambda *args: told.append(args))
    fractions = [fraction for _, fraction, _ in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1)
    assert {stage for stage, _, _ in told} == {"differentiating"}
    assert told[-1][2] == pytest.approx(0, abs=1e-6)
    threads = threading.active_count()

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        differentiate(posterior, ["u"], points=50_000, progress=interrupt)
    assert threading.active_count() == threads


def test_saved_and_loaded(posterior, tmp_path):
    found = differentiate(posterior, ["u*u_x", "sin(2*u)", "d_x(u*u_x)"], points=20, covariance=True, keep_points=4)
    found.save(tmp_path / "d.nc")
    loaded = Derivatives.load(tmp_path / "d.nc")
    assert (loaded.terms, loaded.left, loaded.inputs, loaded.n_draws) == (found.terms, found.left, ("t", "x"), 70)
    for name in ("points", "mean", "variance", "left_mean", "left_variance", "covariance", "draws", "rows"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(found, name))
    plain = differentiate(posterior, ["u"], points=20)
    plain.save(tmp_path / "d.nc")
    assert Derivatives.load(tmp_path / "d.nc").draws is None
    (tmp_path / "bad.nc").write_bytes((tmp_path / "d.nc").read_bytes()[:900])
    posterior.readings.to_xarray().to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    for name, match in (("bad.nc", "damaged"), ("other.nc", "damaged"), ("none.nc", "no file")):
        with pytest.raises(InputError, match=match):
            Derivatives.load(tmp_path / name)


def test_some_of_the_terms(posterior):
    found = differentiate(posterior, ["u", "u_x", "u_xx"], points=20, covariance=True, keep_points=4)
    part = found.select(["u_xx", Term.parse("u")])
    assert part.terms == (found.terms[2], found.terms[0])
    np.testing.assert_array_equal(part.mean, found.mean[:, [2, 0]])
    assert part.covariance is not None
    assert found.covariance is not None
    np.testing.assert_array_equal(part.covariance, found.covariance[:, [2, 0, 3]][:, :, [2, 0, 3]])
    with pytest.raises(InputError, match="u_xxx"):
        found.select(["u_xxx"])
    assert "3 terms and u_t at 20 points" in repr(found)
    assert list(found.to_xarray()["term"].values) == ["u", "u_x", "u_xx", "u_t"]


def test_a_single_fit_has_no_variance():
    found = differentiate(posterior_of(readings_of(), draws=1), "paper", points=50)
    assert found.n_draws == 1
    assert not found.variance.any()


def test_a_large_offset_costs_no_digits():
    """A pressure near 101,325 that varies by 2: what is averaged must not be rounded to its first digits."""
    posterior = posterior_of(readings_of(), draws=20)
    scaling = posterior.scaling
    lifted = replace(posterior, scaling=replace(scaling, field_centre=scaling.field_centre + 101325.0))
    terms = ["u", "u^2", "u^3", "u*u_x", "1"]
    found = differentiate(lifted, terms, points=POINTS)
    u, u_x = by_hand(lifted, POINTS, (0, 0)), by_hand(lifted, POINTS, (0, 1))
    for column, draws in enumerate([u, u**2, u**3, u * u_x, np.ones_like(u)]):
        np.testing.assert_allclose(found.mean[:, column], draws.mean(0), rtol=1e-6)
        np.testing.assert_allclose(found.variance[:, column], draws.var(0), rtol=1e-4)
        # Differences between points are what a regression lives on.
        np.testing.assert_allclose(np.diff(found.mean[:, column]), np.diff(draws.mean(0)), rtol=1e-4)


def test_a_function_too_small_for_the_numbers():
    posterior = posterior_of(readings_of(), draws=3)
    cold = replace(posterior, scaling=replace(posterior.scaling, field_centre=np.array([300.0])))
    with pytest.raises(InputError, match="too small"):
        differentiate(cold, ["exp(-u)"], points=POINTS)


def test_a_table_of_points_goes_by_its_names(posterior):
    table = pd.DataFrame({"x": POINTS[:, 1], "t": POINTS[:, 0]})
    np.testing.assert_array_equal(differentiate(posterior, ["u"], points=table).points, POINTS)
    with pytest.raises(InputError, match="columns t, x"):
        differentiate(posterior, ["u"], points=table.rename(columns={"x": "y"}))
    assert len(differentiate(posterior, ["u"], points=1e2).points) == 100
