"""Tuned numbers of what is done with a law that was found: tables, warnings, draws, advice, expected duration.

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured. Those of the stages before: ``field/options.py``, ``fit/options.py``, ``search/options.py``,
``sensors/options.py``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReportOptions:
    """What is reported of a law (``choice.py``, ``joint_fit.py``, ``profiles.py``)."""

    probability: float = 0.05
    """Probability of another law, above which it is mentioned. Smaller: unlikely laws are reported."""
    residual: float = 0.03
    """Share of the left side, above which the residual causes a warning. Larger: missing terms are not reported;
    smaller: coarse meshes are."""
    agreement: float = 0.95
    """Probability level at which the slope of D and the coefficient of u_x of a law in conservation form agree. Larger:
    more laws are reported as conservation laws."""
    places_of_profile: int = 51
    """Points of a curve. More: smoother curves, longer tables."""
    clear_constant: float = 4.0
    """Distance of a sensor's gain, displacement or delay from zero, in its sds, above which the sensor is named.
    Smaller: chance is reported."""
    sensors_named: int = 3
    """Largest number of them in a sentence."""


@dataclass(frozen=True)
class ForwardOptions:
    """Fields that are drawn, and from which the law is solved forward (``joint_fit.py``, ``joint_field.py``,
    ``inference.py``)."""

    points: int = 256
    """Points predicted at a time. More: memory."""
    damped_degree: float = 160
    """Degree by which waves of an initial profile are damped. Larger: too rough for the solver; smaller: shocks are
    blurred."""
    rectangles: tuple[float, float, int] = (1.0, 0.4, 13)
    """Shares of the box around the sensors in the plane that are tried as the solver's domain: first, last, number."""
    points_of_side: int = 15
    """Points along each axis of a rectangle that have to lie among the sensors. More: more reliable; slower."""
    states: int = 500
    """Approximate number of points at which the states of the fields are sampled. More: rarer states are judged, too;
    slower."""
    draws_without_law: int = 200
    """Draws of a field without a law, by which the next sensor is judged. More: smaller statistical error; slower."""
    least_sensors: int = 5
    """Sensors, below which none are left out for the forward score. Fewer: the score is not meaningful."""


@dataclass(frozen=True)
class AdviceOptions:
    """Where to put the next sensor (``advice.py``). More: finer; time grows in proportion."""

    places: int = 101
    """Places along an axis. A hundred banded solves take 1 s of one core (docs/ARCHITECTURE.md)."""
    places_in_plane: int = 160
    """Places in the hull of the sensors, where there are several axes."""
    most_times: int = 100
    """Times of a potential sensor; if there are more, each represents several readings."""
    times_elsewhere: int = 21
    """Number of times where readings share no places."""
    least_noise: float = 1e-9
    """Share of the largest reading: noise where none is known, to avoid division by zero."""


@dataclass(frozen=True)
class DurationOptions:
    """Expected duration of a search (``duration.py``). It is only displayed."""

    one_field: float = 30.0
    """Core seconds for one field of one experiment."""
    per_field: float = 5.0
    """Ratio for each further field: more candidates, wider matrices."""
    long_record: float = 2.0
    """Ratio for each `MeshOptions.long_record` elements in time."""
    in_the_plane: float = 2.0
    """Ratio: a law takes longer to fit, and fewer are tried."""
    cores: int = 2
    """Cores of the machine that these were measured on."""


@dataclass(frozen=True)
class AnswerOptions:
    report: ReportOptions = ReportOptions()
    forward: ForwardOptions = ForwardOptions()
    advice: AdviceOptions = AdviceOptions()
    duration: DurationOptions = DurationOptions()


ANSWER = AnswerOptions()
