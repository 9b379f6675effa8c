"""`differentiate`: from draws of the field to the candidate terms of its law."""

from __future__ import annotations

from collections.abc import Iterable

from pdescry.derivatives.derivatives import Derivatives
from pdescry.derivatives.points import Points, Within
from pdescry.equation import Term
from pdescry.errors import InputError
from pdescry.progress import Progress, watched
from pdescry.surrogate import Posterior


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
    progress: Progress | bool | None = None,
) -> Derivatives:
    """Mean and variance over the draws of every candidate term, and of u_t (or u_tt) of every field, at many points.

    Parameters
    ----------
    posterior : Posterior
        The posterior of `interpolate`.
    terms : {"general", "paper", "small"} or iterable of (str or Term)
        As for :func:`pdescry.candidates`.
    time_order : int
        1 for u_t, 2 for u_tt.
    points : int, (N, 1 + d) array_like, or mapping of str to arrays
        A number of random points, given points, or a grid ``{"t": …, "x": …}``.
    within : {"hull", "box"} or mapping of str to (float, float)
        Where random points lie: in the sensors' hull, in the box of the readings, or in ranges such as
        ``{"x": (-8, 8), "t": (0, 10)}``; the ranges of other axes are those of the readings.
    covariance : bool
        Whether to compute the covariance of the terms at each point.
    keep_points : int
        Number of points at which values of single draws are kept, too.
    keep_draws : int, optional
        Number of draws that are kept there; by default all.
    seed : int
        Seed of random points.
    workers : int, optional
        Number of cores; the result does not depend on it.
    progress : callable or bool, optional
        Called with the stage, the fraction done and the seconds left.

    Returns
    -------
    Derivatives
    """
    from pdescry.derivatives.differentiation import Differentiation  # loads JAX

    if not isinstance(posterior, Posterior):
        raise InputError(
            f"Expected a Posterior; got {type(posterior).__name__}; make one with pdescry.interpolate(readings)."
        )
    work = Differentiation(
        posterior.readings,
        posterior.scaling,
        terms,
        time_order=time_order,
        points=points,
        within=within,
        covariance=covariance,
        keep_points=keep_points,
        keep_draws=keep_draws,
        seed=seed,
    )
    with watched(progress) as report_progress:
        return work.finish(posterior, workers, report_progress)
