"""Slopes against differences, and held-out sensors and neighbouring laws against fits of their own."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from pdescry import Readings
from pdescry.joint.fit.held_out import held_out, log_density, score, scores, scores_of_fields
from pdescry.joint.fit.objective import Minimum, Objective
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.stages import with_terms
from pdescry.joint.fit.systematic_errors import evidence
from pdescry.joint.observations import Observations
from pdescry.joint.search.neighbours import Neighbourhood, single_term_changes
from pdescry.problem import Condition, Given
from tests.joint.conftest import small_experiment, small_objective, smooth_readings, some_state


def with_input() -> Readings:
    return smooth_readings(inputs={"P": ([1.0, 1.5, 2.2, 3.0], [0.3, 1.0, -0.5, 0.0])})


def one_field() -> Objective:
    law = [("u", term) for term in ("u_xx", "u*u_x", "x*u", "sin(u)", "d_x(u^2*u_x)")]
    return small_objective([small_experiment(smooth_readings())], law, (1,))


def two_fields() -> Objective:
    law = [("u", "v_xx"), ("u", "u^2*v"), ("u", "u_x*v_x"), ("v", "u"), ("v", "v*u_xx"), ("v", "v^3")]
    return small_objective([small_experiment(smooth_readings(("u", "v")))], law, (1, 1))


def damped_wave() -> Objective:
    law = [("u", term) for term in ("u_xx", "u_t", "u*u_t", "u_txx", "u^3")]
    return small_objective([small_experiment(smooth_readings())], law, (2,))


def different_orders() -> Objective:
    law = [("u", "u_xx"), ("u", "u_t*v"), ("v", "u_t"), ("v", "v_xx")]
    return small_objective([small_experiment(smooth_readings(("u", "v")))], law, (2, 1))


def with_an_input() -> Objective:
    law = [("u", term) for term in ("u_xx", "P", "P*u", "t*u")]
    return small_objective([small_experiment(with_input())], law, (1,))


def with_offsets() -> Objective:
    experiment = small_experiment(smooth_readings(("u", "v")), offset_sd=0.2)
    return small_objective([experiment], [("u", "u_xx"), ("v", "u*v")], (1, 1))


def two_experiments() -> Objective:
    """The second begins later, on another mesh, with more noise; something is known at an end of the first."""
    readings = smooth_readings()
    first = replace(small_experiment(readings), conditions=(Condition("u", 1, 0.0, 0.4),))
    second = small_experiment(readings.select(readings.time > 1.5), (5, 4), noise=0.08, tolerance=0.3)
    return small_objective([first, second], [("u", "u_xx"), ("u", "u*u_x")], (1,))


MADE: dict[str, Callable[[], Objective]] = {
    each.__name__: each
    for each in (one_field, two_fields, damped_wave, different_orders, with_an_input, with_offsets, two_experiments)
}


@pytest.fixture(params=MADE.values(), ids=list(MADE))
def objective(request: pytest.FixtureRequest) -> Objective:
    return request.param()


def states_of(objective: Objective) -> tuple[np.ndarray, ...]:
    return tuple(some_state(each.space) for each in objective.experiments)


def some_coefficients(objective: Objective) -> np.ndarray:
    return np.linspace(0.7, -0.3, len(objective.terms))


# ---- slopes ----------------------------------------------------------------------------------------------------------


def test_residuals_change_as_the_linearised_operator_says(objective: Objective) -> None:
    operator, coefficients = objective.operator, some_coefficients(objective)
    for experiment, state in zip(objective.experiments, states_of(objective), strict=True):
        change = np.random.default_rng(0).normal(size=experiment.space.n)
        step = 1e-6
        after, before = (experiment.residuals(state + sign * step * change, operator, coefficients) for sign in (1, -1))
        values, lefts = experiment.values(state, operator), experiment.lefts(state, operator)
        found = np.zeros_like(lefts)
        for (equation, field, orders), factor in operator.linearised(values, lefts, coefficients).items():
            found[equation] += factor * experiment.space.values(change, field, orders)
        np.testing.assert_allclose(found, (after - before) / (2 * step), rtol=1e-5, atol=1e-5 * np.abs(found).max())


def test_residuals_are_left_sides_less_the_terms(objective: Objective) -> None:
    operator, coefficients = objective.operator, some_coefficients(objective)
    for experiment, state in zip(objective.experiments, states_of(objective), strict=True):
        lefts, columns = experiment.columns(state, operator, {})
        wanted = np.array(lefts)
        for equation, column, value in zip(operator.equation_of, columns, coefficients, strict=True):
            wanted[equation] -= value * column
        np.testing.assert_allclose(experiment.residuals(state, operator, coefficients), wanted, rtol=1e-9, atol=1e-9)


def test_slopes_are_those_of_the_value(objective: Objective) -> None:
    random = np.random.default_rng(1)
    states, coefficients = states_of(objective), some_coefficients(objective)
    here = objective.linearised(states, coefficients)
    changes = tuple(random.normal(size=len(state)) for state in states)
    own, step = random.normal(size=len(coefficients)), 1e-5

    def along(sign: int) -> float:
        moved = tuple(state + sign * step * change for state, change in zip(states, changes, strict=True))
        return objective.value(moved, coefficients + sign * step * own)

    slope = (along(1) - along(-1)) / (2 * step) / 2  # of half the value
    parts = zip(here.experiments, changes, strict=True)
    found = sum(float(part.slope @ change) for part, change in parts) + float(here.own_slope @ own)
    assert found == pytest.approx(slope, rel=1e-5)
    assert here.predicted_decrease(changes, own) == pytest.approx(-found)


def test_a_step_is_that_of_the_dense_least_squares(objective: Objective) -> None:
    states, coefficients = states_of(objective), some_coefficients(objective)
    here = objective.linearised(states, coefficients)
    k, sizes = len(coefficients), [len(state) for state in states]
    blocks, rights = [], []
    for number, rows in enumerate(here.experiments):
        law = np.zeros((*rows.by_law.shape[:2], sizes[number]))
        for element, basis in enumerate(rows.space.basis):
            law[element][:, basis] = rows.by_law[element]
        fixed = np.column_stack([rows.fixed.times(np.eye(sizes[number])), np.zeros((len(rows.on_fixed), k))])
        both = np.vstack(
            [np.column_stack([law.reshape(-1, sizes[number]), rows.on_law[..., :-1].reshape(-1, k)]), fixed]
        )
        wide = np.zeros((len(both), sum(sizes) + k))
        begin = sum(sizes[:number])
        wide[:, begin : begin + sizes[number]], wide[:, sum(sizes) :] = (
            both[:, : sizes[number]],
            both[:, sizes[number] :],
        )
        blocks.append(wide)
        rights.append(np.concatenate([rows.on_law[..., -1].ravel(), rows.on_fixed]))
    blocks.append(np.column_stack([np.zeros((k, sum(sizes))), here.own[:, :-1]]))
    matrix, right = np.vstack(blocks), np.concatenate([*rights, here.own[:, -1]])
    covariance = np.linalg.inv(matrix.T @ matrix)
    solved = here.solved()
    steps, own = solved.step()
    wanted = -np.linalg.lstsq(matrix, right, rcond=None)[0]
    np.testing.assert_allclose(own, wanted[sum(sizes) :], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(matrix @ np.concatenate([*steps, own]), matrix @ wanted, atol=1e-4)
    np.testing.assert_allclose(
        np.linalg.inv(solved.root.T @ solved.root), covariance[sum(sizes) :, sum(sizes) :], rtol=1e-4
    )
    seen = csr_array(here.experiments[0].fixed.times(np.eye(sizes[0]))[: len(objective.experiments[0].observations)])
    dense = seen.toarray() @ covariance[: sizes[0], : sizes[0]] @ seen.toarray().T
    np.testing.assert_allclose(solved.covariance(seen), dense, atol=1e-5)


def test_it_travels_between_processes_without_what_it_has_computed(objective: Objective) -> None:
    states, coefficients = states_of(objective), some_coefficients(objective)
    value = objective.value(states, coefficients)
    sent = pickle.dumps(objective)
    assert pickle.loads(sent).value(states, coefficients) == value  # noqa: S301
    objective.linearised(states, coefficients).solved()
    assert pickle.dumps(objective) == sent


def test_the_minimum_is_one() -> None:
    objective = two_experiments()
    found = objective.minimise(states_of(objective), np.array([0.5, 0.0]), 40)
    assert found.converged
    assert objective.linearised(found.states, found.coefficients).predicted_decrease(*found.solved.step()) < 1e-2
    assert not objective.minimise(states_of(objective), np.array([0.5, 0.0]), 1).converged


def test_experiments_share_what_they_know_of_the_law() -> None:
    """With a law that is linear, precisions of its coefficient add up."""
    both = linear(two_experiments(), prior_sd=1e6)
    states, coefficients = states_of(both), np.array([0.5])
    alone = [replace(both, experiments=(each,)) for each in both.experiments]
    parts = [precision(one, (state,), coefficients) for one, state in zip(alone, states, strict=True)]
    np.testing.assert_allclose(precision(both, states, coefficients), sum(parts), rtol=1e-6)


def precision(objective: Objective, states: tuple[np.ndarray, ...], coefficients: np.ndarray) -> np.ndarray:
    root = objective.linearised(states, coefficients).solved().root
    return root.T @ root


def test_what_is_known_at_an_end_costs_what_it_is_failed_by() -> None:
    objective = two_experiments()
    experiment = objective.experiments[0]
    state = experiment.space.nearest(lambda x, t: [np.outer(x, np.ones_like(t))])  # its slope is one, not 0.4
    off = np.sum(experiment.prior_misfit(state) ** 2) - np.sum(
        replace(experiment, conditions=()).prior_misfit(state) ** 2
    )
    unit = float(np.std(experiment.readings.values))
    assert off == pytest.approx((0.6 * 3.0 / (1e-3 * unit)) ** 2, rel=1e-6)


# ---- held-out sensors ------------------------------------------------------------------------------------------------


def linear(objective: Objective, prior_sd: float = 1e-9) -> Objective:
    """The first term of each equation alone, which is linear; its coefficient as good as known: formulas are exact."""
    operator = objective.operator
    kept = [next(term for term in operator.terms if term.field == field) for field in operator.fields]
    return replace(
        objective, operator=replace(operator, terms=tuple(kept)), prior_sd=np.full(len(kept), prior_sd), given={}
    )


def solved(objective: Objective) -> Minimum:
    """One step of Newton is exact, and others take rounding away."""
    states = tuple(np.zeros(each.space.n) for each in objective.experiments)
    coefficients = np.zeros(len(objective.terms))
    for _ in range(3):
        changes, own = objective.linearised(states, coefficients).solved().step()
        states = tuple(state + change for state, change in zip(states, changes, strict=True))
        coefficients = coefficients + own
    return Minimum(objective, states, coefficients, True)


@pytest.fixture(params=[FIT.leave_out.readings_in_closed_form, 1], ids=["few readings", "many readings"])
def many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In closed form, and by solving again."""
    most = replace(FIT, leave_out=replace(FIT.leave_out, readings_in_closed_form=request.param))
    for module in ("pdescry.joint.fit.held_out", "pdescry.joint.search.neighbours"):
        monkeypatch.setattr(f"{module}.FIT", most)


# With offsets the others leave so much of a sensor's level open that digits are lost in 1 − C.
@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    ("name", "close"),
    [("one_field", 1e-4), ("two_fields", 1e-4), ("damped_wave", 1e-4), ("with_an_input", 1e-4), ("with_offsets", 1e-3)],
)
def test_a_left_out_sensor_is_as_if_it_had_never_been_read(name: str, close: float) -> None:
    objective = linear(MADE[name]())
    (experiment,) = objective.experiments
    readings, model = experiment.readings, experiment.noise_model
    table, total = held_out(solved(objective)), 0.0
    for sensor in range(readings.n_sensors):
        own = np.flatnonzero(experiment.observations.sensor == sensor)
        fewer = readings.select(readings.sensor != sensor)
        without = model.without(experiment.observations.sensor == sensor, Observations(fewer))
        part = replace(experiment, noise_model=without)
        # Roughness is in units of all readings: its rows stay as they were.
        part.__dict__["_smoothness"] = experiment._smoothness
        refitted = solved(replace(objective, experiments=(part,)))
        seen, fields = experiment.seen[own], experiment.observations.field[own]
        errors = experiment.observations.values[own] - seen @ refitted.states[0]
        covariance = refitted.solved.covariance(seen) + np.diag(model.noise[own] ** 2)
        covariance += np.where(fields[:, None] == fields, model.offset_sd[fields] ** 2, 0.0)
        if experiment.observations.inside[sensor]:
            total += normal(errors, covariance)
        rows = table[table["sensor"] == sensor]
        for k in range(len(readings.fields)):
            mine, row = np.flatnonzero(fields == k), rows.iloc[k]
            assert row["rms_error"] == pytest.approx(np.sqrt(np.mean(errors[mine] ** 2)), rel=close)
            assert row["expected"] == pytest.approx(np.sqrt(np.diag(covariance)[mine].mean()), rel=close)
            alone = covariance[np.ix_(mine, mine)]
            assert row["log_density"] == pytest.approx(normal(errors[mine], alone), abs=0.02)
    inside = int(experiment.observations.inside.sum())
    assert scores(solved(objective))[:inside].sum() == pytest.approx(total, abs=0.05)
    if len(readings.fields) == 1:
        assert scores_of_fields(table, readings.fields)["u"] == pytest.approx(total, abs=0.05)


def test_the_outermost_sensors_are_predicted_reading_by_reading() -> None:
    noise, readings = 0.3, smooth_readings(times=80)
    values = readings.values + noise * np.random.default_rng(0).standard_normal(readings.values.shape)
    experiment = small_experiment(replace(readings, values=values), noise=noise)
    found = solved(linear(small_objective([experiment], [("u", "u_xx")], (1,))))
    own = np.flatnonzero(~experiment.observations.inside[experiment.observations.sensor])
    seen = experiment.seen[own]
    errors = (experiment.observations.values[own] - seen @ found.states[0]) / noise
    known = found.solved.variances(seen) / noise**2  # of a reading and the field there, by the reading itself
    alone = -0.5 * np.sum(errors**2 / (1 - known) - np.log(1 - known) + np.log(2 * np.pi * noise**2))
    together = -0.5 * np.sum(errors**2 + np.log(2 * np.pi * noise**2))
    outer = scores(found)[int(experiment.observations.inside.sum()) :]
    assert len(outer) == 2
    assert together - alone > 10  # what predicting them takes
    assert outer.sum() == pytest.approx(alone, abs=0.1 * (together - alone))


def normal(errors: np.ndarray, covariance: np.ndarray) -> float:
    _, log_determinant = np.linalg.slogdet(covariance)
    square = errors @ np.linalg.solve(covariance, errors)
    return float(-0.5 * (square + log_determinant + len(errors) * np.log(2 * np.pi)))


def test_a_sensor_of_one_experiment_is_left_out_with_the_help_of_the_other() -> None:
    objective = linear(two_experiments(), prior_sd=1.0)
    found = objective.minimise(states_of(objective), np.array([0.5]), 40)
    table = held_out(found)
    sensors = [each.readings.n_sensors for each in objective.experiments]
    assert table.groupby("experiment").size().tolist() == sensors
    alone = replace(objective, experiments=objective.experiments[1:])
    second = table["expected"].to_numpy()[table["experiment"].to_numpy() == 1]
    by_itself = held_out(alone.minimise(found.states[1:], found.coefficients, 40))["expected"].to_numpy()
    assert second.mean() < by_itself.mean()


def test_a_sensor_that_the_others_do_not_predict_at_all_has_a_density() -> None:
    assert np.isfinite(log_density(np.array([[-1e-12, 0.0], [0.0, 0.5]]), np.array([1e-6, 0.1])))


def test_a_field_that_a_sensor_missed_is_not_counted() -> None:
    readings = smooth_readings(("u", "v"))
    values = readings.values.copy()
    values[(readings.sensor == 2), 1] = np.nan
    values[0, 0] = np.nan
    experiment = small_experiment(replace(readings, values=values))
    found = solved(linear(small_objective([experiment], [("u", "u_xx"), ("v", "v_xx")], (1, 1))))
    table: Any = held_out(found).set_index(["sensor", "field"])
    assert (2, "v") not in table.index
    assert (2, "u") in table.index
    assert int(table["readings"].sum()) == np.isfinite(values).sum() == len(experiment.observations)


def test_evidence_of_offsets_is_that_of_the_readings() -> None:
    """In closed form from one fit, and from a fit for each size."""

    def fitted(size: float) -> tuple[Minimum, float]:
        experiment = small_experiment(smooth_readings(), offset_sd=size)
        objective = linear(small_objective([experiment], [("u", "u_xx")], (1,)))
        found = solved(objective)
        model, seen = experiment.noise_model, experiment.observations
        logs = sum(model.log_scale(own) for own in seen.of_sensors)
        value = objective.value(found.states, found.coefficients)
        return found, -0.5 * (value + found.solved.states[0].factor.log_determinant) - logs

    here, at_zero = fitted(0.0)
    there, at_one = fitted(0.1)
    assert evidence(here, np.array([0.0, 0.1])) == pytest.approx([0.0, at_one - at_zero], abs=1e-2)
    assert evidence(there, np.array([0.0, 0.1])) == pytest.approx([at_zero - at_one, 0.0], abs=1e-2)


# ---- laws a term or two away -----------------------------------------------------------------------------------------


# The terms of a law, and others; those that hold a field have known coefficients, so that nothing is nonlinear.
NEAR: dict[str, tuple[Readings, tuple[int, ...], list[tuple[str, str]], list[tuple[str, str]]]] = {
    "one field": (smooth_readings(), (1,), [("u", "u_xx"), ("u", "1")], [("u", "x"), ("u", "t")]),
    "two fields": (
        smooth_readings(("u", "v")), (1, 1), [("u", "v_xx"), ("v", "u"), ("v", "1")],
        [("u", "x"), ("v", "t"), ("u", "1")],
    ),
    "second order": (smooth_readings(), (2,), [("u", "u_xx"), ("u", "x")], [("u", "1"), ("u", "t")]),
    "an input": (with_input(), (1,), [("u", "u_xx"), ("u", "P")], [("u", "1"), ("u", "x*P")]),
}  # fmt: skip


@pytest.fixture(params=NEAR, ids=list(NEAR))
def around(request: pytest.FixtureRequest, many: None) -> tuple[Minimum, Neighbourhood]:
    readings, orders, law, others = NEAR[request.param]
    experiment = small_experiment(readings)
    objective = small_objective([experiment], law, orders)
    given = {each: Given(0.3, 1e-9) for each in objective.terms if each.term.fields & set(readings.fields)}
    zero = Minimum(replace(objective, given=given), (some_state(experiment.space),), np.zeros(len(law)), False)
    found = solved(with_terms(zero, objective.terms, zero.coefficients))
    found = solved(with_terms(found, objective.terms, found.coefficients))
    candidates = small_objective([experiment], [*others, *law], orders).terms
    return found, Neighbourhood(found, candidates, np.full(len(candidates), 4.0))


def test_a_law_among_its_neighbours_is_scored_as_it_was_fitted(around: tuple[Minimum, Neighbourhood]) -> None:
    found, near = around
    found = solved(with_terms(found, found.terms, found.coefficients))  # with the prior that its neighbours have
    assert near.own.elpd == pytest.approx(score(found), abs=1e-2)
    np.testing.assert_allclose(near.own.coefficients, found.coefficients, atol=1e-2 * np.sqrt(found.covariance.max()))


def test_neighbours_are_what_a_fit_of_them_gives(around: tuple[Minimum, Neighbourhood]) -> None:
    """With a term more, and with one that is exchanged."""
    found, near = around
    free = [k for k in near.kept if near.candidates[k] not in found.objective.given]
    others = [j for j in range(len(near.candidates)) if j not in near.kept]
    laws = [(*near.kept, j) for j in others]
    laws += [(*(k for k in near.kept if k not in free), j) for j in others]
    for law in laws:
        other = near.of(law)
        objective = with_terms(found, other.terms, other.coefficients)
        fitted = solved(objective)
        assert other.elpd == pytest.approx(score(fitted), abs=1e-2)
        spread = np.sqrt(np.diag(fitted.covariance))
        np.testing.assert_array_less(np.abs(other.coefficients - fitted.coefficients), 1e-2 * spread)


def test_every_law_a_term_or_two_away_is_a_neighbour(around: tuple[Minimum, Neighbourhood]) -> None:
    _, near = around
    kept, every = set(near.kept), range(len(near.candidates))
    others = [j for j in every if j not in kept]
    wanted = {frozenset({*kept, j}) for j in others}
    wanted |= {frozenset(kept - {k} | {j}) for k in kept for j in others}
    wanted |= {frozenset(kept - {k}) for k in kept if len(kept) > 1}
    wanted |= {frozenset({*kept, i, j}) for i in others for j in others if i < j}
    laws = [frozenset(near.candidates.index(term) for term in law.terms) for law in near.laws]
    assert set(laws) == wanted
    assert len(laws) == len(wanted)


def test_single_term_changes_are_those_of_the_neighbours(around: tuple[Minimum, Neighbourhood]) -> None:
    found, near = around
    table = single_term_changes(found, near)
    assert list(table) == ["field", "term", "kept", "gain", "score", "ill_posed"]
    assert table["kept"].tolist() == [j in near.kept for j in range(len(near.candidates))]
    for j, (gain, change) in enumerate(zip(table["gain"], table["score"], strict=True)):
        some = tuple(k for k in near.kept if k != j) if j in near.kept else (*near.kept, j)
        if some:
            assert gain == pytest.approx(near.of(some).elpd - near.own.elpd)
            assert change == pytest.approx(near.of(some).score - near.own.score)
        else:
            assert np.isnan([gain, change]).all()
