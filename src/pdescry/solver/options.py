"""Tuned numbers of solving forward (`solver`).

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured. Pairs are for one axis of space and for the plane.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PointOptions:
    """Points along each axis (``grids.py``, ``solve.py``)."""

    first: tuple[int, int] = (48, 24)
    """Points of the first grid; each further one has half as many again. More: slower where few would do."""
    most: tuple[int, int] = (820, 160)
    """Points of the last grid, by default. More: sharper fields; time grows with the cube or faster."""
    allowed: tuple[int, int] = (8, 5000)
    """The fewest and the most that may be asked for; matrices are dense."""
    most_unknowns_in_plane: int = 52_000
    """Points times fields: beyond, a step takes seconds."""
    most_of_rough_start: int = 364
    """Points that a rough start is worth, whose error falls only as a power of their number."""
    most_unknowns_of_rough_start: int = 30_000
    """The same in the plane: points times fields."""
    compared_of_start: tuple[int, int] = (5003, 301)
    """Places along each axis at which an initial state is compared with what a grid holds. More: narrower peaks are
    seen; slower."""


@dataclass(frozen=True)
class AccuracyOptions:
    """Which solutions are accepted; shares of the largest value, unless another unit is named."""

    tolerance: tuple[float, float] = (3e-10, 1e-8)
    """Of a step, relative. In the plane a step takes a hundred times as long as along an axis, and 1e-8 takes less than
    half as many of them as 3e-10."""
    resolved: float = 1e-8
    """Size of the finest modes below which a field counts as resolved. Larger: coarser grids, less accurate."""
    of_rough_start: float = 1e-4
    """The most that a rough start may cost, reported as the estimated error. Larger: coarser grids."""
    agreement: float = 1e-7
    """Difference between two numbers of points below which a rough start no longer matters. Larger: less accurate."""
    krylov: float = 1e-3
    """Relative error of a linear system's solution in the plane: Newton's method divides its error by as much in each
    iteration. Smaller: more iterations of GMRES, fewer of Newton."""
    krylov_iterations: int = 60
    """Of GMRES at most; a step for which they do not suffice is made shorter. More: longer steps, more memory."""


@dataclass(frozen=True)
class StopOptions:
    """When a run is given up (``attempt.py``, ``search.py``)."""

    growth: float = 1e6
    """Ratio to the largest value before: growth that ends a run, if it speeds up. Larger: later verdicts; smaller:
    steep transients are taken for a blow-up."""
    memory: int = 1_000_000_000
    """Bytes that the steps of one attempt may take."""
    steps_of_rough_start: int = 1500
    """Steps: a rough start that takes more is one that the law does not smooth. More: slower verdicts."""
    fastest_rate: float = 1e8
    """Rate times time span: beyond, double precision has no digits left for u_t."""
    same_time: float = 5e-3
    """Relative: three attempts that fail within this of one time show a singularity there. Larger: false verdicts."""
    compared: tuple[int, int] = (101, 37)
    """Places along each axis at which runs are compared. More: narrower differences are seen; slower."""


@dataclass(frozen=True)
class StabilityOptions:
    """Whether a disturbance loses the solution (``stability.py``), in units of how much the field varies."""

    disturbance: float = 1e-6
    """Added to the start. Larger: nonlinear effects; smaller: lost in the tolerance."""
    too_large: float = 1e-2
    """A disturbance that grows to this makes the solution meaningless. Larger: chaotic ends are accepted."""
    tolerance: float = 1e-7
    """Of the second run: below the disturbance, and fast."""


@dataclass(frozen=True)
class WellPosedOptions:
    """Short waves (``wellposed.py``, ``incoming.py``)."""

    directions: int = 12
    """Of waves in the plane, over half a turn. More: surer; slower."""
    waves: int = 100
    """Over the interval, up to which growth is judged where there is no grid. More: shorter waves decide."""
    harmless_growth: float = 0.05
    """E-foldings at the finest wave over the remaining time: rounding near u = 0, not anti-diffusion."""
    least_growth: float = 1e-9
    """Share of the largest eigenvalue, below which a real part is rounding."""
    short_wave_rate: float = 1e4
    """Ratio to the law's fastest rate for the longest wave: where conditions at ends are counted, short waves
    decide."""
    vanishing: float = 1e-9
    """Share of a coefficient's largest value in the domain, below which it is zero but for rounding."""
    distinct: float = 1e-3
    """Share of a wave's largest field: what remains of it beside other waves tells it from them. Larger: conditions are
    missed; smaller: rounding counts."""


@dataclass(frozen=True)
class InputOptions:
    """Known inputs and moving boundary values (``inputs.py``, ``driven.py``, ``boundary.py``)."""

    least_steps: int = 200
    """Over the time span for an input given as a function, lest a pulse be stepped over. More: slower."""
    tried: int = 101
    """Times at which a function is tried before solving. More: faults are found earlier; slower."""
    sizes: int = 401
    """Times at which inputs are looked at for how large they get. More: narrower pulses are seen."""
    rate_step: float = 1e-3
    """Share of the time span between the times from which the rate of a boundary value is taken. Larger: rough values
    are smoothed; smaller: rounding counts."""


@dataclass(frozen=True)
class SolverOptions:
    points: PointOptions = PointOptions()
    accuracy: AccuracyOptions = AccuracyOptions()
    stop: StopOptions = StopOptions()
    stability: StabilityOptions = StabilityOptions()
    well_posed: WellPosedOptions = WellPosedOptions()
    inputs: InputOptions = InputOptions()
    points_at_once: int = 4096
    """Points at which a solution is evaluated at a time (``pieces.py``): bounds memory however many are asked for."""


SOLVER = SolverOptions()
