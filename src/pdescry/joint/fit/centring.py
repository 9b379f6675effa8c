"""Coefficients that are polynomials of a coordinate, about its middle: ``c(x)·T`` with ``c = c₀ + c₁x + c₂x²``.

The terms of such a law are T, ``x*T``, ``x^2*T``. If the origin of x lies far from the sensors, c₀ is an extrapolation
and strongly anticorrelated with c₁. With powers of x − m, m the middle of the readings, the coefficients are nearly
independent, the first is the coefficient at m, and priors do not depend on the origin. The change of basis has
determinant one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pdescry.joint.field.axis import Array
from pdescry.problem import Candidate


def centring(terms: Sequence[Candidate], middles: Mapping[str, float]) -> Array:
    """From coefficients of powers of coordinates to those of powers about the middle.

    Parameters
    ----------
    terms : sequence of Candidate
        Terms that differ only in powers of coordinates form one polynomial.
    middles : mapping
        Middle of each coordinate.

    Returns
    -------
    (k, k) array
        S with a = S·c, from xᵖ = Σ C(p, q)·mᵖ⁻ᑫ·(x − m)ᑫ; the identity for terms without coordinates.
    """
    found = np.eye(len(terms))
    for j, k in zip(*np.nonzero(lower_powers(terms)), strict=True):
        low, high = terms[j].term.powers, terms[k].term.powers
        found[j, k] = math.prod(
            math.comb(power, low.get(axis, 0)) * middles[axis] ** (power - low.get(axis, 0))
            for axis, power in high.items()
        )
    return found


def has_higher_power(terms: Sequence[Candidate]) -> NDArray[np.bool_]:
    """(k,): whether the law contains a higher power of a term. Such a term need not gain anything: a parabola may have
    zero slope in the middle."""
    return np.any(lower_powers(terms), axis=1)


def lower_powers(terms: Sequence[Candidate]) -> NDArray[np.bool_]:
    """(k, k): whether the first is a lower power of the second."""
    found = np.zeros((len(terms), len(terms)), bool)
    families: dict[tuple, list[int]] = {}
    for k, each in enumerate(terms):
        families.setdefault((each.field, each.term.without_coordinates), []).append(k)
    for family in families.values():
        for j in family:
            low = terms[j].term.powers
            for k in family:
                high = terms[k].term.powers
                found[j, k] = j != k and all(power <= high.get(axis, 0) for axis, power in low.items())
    return found
