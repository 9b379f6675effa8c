"""The verdicts on a solution, each with the notice that reports it to the user."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pdescry.notices import Notice
from pdescry.solver.attempt import Problem, Run, most_steps
from pdescry.solver.inputs import breaks_of
from pdescry.solver.options import SOLVER

Status = Literal["ok", "ill-posed", "blow-up", "unresolved", "sensitive", "limit", "wrong-boundary", "bad-initial"]


@dataclass(frozen=True)
class Verdict:
    status: Status
    message: Notice
    run: Run | None = None
    reached: float = 0.0  # the solution can be used up to this time
    error: float = math.nan  # relative to the largest value of each field


def accepted(problem: Problem, run: Run, error: float, checked: float | None = None) -> Verdict:
    jumps = bool(breaks_of(problem.inputs))
    message = Notice.of(
        "resolved",
        points=str(run.grid),
        error=error,
        after_jumps=problem.grace if run.rough and jumps else None,
        before=problem.grace if run.rough and not jumps else None,
        checked=checked if checked is not None and checked < problem.until else None,
    )
    return Verdict("ok", message, run, problem.until, error)


def bad_initial() -> Verdict:
    return Verdict("bad-initial", Notice.of("initial-not-finite"))


def wrong_boundary(complaint: Notice) -> Verdict:
    return Verdict("wrong-boundary", complaint)


def ill_posed(run: Run | None = None) -> Verdict:
    since = run.reached if run else 0.0
    return Verdict("ill-posed", Notice.of("ill-posed", since=since or None), run, since)


def too_fast(waves: float) -> Verdict:
    return Verdict("unresolved", Notice.of("too-fast", waves=waves))


def blow_up(run: Run | None) -> Verdict:
    if run is None:
        return Verdict("blow-up", Notice.of("not-finite-at-first"))
    message = Notice.of("blow-up", reached=run.reached, largest=float(run.sizes.max()))
    return Verdict("blow-up", message, run, run.reached)


def unresolved(problem: Problem, run: Run) -> Verdict:
    parameters = {"points": str(run.grid), "reached": run.reached}
    if run.outcome in ("stalled", "not finite"):
        message = Notice.of("unresolved-stalled", **parameters)
    elif jumping := _jumping(problem, run):
        message = Notice.of("unresolved-coordinate", axis=jumping, **parameters)
    elif any(known.along_space for known in problem.inputs.values()):
        message = Notice.of("unresolved-or-input-not-smooth", input=_first_along_space(problem), **parameters)
    elif breaks_of(problem.inputs) and not all(each.periodic for each in run.grid.conditions.values()):
        message = Notice.of("unresolved-or-input-jumps", **parameters)
    else:
        message = Notice.of("unresolved", **parameters)
    return Verdict("unresolved", message, run, run.reached)


def _jumping(problem: Problem, run: Run) -> str | None:
    """A periodic axis whose coordinate is in the law."""
    named = {axis for term in problem.equation.terms for axis in term.coordinates}
    return next((axis for axis, each in run.grid.conditions.items() if each.periodic and axis in named), None)


def _first_along_space(problem: Problem) -> str:
    return next(name for name, known in problem.inputs.items() if known.along_space)


def too_rough(problem: Problem) -> Verdict:
    several = len(problem.domain) > 1
    spans = [f"{low:g} to {high:g}{f' in {axis}' * several}" for axis, (low, high) in problem.domain.items()]
    return Verdict("unresolved", Notice.of("initial-too-narrow", domain=spans))


def rough_start(run: Run) -> Verdict:
    return Verdict("unresolved", Notice.of("initial-too-rough", points=str(run.grid)), run)


def sensitive(run: Run, lost: float, disturbance: float, limit: float) -> Verdict:
    message = Notice.of("sensitive", disturbance=disturbance, limit=limit, lost=lost)
    return Verdict("sensitive", message, run, lost)


def limit(problem: Problem, run: Run) -> Verdict:
    parameters = {"reached": run.reached, "until": problem.until, "points": str(run.grid)}
    if run.outcome != "steps":
        message = Notice.of("limit-of-seconds", seconds=problem.max_seconds, **parameters)
    elif (fitting := most_steps(run.grid)) < problem.max_steps:
        message = Notice.of("limit-of-memory", gigabytes=SOLVER.stop.memory / 1e9, steps=fitting, **parameters)
    else:
        message = Notice.of("limit-of-steps", steps=problem.max_steps, **parameters)
    return Verdict("limit", message, run, run.reached)


def unchecked(problem: Problem, run: Run, error: float) -> Verdict:
    message = Notice.of("stability-unchecked", seconds=problem.max_seconds)
    return Verdict("limit", message, run, problem.until, error)
