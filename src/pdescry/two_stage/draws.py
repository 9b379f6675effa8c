"""Laws drawn from what the readings leave open: draws of the network, and the regression on each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdescry.derivatives import Derivatives
from pdescry.equation import Equation
from pdescry.equation.equation import Component
from pdescry.errors import InputError
from pdescry.surrogate import Posterior
from pdescry.two_stage.fields import Array, NetworkField

if TYPE_CHECKING:
    from pdescry.regression import SparseFit

ENOUGH = 200  # draws of the field: more only take longer


class Draws(NamedTuple):
    """coefficients: (S, k), fields: (S, f, P), noise: (f,) sd of a reading; terms: names of the k coefficients; note:
    what to know of them."""

    coefficients: Array
    fields: Array
    noise: Array
    terms: list[str]
    note: str


def draw_laws(
    posterior: Posterior, derivatives: Derivatives | None, fits: Sequence[SparseFit], number: int, seed: int
) -> list[tuple[NetworkField, Equation]]:
    """Each with the draw of the field that it belongs to."""
    random = np.random.default_rng([seed, 11])
    kept = n_kept(derivatives)
    if not kept:
        raise InputError("Expected single draws of the field to draw laws from; run with derivatives.keep_points=500.")
    chosen = random.choice(kept, number, replace=number > kept)
    numbers = np.linspace(0, posterior.n_draws - 1, kept).astype(int)  # as `differentiate` picked them
    return [
        (
            NetworkField(posterior.of_draws(numbers[draw : draw + 1])),
            Equation.of([_component(fit, int(draw), random) for fit in fits]),
        )
        for draw in chosen
    ]


def field_alone(posterior: Posterior, points: Array, note: str) -> Draws:
    """Draws of a field without a law."""
    fields = posterior.at_most(ENOUGH).values(points)
    return Draws(np.zeros((len(fields), 0)), fields, noise_of_readings(posterior), [], note)


def noise_of_readings(posterior: Posterior) -> Array:
    """(f,): rms over draws and sensors."""
    return np.sqrt(np.mean(posterior.noise_sd**2, axis=(0, 1, 3)))


def n_kept(derivatives: Derivatives | None) -> int:
    """How many single draws were kept to regress on."""
    return 0 if derivatives is None or derivatives.draws is None else len(derivatives.draws)


def _component(fit: SparseFit, draw: int, random: np.random.Generator) -> Component:
    kept = np.flatnonzero(fit.support)
    if fit.spread is None:
        covariance = fit.covariance[np.ix_(kept, kept)]
        values = random.multivariate_normal(fit.coefficients[kept], covariance, method="svd")
    else:
        spread = fit.spread
        # About the reported coefficients, and as wide as the honest sd: the draw's own deviation, stretched.
        deviation = spread.draws[draw] - spread.draws.mean(0)
        stretch = np.divide(spread.sd, spread.draws_sd, out=np.ones_like(spread.sd), where=spread.draws_sd > 0)
        values = spread.reported + deviation * stretch
    terms = {fit.terms[j]: float(value) for j, value in zip(kept, values, strict=True)}
    return Component.of(fit.field, terms, fit.time_order)
