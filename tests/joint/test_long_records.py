"""Records of many oscillations: elements in time, processes a window at a time, laws sought in stretches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdescry import Readings, choose
from pdescry.joint.field.axis import Axis
from pdescry.joint.field.mesh import elements_in_time, first_sizes, most_elements, stretches_of
from pdescry.joint.field.options import FIELD
from pdescry.joint.field.process import Process
from pdescry.joint.observations import Observations
from pdescry.joint.search.complexity import is_simple
from pdescry.joint.search.proposals import pairs_of_simple
from pdescry.problem import Problem


def driven(oscillations: int, times: int, seed: int = 0) -> Readings:
    """u_t = 0.05 u_xx − u, driven from one end at two frequencies, once it has settled; 1 % noise."""
    t, x, parts = np.linspace(0, oscillations, times), np.linspace(0.02, 0.4, 6), []
    for size, rate, phase in ((1.0, 2j * np.pi, 0.0), (0.6, 0.74j * np.pi, 1.0)):
        parts.append(size * np.exp(rate * t[:, None] + 1j * phase - np.sqrt((1 + rate) / 0.05) * x))
    field = np.imag(np.sum(parts, axis=0))
    noise = 0.01 * field.std() * np.random.default_rng(seed).standard_normal(field.shape)
    return Readings.from_grid(t, x, field + noise)


@pytest.fixture(scope="module")
def long() -> Readings:
    return driven(40, 400)


def test_oscillations_ask_for_elements(long: Readings) -> None:
    elements = elements_in_time(Observations(long))
    assert elements > FIELD.mesh.long_record
    assert most_elements(long)[1] >= elements
    assert elements_in_time(Observations(driven(10, 100))) <= FIELD.mesh.long_record
    assert max(x for x, _ in first_sizes(elements, False)) <= 48


def test_splines_of_many_elements_are_fitted_as_those_of_few() -> None:
    axis, at = Axis(np.linspace(0, 1, FIELD.memory.dense_basis + 10), 4), np.linspace(0, 1, 900)
    values = np.sin(60 * at)
    wanted = np.linalg.lstsq(axis.matrix(at), values, rcond=None)[0]
    assert axis.fitted(at, values) == pytest.approx(wanted, abs=1e-6)
    assert axis.rows(at, 1).toarray() == pytest.approx(axis.matrix(at, 1))


def test_a_field_is_made_of_windows(long: Readings) -> None:
    process = Process.fitted("shared", long, 0)
    assert len(process._windows) > 1
    t, x = np.linspace(0, 40, 300), np.unique(long.space[:, 0])
    exact = driven(40, 300)  # at the sensors; its noise is small beside what is asked
    found = process.mean(x, t)
    assert np.sqrt(np.mean((found - exact.values.reshape(300, 6).T) ** 2)) < 0.05 * exact.values.std()
    mean, variance = process.at(np.column_stack([np.full(300, x[2]), t]))
    assert mean == pytest.approx(found[2], abs=1e-8)
    assert (process.sd(x[2:3], t)[0] > 0.99 * np.sqrt(variance)).all()  # judged from fewer readings


def test_stretches_hold_the_beginning_and_the_middle(long: Readings) -> None:
    first, second = stretches_of(long)
    assert first.time.min() == long.time.min()
    assert second.time.min() == pytest.approx(20, abs=0.1)
    assert elements_in_time(Observations(first)) <= FIELD.mesh.long_record
    short = driven(10, 100)
    assert stretches_of(short) == [short]


def test_pairs_of_simple_terms_hold_what_is_known() -> None:
    problem = Problem.of(driven(10, 100), time_order=1, known=("u_xx > 0",))
    laws = pairs_of_simple(problem)
    assert all(is_simple(term) for law in laws for term in law)
    assert len({frozenset(law) for law in laws}) == len(laws)
    assert any({str(term.term) for term in law} == {"u^2", "u*u_x"} for law in laws)
    present = replace(problem, known=Problem.of(problem.experiments, time_order=1, known=("u_xx",)).known)
    assert all("u_xx" in {str(term.term) for term in law} for law in pairs_of_simple(present))


@pytest.mark.slow
def test_the_law_of_a_long_record(long: Readings) -> None:
    found = choose(long, ["u", "u_x", "u_xx", "u^2", "u*u_x"], time_order=1, workers=1)
    assert not found.comparison.reasons
    assert {str(term.term) for term in found.fit.terms} == {"u", "u_xx"}
    values, sds = found.fit.minimum.coefficients, np.sqrt(np.diag(found.fit.covariance))
    wanted = [{"u": -1.0, "u_xx": 0.05}[str(term.term)] for term in found.fit.terms]
    assert (np.abs(values - wanted) < 4 * sds).all()
