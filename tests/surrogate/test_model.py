"""The posterior as a function: what a position means, and its density against plain numpy."""

from __future__ import annotations

import math
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pdescry import InputError
from pdescry.surrogate import Network, Noise, Prior
from pdescry.surrogate.evaluate import evaluate, evaluate_to_fit
from pdescry.surrogate.model import build
from pdescry.surrogate.options import SURROGATE
from pdescry.surrogate.scaling import Scaling
from tests.surrogate.conftest import two_fields

NOISE = SURROGATE.model


def plain_network(layers, inputs):
    """(N, inputs) → (N, outputs), with weights and biases apart."""
    hidden = inputs
    for layer in layers[:-1]:
        hidden = np.tanh(hidden @ layer[:, :-1].T + layer[:, -1])
    return hidden @ layers[-1][:, :-1].T + layers[-1][:, -1]


@pytest.mark.parametrize("noise", [Noise(), Noise(per="sensor"), Noise(0.2), Noise((0.2, 0.4))], ids=repr)
@pytest.mark.parametrize("prior", [Prior(), Prior("standard_normal", scale=0.5)], ids=repr)
def test_log_density_is_what_it_says(noise, prior):
    readings = two_fields(30)
    scaling = Scaling.of(readings)
    model, seen = build(readings, Network(7, 2), prior, noise, scaling)
    rng = np.random.default_rng(0)
    at, other = rng.standard_normal((2, model.dimension)).astype(np.float32)

    def by_hand(position):
        layers, log_sd = jax.jit(model.unpack)(jnp.asarray(position))
        inputs = (np.column_stack([readings.time, readings.space]) - scaling.input_centre) / scaling.input_spread
        targets = (readings.values - scaling.field_centre) / scaling.field_spread
        misfit = plain_network([np.asarray(layer, float) for layer in layers], inputs) - targets
        if noise.sd is not None:
            sd = np.broadcast_to(np.asarray(noise.sd) / scaling.field_spread, misfit.shape)
        else:
            of_group = np.exp(np.asarray(log_sd, float)).T
            sd = of_group[readings.sensor] if noise.per == "sensor" else np.broadcast_to(of_group[0], misfit.shape)
        likelihood = np.sum(-0.5 * (misfit / sd) ** 2 - np.log(sd))
        weights = position[: model.n_weights].astype(float)
        scales = 0.1 * position[model.n_weights : model.n_weights + model.n_scales].astype(float)
        free = 0.1 * position[model.n_weights + model.n_scales :].astype(float)
        return likelihood - 0.5 * (
            np.sum(weights**2) + np.sum((scales / prior.spread) ** 2) + np.sum((free / NOISE.noise_log_sd) ** 2)
        )

    # Constants are left out of the density, so differences are compared.
    density = jax.jit(model.log_density)
    found = float(density(jnp.asarray(at), seen) - density(jnp.asarray(other), seen))
    assert found == pytest.approx(by_hand(at) - by_hand(other), rel=1e-4)


@pytest.mark.parametrize(("width", "depth", "outputs"), [(50, 3, 1), (63, 2, 2), (64, 1, 20), (5, 2, 1), (7, 0, 2)])
def test_the_way_back_to_the_layers_is_the_gradient(width, depth, outputs):
    with jax.enable_x64(True):
        rng = np.random.default_rng(0)
        shapes = Network(width, depth).shapes(3, outputs)
        layers = [jnp.asarray(rng.standard_normal(shape) / math.sqrt(shape[1])) for shape in shapes]
        inputs, targets = jnp.asarray(rng.standard_normal((3, 40))), jnp.asarray(rng.standard_normal((outputs, 40)))

        def plain(layers, inputs):
            ones = jnp.ones((1, inputs.shape[1]))
            for layer in layers[:-1]:
                inputs = jnp.tanh(layer @ jnp.concatenate([inputs, ones]))
            return layers[-1] @ jnp.concatenate([inputs, ones])

        def value_and_slopes(network):
            def misfit(layers, inputs):
                value = network(layers, inputs)
                return jnp.sum((value - targets) ** 2), value

            slopes, value = jax.jit(jax.grad(misfit, (0, 1), has_aux=True))(layers, inputs)
            return value, jax.tree.leaves(slopes)

        value, slopes = value_and_slopes(plain)
        for network in (evaluate, evaluate_to_fit):
            found_value, found_slopes = value_and_slopes(network)
            np.testing.assert_allclose(found_value, value, atol=1e-12)
            for found, right in zip(found_slopes, slopes, strict=True):
                np.testing.assert_allclose(found, right, rtol=0, atol=1e-10 * float(jnp.abs(right).max()))


@pytest.mark.parametrize("noise", [Noise(), Noise(per="sensor"), Noise((0.2, 0.4))], ids=repr)
@pytest.mark.parametrize("prior", [Prior(), Prior(scale=0.5)], ids=repr)
@pytest.mark.parametrize("network", [Network(4, 2), Network(depth=0)], ids=repr)
def test_conditioned_coordinates_are_the_same_posterior(noise, prior, network):
    readings = two_fields(30)
    model, seen = build(readings, network, prior, noise, Scaling.of(readings))
    with jax.enable_x64(True):
        seen = seen._replace(
            **{name: jnp.asarray(getattr(seen, name), float) for name in ("inputs", "targets", "inverse_sd", "counts")}
        )
        at = jnp.asarray(np.random.default_rng(0).standard_normal(model.dimension))

        @jax.jit
        def there_and_back(at):
            position = model.release(at, seen)
            _, log_volume = jnp.linalg.slogdet(jax.jacrev(lambda at: model.release(at, seen))(at))
            return model.condition(position, seen), model.log_density(position, seen) + log_volume

        back, expected = there_and_back(at)
        np.testing.assert_allclose(back, at, atol=1e-8)
        found = jax.jit(model.log_density_conditioned)(at, seen)
        assert float(found) == pytest.approx(float(expected), rel=1e-9)


def test_positions_and_matrices_are_one_another():
    readings = two_fields(30)
    model, _ = build(readings, Network(5, 3), Prior(), Noise(), Scaling.of(readings))
    rng = np.random.default_rng(1)
    layers = [jnp.asarray(rng.standard_normal(shape), jnp.float32) for shape in model.shapes]
    unpacked = model.unpack(model.position(layers, sd=0.2))
    for one, other in zip(layers, unpacked.layers, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    np.testing.assert_allclose(np.exp(unpacked.log_sd), 0.2, rtol=1e-4)


def test_prior_draws_have_the_prior_sds():
    readings = two_fields(30)
    model, _ = build(readings, Network(20, 2), Prior(spread=0.5), Noise(), Scaling.of(readings))
    draws = jax.vmap(model.prior_draw)(jax.random.split(jax.random.key(0), 400))
    unpacked = jax.vmap(model.unpack)(draws)
    expected_scale = math.exp(0.5**2)  # root mean square of a log-normal of log-sd 0.5
    hidden = np.asarray(unpacked.layers[1])[:, :, :-1]
    assert np.sqrt(np.mean(hidden**2)) == pytest.approx(expected_scale / math.sqrt(20), rel=0.1)
    first = np.asarray(unpacked.layers[0])[:, :, :-1]
    assert np.sqrt(np.mean(first**2)) == pytest.approx(2.0 * expected_scale, rel=0.1)
    logs = np.asarray(unpacked.log_sd)
    assert np.median(logs) == pytest.approx(math.log(math.hypot(NOISE.noise_median, NOISE.least_noise)), abs=0.3)


def test_the_paper_prior_is_one_for_every_weight():
    shapes = Network(50, 4).shapes(2, 1)
    assert shapes == ((50, 3), (50, 51), (50, 51), (50, 51), (1, 51))
    assert all(np.all(sds == 1) for sds in Prior("standard_normal", scale=1.0).sds(shapes))


def test_noise_that_the_readings_bring_along():
    from pdescry import Readings

    given = Readings.from_arrays([0, 1, 2.0], [0, 1, 2.0], [1, 2, 3.0], noise=[0.1, 0.2, 0.3])
    known = Noise("readings").known(given)
    assert known is not None
    np.testing.assert_allclose(known, [[0.1, 0.2, 0.3]])
    with pytest.raises(InputError, match="with a known noise"):
        Noise("readings").known(two_fields())


@pytest.mark.parametrize("standardise", ["all", "inputs"])
def test_scaling(standardise):
    readings = two_fields()
    scaling = Scaling.of(readings, standardise)
    inside = scaling.inputs(np.column_stack([readings.time, readings.space]))
    np.testing.assert_allclose(inside.mean(1), 0, atol=1e-5)
    np.testing.assert_allclose(inside.std(1), 1, rtol=1e-5)
    if standardise == "all":
        np.testing.assert_allclose(scaling.values(readings.values).mean(1), 0, atol=1e-5)
    else:
        np.testing.assert_allclose(scaling.values(readings.values), readings.values.T, rtol=1e-5)


def test_a_constant_column_is_not_blown_up(readings):
    # No reader lets a constant field in, but a selection of readings may leave one.
    constant = replace(readings, values=np.full_like(readings.values, 0.1 + 0.2))
    scaling = Scaling.of(constant)
    assert scaling.field_spread == pytest.approx(1)
    np.testing.assert_allclose(scaling.values(constant.values), 0, atol=1e-6)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Network(width=0), "width"),
        (lambda: Network(width=2.5), "width"),  # type: ignore[arg-type]
        (lambda: Network(depth=-1), "depth"),
        (lambda: Noise(0.0), "above zero"),
        (lambda: Noise(-1.0), "above zero"),
        (lambda: Noise(float("nan")), "above zero"),
        (lambda: Noise((0.1, 0.0)), "above zero"),
        (lambda: Noise("5%"), "above zero"),  # type: ignore[arg-type]
        (lambda: Noise(per="field-wise"), "per"),  # type: ignore[arg-type]
        (lambda: Prior(scale=0.0), "scale"),
        (lambda: Prior(spread=-1.0), "spread"),
        (lambda: Prior("flat"), "kind"),  # type: ignore[arg-type]
        (lambda: Noise((0.1, 0.1, 0.1)).known(two_fields()), "one per field"),
    ],
)
def test_bad_settings(make, match):
    with pytest.raises(InputError, match=match):
        make()
