"""`Law`: what `discover` gives back. The equation, how sure it is, and the field it was read from."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from pdescry.data import Readings
from pdescry.derivatives import Derivatives
from pdescry.discovery.forward import ACCURACY, Forward, holds_time, initial_of, profile
from pdescry.discovery.settings import Settings
from pdescry.equation import Equation
from pdescry.equation.equation import Component
from pdescry.errors import InputError
from pdescry.regression import SparseFit
from pdescry.solver import Solution, simulate
from pdescry.surrogate import Diagnostics, Posterior
from pdescry.surrogate.settings import check_whole


@dataclass(frozen=True, eq=False, repr=False)
class Law:
    """A law for each field (``fits``), read from a posterior of the fields by way of their derivatives.

    forward: how the law fared when solved forward. warnings: what to know before relying on it; advice: what to try.
    """

    posterior: Posterior
    derivatives: Derivatives
    fits: tuple[SparseFit, ...]
    settings: Settings
    diagnostics: Diagnostics
    forward: Forward
    warnings: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()

    # ---- looking at it -------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        """``u_t = 0.0985(21)*u_xx - 0.997(8)*u*u_x``, one line a field."""
        return "\n".join(fit.concise for fit in self.fits)

    def __repr__(self) -> str:
        verdict = [self.diagnostics.verdict] if self.diagnostics.mixed else []  # else it is among the warnings
        return "\n".join([str(self), *(f"  {each}" for each in (*verdict, *self.warnings))])

    @property
    def readings(self) -> Readings:
        return self.posterior.readings

    @property
    def found(self) -> bool:
        """Whether every field has a law of at least one term."""
        return all(fit.support.any() for fit in self.fits)

    @property
    def equation(self) -> Equation:
        """The law with its mean coefficients, fit for `pdescry.simulate`."""
        return Equation.of([fit.component for fit in self.fits])

    @property
    def coefficients(self) -> pd.DataFrame:
        """The terms of the law: mean, sd and 95 % interval. Those of all candidates: ``law.fits[0].table``."""
        return pd.concat([_table(fit) for fit in self.fits], ignore_index=True)

    # ---- using it ------------------------------------------------------------------------------------------------

    def predict(
        self, t: ArrayLike, *places: ArrayLike, level: float = 0.95, noise: bool = False, grid: bool = True
    ) -> xr.Dataset:
        """Mean, sd and interval of the field between the sensors, as `Posterior.predict`."""
        return self.posterior.predict(t, *places, level=level, noise=noise, grid=grid)

    def simulate(
        self,
        times: Sequence[float] | NDArray[np.float64] | None = None,
        *,
        draws: int = 0,
        domain: Sequence[float] | None = None,
        boundary: Any = None,
        initial: Any = None,
        x: Sequence[float] | NDArray[np.float64] | None = None,
        seed: int = 0,
        **limits: Any,
    ) -> xr.Dataset:
        """The law solved forward: ``u`` on (t, x), and with ``draws`` its uncertainty.

        times: as in the readings; by default from their first to their last. The field starts at the first of them.
        draws: how many laws to draw, each with a draw of the field to start from; then the result also holds ``u_sd``,
        ``u_low`` and ``u_high`` (95 % of the draws) and ``u_draws``. domain: default, between the outermost sensors.
        boundary: as in `pdescry.simulate`; default, what came nearest to the field (``law.forward``). initial: default,
        the inferred field. limits: as in `pdescry.simulate` (max_points, max_steps, max_seconds, rtol, …); by default
        the law is solved to the digits that a discovered law can have.

        Attributes tell the status; a law or a draw that could not be solved is NaN from where it ended.
        """
        readings = self.readings
        draws = check_whole("number of draws", draws, 0)
        axis, *others = readings.axes
        if others:
            raise InputError(f"Expected a law in one space dimension; this one is in {', '.join(readings.axes)}.")
        if holds_time(self.equation):
            raise InputError("Expected a law without t in its terms: pdescry.simulate solves such laws from t = 0 on.")
        moments = np.linspace(*readings.span[readings.time_name], 101) if times is None else np.asarray(times, float)
        if moments.ndim != 1 or len(moments) < 2 or not (np.diff(moments) > 0).all():
            raise InputError("Expected times as two or more increasing numbers.")
        domain = readings.span[axis] if domain is None else domain
        boundary = self.forward.conditions or "periodic" if boundary is None else boundary
        common = {"domain": domain, "boundary": boundary, "times": moments - moments[0], "x": x} | ACCURACY | limits

        def solve(equation: Equation, draw: int | None, **more: Any) -> Solution:
            start = initial
            if start is None:
                start = initial_of(profile(self.posterior, float(moments[0]), domain, draw), equation)
            return simulate(equation, initial=start, **common | more)

        mean = solve(self.equation, None)
        found = mean.dataset.assign_coords(t=moments)
        if draws:
            # As fine as the mean law needed to be, and not verified again: the mean law was.
            finer = {"verify": False, "min_points": max(mean.points, 16)}
            laws = self.draw_laws(draws, seed)
            solved = [solve(law, draw, **finer | limits) for draw, law in laws]
            found = _with_draws(found, solved)
        # A law without derivatives along it does not know the name of its axis.
        names = {"t": readings.time_name, mean.axis: axis}
        return found.rename({name: wanted for name, wanted in names.items() if name != wanted})

    def draw_laws(self, number: int, seed: int = 0) -> list[tuple[int, Equation]]:
        """Laws as likely as the readings leave them, each with the number of the draw of the field it belongs to."""
        random = np.random.default_rng([seed, 11])
        kept = 0 if self.derivatives.draws is None else len(self.derivatives.draws)
        if not kept:
            raise InputError(
                "Expected single draws of the field to draw laws from; run with derivatives.keep_points=500."
            )
        chosen = random.choice(kept, number, replace=number > kept)
        # As `differentiate` picked them.
        fields = np.linspace(0, self.posterior.n_draws - 1, kept).astype(int)
        return [(int(fields[draw]), self._law_of(int(draw), random)) for draw in chosen]

    def _law_of(self, draw: int, random: np.random.Generator) -> Equation:
        components = []
        for fit in self.fits:
            kept = np.flatnonzero(fit.support)
            if fit.spread is None:
                covariance = fit.covariance[np.ix_(kept, kept)]
                values = random.multivariate_normal(fit.coefficients[kept], covariance, method="svd")
            else:
                spread = fit.spread
                # About the reported coefficients, and as wide as the honest sd: the draw's own deviation, stretched.
                deviation = spread.draws[draw] - spread.draws.mean(0)
                stretch = np.divide(spread.sd, spread.draws_sd, out=np.ones_like(spread.sd), where=spread.draws_sd > 0)
                values = spread.reported + deviation * stretch
            terms = {fit.terms[j]: float(value) for j, value in zip(kept, values, strict=True)}
            components.append(Component.of(fit.field, terms, fit.time_order))
        return Equation.of(components)

    # ---- keeping it ----------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a folder (``rod.pdescry``) that :func:`pdescry.load` reads; plain formats, no pickle."""
        from pdescry.discovery.run import save_law

        save_law(self, Path(path))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Law:
        """What :meth:`save` or a finished ``pdescry discover`` wrote."""
        from pdescry.discovery.run import load_law

        return load_law(Path(path))


def load(path: str | os.PathLike[str]) -> Law:
    """The law in a folder that ``law.save`` or a finished ``pdescry discover`` wrote."""
    return Law.load(path)


def _table(fit: SparseFit) -> pd.DataFrame:
    table: Any = fit.table.query("kept").drop(columns="kept").rename(columns={"coefficient": "mean"})
    honest = fit.spread is not None
    table.insert(2, "sd", table["honest_sd"] if honest else table["formal_sd"])
    if not honest:
        from pdescry.regression.spread import TWO_SIDED_95

        table["low"], table["high"] = (table["mean"] + sign * TWO_SIDED_95 * table["sd"] for sign in (-1, 1))
    table.insert(0, "field", fit.field)
    table["spread"] = "honest" if honest else "formal"
    return table[["field", "term", "mean", "sd", "low", "high", "corrected", "formal_sd", "spread"]]


def _with_draws(found: xr.Dataset, solved: list[Solution]) -> xr.Dataset:
    unsolved = sum(not solution.ok for solution in solved)
    found = found.assign_attrs(draws=len(solved), unsolved_draws=unsolved)
    for name in list(found.data_vars):
        values = np.stack([solution[str(name)].values for solution in solved])
        dims = found[name].dims
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of times that no draw reached
            low, high = np.nanquantile(values, [0.025, 0.975], axis=0)
            parts = {"sd": np.nanstd(values, axis=0), "low": low, "high": high}
        found = found.assign({f"{name}_{ending}": (dims, part) for ending, part in parts.items()})
        found[f"{name}_draws"] = (("draw", *dims), values)
    return found
