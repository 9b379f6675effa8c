"""The verdicts on a solution, each with the sentence that a user reads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pdescry.solver.attempt import BYTES, Problem, Run, most_steps
from pdescry.solver.inputs import breaks_of

Status = Literal["ok", "ill-posed", "blow-up", "unresolved", "sensitive", "limit", "wrong-boundary", "bad-initial"]


@dataclass(frozen=True)
class Verdict:
    status: Status
    message: str
    run: Run | None = None
    reached: float = 0.0  # the solution may be used up to this time
    error: float = math.nan  # relative to the largest value of each field


def accepted(problem: Problem, run: Run, error: float, checked: float | None = None) -> Verdict:
    message = f"Resolved with {run.grid} points; estimated error {error:.0e} of the largest value."
    if run.rough and breaks_of(problem.inputs):
        message += (
            " The initial state or a jump of an input does not suit the boundary: near the ends the field is"
            f" approximate within {problem.grace:.3g} after the start and after each jump."
        )
    elif run.rough:
        message += (
            " The initial state does not suit the boundary or is not smooth: near such places the field is approximate"
            f" before t = {problem.grace:.3g}."
        )
    if checked is not None and checked < problem.until:
        message += f" Its stability was checked up to t = {checked:.3g}."
    return Verdict("ok", message, run, problem.until, error)


def bad_initial() -> Verdict:
    return Verdict(
        "bad-initial", "The initial state has values that are not finite; give one that is finite all over the domain."
    )


def wrong_boundary(complaint: str) -> Verdict:
    return Verdict("wrong-boundary", complaint)


def ill_posed(run: Run | None = None) -> Verdict:
    when = f" from t = {run.reached:.3g} on" if run and run.reached else ""
    return Verdict(
        "ill-posed",
        f"The law is ill-posed{when}: the shorter a wave, the faster it grows (as with -u_xx or +u_xxxx), so that its"
        " solution does not depend continuously on the initial state. Check the signs of the even derivatives.",
        run,
        run.reached if run else 0.0,
    )


def too_fast(waves: float) -> Verdict:
    return Verdict(
        "unresolved",
        f"The law moves even the longest wave {waves:.0e} times over within the time span, which double precision"
        " cannot follow. Check the units of its coefficients, or solve for a shorter time.",
    )


def blow_up(run: Run | None) -> Verdict:
    if run is None:
        return Verdict("blow-up", "The right side of the law is not finite at the initial state.")
    return Verdict(
        "blow-up",
        f"The field grows ever faster and blows up near t = {run.reached:.4g}, where its largest value has come to"
        f" {run.sizes.max():.3g}.",
        run,
        run.reached,
    )


def unresolved(problem: Problem, run: Run) -> Verdict:
    why = "a shock or another sharp feature forms. Add the missing dissipation"
    if run.outcome in ("stalled", "not finite"):
        why = "the time stepper cannot go on, because the field overflows or stops being smooth. Check the law"
    elif jumping := _jumping(problem, run):
        why = f"the coordinate {jumping} in the law jumps where the period ends. Choose another boundary"
    elif any(known.along_space for known in problem.inputs.values()):
        why += f", unless the input {_first_along_space(problem)} is what is not smooth in space: smooth it"
    elif breaks_of(problem.inputs) and not all(each.periodic for each in run.grid.conditions.values()):
        why += ", unless it is the input, which jumps where the boundary holds the field: raise rtol"
    return Verdict(
        "unresolved",
        f"{run.grid} points do not resolve the field from t = {run.reached:.4g} on: {why}, raise max_points, or"
        " solve for a shorter time.",
        run,
        run.reached,
    )


def _jumping(problem: Problem, run: Run) -> str | None:
    """A periodic axis whose coordinate stands in the law."""
    named = {axis for term in problem.equation.terms for axis in term.coordinates}
    return next((axis for axis, each in run.grid.conditions.items() if each.periodic and axis in named), None)


def _first_along_space(problem: Problem) -> str:
    return next(name for name, known in problem.inputs.items() if known.along_space)


def too_rough(problem: Problem) -> Verdict:
    return Verdict(
        "unresolved",
        f"The initial state has features too narrow for the points allowed on {_told(problem)}. Smooth it, raise"
        " max_points, or solve on a smaller domain.",
    )


def _told(problem: Problem) -> str:
    if len(problem.domain) == 1:
        return "{:g} to {:g}".format(*next(iter(problem.domain.values())))
    return " and ".join(f"{low:g} to {high:g} in {axis}" for axis, (low, high) in problem.domain.items())


def rough_start(run: Run) -> Verdict:
    return Verdict(
        "unresolved",
        "The initial state is too rough or does not suit the boundary: with"
        f" {run.grid} points the solution still depends on their number. Smooth it, or raise max_points.",
        run,
    )


def sensitive(run: Run, lost: float, disturbance: float, limit: float) -> Verdict:
    return Verdict(
        "sensitive",
        f"A disturbance of {disturbance:.0e} of the initial state grows beyond {limit:.0e} after t = {lost:.4g}: the"
        " law is chaotic or unstable there, and its solution cannot be relied on from then on. Solve for a shorter"
        " time.",
        run,
        lost,
    )


def limit(problem: Problem, run: Run) -> Verdict:
    met, argument = f"{problem.max_seconds:g} seconds", "raise max_seconds"
    if run.outcome == "steps":
        met, argument = f"{problem.max_steps} steps", "raise max_steps"
        if (fitting := most_steps(run.grid)) < problem.max_steps:
            met = f"memory ({BYTES / 1e9:.1g} GB, {fitting} steps)"
            argument = "lower max_points"
    return Verdict(
        "limit",
        f"Stopped by the limit of {met} at t = {run.reached:.4g} of {problem.until:g}, with {run.grid} points;"
        f" {argument}, or solve for a shorter time.",
        run,
        run.reached,
    )


def unchecked(problem: Problem, run: Run, error: float) -> Verdict:
    return Verdict(
        "limit",
        f"Solved, but the limit of {problem.max_seconds:g} seconds ended the check of its stability; raise max_seconds,"
        " or pass verify=False.",
        run,
        problem.until,
        error,
    )
