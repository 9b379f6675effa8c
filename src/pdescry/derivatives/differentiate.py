"""`differentiate`: from draws of the field to the candidate terms of its law."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pdescry.derivatives.derivatives import Derivatives
from pdescry.derivatives.library import Library
from pdescry.derivatives.points import Points, Within, choose_points
from pdescry.derivatives.sweep import Lanes, sweep_moments, sweep_values
from pdescry.equation import Term, candidates
from pdescry.equation.term import Derivative, Function
from pdescry.errors import InputError
from pdescry.surrogate import Posterior
from pdescry.surrogate.pool import Progress
from pdescry.surrogate.settings import check_whole

TIME = "t"  # in equations; readings may call it otherwise


def differentiate(
    posterior: Posterior,
    terms: str | Iterable[str | Term] = "general",
    *,
    time_order: int = 1,
    points: Points = 10_000,
    within: Within = "hull",
    covariance: bool = False,
    keep_points: int = 0,
    keep_draws: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Derivatives:
    """Mean and variance over the draws of every candidate term, and of u_t (or u_tt) of every field, at many points.

    terms: ``"general"``, ``"paper"`` or a list of your own, as for :func:`pdescry.candidates`.
    points: how many at random (``within`` the sensors' ``"hull"``, the ``"box"`` of the readings, or ranges such as
    ``{"x": (-8, 8), "t": (0, 10)}``; what is not named keeps to the readings), a grid ``{"t": …, "x": …}``, or an array
    (N, 1 + d). covariance: between terms at each point. keep_points, keep_draws: also keep the values of single draws
    (of all, unless fewer are asked for) at so many of the points. The result is the same for any number of workers.
    """
    if not isinstance(posterior, Posterior):
        raise InputError(
            f"Expected a Posterior; got {type(posterior).__name__}; make one with pdescry.interpolate(readings)."
        )
    readings = posterior.readings
    time_order = check_whole("order of the time derivative", time_order, 1, 3)
    keep_points = check_whole("number of points to keep draws at", keep_points, 0)
    if keep_draws is not None and not keep_points:
        raise InputError("Expected keep_points= beside keep_draws=: at how many points to keep the draws; got none.")
    keep_draws = posterior.n_draws if keep_draws is None else check_whole("number of draws to keep", keep_draws, 1)
    workers = None if workers is None else check_whole("number of workers", workers, 1)
    chosen = candidates(terms, fields=readings.fields, axes=readings.axes, time_order=time_order)
    left = tuple(Derivative(field, TIME * time_order) for field in readings.fields)
    library = Library.of([*chosen, *(Term.of([(part, 1)]) for part in left)], readings.fields, (TIME, *readings.axes))
    units, sizes, constants = library.units(posterior.scaling)
    where = choose_points(readings, points, within, check_whole("seed", seed, 0))
    inputs, layers = posterior.scaling.inputs(where), posterior.layers()

    # Points are random already, but a grid is not: spread what is kept over it.
    rows = np.linspace(0, len(where) - 1, min(keep_points, len(where))).astype(np.intp)
    single = np.linspace(0, posterior.n_draws - 1, min(keep_draws, posterior.n_draws)).astype(np.intp)
    work = (len(where) * posterior.n_draws, len(rows) * len(single))
    lanes = Lanes(workers, progress, "differentiating", [part / sum(work) for part in work])
    mean, variance = sweep_moments(layers, inputs, library, units, covariance, lanes)
    draws = None
    if len(rows):
        values = sweep_values([layer[single] for layer in layers], inputs[:, rows], library, units, lanes)
        draws = (np.moveaxis(values, 1, 2) + constants) * sizes
    joint = np.moveaxis(variance, -1, 0) * np.outer(sizes, sizes) if covariance else None
    variances = np.diagonal(joint, axis1=1, axis2=2) if joint is not None else variance.T * sizes**2
    means = (mean.T + constants) * sizes
    _check_finite(means, variances, library)
    n_terms = len(chosen)
    return Derivatives(
        chosen,
        left,
        (readings.time_name, *readings.axes),
        where,
        means[:, :n_terms],
        variances[:, :n_terms],
        means[:, n_terms:],
        variances[:, n_terms:],
        posterior.n_draws,
        joint,
        draws,
        rows if draws is not None else None,
    )


def _check_finite(means: NDArray[np.float64], variances: NDArray[np.float64], library: Library) -> None:
    good = np.isfinite(means).all(0) & np.isfinite(variances).all(0)
    if not good.all():
        term = library.terms[int(np.argmin(good))]
        raise InputError(
            f"The term {term} leaves the range of the numbers at some points; remove it from the candidates."
        )
    for term, some in zip(library.terms, np.any(means, axis=0) | np.any(variances, axis=0), strict=True):
        # exp(−u) of a temperature in kelvin: not zero, but less than the least number there is.
        if not some and any(isinstance(factor, Function) for factor, _ in term.factors):
            raise InputError(f"The term {term} is too small to be told from zero; remove it from the candidates.")
