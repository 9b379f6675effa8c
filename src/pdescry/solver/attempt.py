"""One attempt: a problem solved on one grid, with every step inspected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import field as declare
from functools import cached_property

import numpy as np

from pdescry.equation import Equation
from pdescry.equation.term import Derivative
from pdescry.solver.boundary import Conditions, Domain
from pdescry.solver.discretisation import Discretisation
from pdescry.solver.driven import driven_sizes
from pdescry.solver.initial import Profile
from pdescry.solver.inputs import Inputs, breaks_of, longest_step
from pdescry.solver.options import SOLVER
from pdescry.solver.pieces import Pieces
from pdescry.solver.stepping import Trajectory, integrate
from pdescry.solver.wellposed import fastest_rate, growth_without_bound

Array = np.ndarray
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Problem:
    """What is to be solved, parsed and checked: the same for every grid."""

    equation: Equation
    domain: Domain
    profiles: Mapping[Derivative, Profile]  # of each field, and of u_t for a second-order law
    until: float
    times: Array  # output times, all within [0, until] and not only 0
    tolerance: float
    max_steps: int
    max_seconds: float
    deadline: float  # of time.monotonic()
    progress: Progress
    grace: float = 0.0  # how long an incompatible initial state, or a field whose input has jumped, may stay unresolved
    inputs: Inputs = declare(default_factory=dict)  # every input of the law, up to ``until``

    @property
    def comparison_times(self) -> Array:
        """Times at which two runs are compared: the output times, and enough others, outside the grace periods."""
        every = np.union1d(self.times, np.linspace(0, self.until, 101))
        return every[self.beyond_grace(every) >= 0]

    @cached_property
    def _graces(self) -> tuple[Array, Array]:
        """The start and the breaks of inputs, which may be incompatible with the boundary, too; and the length of the
        grace."""
        starts = np.array([0.0, *breaks_of(self.inputs)])
        return starts, np.minimum(self.grace, np.diff(starts, append=self.until) / 4)

    def beyond_grace(self, t: Array | float) -> Array:
        """Time since the end of the last grace period (after the start, or the latest break of an input); negative
        within it."""
        starts, lengths = self._graces
        latest = np.searchsorted(starts, t, side="right") - 1
        return t - (starts + lengths)[latest]

    def allowed(self, least: float) -> float:
        """Error allowed for reasons other than the stepper, relative to the largest value; at least ``least``."""
        return max(least, self.tolerance)

    def grid(self, conditions: Mapping[str, Conditions], points: Mapping[str, int]) -> Discretisation:
        return Discretisation(self.equation, self.domain, conditions, points, self.inputs)

    def start(self, grid: Discretisation) -> Array:
        """The initial state on a grid."""
        out = np.empty(len(grid.blocks) * grid.size)
        for name, block in grid.blocks.items():
            out[block] = self.profiles[name](*grid.places)
        return out


@dataclass(frozen=True)
class Run:
    """The result of an attempt."""

    grid: Discretisation
    trajectory: Trajectory
    rough: bool  # whether the finest modes were significant during the grace
    tail: float  # the finest modes after it, relative to the largest
    coarse: tuple[str, ...]  # the axes along which they were too large, or may have been
    driven: Array  # size of each block of the state due to the known inputs, shape (blocks,)

    @property
    def outcome(self) -> str:
        return self.trajectory.outcome

    @property
    def reached(self) -> float:
        """The last time up to which nothing was wrong."""
        judged = self.outcome in ("unresolved", "ill-posed", "blow-up", "rough")
        return float(self.trajectory.times[max(-2, -len(self.trajectory.times)) if judged else -1])

    @cached_property
    def sizes(self) -> Array:
        """The largest value of each field so far, shape (fields,); 1 for a field that was zero throughout."""
        blocks = [self.grid.blocks[Derivative(field)] for field in self.grid.equation.fields]
        return np.array([float(np.abs(self.trajectory.states[:, block]).max()) or 1.0 for block in blocks])

    @property
    def accelerating(self) -> bool:
        largest = largest_values(self.grid, self.trajectory.states)  # (steps + 1, blocks)
        return any(
            accelerating(self.trajectory.times, column)
            for column, driven in zip(largest.T, self.driven, strict=True)
            if column[-1] > driven  # the onset of a pulse is no blow-up
        )

    @property
    def rounding(self) -> float:
        """Contribution of rounding to the final error, relative to the largest value of each field."""
        path, grid = self.trajectory, self.grid
        gathered = grid.rounding(float(path.times[-1]), path.states[-1], float(path.times[-1]))
        blocks = [grid.blocks[Derivative(field)] for field in grid.equation.fields]
        return max(float(gathered[block][0]) / size for block, size in zip(blocks, self.sizes, strict=True))

    @cached_property
    def pieces(self) -> dict[str, Pieces]:
        grid, path = self.grid, self.trajectory
        return {
            field: Pieces(
                path.times,
                grid.coefficients(path.states, field, path.at_steps(space.at_end_values)),
                grid.coefficients(path.bends, field, path.bends_of(space.at_end_values)),
                space,
            )
            for field, space in grid.spaces.items()
        }

    def sampled_fields(self, times: Array) -> Array:
        """All fields at places spread over the domain: shape (times, fields, places)."""
        # Unevenly spaced, so that no wave is aliased to a constant.
        spread = np.arange(SOLVER.stop.compared[len(self.grid.axes) - 1]) * 0.6180339887498949 % 1.0
        places = [left + (right - left) * spread for left, right in self.grid.domain.values()]
        seen = [piece.on_grid(times, *places) for piece in self.pieces.values()]
        return np.stack([each.reshape(len(times), -1) for each in seen], axis=1)


def most_steps(grid: Discretisation) -> int:
    """Number of steps that fit into memory: a state and the three coefficients of a cubic for each."""
    return SOLVER.stop.memory // (4 * 8 * len(grid.blocks) * grid.size)


def largest_values(grid: Discretisation, y: Array) -> Array:
    """The largest value of each block of the state: shape (…, blocks)."""
    return np.stack([np.abs(y[..., block]).max(axis=-1) for block in grid.blocks.values()], axis=-1)


def accelerating(times: Array | list[float], largest: Array) -> bool:
    """Whether the largest value doubled faster the last time than the time before: towards a blow-up, unlike exp(t)."""
    times = np.asarray(times)
    below_half = np.flatnonzero(largest <= largest[-1] / 2)
    below_quarter = np.flatnonzero(largest <= largest[-1] / 4)
    if not len(below_quarter):
        return False
    half, quarter = times[below_half[-1]], times[below_quarter[-1]]
    return bool(times[-1] - half < 0.75 * (half - quarter))


def starting_sizes(problem: Problem, grid: Discretisation, start: Array) -> Array:
    """The scale of each block of the state before it has a size of its own; shape of the state.

    A velocity is scaled by its effect on the field over the time span; a field that starts from zero by the effect of
    its rate and the known inputs within the law's own time scale.
    """
    driven = driven_sizes(grid, start, problem.until)
    with np.errstate(all="ignore"):
        rates = np.abs(grid.rate(0.0, start))
        fastest = fastest_rate(grid.equation, grid.slopes(0.0, start), grid.domain)
    scale = 1 / max(fastest, 1 / problem.until)
    out = np.empty_like(start)
    for name, block in grid.blocks.items():
        size = float(np.abs(start[block]).max())
        if name.axes:
            size = max(size, float(np.abs(start[grid.blocks[Derivative(name.field)]]).max()) / problem.until)
        out[block] = size or max(scale * float(rates[block].max()), driven[name])
    return np.where((out > 0) & np.isfinite(out), out, 1.0)


def finest_modes(grid: Discretisation, t: float, y: Array, floor: Array, largest: dict[str, float]) -> dict[str, float]:
    """Along each axis, the finest tenth of the modes of any field, relative to the ``largest`` that the field has had
    (updated here).

    Anything below ``floor``, in the shape of the state, is rounding and is ignored.
    """
    tails = dict.fromkeys(grid.axes, 0.0)
    for field, sizes in grid.amplitudes(t, y).items():
        largest[field] = max(largest.get(field, 0.0), *(float(size.max()) for size in sizes.values()))
        for axis, size in sizes.items():
            finest = float(size[-max(4, len(size) // 10) :].max())
            if finest > floor[grid.blocks[Derivative(field)]][0]:
                tails[axis] = max(tails[axis], finest / largest[field])
    return tails


def attempt(problem: Problem, grid: Discretisation, start: Array, resolved: float) -> Run:
    """Step the problem on ``grid``. It ends as soon as a verdict is reached:

    ``"unresolved"``: after the grace, the finest tenth of the modes exceeds ``resolved`` of the largest;
    ``"rough"``: the grace takes too many steps; ``"blow-up"``; ``"ill-posed"``; or the outcome of `integrate`.
    """
    floor = 3 * grid.rounding(0.0, start, problem.until)
    by_inputs = driven_sizes(grid, start, problem.until)
    driven = np.array([by_inputs[name] for name in grid.blocks])
    modes: dict[str, float] = {field: by_inputs[Derivative(field)] for field in grid.equation.fields}
    rough, worst = False, dict.fromkeys(grid.axes, 0.0)
    times: list[float] = []
    largest: list[Array] = []

    def inspect(t: float, y: Array) -> str | None:
        nonlocal rough, worst
        problem.progress(f"solving with {grid} points", t / problem.until)
        times.append(t)
        largest.append(largest_values(grid, y))
        tails = finest_modes(grid, t, y, floor, modes)
        settled = problem.beyond_grace(t) > 0
        if settled:
            worst = {axis: max(worst[axis], tail) for axis, tail in tails.items()}
        elif max(tails.values()) > resolved:
            rough = True
        if max(worst.values()) > resolved:
            return "unresolved"
        # Of the start only, because breaks may be many.
        if rough and t <= problem.grace and len(times) > SOLVER.stop.steps_of_rough_start:
            # Close to a blow-up every grid is too coarse in the end; the next one will show the same.
            return "unresolved" if any(accelerating(times, block) for block in np.array(largest).T) else "rough"
        reference = np.maximum(np.maximum(largest[0], largest[len(largest) // 10]), driven)
        for block in np.flatnonzero(largest[-1] > SOLVER.stop.growth * reference):
            if accelerating(times, np.array(largest)[:, block]):
                return "blow-up"
        remaining = problem.until - t
        if growth_without_bound(grid.equation, grid.axes, grid.slopes(t, y), grid.finest, remaining):
            return "ill-posed"
        return None

    trajectory = integrate(
        grid,
        start,
        problem.until,
        problem.tolerance,
        starting_sizes(problem, grid, start),
        floor,
        min(problem.max_steps, most_steps(grid)),
        problem.deadline,
        inspect,
        breaks_of(problem.inputs),
        longest_step(problem.inputs),
    )
    coarse = tuple(axis for axis, tail in worst.items() if tail > resolved) or grid.axes
    return Run(grid, trajectory, rough, max(worst.values()), coarse, driven)
