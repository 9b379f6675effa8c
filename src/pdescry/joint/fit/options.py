"""Tuned numbers of `joint/fit`: one law fitted to its fields, and leave-one-sensor-out.

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
"""

from __future__ import annotations

from dataclasses import dataclass

Grid = tuple[float, float, int]  # least, most, number of values, in equal ratios


@dataclass(frozen=True)
class ToleranceOptions:
    """By how much a law may fail, as a share of its left side (rms), unless another unit is named."""

    stages: tuple[float, ...] = (1e-2, 3e-3, 1e-3)
    """From the first fit to the last. Tight at once leads astray from a field that obeys no law yet; more stages take
    longer. In the plane, meshes are judged at the second (advection-diffusion, layout 0; docs/ARCHITECTURE.md)."""
    gradual: tuple[float, ...] = (0.1, 0.03)
    """Before these, where a field may be far from one that obeys the law. They lead into shocks between sensors, and
    weaken other laws until nothing is left of them."""
    residual_cost: float = 5.0
    """Nats, for each record of usual length, that the residual of an equation may cost in the end; above, the law is
    softened to what the mesh resolves. FitzHugh–Nagumo, 5 % noise, layouts 22 and 23: coefficients off by at most 1.6
    sd, by up to 10 sd without it (docs/ARCHITECTURE.md). Larger: the mesh biases coefficients; smaller: the law is
    hardly required."""
    negligible_rate: float = 1e-2
    """Of the readings' sd over the duration: a left side below it counts as this much. Larger: laws of slow fields are
    too soft; smaller: still fields make them rigid."""
    forward: tuple[float, ...] = (0.1, 0.3)
    """Shares of the last tolerance, tried in turn, for fields that are solved forward. Smaller: less error is carried
    along; coarse meshes fail (shallow water, docs/ARCHITECTURE.md)."""
    forward_noise_ratio: float = 1.1
    """Ratio: noise about such fields to that before, above which the mesh is too coarse for the share. Larger: fields
    leave the readings."""
    draws: float = 0.1
    """Share of the tolerance for draws that are solved forward. With 1, draws missed the law by 4.5 % of u_t where the
    mean missed it by 0.7 % (docs/ARCHITECTURE.md)."""


@dataclass(frozen=True)
class RefinementOptions:
    """When meshes are refined; shares of the left side (rms), unless another unit is named."""

    coarse_residual: float = 0.05
    """Residual after the first fit, above which the mesh is refined before the law is tightened. Smaller: slower;
    larger: coefficients make up for the mesh."""
    least_improvement: float = 0.9
    """Ratio: residual after a refinement to that before, above which it is not the mesh. Larger: refined in vain."""
    residual_on_a_line: float = 0.015
    """Residual that is met well enough. Smaller: more refinements."""
    residual_in_the_plane: float = 0.03
    """The same in the plane, where each refinement takes longer."""
    rounds: int = 3
    """Refinements in each stage. More: sharper fields; slower."""
    shared_error: float = 0.3
    """Ratio: error of an axis with half its elements to that of the worst axis, from which it is refined, too.
    Smaller: all axes are refined each time."""


@dataclass(frozen=True)
class StepOptions:
    """Gauss–Newton."""

    per_tolerance: int = 7
    """Steps for each tolerance on the first mesh. More: closer to the minimum; slower. As of all numbers of steps."""
    on_finer_mesh: int = 7
    """Steps after each refinement."""
    last: int = 30
    """Steps of a fit to its end."""
    to_compare: int = 12
    """Steps of laws that are compared with the best."""
    fractions: tuple[float, ...] = (1.0, 0.3, 0.1, 0.03)
    """Of a step, tried in turn. More: slower where nothing helps; fewer: fits stop early."""
    corrections: tuple[int, ...] = (4, 2, 2, 2)
    """For each fraction, how often the states are corrected for the new coefficients. More: longer steps succeed; each
    takes a factorisation."""
    sufficient_decrease: float = 0.3
    """Share of the promised decrease that a step has to achieve. Larger: shorter steps; smaller: poor ones are kept."""
    negligible_decrease: float = 1e-2
    """Of twice the log posterior: a step that promises less ends the fit as converged. Larger: coefficients are left
    farther from the minimum."""
    further_decrease: float = 2.0
    """Ratio: what all further steps are expected to gain at most to what the next promises. Larger: hopeless laws are
    given up later; smaller: good ones too early."""
    poor_decrease: float = 0.1
    """Share of what was promised: steps that achieve less lead nowhere. Larger: difficult fits are given up."""
    patience: int = 2
    """Poor steps in a row that end a fit. Larger: slower; smaller: difficult fits are given up."""


@dataclass(frozen=True)
class PriorOptions:
    """What is believed before the readings."""

    coefficient: float = 3.0
    """Sd of a coefficient, in units of the one with which its term alone would make up the left side. Larger: terms are
    penalised more (Occam's factor); smaller: large coefficients are shrunk."""
    roughness_in_space: float = 1e-10
    """Weight of ∫ (L³ u_xxx)², with u in units of its sd. As of the next two: larger blunts shocks; smaller leaves
    fields undetermined where nothing was read."""
    roughness_in_time: float = 1e-5
    """Weight of ∫ (T² u_tt)²; T is the duration of a record of usual length."""
    size: float = 1e-2
    """Weight of ∫ u²."""
    boundary_condition: float = 1e-3
    """Share of the readings' sd, over the interval to the order, by which conditions may fail. Smaller: stiffer
    problems; larger: conditions tell less (docs/refine.md)."""


@dataclass(frozen=True)
class NoiseOptions:
    """How readings differ from fields (``noise_model.py``, ``stages.py``)."""

    least_sd: float = 2e-4
    """Share of the readings' sd: the least noise. Below lies what splines of this number cannot resolve; larger:
    clean readings tell less."""
    most_correlation: float = 0.99
    """Between consecutive errors. Larger: single readings hardly count."""
    least_weight: float = 3e-3
    """Weight of an earlier error in what it predicts of the newest, below which it is neglected. Smaller: rows are less
    local, so slower."""
    most_earlier: int = 24
    """Earlier errors that count, with the same trade."""
    very_noisy: float = 0.1
    """Share of the readings' sd: noise that leaves fields to the law at first. Larger: they leave the readings."""
    evidence_of_difference: float = 5.0
    """Nats, beyond what their number costs, that make sensors differ in their noise. Larger: bad sensors count fully;
    smaller: chance decides which sensors count."""
    least_variance: float = 0.1
    """Share of the common variance: no sensor is taken for better. Smaller: a few sensors may decide alone."""
    judged: float = 0.5
    """Share of a sensor's readings that the field does not follow, from which its noise is judged by itself. Smaller:
    noise of sensors that the field follows is underestimated."""
    rounds: int = 1
    """Further rounds of noise and fields in turn. More changed nothing on two real rods."""


@dataclass(frozen=True)
class CorrelationOptions:
    """Errors that last for a while (``lasting_errors.py``)."""

    evidence: float = 5.0
    """Nats: less is no evidence of correlation. Larger: intervals too narrow; smaller: noise is taken for it."""
    shares: tuple[float, ...] = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
    """Shares of the variance that are tried. More: slower."""
    times: int = 30
    """Correlation times that are tried, from a quarter of the usual distance of readings to the whole record. More:
    slower."""
    readings_of_sensor: int = 8
    """Readings of a sensor, on average, below which nothing is known of correlation. Smaller: chance is taken for
    it."""


@dataclass(frozen=True)
class OffsetOptions:
    """Offsets of sensors (``offsets.py``)."""

    evidence: float = 5.0
    """Nats: less is no evidence of offsets. Larger: biased sensors bend the law; smaller: offsets explain what terms
    should (docs/refine.md)."""
    sds: Grid = (1e-4, 1.0, 100)
    """Sds of offsets that are tried, in units of the readings' sd. More: slower."""
    readings_in_plane: int = 5
    """Readings of a sensor in the plane, on average, that tell its offset. Fewer: offsets are taken for the field."""


@dataclass(frozen=True)
class UnknownSourceOptions:
    """A source that the law lacks (``unknown_source.py``)."""

    evidence: float = 8.0
    """Nats in favour of a source before it is told; several kinds and sizes are tried. On 20 fits of right laws it was
    at most 0.1, of a forcing of 20 % of u_t 30 (docs/ARCHITECTURE.md). Larger: missed; smaller: false alarms."""
    sds: Grid = (1e-3, 1.0, 25)
    """Sds of a source that are tried, in units of the rms of the left side. More: slower."""
    least_size: float = 0.03
    """Share of the left side: a smaller source is not worth a warning; meshes leave as much."""
    cosines_in_time: int = 40
    """Cosines that are tried; no more than half as many as readings of a sensor. As of all cosines, more: faster
    changes are seen; slower, and more chance."""
    cosines_in_space: int = 8
    """Along one axis; no more than half as many as sensors."""
    cosines_in_plane: int = 3
    """Along each axis of the plane."""
    cosines_of_products: int = 6
    """Along time and along space, for products of both."""


@dataclass(frozen=True)
class RecordOptions:
    """What a record of usual length is: residuals are judged as a mean over records."""

    readings_of_sensor: int = 200
    """Readings of a sensor. Larger: long records need to meet laws more closely."""
    factor_in_plane: float = 8.0
    """Ratio: what the residual of a right law costs in the plane to along an axis; there are so many more moments. Set
    on advection-diffusion, layout 0 (docs/ARCHITECTURE.md). Larger: wrong laws count as met."""


@dataclass(frozen=True)
class LeaveOutOptions:
    """Leave-one-sensor-out (``held_out.py``, ``observations.py``, ``left_out.py``)."""

    readings_in_closed_form: int = 500
    """Readings of a sensor, above which solving again without them is faster than the closed form, which takes the
    cube of them."""
    sensors_one_by_one: int = 200
    """Sensors in the plane, above which groups of neighbours are left out: of pixels, one alone would be predicted from
    those beside it, whatever the law."""
    groups: int = 64
    """Of neighbours. More: smaller groups, which any law predicts; slower."""
    every: int = 4
    """Of the sensors between others, one in so many is left out for the forward score. Smaller: a surer score of a
    worse fit."""


@dataclass(frozen=True)
class FitMemoryOptions:
    """What is computed at a time; results agree up to rounding."""

    elements: int = 512
    """Elements: with a hundred columns, more would not fit into the cache, and fewer take longer."""
    single_columns: int = 12
    """Columns, up to which LAPACK solves one after the other faster than in blocks."""


@dataclass(frozen=True)
class FitOptions:
    tolerances: ToleranceOptions = ToleranceOptions()
    refinement: RefinementOptions = RefinementOptions()
    steps: StepOptions = StepOptions()
    prior: PriorOptions = PriorOptions()
    noise: NoiseOptions = NoiseOptions()
    correlation: CorrelationOptions = CorrelationOptions()
    offsets: OffsetOptions = OffsetOptions()
    unknown_source: UnknownSourceOptions = UnknownSourceOptions()
    records: RecordOptions = RecordOptions()
    leave_out: LeaveOutOptions = LeaveOutOptions()
    memory: FitMemoryOptions = FitMemoryOptions()


FIT = FitOptions()
