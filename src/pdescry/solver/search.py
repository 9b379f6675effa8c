"""From a problem to a verdict: refuse what is hopeless, find enough points, and check that the answer is stable.

The field is computed with ever more points until its finest modes stay negligible, and then once more from a slightly
disturbed start. Whatever stands in the way ends the search and is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pdescry.equation.term import Derivative
from pdescry.solver import verdict
from pdescry.solver.attempt import Problem, Run, attempt, finest_modes, starting_sizes
from pdescry.solver.boundary import Conditions, needed_at_ends, settle
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
PROBES = 5003  # places at which an initial state is compared with what a grid makes of it
CHECK_TOLERANCE = 1e-7  # of the second run: below the disturbance, and fast


def search(problem: Problem, conditions: Conditions, min_points: int, max_points: int, verify: bool) -> Verdict:
    glance = _without_conditions(problem, conditions)
    start = problem.start(glance)
    if refusal := _refuse(problem, glance, start):
        return refusal
    problem = replace(problem, grace=_grace(problem, glance, start))
    incoming = _incoming(problem, glance, start)
    conditions, complaint = settle(conditions, problem.equation, problem.axis, incoming)
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
    waves = problem.until * fastest_rate(problem.equation, problem.axis, slopes, problem.domain[1] - problem.domain[0])
    return verdict.too_fast(waves) if waves > TOO_FAST else None


def _grace(problem: Problem, glance: Discretisation, start: Array) -> float:
    """A hundredth of the time span, a tenth of the law's own time scale, and not when the user looks already."""
    rate = fastest_rate(
        problem.equation, problem.axis, glance.slopes(0.0, start), problem.domain[1] - problem.domain[0]
    )
    return min(float(problem.times[problem.times > 0][0]), problem.until / 100, 0.1 / max(rate, 1 / problem.until))


def _incoming(problem: Problem, glance: Discretisation, start: Array) -> tuple[int, int] | None:
    """How many boundary conditions the law takes at the left and the right end; None where that is not known.

    For one field u_t = c·∂ᵐu + … it follows from the sign of c at the end (`needed_at_ends`); for a system of first
    order, u_t = A·u_x + …, each eigenvalue of A carries information in from the right if positive, from the left if
    negative. Elsewhere the order alone decides.
    """
    equation, axis = problem.equation, problem.axis
    orders = {field: equation.order(axis, field) for field in equation.fields}
    if any(component.time_order == 2 for component in equation.components):
        return None
    slopes, at_ends = glance.slopes(0.0, start), glance.slopes_at_ends(0.0, start)
    if len(orders) == 1:
        ((field, order),) = orders.items()
        pair = (field, Derivative(field, axis * order))
        if pair not in slopes:
            return None
        ends = np.where(np.abs(at_ends[pair]) > 1e-9 * np.abs(slopes[pair]).max(), at_ends[pair], 0.0)
        return needed_at_ends(order, (float(ends[0]), float(ends[1])))
    if max(orders.values()) != 1:
        return None
    matrix = np.zeros((2, len(orders), len(orders)))
    for row, field in enumerate(orders):
        for column, other in enumerate(orders):
            matrix[:, row, column] = at_ends.get((field, Derivative(other, axis)), 0.0)
    speeds = np.real(np.linalg.eigvals(matrix))
    least = 1e-9 * np.abs(speeds).max()
    return int(np.sum(speeds[0] < -least)), int(np.sum(speeds[1] > least))


def _enough_points(problem: Problem, conditions: Conditions, min_points: int, max_points: int) -> Verdict:
    rough: Run | None = None
    difference = np.inf
    failed: list[Run] = []
    for grid, fit in _grids(problem, conditions, min_points, max_points):
        run = attempt(problem, grid, problem.start(grid), RESOLVED)
        if run.outcome == "ill-posed":
            return verdict.ill_posed(run)
        if run.outcome in ("steps", "seconds"):
            return verdict.blow_up(run) if run.surging else verdict.limit(problem, run)
        if run.outcome == "rough":
            return verdict.rough_start(run)
        if run.outcome == "blow-up":
            return verdict.blow_up(run)
        if run.outcome != "finished":
            failed, rough = [*failed, run], None
            if len(failed) > 1 and failed[-2].surging and run.surging:
                return verdict.blow_up(run)
            if (
                run.reached > 2 * problem.grace
                and len(failed) > 2
                and np.ptp([one.reached for one in failed[-3:]]) < STUCK * run.reached
            ):
                break
            continue
        error = max(problem.tolerance, run.tail, run.rounding)
        if fit.smooth and not run.rough:
            return verdict.accepted(problem, run, error)
        # Modes that a rough start leaves over at first are judged by what they do later.
        if rough is not None:
            apart = np.abs(run.look(problem.moments) - rough.look(problem.moments)).max(axis=(0, 2)) / run.sizes
            difference = max(float(apart.max()), fit.defect)
            if difference < AGREED:
                return verdict.accepted(problem, run, max(error, difference))
        rough = run
    if rough is not None:
        return verdict.accepted(problem, rough, difference) if difference < TOLERATED else verdict.rough_start(rough)
    if not failed:
        return verdict.too_rough(problem)
    return verdict.blow_up(failed[-1]) if failed[-1].surging else verdict.unresolved(problem, failed[-1])


@dataclass(frozen=True)
class Fit:
    """How well a grid holds the initial state."""

    smooth: bool  # fully resolved, boundary conditions included
    defect: float  # what it gets wrong of the coarse features (mean, tilt, …), relative to the largest value


def _fit(problem: Problem, grid: Discretisation) -> Fit:
    start = problem.start(grid)
    # Points of their own: at its nodes any grid agrees with the initial state, however much it misses in between.
    places = grid.spaces[problem.equation.fields[0]].basis.nodes(PROBES)
    length = problem.domain[1] - problem.domain[0]
    coarse = np.cos(np.outer(np.arange(6), np.pi * (places - problem.domain[0]) / length))
    weights = np.gradient(places) / length
    apart, defect = 0.0, 0.0
    for name, block in grid.blocks.items():
        space = grid.spaces[name.field]
        fixed = 0.0 if name.axes else space.fixed
        wanted = problem.profiles[name](places)
        missed = space.basis.matrix(places) @ (space.lift @ start[block] + fixed) - wanted
        size = float(np.abs(wanted).max()) or 1.0
        apart = max(apart, float(np.abs(missed).max()) / size)
        defect = max(defect, float(np.abs(coarse @ (weights * missed)).max()) / size)
    smooth = finest_modes(grid, start, np.zeros_like(start), {}) < RESOLVED and apart < 100 * RESOLVED
    return Fit(smooth, defect)


def _grids(
    problem: Problem, conditions: Conditions, min_points: int, max_points: int
) -> Iterator[tuple[Discretisation, Fit]]:
    """Grids to try, coarse to fine, from the first on that resolves the initial state, if there is one."""
    grids = (problem.grid(conditions, points) for points in _sizes(problem, conditions, min_points, max_points))
    rough = []
    for grid in grids:
        fit = _fit(problem, grid)
        if fit.smooth:
            yield grid, fit
            yield from ((finer, Fit(smooth=True, defect=0.0)) for finer in grids)
            return
        if grid.points * len(grid.blocks) <= max(ROUGH_POINTS, min_points) and fit.defect < TOLERATED:
            rough.append((grid, fit))
    yield from rough


def _sizes(problem: Problem, conditions: Conditions, min_points: int, max_points: int) -> list[int]:
    order = problem.equation.order(problem.axis)
    unknowns = sum(component.time_order for component in problem.equation.components)
    max_points = max(max_points // unknowns, min(min_points, max_points))
    if not conditions.periodic:
        # Rounding in the m-th derivative at Chebyshev nodes grows as n²ᵐ and would drown the fine modes.
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
    sizes = starting_sizes(problem, grid, start)
    random = np.random.default_rng(20210813)
    for name, block in grid.blocks.items():
        # A field far from zero is disturbed in proportion to how it varies, not to where its zero lies.
        size = np.ptp(start[block]) / 2 or sizes[block]
        start[block] += DISTURBANCE * size * grid.spaces[name.field].smooth_noise(random)
    # Waves that nothing damps can make the second run crawl: what it shows within a like number of steps is enough.
    steps = 400 + len(run.trajectory.bends)
    again = attempt(replace(problem, max_steps=steps, tolerance=CHECK_TOLERANCE), grid, start, np.inf)
    if again.outcome == "seconds":
        return verdict.unchecked(problem, run, found.error)
    times = problem.moments[problem.moments <= again.reached]
    fields = run.look(times)
    # A law that makes everything grow is not sensitive: differences count against the size that the field has by then.
    first = np.abs(run.look(np.zeros(1))).max(axis=2)
    size = np.maximum(np.abs(fields).max(axis=2), np.where(first > 0, first, run.sizes))
    apart = (np.abs(again.look(times) - fields).max(axis=2) / size).max(axis=1)
    lost = np.flatnonzero(apart > TOO_SENSITIVE)
    if len(lost) or again.outcome not in ("finished", "steps"):
        held = float(times[lost[0] - 1]) if len(lost) and lost[0] > 0 else (0.0 if len(lost) else again.reached)
        return verdict.sensitive(run, held, DISTURBANCE, TOO_SENSITIVE)
    amplification = max(1.0, float(apart.max(initial=0.0)) / DISTURBANCE)
    checked = again.reached if again.outcome == "steps" else problem.until
    return verdict.accepted(problem, run, max(found.error, amplification * problem.tolerance), checked)
