"""Tuned numbers of `joint/field`: meshes, Gaussian processes, and where fits begin.

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Bounds = tuple[float, float]


@dataclass(frozen=True)
class MeshSizes:
    """Mesh sizes over one axis of space, or over two."""

    degrees: tuple[int, int]
    """Of splines along space and along time. Higher: more accurate where fields are smooth; wider bands."""
    in_space: tuple[int, ...]
    """Elements of the meshes on which laws are tried: the coarsest that resolves the inferred field; with several
    fields the last is left out. Finer: sharper fields are resolved; each fit takes longer."""
    in_time: tuple[int, ...]
    """The same along time."""
    most: tuple[int, int]
    """Elements along an axis of space, and along time, that refinement stops at. Up to half as many along time as a
    sensor has readings, if these are more."""
    times: tuple[int, ...]
    """Candidate numbers of elements along time, judged by the records of single sensors."""
    earliest: float
    """Share of the duration: the first element in time. Smaller: layers at the start are resolved; more elements."""
    work: tuple[float, float] = (math.inf, math.inf)
    """Unknowns times squared bandwidth: the largest factorisation during the search, and afterwards. Larger: finer
    meshes; 2e10 is about a second of a core, and 0.2 GB."""


@dataclass(frozen=True)
class MeshOptions:
    """Knots of the fields (``mesh.py``)."""

    on_a_line: MeshSizes = MeshSizes(
        (5, 4), (48, 64, 96), (16, 24, 36), (192, 144), (16, 24, 36, 48, 72, 96, 144, 216, 324, 486, 729, 1094), 5e-4
    )
    """Over one axis of space. 96 × 24 elements resolve Burgers' shock as 160 × 60 without grading did
    (docs/refine.md)."""
    in_the_plane: MeshSizes = MeshSizes(
        (3, 3), (8, 12, 16, 20), (8, 12, 16), (28, 48), (8, 12, 16, 24), 2e-2, (4e9, 2e10)
    )
    """Over two. Cubic: of higher degree, splines need more moments an element, and take longer by more than they are
    better (FACTS of the project, "More than one axis")."""
    refinement_ratio: float = 1.5
    """Ratio: elements after a refinement to those before. Larger: fewer refinements; a finer mesh than needed."""
    left_side_error: float = 0.03
    """Share of the left side (rms) that the first mesh may be off from the inferred fields. Larger: cheaper fits;
    shocks are blurred (docs/refine.md)."""
    variance_ratio: float = 1.3
    """Ratio: residual variance of splines fitted to single sensors to that of the best; the fewest elements within it
    are taken. Larger: fewer elements in time; fast changes are blurred."""
    density_exponent: float = 0.8
    """Exponent of the curvature, to which the density of knots is proportional. Larger: more knots at shocks, fewer
    elsewhere."""
    even_density: float = 0.3
    """Uniform part of the density of knots, in units of the mean graded one. Larger: closer to an even mesh."""
    negligible_curvature: float = 1e-2
    """Second derivative, in units of the field's range and the interval, below which a field is straight. Smaller:
    rounding of straight fields attracts knots."""
    curvature_width: float = 0.02
    """Share of the interval over which curvature is smoothed, so that a shock that moves a little stays where knots
    are dense. Larger: knots are less concentrated."""
    most_jumps: int = 60
    """Jumps of an input in time that get knots of their own, the largest first. Larger: more unknowns; smaller: left
    sides are smoothed across jumps."""
    jump_clearance: float = 0.3
    """Share of an element: a break closer than this to a jump is dropped. Smaller: elements that are too short."""
    long_record: int = 96
    """Elements along time, above which a record is long: its initial field has no more elements. Larger: dense matrices
    over a long time."""
    long_record_in_space: tuple[int, ...] = (24, 48)
    """Elements along space of a long record's first meshes, in place of `MeshSizes.in_space`."""
    stretch: int = 36
    """Elements in time of each of the two stretches of a long record that laws are sought in. Larger: more data for the
    search; each fit takes longer."""


@dataclass(frozen=True)
class ProcessOptions:
    """Gaussian processes (``process.py``). Bounds of variances are in units of the field's, of lengths in units of the
    span."""

    readings_of_scales: int = 500
    """Readings to which scales are fitted, approximately. More: more precise scales; time grows with the cube."""
    readings_at_once: int = 2000
    """Readings, up to which a held-out sensor is predicted from all others at once. Time grows with the cube."""
    readings_in_plane: int = 2500
    """The same in the plane; larger sets of readings are subsampled to this number."""
    nearest_sensors: int = 4
    """Sensors from which a part of a long record is predicted. More: better predictions; slower."""
    readings_of_part: int = 100
    """Readings of a sensor that are predicted jointly then. More: farther from neighbours in time; slower."""
    readings_of_start: int = 2000
    """Readings from which an initial field is computed. More: finer detail; time grows with the cube."""
    readings_of_sd: int = 600
    """Readings from which a field's sd is estimated. More: less overestimated; slower."""
    window: float = 40.0
    """Correlation lengths: the field of a long record is computed in windows of this length. Larger: fewer seams;
    slower."""
    window_margin: float = 4.0
    """Correlation lengths on either side of a window whose readings are included. Smaller: visible seams."""
    roughness: float = 1.0
    """Ratio: weight of a soft law's roughness prior to the weight at which fields are as rough as expected of the
    process. Larger: noisy waves are suppressed more, and shocks too. With 1, predator and prey (5 % noise, layout 21)
    ends at a diffusion of 0.41 (true 0.4; without the prior 0.003; docs/ARCHITECTURE.md)."""
    field_variance: Bounds = (1e-4, 1e4)
    """Bounds of the field's variance. Narrower: more robust optimisation; extreme values are excluded; the same for all
    bounds here."""
    offset_variance: Bounds = (1e-8, 1e2)
    """Bounds of the variance of sensors' offsets."""
    noise_variance: Bounds = (1e-8, 1e2)
    """Bounds of the variance of noise."""
    length_in_time: Bounds = (1e-3, 1e2)
    """Bounds of the correlation length along time."""
    length_in_space: Bounds = (1e-2, 1e2)
    """Bounds of the correlation length along space."""
    correlation_time: Bounds = (1e-6, 0.1)
    """Bounds of the correlation time of errors, in units of the duration; longer ones are offsets."""
    first_correlation_time: float = 3.0
    """Initial correlation time of the optimisation, in distances of consecutive readings."""
    readings_of_correlation: int = 400
    """Consecutive readings from which the correlation time of errors is estimated. With 160, most correlations of 16
    sensors were missed; more: slower."""
    evidence_of_correlation: float = 5.0
    """Nats that correlated errors must gain. Larger: correlation is missed; smaller: noise is mistaken for it."""


@dataclass(frozen=True)
class RegionOptions:
    """Where in the plane a law is required (``region.py``), in typical distances of sensors."""

    beyond_hull: float = 0.5
    """Distance beyond the convex hull of the sensors. Larger: the field is extrapolated; smaller: outer readings are
    less informative."""
    reach: float = 3.0
    """Distance from every sensor, beyond which a place is in a hole. Larger: laws are required where there are no
    data."""


@dataclass(frozen=True)
class StartOptions:
    """Initial fields (``start.py``, ``without_law.py``)."""

    draws_of_network: int = 40
    """Draws whose mean is the initial field. More: smoother; each is evaluated."""
    bumps: tuple[int, ...] = (5, 8)
    """Bump functions along each axis over which regressions average. They rank the true law of KdV (noise 0.05, three
    layouts) 6th, 1st and 1st; 8 and 12 rank it 51st, 1st and 1st (docs/ARCHITECTURE.md). More: sharper, noisier
    averages."""
    negligible_offset: float = 1e-2
    """Share of the readings' sd: smaller offsets of sensors are ignored at first. Larger: inconsistent thermometers
    bend the field; smaller: offsets explain shocks."""
    negligible_correlated_error: float = 0.02
    """Share of the readings' sd: smaller correlated errors are ignored at first, with the same trade-off."""


@dataclass(frozen=True)
class FieldMemoryOptions:
    """Chunk sizes: larger takes more memory and less time; results agree up to rounding."""

    values: int = 2_000_000
    """Values of a spline basis (``axis.py``)."""
    elements: int = 256
    """Elements whose products are computed together (``space.py``)."""
    points: int = 2000
    """Points at which a process is predicted (``free.py``)."""
    dense_basis: int = 120
    """Basis functions along an axis, up to which matrices are dense (``axis.py``)."""


@dataclass(frozen=True)
class FieldOptions:
    mesh: MeshOptions = MeshOptions()
    process: ProcessOptions = ProcessOptions()
    region: RegionOptions = RegionOptions()
    start: StartOptions = StartOptions()
    memory: FieldMemoryOptions = FieldMemoryOptions()


FIELD = FieldOptions()
