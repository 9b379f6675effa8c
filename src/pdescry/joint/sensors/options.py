"""Tuned numbers of the search for faulty sensors and readings (`joint/sensors`).

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
No false alarm on seven systems, 16 sensors, noise 0, 0.01 and 0.05, layouts 1 to 10 (docs/ARCHITECTURE.md).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExamineOptions:
    """What is examined, and by which readings (``examine.py``, ``field_of_readings.py``)."""

    most_readings: int = 20_000
    """Readings of a field, up to which outliers and drift are looked for. So many take a minute."""
    most_readings_in_plane: int = 5_000
    """The same where they are of hundreds of places of the plane. More: slower."""
    least_readings: int = 40
    """Readings of a field, below which no process is fitted. Fewer: false alarms."""
    least_sensors: int = 4
    """Sensors that have to remain. Fewer: a field is not determined; more: faulty ones are kept."""
    least_share: float = 0.5
    """Share of the sensors that have to remain, with the same trade."""
    readings_of_scales: int = 300
    """Readings that scales are fitted to: half a second for each field (2 s of 500, Burgers and heat). More: surer
    scales."""
    readings_at_once: int = 1500
    """Readings, up to which all are predicted from each other at once. Time grows with the cube."""
    readings_of_part: int = 800
    """Readings that are judged at a time, in order of time, where there are more. More: slower."""
    readings_beside: int = 300
    """Readings before and after these that they are judged by, too. More: surer; slower."""


@dataclass(frozen=True)
class OutlierOptions:
    """Outliers (``outliers.py``); limits of z are in sds of the prediction, noise included."""

    suspect: float = 4.0
    """z in a first fit. Clean readings of seven systems with noise of 0.01 and 0.05 reach 4.5 where nothing bends
    (layouts 1 to 10); 2 % of outliers of 20 sds triple the noise of a first fit, and have 4 to 7 there. Larger: they
    hide each other; smaller: slower."""
    limit: float = 6.0
    """z once suspects are left out. Larger: outliers are kept; smaller: fronts are taken for them."""
    limit_at_ends: float = 10.0
    """z from readings of the same time alone, where there is none before or after it. The same trade."""
    rounds: int = 3
    """Fits without what was far out. More: outliers that others hid are found; slower."""
    most_share: float = 0.1
    """Share of the readings: more are noise of another kind. Larger: readings are lost."""
    neighbours: int = 10
    """Nearest readings that are looked at."""
    crowd: int = 4
    """Of these, so many that are far out, too, are a part of the field. Larger: fronts are taken for outliers; smaller:
    bursts are missed."""
    calm_ratio: float = 2.0
    """Ratio: z to the largest of the nearest sound readings. Larger: outliers near fronts are missed; smaller: fronts
    are taken for them."""
    beyond_neighbours: float = 0.25
    """Share of the distance from its prediction by which an outlier lies beyond its neighbours in time. Larger: missed;
    smaller: peaks of the field are taken for outliers."""
    shared: float = 0.25
    """Share of its z: more of the same sign just before or after is a part of the field. Larger: the field is taken for
    outliers; smaller: they are missed."""
    gap: float = 3.0
    """Usual steps in time, beyond which a reading is no neighbour. Larger: judged by what was long before."""


@dataclass(frozen=True)
class ConstantOptions:
    """Sensors that read a constant (``constant.py``)."""

    readings_at_end: int = 8
    """Equal readings of a run at the end of a record. Fewer: slow fields are taken for dead sensors; more: late
    failures are missed."""
    readings_throughout: int = 5
    """Equal readings of a record without others. The same trade."""
    share_of_run: float = 0.9
    """Share of equal readings in a run: a dead sensor may have outliers, too. Smaller: false alarms."""
    limit: float = 6.0
    """Sds of the prediction, noise included, by which the field changes meanwhile. Larger: missed; smaller: false
    alarms, as of the next two."""
    changes_of_noise: float = 5.0
    """Ratio: how much neighbours change to the noise, or to the step of the converter."""
    changes_of_field: float = 0.1
    """Share of the field's sd by which neighbours change, at least."""
    least_noise: float = 1e-3
    """Share of the field's sd: noise that rounding cannot leave, so that equal readings are a fault. Smaller: false
    alarms of coarse converters."""
    equal_by_chance: float = 0.02
    """Share of neighbours in time, of all other sensors, that may be equal by chance. Larger: the same."""


@dataclass(frozen=True)
class DriftOptions:
    """Sensors that drift (``drift.py``); z is a slope by its sd."""

    limit: float = 8.0
    """z. Clean readings of seven systems (16 sensors, noise 0 to 0.05, layouts 1 to 10) are below it or fail what else
    is asked; a drift by one sd of the field has 15 and more in heat's readings (noise 0.05, layouts 1 to 10). Larger:
    missed; smaller: false alarms."""
    suspect: float = 2.0
    """z by a process that was fitted with the sensor, which bends along. Larger: missed; smaller: slower."""
    suspects: int = 2
    """Sensors that are judged by a process without them. More: slower."""
    stands_out: float = 3.0
    """Ratio: z to the largest of the others once the drift is accounted for. Larger: missed; smaller: false alarms."""
    tie: float = 1.2
    """Ratio of two sensors' `stands_out`, below which it is not told which of them drifts. Smaller: the wrong one may
    be left out."""
    least_change: float = 0.5
    """Sds of the field over the record. Where Burgers' shock passes, a sensor without noise seems to drift by 0.3
    (layouts 4 and 12). Larger: missed; smaller: false alarms."""
    least_change_by_noise: float = 4.0
    """Sds of the noise over the record. The same trade."""
    most_change: float = 5.0
    """Sds of the field over the record: more is no slow drift. Larger: other faults are called drift."""
    least_error: float = 0.01
    """Share of the field's sd: a process is no better than that, however little noise there is. Smaller: false
    alarms."""
    beside_gain: float = 5.0
    """z if the gain may be off, too. Larger: missed; smaller: wrong gains are called drift."""
    least_readings: int = 8
    """Readings of a sensor that is judged. Fewer: false alarms."""
    least_sensors: int = 5
    """Sensors between others: fewer do not tell a drift from a profile that they do not resolve."""


@dataclass(frozen=True)
class AgainstLawOptions:
    """Sensors that drift against the law (``against_law.py``). This only decides without which sensors a law is sought:
    larger: missed; smaller: sought in vain."""

    limit: float = 2.5
    """Slope by its sd: little, because a law that the drift has led astray finds much noise in all sensors. Burgers,
    noise 0.05, layout 1: 6.4 (docs/ARCHITECTURE.md)."""
    stands_out: float = 2.0
    """Ratio to the next sensor's: there, 2.5 to 3.2 (docs/ARCHITECTURE.md)."""


@dataclass(frozen=True)
class StepsOptions:
    """Coarse converters (``steps.py``)."""

    least_changes: int = 10
    """Changes of a record, below which steps are not told. Fewer: false alarms."""
    equal_share: float = 0.2
    """Share of neighbours in time that are equal. Larger: missed; smaller: false alarms."""
    smallest_change: float = 0.3
    """Ratio: smallest change to the median one. Of 10 normal differences it is 0.1, of many less; steps of the
    aluminium rod's thermistors, which a curve bends, differ by a tenth. Larger: missed; smaller: false alarms."""


@dataclass(frozen=True)
class SensorOptions:
    examine: ExamineOptions = ExamineOptions()
    outliers: OutlierOptions = OutlierOptions()
    constant: ConstantOptions = ConstantOptions()
    drift: DriftOptions = DriftOptions()
    against_law: AgainstLawOptions = AgainstLawOptions()
    steps: StepsOptions = StepsOptions()


SENSORS = SensorOptions()
