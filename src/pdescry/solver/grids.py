"""Which grids to try for a problem: coarse to fine, and none that misses what is in the initial state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pdescry.solver.attempt import RESOLVED, Problem, finest_modes
from pdescry.solver.boundary import Conditions
from pdescry.solver.discretisation import Discretisation

COARSEST = 48  # points of the first grid; each further one has half as many again
ROUGH_POINTS = 364  # the most that a rough start is worth: its error falls only as a power of their number
TOLERATED = 1e-4  # of the largest value: the most that a rough start may cost, reported as the estimated error
PROBES = 5003  # places at which an initial state is compared with what a grid makes of it


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
        fixed = space.fixed @ space.at_ends_of(name, 0.0)
        wanted = problem.profiles[name](places)
        missed = space.basis.matrix(places) @ (space.lift @ start[block] + fixed) - wanted
        size = float(np.abs(wanted).max()) or 1.0
        apart = max(apart, float(np.abs(missed).max()) / size)
        defect = max(defect, float(np.abs(coarse @ (weights * missed)).max()) / size)
    resolved = problem.allowed(RESOLVED)
    smooth = finest_modes(grid, 0.0, start, np.zeros_like(start), {}) < resolved and apart < 100 * resolved
    return Fit(smooth, defect)


def grids_to_try(
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
