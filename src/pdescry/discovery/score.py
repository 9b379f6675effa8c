"""A law scored by prediction: draws of it are solved forward, and compared with sensors that they have not seen.

Field and coefficients are fitted again without some of the sensors (`Inference.left_out`). Each draw of that fit is
solved from its own field at the first time, with ends or edges that follow it; together with how readings scatter
they say what the held-out sensors should read. The terms of the law were chosen with all sensors.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdescry.cores import one_thread
from pdescry.data import Readings
from pdescry.discovery.fields import Array, Field
from pdescry.discovery.following import follow
from pdescry.discovery.following_in_plane import Box, follow_in_plane, start_of
from pdescry.discovery.inference import Inference, LeftOut
from pdescry.discovery.options import DISCOVERY
from pdescry.equation import Equation
from pdescry.equation.with_spread import TWO_SIDED_95
from pdescry.executor import Executor, Inline, one_by_one
from pdescry.joint.fit.held_out import names_of
from pdescry.notices import Notice
from pdescry.solver import Solution


@dataclass(frozen=True, eq=False)
class Score:
    """What draws of the law, solved forward, say of held-out sensors.

    Parameters
    ----------
    sensors : tuple of (int or str)
        Names or numbers of the held-out sensors.
    draws : int
        How many were solved.
    unsolved : int
        How many could not be solved.
    readings : int
        Number of readings of these sensors.
    rms_error : float
        Of the mean of the draws; of several fields, of the one that is missed by most (``by_field`` has all).
    expected : float
        What it should be, by the spread of the draws and the noise of the readings.
    coverage : float
        Share of the readings within their 95 % intervals.
    log_score : float
        Mean log predictive density of a reading.
    table : pandas.DataFrame
        One row a reading, ordered by sensor and time: sensor, t, x, in the plane y, reading, mean, low, high (a
        reading's 95 % interval); and first the field, where there are several.
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
    def by_field(self) -> pd.DataFrame:
        """readings, rms_error, expected, coverage and log_score of each field, by its name ("" where there is one)."""
        return by_field(self.table)

    @property
    def worst(self) -> str:
        """The field that is missed by most beside what was expected; "" where there is one."""
        return worst_of(self.by_field)

    @property
    def sentence(self) -> str:
        """In words."""
        several = len(self.sensors) > 1
        note = f" {self.unsolved} draw{'s' * (self.unsolved > 1)} could not be solved." if self.unsolved else ""
        head = (
            f"Solved forward by {self.draws} draws, the law predicts {len(self.sensors)} held-out sensor{'s' * several}"
        )
        if "field" in self.table:
            each = [
                f"{name} to within {row['rms_error']:.3g} (expected {row['expected']:.3g}; 95 % intervals contain "
                f"{100 * row['coverage']:.0f} % of its readings)"
                for name, row in self.by_field.iterrows()
            ]
            return f"{head}: {', '.join(each)}.{note}"
        return (
            f"{head} to within {self.rms_error:.3g} (expected {self.expected:.3g}; 95 % intervals contain "
            f"{100 * self.coverage:.0f} % of {'their' if several else 'its'} readings).{note}"
        )

    @property
    def summary(self) -> dict[str, Any]:
        """All but the table."""
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(self) if each.name != "table"}


def by_field(table: pd.DataFrame) -> pd.DataFrame:
    """As `Score.by_field`, of its table."""
    groups = table.groupby("field", sort=False) if "field" in table else [("", table)]
    rows = {}
    for name, own in groups:
        read, mean, high = (own[column].to_numpy(float) for column in ("reading", "mean", "high"))
        errors, reach = read - mean, high - mean
        variance = (reach / TWO_SIDED_95) ** 2
        rows[name] = {
            "readings": len(own),
            "rms_error": float(np.sqrt(np.mean(errors**2))),
            "expected": float(np.sqrt(np.mean(variance))),
            "coverage": float(np.mean(np.abs(errors) <= reach)),
            "log_score": float(np.mean(-0.5 * errors**2 / variance - 0.5 * np.log(2 * np.pi * variance))),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def worst_of(scores: pd.DataFrame) -> str:
    """Of `by_field`."""
    return str((scores["rms_error"] / scores["expected"]).idxmax())


def score_forward(
    inference: Inference,
    mean: Solution,
    report_progress: Callable[[float], None],
    executor: Executor | None = None,
    seed: int = 0,
) -> tuple[Score | None, Notice | None]:
    """The score, or None and why there is none. mean: the law's own forward solution, which shows what draws cost."""
    without = inference.left_out(_number(mean), seed)
    if isinstance(without, Notice):
        return None, without
    readings = inference.experiments[0]
    span = inference.reach[readings.time_name]
    times, places = readings.time[without.rows], readings.space[without.rows].T
    # Of the field that is largest beside its noise, so that none is solved to fewer digits than it is read with.
    fields = without.laws[0][1].fields
    rtol = min(digits(without.noise[name], float(np.nanmax(np.abs(mean[name].values)))) for name in fields)
    along = mean.points ** (1 / len(mean.axes))  # of each axis
    limits = {
        "min_points": max(int(DISCOVERY.score.points_ratio * along), DISCOVERY.score.least_points),
        "max_steps": max(DISCOVERY.score.steps_ratio * mean.steps, 300),
        "rtol": rtol,
    }
    moments = np.unique([span[0], *times, span[1]])
    tasks = [(_solved, (field, equation, moments, mean.extent, limits)) for field, equation in without.laws]
    predicted, unsolved = [], 0
    for number, found in enumerate(one_by_one(executor or Inline(), tasks)):
        report_progress(number / len(tasks))
        if found.ok:
            predicted.append([found.at(times - span[0], *places, of=name) for name in readings.fields])
        unsolved += not found.ok
        if unsolved > len(without.laws) - DISCOVERY.score.least_solved:
            return None, Notice.of("draws-unsolved", unsolved=unsolved, draws=number + 1, status=found.status)
    return _score(without, readings, np.array(predicted), unsolved), None


def digits(noise: float, largest: float) -> float:
    """To which tolerance a solution is worth computing, given the noise of the readings."""
    least, most = DISCOVERY.score.rtol
    return min(max(DISCOVERY.score.digits * noise / largest, least), most) if largest else most


def _number(mean: Solution) -> int:
    limits = DISCOVERY.score
    steps = limits.steps if len(mean.axes) == 1 else limits.steps_in_plane
    return min(max(steps // max(mean.steps, 1), limits.least_draws), limits.most_draws)


def _solved(field: Field, equation: Equation, times: Array, extent: Box, limits: Mapping[str, Any]) -> Solution:
    limits = {"max_seconds": math.inf, "verify": False} | dict(limits)
    with one_thread():
        if len(extent) > 1:
            initial = start_of(field, equation, float(times[0]), extent)
            return follow_in_plane(equation, field, times, extent, initial=initial, **limits)
        (domain,) = extent.values()
        return follow(equation, field, times, domain, profiles=field.profile(times[0], domain), **limits)


def _score(without: LeftOut, readings: Readings, predicted: Array, unsolved: int) -> Score:
    """predicted: (draws, fields, held-out readings)."""
    rows, number = without.rows, len(predicted)
    read, mean = readings.values[rows].T, predicted.mean(0)
    # The mean of so few draws is itself uncertain.
    variance = predicted.var(0, ddof=1) * (1 + 1 / number) + without.noise_sd.T**2
    reach = TWO_SIDED_95 * np.sqrt(variance)
    several = len(readings.fields) > 1
    order = np.lexsort([readings.time[rows], readings.sensor[rows]])
    tables = [
        pd.DataFrame(
            ({"field": name} if several else {})
            | {
                "sensor": names_of(readings, readings.sensor[rows].tolist()),
                "t": readings.time[rows],
                **dict(zip(("x", "y"), readings.space[rows].T, strict=False)),
                "reading": read[k],
                "mean": mean[k],
                "low": mean[k] - reach[k],
                "high": mean[k] + reach[k],
            }
        ).iloc[order]
        for k, name in enumerate(readings.fields)
    ]
    # A field may not be read in each row.
    table: Any = pd.concat(tables, ignore_index=True).dropna(subset=["reading"]).reset_index(drop=True)
    each = by_field(table)
    worst: Any = each.loc[worst_of(each)]
    coverage, log_score = (
        float(np.average(each[name], weights=each["readings"])) for name in ("coverage", "log_score")
    )
    return Score(
        tuple(names_of(readings, np.unique(readings.sensor[rows]).tolist())),
        number,
        unsolved,
        len(table),
        float(worst["rms_error"]),
        float(worst["expected"]),
        coverage,
        log_score,
        table,
    )
