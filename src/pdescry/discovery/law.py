"""`Law`: what `discover` gives back. The equation, how sure it is, and the field it was read from."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from pdescry.checks import check_whole
from pdescry.data import Readings
from pdescry.discovery.assumed import (
    beyond_sensors,
    beyond_sensors_in_plane,
    boundary_of,
    ends_assumed,
    held_assumed,
    inputs_assumed,
)
from pdescry.discovery.coefficients import Coefficient, coefficients_of, table_of
from pdescry.discovery.config import command_of
from pdescry.discovery.continuing import KEPT, course_of
from pdescry.discovery.derive import Derived, derive
from pdescry.discovery.extrapolating import Asked, Solved, solve, solve_held, with_draws
from pdescry.discovery.extrapolating_in_plane import AskedInPlane, domain_of, solve_in_plane
from pdescry.discovery.fields import Field
from pdescry.discovery.fit import Fit
from pdescry.discovery.forward import Forward, boundaries_of, holds_time
from pdescry.discovery.inference import Inference
from pdescry.discovery.options import DISCOVERY
from pdescry.discovery.settings import Settings
from pdescry.equation import Equation
from pdescry.equation.printing import LATEX
from pdescry.equation.to_sympy import to_sympy
from pdescry.errors import InputError
from pdescry.joint import Advice, Comparison
from pdescry.joint.profiles import COLUMNS
from pdescry.notices import Notice, NoticeWarning
from pdescry.plot.law import Inferred
from pdescry.report.mathematics import in_style
from pdescry.surrogate import Diagnostics, Posterior

Run = Callable[..., Solved]  # of an equation and a field, and the number of a draw


@dataclass(frozen=True, eq=False, repr=False)
class Law:
    """A law for each field (``fits``), and the fields that were inferred with it or before it.

    inference: what the method found, by whatever method; all else here is asked of it. forward: how the law fared when
    solved forward. warnings: what to know before relying on it; advice: what to try; each a `Notice`, which
    prints as a sentence. Where several experiments share the law, everything here is of the first, and ``law.of(1)``
    has the field of the second.
    """

    inference: Inference
    settings: Settings
    forward: Forward
    warnings: tuple[Notice, ...] = ()
    advice: tuple[Notice, ...] = ()

    # ---- looking at it -------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        """``u_t = 0.0985(21)*u_xx - 0.997(8)*u*u_x``, one line a field; or ``cannot tell: …``, and why."""
        return "\n".join(fit.concise for fit in self.fits)

    def __repr__(self) -> str:
        diagnostics = self.diagnostics
        verdict = [] if diagnostics is None or not diagnostics.mixed else [diagnostics.verdict]
        # Chains that have not mixed are what the warnings speak of.
        return "\n".join([str(self), *(f"  {each}" for each in (*self.remarks, *verdict, *self.warnings))])

    def _repr_html_(self) -> str:
        """In a notebook: typeset, with a table and a small figure."""
        from pdescry.report.notebook import law_in_html

        return law_in_html(self)

    @property
    def fits(self) -> tuple[Fit, ...]:
        """The law of each field."""
        return tuple(self.inference.fits)

    @property
    def readings(self) -> Readings:
        return self.experiments[0]

    @property
    def experiments(self) -> tuple[Readings, ...]:
        """Readings of each."""
        return self.inference.experiments

    @property
    def posteriors(self) -> tuple[Posterior, ...]:
        """Of each experiment, as `refine` and `choose` take them; empty where no network was sampled."""
        return self.inference.posteriors

    @property
    def posterior(self) -> Posterior | None:
        """Draws of the field that obeys no law; None where no network was sampled."""
        return self.posteriors[0] if self.posteriors else None

    @property
    def diagnostics(self) -> Diagnostics | None:
        """Of the chains; None where no network was sampled."""
        return self.inference.diagnostics

    @property
    def found(self) -> bool:
        """Whether every field has a law of at least one term."""
        return all(fit.support.any() for fit in self.fits)

    @property
    def comparison(self) -> Comparison | None:
        """How laws compared with each other and with no law at all; None where the method does not compare laws."""
        return self.inference.comparison

    @property
    def remarks(self) -> tuple[Notice, ...]:
        """Laws that may be true as well (``or u_t = … (probability 0.30)``), or the best guess where none is told."""
        return self.inference.remarks

    @property
    def field(self) -> Field:
        """Where a forward solution starts from: the field that obeys the law if there is one, or else the mean one."""
        return self.inference.field

    @property
    def free_field(self) -> Inferred:
        """A field that obeys no law: its readings, reach and predict; what is left to ask where no law is told."""
        return self.inference.free_field

    @property
    def command(self) -> str:
        """What to type at the shell to make it again."""
        return command_of(self.experiments, self.settings)

    @property
    def equation(self) -> Equation:
        """The law with its mean coefficients, fit for `pdescry.simulate`; of several fields, of those that have one."""
        told = [fit for fit in self.fits if fit.support.any()] or self.fits
        return Equation.of([fit.component for fit in told], inputs=[each.name for each in self.readings.inputs])

    @property
    def coefficients(self) -> pd.DataFrame:
        """The terms of the law: mean, sd, 95 % interval, the probability that the term is there (NaN where the method
        does not tell), and the unit of the coefficient (``1`` of a pure number, empty where units of the readings are
        not known). Those of all candidates: ``law.fits[0].table``."""
        return table_of(self.fits, self.readings)

    @property
    def covariance(self) -> pd.DataFrame:
        """Covariance of all coefficients of all equations, by their names: ``u_xx``, of several fields ``v: u_xx``.

        Given coefficients have the variance that was told with them, and nearly none where none was.
        """
        names = [each.name for each in self._told_coefficients()]
        return pd.DataFrame(self.inference.covariance, index=names, columns=names)

    def sample(self, n: int = 1000, seed: int = 0) -> pd.DataFrame:
        """Draws of the coefficients, as likely as the readings leave them.

        Parameters
        ----------
        n
            How many.
        seed
            The same seed gives the same draws.

        Returns
        -------
        pandas.DataFrame
            A row a draw, a column a coefficient, by the names of `covariance`. Coefficients of one draw belong
            together: they are correlated. Laws with the fields that belong to them: `draw_laws`.
        """
        names = [each.name for each in self._told_coefficients()]
        drawn = self.inference.draw_coefficients(check_whole("number of draws", n, 1), check_whole("seed", seed, 0))
        return pd.DataFrame(drawn, columns=names)

    def derive(self, formula: str, *, draws: int = DISCOVERY.derived.draws, seed: int = 0) -> Derived:
        """A quantity derived from the coefficients, with its uncertainty.

        Parameters
        ----------
        formula
            Such as ``"u_x / u_xx"``: a term stands for its coefficient; those that are more than a name stand in
            quotes, ``"'u*u_x' / u_xx"``, of several fields ``"'v: u_xx' / 'u: u_xx'"``. Constants of one's own come
            after ``where``, with sd and unit if they have such: ``"L^2 / u_xx where L = 0.5 ± 0.01 m"``. A coefficient
            that varies is taken at a place: ``"sqrt(u_xx) where x = 0.3"``.
        draws
            How many of `sample` it is computed from.
        seed
            Of the draws.

        Returns
        -------
        Derived
            Prints ``value ± sd [low, high] unit``; has them as attributes, and ``draws``.
        """
        told = self._told_coefficients()
        drawn = self.sample(draws, seed).to_numpy()
        found = derive(formula, told, drawn, self.readings.axes, self.readings.units, seed)
        if "formal" in set(self.coefficients["spread"]):
            found = replace(found, notes=(*found.notes, Notice.of("spread-too-narrow")))
        return found

    def _told_coefficients(self) -> list[Coefficient]:
        if not any(fit.support.any() for fit in self.fits):
            raise InputError(f"Expected a law with coefficients; these readings tell none ({self}).")
        return coefficients_of(self.fits, self.readings)

    def latex(self, digits: int | None = None) -> str:
        """The law in LaTeX, ``u_{t} = 0.0985(21)\\,u_{xx} - 0.997(8)\\,u\\,u_{x}``; several fields as ``aligned``.

        Parameters
        ----------
        digits
            By default the sd stands behind the last digits; a number: mean coefficients, with so many digits.
        """
        self._told_coefficients()
        told = [fit for fit in self.fits if fit.support.any()]
        if digits is not None:
            lines = [LATEX.component(fit.component, check_whole("digits", digits, 1)) for fit in told]
        else:
            lines = [in_style(fit, LATEX) for fit in told]
        if len(lines) == 1:
            return lines[0]
        inner = " \\\\\n".join(line.replace(" = ", " &= ", 1) for line in lines)
        return f"\\begin{{aligned}}\n{inner}\n\\end{{aligned}}"

    def to_sympy(self) -> Any:
        """The law with its mean coefficients as a `sympy.Eq`; of several fields, a tuple of them.

        Fields and inputs are functions of t and the axes. Needs sympy: ``pip install 'pdescry[sympy]'``.
        """
        self._told_coefficients()
        found = to_sympy(self.equation)
        return found[0] if len(found) == 1 else found

    @property
    def profiles(self) -> pd.DataFrame:
        """Coefficients that vary along the axis, c(x) of laws with T and ``x*T``.

        Returns
        -------
        pandas.DataFrame
            One row for each term and place: field, term, place, mean, sd, and low and high of the 95 % interval; empty
            where all coefficients are constant, or the method does not ask.
        """
        return pd.DataFrame(columns=list(COLUMNS)) if self.comparison is None else self.comparison.profiles

    # ---- using it ------------------------------------------------------------------------------------------------

    @property
    def reach(self) -> dict[str, tuple[float, float]]:
        """From where to where the field is known: between the outermost sensors, or in the domain that was asked for.
        By the names of time and axes."""
        return self.inference.reach

    def predict(
        self,
        t: ArrayLike | pd.DatetimeIndex | pd.Timestamp,
        *places: ArrayLike,
        level: float = 0.95,
        noise: bool = False,
        grid: bool = True,
    ) -> xr.Dataset:
        """Mean, sd and interval of the field within `reach`, as `Posterior.predict`.

        Of the field that obeys the law if they were inferred together, or else of one that obeys none. Where the
        readings had dates, ``t`` may be dates as well, as text, datetime, numpy's or pandas' kind; the answer has
        dates then.
        """
        times, are_dates = self.readings.to_times(t)
        found = self.inference.predict(times, *places, level=level, noise=noise, grid=grid)
        return self._with_dates(found) if are_dates else found

    def _with_dates(self, found: xr.Dataset) -> xr.Dataset:
        """Times as dates."""
        time = found[self.readings.time_name]
        return found.assign_coords({self.readings.time_name: (time.dims, self.readings.dates(time.to_numpy()))})

    def of(self, experiment: int) -> Inferred:
        """The field of one of several experiments, counted from 0: its readings, reach and predict."""
        return self.inference.of(experiment)

    def simulate(
        self,
        times: ArrayLike | pd.DatetimeIndex | None = None,
        *,
        draws: int = 0,
        domain: Sequence[float] | Sequence[Sequence[float]] | Mapping[str, Sequence[float]] | None = None,
        boundary: Any = None,
        initial: Any = None,
        x: Sequence[float] | NDArray[np.float64] | None = None,
        y: Sequence[float] | NDArray[np.float64] | None = None,
        inputs: Mapping[str, Any] | None = None,
        seed: int = 0,
        **limits: Any,
    ) -> xr.Dataset:
        """The law solved forward, also past the last reading: ``u`` on (t, x) or (t, x, y); ``draws`` for intervals.

        Parameters
        ----------
        times
            As in the readings, or dates where they had such; by default from their first to their last. The solution
            starts from the inferred field at the first of them, or at the last reading if all of them are later.
        draws
            How many laws to draw, each with a draw of the field to start from; then the result also holds ``u_draws``,
            their rms distance from ``u`` (``u_sd``) and a 95 % interval around it (``u_low``, ``u_high``).
        domain
            By default, `reach` of the field. In the plane ``{"x": (left, right), "y": (bottom, top)}``, by default a
            rectangle all of which lies among the sensors; to be given with ``boundary``. With that it may be wider than
            `reach` by a quarter on each side: the field starts there as at the nearest place within.
        boundary
            As in `pdescry.simulate`. By default ends follow the inferred field, those of a draw its own, up to the last
            reading, and then keep their last value; in draws they change as they did over spans of that length in the
            readings (``discovery/continuing.py``). Boundary conditions that were known when the law was discovered
            hold later, too. With other ``initial`` or ``inputs``, ends are so from the first time on. Of a field that
            obeys no law (after a regression): the simple conditions that come nearest to it.
        initial
            By default, the inferred field.
        x, y
            Places of the result; in the plane a grid, by default 41 by 41.
        inputs
            Other inputs than those that were read, as in `pdescry.simulate`, since the first of the times. By default
            an input keeps its last value after that was read.
        seed
            Of the draws.
        limits
            As in `pdescry.simulate` (max_points, max_steps, max_seconds, rtol, …); by default the law is solved to the
            digits that a discovered law can have.

        Returns
        -------
        Attributes tell the status; a law or a draw that could not be solved is NaN from where it ended. ``boundary``
        has the conditions, and ``assumed`` what was assumed because no reading tells it, in words; of ends and inputs
        there is a Python warning, too.
        """
        readings = self.readings
        draws = check_whole("number of draws", draws, 0)
        if len(readings.axes) > 2:
            raise InputError(
                f"Expected a law in one or two space dimensions; this one is in {', '.join(readings.axes)}; laws in "
                "three are not solved forward."
            )
        if holds_time(self.equation):
            raise InputError("Expected a law without t in its terms: pdescry.simulate solves such laws from t = 0 on.")
        given, are_dates = (None, False) if times is None else readings.to_times(times)
        moments = np.linspace(*readings.span[readings.time_name], 101) if given is None else np.asarray(given, float)
        if moments.ndim != 1 or len(moments) < 2 or not (np.diff(moments) > 0).all():
            raise InputError("Expected times as two or more increasing numbers.")
        forward = self._along_axis if len(readings.axes) == 1 else self._in_plane
        asked, held, run = forward(moments, domain, boundary, (x, y), initial, inputs, limits, seed)
        mean = run(self.equation, self.field)
        found = mean.fields if held else mean.fields.assign_attrs(boundary=boundary_of(asked, mean))
        of_ends = None
        if boundary is None:
            of_ends = held_assumed(held) if held else ends_assumed(asked, mean, self.equation, bool(draws))
        assumed = [each for each in (of_ends, inputs_assumed(asked, self.equation)) if each is not None]
        for each in assumed:
            warnings.warn(NoticeWarning(each), stacklevel=2)
        beyond = beyond_sensors(asked) if isinstance(asked, Asked) else beyond_sensors_in_plane(asked)
        assumed += [] if beyond is None else [beyond]
        found = found.assign_attrs(assumed=" ".join(map(str, assumed)))
        if draws:
            # Begun on half the points that the mean law needed, so that a rough start has two grids to be compared on;
            # and not verified again: the mean law was.
            points = round(mean.points ** (1 / len(readings.axes)))  # along each axis
            finer = {"verify": False, "min_points": max(points // 2, 16)}
            laws = enumerate(self.draw_laws(draws, seed))
            drawn = [run(law, field, number, **finer | limits) for number, (field, law) in laws]
            found = with_draws(found, drawn)
        # A law without derivatives along it does not know the name of its axis.
        names = {"t": readings.time_name, **dict(zip(mean.axes, readings.axes, strict=True))}
        found = found.rename({name: wanted for name, wanted in names.items() if name != wanted})
        return self._with_dates(found) if are_dates else found

    def _along_axis(
        self, times: Any, domain: Any, boundary: Any, places: Any, initial: Any, inputs: Any, limits: Any, seed: int
    ) -> tuple[Asked, list[Any], Run]:
        """What is asked for, conditions that are held, and how a law is solved so."""
        (axis,), (x, y) = self.readings.axes, places
        if y is not None:
            raise InputError(f"Expected y= only for a law in the plane; this one is along {axis}: leave it out.")
        low, high = self.reach[axis] if domain is None else domain
        asked = Asked(self.readings, times, (float(low), float(high)), self.reach, x, initial, inputs, limits)
        held = [boundary] if boundary is not None else self._held_ends(asked)

        def run(equation: Equation, field: Field, draw: int | None = None, **more: Any) -> Solved:
            if held:
                return solve_held(asked, equation, field, held[(draw or 0) % len(held)], **more)
            return solve(asked, equation, field, KEPT if draw is None else course_of(draw, seed), **more)

        return asked, held, run

    def _in_plane(
        self, times: Any, domain: Any, boundary: Any, places: Any, initial: Any, inputs: Any, limits: Any, seed: int
    ) -> tuple[AskedInPlane, list[Any], Run]:
        """Likewise."""
        among, axes = self.field.rectangle, self.readings.axes
        box = domain_of(domain, self.readings, among if boundary is None else None)
        given = {axis: each for axis, each in zip(axes, places, strict=True) if each is not None}
        asked = AskedInPlane(self.readings, times, box, self.reach, among, boundary, given, initial, inputs, limits)

        def run(equation: Equation, field: Field, draw: int | None = None, **more: Any) -> Solved:
            return solve_in_plane(asked, equation, field, KEPT if draw is None else course_of(draw, seed), **more)

        return asked, [] if boundary is None else [boundary], run

    def _held_ends(self, asked: Asked) -> list[Any]:
        """Simple conditions, the one that comes nearest to the field first; after the last reading others that may hold
        as well. None where ends follow a field that obeys the law."""
        if self.field.follows(np.array(asked.span), asked.places):
            return []
        nearest = self.forward.conditions
        if nearest is None and self.forward.status == "not tried":
            raise InputError(
                f"Expected what holds at the ends of the interval, which readings do not tell for {self}; pass "
                "boundary=, such as 'periodic'."
            )
        if nearest is None or asked.times[-1] <= asked.span[1]:
            return [nearest or "periodic"]
        return [nearest, *(each for each in boundaries_of(self.field, self.equation) if each != nearest)]

    def draw_laws(self, number: int, seed: int = 0) -> list[tuple[Field, Equation]]:
        """Laws as likely as the readings leave them, each with the draw of the field that it belongs to."""
        return list(self.inference.draw_laws(number, seed))

    def next_sensor(self, n: int = 1, times: ArrayLike | None = None) -> Advice:
        """Where the next ``n`` sensors would shrink the uncertainty of the coefficients most, one after the other, each
        given those before; with a map over time and place of what single readings would tell.

        times: when a new sensor reads; by default when one of the others does. Places lie between the outermost
        sensors. Expected information in closed form, where law and field were inferred together; by draws, after a
        regression. Where no law is told: the places where the field is least known. The terms are taken as they are:
        what a reading would tell of which law is right is not counted, as fields of laws that were not taken are not
        kept.
        """
        from pdescry.discovery.next_sensor import next_sensor

        return next_sensor(self.inference, n, times)

    # ---- keeping it ----------------------------------------------------------------------------------------------

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a page for people: the law, the field, the terms, the law solved forward, diagnostics and settings.

        One HTML file that needs nothing else and opens from disk. ``pdescry discover`` writes it as ``report.html``.
        """
        from pdescry.report.page import write_page

        write_page(self, path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a folder (``rod.pdescry``) that :func:`pdescry.load` reads; plain formats, no pickle."""
        from pdescry.discovery.storage import save_law

        save_law(self, Path(path))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Law:
        """What :meth:`save` or a finished ``pdescry discover`` wrote."""
        from pdescry.discovery.storage import load_law

        return load_law(Path(path))


def load(path: str | os.PathLike[str]) -> Law:
    """The law in a folder that ``law.save`` or a finished ``pdescry discover`` wrote."""
    return Law.load(path)
