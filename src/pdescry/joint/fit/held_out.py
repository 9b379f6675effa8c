"""Leave-one-sensor-out prediction in closed form: how laws are compared.

With C the posterior covariance of the fields at the readings of one sensor and e the misfit there, both whitened, the
misfit without that sensor would have been (1 − C)⁻¹ e, with covariance (1 − C)⁻¹: exact where the field is linear in
the unknowns, and to first order elsewhere. A sensor that reads several fields is left out with all of them.

Nothing is known of what enters from beyond the outermost sensors, so that no law could predict all their readings. They
contribute the log density of their misfits less their degrees of freedom, asymptotically that of each reading predicted
from all others (Akaike; Stone 1977): otherwise a law that explains only the inside, and takes the rest for errors of
these sensors, would score as much as the right one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy.linalg import get_lapack_funcs, solve_triangular
from scipy.sparse import csr_array

from pdescry.data import Readings
from pdescry.joint.field.axis import Array
from pdescry.joint.fit.noise_model import NoiseModel
from pdescry.joint.fit.objective import Minimum, Solved
from pdescry.joint.fit.options import FIT
from pdescry.joint.observations import Numbers

LEAST_EIGENVALUE = 1e-8  # lower bound for 1 − C: zero for a reading that the others do not predict at all
(_cholesky,) = get_lapack_funcs(("potrf",), dtype=np.float64)


class LeftOut(Protocol):
    """Prediction of the readings of one sensor from all others, whitened."""

    @property
    def own(self) -> Numbers: ...  # its observations

    def log_density(self, mine: Numbers | None = None) -> float:
        """Log density of its readings, or of some of them alone."""
        ...

    def errors(self) -> Array:
        """(own,)"""
        ...

    def variances(self, model: NoiseModel) -> Array:
        """(own,), not whitened."""
        ...


@dataclass(frozen=True, eq=False)
class InClosedForm:
    """remaining: 1 − C, misfit: e."""

    own: Numbers
    remaining: Array
    misfit: Array

    def log_density(self, mine: Numbers | None = None) -> float:
        if mine is None:
            return log_density(self.remaining, self.misfit)
        values, vectors = self._spectrum
        covariance = (vectors[mine] / values) @ vectors[mine].T
        return _log_normal(covariance, self.errors()[mine])

    @cached_property
    def _spectrum(self) -> tuple[Array, Array]:
        values, vectors = np.linalg.eigh((self.remaining + self.remaining.T) / 2)
        return np.maximum(values, LEAST_EIGENVALUE), vectors

    def errors(self) -> Array:
        values, vectors = self._spectrum
        return vectors @ ((vectors.T @ self.misfit) / values)

    def variances(self, model: NoiseModel) -> Array:
        values, vectors = self._spectrum
        return np.sum(model.errors(self.own, vectors / np.sqrt(values)) ** 2, axis=1)


@dataclass(frozen=True, eq=False)
class Removed:
    """The same by solving again without the sensor: the time is proportional to the length of its record.

    With P the precision given all other readings, and P + WᵀW given these, too, the covariance of the prediction errors
    is S = 1 + W P⁻¹ Wᵀ: its determinant is the ratio of the determinants of the two, and S⁻¹ times the errors is the
    misfit of the fit with these readings.
    """

    found: Minimum
    number: int
    own: Numbers

    def _solved(self, without: Numbers) -> Solved:
        if not len(without):
            return self.found.solved
        linearised, number = self.found.linearised, self.number
        states = list(self.found.solved.states)
        states[number] = linearised.experiments[number].without(without).eliminated()
        return Solved.of(tuple(states), linearised.own)

    @cached_property
    def _without(self) -> Solved:
        return self._solved(self.own)

    @cached_property
    def _rows(self) -> csr_array:
        return self.found.objective.experiments[self.number].whitened.of(self.own)

    def _misfit(self, solved: Solved) -> Array:
        """(own,): misfit of the solved state."""
        _, experiment, state = self.found.experiments[self.number]
        return experiment.misfit(state)[self.own] - self._rows @ solved.step()[0][self.number]

    def log_density(self, mine: Numbers | None = None) -> float:
        mine = np.arange(len(self.own)) if mine is None else mine
        knowing = self._solved(np.delete(self.own, mine))
        square = float(self.errors()[mine] @ self._misfit(knowing)[mine])
        log_determinant = knowing.log_determinant - self._without.log_determinant
        return -0.5 * (square + log_determinant + len(mine) * math.log(2 * math.pi))

    def errors(self) -> Array:
        return self._misfit(self._without)

    def variances(self, model: NoiseModel) -> Array:
        seen = csr_array(self.found.objective.experiments[self.number].seen[self.own])
        return model.variances(self.own) + self._without.variances(seen, self.number)


def each_left_out(found: Minimum, outermost: bool = True) -> Iterator[tuple[int, Numbers, LeftOut]]:
    """Experiment, sensors that are left out together, and their prediction; optionally without the outermost
    sensors."""
    for number, experiment, state in found.experiments:
        observed, misfit = experiment.observations, experiment.misfit(state)
        for sensors, own in observed.left_out if outermost else observed.between:
            if not len(own):
                continue
            if len(own) > FIT.leave_out.readings_in_closed_form:
                yield number, sensors, Removed(found, number, own)
            else:
                remaining = np.eye(len(own)) - found.solved.covariance(experiment.whitened.of(own), number)
                yield number, sensors, InClosedForm(own, remaining, misfit[own])


def held_out(found: Minimum) -> pd.DataFrame:
    """A row for each sensor and each field that it reads: whether it is an inner sensor, the number of readings, their
    log density, rms error and expected rms error; with the number of its experiment if there are several.

    The log density is of that field alone; for a sensor that reads several fields the sum may differ from the joint
    one.
    """
    rows = []
    for number, sensors, each in each_left_out(found):
        experiment = found.objective.experiments[number]
        observed, model = experiment.observations, experiment.noise_model
        errors, expected = model.errors(each.own, each.errors()), each.variances(model)
        names = experiment.readings.fields
        fields = observed.field[each.own]
        name = names_of(experiment.readings, sensors[:1])[0]
        if len(sensors) > 1:
            name = f"{name} and {len(sensors) - 1} near it"
        for k in np.unique(fields):
            mine = np.flatnonzero(fields == k)
            density = each.log_density(mine) - model.log_scale(each.own[mine])
            rows.append(
                ({"experiment": number} if len(found.states) > 1 else {})
                | {"sensor": name}
                | ({"field": names[k]} if len(names) > 1 else {})
                | {
                    "inside": bool(observed.inside[sensors].all()),
                    "readings": len(mine),
                    "log_density": float(density),
                    "rms_error": float(np.sqrt(np.mean(errors[mine] ** 2))),
                    "expected": float(np.sqrt(np.mean(expected[mine]))),
                }
            )
    return pd.DataFrame(rows)


def scores(found: Minimum) -> Array:
    """(sensors,): log predictive density of each sensor of each experiment: the inner ones, left out with all their
    readings, and then the outermost ones, reading by reading."""
    densities: list[list[float]] = [[] for _ in found.states]
    for number, _, each in each_left_out(found, outermost=False):
        model = found.objective.experiments[number].noise_model
        densities[number].append(each.log_density() - model.log_scale(each.own))
    for number, experiment, state in found.experiments:
        misfit = experiment.misfit(state)
        for own, constant in outermost(found, number):
            densities[number].append(constant - 0.5 * float(misfit[own] @ misfit[own]))
    return np.array([density for own in densities for density in own])


def outermost(found: Minimum, number: int) -> Iterator[tuple[Numbers, float]]:
    """The observations of each outermost sensor of one experiment, and the log density of each of them predicted from
    all others, but for half of the squared misfit."""
    experiment = found.objective.experiments[number]
    observed, model = experiment.observations, experiment.noise_model
    between = {tuple(sensors) for sensors, _ in observed.between}
    free = degrees_of_freedom(found, number)
    for sensors, own in observed.left_out:
        if len(own) and tuple(sensors) not in between:
            used = float(free[np.unique(observed.group[own])].sum())
            yield own, -used - model.log_scale(own) - 0.5 * len(own) * math.log(2 * math.pi)


def score(found: Minimum) -> float:
    """Expected log predictive density of the sensors (`scores`)."""
    return float(np.sum(scores(found)))


def degrees_of_freedom(found: Minimum, number: int) -> Array:
    """(groups,): for one experiment, effective degrees of freedom of the state for each sensor's readings of a field,
    given the coefficients."""
    experiment, factor = found.objective.experiments[number], found.solved.states[number].factor
    observed, rows = experiment.observations, experiment.whitened
    number_of = np.bincount(observed.group, factor.variances(rows.weighed), minlength=observed.n_groups).astype(float)
    if experiment.noise_model.has_systematic_errors:  # these take up some of them
        some = np.flatnonzero(rows.shrunk)
        kinds = len(experiment.noise_model.calibration.kinds)
        np.subtract.at(number_of, some // kinds, np.diag(factor.covariance(rows.shared)))
    return number_of


def names_of(readings: Readings, sensors: Iterable[int]) -> list[int | str]:
    names = readings.sensor_names
    return [int(sensor) for sensor in sensors] if names is None else [names[sensor] for sensor in sensors]


def log_density(remaining: Array, misfit: Array) -> float:
    """Log density of a held-out sensor's readings, whitened, from 1 − C and the misfit of the fit that includes
    them."""
    try:
        root, info = _cholesky(remaining, lower=1)
        if info != 0:
            raise np.linalg.LinAlgError
        along, log_determinant = solve_triangular(root, misfit, lower=True, check_finite=False), np.log(np.diag(root))
        square, half_log = float(along @ along), float(np.sum(log_determinant))
    except np.linalg.LinAlgError:  # not positive definite to machine precision
        values, vectors = np.linalg.eigh((remaining + remaining.T) / 2)
        values = np.maximum(values, LEAST_EIGENVALUE)
        square, half_log = float(np.sum((vectors.T @ misfit) ** 2 / values)), 0.5 * float(np.sum(np.log(values)))
    return -0.5 * square + half_log - 0.5 * len(misfit) * float(np.log(2 * np.pi))


def _log_normal(covariance: Array, errors: Array) -> float:
    """Log density of errors with this covariance."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    values = np.maximum(values, np.finfo(float).tiny)
    square = float(np.sum((vectors.T @ errors) ** 2 / values))
    return -0.5 * (square + float(np.sum(np.log(values))) + len(errors) * math.log(2 * math.pi))


def scores_of_fields(table: pd.DataFrame, fields: tuple[str, ...]) -> dict[str, float]:
    """For each field alone, the log density of the inner sensors."""
    between: Any = table[table["inside"]]
    if len(fields) == 1:
        return {fields[0]: float(between["log_density"].sum())}
    return {name: float(between.loc[between["field"] == name, "log_density"].sum()) for name in fields}


def errors(table: pd.DataFrame, field: str | None = None) -> tuple[float, float]:
    """Leave-one-sensor-out rms error of the inner sensors, and the expected one; optionally of one field."""
    between: Any = table[table["inside"]]
    if field is not None and "field" in table:
        between = between[between["field"] == field]
    if not len(between):
        return math.nan, math.nan
    rms, expected = (
        float(np.sqrt(np.average(between[name].to_numpy(float) ** 2, weights=between["readings"].to_numpy(float))))
        for name in ("rms_error", "expected")
    )
    return rms, expected
