"""Tuned numbers of the forward solver (`solver`).

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured. Pairs are for one axis of space and for the plane.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PointOptions:
    """Points along each axis (``grids.py``, ``solve.py``)."""

    first: tuple[int, int] = (48, 24)
    """Points of the first grid; each further one has half as many again. More: slower if few suffice."""
    most: tuple[int, int] = (820, 160)
    """Points of the last grid, by default. More: sharper fields; time grows with at least the cube."""
    allowed: tuple[int, int] = (8, 5000)
    """Smallest and largest number that a user may set; matrices are dense."""
    most_unknowns_in_plane: int = 52_000
    """Points times fields, above which a step takes seconds."""
    most_of_rough_start: int = 364
    """Points for an incompatible initial state, whose error falls only as a power of their number."""
    most_unknowns_of_rough_start: int = 30_000
    """The same in the plane: points times fields."""
    compared_of_start: tuple[int, int] = (5003, 301)
    """Places along each axis at which an initial state is compared with its approximation on a grid. More: narrower
    peaks are detected; slower."""


@dataclass(frozen=True)
class AccuracyOptions:
    """Which solutions are accepted; as shares of the largest value, unless another unit is named."""

    tolerance: tuple[float, float] = (3e-10, 1e-8)
    """Relative tolerance of a step. In the plane a step takes a hundred times as long as along an axis, and with 1e-8
    there are less than half as many as with 3e-10."""
    resolved: float = 1e-8
    """Size of the finest modes below which a field is resolved. Larger: coarser grids, less accurate."""
    of_rough_start: float = 1e-4
    """Largest estimated error due to an incompatible initial state. Larger: coarser grids."""
    agreement: float = 1e-7
    """Difference between two grids, below which an incompatible initial state no longer matters. Larger: less
    accurate."""
    krylov: float = 1e-3
    """Relative error of a linear system's solution in the plane: the factor by which Newton's method reduces its error
    in each iteration. Smaller: more iterations of GMRES, fewer of Newton."""
    krylov_iterations: int = 60
    """Largest number of GMRES iterations; if they do not suffice, the step is shortened. More: longer steps, more
    memory."""


@dataclass(frozen=True)
class StopOptions:
    """When a run is given up (``attempt.py``, ``search.py``)."""

    growth: float = 1e6
    """Ratio to the largest value before: growth that ends a run, if it accelerates. Larger: later verdicts; smaller:
    steep transients are mistaken for a blow-up."""
    memory: int = 1_000_000_000
    """Bytes that the steps of one attempt may take."""
    steps_of_rough_start: int = 1500
    """Steps: with more, the law does not smooth an incompatible initial state. More: slower verdicts."""
    fastest_rate: float = 1e8
    """Rate times time span, above which double precision has no digits left for u_t."""
    same_time: float = 5e-3
    """Relative: three attempts that fail within this distance of one time show a singularity there. Larger: false
    verdicts."""
    compared: tuple[int, int] = (101, 37)
    """Places along each axis at which runs are compared. More: narrower differences are detected; slower."""


@dataclass(frozen=True)
class StabilityOptions:
    """Whether the solution is sensitive to a disturbance (``stability.py``), in units of the variation of the field."""

    disturbance: float = 1e-6
    """Added to the initial state. Larger: nonlinear effects; smaller: hidden by the tolerance."""
    too_large: float = 1e-2
    """Final disturbance above which the solution is meaningless. Larger: chaotic solutions are accepted."""
    tolerance: float = 1e-7
    """Tolerance of the second run: below the disturbance, and fast."""


@dataclass(frozen=True)
class WellPosedOptions:
    """Short waves (``wellposed.py``, ``incoming.py``)."""

    directions: int = 12
    """Directions of waves in the plane, over half a turn. More: more reliable; slower."""
    waves: int = 100
    """Waves over the interval, up to which growth is judged if there is no grid. More: shorter waves decide."""
    harmless_growth: float = 0.05
    """E-foldings at the finest wave over the remaining time: due to rounding near u = 0, not to anti-diffusion."""
    least_growth: float = 1e-9
    """Share of the largest eigenvalue, below which a real part is rounding."""
    short_wave_rate: float = 1e4
    """Ratio to the law's fastest rate for the longest wave: the number of conditions at ends is determined by short
    waves."""
    vanishing: float = 1e-9
    """Share of a coefficient's largest value in the domain, below which it is zero up to rounding."""
    distinct: float = 1e-3
    """Share of a wave's largest field: its component orthogonal to other waves has to exceed this. Larger: conditions
    are missed; smaller: rounding decides."""


@dataclass(frozen=True)
class InputOptions:
    """Known inputs and moving boundary values (``inputs.py``, ``driven.py``, ``boundary.py``)."""

    least_steps: int = 200
    """Steps over the time span for an input given as a function, lest a pulse be missed. More: slower."""
    tried: int = 101
    """Times at which a function is evaluated before solving. More: faults are found earlier; slower."""
    sizes: int = 401
    """Times at which the size of inputs is evaluated. More: narrower pulses are detected."""
    rate_step: float = 1e-3
    """Share of the time span between the times from which the rate of a boundary value is computed. Larger: rough
    values are smoothed; smaller: rounding matters."""


@dataclass(frozen=True)
class SolverOptions:
    points: PointOptions = PointOptions()
    accuracy: AccuracyOptions = AccuracyOptions()
    stop: StopOptions = StopOptions()
    stability: StabilityOptions = StabilityOptions()
    well_posed: WellPosedOptions = WellPosedOptions()
    inputs: InputOptions = InputOptions()
    points_at_once: int = 4096
    """Points at which a solution is evaluated at a time (``pieces.py``): bounds memory."""


SOLVER = SolverOptions()
