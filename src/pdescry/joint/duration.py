"""How long a search will take, foreseen before it begins; from `docs/speed.md`, within a factor of two or three."""

from __future__ import annotations

from pdescry.cores import n_cores
from pdescry.joint.field.mesh import LONG, elements_in_time
from pdescry.joint.observations import Observations
from pdescry.problem import Problem

ONE_FIELD = 30.0  # seconds of a core, for a field of one experiment
EACH_FIELD = 5.0  # times as long with each field more: more candidates, wider matrices
LONG_RECORD = 2.0  # times as long for each `LONG` elements in time
OF_A_PLANE = 2.0  # times as long: a law takes longer to fit, and fewer are tried
OF_A_MACHINE = 2  # cores, as measured


def seconds_foreseen(problem: Problem, workers: int | None) -> float:
    """Until the law of a problem is found, on so many cores; by default all of them."""
    length = sum(_lengths(readings) for readings in map(Observations, problem.experiments))
    if len(problem.axes) > 1:
        length *= OF_A_PLANE
    cores = min(workers or n_cores(), 2 * OF_A_MACHINE)  # more of them wait for the last fits
    return ONE_FIELD * EACH_FIELD ** (len(problem.fields) - 1) * length / cores


def _lengths(observed: Observations) -> float:
    elements = elements_in_time(observed)
    return LONG_RECORD * elements / LONG if elements > LONG else 1.0
