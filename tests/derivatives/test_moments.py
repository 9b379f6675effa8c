"""A running mean and variance in float32 that agrees with float64."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from pdescry.derivatives.moments import Moments, of_chunk

CHUNK = 64


def stream(draws, covariance=False):
    moments = Moments()
    for start in range(0, len(draws), CHUNK):
        part = draws[start : start + CHUNK]
        filled = np.concatenate([part, np.repeat(part[-1:], CHUNK - len(part), 0)])
        present = (np.arange(CHUNK) < len(part)).astype(np.float32)
        moments.add(len(part), *of_chunk(jnp.asarray(filled), jnp.asarray(present), covariance))
    return moments


@pytest.mark.parametrize("offset", [0.0, 1.0, 300.0])
def test_ten_thousand_draws_in_float32_agree_with_float64(offset):
    draws = (offset + np.random.default_rng(0).standard_normal((10_000, 2, 5))).astype(np.float32)
    found, exact = stream(draws), np.float64(draws)
    np.testing.assert_allclose(found.mean, exact.mean(0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found.variance, exact.var(0), rtol=1e-4)


def test_draws_that_drift():
    """Chunks with means far apart: most of the variance is between them."""
    rng = np.random.default_rng(1)
    draws = (np.linspace(0, 100, 1000)[:, None, None] + 0.1 * rng.standard_normal((1000, 1, 3))).astype(np.float32)
    np.testing.assert_allclose(stream(draws).variance, np.float64(draws).var(0), rtol=1e-4)


def test_covariance():
    rng = np.random.default_rng(2)
    draws = (rng.standard_normal((500, 3, 4)) @ rng.standard_normal((4, 4)) + 5).astype(np.float32)
    found = stream(draws, covariance=True).variance
    for point in range(4):
        expected = np.cov(np.float64(draws[:, :, point]).T, bias=True)
        np.testing.assert_allclose(found[:, :, point], expected, rtol=1e-4, atol=1e-4)


def test_one_draw_has_no_variance():
    assert stream(np.ones((1, 2, 3), np.float32)).variance.max() == 0
