"""Laws drawn from what the readings leave open, each with the draw of the field that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pdescry.derivatives import Derivatives
from pdescry.discovery.fields import Field, JointField, NetworkField
from pdescry.discovery.fit import Fit
from pdescry.equation import Equation
from pdescry.equation.equation import Component
from pdescry.errors import InputError
from pdescry.joint import Choice
from pdescry.regression import SparseFit
from pdescry.surrogate import Posterior

Drawn = list[tuple[Field, Equation]]


def draw_joint(choice: Choice, number: int, seed: int) -> Drawn:
    """Coefficients, and the field that follows them."""
    found, fit = choice.component, choice.fit  # an error if there is no law
    return [
        (
            JointField(fit, spline),
            Equation.of([Component.of(found.field, dict(zip(fit.terms, map(float, values), strict=True)))]),
        )
        for values, spline in zip(*fit.draw(number, seed, bounded=True), strict=True)
    ]


def draw_regressed(
    posterior: Posterior, derivatives: Derivatives | None, fits: Sequence[Fit], number: int, seed: int
) -> Drawn:
    """Draws of the network, and the regression on each."""
    random = np.random.default_rng([seed, 11])
    kept = 0 if derivatives is None or derivatives.draws is None else len(derivatives.draws)
    if not kept:
        raise InputError("Expected single draws of the field to draw laws from; run with derivatives.keep_points=500.")
    chosen = random.choice(kept, number, replace=number > kept)
    numbers = np.linspace(0, posterior.n_draws - 1, kept).astype(int)  # as `differentiate` picked them
    regressed = [fit for fit in fits if isinstance(fit, SparseFit)]
    return [
        (
            NetworkField(posterior.of_draws(numbers[draw : draw + 1])),
            Equation.of([_component(fit, int(draw), random) for fit in regressed]),
        )
        for draw in chosen
    ]


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
