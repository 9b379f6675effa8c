"""The complexity penalty of a law, and what each term gains."""

from __future__ import annotations

import numpy as np

from pdescry.joint.field.axis import Array


def penalty(coefficients: Array, covariance: Array, prior_sd: Array, choices: Array) -> float:
    """Of naming the terms among the candidates of their equations, and of fixing coefficients within their broad prior
    (Occam's factor), in nats. choices: (k,), how many candidates each was named among."""
    if not len(coefficients):
        return 0.0
    occam = float(np.sum(np.log(prior_sd)) - 0.5 * np.linalg.slogdet(covariance)[1])
    return float(np.sum(np.log(choices))) + occam


def gains(coefficients: Array, covariance: Array, prior_sd: Array, choices: Array) -> Array:
    """(k,), in nats: what each term gains in the fit, less its penalty.

    One that loses has no place in a law, however well left-out sensors happen to be predicted with it: without noise,
    their densities depend on what a mesh leaves over.
    """
    variance = np.diag(covariance)
    return 0.5 * coefficients**2 / variance - 0.5 * np.log(prior_sd**2 / variance) - np.log(choices)
