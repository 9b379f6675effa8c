"""`Regressed`: a law for each field, from a regression on derivatives of a field without a law."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from pdescry.data import Readings
from pdescry.derivatives import Derivatives
from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.files import write_json
from pdescry.notices import Notice
from pdescry.regression import REGRESSORS
from pdescry.surrogate import Diagnostics, Posterior
from pdescry.two_stage.draws import (
    Draws,
    covariance,
    draw_coefficients,
    draw_laws,
    field_alone,
    n_kept,
    noise_of_readings,
)
from pdescry.two_stage.fields import Array, NetworkField
from pdescry.two_stage.network import judge_draws, load_posteriors, noise_of, save_posteriors
from pdescry.two_stage.options import TWO_STAGE

if TYPE_CHECKING:
    from pdescry.regression import SparseFit


@dataclass(frozen=True, eq=False, repr=False)
class Regressed:
    """posterior: the field, without a law. derivatives: for the regressions; None if they were not kept. An `Inference`
    (``discovery/inference.py``)."""

    posterior: Posterior
    derivatives: Derivatives | None
    fits: tuple[SparseFit, ...]

    comparison = None  # laws were not compared by their predictions
    obeys_law = False
    how = "a regression with a threshold found them"
    about_chains = ""

    @property
    def remarks(self) -> tuple[Notice, ...]:
        return ()

    # ---- the field -----------------------------------------------------------------------------------------------

    @property
    def experiments(self) -> tuple[Readings, ...]:
        return (self.posterior.readings,)

    @property
    def posteriors(self) -> tuple[Posterior, ...]:
        return (self.posterior,)

    @property
    def diagnostics(self) -> Diagnostics:
        return self.posterior.diagnostics

    @property
    def reach(self) -> dict[str, tuple[float, float]]:
        return self.posterior.reach

    def predict(
        self,
        t: ArrayLike,
        *places: ArrayLike,
        level: float = 0.95,
        noise: bool = False,
        grid: bool = True,
        experiment: int = 0,
    ) -> xr.Dataset:
        return self.of(experiment).predict(t, *places, level=level, noise=noise, grid=grid)

    def of(self, experiment: int) -> Posterior:
        if experiment != 0:
            raise InputError(f"Expected experiment 0, the only one; got {experiment!r}.")
        return self.posterior

    @property
    def free_field(self) -> Posterior:
        return self.posterior

    @property
    def field(self) -> NetworkField:
        return NetworkField(self.posterior)

    @property
    def noise(self) -> dict[str, dict[str, float | None]]:
        return noise_of(self.posterior)

    def residuals(self, field: str) -> Array:
        readings, number = self.posterior.readings, self.posterior.readings.fields.index(field)
        inferred = self.posterior.predict(readings.time, *readings.space.T, grid=False)[field].to_numpy()
        noise = np.asarray(self.posterior.noise_sd)[:, :, number]
        found = (readings.values[:, number] - inferred) / np.sqrt(np.mean(noise**2))
        return found[np.isfinite(found)]

    # ---- draws ---------------------------------------------------------------------------------------------------

    def draw_laws(self, number: int, seed: int = 0) -> list[tuple[NetworkField, Equation]]:
        return draw_laws(self.posterior, self.derivatives, self.fits, number, seed)

    @property
    def covariance(self) -> Array:
        return covariance([fit for fit in self.fits if fit.support.any()])

    def draw_coefficients(self, number: int, seed: int = 0) -> Array:
        return draw_coefficients([fit for fit in self.fits if fit.support.any()], number, seed)

    def next_sensor(self, n: int, times: ArrayLike | None) -> None:
        """Not in closed form; `sampled` is used."""

    def sampled(self, points: Array) -> Draws:
        found, kept = all(fit.support.any() for fit in self.fits), n_kept(self.derivatives)
        if found and all(fit.spread is not None for fit in self.fits) and kept >= TWO_STAGE.least_draws:
            laws = self.draw_laws(min(kept, TWO_STAGE.draws_of_field), 0)
            named = [(fit.field, term) for fit in self.fits for term in fit.component.coefficients]
            rows = [[each[field].coefficients.get(term, 0.0) for field, term in named] for _, each in laws]
            fields = np.concatenate([field.posterior.values(points) for field, _ in laws])
            terms = [f"{field}: {term}" if len(self.fits) > 1 else str(term) for field, term in named]
            noise = noise_of_readings(self.posterior)
            return Draws(np.array(rows), fields, noise, terms, Notice.of("judged-roughly", draws=len(laws)))
        return field_alone(self.posterior, points, Notice.of("judged-without-draws" if found else "next-without-law"))

    def left_out(self, draws: int, seed: int = 0) -> Notice:
        return Notice.of("regression-not-repeated")

    # ---- in words ------------------------------------------------------------------------------------------------

    def judge(self, warn: Callable[..., None]) -> None:
        from pdescry.regression.estimator import NOTHING

        judge_draws(self.posteriors, True, warn)
        n_terms, readings = max(len(fit.terms) for fit in self.fits), self.posterior.readings
        if len(readings) < TWO_STAGE.readings_per_term * n_terms:
            few = Notice.of("few-readings", readings=len(readings), candidates=n_terms)
            warn(few, Notice.of("name-fewer-candidates"))
        for fit in self.fits:
            if fit.outcome == NOTHING:
                none = Notice.of("no-candidate-left", left=f"{fit.field}_{'t' * fit.time_order}")
                warn(none, Notice.of("try-lower-threshold"))
                continue
            for note in fit.notes:
                warn(note)

    def ranking(self, field: str) -> pd.DataFrame:
        """term, kept, and the step (from 1) at which it was dropped, NaN if it never was or never entered;
        ``attrs["steps"]``: number of steps."""
        (fit,) = (fit for fit in self.fits if fit.field == field)
        dropped = {name: number for number, step in enumerate(fit.path, 1) for name in step.dropped}
        names = [str(term) for term in fit.terms]
        table = pd.DataFrame(
            {"term": names, "kept": fit.support, "step": [dropped.get(name, math.nan) for name in names]}
        )
        table["step"] = table["step"].mask(table["kept"])
        table = table.sort_values(["kept", "step"], ascending=[False, False], na_position="last", kind="stable")
        table.attrs["steps"] = len(fit.path)
        return table

    # ---- keeping it ----------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        return {}

    def facts_of(self, experiment: int) -> dict[str, Any]:
        return {"verdict": self.of(experiment).diagnostics.verdict.to_dict()}

    def save(self, folder: Path) -> None:
        save_posteriors(folder, self.posteriors)
        if self.derivatives is not None:
            self.derivatives.save(folder / "derivatives.nc")
        write_fits(folder / "fit.json", self.fits)

    @classmethod
    def load(cls, folder: Path, experiments: Sequence[Readings], diagnostics: Diagnostics | None = None) -> Regressed:
        (posterior,) = load_posteriors(folder, experiments, diagnostics)
        path = folder / "derivatives.nc"
        fits = load_fits(folder / "fit.json", experiments[0])
        return cls(posterior, Derivatives.load(path) if path.exists() else None, fits)


def write_fits(path: Path, fits: Sequence[SparseFit]) -> None:
    from pdescry.regression.storage import fit_to_dict

    write_json(path, [fit_to_dict(fit, REGRESSORS) for fit in fits])


def load_fits(path: Path, readings: Readings) -> tuple[SparseFit, ...]:
    from pdescry.regression.storage import fit_from_dict

    try:
        tables: Sequence[Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise InputError(f"Cannot read {str(path)!r}: {fault}; the run can be resumed after removing it.") from None
    return tuple(fit_from_dict(dict(table), readings.fields, readings.axes, REGRESSORS) for table in tables)
