"""Every sampler against posteriors known in closed form: a network without hidden layers is a linear-Gaussian model."""

from __future__ import annotations

import math
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pdescry.surrogate import HMC, MCLMC, NUTS, Adam, AdjustedMCLMC, Network, Noise, Prior, SamplingError, interpolate
from pdescry.surrogate.diagnostics import _arviz
from pdescry.surrogate.model import build
from pdescry.surrogate.options import SURROGATE
from pdescry.surrogate.samplers import SAMPLERS, Point
from pdescry.surrogate.samplers.sampler import Sampler
from pdescry.surrogate.scaling import Scaling
from tests.surrogate.conftest import two_fields

LINEAR = Network(depth=0)
ALONE: dict[str, Any] = {"chains": 2, "workers": 1}  # two workers would compile the same at the same time
SAMPLERS_IN_TEST: dict[str, Sampler] = {
    "MCLMC": MCLMC(draws=1500, thin=10, burn=50, rung_transitions=500),
    "AdjustedMCLMC": AdjustedMCLMC(draws=1500, thin=4, steps=4, rung_transitions=200),
    "HMC": HMC(draws=1500, steps=5, rung_transitions=200),
    "NUTS": NUTS(draws=1500, rung_transitions=200),
}


def cases(*names):
    """The default one, and the paper's; others are slow."""
    slow = {name: () if name in ("MCLMC", "HMC") else pytest.mark.slow for name in names}
    return [pytest.param(SAMPLERS_IN_TEST[name], id=name, marks=slow[name]) for name in names]


def test_every_sampler_is_tested():
    assert set(SAMPLERS_IN_TEST) == set(SAMPLERS) - {Point.__name__}


def gaussian_posterior(readings, sd_inside):
    """Mean and covariance of the whitened weights of one field, by linear algebra; columns t, x, y, z, 1."""
    scaling = Scaling.of(readings)
    inputs = scaling.inputs(np.column_stack([readings.time, readings.space]))
    prior = Prior(scale=1.0).sds(LINEAR.shapes(4, 1))[0][0]
    design = np.vstack([inputs, np.ones(len(readings))]).T.astype(float) * prior
    covariance = np.linalg.inv(np.eye(5) + design.T @ design / sd_inside**2)
    targets = scaling.values(readings.values).astype(float)
    return (covariance @ design.T @ targets.T / sd_inside**2).T, covariance, design, targets


@pytest.mark.parametrize("sampler", cases(*SAMPLERS_IN_TEST))
def test_linear_gaussian_posterior(sampler):
    readings = two_fields()
    spread = Scaling.of(readings).field_spread
    noise = Noise(sd=tuple(0.5 * spread))
    posterior = interpolate(
        readings, network=LINEAR, prior=Prior(scale=1.0), noise=noise, sampler=sampler, start=Adam(steps=200), **ALONE
    )
    means, covariance, _, _ = gaussian_posterior(readings, 0.5)
    draws = posterior.positions.reshape(2, -1, 2, 5).astype(float)
    data = _arviz().convert_to_dataset({"w": draws})
    effective = _arviz().ess(data)["w"].values
    assert effective.min() > 300
    of_squares = _arviz().ess(_arviz().convert_to_dataset({"w": (draws - means) ** 2}))["w"].values
    assert of_squares.min() > 300
    for field in range(2):
        sds = np.sqrt(np.diag(covariance))
        flat = draws[:, :, field].reshape(-1, 5)
        assert np.all(np.abs(flat.mean(0) - means[field]) < 5 * sds / np.sqrt(effective[field]))
        # The error of a sample covariance, entry by entry: sqrt((c_ii c_jj + c_ij²) / n), with n for squares: draws of
        # HMC that alternate about the mean count more than once for it, but not for them.
        error = np.sqrt((np.outer(sds**2, sds**2) + covariance**2) / of_squares[field].min())
        assert np.all(np.abs(np.cov(flat.T) - covariance) < 5 * error)


@pytest.mark.parametrize("sampler", cases("MCLMC", "NUTS"))
def test_noise_is_inferred(sampler):
    readings = two_fields(number=40)
    posterior = interpolate(
        readings, network=LINEAR, prior=Prior(scale=1.0), sampler=sampler, start=Adam(steps=500), **ALONE
    )
    spread = Scaling.of(readings).field_spread
    effective = _arviz().ess(_arviz().convert_to_dataset({"s": np.log(posterior.noise_sd)}))["s"].values
    for field in range(2):
        # The weights integrated out by hand, the noise on a fine grid.
        _, _, design, targets = gaussian_posterior(readings, 1.0)
        logs = np.linspace(math.log(1e-2), math.log(3.0), 2000)
        values, vectors = np.linalg.eigh(design @ design.T)
        turned = np.square(vectors.T @ targets[field])
        variances = np.maximum(values, 0) + np.exp(2 * logs)[:, None]
        log_p = -0.5 * np.sum(turned / variances + np.log(variances), 1)
        log_p -= 0.5 * np.square((logs - math.log(SURROGATE.model.noise_median)) / SURROGATE.model.noise_log_sd)
        weights = np.exp(log_p - log_p.max()) / np.sum(np.exp(log_p - log_p.max()))
        mean = np.sum(weights * logs)
        sd = math.sqrt(np.sum(weights * (logs - mean) ** 2))
        drawn = np.log(posterior.noise_sd[:, :, field, 0] / spread[field])
        assert abs(drawn.mean() - mean) < 5 * sd / math.sqrt(effective[field, 0])
        assert abs(drawn.std() / sd - 1) < 5 / math.sqrt(2 * effective[field, 0]) + 0.02


# ---- leapfrog --------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_density(readings):
    model, seen = build(readings, Network(6, 2), Prior(), Noise(), Scaling.of(readings))
    with jax.enable_x64(True):
        seen = jax.tree.map(lambda part: jnp.asarray(part, float), seen._replace(group=seen.group * 1.0))
        start = jnp.asarray(np.random.default_rng(0).standard_normal(model.dimension))
        yield jax.jit(lambda position: model.log_density(position, seen)), start


def test_leapfrog_is_reversible(small_density):
    from blackjax.mcmc.integrators import IntegratorState, velocity_verlet
    from blackjax.mcmc.metrics import default_metric

    density, start = small_density
    step = jax.jit(velocity_verlet(density, default_metric(jnp.ones(start.size)).kinetic_energy))
    momentum = jnp.asarray(np.random.default_rng(1).standard_normal(start.size))
    state = IntegratorState(start, momentum, *jax.jit(jax.value_and_grad(density))(start))
    there: Any = state
    for _ in range(20):
        there = step(there, 1e-3)
    back: Any = there._replace(momentum=-there.momentum)
    for _ in range(20):
        back = step(back, 1e-3)
    assert float(jnp.abs(there.position - start).max()) > 1e-2
    np.testing.assert_allclose(back.position, start, atol=1e-10)
    np.testing.assert_allclose(-back.momentum, momentum, atol=1e-8)


@pytest.mark.slow
def test_energy_error_falls_with_the_square_of_the_step(small_density):
    density, start = small_density
    errors = []
    for halvings in range(4):
        sampler = HMC(step_size=5e-5 / 2**halvings, steps=8 * 2**halvings)
        state = sampler.init(density, start, jax.random.key(0))
        _, info = jax.jit(lambda state, sampler=sampler: sampler.step(density, state, jax.random.key(1)))(state)
        errors.append(abs(float(info.energy_error)))
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert errors[0] < 1
    np.testing.assert_allclose(ratios[1:], 4, rtol=0.1)


# ---- what must not happen silently -----------------------------------------------------------------------------------


def test_a_collapsed_step_size_is_told():
    sampler = MCLMC()
    state = sampler.init(lambda z: -0.5 * jnp.sum(z**2), jnp.ones(10, jnp.float32), jax.random.key(0))
    sampler.check(state)
    with pytest.raises(SamplingError, match="no step size"):
        sampler.check(state._replace(step_size=jnp.float32(0.0)))
    with pytest.raises(SamplingError, match="no step size"):
        sampler.check(state._replace(step_size=jnp.float32(jnp.nan)))


def test_tuning_that_collapses_is_a_failure_not_a_posterior(readings):
    # A density without a usable gradient anywhere: the step is halved at each trial until nothing is left of it.
    sampler = MCLMC(rungs=1, rung_transitions=100)
    density = lambda z: jnp.sum(jnp.where(z > 1e30, z, jnp.nan))  # noqa: E731
    state = sampler.init(lambda z: -0.5 * jnp.sum(z**2), jnp.ones(10, jnp.float32), jax.random.key(0))
    tune = jax.jit(lambda state, key: sampler.tune(density, state, key))
    for rung in range(4):
        state = tune(state, jax.random.key(rung))
    with pytest.raises(SamplingError):
        sampler.check(state)


def test_chains_that_left_the_numbers_are_left_out_and_told(readings):
    wild = HMC(step_size=1e6, steps=3, draws=20, burn=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(SamplingError, match=r"Chain 0 .*Chain 1 "):
            interpolate(readings, network=Network(4, 1), sampler=wild, start=Adam(steps=10), **ALONE)


def test_a_step_beyond_repair_is_a_divergence():
    sampler = MCLMC()
    density = lambda z: -0.5 * jnp.sum(jnp.square(z) * jnp.logspace(0, 4, 10))  # noqa: E731
    state = sampler.init(density, jnp.ones(10, jnp.float32), jax.random.key(0))
    step = jax.jit(lambda state: sampler.step(density, state, jax.random.key(1)))
    _, info = step(state._replace(step_size=jnp.float32(3.0)))
    assert bool(info.divergent)
    _, info = step(state._replace(step_size=jnp.float32(1e-5)))
    assert not bool(info.divergent)


def test_settings_from_numpy_are_plain():
    sampler = MCLMC(draws=np.int64(7), energy_error=np.float32(1e-3))  # pyright: ignore[reportArgumentType]
    assert type(sampler.draws) is int
    assert type(sampler.energy_error) is float
