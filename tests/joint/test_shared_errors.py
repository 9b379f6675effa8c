"""Sensors whose errors have something in common tell less than independent ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdescry import JointFit
from pdescry.joint.fit.held_out import scores
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.shared_errors import independent_share
from pdescry.joint.observations import Observations
from pdescry.joint.search.fitted_law import FittedLaw, Rules, scores_alike


def with_errors(fit: JointFit, errors: np.ndarray) -> Minimum:
    """The fit with readings that differ from its field by these errors, (M,), in units of their noise."""
    experiment, state = fit.experiment, fit.state
    values = experiment.seen @ state + errors * experiment.noise_model.noise
    observed = Observations(replace(fit.readings, values=values[:, None]))
    model = replace(experiment.noise_model, observations=observed)
    return fit.minimum.with_experiments([replace(experiment, noise_model=model)])


@pytest.fixture(scope="module")
def independent(fitted: JointFit) -> np.ndarray:
    return np.random.default_rng(0).normal(size=len(fitted.readings))


@pytest.fixture(scope="module")
def in_common(fitted: JointFit) -> np.ndarray:
    """The same for all sensors, with an rms of one."""
    times, which = np.unique(fitted.readings.time, return_inverse=True)
    errors = np.random.default_rng(1).normal(size=len(times))
    return (errors / np.sqrt(np.mean(errors**2)))[which]


def test_independent_errors_count_in_full(fitted: JointFit, independent: np.ndarray) -> None:
    assert independent_share(with_errors(fitted, independent)) == 1
    assert independent_share(fitted.minimum) == 1


def test_sensors_with_the_same_errors_tell_as_much_as_one(fitted: JointFit, in_common: np.ndarray) -> None:
    inner = int(fitted.experiment.observations.inside.sum())
    assert independent_share(with_errors(fitted, in_common)) == pytest.approx(1 / inner, rel=0.1)


def test_of_errors_of_either_sign_as_well(fitted: JointFit, in_common: np.ndarray) -> None:
    signs = np.where(fitted.readings.sensor % 2, 1.0, -1.0)
    alike, opposite = (independent_share(with_errors(fitted, each)) for each in (in_common, signs * in_common))
    assert opposite == pytest.approx(alike)


def test_the_more_is_shared_the_less_they_tell(
    fitted: JointFit, independent: np.ndarray, in_common: np.ndarray
) -> None:
    found = [independent_share(with_errors(fitted, independent + size * in_common)) for size in (1.0, 2.0, 4.0)]
    assert 1 > found[0] > found[1] > found[2]
    # Correlations of 1/2 have squares of 1/4.
    inner = int(fitted.experiment.observations.inside.sum())
    assert found[0] == pytest.approx(1 / (1 + (inner - 1) / 4), rel=0.3)


def test_a_law_is_then_judged_with_less_evidence(fitted: JointFit) -> None:
    rules = Rules(fitted.problem.known)
    law = FittedLaw.of(fitted.minimum, rules, scores(fitted.minimum))
    half = law.judged_by(replace(rules, weight=0.5))
    assert half.elpd == law.elpd
    # The coefficients' variances are twice as large, so that determining them costs less, and they gain less.
    saved = 0.5 * np.log(2) * len(law.terms)
    assert half.score == pytest.approx(law.score - 0.5 * law.elpd + saved)
    assert law.penalty - half.penalty == pytest.approx(saved)
    assert (half.gains < law.gains).all()
    # Scores of both weights are compared with the smaller one.
    assert scores_alike(law, half) == pytest.approx([half.score] * 2)
    # In closed form as well.
    assert half.neighbourhood.own.score == pytest.approx(half.score, rel=1e-3)
