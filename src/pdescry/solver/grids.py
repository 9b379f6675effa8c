"""Which grids to try for a problem: from coarse to fine, starting with one that resolves the initial state."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pdescry.solver.attempt import Problem, finest_modes
from pdescry.solver.boundary import Conditions
from pdescry.solver.discretisation import Discretisation
from pdescry.solver.options import SOLVER
from pdescry.solver.space import along


@dataclass(frozen=True)
class Fit:
    """How well a grid resolves the initial state."""

    smooth: bool  # fully resolved, boundary conditions included
    defect: float  # error of the coarse features (mean, tilt, …), relative to the largest value
    coarse: tuple[str, ...] = ()  # the axes along which it is not resolved


def _fit(problem: Problem, grid: Discretisation) -> Fit:
    start = problem.start(grid)
    # Independent points: at its nodes any grid agrees with the initial state, whatever lies in between.
    bases = grid.spaces[problem.equation.fields[0]].bases
    places = [basis.nodes(SOLVER.points.compared_of_start[len(bases) - 1]) for basis in bases]
    everywhere = [each.ravel() for each in np.meshgrid(*places, indexing="ij")]
    apart, defect = 0.0, 0.0
    for name, block in grid.blocks.items():
        space = grid.spaces[name.field]
        coefficients = space.coefficients(start[block], space.at_ends_of(name, 0.0))
        wanted = problem.profiles[name](*everywhere).reshape([len(each) for each in places])
        missed = space.evaluate(coefficients, places) - wanted
        size = float(np.abs(wanted).max()) or 1.0
        apart = max(apart, float(np.abs(missed).max()) / size)
        for number, (left, right) in enumerate(problem.domain.values()):
            waves = np.cos(np.outer(np.arange(6), np.pi * (places[number] - left) / (right - left)))
            weights = np.gradient(places[number]) / (right - left)
            missed = along(waves, np.moveaxis(np.moveaxis(missed, number, -1) * weights, -1, number), number)
        defect = max(defect, float(np.abs(missed).max()) / size)
    resolved = problem.allowed(SOLVER.accuracy.resolved)
    tails = finest_modes(grid, 0.0, start, np.zeros_like(start), {})
    coarse = tuple(axis for axis, tail in tails.items() if not tail < resolved)
    return Fit(not coarse and apart < 100 * resolved, defect, coarse or grid.axes)


class GridsToTry:
    """Grids to try, coarse to fine, starting with the first one that resolves the initial state, if there is one.

    In the plane only those axes are refined that need it: after each attempt, set ``coarse`` to them.
    """

    def __init__(
        self, problem: Problem, conditions: Mapping[str, Conditions], min_points: int, max_points: int
    ) -> None:
        self.problem = problem
        self.conditions = conditions
        self.sizes = {
            axis: _sizes(problem, axis, conditions[axis].periodic, min_points, max_points) for axis in conditions
        }
        self.coarse: tuple[str, ...] = tuple(conditions)

    def __iter__(self) -> Iterator[tuple[Discretisation, Fit]]:
        rough, smooth = [], False
        at = dict.fromkeys(self.sizes, 0)
        unknowns = sum(component.time_order for component in self.problem.equation.components)
        while all(at[axis] < len(self.sizes[axis]) for axis in at):
            grid = self.problem.grid(self.conditions, {axis: self.sizes[axis][place] for axis, place in at.items()})
            if len(at) > 1 and grid.size * unknowns > SOLVER.points.most_unknowns_in_plane and any(at.values()):
                break
            fit = Fit(smooth=True, defect=0.0) if smooth else _fit(self.problem, grid)
            smooth = fit.smooth
            if smooth:
                yield grid, fit
            else:
                self.coarse = fit.coarse
                most = SOLVER.points.most_of_rough_start if len(at) == 1 else SOLVER.points.most_unknowns_of_rough_start
                few = grid.size * len(grid.blocks) <= max(most, self.least)
                if few and fit.defect < SOLVER.accuracy.of_rough_start:
                    rough.append((grid, fit))
            for axis in self.coarse:
                at[axis] += 1
        if not smooth:
            yield from rough

    @property
    def least(self) -> int:
        """The number of nodes of the first grid."""
        return math.prod(sizes[0] for sizes in self.sizes.values())


def _sizes(problem: Problem, axis: str, periodic: bool, min_points: int, max_points: int) -> list[int]:
    order = problem.equation.order(axis)
    if len(problem.domain) == 1:
        unknowns = sum(component.time_order for component in problem.equation.components)
        max_points = max_points // unknowns
    max_points = max(max_points, min(min_points, max_points))
    if not periodic:
        # Rounding in the m-th derivative at Chebyshev nodes grows as n²ᵐ and would exceed the fine modes.
        max_points = min(max_points, {3: 384, 4: 192}.get(order, 96 if order > 4 else max_points))
    sizes = [min(min_points, max_points)]
    while sizes[-1] * 3 // 2 <= max_points:
        sizes.append(sizes[-1] * 3 // 2)
    # Fourier needs an odd number.
    return [size | 1 if size < max_points else size - 1 + size % 2 for size in sizes] if periodic else sizes
