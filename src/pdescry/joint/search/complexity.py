"""Complexity of terms, the complexity penalty of a law, and the gain by each term."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pdescry.joint.field.axis import Array
from pdescry.joint.search.options import SEARCH
from pdescry.problem import Candidate


def complexity(candidate: Candidate) -> int:
    """Number of factors (including coordinates) and derivatives."""
    term = candidate.term
    return term.degree + sum(term.powers.values()) + term.order()


def is_simple(candidate: Candidate) -> bool:
    """Linear, or with few factors and derivatives: reactions, advection, squares of slopes."""
    return candidate.term.degree <= 1 or complexity(candidate) <= SEARCH.complexity.of_simple_product


def naming_costs(candidates: Iterable[Candidate]) -> dict[Candidate, float]:
    """In nats, the description length of each among those of its equation: complicated terms have longer names."""
    weights = {each: math.exp(-SEARCH.complexity.per_factor * complexity(each)) for each in candidates}
    totals: dict[str, float] = {}
    for each, weight in weights.items():
        totals[each.field] = totals.get(each.field, 0.0) + weight
    return {each: math.log(totals[each.field] / weight) for each, weight in weights.items()}


def penalty(coefficients: Array, covariance: Array, prior_sd: Array, naming: Array) -> float:
    """In nats, the cost of naming the terms among the candidates of their equations, and of determining coefficients
    within their broad prior (Occam factor). naming: (k,), cost of naming each."""
    if not len(coefficients):
        return 0.0
    occam = float(np.sum(np.log(prior_sd)) - 0.5 * np.linalg.slogdet(covariance)[1])
    return float(np.sum(naming)) + occam


def gains(coefficients: Array, covariance: Array, prior_sd: Array, naming: Array, exempt: NDArray[np.bool_]) -> Array:
    """(k,), in nats: improvement of the fit by each term, less its penalty; infinite for terms that are exempt because
    the law has a higher power of a coordinate.

    A term with a negative gain is removed, however well held-out sensors are predicted with it: without noise, their
    densities depend on the error of the mesh.
    """
    variance = np.diag(covariance)
    own = 0.5 * coefficients**2 / variance - 0.5 * np.log(prior_sd**2 / variance) - naming
    return np.where(exempt, np.inf, own)
