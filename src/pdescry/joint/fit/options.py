"""Tuned numbers of `joint/fit`: one law fitted to its fields, and leave-one-sensor-out.

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
"""

from __future__ import annotations

from dataclasses import dataclass

Grid = tuple[float, float, int]  # least, most, number of values, in equal ratios


@dataclass(frozen=True)
class ToleranceOptions:
    """Tolerance of the residual of a law, as a share of its left side (rms), unless another unit is named."""

    stages: tuple[float, ...] = (1e-2, 3e-3, 1e-3)
    """From the first fit to the last. Starting with the last leads to wrong minima from a field without a law; more
    stages take longer. In the plane, meshes are judged at the second (advection-diffusion, layout 0;
    docs/ARCHITECTURE.md)."""
    gradual: tuple[float, ...] = (0.1, 0.03)
    """Before these, where the initial field may be far from one that satisfies the law. Such fits find shocks between
    sensors, but shrink the terms of other laws to nothing."""
    residual_cost: float = 5.0
    """Nats, for each record of usual length, that the residual of an equation may cost in the end; above, the tolerance
    is increased to what the mesh resolves. FitzHugh–Nagumo, 5 % noise, layouts 22 and 23: coefficients off by at most
    1.6 sd, by up to 10 sd without it (docs/ARCHITECTURE.md). Larger: the mesh biases coefficients; smaller: the law is
    hardly enforced."""
    harder: float = 0.3
    """Ratio of the next smaller tolerance, where the residual costs more than that. Larger: more fits."""
    hardenings: int = 4
    """Smaller tolerances that are tried. Fewer: many or precise readings are followed into their noise, within the
    tolerance (advection-diffusion, 64 sensors, noise 1 %, layout 171: a diffusivity of 0.094 for 0.1)."""
    largest_residual_hardened: float = 0.1
    """Share of the left side (rms): an equation that fails by more is not tried with smaller ones. Larger: slower."""
    negligible_rate: float = 1e-2
    """Of the readings' sd over the duration: lower bound for the scale of a left side. Larger: laws of slow fields are
    too soft; smaller: constant fields make them too rigid."""
    forward: tuple[float, ...] = (0.1, 0.3)
    """Shares of the last tolerance, tried in turn, for fields from which the law is solved forward. Smaller: less error
    is propagated; coarse meshes fail (shallow water, docs/ARCHITECTURE.md)."""
    forward_noise_ratio: float = 1.1
    """Ratio: noise about such fields to that before, above which the mesh is too coarse for the share. Larger: fields
    deviate from the readings."""
    draws: float = 0.1
    """Share of the tolerance for draws that are solved forward. With 1, the residual of draws was 4.5 % of u_t where
    that of the mean was 0.7 % (docs/ARCHITECTURE.md)."""
    draws_in_plane: float = 1.0
    """The same in the plane, where fields are not fitted with a smaller tolerance either: meshes are too coarse for it.
    Smaller: intervals are too narrow (docs/ARCHITECTURE.md)."""


@dataclass(frozen=True)
class RefinementOptions:
    """When meshes are refined; as shares of the left side (rms), unless another unit is named."""

    coarse_residual: float = 0.05
    """Residual after the first fit, above which the mesh is refined before the tolerance is reduced. Smaller: slower;
    larger: coefficients compensate for the mesh."""
    least_improvement: float = 0.9
    """Ratio: residual after a refinement to that before, above which the mesh is not its cause. Larger: useless
    refinements."""
    residual_on_a_line: float = 0.015
    """Residual below which the mesh is fine enough. Smaller: more refinements."""
    residual_in_the_plane: float = 0.03
    """The same in the plane, where each refinement takes longer."""
    residual_cost_at_edges: float = 5.0
    """Nats that the residual of an equation may cost in the plane where edges are known; above, the mesh is refined
    once more. An insulated plate with growth, 12 sensors, noise 2 %: with 18 nats on 12 x 12 elements coefficients were
    off by 2.9 and 4.0 sd, with 2.8 nats on 18 x 18 by 1.0 and 1.8. Larger: the mesh biases coefficients; smaller:
    slower."""
    rounds: int = 3
    """Refinements in each stage. More: sharper fields; slower."""
    shared_error: float = 0.3
    """Ratio: error of an axis with half its elements to that of the worst axis, above which it is refined, too.
    Smaller: all axes are refined each time."""


@dataclass(frozen=True)
class StepOptions:
    """Gauss–Newton."""

    per_tolerance: int = 7
    """Steps for each tolerance on the first mesh. More, here and below: closer to the minimum; slower."""
    on_finer_mesh: int = 7
    """Steps after each refinement."""
    last: int = 30
    """Maximum number of steps of a final fit."""
    to_compare: int = 12
    """Steps of laws that are compared with the best."""
    fractions: tuple[float, ...] = (1.0, 0.3, 0.1, 0.03)
    """Fractions of a step, tried in turn. More: slower if none succeeds; fewer: fits stop early."""
    corrections: tuple[int, ...] = (4, 2, 2, 2)
    """For each fraction, how often the states are corrected for the new coefficients. More: longer steps succeed; each
    takes a factorisation."""
    sufficient_decrease: float = 0.3
    """Share of the predicted decrease that a step has to achieve. Larger: shorter steps; smaller: poor ones are
    accepted."""
    negligible_decrease: float = 1e-2
    """Of twice the log posterior: if the predicted decrease is smaller, the fit has converged. Larger: coefficients are
    farther from the minimum."""
    further_decrease: float = 2.0
    """Ratio: largest expected decrease by all further steps to the predicted decrease of the next. Larger: poor laws
    are given up later; smaller: good ones too early."""
    poor_decrease: float = 0.1
    """Share of the predicted decrease below which a step is poor. Larger: difficult fits are given up."""
    patience: int = 2
    """Consecutive poor steps that end a fit. Larger: slower; smaller: difficult fits are given up."""


@dataclass(frozen=True)
class PriorOptions:
    """Priors."""

    coefficient: float = 3.0
    """Sd of a coefficient, in units of the one with which its term alone would balance the left side. Larger: terms are
    penalised more (Occam factor); smaller: large coefficients are shrunk."""
    roughness_in_space: float = 1e-10
    """Weight of ∫ (L³ u_xxx)², with u in units of its sd. Here and for the next two, larger blunts shocks; smaller
    leaves fields undetermined where there are no readings."""
    roughness_in_time: float = 1e-5
    """Weight of ∫ (T² u_tt)²; T is the duration of a record of usual length."""
    size: float = 1e-2
    """Weight of ∫ u²."""
    boundary_condition: float = 1e-3
    """Share of the readings' sd, over the interval to the order: tolerance of boundary conditions. Smaller: worse
    conditioned problems; larger: conditions are less informative (docs/refine.md)."""


@dataclass(frozen=True)
class NoiseOptions:
    """Noise models (``noise_model.py``, ``sensor_errors.py``)."""

    least_sd: float = 2e-4
    """Share of the readings' sd: lower bound of the noise. Smaller values cannot be resolved with this number of
    splines; larger: precise readings are less informative."""
    least_step: float = 0.01
    """Time between consecutive errors that counts at least, in correlation times. Smaller: single readings have almost
    no weight."""
    least_weight: float = 3e-3
    """Weight of an earlier error in the prediction of the newest, below which it is neglected. Smaller: rows are less
    local, so slower."""
    most_earlier: int = 24
    """Largest number of earlier errors, with the same trade-off."""
    very_noisy: float = 0.1
    """Share of the readings' sd: assumed noise, with which fields are first determined by the law. Larger: they deviate
    from the readings."""
    evidence_of_difference: float = 5.0
    """Nats, beyond the cost of the additional parameters, for sensors to have different noise. Larger: bad sensors have
    full weight; smaller: weights are random."""
    least_variance: float = 0.1
    """Share of the common variance: lower bound for that of a sensor. Smaller: a few sensors may dominate."""
    judged: float = 0.5
    """Share of a sensor's readings that are not degrees of freedom of the field, above which its noise is estimated
    separately. Smaller: noise of sensors that the field follows is underestimated."""
    rounds: int = 1
    """Further iterations between noise and fields. More changed nothing on two real rods."""


@dataclass(frozen=True)
class CorrelationOptions:
    """Correlated errors (``lasting_errors.py``)."""

    evidence: float = 5.0
    """Nats: least evidence of correlation. Larger: intervals too narrow; smaller: noise is mistaken for it."""
    shares: tuple[float, ...] = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
    """Grid of shares of the variance. More: slower."""
    further_shares: tuple[float, ...] = (0.95, 0.98, 0.99, 0.997, 0.999, 0.9997)
    """Shares that are also tried once errors are known to be correlated: precise sensors whose errors are mostly those
    of a gain, a lag or the law. More: slower."""
    times: int = 30
    """Number of correlation times in the grid, from a quarter of the usual distance of readings to the whole record.
    More: slower."""
    readings_of_sensor: int = 8
    """Average number of readings of a sensor, below which correlation is not estimated. Smaller: chance is mistaken for
    it."""


@dataclass(frozen=True)
class CalibrationOptions:
    """Systematic errors of sensors (``systematic_errors.py``)."""

    evidence: float = 5.0
    """Nats: least evidence of systematic errors of one kind. Larger: biased sensors bias the law; smaller: they explain
    what terms should (docs/refine.md)."""
    sds: Grid = (1e-4, 1.0, 100)
    """Grid of sds of their effects, in units of the readings' sd. More: slower."""
    largest_gain: float = 0.03
    """Largest sd of gains. Larger: with them the field loses its scale (a switched rod, docs/ARCHITECTURE.md)."""
    largest_displacement: float = 0.05
    """Largest sd of displacements, as a share of the distance between sensors. Larger: on a switched rod they took the
    place of diffusion; smaller: misplaced sensors bias the law (docs/ARCHITECTURE.md)."""
    largest_delay: float = 1.0
    """Largest sd of delays, in times between two readings of a sensor. Larger: delays take the place of terms."""
    readings_in_plane: int = 5
    """Average number of readings of a sensor in the plane, required to estimate its offset. Fewer: the field is
    mistaken for offsets."""


@dataclass(frozen=True)
class SharedErrorsOptions:
    """Errors that sensors have in common (``shared_errors.py``)."""

    least_times: int = 8
    """Times at which all sensors are read, required to estimate correlations. Fewer: chance decides."""
    clearly: float = 4.0
    """Standard errors by which correlations have to exceed chance. Smaller: right laws need more evidence; larger:
    shared errors are overlooked."""
    times_per_lag: int = 8
    """Times for each lag at which correlations in time are estimated. More: what lasts longer is taken for shared."""


@dataclass(frozen=True)
class UnknownSourceOptions:
    """A source that is missing in the law (``unknown_source.py``)."""

    evidence: float = 8.0
    """Nats in favour of a source before it is reported; several kinds and sizes are tried. On 20 fits of right laws it
    was at most 0.1, of a forcing of 20 % of u_t 30 (docs/ARCHITECTURE.md). Larger: missed; smaller: false alarms."""
    sds: Grid = (1e-3, 1.0, 25)
    """Grid of sds of a source, in units of the rms of the left side. More: slower."""
    least_size: float = 0.03
    """Share of the left side: a smaller source is not reported; the error of the mesh is of this size."""
    cosines_in_time: int = 40
    """Cosines along time; at most half as many as readings of a sensor. Here and below, more: faster changes are
    detected; slower, and more false alarms."""
    cosines_in_space: int = 8
    """Along one axis; at most half as many as sensors."""
    cosines_in_plane: int = 3
    """Along each axis of the plane."""
    cosines_of_products: int = 6
    """Along time and along space, for products of both."""


@dataclass(frozen=True)
class RecordOptions:
    """Records of usual length: residuals are averaged over such records."""

    readings_of_sensor: int = 200
    """Readings of a sensor. Larger: long records need smaller residuals."""
    factor_in_plane: float = 8.0
    """Ratio: cost of the residual of a right law in the plane to that along an axis; there are so many more moments.
    Set on advection-diffusion, layout 0 (docs/ARCHITECTURE.md). Larger: wrong laws are accepted."""


@dataclass(frozen=True)
class LeaveOutOptions:
    """Leave-one-sensor-out (``held_out.py``, ``observations.py``, ``left_out.py``)."""

    readings_in_closed_form: int = 500
    """Readings of a sensor, above which solving again without them is faster than the closed form, whose time grows
    with the cube of their number."""
    sensors_one_by_one: int = 200
    """Sensors in the plane, above which groups of neighbours are left out: a single pixel would be predicted from
    adjacent ones by any law."""
    groups: int = 64
    """Number of groups. More: smaller groups, which any law predicts; slower."""
    every: int = 4
    """One in so many inner sensors is left out for the forward score. Smaller: a more precise score of a worse fit."""


@dataclass(frozen=True)
class FitMemoryOptions:
    """Chunk sizes and caches; results agree up to rounding."""

    elements: int = 512
    """Elements: with a hundred columns, larger chunks exceed the cache, and smaller ones take longer."""
    times_kept: int = 2000
    """Times of a record, up to which the matrix that decorrelates its errors is kept for sensors that are read at the
    same times. Larger: more memory."""
    single_columns: int = 12
    """Columns, up to which LAPACK is faster one column at a time than in blocks."""


@dataclass(frozen=True)
class FitOptions:
    tolerances: ToleranceOptions = ToleranceOptions()
    refinement: RefinementOptions = RefinementOptions()
    steps: StepOptions = StepOptions()
    prior: PriorOptions = PriorOptions()
    noise: NoiseOptions = NoiseOptions()
    correlation: CorrelationOptions = CorrelationOptions()
    calibration: CalibrationOptions = CalibrationOptions()
    shared_errors: SharedErrorsOptions = SharedErrorsOptions()
    unknown_source: UnknownSourceOptions = UnknownSourceOptions()
    records: RecordOptions = RecordOptions()
    leave_out: LeaveOutOptions = LeaveOutOptions()
    memory: FitMemoryOptions = FitMemoryOptions()


FIT = FitOptions()
