"""Draws of laws from the posterior: draws of the network, and a regression on each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import block_diag

from pdescry.derivatives import Derivatives
from pdescry.equation import Equation
from pdescry.equation.equation import Component
from pdescry.errors import InputError
from pdescry.notices import Notice
from pdescry.surrogate import Posterior
from pdescry.two_stage.fields import Array, NetworkField
from pdescry.two_stage.options import TWO_STAGE

if TYPE_CHECKING:
    from pdescry.regression import SparseFit


class Draws(NamedTuple):
    """coefficients: (S, k), fields: (S, f, P), noise: (f,), sd of a reading; terms: names of the k coefficients; note:
    on their use."""

    coefficients: Array
    fields: Array
    noise: Array
    terms: list[str]
    note: Notice


def draw_laws(
    posterior: Posterior, derivatives: Derivatives | None, fits: Sequence[SparseFit], number: int, seed: int
) -> list[tuple[NetworkField, Equation]]:
    """Laws, each with its draw of the field."""
    random = np.random.default_rng([seed, 11])
    kept = n_kept(derivatives)
    if not kept:
        raise InputError("Expected single draws of the field to draw laws from; run with derivatives.keep_points=500.")
    chosen = random.choice(kept, number, replace=number > kept)
    numbers = np.linspace(0, posterior.n_draws - 1, kept).astype(int)  # as `differentiate` selects them
    return [
        (
            NetworkField(posterior.of_draws(numbers[draw : draw + 1])),
            Equation.of([_component(fit, int(draw), random) for fit in fits]),
        )
        for draw in chosen
    ]


def field_alone(posterior: Posterior, points: Array, note: Notice) -> Draws:
    """Draws of a field without a law."""
    fields = posterior.at_most(TWO_STAGE.draws_of_field).values(points)
    return Draws(np.zeros((len(fields), 0)), fields, noise_of_readings(posterior), [], note)


def noise_of_readings(posterior: Posterior) -> Array:
    """(f,): rms over draws and sensors."""
    return np.sqrt(np.mean(posterior.noise_sd**2, axis=(0, 1, 3)))


def n_kept(derivatives: Derivatives | None) -> int:
    """Number of single draws that were kept for regressions."""
    return 0 if derivatives is None or derivatives.draws is None else len(derivatives.draws)


def draw_coefficients(fits: Sequence[SparseFit], number: int, seed: int) -> Array:
    """(number, k): of the kept terms, field by field; one draw of the field for all of them, if draws were kept."""
    random = np.random.default_rng([seed, 17])
    of_field = random.integers(2**62, size=number)
    return np.hstack([np.array([_values(fit, int(draw), random) for draw in of_field]) for fit in fits])


def covariance(fits: Sequence[SparseFit]) -> Array:
    """(k, k): covariance with the reported sds; the laws of different fields come from separate regressions on the same
    draws."""
    sds = np.concatenate([fit.summary["sd"].to_numpy(float) for fit in fits])
    together = all(fit.spread is not None for fit in fits)
    if together:
        together = len({len(fit.spread.draws) for fit in fits if fit.spread is not None}) == 1
    if not together:
        return np.asarray(block_diag(*(_own(fit) for fit in fits)), float)
    draws = np.hstack([fit.spread.draws for fit in fits if fit.spread is not None])
    return _correlation(np.cov(draws, rowvar=False)) * np.outer(sds, sds)


def _own(fit: SparseFit) -> Array:
    kept = np.flatnonzero(fit.support)
    if fit.spread is None:
        return fit.covariance[np.ix_(kept, kept)]
    return _correlation(np.cov(fit.spread.draws, rowvar=False)) * np.outer(fit.spread.sd, fit.spread.sd)


def _correlation(covariance: Array) -> Array:
    covariance = np.atleast_2d(covariance)
    sd = np.sqrt(np.diag(covariance))
    return np.divide(covariance, np.outer(sd, sd), out=np.eye(len(sd)), where=np.outer(sd, sd) > 0)


def _component(fit: SparseFit, draw: int, random: np.random.Generator) -> Component:
    values = _values(fit, draw, random)
    terms = {fit.terms[j]: float(value) for j, value in zip(np.flatnonzero(fit.support), values, strict=True)}
    return Component.of(fit.field, terms, fit.time_order)


def _values(fit: SparseFit, draw: int, random: np.random.Generator) -> Array:
    """(k,): coefficients of the kept terms, for a draw of the field, given by its number."""
    kept = np.flatnonzero(fit.support)
    if fit.spread is None:
        covariance = fit.covariance[np.ix_(kept, kept)]
        return random.multivariate_normal(fit.coefficients[kept], covariance, method="svd")
    spread = fit.spread
    # About the reported coefficients, with the deviation of the draw scaled to the reported sd.
    deviation = spread.draws[draw % len(spread.draws)] - spread.draws.mean(0)
    stretch = np.divide(spread.sd, spread.draws_sd, out=np.ones_like(spread.sd), where=spread.draws_sd > 0)
    return spread.reported + deviation * stretch
