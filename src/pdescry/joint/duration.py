"""Expected duration of a search, estimated before it starts; from `docs/speed.md`, within a factor of two or three."""

from __future__ import annotations

from pdescry.cores import n_cores
from pdescry.joint.field.mesh import elements_in_time
from pdescry.joint.field.options import FIELD
from pdescry.joint.observations import Observations
from pdescry.joint.options import ANSWER
from pdescry.problem import Problem


def expected_seconds(problem: Problem, workers: int | None) -> float:
    """Expected duration of the search of a problem in seconds, on this many cores; by default all of them."""
    length = sum(_lengths(readings) for readings in map(Observations, problem.experiments))
    if len(problem.axes) > 1:
        length *= ANSWER.duration.in_the_plane
    cores = min(workers or n_cores(), 2 * ANSWER.duration.cores)  # further ones wait for the last fits
    return ANSWER.duration.one_field * ANSWER.duration.per_field ** (len(problem.fields) - 1) * length / cores


def _lengths(observed: Observations) -> float:
    elements = elements_in_time(observed)
    return ANSWER.duration.long_record * elements / FIELD.mesh.long_record if elements > FIELD.mesh.long_record else 1.0
