"""The posterior as a function: log p(position | readings), one flat float32 vector in, one number out.

    position = [ z: one entry per weight | one per layer's scale, if inferred | one per noise sd, if inferred ]

    wₗ = exp(SCALE_UNIT · sₗ) · sdₗ · zₗ       z ~ N(0, 1), SCALE_UNIT · s ~ N(0, spread²)
    σ² = exp(2ℓ) + least_noise²                ℓ = log median + NOISE_UNIT · n,  ℓ ~ N(log median, log_sd²)
    y  ~ N(f(t, x; w), σ²)                     in standardised units

`Model` is what a compiled function depends on (shapes and rules: hashable); `Observations` are the numbers it is
applied to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from pdescry.data import Readings
from pdescry.surrogate.evaluate import evaluate_to_fit, features_to_fit, squared
from pdescry.surrogate.network import Network
from pdescry.surrogate.noise import Noise
from pdescry.surrogate.options import SURROGATE
from pdescry.surrogate.prior import Prior
from pdescry.surrogate.scaling import Scaling

# log σ and log scales move the whole field at once: in units of 0.1 they are no stiffer than single weights.
NOISE_UNIT = SCALE_UNIT = 0.1


class Observations(NamedTuple):
    """inputs (1 + d, N), targets (f, N), inverse_sd (f, N) or (f, 1), group (N,), counts (G,); standardised."""

    inputs: jax.Array | NDArray[np.float32]
    targets: jax.Array | NDArray[np.float32]
    inverse_sd: jax.Array | NDArray[np.float32]
    group: jax.Array | NDArray[np.int32]
    counts: jax.Array | NDArray[np.float32]


class Parameters(NamedTuple):
    """What a position means: the layers' matrices (out, in + 1), and log σ (f, G) in standardised units."""

    layers: list[jax.Array]
    log_sd: jax.Array


class _LastLayer(NamedTuple):
    """features (in + 1, N), prior sds (in + 1,); and, whitened as positions are, the mean (f, in + 1) and the Cholesky
    factor of the precision (f, in + 1, in + 1).
    """

    features: jax.Array
    unit: jax.Array
    mean: jax.Array
    factor: jax.Array


@dataclass(frozen=True)
class Model:
    """``outputs`` fields over ``inputs`` coordinates, with ``groups`` noise levels each, or 0 if known."""

    network: Network
    prior: Prior
    inputs: int
    outputs: int
    groups: int

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        return self.network.shapes(self.inputs, self.outputs)

    @property
    def n_weights(self) -> int:
        return sum(rows * columns for rows, columns in self.shapes)

    @property
    def n_scales(self) -> int:
        return len(self.shapes) if self.prior.scale is None else 0

    @property
    def dimension(self) -> int:
        return self.n_weights + self.n_scales + self.outputs * self.groups

    # ---- the density -------------------------------------------------------------------------------------------

    def unpack(self, position: jax.Array) -> Parameters:
        layers, start = [], 0
        scales = position[self.n_weights : self.n_weights + self.n_scales]
        for number, ((rows, columns), sd) in enumerate(zip(self.shapes, self.prior.sds(self.shapes), strict=True)):
            layer = position[start : start + rows * columns].reshape(rows, columns) * sd
            layers.append(layer * jnp.exp(SCALE_UNIT * scales[number]) if self.n_scales else layer)
            start += rows * columns
        free = position[self.n_weights + self.n_scales :].reshape(self.outputs, self.groups)
        log_free = math.log(SURROGATE.model.noise_median) + NOISE_UNIT * free
        return Parameters(layers, 0.5 * jnp.log(jnp.exp(2 * log_free) + SURROGATE.model.least_noise**2))

    def log_likelihood(self, position: jax.Array, seen: Observations) -> jax.Array:
        """Up to a constant."""
        layers, log_sd = self.unpack(position)
        return self._log_likelihood(evaluate_to_fit(layers, jnp.asarray(seen.inputs)), log_sd, seen)

    def _log_likelihood(self, predicted: jax.Array, log_sd: jax.Array, seen: Observations) -> jax.Array:
        squares = jnp.square((predicted - seen.targets) * seen.inverse_sd)
        if self.groups == 0:
            return -0.5 * jnp.sum(squares)
        if self.groups == 1:
            per_group = jnp.sum(squares, axis=1, keepdims=True)
        else:
            per_group = jax.vmap(lambda row: jax.ops.segment_sum(row, seen.group, self.groups))(squares)
        return -jnp.sum(0.5 * per_group * jnp.exp(-2 * log_sd) + seen.counts * log_sd)

    def log_prior(self, position: jax.Array, anchor: jax.Array | float = 0.0) -> jax.Array:
        """Up to a constant. ``anchor`` moves the centre, for the warm start."""
        away = position - anchor
        return -0.5 * jnp.sum(jnp.square(away) / self._prior_variances())

    def log_density(self, position: jax.Array, seen: Observations) -> jax.Array:
        return self.log_likelihood(position, seen) + self.log_prior(position)

    def _prior_variances(self) -> NDArray[np.float32]:
        variances = np.ones(self.dimension, np.float32)
        variances[self.n_weights :] = (self.prior.spread / SCALE_UNIT) ** 2
        variances[self.n_weights + self.n_scales :] = (SURROGATE.model.noise_log_sd / NOISE_UNIT) ** 2
        return variances

    # ---- the same in coordinates that are less stiff ------------------------------------------------------------

    def log_density_conditioned(self, position: jax.Array, seen: Observations) -> jax.Array:
        """log p of a conditioned position (see `condition`), its volume included."""
        given = self._last_layer(position, seen)
        last = given.mean + _solve(given.factor, self._last(position), transpose=True)
        predicted = jnp.matmul(last * given.unit, given.features, precision="highest")
        log_volume = -jnp.sum(jnp.log(jnp.diagonal(given.factor, axis1=1, axis2=2)))
        likelihood = self._log_likelihood(predicted, self.unpack(position).log_sd, seen)
        return likelihood + self.log_prior(self._with_last(position, last)) + log_volume

    def release(self, position: jax.Array, seen: Observations) -> jax.Array:
        """The position that a conditioned one stands for."""
        given = self._last_layer(position, seen)
        return self._with_last(position, given.mean + _solve(given.factor, self._last(position), transpose=True))

    def condition(self, position: jax.Array, seen: Observations) -> jax.Array:
        """Coordinates in which the last layer is measured from its best fit, in units of its uncertainty there.

        The field is linear in the last layer, so given all else that is known in closed form, and whatever the other
        layers do, the last one follows. What remains for them is what it cannot follow, which is far less stiff.
        """
        given = self._last_layer(position, seen)
        away = self._last(position) - given.mean
        return self._with_last(position, jnp.einsum("fji,fj->fi", given.factor, away, precision="highest"))

    def _last_layer(self, position: jax.Array, seen: Observations) -> _LastLayer:
        """What is known of the last layer given everything else in ``position``.

        One noise level a field is assumed, the mean over its readings, and the precision is bounded to what float32
        can factor: any such coordinates are right, because their volume is counted; these are merely less good.
        """
        layers, log_sd = self.unpack(position)
        unit = jnp.asarray(self.prior.sds(self.shapes)[-1][0], position.dtype)
        if self.n_scales:
            unit = unit * jnp.exp(SCALE_UNIT * position[self.n_weights + self.n_scales - 1])
        features = features_to_fit(layers, jnp.asarray(seen.inputs))
        precision = jnp.mean(jnp.square(seen.inverse_sd), 1)
        if self.groups:
            precision = precision * jnp.sum(jnp.exp(-2 * log_sd) * seen.counts, 1) / jnp.sum(seen.counts)
        gram = precision[:, None, None] * (squared(features) * unit * unit[:, None])
        fit = precision[:, None] * jnp.matmul(jnp.asarray(seen.targets), features.T, precision="highest") * unit
        bound = 1.0 + jnp.trace(gram, axis1=1, axis2=2) / SURROGATE.model.condition
        factor = jax.lax.linalg.cholesky(
            gram + bound[:, None, None] * jnp.eye(len(features), dtype=gram.dtype), symmetrize_input=False
        )
        return _LastLayer(features, unit, _solve(factor, _solve(factor, fit), transpose=True), factor)

    def _last(self, position: jax.Array) -> jax.Array:
        rows, columns = self.shapes[-1]
        return position[self.n_weights - rows * columns : self.n_weights].reshape(rows, columns)

    def _with_last(self, position: jax.Array, last: jax.Array) -> jax.Array:
        return jnp.concatenate([position[: self.n_weights - last.size], last.ravel(), position[self.n_weights :]])

    # ---- places in it ------------------------------------------------------------------------------------------

    def prior_draw(self, key: jax.Array) -> jax.Array:
        return jax.random.normal(key, (self.dimension,), jnp.float32) * jnp.sqrt(self._prior_variances())

    def position(self, layers: list[jax.Array], sd: float = 0.3) -> jax.Array:
        """The position of given matrices, with scales at 1 and the noise at ``sd`` of the field's spread."""
        sds = self.prior.sds(self.shapes)
        return jnp.concatenate(
            [
                *[(layer / spread).ravel() for layer, spread in zip(layers, sds, strict=True)],
                jnp.zeros(self.n_scales, jnp.float32),
                jnp.full(self.outputs * self.groups, self.noise_coordinate(sd), jnp.float32),
            ]
        )

    @staticmethod
    def noise_coordinate(sd: jax.Array | float) -> jax.Array:
        """The coordinate of a noise sd in standardised units; one below the floor is put a little above it."""
        free = jnp.maximum(jnp.square(sd) - SURROGATE.model.least_noise**2, 0.01 * SURROGATE.model.least_noise**2)
        return (0.5 * jnp.log(free) - math.log(SURROGATE.model.noise_median)) / NOISE_UNIT


def _solve(factor: jax.Array, vectors: jax.Array, transpose: bool = False) -> jax.Array:
    solved = jax.lax.linalg.triangular_solve(
        factor, vectors[..., None], left_side=True, lower=True, transpose_a=transpose
    )
    return solved[..., 0]


def build(
    readings: Readings, network: Network, prior: Prior, noise: Noise, scaling: Scaling
) -> tuple[Model, Observations]:
    """The model of these readings, and the readings as it sees them."""
    known = noise.known(readings)
    groups = 0 if known is not None else readings.n_sensors if noise.per == "sensor" else 1
    model = Model(network, prior, 1 + readings.space.shape[1], len(readings.fields), groups)
    group = readings.sensor if groups > 1 else np.zeros(len(readings))
    inverse_sd = np.ones((model.outputs, 1)) if known is None else scaling.field_spread[:, None] / known
    seen = Observations(
        scaling.inputs(np.column_stack([readings.time, readings.space])),
        scaling.values(readings.values),
        inverse_sd.astype(np.float32),
        group.astype(np.int32),
        np.bincount(group.astype(int), minlength=max(groups, 1)).astype(np.float32),
    )
    return model, seen
