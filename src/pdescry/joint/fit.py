"""`refine`, the verb of the room, and `JointFit`, its answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from pdescry.data import Readings
from pdescry.equation import Equation, Term
from pdescry.equation.algebra import expand
from pdescry.equation.equation import Component
from pdescry.errors import InputError
from pdescry.joint.held_out import held_out
from pdescry.joint.mesh import finer_breaks, first_breaks
from pdescry.joint.objective import Minimum, Objective, least_squares
from pdescry.joint.splines import Array, Axis, Space
from pdescry.regression.fit import concise
from pdescry.regression.spread import TWO_SIDED_95
from pdescry.surrogate import Posterior
from pdescry.surrogate.pool import Progress

# The law may fail by so much of u_t (rms), from the first fit to the last: a hard law at once leads astray from a field
# that obeys none yet.
TOLERANCES = (1e-2, 3e-3, 1e-3)
FINEST = 6  # meshes
STEPS = 12  # of Gauss–Newton on each mesh; the last one has STEPS_AT_LAST
STEPS_AT_LAST = 40
# Prior sd of a coefficient: its term alone would make up so many times u_t.
BROAD = 3.0
# The least noise, as a share of the readings' sd: below it lies what splines of this number cannot resolve.
LEAST_NOISE = 2e-4
DEGREES = (5, 4)  # along x and t
HIGHEST = 4  # derivative along x that quintic splines have
# When to warn: a residual of so much of u_t; readings that scatter so much more about the law's field than about any.
UNMET, MORE_SCATTER = 0.03, 1.3


@dataclass(frozen=True, eq=False, repr=False)
class JointFit:
    """A law's coefficients and the field that obeys it, inferred together.

    coefficients: (k,), covariance: (k, k), by Laplace's approximation, the field's uncertainty included. noise: (N,)
    sds of the readings. notes: what to know before relying on it.
    """

    readings: Readings
    terms: tuple[Term, ...]
    minimum: Minimum
    notes: tuple[str, ...] = ()

    @property
    def values(self) -> NDArray[np.float64]:
        """(k,): the coefficients, in the order of ``terms``."""
        return self.minimum.coefficients

    @cached_property
    def covariance(self) -> NDArray[np.float64]:
        return self.minimum.covariance

    @property
    def sd(self) -> NDArray[np.float64]:
        return np.sqrt(np.diag(self.covariance))

    @property
    def noise(self) -> NDArray[np.float64]:
        return self.minimum.objective.noise

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
    def held_out(self) -> pd.DataFrame:
        """Each sensor predicted from the others by this law: log density, rms error, and what the error should be."""
        table = held_out(self.minimum)
        if self.readings.sensor_names is not None:
            table["sensor"] = list(self.readings.sensor_names)
        return table

    @property
    def log_score(self) -> float:
        """Log density of all readings, each sensor predicted from the others: the higher, the better the law."""
        return float(self.held_out["log_density"].to_numpy().sum())

    def predict(self, t: ArrayLike, x: ArrayLike) -> xr.Dataset:
        """Mean, sd and 95 % interval of the field on the grid of times t and places x, between the sensors."""
        t, x = (np.atleast_1d(np.asarray(part, float)) for part in (t, x))
        readings, space = self.readings, self.minimum.objective.space
        for values, axis, name in ((t, space.t, readings.time_name), (x, space.x, readings.axes[0])):
            low, high = axis.breaks[[0, -1]]
            if values.ndim != 1 or not ((values >= low) & (values <= high)).all():
                raise InputError(
                    f"Expected {name} as numbers from {low:g} to {high:g}, where the law was fitted; ask for those."
                )
        sd = np.empty((len(t), len(x)))
        mean = np.empty_like(sd)
        for row, moment in enumerate(t):  # a row at a time: the covariance of all points would not fit into memory
            seen = space.at(x, np.full(len(x), moment))
            mean[row] = seen @ self.minimum.field
            sd[row] = np.sqrt(np.maximum(np.diag(self.minimum.factored.covariance(seen)), 0))
        name, dims = readings.fields[0], (readings.time_name, readings.axes[0])
        parts = {"": mean, "_sd": sd, "_low": mean - TWO_SIDED_95 * sd, "_high": mean + TWO_SIDED_95 * sd}
        found = {f"{name}{ending}": (dims, part) for ending, part in parts.items()}
        return xr.Dataset(found, dict(zip(dims, (t, x), strict=True)), {"level": 0.95})

    def __str__(self) -> str:
        return concise(self.readings.fields[0], 1, self.terms, self.values, self.sd)

    def __repr__(self) -> str:
        noise = float(np.sqrt(np.mean(self.noise**2)))
        head = f"{self} (field and law together; noise {noise:.3g}; held-out score {self.log_score:.1f})"
        return "\n".join([head, *(f"  {note}" for note in self.notes)])


def refine(
    posterior: Posterior, law: Equation | str | Iterable[str | Term], *, progress: Progress | None = None
) -> JointFit:
    """Infer the coefficients of a law from the readings, together with the field, which has to obey it.

    posterior: the field as `pdescry.interpolate` inferred it, or ``law.posterior`` of a discovered law: where to begin.
    law: an equation such as ``law.equation`` or ``"u_t = u*u_x + u_xx"``, or a list of terms. Only its terms count;
    coefficients are inferred. One field in one space dimension, first order in time.
    """
    readings = posterior.readings
    terms = _terms(law, readings)
    tell = progress or (lambda what, fraction, left=None: None)
    found = _first_fit(posterior, terms, tell)
    for mesh in range(FINEST):
        tell("refining the mesh", (1 + mesh) / (FINEST + 2), None)
        breaks = finer_breaks(found)
        if breaks is None:
            break
        found = _on_mesh(found, *breaks).minimise(_carried(found, *breaks), found.coefficients, STEPS)
        found = _with_noise(found)
    tell("finishing", (1 + FINEST) / (FINEST + 2), None)
    found = found.objective.minimise(found.field, found.coefficients, STEPS_AT_LAST)
    tell("finishing", 1.0, 0.0)
    return JointFit(readings, terms, found, _notes(found, _noise(posterior)))


def _terms(law: Equation | str | Iterable[str | Term], readings: Readings) -> tuple[Term, ...]:
    if max(len(readings.fields), len(readings.axes)) > 1:
        raise InputError(
            "Expected readings of one field along one axis; got "
            f"{', '.join(readings.fields)} along {', '.join(readings.axes)}; refine a law of one field."
        )
    if isinstance(law, str):
        law = Equation.parse(law, readings.axes)
    if isinstance(law, Equation):
        component, *others = law.components
        if others or component.field != readings.fields[0] or component.time_order != 1:
            raise InputError(
                f"Expected a law {readings.fields[0]}_t = …, first order in time; got {law}; refine such a law."
            )
        terms = tuple(component.coefficients)
    else:
        terms = tuple(
            term if isinstance(term, Term) else Term.parse(term, readings.fields, readings.axes) for term in law
        )
    if not terms:
        raise InputError("Expected a law of at least one term; got none; name some, such as 'u_t = u_xx'.")
    highest = max((part.order() for term in terms for part in expand({term: 1.0})), default=0)
    if highest > HIGHEST:
        raise InputError(
            f"Expected derivatives of at most order {HIGHEST}; got one of order {highest}; leave that term out."
        )
    return terms


def _first_fit(posterior: Posterior, terms: tuple[Term, ...], tell: Progress) -> Minimum:
    """On the first mesh, from the inferred field, the law harder and harder."""
    readings = posterior.readings
    x, t = (readings.span[name] for name in (readings.axes[0], readings.time_name))
    space = _space(*first_breaks(x, t))
    field = space.nearest(lambda places, times: posterior.predict(times, places)[readings.fields[0]].values.T)
    trust = 1 / np.sqrt(_variance(posterior, space))
    objective = Objective(space, readings, terms, _noise(posterior), 1.0, np.ones(len(terms)))
    left, columns = objective.columns(field)
    coefficients = least_squares(columns, left, trust * np.sqrt(space.area))
    found = Minimum(objective, field, coefficients, np.inf, False)
    for number, tolerance in enumerate(TOLERANCES):
        tell("field and law together", number / len(TOLERANCES) / (FINEST + 2), None)
        objective = _scaled(found, tolerance)
        found = objective.minimise(found.field, found.coefficients, STEPS)
    return _with_noise(found)


def _space(x: Array, t: Array) -> Space:
    return Space(Axis(x, DEGREES[0]), Axis(t, DEGREES[1]), (HIGHEST, 1))


def _variance(posterior: Posterior, space: Space) -> Array:
    """Of the inferred field at the points of quadrature, as far as they are sure: a tenth of the median is as good."""
    name = posterior.readings.fields[0]
    # One point an element will do, and costs a ninth.
    x, t = ((axis.breaks[1:] + axis.breaks[:-1]) / 2 for axis in (space.x, space.t))
    variance = posterior.predict(t, x)[f"{name}_sd"].values.T ** 2
    variance = variance + 0.1 * np.median(variance) + np.finfo(float).tiny
    points = len(space.x.points) // space.x.n, len(space.t.points) // space.t.n
    return variance.repeat(points[0], axis=0).repeat(points[1], axis=1)


def _scaled(found: Minimum, tolerance: float) -> Objective:
    """With the tolerance and the prior in units of this field's u_t and terms."""
    space = found.objective.space
    left, columns = found.objective.columns(found.field)
    size = np.sqrt(np.sum(space.area * left**2))
    sizes = np.sqrt(np.sum(space.area * columns**2, axis=(1, 2)))
    sizes[sizes == 0] = size
    return replace(found.objective, tolerance=float(tolerance * size), prior_sd=BROAD * size / sizes)


def _on_mesh(found: Minimum, x: Array, t: Array) -> Objective:
    objective = replace(found.objective, space=_space(x, t))
    carried = replace(found, objective=objective, field=_carried(found, x, t))
    return _scaled(carried, TOLERANCES[-1])


def _carried(found: Minimum, x: Array, t: Array) -> Array:
    """The field on a finer mesh."""
    old = found.objective.space
    field = found.field.reshape(old.shape)
    return _space(x, t).nearest(lambda places, times: old.x.matrix(places) @ field @ old.t.matrix(times).T)


def _with_noise(found: Minimum) -> Minimum:
    """With the noise that the misfit shows, unless the readings brought their own."""
    objective = found.objective
    if objective.readings.noise is not None:
        return found
    noise = _at_least(objective.noise * found.noise_factor(), objective.readings)
    return replace(found, objective=replace(objective, noise=noise))


def _noise(posterior: Posterior) -> Array:
    """(N,): of the readings about the field that obeys no law."""
    readings = posterior.readings
    noise = np.sqrt(np.mean(posterior.noise_of_readings(np.arange(len(readings)))[:, 0] ** 2, axis=0))
    return _at_least(noise, readings)


def _at_least(noise: Array, readings: Readings) -> Array:
    return np.maximum(noise, LEAST_NOISE * float(np.std(readings.values[:, 0])))


def _notes(found: Minimum, before: Array) -> tuple[str, ...]:
    """before: the noise about the field that obeys no law."""
    notes, objective = [], found.objective
    if not found.converged:
        notes.append("The fit had not settled when it was stopped: rely on the interval less than it says.")
    if found.unresolved > UNMET:
        notes.append(
            f"The law fails by {found.unresolved:.1%} of {objective.readings.fields[0]}_t even at best: "
            "a term is missing, or the field is sharper than the mesh."
        )
    scatter = float(np.sqrt(np.mean(objective.misfit(found.field) ** 2 * objective.noise**2) / np.mean(before**2)))
    if scatter > MORE_SCATTER:
        notes.append(
            f"About the field that obeys this law the readings scatter {scatter:.2g} times as much as about the field "
            "alone: the law is not right, or a term is missing."
        )
    return tuple(notes)
