"""`Inference`: what a method found, for one or several fields and experiments; all that a `Law` is made of.

A new method implements this and `Method` (``method.py``). Nothing outside a method asks which one it was: where methods
differ in what they know, a member is None, empty, or says so in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from pdescry.data import Readings
from pdescry.discovery.fields import Array, Field
from pdescry.discovery.fit import Fit
from pdescry.equation import Equation
from pdescry.joint import Advice, Comparison
from pdescry.notices import Notice
from pdescry.plot.law import Inferred
from pdescry.surrogate import Diagnostics, Posterior

Warn = Callable[..., None]  # a notice, and perhaps another one with a remedy


class Inference(Protocol):
    """The law of each field, the fields of each experiment, and how sure both are."""

    # ---- the law -------------------------------------------------------------------------------------------------

    @property
    def fits(self) -> Sequence[Fit]: ...  # one for each field
    @property
    def remarks(self) -> tuple[Notice, ...]: ...  # other laws that may be true, or the best guess where none was found
    @property
    def how(self) -> str: ...  # how the terms were found, in a clause: "a regression with a threshold found them"
    @property
    def comparison(self) -> Comparison | None: ...  # None where the method does not compare laws

    @property
    def covariance(self) -> Array: ...  # (k, k), of the coefficients of the law in the order of `Law.coefficients`

    def draw_coefficients(self, number: int, seed: int = 0) -> Array:
        """(number, k): coefficients as likely as the readings leave them, those of one draw together."""
        ...

    def ranking(self, field: str) -> pd.DataFrame:
        """Why these terms: a row for each candidate for the law of a field, those of the law first.

        Columns ``term``, ``kept`` and either ``score`` (change of the log score with it less or more, nats) and
        ``ill_posed``, or ``step`` (at which it was dropped, from 1; NaN where it was not), with ``attrs["steps"]``, how
        many there were.
        """
        ...

    def judge(self, warn: Warn) -> None:
        """The method's own warnings: ``warn(notice, remedy)``, the most important first."""
        ...

    # ---- the fields ----------------------------------------------------------------------------------------------

    @property
    def experiments(self) -> tuple[Readings, ...]: ...
    @property
    def obeys_law(self) -> bool: ...  # whether the field that `predict` gives obeys the law
    @property
    def reach(self) -> dict[str, tuple[float, float]]: ...  # where the field is known, by the names of time and axes
    @property
    def noise(self) -> dict[str, dict[str, float | None]]: ...  # of each field: mean (rms) and sd, None if not known

    def predict(
        self,
        t: ArrayLike,
        *places: ArrayLike,
        level: float = 0.95,
        noise: bool = False,
        grid: bool = True,
        experiment: int = 0,
    ) -> xr.Dataset:
        """Mean, sd and interval of the fields of an experiment: ``u``, ``u_sd``, ``u_low``, ``u_high``, …"""
        ...

    def of(self, experiment: int) -> Inferred:
        """The fields of one experiment, counted from 0: readings, reach, predict."""
        ...

    @property
    def free_field(self) -> Inferred: ...  # of the first experiment; obeys no law, where the method has such a field
    @property
    def field(self) -> Field: ...  # of the first experiment, to solve forward from

    def residuals(self, field: str) -> Array:
        """Readings of a field in the first experiment less the inferred one, in units of the noise; no NaN."""
        ...

    # ---- draws ---------------------------------------------------------------------------------------------------

    def draw_laws(self, number: int, seed: int = 0) -> Sequence[tuple[Field, Equation]]:
        """Laws as likely as the readings leave them, each with the draw of the field that it belongs to."""
        ...

    def left_out(self, draws: int, seed: int = 0) -> LeftOut | Notice:
        """Such draws of the same law, inferred without some of the sensors; or why there are none. Asked for only where
        `field` follows its law."""
        ...

    def next_sensor(self, n: int, times: ArrayLike | None) -> Advice | None:
        """In closed form, as `Law.next_sensor`; None where the method has none, or no law was found: then it is judged
        by `sampled`."""
        ...

    def sampled(self, points: Array) -> Sampled:
        """Draws of coefficients and fields at (P, 1 + d) points (t, x, …)."""
        ...

    # ---- the network, if one was sampled -------------------------------------------------------------------------

    @property
    def posteriors(self) -> tuple[Posterior, ...]: ...  # of each experiment; empty where none was sampled
    @property
    def diagnostics(self) -> Diagnostics | None: ...  # of the first
    @property
    def about_chains(self) -> str: ...  # what to know of the chains, or nothing

    # ---- keeping it ----------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """What law.json contains beyond what every method has."""
        ...

    def facts_of(self, experiment: int) -> dict[str, Any]:
        """What law.json contains of a further experiment beyond its readings."""
        ...

    def save(self, folder: Path) -> None:
        """Write the files that belong to the method (`Method.load` reads them)."""
        ...


class LeftOut(Protocol):
    """Draws of a law that was inferred without some of the sensors of the first experiment."""

    @property
    def laws(self) -> Sequence[tuple[Field, Equation]]: ...
    @property
    def rows(self) -> NDArray[np.bool_]: ...  # (N,): which readings are held out
    @property
    def noise_sd(self) -> Array: ...  # (held-out readings, fields): sds of readings about the fields
    @property
    def noise(self) -> Mapping[str, float]: ...  # of each field, rms, of the other readings: how exact is enough


class Sampled(Protocol):
    """Draws of coefficients together with fields; k = 0 where no law was found, or where they were not drawn
    together."""

    @property
    def coefficients(self) -> Array: ...  # (S, k)
    @property
    def fields(self) -> Array: ...  # (S, f, P)
    @property
    def noise(self) -> Array: ...  # (f,): sd of a reading
    @property
    def terms(self) -> list[str]: ...  # names of the k coefficients
    @property
    def note(self) -> Notice: ...  # what to know of them
