"""`refine`, the verb of the room, and `JointFit`, its answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.special import ndtri

from pdescry.data import Readings
from pdescry.equation import Equation, Term, candidates
from pdescry.equation.equation import Component
from pdescry.errors import InputError, PdescryError
from pdescry.joint.advice import Advice, Questions, advise
from pdescry.joint.ends import Ends, checked_domain, ends_of
from pdescry.joint.experiment import Experiment
from pdescry.joint.held_out import held_out, names_of, score
from pdescry.joint.information import Belief
from pdescry.joint.mesh import HIGHEST
from pdescry.joint.objective import Minimum, order_of
from pdescry.joint.offsets import offsets
from pdescry.joint.processes import Process
from pdescry.joint.splines import Array
from pdescry.joint.stages import harder, noise_of, resolved, widened
from pdescry.joint.start import Start, from_network, from_process
from pdescry.joint.triangle import one_thread
from pdescry.regression.fit import concise
from pdescry.regression.spread import TWO_SIDED_95
from pdescry.surrogate import Posterior
from pdescry.surrogate.asked import Asked
from pdescry.surrogate.pool import Progress
from pdescry.surrogate.settings import check_whole

# When to warn: a residual of so much of u_t; readings that scatter so much more about the law's field than about any.
UNMET, MORE_SCATTER = 0.03, 1.3
BLOCK = 128  # points predicted at a time


@dataclass(frozen=True, eq=False, repr=False)
class JointFit:
    """A law's coefficients and the field that obeys it, inferred together.

    values: (k,), covariance: (k, k), by Laplace's approximation, the field's uncertainty included. noise: (N,) sds of
    the readings. notes: what to know before relying on it. Where several experiments share the law, readings, noise,
    offsets and field are those of one of them: the first, or ``fit.of(1)``.
    """

    minimum: Minimum
    notes: tuple[str, ...] = ()
    number: int = 0

    def of(self, number: int) -> JointFit:
        """The same law, and the field of another experiment, counted from 0."""
        if not 0 <= (number := check_whole("number of an experiment", number, 0)) < self.n_experiments:
            raise InputError(f"Expected an experiment from 0 to {self.n_experiments - 1}; got {number}.")
        return replace(self, number=number)

    @property
    def n_experiments(self) -> int:
        return len(self.minimum.fields)

    @property
    def experiment(self) -> Experiment:
        return self.minimum.objective.experiments[self.number]

    @property
    def readings(self) -> Readings:
        return self.experiment.readings

    @property
    def spline(self) -> NDArray[np.float64]:
        """(n,): the field, as splines of ``experiment.space``."""
        return self.minimum.fields[self.number]

    @property
    def terms(self) -> tuple[Term, ...]:
        return self.minimum.objective.terms

    @property
    def values(self) -> NDArray[np.float64]:
        """(k,): the coefficients, in the order of ``terms``."""
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
        return self.experiment.scatter.noise

    @property
    def coefficients(self) -> pd.DataFrame:
        """One row a term: mean, sd and 95 % interval."""
        low, high = (self.values + sign * TWO_SIDED_95 * self.sd for sign in (-1, 1))
        names = [str(term) for term in self.terms]
        return pd.DataFrame({"term": names, "mean": self.values, "sd": self.sd, "low": low, "high": high})

    @property
    def equation(self) -> Equation:
        """The law with its mean coefficients, fit for `pdescry.simulate`."""
        found = dict(zip(self.terms, map(float, self.values), strict=True))
        return Equation.of([Component.of(self.readings.fields[0], found)])

    @cached_property
    def offsets(self) -> pd.DataFrame:
        """Each sensor's offset, as the law shows it: mean and sd; zero where nothing speaks for offsets."""
        with one_thread():
            table = offsets(self.minimum, self.number)
        return table.assign(sensor=names_of(self.readings, table["sensor"]))

    @cached_property
    def held_out(self) -> pd.DataFrame:
        """Each sensor predicted from the others by this law: log density, rms error, and what the error should be; of
        all experiments."""
        with one_thread():
            return held_out(self.minimum)

    @property
    def log_score(self) -> float:
        """Log density of the sensors between others, each predicted from the rest: the higher, the better the law."""
        return score(self.held_out)

    @property
    def reach(self) -> dict[str, tuple[float, float]]:
        """From where to where the field is known, by the names of time and axis."""
        space, readings = self.experiment.space, self.readings
        named = ((readings.time_name, space.t), (readings.axes[0], space.x))
        return {name: (float(axis.breaks[0]), float(axis.breaks[-1])) for name, axis in named}

    def predict(
        self, t: ArrayLike, *places: ArrayLike, level: float = 0.95, noise: bool = False, grid: bool = True
    ) -> xr.Dataset:
        """Mean, sd and interval of the field that obeys the law, within `reach`; as `Posterior.predict`."""
        readings, space = self.readings, self.experiment.space
        asked = Asked.of((t, *places), (readings.time_name, *readings.axes), level, grid)
        whose = f"posteriors[{self.number}]" if self.number else "posterior"
        for values, name in zip(asked.points.T, asked.coords, strict=True):
            low, high = self.reach[name]
            beyond = values[(values < low) | (values > high)]
            if len(beyond):
                raise InputError(
                    f"Expected {name} from {low:g} to {high:g}, where the law was fitted; got {beyond[0]:g}; fit it "
                    f"to a wider domain, or ask the field that knows no law: law.{whose}.predict."
                )
        mean, variance = np.empty(len(asked.points)), np.empty(len(asked.points))
        for start in range(0, len(mean), BLOCK):  # the covariance of all points would not fit into memory
            some = slice(start, start + BLOCK)
            seen = space.at(asked.points[some, 1], asked.points[some, 0])
            mean[some] = seen @ self.spline
            with one_thread():
                variance[some] = np.diag(self.minimum.factored.covariance(seen, self.number))
        sd = np.sqrt(np.maximum(variance, 0) + (np.mean(self.noise**2) if noise else 0.0))
        reach, name = float(ndtri((1 + level) / 2)) * sd, readings.fields[0]
        return asked.answered({name: mean, f"{name}_sd": sd, f"{name}_low": mean - reach, f"{name}_high": mean + reach})

    def next_sensor(self, n: int = 1, times: ArrayLike | None = None) -> Advice:
        """Where the next sensors would tell most of the coefficients; as `Law.next_sensor`."""
        number = check_whole("number of sensors", n, 1)
        questions = Questions.of(self.readings, times, self.reach[self.readings.axes[0]])
        t, x = questions.points.T
        noise, names = np.sqrt([np.mean(self.noise**2)]), [str(term) for term in self.terms]
        with one_thread():
            belief = Belief.of_fit(self.minimum, self.number, t, x)
            return advise(belief, questions, names, noise, number, self.experiment.scatter.offset_sd)

    def draw(self, number: int, seed: int = 0, bounded: bool = False) -> tuple[Array, Array]:
        """Laws with their fields, as likely as the readings leave them: (number, k) coefficients, (number, n) splines.

        By Laplace's approximation: coefficients by their precision, and a field that follows them, but for what it
        leaves open itself. That knows no bounds: where a law forgets its start (Burgers', between sensors, into a
        shock), the start can be anything. bounded: it varies as readings do, over the distance of sensors, and no more;
        to be solved forward.
        """
        number = check_whole("number of draws", number, 1)
        random = np.random.default_rng([check_whole("seed", seed, 0), 13])
        with one_thread():
            factored, k = self.minimum.factored, len(self.values)
            moved = solve_triangular(factored.root, random.standard_normal((number, k)).T)
            factored = self._bounded.factored if bounded else factored  # of a field, its law being known
            normal = random.standard_normal((number, len(self.spline))).T
            alone = factored.fields[self.number].solve(np.asfortranarray(normal))
            fields = self.spline[:, None] - factored.through[self.number] @ moved + alone
        return self.values + moved.T, fields.T

    @cached_property
    def _bounded(self) -> Minimum:
        found = self.minimum
        return found.with_experiments([replace(each, around=field) for _, each, field in found.experiments])

    def __str__(self) -> str:
        return concise(self.readings.fields[0], 1, self.terms, self.values, self.sd)

    def __repr__(self) -> str:
        noise = float(np.sqrt(np.mean(self.noise**2)))
        several = f"{self.n_experiments} experiments; " if self.n_experiments > 1 else ""
        head = f"{self} (field and law together; {several}noise {noise:.3g}; held-out score {self.log_score:.1f})"
        return "\n".join([head, *(f"  {note}" for note in self.notes)])


def refine(
    posterior: Posterior | list[Posterior] | tuple[Posterior, ...],
    law: Equation | str | Iterable[str | Term],
    *,
    boundary: Iterable[str] = (),
    domain: tuple[float, float] | None = None,
    progress: Progress | None = None,
) -> JointFit:
    """Infer the coefficients of a law from the readings, together with the field, which has to obey it.

    posterior: the field as `pdescry.interpolate` inferred it, or ``law.posterior`` of a discovered law: where to begin;
    a list of them where several experiments share the law. law: an equation such as ``law.equation`` or
    ``"u_t = u*u_x + u_xx"``, or a list of terms. Only its terms count; coefficients are inferred. One field in one
    space dimension, first order in time. boundary: what you know at the ends, such as ``["u(0) = 1", "u_x(10) = 0"]``;
    nothing need be known. domain: from where to where the law holds and the field is inferred; by default, between the
    outermost sensors, or up to where something is known.
    """
    posteriors, texts = experiments_of(posterior), list(boundary)
    terms = terms_of(law, posteriors[0].readings)
    ends = ends_of(texts, checked_domain(domain), [each.readings for each in posteriors])
    tell = progress or (lambda what, fraction, left=None: None)
    tell("field and law together", 0.0, None)
    try:
        with one_thread():
            found = resolved(_best_fit(posteriors, terms, ends), tell)
            fit = followed(found, ends, [noise_of(each) for each in posteriors])
    except np.linalg.LinAlgError:
        raise PdescryError(
            f"The law {', '.join(map(str, terms))} could not be fitted: its terms cannot be told apart, or their "
            "numbers are too far apart; leave some out."
        ) from None
    tell("finishing", 1.0, 0.0)
    return fit


def followed(found: Minimum, ends: Sequence[Ends], before: Sequence[Array]) -> JointFit:
    """The law with its fields, as far as their domains go. before: for each experiment the noise about the field that
    obeys no law."""
    try:
        with np.errstate(all="ignore"):
            wide = widened(found, [each.domain for each in ends])
    except np.linalg.LinAlgError:
        return JointFit(found, (*notes_of(found, before), "The field could not be followed beyond the sensors."))
    return JointFit(wide, notes_of(wide, before))


def _best_fit(posteriors: Sequence[Posterior], terms: tuple[Term, ...], ends: Sequence[Ends]) -> Minimum:
    """From the networks' fields; where these do not lead to the law, from some that are only smooth."""
    found: list[tuple[float, Minimum]] = []
    starts = (
        lambda: map(from_network, posteriors, ends),
        lambda: map(from_process, (Process.fitted("smooth", each.readings) for each in posteriors), ends),
    )
    for start in starts:
        with suppress(np.linalg.LinAlgError), np.errstate(all="ignore"):
            law = harder(Start(tuple(start())).fit(terms))
            scatter = more_scatter(law, [noise_of(each) for each in posteriors])
            offset = any(each.scatter.offset_sd for each in law.objective.experiments)
            if law.unresolved < UNMET and scatter < MORE_SCATTER and not offset:  # which lead a network astray
                return law
            found.append((score(held_out(law)), law))
    if not found:
        raise np.linalg.LinAlgError
    return max(found, key=lambda each: each[0])[1]


def experiments_of(posterior: Posterior | list[Posterior] | tuple[Posterior, ...]) -> tuple[Posterior, ...]:
    """One or several, of the same field along the same axis."""
    posteriors = tuple(posterior) if isinstance(posterior, list | tuple) else (posterior,)
    if not posteriors:
        raise InputError("Expected a posterior, or a list of them, one for each experiment; got an empty list.")
    check_alike([each.readings for each in posteriors])
    return posteriors


def check_alike(readings: Sequence[Readings]) -> None:
    """Readings of several experiments that share one law."""
    for first, each in combinations(readings, 2):
        if (each.fields, each.axes) != (first.fields, first.axes):
            raise InputError(
                "Expected experiments of the same field along the same axis; got "
                f"{', '.join(first.fields)} along {', '.join(first.axes)} ({first.source}), and "
                f"{', '.join(each.fields)} along {', '.join(each.axes)} ({each.source}); name columns alike in both."
            )
        if each == first:
            raise InputError(
                f"Expected experiments that differ; got the same readings twice ({first.source} and {each.source}); "
                "they would count double: leave one of them out."
            )


def terms_of(law: Equation | str | Iterable[str | Term], readings: Readings) -> tuple[Term, ...]:
    """Those of a law, or of a library of candidates by name."""
    if len(readings.axes) != 1 or len(readings.fields) != 1:
        raise InputError(
            "Expected readings of one field along one axis; got "
            f"{', '.join(readings.fields)} along {', '.join(readings.axes)}; refine a law of one field."
        )
    if isinstance(law, str) and "=" in law:
        law = Equation.parse(law, readings.axes)
    if isinstance(law, Equation):
        component = law.components[0]
        if len(law.components) != 1 or component.field != readings.fields[0] or component.time_order != 1:
            raise InputError(
                f"Expected a law {readings.fields[0]}_t = …, first order in time; got {law}; refine such a law."
            )
        law = component.coefficients
    # By their text, so that fields and axes of another law are refused, too.
    source = law if isinstance(law, str) else [str(term) for term in law]
    terms = candidates(source, fields=readings.fields, axes=readings.axes)
    if (highest := order_of(terms)) > HIGHEST:
        raise InputError(
            f"Expected derivatives of at most order {HIGHEST}; got one of order {highest}; leave that term out."
        )
    return terms


def notes_of(found: Minimum, before: Sequence[Array]) -> tuple[str, ...]:
    """before: for each experiment the noise about the field that obeys no law."""
    notes, objective = [], found.objective
    for number, experiment, _ in found.experiments:
        if offset_sd := experiment.scatter.offset_sd:
            where = f"fit.of({number}).offsets" if number else "fit.offsets"
            notes.append(
                f"Sensors seem to be off, each by a constant of its own (sd {offset_sd:.2g}): {where} has how much; "
                "the law was found in spite of it."
            )
    if not found.converged:
        notes.append("The fit had not settled when it was stopped: rely on the interval less than it says.")
    if found.unresolved > UNMET:
        notes.append(
            f"The law fails by {found.unresolved:.1%} of {objective.readings.fields[0]}_t even at best: "
            "a term is missing, or the field is sharper than the mesh."
        )
    if (times := more_scatter(found, before)) > MORE_SCATTER:
        notes.append(
            f"About the field that obeys this law the readings scatter {times:.2g} times as much as about the field "
            "alone: the law is not right, or a term is missing."
        )
    return tuple(notes)


def more_scatter(found: Minimum, before: Sequence[Array]) -> float:
    """How many times as much readings scatter about the field that obeys the law as about one that obeys none, in the
    experiment where it is most."""
    ratios = [
        np.mean((experiment.misfit(field) * experiment.scatter.noise) ** 2) / np.mean(before[number] ** 2)
        for number, experiment, field in found.experiments
    ]
    return float(np.sqrt(np.max(ratios)))
