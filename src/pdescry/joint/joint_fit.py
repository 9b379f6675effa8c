"""`refine`, the verb of the room, and `JointFit`, its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.special import ndtri

from pdescry.checks import check_whole
from pdescry.cores import one_thread
from pdescry.data import Readings
from pdescry.data.asked import Asked
from pdescry.equation import Equation
from pdescry.equation.with_spread import TWO_SIDED_95, concise
from pdescry.errors import InputError
from pdescry.joint.advice import Advice, Sites, advise
from pdescry.joint.field.axis import Array
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.held_out import held_out, score
from pdescry.joint.fit.known_edges import resolved_to_edges
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.stages import extended
from pdescry.joint.fit.systematic_errors import constants
from pdescry.joint.information import Belief
from pdescry.joint.notes import notes_of
from pdescry.joint.options import ANSWER
from pdescry.joint.profiles import Profile, notices_of, profiles_of, table_of
from pdescry.notices import Notice
from pdescry.problem import Candidate, Problem


@dataclass(frozen=True, eq=False, repr=False)
class JointFit:
    """A law's coefficients and the fields that satisfy it, inferred together.

    Parameters
    ----------
    minimum : Minimum
        Coefficients and fields of greatest posterior density.
    problem : Problem
        The problem that was posed.
    notes : tuple of str
        Limitations of the fit.
    number : int
        The experiment to which readings, noise, offsets and fields belong; see `of`.

    Notes
    -----
    ``values`` (k,) and ``covariance`` (k, k) are over all coefficients of all equations, by Laplace's approximation,
    including the uncertainty of the fields. ``noise`` (F,) are the standard deviations of the readings of each field.
    """

    minimum: Minimum
    problem: Problem
    notes: tuple[Notice, ...] = ()
    number: int = 0

    def of(self, number: int) -> JointFit:
        """The same law, with the fields of another experiment.

        Parameters
        ----------
        number : int
            Number of the experiment, counted from 0.

        Returns
        -------
        JointFit
        """
        if not 0 <= (number := check_whole("number of an experiment", number, 0)) < self.n_experiments:
            raise InputError(f"Expected an experiment from 0 to {self.n_experiments - 1}; got {number}.")
        return replace(self, number=number)

    @property
    def n_experiments(self) -> int:
        return len(self.minimum.states)

    @property
    def experiment(self) -> Experiment:
        return self.minimum.objective.experiments[self.number]

    @property
    def readings(self) -> Readings:
        return self.experiment.readings

    @property
    def fields(self) -> tuple[str, ...]:
        return self.problem.fields

    @property
    def orders(self) -> tuple[int, ...]:
        """Order in time of the equation of each field."""
        return self.problem.orders

    @property
    def state(self) -> NDArray[np.float64]:
        """The fields, as splines of ``experiment.space``, (n,)."""
        return self.minimum.states[self.number]

    @property
    def terms(self) -> tuple[Candidate, ...]:
        """Terms of all equations, each with the field of its equation."""
        return self.minimum.terms

    @property
    def values(self) -> NDArray[np.float64]:
        """The coefficients, in the order of ``terms``, (k,)."""
        return self.minimum.coefficients

    @cached_property
    def covariance(self) -> NDArray[np.float64]:
        with one_thread():
            return self.minimum.covariance

    @property
    def sd(self) -> NDArray[np.float64]:
        return np.sqrt(np.diag(self.covariance))

    @property
    def noise(self) -> NDArray[np.float64]:
        """Rms noise of each field, (F,)."""
        return self.experiment.noise_model.noise_of_fields

    def rows_of(self, field: str) -> list[int]:
        """Indices of the terms in the equation of a field.

        Parameters
        ----------
        field : str
            Its name.

        Returns
        -------
        list of int
        """
        return [k for k, term in enumerate(self.terms) if term.field == field]

    @property
    def coefficients(self) -> pd.DataFrame:
        """One row for each term, with the field of its equation, mean, standard deviation and 95 % interval."""
        low, high = (self.values + sign * TWO_SIDED_95 * self.sd for sign in (-1, 1))
        names = {"field": [each.field for each in self.terms], "term": [str(each.term) for each in self.terms]}
        return pd.DataFrame(names | {"mean": self.values, "sd": self.sd, "low": low, "high": high})

    @property
    def profiles(self) -> pd.DataFrame:
        """Coefficients that vary along the axis, such as ``c(x)`` of laws with T and ``x*T``.

        One row for each term and place, over `reach`, with mean, standard deviation and 95 % interval. Empty in the
        plane, where they are constants.
        """
        axis, *others = self.readings.axes
        return table_of([] if others else self._profiles, self.reach[axis])

    @property
    def variation(self) -> tuple[Notice, ...]:
        """The same as notices, and whether the law is in conservation form."""
        axis, *others = self.readings.axes
        return () if others else tuple(notices_of(self._profiles, self.terms, self.reach[axis]))

    @property
    def _profiles(self) -> list[Profile]:
        (axis,) = self.readings.axes
        return profiles_of(self.terms, self.values, self.covariance, axis)

    @property
    def equation(self) -> Equation:
        """The law with its mean coefficients, suitable for `pdescry.simulate`."""
        return self.problem.equation(self.minimum.law)

    @cached_property
    def offsets(self) -> pd.DataFrame:
        """Each sensor's offset, inferred by means of the law: mean and sd; zero without evidence for offsets."""
        with one_thread():
            return constants(self.minimum, self.number)

    @cached_property
    def calibration(self) -> pd.DataFrame:
        """Systematic errors of each sensor, inferred by means of the law: a row for each kind, with mean and sd.

        "offset": how much it reads too much. "gain": by which share it responds too much to changes (0.03: 3 %).
        "displacement x": how far it is from where it is said to be. "delay": how late it reads. Kinds without evidence
        are omitted, except offsets, which are zero then.
        """
        with one_thread():
            kinds = self.experiment.noise_model.calibration.kinds
            parts = [constants(self.minimum, self.number, kind) for kind in kinds]
        for kind, part in zip(kinds, parts, strict=True):
            part.insert(len(part.columns) - 2, "kind", kind)
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def held_out(self) -> pd.DataFrame:
        """Each sensor predicted from the others by this law: log density, rms error, and expected error; of all
        experiments."""
        with one_thread():
            return held_out(self.minimum)

    @cached_property
    def elpd(self) -> float:
        """Expected log predictive density of the inner sensors, each left out; higher is better."""
        with one_thread():
            return score(self.minimum)

    @property
    def reach(self) -> dict[str, tuple[float, float]]:
        """Intervals in which the fields are inferred, by the names of time and axes."""
        space, readings = self.experiment.space, self.readings
        places = {name: axis.span for name, axis in zip(readings.axes, space.places, strict=True)}
        return {readings.time_name: space.time.span} | places

    def predict(
        self, t: ArrayLike, *places: ArrayLike, level: float = 0.95, noise: bool = False, grid: bool = True
    ) -> xr.Dataset:
        """Mean, standard deviation and interval of the fields that satisfy the law, within `reach`.

        Parameters
        ----------
        t : array_like
            Times.
        *places : array_like
            Places, an array for each axis.
        level : float
            Probability of the interval.
        noise : bool
            Predict the reading of a sensor instead of the field itself.
        grid : bool
            Whether the arrays span a grid; otherwise they have one shape, with an entry for each point.

        Returns
        -------
        xarray.Dataset
            For a field u: ``u`` (mean), ``u_sd``, ``u_low`` and ``u_high``.
        """
        readings = self.readings
        asked = Asked.of((t, *places), (readings.time_name, *readings.axes), level, grid)
        for values, name in zip(asked.points.T, asked.coords, strict=True):
            low, high = self.reach[name]
            beyond = values[(values < low) | (values > high)]
            if len(beyond):
                raise InputError(
                    f"Expected {name} from {low:g} to {high:g}, where the law was fitted; got {beyond[0]:g}; fit it "
                    "to a wider domain, or solve it forward: law.simulate."
                )
        points = np.roll(asked.points, -1, axis=1)  # time last
        found: dict[str, Array] = {}
        for field, name in enumerate(self.fields):
            mean, variance = self._mean_and_variance(points, field)
            sd = np.sqrt(np.maximum(variance, 0) + (self.noise[field] ** 2 if noise else 0.0))
            reach = float(ndtri((1 + level) / 2)) * sd
            found |= {name: mean, f"{name}_sd": sd, f"{name}_low": mean - reach, f"{name}_high": mean + reach}
        return asked.answered(found)

    def _mean_and_variance(self, points: Array, field: int) -> tuple[Array, Array]:
        mean, variance = np.empty(len(points)), np.empty(len(points))
        order = np.lexsort(points.T)  # adjacent points of one time, or one place, share a window
        for start in range(0, len(points), ANSWER.forward.points):  # limits memory
            some = order[start : start + ANSWER.forward.points]
            seen = self.experiment.space.at(points[some], field)
            mean[some] = seen @ self.state
            with one_thread():
                variance[some] = self.minimum.solved.variances(seen, self.number)
        return mean, variance

    def next_sensor(self, n: int = 1, times: ArrayLike | None = None) -> Advice:
        """Where further sensors would reduce the uncertainty of the coefficients most; as `Law.next_sensor`.

        Parameters
        ----------
        n : int
            Number of sensors.
        times : array_like, optional
            Times at which a new sensor reads; by default those of one of the others.

        Returns
        -------
        Advice
        """
        number = check_whole("number of sensors", n, 1)
        axis, *others = self.readings.axes
        sites = Sites.of(self.readings, times, None if others else self.reach[axis])
        names = [str(each.term) if len(self.fields) == 1 else str(each) for each in self.terms]
        with one_thread():
            belief = Belief.of_fit(self.minimum, self.number, np.roll(sites.points, -1, axis=1))
            return advise(belief, sites, names, self.noise, number, self.experiment.noise_model.offset_sd)

    def draw(self, number: int, seed: int = 0, bounded: bool = False) -> tuple[Array, Array]:
        """Draws of laws with their fields, by Laplace's approximation.

        Parameters
        ----------
        number : int
            Number of draws.
        seed : int
            Random seed.
        bounded : bool
            For draws that are to be solved forward: with a prior of the initial state, which varies as the readings do
            over the distance between sensors, and along one axis with a smaller tolerance of the law. If the law
            forgets its initial state (Burgers', between sensors, into a shock), the initial state would otherwise be
            unbounded.

        Returns
        -------
        coefficients : (number, k) array
        states : (number, n) array
        """
        number = check_whole("number of draws", number, 1)
        random = np.random.default_rng([check_whole("seed", seed, 0), 13])
        with one_thread():
            solved, k = self.minimum.solved, len(self.values)
            normal = random.standard_normal((number, k)).T
            moved = solve_triangular(solved.root, normal) if k else normal
            solved = self._bounded.solved if bounded else solved  # of fields given their law
            own = solved.states[self.number]
            alone = own.factor.draws(random, number)
            states = self.state[:, None] - own.through[:, :-1] @ moved + alone
        return self.values + moved.T, states.T

    @cached_property
    def _bounded(self) -> Minimum:
        found, tolerances = self.minimum, FIT.tolerances
        share = tolerances.draws if len(self.readings.axes) == 1 else tolerances.draws_in_plane
        changed = [
            replace(each.varying(state, state, self.orders), tolerance=share * each.tolerance)
            for _, each, state in found.experiments
        ]
        return found.with_experiments(changed)

    def concise(self, field: str) -> str:
        """The law of one field with standard errors in the last digits.

        Parameters
        ----------
        field : str
            Its name.

        Returns
        -------
        str
        """
        rows = self.rows_of(field)
        order = self.orders[self.fields.index(field)]
        return concise(field, order, [self.terms[k].term for k in rows], self.values[rows], self.sd[rows])

    def __str__(self) -> str:
        return "; ".join(map(self.concise, self.fields))

    def __repr__(self) -> str:
        noise = ", ".join(f"{each:.3g}" for each in self.noise)
        several = f"{self.n_experiments} experiments; " if self.n_experiments > 1 else ""
        head = f"{self} (field and law together; {several}noise {noise}; elpd {self.elpd:.1f})"
        return "\n".join([head, *(f"  {note}" for note in (*self.variation, *self.notes))])


def extended_fit(found: Minimum, problem: Problem, before: Sequence[Array]) -> JointFit:
    """The law with its fields, resolved up to known edges and extended to their domains. before: for each experiment
    the noise of each field in fits without a law."""
    try:
        with np.errstate(all="ignore"):
            wide = extended(resolved_to_edges(found), [each.domain for each in problem.ends])
    except np.linalg.LinAlgError:
        notes = (*notes_of(found, before), Notice.of("not-followed"))
        return JointFit(found, problem, notes)
    return JointFit(wide, problem, notes_of(wide, before))
