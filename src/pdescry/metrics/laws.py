"""How near a law is to the true one: by its coefficients, by its terms, and by what it predicts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import xarray as xr

from pdescry.equation import Equation, Term
from pdescry.errors import InputError

Coefficients = dict[tuple[str, Term], float]


def coefficient_error(found: Equation, truth: Equation) -> float:
    """e_C, the paper's: the ℓ² norm of the difference of all coefficients; a term that a law lacks counts as zero.

    >>> truth = Equation.parse("u_t = 0.1*u_xx - u*u_x")
    >>> round(coefficient_error(Equation.parse("u_t = 0.07*u_xx - 1.04*u*u_x"), truth), 4)
    0.05
    """
    ours, theirs = _coefficients(found), _coefficients(truth)
    differences = (ours.get(term, 0.0) - theirs.get(term, 0.0) for term in ours.keys() | theirs.keys())
    return math.sqrt(math.fsum(each**2 for each in differences))  # the same in any order


def true_positive_rate(found: Equation, truth: Equation) -> float:
    """TP / (TP + FP + FN): 1 for exactly the right terms, less for each that is missing or too many.

    >>> truth = Equation.parse("u_t = 0.1*u_xx - u*u_x")
    >>> true_positive_rate(Equation.parse("u_t = u_xx + u + u*u_x"), truth) == 2 / 3
    True
    """
    ours, theirs = _coefficients(found).keys(), _coefficients(truth).keys()
    return len(ours & theirs) / len(ours | theirs)


@dataclass(frozen=True)
class SolutionError:
    """e_L: the ℓ² norm of the difference of two solutions over all points of a grid, and the same per point.

    total: the paper's; it grows with the number of points. per_point: the root of the mean square. Both are NaN
    unless the solution reached the last time. until: how far it came; per_point_until: per point up to there.
    """

    total: float
    per_point: float
    until: float
    per_point_until: float


def solution_error(found: xr.DataArray, truth: xr.DataArray) -> SolutionError:
    """Of two fields on one grid (t, x), the first perhaps NaN from some time on."""
    if found.dims != truth.dims or found.shape != truth.shape:
        raise InputError(
            f"Expected two fields on one grid; got {dict(found.sizes)} and {dict(truth.sizes)}; solve both at the same "
            "times and places."
        )
    squares = (np.asarray(found.values, float) - np.asarray(truth.values, float)) ** 2
    known = np.isfinite(squares).all(axis=1)
    reached = squares.shape[0] if known.all() else int(np.argmin(known))  # times before the first that is not known
    if not reached:
        return SolutionError(math.nan, math.nan, math.nan, math.nan)
    total = float(np.sqrt(squares.sum())) if known.all() else math.nan
    return SolutionError(
        total,
        total / math.sqrt(squares.size),
        float(truth[truth.dims[0]].values[reached - 1]),
        float(np.sqrt(squares[:reached].mean())),
    )


def _coefficients(equation: Equation) -> Coefficients:
    """(left side, term) → coefficient."""
    return {(part.left, term): value for part in equation.components for term, value in part.terms}
