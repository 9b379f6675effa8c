"""Whitened errors are independent with variance one, whatever noise and systematic errors there are; and the way
back."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import multivariate_normal

from pdescry.joint.fit.calibration import GAIN, OFFSET, Calibration
from pdescry.joint.fit.noise_model import NoiseModel, at_least
from pdescry.joint.fit.options import FIT
from pdescry.joint.observations import Observations
from tests.joint.conftest import smooth_readings

# Of each sensor, in u and in v: which share of the noise's variance, how long, and whether it is smooth.
LASTING = np.array([[[0, 0, 0], [0.7, 0.4, 0]], [[0, 0, 0], [0.6, 0.2, 1]], [[0.9, 1.5, 1], [1.0, 0.3, 1]]], float)


SYSTEMATIC = {
    "none": [[0.0], [0.0]],
    "offsets in one field": [[0.3], [0.0]],
    "offsets in both": [[0.3], [1.2]],
    "gains, too": [[0.3, 0.5], [1.2, 0.0]],
}


@pytest.fixture(params=list(SYSTEMATIC.values()), ids=list(SYSTEMATIC))
def model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> NoiseModel:
    """Two fields, one of which was not always read, with noise that differs between readings."""
    uncached = replace(FIT.memory, times_kept=0)  # what was computed with other options
    exactly = replace(FIT, noise=replace(FIT.noise, least_weight=0.0), memory=uncached)
    monkeypatch.setattr("pdescry.joint.fit.correlation.FIT", exactly)
    readings = smooth_readings(("u", "v"), sensors=3, times=4)
    values = readings.values.copy()
    values[[1, 5], 1] = np.nan
    observed = Observations(replace(readings, values=values))
    noise = np.random.default_rng(0).uniform(0.1, 0.4, len(observed))
    sds = np.array(request.param)
    patterns = np.column_stack([np.ones(len(observed)), np.sin(np.arange(len(observed)))])[:, : sds.shape[1]]
    calibration = Calibration((OFFSET, GAIN)[: sds.shape[1]], sds, patterns, np.ones_like(sds))
    return NoiseModel(noise, calibration, observed, LASTING[observed.sensor, observed.field])


def covariance(model: NoiseModel) -> np.ndarray:
    """Of the errors of one field by one sensor: noise, some of which lasts for a while, and systematic errors."""
    group, field, time = model.observations.group, model.observations.field, model.observations.points[:, -1]
    together = group[:, None] == group
    share, lasts, smooth = model.lasting.T
    apart = np.abs(time[:, None] - time) / np.maximum(lasts, 1e-9)
    correlation = np.where(together, share * np.where(smooth == 1, 1 + apart, 1.0) * np.exp(-apart), 0.0)
    correlation += np.diag(1 - share)
    effects = model.calibration.patterns * model.calibration.sds[field]
    return model.noise[:, None] * correlation * model.noise + np.where(together, effects @ effects.T, 0.0)


def whitener(model: NoiseModel) -> np.ndarray:
    return np.column_stack([model.whitened(each) for each in np.eye(len(model.noise))])


def test_whitened_errors_are_independent_with_variance_one(model: NoiseModel) -> None:
    root = whitener(model)
    np.testing.assert_allclose(root @ covariance(model) @ root.T, np.eye(len(root)), atol=1e-9)


def test_rows_are_whitened_as_errors_are(model: NoiseModel) -> None:
    rows = np.random.default_rng(1).normal(size=(len(model.noise), 4))
    found, wanted = model.whitened_rows(csr_array(rows)), whitener(model) @ rows
    np.testing.assert_allclose(found.times(np.eye(4)), wanted, atol=1e-9)
    np.testing.assert_allclose(found.transposed(np.eye(len(wanted))), wanted.T, atol=1e-9)
    for own in model.observations.of_sensors:
        np.testing.assert_allclose(found.of(own).toarray(), wanted[own], atol=1e-9)
        left = np.delete(wanted, own, axis=0)
        without = found.without(own)
        square = without.weighed.T @ without.weighed - without.shared.T @ without.shared
        np.testing.assert_allclose(square.toarray(), left.T @ left, atol=1e-9)
    columns = np.random.default_rng(2).normal(size=(len(model.noise), 2))
    np.testing.assert_allclose(found.combined(csr_array(columns)).toarray(), columns.T @ wanted, atol=1e-9)
    more = found.with_more(csr_array(np.ones((1, 4))))
    np.testing.assert_allclose(more.times(np.eye(4)), np.vstack([wanted, np.ones(4)]), atol=1e-9)


def test_and_back(model: NoiseModel) -> None:
    root = whitener(model)
    for own in model.observations.of_sensors:
        errors = np.random.default_rng(2).normal(size=len(model.noise))
        mine = np.zeros_like(errors)
        mine[own] = errors[own]
        np.testing.assert_allclose(model.errors(own, model.whitened(mine)[own]), errors[own], atol=1e-9)
        assert model.log_scale(own) == pytest.approx(-np.linalg.slogdet(root[np.ix_(own, own)])[1])


def test_how_much_of_the_noise_of_a_field_lasts(model: NoiseModel) -> None:
    for field, (share, time) in enumerate(model.lasting_of_fields):
        own = model.observations.field == field
        lasting = model.noise[own] ** 2 * model.lasting[own, 0]
        assert share == pytest.approx(lasting.sum() / np.sum(model.noise[own] ** 2))
        assert time == pytest.approx(np.average(model.lasting[own, 1], weights=lasting))


def test_variances_of_single_errors(model: NoiseModel) -> None:
    own = model.observations.of_sensors[1]
    np.testing.assert_allclose(model.variances(own), np.diag(covariance(model))[own])


def test_columns_of_systematic_errors(model: NoiseModel) -> None:
    observed, calibration = model.observations, model.calibration
    for field, (kind, pattern) in product((0, 1), zip(calibration.kinds, calibration.patterns.T, strict=True)):
        group = observed.sensor[:, None] == np.arange(observed.readings.n_sensors)
        errors = (group & (observed.field == field)[:, None]) * pattern[:, None]
        np.testing.assert_allclose(model.columns(field, kind).toarray(), whitener(model) @ errors, atol=1e-9)


def test_what_systematic_errors_do_not_explain(model: NoiseModel) -> None:
    observed, calibration = model.observations, model.calibration
    errors = np.random.default_rng(3).normal(size=len(observed))
    left = model.without_systematic_errors(errors)
    for own in observed.of_groups:
        sds = calibration.sds[observed.field[own[0]]]
        patterns, noise = calibration.patterns[own][:, sds > 0], model.noise[own]
        weighed = patterns / noise[:, None]
        squares = weighed.T @ weighed
        if len(squares) > 1:  # offsets may have any size, gains only what their sd allows
            squares[1, 1] += 1 / sds[1] ** 2
        constants = np.linalg.solve(squares, weighed.T @ (errors[own] / noise)) if len(squares) else np.zeros(0)
        np.testing.assert_allclose(left[own], errors[own] - patterns @ constants, atol=1e-9)


def test_the_likelihood_of_errors(model: NoiseModel) -> None:
    one, other = np.random.default_rng(4).normal(size=(2, len(model.noise)))
    normal: Any = multivariate_normal(np.zeros(len(one)), covariance(model))  # type: ignore[arg-type]
    assert model.log_likelihood(one) - model.log_likelihood(other) == pytest.approx(
        normal.logpdf(one) - normal.logpdf(other)
    )
    assert model.log_likelihood(one) - 0.5 * len(one) * np.log(2 * np.pi) == pytest.approx(normal.logpdf(one))


def test_noise_is_never_less_than_splines_resolve(model: NoiseModel) -> None:
    observed = model.observations
    least = FIT.noise.least_sd * observed.unit[observed.field]
    np.testing.assert_array_equal(at_least(np.zeros(len(observed)), observed), least)
    np.testing.assert_array_equal(at_least(model.noise, observed), model.noise)
    np.testing.assert_array_equal(NoiseModel.of(np.zeros(2), np.zeros(2), observed).noise, least)


def test_noise_that_readings_bring_counts(model: NoiseModel) -> None:
    readings = model.observations.readings
    given = np.where(np.isfinite(readings.values), 0.2, np.nan)
    given[:, 1] *= 3
    observed = Observations(replace(readings, noise=given))
    found = NoiseModel.of(np.array([9.0, 9.0]), np.zeros(2), observed)
    np.testing.assert_allclose(found.noise_of_fields, [0.2, 0.6])


def test_observations_leave_out_what_was_not_read(model: NoiseModel) -> None:
    observed = model.observations
    assert len(observed) == 24 - 2 == sum(map(len, observed.of_sensors))
    assert np.isfinite(observed.values).all()
    assert observed.inside.tolist() == [False, True, False]
    assert observed.at_rest
    moving = replace(observed.readings, space=observed.readings.space + 1e-3 * observed.readings.time[:, None])
    assert not Observations(moving).at_rest
