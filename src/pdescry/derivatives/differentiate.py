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

    terms: ``"general"``, ``"paper"`` or a list of your own, as for :func:`pdescry.candidates`.
    points: how many at random (``within`` the sensors' ``"hull"``, the ``"box"`` of the readings, or ranges such as
    ``{"x": (-8, 8), "t": (0, 10)}``; what is not named keeps to the readings), a grid ``{"t": …, "x": …}``, or an array
    (N, 1 + d). covariance: between terms at each point. keep_points, keep_draws: also keep the values of single draws
    (of all, unless fewer are asked for) at so many of the points. The result is the same for any number of workers.
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
    with watched(progress) as tell:
        return work.finish(posterior, workers, tell)
