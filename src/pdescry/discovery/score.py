"""A law scored by prediction: draws of it are solved forward, and compared with sensors that they have not seen.

Field and coefficients are fitted again without some of the sensors (``joint/left_out.py``). Each draw of that fit is
solved from its own profile at the first time, with ends that follow its own field; together with how readings scatter
they say what the left-out sensors should read. The terms of the law were chosen with all sensors.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdescry.discovery.fields import Array, JointField
from pdescry.discovery.following import follow
from pdescry.equation import Equation
from pdescry.equation.equation import Component
from pdescry.joint import JointFit
from pdescry.joint.held_out import names_of
from pdescry.joint.left_out import LeftOut, left_out, some_sensors
from pdescry.joint.triangle import one_thread
from pdescry.equation.with_spread import TWO_SIDED_95
from pdescry.solver import Solution

FEWEST_SENSORS = 5
DRAWS, FEWEST_DRAWS = 20, 8
STEPS = 4000  # of all draws together, about: fewer are drawn of a law that takes more steps each
FEWEST_SOLVED = 5
DIGITS = 0.03  # of the noise: what a solution may be off by, within these bounds, relative to its largest value
CLOSEST, WIDEST = 1e-6, 1e-3
MOST_STEPS = 3  # times those of the mean law


@dataclass(frozen=True, eq=False)
class Score:
    """What draws of the law, solved forward, say of sensors that were left out.

    sensors: by name or number. draws: how many were solved; unsolved: how many could not be. readings: of these
    sensors. rms_error: of the draws' mean; expected: what it should be, by the spread of the draws and the scatter of
    the readings. coverage: share of the readings within their 95 % intervals. log_score: mean log density of a reading.
    table: one row a reading, ordered by sensor and time: sensor, t, x, reading, mean, low, high (a reading's 95 %
    interval).
    """

    sensors: tuple[int | str, ...]
    draws: int
    unsolved: int
    readings: int
    rms_error: float
    expected: float
    coverage: float
    log_score: float
    table: pd.DataFrame = dataclasses.field(repr=False)

    @property
    def sentence(self) -> str:
        """In words."""
        several = len(self.sensors) > 1
        told = f" {self.unsolved} draw{'s' * (self.unsolved > 1)} could not be solved." if self.unsolved else ""
        return (
            f"Solved forward by {self.draws} draws, the law predicts {len(self.sensors)} left-out "
            f"sensor{'s' * several} to within {self.rms_error:.3g} (expected {self.expected:.3g}; 95 % intervals hold "
            f"{100 * self.coverage:.0f} % of {'their' if several else 'its'} readings).{told}"
        )

    @property
    def summary(self) -> dict[str, Any]:
        """All but the table."""
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(self) if each.name != "table"}


def score_forward(
    fit: JointFit, mean: Solution, tell: Callable[[float], None], seed: int = 0
) -> tuple[Score | None, str]:
    """The score, or None and why there is none. mean: the law's own forward solution, which tells what draws cost."""
    readings = fit.readings
    sensors = some_sensors(readings)
    if readings.n_sensors < FEWEST_SENSORS or not sensors:
        return None, f"{readings.n_sensors} sensors are too few to leave some out; {FEWEST_SENSORS} would do."
    try:
        without = left_out(fit, sensors)
        laws, splines = without.fit.draw(_number(mean), seed, bounded=True)
    except np.linalg.LinAlgError:
        return None, "The law could not be fitted without some of the sensors."
    predicted, unsolved = [], 0
    for number, (values, spline) in enumerate(zip(laws, splines, strict=True)):
        tell(number / len(laws))
        found = _solved(JointField(without.fit, spline), values, readings.time[without.rows], mean)
        if found.ok:
            at = readings.time[without.rows] - _first(without.fit), readings.space[without.rows, 0]
            predicted.append(found.at(*at))
        unsolved += not found.ok
        if unsolved > len(laws) - FEWEST_SOLVED:
            return None, f"{unsolved} of {number + 1} draws could not be solved forward ({found.status})."
    return _score(without, fit, np.array(predicted), unsolved), ""


def digits(fit: JointFit, largest: float) -> float:
    """To which tolerance a solution is worth computing, given the noise of the readings."""
    noise = float(np.sqrt(np.mean(fit.noise**2)))
    return min(max(DIGITS * noise / largest, CLOSEST), WIDEST) if largest else WIDEST


def _number(mean: Solution) -> int:
    return min(max(STEPS // max(mean.steps, 1), FEWEST_DRAWS), DRAWS)


def _first(fit: JointFit) -> float:
    return float(fit.experiment.space.t.breaks[0])


def _solved(field: JointField, values: Array, times: Array, mean: Solution) -> Solution:
    fit, domain = field.fit, mean.domain
    law = dict(zip(fit.terms, map(float, values), strict=True))
    equation = Equation.of([Component.of(fit.readings.fields[0], law)])
    moments = np.unique([_first(fit), *times, fit.reach[fit.readings.time_name][1]])
    with one_thread():
        profile = field.profile(moments[0], domain)[fit.readings.fields[0]]
        size = float(np.abs(profile(np.linspace(*domain, 101))).max())
        return follow(
            equation, field, moments, domain, profile=profile, rtol=digits(fit, size), min_points=mean.points,
            max_steps=max(MOST_STEPS * mean.steps, 300), max_seconds=math.inf, verify=False,
        )  # fmt: skip


def _score(without: LeftOut, fit: JointFit, predicted: Array, unsolved: int) -> Score:
    """predicted: (draws, left-out readings)."""
    readings, rows = fit.readings, without.rows
    read, mean, number = readings.values[rows, 0], predicted.mean(0), len(predicted)
    # The mean of so few draws is itself uncertain.
    variance = predicted.var(0, ddof=1) * (1 + 1 / number) + without.scatter_sd**2
    errors, reach = read - mean, TWO_SIDED_95 * np.sqrt(variance)
    table = pd.DataFrame(
        {
            "sensor": names_of(readings, readings.sensor[rows].tolist()),
            "t": readings.time[rows],
            "x": readings.space[rows, 0],
            "reading": read,
            "mean": mean,
            "low": mean - reach,
            "high": mean + reach,
        }
    )
    order = np.lexsort([readings.time[rows], readings.sensor[rows]])
    return Score(
        tuple(names_of(readings, np.unique(readings.sensor[rows]).tolist())),
        number,
        unsolved,
        len(read),
        float(np.sqrt(np.mean(errors**2))),
        float(np.sqrt(np.mean(variance))),
        float(np.mean(np.abs(errors) <= reach)),
        float(np.mean(-0.5 * errors**2 / variance - 0.5 * np.log(2 * np.pi * variance))),
        table.iloc[order].reset_index(drop=True),
    )
