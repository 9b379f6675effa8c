"""What a law pays for its terms before it is compared with others."""

from __future__ import annotations

import math

import numpy as np

from pdescry.joint.splines import Array


def price(coefficients: Array, covariance: Array, prior_sd: Array, candidates: int) -> float:
    """Of naming the terms among the candidates, and of fixing coefficients within their broad prior (Occam's factor),
    in nats."""
    occam = float(np.sum(np.log(prior_sd)) - 0.5 * np.linalg.slogdet(covariance)[1])
    return len(coefficients) * math.log(candidates) + occam


def earnings(coefficients: Array, covariance: Array, prior_sd: Array, candidates: int) -> Array:
    """(k,), in nats: what each term gains in the fit, less its price.

    One that loses has no place in a law, however well held-out sensors happen to be predicted with it: without noise,
    densities of them hang on what a mesh leaves over.
    """
    variance = np.diag(covariance)
    return 0.5 * coefficients**2 / variance - 0.5 * np.log(prior_sd**2 / variance) - math.log(candidates)
