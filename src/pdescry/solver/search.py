"""From a problem to a verdict: refuse what cannot be solved, find enough points, and check that the answer is stable.

The field is computed with ever more points until its finest modes stay negligible, and then once more from a slightly
disturbed initial state. Any obstacle ends the search and is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pdescry.solver import verdict
from pdescry.solver.attempt import Problem, Run, attempt
from pdescry.solver.boundary import SIDES, Conditions, settle
from pdescry.solver.discretisation import Discretisation
from pdescry.solver.grids import GridsToTry
from pdescry.solver.incoming import incoming_at
from pdescry.solver.options import SOLVER
from pdescry.solver.stability import check_stability
from pdescry.solver.verdict import Verdict
from pdescry.solver.wellposed import fastest_rate, growth_without_bound

Array = np.ndarray


def search(
    problem: Problem, conditions: Mapping[str, Conditions], min_points: int, max_points: int, verify: bool
) -> Verdict:
    coarse_grid = _without_conditions(problem, conditions)
    start = problem.start(coarse_grid)
    if refusal := _refuse(problem, coarse_grid, start):
        return refusal
    problem = replace(problem, grace=_grace(problem, coarse_grid, start))
    settled = dict(conditions)
    for (axis, given), sides in zip(conditions.items(), SIDES, strict=False):
        incoming = None if given.periodic else incoming_at(coarse_grid, start, axis)
        settled[axis], complaint = settle(given, problem.equation, axis, incoming, sides)
        if complaint:
            return verdict.wrong_boundary(complaint)
    conditions = settled
    found = _enough_points(problem, conditions, min_points, max_points)
    return check_stability(problem, found) if found.status == "ok" and verify else found


def _without_conditions(problem: Problem, conditions: Mapping[str, Conditions]) -> Discretisation:
    """A coarse grid without boundary conditions, for the initial state as it was given."""
    coarsest = SOLVER.points.first[len(conditions) - 1]
    points = {axis: coarsest + 1 if each.periodic else coarsest for axis, each in conditions.items()}
    return problem.grid({axis: Conditions(each.periodic) for axis, each in conditions.items()}, points)


def _refuse(problem: Problem, coarse_grid: Discretisation, start: Array) -> Verdict | None:
    """What the initial state shows, whatever the boundary conditions."""
    if not np.all(np.isfinite(start)):
        return verdict.bad_initial()
    with np.errstate(all="ignore"):
        slopes = coarse_grid.slopes(0.0, start)
    if not all(np.all(np.isfinite(slope)) for slope in slopes.values()):
        return verdict.blow_up(None)
    if growth_without_bound(problem.equation, coarse_grid.axes, slopes, coarse_grid.finest, problem.until):
        return verdict.ill_posed()
    waves = problem.until * fastest_rate(problem.equation, slopes, problem.domain)
    return verdict.too_fast(waves) if waves > SOLVER.stop.fastest_rate else None


def _grace(problem: Problem, coarse_grid: Discretisation, start: Array) -> float:
    """A hundredth of the time span, at most a tenth of the law's own time scale, and less than the first output
    time."""
    rate = fastest_rate(problem.equation, coarse_grid.slopes(0.0, start), problem.domain)
    return min(float(problem.times[problem.times > 0][0]), problem.until / 100, 0.1 / max(rate, 1 / problem.until))


def _enough_points(problem: Problem, conditions: Mapping[str, Conditions], min_points: int, max_points: int) -> Verdict:
    rough: Run | None = None
    difference = np.inf
    failed: list[Run] = []
    grids = GridsToTry(problem, conditions, min_points, max_points)
    for grid, fit in grids:
        run = attempt(problem, grid, problem.start(grid), problem.allowed(SOLVER.accuracy.resolved))
        grids.coarse = run.coarse
        if run.outcome == "ill-posed":
            return verdict.ill_posed(run)
        if run.outcome in ("steps", "seconds"):
            return verdict.blow_up(run) if run.accelerating else verdict.limit(problem, run)
        if run.outcome == "rough":
            return verdict.rough_start(run)
        if run.outcome == "blow-up":
            return verdict.blow_up(run)
        if run.outcome != "finished":
            failed, rough = [*failed, run], None
            if len(failed) > 1 and failed[-2].accelerating and run.accelerating:
                return verdict.blow_up(run)
            if (
                run.reached > 2 * problem.grace
                and len(failed) > 2
                and np.ptp([one.reached for one in failed[-3:]]) < SOLVER.stop.same_time * run.reached
            ):
                break
            continue
        error = max(problem.tolerance, run.tail, run.rounding)
        if fit.smooth and not run.rough:
            return verdict.accepted(problem, run, error)
        # Modes that an incompatible initial state excites at first are judged by their later size.
        if rough is not None:
            times = problem.comparison_times
            apart = np.abs(run.sampled_fields(times) - rough.sampled_fields(times)).max(axis=(0, 2)) / run.sizes
            difference = max(float(apart.max()), fit.defect)
            if difference < problem.allowed(SOLVER.accuracy.agreement):
                return verdict.accepted(problem, run, max(error, difference))
        rough = run
    if rough is not None:
        return (
            verdict.accepted(problem, rough, difference)
            if difference < problem.allowed(SOLVER.accuracy.of_rough_start)
            else verdict.rough_start(rough)
        )
    if not failed:
        return verdict.too_rough(problem)
    return verdict.blow_up(failed[-1]) if failed[-1].accelerating else verdict.unresolved(problem, failed[-1])
