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
    """A law for each field, and the fields that were inferred with it or before it.

    Parameters
    ----------
    inference : Inference
        What the method found; everything else is computed from it.
    settings : Settings
        Every setting of the run.
    forward : Forward
        How the law fared when solved forward.
    warnings : tuple of Notice
        What to know before relying on it; each prints as a sentence.
    advice : tuple of Notice
        What to try next.

    Notes
    -----
    `discover`, `resume` and `load` make it. Where several experiments share the law, readings and fields are those of
    the first; ``law.of(1)`` has the second's.
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
        """Laws that may be true as well (``or u_t = … (probability 0.30)``), or the best guess where none was found."""
        return self.inference.remarks

    @property
    def field(self) -> Field:
        """The field from which a forward solution starts; it obeys the law if there is one, or else is the mean one."""
        return self.inference.field

    @property
    def free_field(self) -> Inferred:
        """A field that obeys no law, with its readings, reach and predict; what remains where no law was found."""
        return self.inference.free_field

    @property
    def command(self) -> str:
        """What to type at the shell to reproduce it."""
        return command_of(self.experiments, self.settings)

    @property
    def equation(self) -> Equation:
        """The law with its mean coefficients, fit for `pdescry.simulate`; of several fields, of those that have one."""
        fits = [fit for fit in self.fits if fit.support.any()] or self.fits
        return Equation.of([fit.component for fit in fits], inputs=[each.name for each in self.readings.inputs])

    @property
    def coefficients(self) -> pd.DataFrame:
        """A table of the terms of the law, with mean, standard deviation and 95 % interval of each coefficient.

        ``probability`` is that of the term being in the law (NaN where the method does not say), and ``unit`` the unit
        of the coefficient (``1`` of a pure number, empty where units of the readings are not known).
        ``law.fits[0].table`` has all candidates.
        """
        return table_of(self.fits, self.readings)

    @property
    def covariance(self) -> pd.DataFrame:
        """Covariance of all coefficients of all equations, by names such as ``u_xx`` or ``v: u_xx``.

        Given coefficients have the variance that was given with them, and nearly none where none was given.
        """
        names = [each.name for each in self._kept_coefficients()]
        return pd.DataFrame(self.inference.covariance, index=names, columns=names)

    def sample(self, n: int = 1000, seed: int = 0) -> pd.DataFrame:
        """Draws of the coefficients, as likely as the readings leave them.

        Parameters
        ----------
        n : int
            How many.
        seed : int
            The same seed gives the same draws.

        Returns
        -------
        pandas.DataFrame
            A row a draw, a column a coefficient, by the names of `covariance`. Coefficients of one draw belong
            together: they are correlated. Laws with the fields that belong to them: `draw_laws`.
        """
        names = [each.name for each in self._kept_coefficients()]
        drawn = self.inference.draw_coefficients(check_whole("number of draws", n, 1), check_whole("seed", seed, 0))
        return pd.DataFrame(drawn, columns=names)

    def derive(self, formula: str, *, draws: int = DISCOVERY.derived.draws, seed: int = 0) -> Derived:
        """A quantity derived from the coefficients, with its uncertainty.

        Parameters
        ----------
        formula : str
            Such as ``"u_x / u_xx"``: a term stands for its coefficient; those that are more than a name are written in
            quotes, ``"'u*u_x' / u_xx"``, of several fields ``"'v: u_xx' / 'u: u_xx'"``. Constants of one's own come
            after ``where``, with sd and unit if they have such: ``"L^2 / u_xx where L = 0.5 ± 0.01 m"``. A coefficient
            that varies is taken at a place: ``"sqrt(u_xx) where x = 0.3"``.
        draws : int
            How many of `sample` it is computed from.
        seed : int
            Of the draws.

        Returns
        -------
        Derived
            Prints ``value ± sd [low, high] unit``; has them as attributes, and ``draws``.
        """
        coefficients = self._kept_coefficients()
        drawn = self.sample(draws, seed).to_numpy()
        found = derive(formula, coefficients, drawn, self.readings.axes, self.readings.units, seed)
        if "formal" in set(self.coefficients["spread"]):
            found = replace(found, notes=(*found.notes, Notice.of("spread-too-narrow")))
        return found

    def _kept_coefficients(self) -> list[Coefficient]:
        if not any(fit.support.any() for fit in self.fits):
            raise InputError(f"Expected a law with coefficients; these readings determine none ({self}).")
        return coefficients_of(self.fits, self.readings)

    def latex(self, digits: int | None = None) -> str:
        """The law in LaTeX, ``u_{t} = 0.0985(21)\\,u_{xx} - 0.997(8)\\,u\\,u_{x}``; several fields as ``aligned``.

        Parameters
        ----------
        digits : int, optional
            By default the standard error follows the last digits; a number: mean coefficients, with so many digits.
        """
        self._kept_coefficients()
        fits = [fit for fit in self.fits if fit.support.any()]
        if digits is not None:
            lines = [LATEX.component(fit.component, check_whole("digits", digits, 1)) for fit in fits]
        else:
            lines = [in_style(fit, LATEX) for fit in fits]
        if len(lines) == 1:
            return lines[0]
        inner = " \\\\\n".join(line.replace(" = ", " &= ", 1) for line in lines)
        return f"\\begin{{aligned}}\n{inner}\n\\end{{aligned}}"

    def to_sympy(self) -> Any:
        """The law with its mean coefficients as a `sympy.Eq`; of several fields, a tuple of them.

        Fields and inputs are functions of t and the axes. Needs sympy: ``pip install 'pdescry[sympy]'``.
        """
        self._kept_coefficients()
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
        """Interval of time and of each axis in which the field is inferred, by name.

        It lies between the outermost sensors, or is the domain that was asked for.
        """
        return self.inference.reach

    def predict(
        self,
        t: ArrayLike | pd.DatetimeIndex | pd.Timestamp,
        *places: ArrayLike,
        level: float = 0.95,
        noise: bool = False,
        grid: bool = True,
    ) -> xr.Dataset:
        """Mean, standard deviation and interval of the field within `reach`.

        The field is the one that obeys the law if they were inferred together, or else one that obeys none.

        Parameters
        ----------
        t : array_like
            Times, or dates where the readings had dates; the result has dates then.
        *places : array_like
            Places, an array for each axis.
        level : float
            Probability of the interval.
        noise : bool
            Predict what a sensor would read instead of the field itself.
        grid : bool
            Whether the arrays make a grid; else they are of one shape, an entry for each point.

        Returns
        -------
        xarray.Dataset
            For a field u: ``u`` (mean), ``u_sd``, ``u_low`` and ``u_high``.
        """
        times, are_dates = self.readings.to_times(t)
        found = self.inference.predict(times, *places, level=level, noise=noise, grid=grid)
        return self._with_dates(found) if are_dates else found

    def _with_dates(self, found: xr.Dataset) -> xr.Dataset:
        """Times as dates."""
        time = found[self.readings.time_name]
        return found.assign_coords({self.readings.time_name: (time.dims, self.readings.dates(time.to_numpy()))})

    def of(self, experiment: int) -> Inferred:
        """The field of one of several experiments: its readings, reach and predict.

        Parameters
        ----------
        experiment : int
            Counted from 0.

        Returns
        -------
        Inferred
        """
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
        times : (T,) array_like, optional
            As in the readings, or dates where they had such; by default from their first to their last. The solution
            starts from the inferred field at the first of them, or at the last reading if all of them are later.
        draws : int
            How many laws to draw, each with a draw of the field to start from; then the result also contains
            ``u_draws``, their rms distance from ``u`` (``u_sd``) and a 95 % interval around it (``u_low``, ``u_high``).
        domain : (float, float) or mapping of str to (float, float), optional
            By default, `reach` of the field. In the plane ``{"x": (left, right), "y": (bottom, top)}``, by default a
            rectangle all of which lies among the sensors; to be given with ``boundary``. With that it may be wider than
            `reach` by a quarter on each side: the field starts there as at the nearest place within.
        boundary : str or mapping, optional
            As in `pdescry.simulate`. By default ends follow the inferred field, those of a draw its own, up to the last
            reading, and then keep their last value; in draws they change as they did over spans of that length in the
            readings (``discovery/continuing.py``). Boundary conditions that were known when the law was discovered
            apply later, too. With other ``initial`` or ``inputs``, ends are so from the first time on. Of a field that
            obeys no law (after a regression): the simple conditions that come nearest to it.
        initial : optional
            By default, the inferred field.
        x, y : (n,) array_like, optional
            Places of the result; in the plane a grid, by default 41 by 41.
        inputs : mapping of str, optional
            Other inputs than those that were read, as in `pdescry.simulate`, since the first of the times. By default
            an input keeps its last value after that was read.
        seed : int
            Of the draws.
        **limits : optional
            As in `pdescry.simulate` (max_points, max_steps, max_seconds, rtol, …); by default the law is solved to the
            digits that a discovered law can have.

        Returns
        -------
        xarray.Dataset
            The attribute ``status`` is that of the solution; a law or a draw that could not be solved is NaN from where
            it ended. ``boundary`` has the conditions, and ``assumed`` what was assumed because no reading determines
            it, in words; of ends and inputs there is a Python warning, too.
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
        # A law without derivatives along it does not contain the name of its axis.
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
        """Simple conditions, the one that comes nearest to the field first; after the last reading others that may
        apply as well. None where ends follow a field that obeys the law."""
        if self.field.follows(np.array(asked.span), asked.places):
            return []
        nearest = self.forward.conditions
        if nearest is None and self.forward.status == "not tried":
            raise InputError(
                f"Expected boundary conditions, which the readings do not determine for {self}; pass "
                "boundary=, such as 'periodic'."
            )
        if nearest is None or asked.times[-1] <= asked.span[1]:
            return [nearest or "periodic"]
        return [nearest, *(each for each in boundaries_of(self.field, self.equation) if each != nearest)]

    def draw_laws(self, number: int, seed: int = 0) -> list[tuple[Field, Equation]]:
        """Draws from the posterior of the law, each with the draw of the field that it belongs to.

        Parameters
        ----------
        number : int
            How many.
        seed : int
            Of the draws.

        Returns
        -------
        list of (Field, Equation)
        """
        return list(self.inference.draw_laws(number, seed))

    def next_sensor(self, n: int = 1, times: ArrayLike | None = None) -> Advice:
        """Where further sensors would reduce the uncertainty of the coefficients most.

        Parameters
        ----------
        n : int
            How many sensors; they are advised one after the other, each given those before.
        times : array_like, optional
            When a new sensor reads; by default when one of the others does.

        Returns
        -------
        Advice
            Prints in words; has a table of the sensors, and a map of the information in single readings over time and
            place.

        Notes
        -----
        Places lie between the outermost sensors. The expected information is in closed form where law and field were
        inferred together, and by draws after a regression. Where no law was found, the places are those where the field
        is most uncertain. The terms are taken as they are: information on which law is right is not counted.
        """
        from pdescry.discovery.next_sensor import next_sensor

        return next_sensor(self.inference, n, times)

    # ---- keeping it ----------------------------------------------------------------------------------------------

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write one HTML page that needs nothing else and opens from disk.

        It has the law, the field, the terms, the law solved forward, diagnostics and settings; ``pdescry discover``
        writes it as ``report.html``.

        Parameters
        ----------
        path : str or path
            The file.
        """
        from pdescry.report.page import write_page

        write_page(self, path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a folder that :func:`pdescry.load` reads; plain formats, no pickle.

        Parameters
        ----------
        path : str or path
            Such as ``rod.pdescry``.
        """
        from pdescry.discovery.storage import save_law

        save_law(self, Path(path))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Law:
        """The law that :meth:`save` or a finished ``pdescry discover`` wrote.

        Parameters
        ----------
        path : str or path
            The folder.

        Returns
        -------
        Law
        """
        from pdescry.discovery.storage import load_law

        return load_law(Path(path))


def load(path: str | os.PathLike[str]) -> Law:
    """The law that ``law.save`` or a finished ``pdescry discover`` wrote.

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    Law
    """
    return Law.load(path)
