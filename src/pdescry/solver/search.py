"""From a problem to a verdict: refuse what is hopeless, find enough points, and check that the answer is stable.

The field is computed with ever more points until its finest modes stay negligible, and then once more from a slightly
disturbed start. Whatever stands in the way ends the search and is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, dropwhile

import numpy as np

from pdescry.equation.term import Derivative
from pdescry.solver import verdict
from pdescry.solver.attempt import Problem, Run, attempt, finest_modes
from pdescry.solver.boundary import Conditions, settle
from pdescry.solver.discretisation import Discretisation
from pdescry.solver.verdict import Verdict
from pdescry.solver.wellposed import fastest_rate, growth_without_bound

Array = np.ndarray

COARSEST = 48  # points of the first attempt; each further one has half as many again
RESOLVED = 1e-8  # the finest modes, relative to the largest: below it the field counts as resolved
AGREED = (
    1e-7  # of the field's largest value, between two numbers of points, where a rough start leaves fine modes at first
)
TOLERATED = 1e-4  # the same, when no more points are to be had: reported as the estimated error
ROUGH_POINTS = 364  # the most that a rough start is worth: its error falls only as a power of their number
STUCK = 5e-3  # relative: three attempts that fail within this of one time show a singularity there
TOO_FAST = 1e8  # rate × time span: beyond it, double precision has no digits left for u_t
DISTURBANCE = 1e-6  # of the field's largest value, added to the start of the second run
TOO_SENSITIVE = 1e-2  # of the field: a disturbance that grows to this makes the solution meaningless
CHECK_TOLERANCE = 1e-7  # of the second run: below the disturbance, and fast


def search(problem: Problem, conditions: Conditions, min_points: int, max_points: int, verify: bool) -> Verdict:
    glance = _without_conditions(problem, conditions)
    start = problem.start(glance)
    if refusal := _refuse(problem, glance, start):
        return refusal
    leading = _leading_at_ends(problem, glance, start)
    conditions, complaint = settle(conditions, problem.equation, problem.axis, leading)
    if complaint:
        return verdict.wrong_boundary(complaint)
    found = _enough_points(problem, conditions, min_points, max_points)
    return _check_stability(problem, found) if found.status == "ok" and verify else found


def _without_conditions(problem: Problem, conditions: Conditions) -> Discretisation:
    """A coarse grid without boundary conditions, to look at the initial state as it was given."""
    points = COARSEST + 1 if conditions.periodic else COARSEST
    return problem.grid(Conditions(conditions.periodic), points)


def _refuse(problem: Problem, glance: Discretisation, start: Array) -> Verdict | None:
    """What can be seen from the initial state, whatever the boundary conditions."""
    if not np.all(np.isfinite(start)):
        return verdict.bad_initial()
    with np.errstate(all="ignore"):
        slopes = glance.slopes(0.0, start)
    if not all(np.all(np.isfinite(slope)) for slope in slopes.values()):
        return verdict.blow_up(None)
    if growth_without_bound(problem.equation, problem.axis, slopes, glance.finest, problem.until):
        return verdict.ill_posed()
    waves = problem.until * fastest_rate(problem.axis, slopes, problem.domain[1] - problem.domain[0])
    return verdict.too_fast(waves) if waves > TOO_FAST else None


def _leading_at_ends(problem: Problem, glance: Discretisation, start: Array) -> tuple[float, float] | None:
    """∂F/∂(highest derivative) of the first field at both ends, zero where it is rounding."""
    field = problem.equation.fields[0]
    highest = (field, Derivative(field, problem.axis * problem.equation.order(problem.axis, field)))
    slopes = glance.slopes(0.0, start)
    if highest not in slopes:
        return None
    ends = glance.slopes_at_ends(0.0, start)[highest]
    left, right = np.where(np.abs(ends) > 1e-9 * np.abs(slopes[highest]).max(), ends, 0.0)
    return float(left), float(right)


def _enough_points(problem: Problem, conditions: Conditions, min_points: int, max_points: int) -> Verdict:
    rough: Run | None = None
    difference = np.inf
    failed: list[Run] = []
    for grid in _grids(problem, conditions, min_points, max_points):
        run = attempt(problem, grid, problem.start(grid), RESOLVED)
        if run.outcome == "unresolved":
            failed, rough = [*failed, run], None
            if (
                run.reached > 2 * problem.grace
                and len(failed) > 2
                and np.ptp([one.reached for one in failed[-3:]]) < STUCK * run.reached
            ):
                break
            continue
        if run.outcome == "rough":
            return verdict.rough_start(run)
        if run.outcome == "ill-posed":
            return verdict.ill_posed(run)
        if run.outcome in ("steps", "seconds"):
            return verdict.blow_up(run) if run.surging else verdict.limit(problem, run)
        if run.outcome != "finished":
            return verdict.blow_up(run)
        error = max(problem.tolerance, run.tail)
        if not run.rough:
            return verdict.accepted(problem, run, error)
        # Modes that a rough start leaves over at first are judged by what they do to the times that are looked at.
        if rough is not None:
            later = problem.times[problem.times > 0]
            difference = float((np.abs(run.look(later) - rough.look(later)).max(axis=(0, 2)) / run.sizes).max())
            if difference < AGREED:
                return verdict.accepted(problem, run, max(error, difference))
        rough = run
    if rough is not None:
        return verdict.accepted(problem, rough, difference) if difference < TOLERATED else verdict.rough_start(rough)
    return verdict.blow_up(failed[-1]) if failed[-1].surging else verdict.shock(problem, failed[-1])


def _grids(problem: Problem, conditions: Conditions, min_points: int, max_points: int) -> Iterator[Discretisation]:
    """Grids to try, coarse to fine, from the first on that resolves the initial state, if there is one."""
    sizes = _sizes(problem, conditions, min_points, max_points)
    grids = (problem.grid(conditions, points) for points in sizes)
    resolving = dropwhile(lambda grid: finest_modes(grid, problem.start(grid), {}) > RESOLVED, grids)
    first = next(resolving, None)
    if first is not None:
        return chain([first], resolving)
    return (problem.grid(conditions, points) for points in sizes if points <= max(ROUGH_POINTS, sizes[0]))


def _sizes(problem: Problem, conditions: Conditions, min_points: int, max_points: int) -> list[int]:
    if not conditions.periodic:
        # Rounding in the Chebyshev matrix of the m-th derivative grows as n²ᵐ and would drown the fine modes.
        order = problem.equation.order(problem.axis)
        max_points = min(max_points, {3: 384, 4: 192}.get(order, 96 if order > 4 else max_points))
    sizes = [min(min_points, max_points)]
    while sizes[-1] * 3 // 2 <= max_points:
        sizes.append(sizes[-1] * 3 // 2)
    # Fourier needs an odd number.
    return [size | 1 if size < max_points else size - 1 + size % 2 for size in sizes] if conditions.periodic else sizes


def _check_stability(problem: Problem, found: Verdict) -> Verdict:
    """Solve again from a disturbed start: what an implicit stepper damps on one path seldom vanishes on two."""
    run = found.run
    assert run is not None
    grid = run.grid
    start = problem.start(grid)
    random = np.random.default_rng(20210813)
    for name, block in grid.blocks.items():
        # What starts from zero is disturbed by a millionth of what it comes to.
        size = np.abs(start[block]).max() or np.abs(run.trajectory.states[:, block]).max()
        start[block] += DISTURBANCE * size * grid.spaces[name.field].smooth_noise(random)
    # Waves that nothing damps can make the second run crawl: what it shows within a like number of steps is enough.
    steps = 100 + len(run.trajectory.bends)
    again = attempt(replace(problem, max_steps=steps, tolerance=CHECK_TOLERANCE), grid, start, np.inf)
    if again.outcome == "seconds":
        return verdict.unchecked(problem, run, found.error)
    times = problem.times[(problem.times > 0) & (problem.times <= again.reached)]
    fields = run.look(times)
    # A law that makes everything grow is not sensitive: differences count against the size that the field has by then.
    first = np.abs(run.look(np.zeros(1))).max(axis=2)
    size = np.maximum(np.abs(fields).max(axis=2), np.where(first > 0, first, run.sizes))
    apart = (np.abs(again.look(times) - fields).max(axis=2) / size).max(axis=1)
    if np.any(apart > TOO_SENSITIVE):
        return verdict.sensitive(run, float(times[apart > TOO_SENSITIVE][0]), DISTURBANCE, TOO_SENSITIVE)
    if again.outcome not in ("finished", "steps"):
        return verdict.sensitive(run, again.reached, DISTURBANCE, TOO_SENSITIVE)
    amplification = max(1.0, float(apart.max(initial=0.0)) / DISTURBANCE)
    return verdict.accepted(problem, run, max(found.error, amplification * problem.tolerance))
