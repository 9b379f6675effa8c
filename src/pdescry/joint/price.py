"""What a law pays for its terms before it is compared with others."""

from __future__ import annotations

import math

import numpy as np

from pdescry.joint.splines import Array


def price(coefficients: Array, covariance: Array, prior_sd: Array, candidates: int) -> float:
    """Of naming the terms among the candidates, and of fixing coefficients within their broad prior (Occam's factor),
    in nats.

    A term whose coefficient is so near zero that it does not earn its price in the fit pays the rest, however well
    held-out sensors happen to be predicted with it.
    """
    occam = float(np.sum(np.log(prior_sd)) - 0.5 * np.linalg.slogdet(covariance)[1])
    variance = np.diag(covariance)
    own = 0.5 * np.log(prior_sd**2 / variance) + math.log(candidates)
    unearned = np.maximum(own - 0.5 * coefficients**2 / variance, 0)
    return len(variance) * math.log(candidates) + occam + float(unearned.sum())
