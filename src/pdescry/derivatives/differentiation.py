"""`Differentiation`: the work of `differentiate`, which can start before all draws are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pdescry.checks import check_whole, check_workers
from pdescry.data import Readings
from pdescry.derivatives.derivatives import Derivatives
from pdescry.derivatives.library import Library
from pdescry.derivatives.points import Points, Within, choose_points
from pdescry.derivatives.sweep import CHUNK, Lanes, Sweep, sweep_values
from pdescry.equation import Term, candidates
from pdescry.equation.term import Derivative, Function
from pdescry.errors import InputError
from pdescry.progress import Progress
from pdescry.surrogate import Posterior
from pdescry.surrogate.scaling import Scaling

TIME = "t"  # in equations; readings may have another name for it


class Differentiation:
    """The arguments of `differentiate`, and the draws that were processed so far. Any number of them may be added
    before `finish`, which adds the rest: the result is the same."""

    def __init__(
        self,
        readings: Readings,
        scaling: Scaling,
        terms: str | Iterable[str | Term],
        *,
        time_order: int = 1,
        points: Points = 10_000,
        within: Within = "hull",
        covariance: bool = False,
        keep_points: int = 0,
        keep_draws: int | None = None,
        seed: int = 0,
    ) -> None:
        time_order = check_whole("order of the time derivative", time_order, 1, 3)
        self.keep_points = check_whole("number of points to keep draws at", keep_points, 0)
        if keep_draws is not None and not keep_points:
            raise InputError(
                "Expected keep_points= beside keep_draws=: at how many points to keep the draws; got none."
            )
        self.keep_draws = None if keep_draws is None else check_whole("number of draws to keep", keep_draws, 1)
        self.chosen = candidates(terms, fields=readings.fields, axes=readings.axes, time_order=time_order)
        self.left = tuple(Derivative(field, TIME * time_order) for field in readings.fields)
        lefts = [Term.of([(part, 1)]) for part in self.left]
        self.library = Library.of([*self.chosen, *lefts], readings.fields, (TIME, *readings.axes))
        self.units, self.sizes, self.constants = self.library.units(scaling)
        self.where = choose_points(readings, points, within, check_whole("seed", seed, 0))
        self.inputs, self.covariance = scaling.inputs(self.where), covariance
        self._begin()

    def _begin(self) -> None:
        self.sweep = Sweep(self.inputs, self.library, self.units, self.covariance)
        self.waiting: list[NDArray[np.float32]] = []  # positions that do not fill a chunk yet

    def add(self, draws: Posterior, workers: int) -> None:
        """Add the next draws, in the order of the future posterior."""
        flat = np.concatenate([*self.waiting, draws.positions.reshape(draws.n_draws, -1)])
        whole = len(flat) // CHUNK * CHUNK
        self.waiting = [flat[whole:]]
        lanes = Lanes(workers, None, "differentiating")
        for layers in replace(draws, positions=flat[None, :whole]).layers_in_parts():
            self.sweep.add(layers, lanes, 0.0)

    def finish(self, posterior: Posterior, workers: int | None = None, progress: Progress | None = None) -> Derivatives:
        """Derivatives over all draws of a posterior, of which the first may already have been added."""
        workers = check_workers(workers)
        if posterior.left_out:
            self._begin()  # what was added may be of a chain that was discarded
        n_draws = posterior.n_draws
        # Random points have a random order, but a grid does not: points are kept at regular intervals.
        rows = np.linspace(0, len(self.where) - 1, min(self.keep_points, len(self.where))).astype(np.intp)
        single = np.linspace(0, n_draws - 1, min(self.keep_draws or n_draws, n_draws)).astype(np.intp)
        work = len(self.where) * n_draws + len(rows) * len(single)
        lanes = Lanes(workers, progress, "differentiating", len(self.where) * self.sweep.n_draws / work)
        for layers in posterior.of_draws(slice(self.sweep.n_draws, None)).layers_in_parts():
            self.sweep.add(layers, lanes, len(self.where) * len(layers[0]) / work)
        draws = None
        if len(rows):
            values = sweep_values(
                posterior.of_draws(single).layers(),
                self.inputs[:, rows],
                self.library,
                self.units,
                lanes,
                len(rows) * len(single) / work,
            )
            draws = (np.moveaxis(values, 1, 2) + self.constants) * self.sizes
        variance = self.sweep.variance
        joint = np.moveaxis(variance, -1, 0) * np.outer(self.sizes, self.sizes) if self.covariance else None
        variances = np.diagonal(joint, axis1=1, axis2=2) if joint is not None else variance.T * self.sizes**2
        means = (self.sweep.mean.T + self.constants) * self.sizes
        _check_finite(means, variances, self.library)
        n_terms = len(self.chosen)
        return Derivatives(
            self.chosen,
            self.left,
            (posterior.readings.time_name, *posterior.readings.axes),
            self.where,
            means[:, :n_terms],
            variances[:, :n_terms],
            means[:, n_terms:],
            variances[:, n_terms:],
            n_draws,
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
        # exp(−u) of a temperature in kelvin underflows.
        if not some and any(isinstance(factor, Function) for factor, _ in term.factors):
            raise InputError(f"The term {term} is too small to be distinguished from zero; leave it out.")
