"""Tuned numbers of the search for faulty sensors and readings (`joint/sensors`).

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
No false alarm on seven systems, 16 sensors, noise 0, 0.01 and 0.05, layouts 1 to 10 (docs/ARCHITECTURE.md).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExamineOptions:
    """Sizes of what is examined (``examine.py``, ``field_of_readings.py``)."""

    most_readings: int = 20_000
    """Readings of a field, up to which outliers and drift are sought. This many take a minute."""
    most_readings_in_plane: int = 5_000
    """The same for hundreds of places in the plane. More: slower."""
    least_readings: int = 40
    """Readings of a field, below which no process is fitted. Fewer: false alarms."""
    least_sensors: int = 4
    """Sensors that have to remain. Fewer: a field is not determined; more: faulty ones are kept."""
    least_share: float = 0.5
    """Share of the sensors that have to remain, with the same trade."""
    readings_of_scales: int = 300
    """Readings to which scales are fitted: half a second for each field (2 s with 500, Burgers and heat). More: more
    precise scales."""
    readings_at_once: int = 1500
    """Readings, up to which all are predicted jointly. Time grows with the cube."""
    readings_of_part: int = 800
    """Readings that are judged at a time, in order of time, above that. More: slower."""
    readings_of_margin: int = 300
    """Readings before and after these from which they are predicted, too. More: more reliable; slower."""


@dataclass(frozen=True)
class OutlierOptions:
    """Outliers (``outliers.py``); limits of z are in sds of the prediction, noise included."""

    suspect: float = 4.0
    """z in a first fit. Clean readings of seven systems with noise of 0.01 and 0.05 reach 4.5 where the field is smooth
    (layouts 1 to 10); 2 % of outliers of 20 sds triple the noise of a first fit, and have 4 to 7 there. Larger:
    outliers mask each other; smaller: slower."""
    limit: float = 6.0
    """z in a fit without the suspects. Larger: outliers are kept; smaller: fronts are mistaken for outliers."""
    limit_at_ends: float = 10.0
    """z from readings of the same time alone, where there is none before or after it. The same trade-off."""
    rounds: int = 3
    """Fits without the outliers found so far. More: masked outliers are found; slower."""
    most_share: float = 0.1
    """Share of the readings: more outliers are noise with another distribution. Larger: readings are lost."""
    neighbours: int = 10
    """Number of nearest readings that are compared."""
    suspects_nearby: int = 4
    """Number of these that are outliers, too, from which they are part of the field. Larger: fronts are mistaken for
    outliers; smaller: bursts are missed."""
    calm_ratio: float = 2.0
    """Ratio: z to the largest of the nearest sound readings. Larger: outliers near fronts are missed; smaller: fronts
    are mistaken for outliers."""
    beyond_neighbours: float = 0.25
    """Share of the distance from its prediction by which an outlier lies beyond its neighbours in time. Larger: missed;
    smaller: peaks of the field are mistaken for outliers."""
    shared: float = 0.25
    """Share of its z: if the reading before or after has a larger one of the same sign, both are part of the field.
    Larger: the field is mistaken for outliers; smaller: they are missed."""
    gap: float = 3.0
    """Median steps in time, beyond which a reading is no neighbour. Larger: judged by distant readings."""


@dataclass(frozen=True)
class ConstantOptions:
    """Sensors that read a constant (``constant.py``)."""

    readings_at_end: int = 8
    """Equal readings of a run at the end of a record. Fewer: slow fields are mistaken for dead sensors; more: late
    failures are missed."""
    readings_throughout: int = 5
    """Equal readings of a record that has no others. The same trade-off."""
    share_of_run: float = 0.9
    """Share of equal readings in a run: a dead sensor may have outliers, too. Smaller: false alarms."""
    limit: float = 6.0
    """Sds of the prediction, noise included, by which the field changes meanwhile. Larger: missed; smaller: false
    alarms; the same for the next two."""
    changes_of_noise: float = 5.0
    """Ratio: change of neighbouring readings to the noise, or to the step of the converter."""
    changes_of_field: float = 0.1
    """Share of the field's sd: least change of neighbouring readings."""
    least_noise: float = 1e-3
    """Share of the field's sd: noise above which equal readings are a fault, not rounding. Smaller: false alarms of
    coarse converters."""
    equal_by_chance: float = 0.02
    """Share of consecutive readings of all other sensors that may be equal by chance. Larger: false alarms."""


@dataclass(frozen=True)
class DriftOptions:
    """Sensors that drift (``drift.py``); z is a slope divided by its sd."""

    limit: float = 8.0
    """z. Clean readings of seven systems (16 sensors, noise 0 to 0.05, layouts 1 to 10) are below it or fail the other
    criteria; a drift by one sd of the field has 15 and more in heat's readings (noise 0.05, layouts 1 to 10). Larger:
    missed; smaller: false alarms."""
    suspect: float = 2.0
    """z by a process fitted with the sensor, which follows the drift. Larger: missed; smaller: slower."""
    suspects: int = 2
    """Sensors that are judged by a process without them. More: slower."""
    prominence: float = 3.0
    """Ratio: z to the largest of the other sensors once the drift is accounted for. Larger: missed; smaller: false
    alarms."""
    tie: float = 1.2
    """Ratio of the `prominence` of two sensors, below which it is undecided which of them drifts. Smaller: the wrong
    one may be left out."""
    least_change: float = 0.5
    """Sds of the field over the record. Where Burgers' shock passes, a sensor without noise seems to drift by 0.3
    (layouts 4 and 12). Larger: missed; smaller: false alarms."""
    least_change_by_noise: float = 4.0
    """Sds of the noise over the record. The same trade."""
    most_change: float = 5.0
    """Sds of the field over the record: larger changes are no slow drift. Larger: other faults are reported as
    drift."""
    least_error: float = 0.01
    """Share of the field's sd: lower bound for the error of a process, however small the noise. Smaller: false
    alarms."""
    beside_gain: float = 5.0
    """z with a gain as a further unknown. Larger: missed; smaller: wrong gains are reported as drift."""
    least_readings: int = 8
    """Readings of a sensor that is judged. Fewer: false alarms."""
    least_sensors: int = 5
    """Inner sensors: fewer cannot distinguish drift from an unresolved profile."""


@dataclass(frozen=True)
class AgainstLawOptions:
    """Sensors that drift against the law (``against_law.py``). This only decides whether a law is also sought without a
    sensor: larger values miss drift, smaller ones waste a search."""

    limit: float = 2.5
    """Slope divided by its sd: small, because with a law that is wrong due to the drift, the noise of all sensors is
    overestimated. Burgers, noise 0.05, layout 1: 6.4 (docs/ARCHITECTURE.md)."""
    prominence: float = 2.0
    """Ratio to the next sensor's: for Burgers, 2.5 to 3.2 (docs/ARCHITECTURE.md)."""


@dataclass(frozen=True)
class StepsOptions:
    """Coarse converters (``steps.py``)."""

    least_changes: int = 10
    """Changes of a record, below which no steps are inferred. Fewer: false alarms."""
    equal_share: float = 0.2
    """Share of consecutive readings that are equal. Larger: missed; smaller: false alarms."""
    smallest_change: float = 0.3
    """Ratio: smallest change to the median one. For 10 normal differences it is 0.1, for many smaller; steps of the
    aluminium rod's thermistors, which have a nonlinear characteristic, differ by a tenth. Larger: missed; smaller:
    false alarms."""


@dataclass(frozen=True)
class SensorOptions:
    examine: ExamineOptions = ExamineOptions()
    outliers: OutlierOptions = OutlierOptions()
    constant: ConstantOptions = ConstantOptions()
    drift: DriftOptions = DriftOptions()
    against_law: AgainstLawOptions = AgainstLawOptions()
    steps: StepsOptions = StepsOptions()


SENSORS = SensorOptions()
