"""Readings of known systems, fits of them, and small objectives whose algebra can be checked against dense matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pdescry import Choice, JointFit, Readings, refine, systems
from pdescry.executor import Inline
from pdescry.joint import Comparison
from pdescry.joint.field.axis import Axis
from pdescry.joint.field.process import Process
from pdescry.joint.field.space import Space
from pdescry.joint.field.start import Start
from pdescry.joint.fit.calibration import Calibration
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.noise_model import NoiseModel
from pdescry.joint.fit.objective import Objective
from pdescry.joint.fit.operator import Operator
from pdescry.joint.observations import Observations
from pdescry.joint.without_law import fields_without_law, starts_of
from pdescry.notices import Notice
from pdescry.problem import Candidate, Problem


def observed(name: str, noise: Any = 0.05, seed: int = 0, sensors: int = 12, **more: Any) -> Readings:
    return systems.get(name).observe(sensors=sensors, noise=noise, seed=seed, **more)


@pytest.fixture(scope="session")
def heat() -> Readings:
    """12 sensors, 26 times."""
    return observed("heat", every=0.4)


@pytest.fixture(scope="session")
def fitted(heat: Readings) -> JointFit:
    return refine(heat, "u_t = u_xx", workers=1)


@pytest.fixture(scope="session")
def shared(heat: Readings) -> JointFit:
    """One law of two experiments, the second with fewer sensors elsewhere."""
    return refine([heat, observed("heat", seed=5, sensors=8, every=0.4)], "u_t = u_xx", workers=1)


def start_of(problem: Problem) -> Start:
    """Fields that obey no law, to begin from."""
    processes = fields_without_law(problem, Inline(), lambda what, fraction, left=None: None, ("smooth", "shared"))
    return starts_of(problem, processes, ())[0]


def compared(fit: JointFit, reason: Notice | None = None) -> Choice:
    """A choice of u_xx from two candidates, as `choose` would make it in seconds."""
    alternatives = pd.DataFrame(
        {
            "terms": ["u_xx", "u_xx, u_x"],
            "law": [str(fit), "u_t = 1.99(3)*u_xx + 0.01(2)*u_x"],
            "elpd": [fit.elpd, fit.elpd + 1.5],
            "score": [0.0, -0.85],
            "probability": [0.7, 0.3],
        }
    )
    probabilities = pd.DataFrame({"field": ["u", "u"], "term": ["u_xx", "u_x"], "probability": [1.0, 0.3]})
    reasons = {} if reason is None else {"u": reason}
    baselines = {"u": {"constant": -1000.0, "smooth": 90.5}}
    comparison = Comparison(alternatives, probabilities, fit.held_out, baselines, reasons)
    candidates = tuple(Candidate("u", fit.problem.term(text)) for text in ("u_xx", "u_x"))
    scales = np.array([1.0, 0.0, 0.01, 0.3, 0.4])
    processes = tuple(
        Process("shared", fit.of(number).readings, 0, scales * (1 + number)) for number in range(fit.n_experiments)
    )
    return Choice(fit, candidates, comparison, ("u",), (processes,))


# ---- small objectives ------------------------------------------------------------------------------------------------


def small_experiment(
    readings: Readings,
    elements: tuple[int, int] = (6, 5),
    noise: float = 0.05,
    offset_sd: float = 0.0,
    tolerance: float = 0.2,
) -> Experiment:
    """On a coarse, even mesh over the readings' own span."""
    x, t = readings.span[readings.axes[0]], readings.span[readings.time_name]
    axes = Axis(np.linspace(*x, elements[0] + 1), 5), Axis(np.linspace(*t, elements[1] + 1), 4)
    number, seen = len(readings.fields), Observations(readings)
    offsets = Calibration.of_offsets(np.full(number, offset_sd), len(seen))
    model = NoiseModel(np.full(len(seen), noise), offsets, seen, np.zeros((len(seen), 3)))
    return Experiment(Space(axes, number), model, np.full(number, tolerance))


def small_objective(
    experiments: Sequence[Experiment], law: Sequence[tuple[str, str]], orders: tuple[int, ...], prior_sd: float = 3.0
) -> Objective:
    """law: pairs of the field whose equation it is, and a term."""
    readings = experiments[0].readings
    problem = Problem.of(readings, time_order=dict(zip(readings.fields, orders, strict=True)))
    terms = tuple(Candidate(field, problem.term(text)) for field, text in law)
    operator = Operator(readings.fields, orders, readings.axes, terms)
    return Objective(tuple(experiments), operator, np.full(len(terms), prior_sd))


def smooth_readings(fields: Sequence[str] = ("u",), sensors: int = 6, times: int = 9, **more: Any) -> Readings:
    """Smooth functions of x in [0, 3] and t in [1, 3], another one for each field; every sensor reads all of them."""
    x, t = (each.ravel() for each in np.meshgrid(np.linspace(0, 3, sensors), np.linspace(1, 3, times)))
    values = np.column_stack([np.sin((1 + k) * x) * np.exp(-0.3 * t) + 0.2 * k * t for k in range(len(fields))])
    return Readings.from_arrays(t, x, values, fields=tuple(fields), **more)


def some_state(space: Space) -> np.ndarray:
    """Fields that are smooth, different, and neither zero nor symmetric."""

    def values(x: np.ndarray, t: np.ndarray) -> list[np.ndarray]:
        return [2 + k + np.outer(np.cos((1 + k) * x / 2 + 0.3), np.exp(-t / (2 + k))) for k in range(space.components)]

    return space.nearest(values)
