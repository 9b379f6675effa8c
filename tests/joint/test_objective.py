"""Slopes against differences, and held-out sensors against fits that never saw them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdescry import Posterior, Term
from pdescry.joint.experiment import Experiment
from pdescry.joint.held_out import held_out
from pdescry.joint.objective import Minimum, Objective
from pdescry.joint.offsets import evidence
from pdescry.joint.scatter import Scatter
from pdescry.joint.splines import Axis, Space


@pytest.fixture(scope="module")
def small(heat: Posterior) -> Objective:
    readings = heat.readings
    x, t = readings.span["x"], readings.span["t"]
    space = Space(Axis(np.linspace(*x, 9), 5), Axis(np.linspace(*t, 7), 4), (4, 1))
    terms = tuple(Term.parse(text) for text in ("u_xx", "u*u_x", "x*u", "sin(u)"))
    scatter = Scatter(np.full(len(readings), 0.05), 0.0, readings)
    return Objective((Experiment(space, scatter, 0.2),), terms, np.full(4, 3.0))


def at(objective: Objective) -> tuple[np.ndarray, ...]:
    return tuple(
        each.space.nearest(lambda x, t: 6 + np.outer(np.cos(x / 3), np.exp(-t / 4))) for each in objective.experiments
    )


@pytest.fixture(scope="module")
def twice(small: Objective) -> Objective:
    """Two experiments: the second begins later, on another mesh, with more noise."""
    (first,) = small.experiments
    readings = first.readings.select(first.readings.time > 3)
    x, t = readings.span["x"], readings.span["t"]
    space = Space(Axis(np.linspace(*x, 7), 5), Axis(np.linspace(*t, 6), 4), (4, 1))
    second = Experiment(space, Scatter(np.full(len(readings), 0.08), 0.0, readings), 0.3)
    return replace(small, experiments=(first, second))


@pytest.mark.parametrize("which", ["small", "twice"])
def test_slopes_are_those_of_the_value(which: str, request: pytest.FixtureRequest) -> None:
    objective = request.getfixturevalue(which)
    random = np.random.default_rng(1)
    fields, coefficients = at(objective), np.array([1.5, -0.2, 0.03, 0.1])
    here = objective.linearised(fields, coefficients)
    changes, own = [random.normal(size=len(field)) for field in fields], random.normal(size=4)
    step = 1e-5

    def along(sign: int) -> float:
        moved = tuple(field + sign * step * change for field, change in zip(fields, changes, strict=True))
        return objective.value(moved, coefficients + sign * step * own)

    slope = (along(1) - along(-1)) / (2 * step) / 2  # of half the value
    found = sum(part @ change for part, change in zip(here.slopes, changes, strict=True)) + here.own_slope @ own
    assert found == pytest.approx(slope, rel=1e-6)
    assert here.promised(tuple(changes), own) == pytest.approx(-found)


def test_experiments_share_what_they_know_of_the_law(small: Objective, twice: Objective) -> None:
    """With a law that is linear, precisions of its coefficient add up."""
    fields, coefficients = at(twice), np.array([1.5])
    both = replace(twice, terms=twice.terms[:1], prior_sd=np.array([1e6]))
    alone = [replace(both, experiments=(each,)) for each in both.experiments]
    schurs = [precision(objective, (field,), coefficients) for objective, field in zip(alone, fields, strict=True)]
    np.testing.assert_allclose(precision(both, fields, coefficients), sum(schurs), rtol=1e-6)


def precision(objective: Objective, fields: tuple[np.ndarray, ...], coefficients: np.ndarray) -> np.ndarray:
    root = objective.linearised(fields, coefficients).solved().root
    return root.T @ root


def test_a_sensor_of_one_experiment_is_held_out_with_the_help_of_the_other(twice: Objective) -> None:
    objective = replace(twice, terms=twice.terms[:1], prior_sd=np.array([1.0]))
    found = objective.minimise(at(objective), np.array([1.5]), 40)
    table = held_out(found)
    sensors = [each.readings.n_sensors for each in objective.experiments]
    assert table.groupby("experiment").size().tolist() == sensors
    alone = held_out(
        replace(objective, experiments=objective.experiments[1:]).minimise(found.fields[1:], found.coefficients, 40)
    )
    second = table["expected"].to_numpy()[table["experiment"].to_numpy() == 1]
    assert second.mean() < alone["expected"].to_numpy().mean()


def test_the_minimum_is_flat_and_says_when_it_was_not_reached(small: Objective) -> None:
    found = small.minimise(at(small), np.array([1.5, 0.0, 0.0, 0.0]), 40)
    assert found.converged
    assert small.linearised(found.fields, found.coefficients).promised(*found.factored.step()) < 1e-2
    assert not small.minimise(at(small), np.array([1.5, 0.0, 0.0, 0.0]), 1).converged


def heat_alone(small: Objective, offset_sd: float) -> Objective:
    """A linear law; its coefficient as good as known: then formulas are exact."""
    (experiment,) = small.experiments
    experiment = replace(experiment, scatter=experiment.scatter.with_offsets(offset_sd), tolerance=0.05)
    return replace(small, experiments=(experiment,), terms=small.terms[:1], prior_sd=np.array([1e-9]))


# With offsets the others leave so much of a sensor's level open that digits are lost in 1 − C.
@pytest.mark.parametrize(("offset_sd", "close"), [(0.0, 1e-5), (0.3, 1e-3)])
def test_a_held_out_sensor_is_as_if_it_had_never_been_read(small: Objective, offset_sd: float, close: float) -> None:
    objective = heat_alone(small, offset_sd)
    table = held_out(Minimum(objective, *_solved(objective), True))
    for sensor in (0, 7):
        own = np.flatnonzero(objective.readings.sensor == sensor)
        (experiment,) = objective.experiments
        noise = experiment.scatter.noise.copy()
        noise[own] = 1e6  # as good as not read
        part = replace(objective, experiments=(replace(experiment, scatter=experiment.scatter.with_noise(noise)),))
        fields, coefficients = _solved(part)
        seen = experiment.seen[own]
        errors = objective.readings.values[own, 0] - seen @ fields[0]
        covariance = Minimum(part, fields, coefficients, True).factored.covariance(seen) + offset_sd**2
        covariance += 0.05**2 * np.eye(len(own))
        _, log_determinant = np.linalg.slogdet(covariance)
        density = -0.5 * (errors @ np.linalg.solve(covariance, errors) + log_determinant + len(own) * np.log(2 * np.pi))
        row = table.iloc[sensor]
        assert row["rms_error"] == pytest.approx(np.sqrt(np.mean(errors**2)), rel=close)
        assert row["expected"] == pytest.approx(np.sqrt(np.trace(covariance) / len(own)), rel=close)
        assert row["log_density"] == pytest.approx(density, abs=0.01)


def test_evidence_of_offsets_is_that_of_the_readings(small: Objective) -> None:
    """In closed form from one fit, and from a fit for each size."""

    def fitted(size: float) -> tuple[Minimum, float]:
        objective = heat_alone(small, size)
        found = Minimum(objective, *_solved(objective), True)
        scatter = objective.experiments[0].scatter
        logs = sum(scatter.log_scale(sensor) for sensor in range(objective.readings.n_sensors))
        value = objective.value(found.fields, found.coefficients)
        return found, -0.5 * (value + found.factored.fields[0].log_determinant) - logs

    here, at_zero = fitted(0.0)
    there, at_one = fitted(0.1)
    assert evidence(here, np.array([0.0, 0.1])) == pytest.approx([0.0, at_one - at_zero], abs=1e-2)
    assert evidence(there, np.array([0.0, 0.1])) == pytest.approx([at_zero - at_one, 0.0], abs=1e-2)


def _solved(objective: Objective) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """One step of Newton is exact, and others take rounding away."""
    field, coefficients = np.zeros(objective.experiments[0].space.n), np.zeros(1)
    for _ in range(3):
        (change,), own = objective.linearised((field,), coefficients).solved().step()
        field, coefficients = field + change, coefficients + own
    return (field,), coefficients
