"""One attempt: a problem solved with one number of points, every step inspected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pdescry.equation import Equation
from pdescry.equation.term import Derivative
from pdescry.solver.boundary import Conditions
from pdescry.solver.discretisation import Discretisation
from pdescry.solver.initial import Profile
from pdescry.solver.pieces import Pieces
from pdescry.solver.stepping import Trajectory, integrate
from pdescry.solver.wellposed import growth_without_bound

Array = np.ndarray
Progress = Callable[[str, float], None]

BLOWN_UP = 1e12  # growth of the largest value that counts as a blow-up
GRACE_STEPS = 1500  # a rough start that takes more is one that the law does not smooth


@dataclass(frozen=True)
class Problem:
    """What is to be solved, read and checked: the same for every number of points."""

    equation: Equation
    axis: str
    domain: tuple[float, float]
    profiles: Mapping[str, Profile]
    times: Array  # when the user wants to look
    tolerance: float
    max_steps: int
    max_seconds: float
    deadline: float  # of time.monotonic()
    progress: Progress

    @property
    def until(self) -> float:
        return float(self.times[-1])

    @property
    def grace(self) -> float:
        """The first time that the user looks at. Before it, a rough start may be unresolved."""
        return float(self.times[self.times > 0][0])

    def grid(self, conditions: Conditions, points: int) -> Discretisation:
        return Discretisation(self.equation, self.axis, self.domain, conditions, points)

    def start(self, grid: Discretisation) -> Array:
        """The initial state on a grid."""
        out = np.empty(len(grid.blocks) * grid.points)
        for name, block in grid.blocks.items():
            out[block] = self.profiles[f"{name.field}_{name.axes}" if name.axes else name.field](grid.nodes)
        return out


@dataclass(frozen=True)
class Run:
    """What came of an attempt."""

    grid: Discretisation
    trajectory: Trajectory
    rough: bool  # whether the finest modes mattered before the grace was over
    tail: float  # the finest modes after it, relative to the largest
    growth: float  # the largest value over the first largest

    @property
    def outcome(self) -> str:
        return self.trajectory.outcome

    @property
    def reached(self) -> float:
        return float(self.trajectory.times[-1])

    @cached_property
    def sizes(self) -> Array:
        """The largest value that each field had, shape (fields,); 1 for a field that was zero throughout."""
        blocks = [self.grid.blocks[Derivative(field)] for field in self.grid.equation.fields]
        return np.array([float(np.abs(self.trajectory.states[:, block]).max()) or 1.0 for block in blocks])

    @property
    def surging(self) -> bool:
        """Whether the largest value grew much faster at the end than over the whole run: a blow-up, not a shock."""
        if len(self.trajectory.bends) < 2:
            return False
        before, last = np.abs(self.trajectory.states[-2:]).max(axis=1)
        step = self.trajectory.times[-1] - self.trajectory.times[-2]
        return bool((last - before) / step * self.reached > 5 * last)

    @cached_property
    def pieces(self) -> dict[str, Pieces]:
        grid, path = self.grid, self.trajectory
        return {
            field: Pieces(
                path.times,
                grid.coefficients(path.states, field),
                grid.coefficients(path.bends, field, change=True),
                grid.spaces[field].basis,
            )
            for field in grid.equation.fields
        }

    def look(self, times: Array) -> Array:
        """All fields on an even grid: shape (times, fields, 101)."""
        places = np.linspace(*self.grid.domain, 101)
        return np.stack([piece.on_grid(times, places) for piece in self.pieces.values()], axis=1)


def finest_modes(grid: Discretisation, y: Array, largest: dict[str, float]) -> float:
    """The finest tenth of the modes of any field, relative to the ``largest`` that the field has had (updated here)."""
    tail = 0.0
    for field, size in grid.amplitudes(y).items():
        largest[field] = max(largest.get(field, 0.0), float(size.max()))
        tail = max(tail, float(size[-max(4, len(size) // 10) :].max()) / (largest[field] or 1.0))
    return tail


def attempt(problem: Problem, grid: Discretisation, start: Array, resolved: float) -> Run:
    """Step the problem on ``grid``. It ends as soon as a verdict is reached:

    ``"unresolved"``: after the grace, the finest tenth of the modes exceeds ``resolved`` of the largest;
    ``"rough"``: the grace takes too many steps; ``"blow-up"``; ``"ill-posed"``; or what `integrate` ends with.
    """
    largest: dict[str, float] = {}
    first = float(np.abs(start).max()) or 1.0
    rough, worst_tail, growth, steps = False, 0.0, 1.0, 0

    def inspect(t: float, y: Array) -> str | None:
        nonlocal rough, worst_tail, growth, steps
        steps += 1
        problem.progress(f"solving with {grid.points} points", t / problem.until)
        tail = finest_modes(grid, y, largest)
        growth = max(growth, float(np.abs(y).max()) / first)
        if tail > resolved and t <= problem.grace:
            rough = True
        elif t > problem.grace:
            worst_tail = max(worst_tail, tail)
        if worst_tail > resolved:
            return "unresolved"
        if rough and t <= problem.grace and steps > GRACE_STEPS and growth < 2:
            return "rough"
        if growth > BLOWN_UP:
            return "blow-up"
        remaining = problem.until - t
        if growth_without_bound(grid.equation, grid.axis, grid.slopes(t, y), grid.finest, remaining):
            return "ill-posed"
        return None

    trajectory = integrate(grid, start, problem.until, problem.tolerance, problem.max_steps, problem.deadline, inspect)
    return Run(grid, trajectory, rough, worst_tail, growth)
