"""A drifting sensor detected by means of a law, where sensors are too far apart to be predicted without it.

Each sensor is left out and predicted from the others by the law. With e and P the errors of these predictions and their
precision, the level and slope of the errors, with columns D, are

    (DᵀPD)⁻¹ DᵀPe,   covariance (DᵀPD)⁻¹

The law may be wrong because of the drift, so this does not decide: a law is sought without the sensor, and has to
predict the others better.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pdescry.data import Readings, SensorFault
from pdescry.joint.fit.held_out import InClosedForm, each_left_out
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.sensors.options import SENSORS


def drifting(found: Minimum) -> tuple[int, float] | None:
    """The sensor that drifts most clearly, and its rate; for one experiment and one field."""
    if len(found.states) > 1 or len(found.objective.operator.fields) > 1:
        return None
    (experiment,) = found.objective.experiments
    observed, model = experiment.observations, experiment.noise_model
    if not observed.at_rest:
        return None
    time, slopes = observed.points[:, -1], []
    duration = float(np.ptp(time))
    for _, sensors, each in each_left_out(found, outermost=False):
        if len(sensors) > 1 or not isinstance(each, InClosedForm) or np.ptp(time[each.own]) < duration / 2:
            continue
        line = np.zeros((len(observed), 2))
        line[each.own, 0] = 1.0
        line[each.own, 1] = (time[each.own] - time[each.own].mean()) / duration
        columns = np.stack([model.whitened(column)[each.own] for column in line.T], axis=1)
        covariance = np.linalg.pinv(columns.T @ each.remaining @ columns, hermitian=True)
        size = float((covariance @ (columns.T @ each.misfit))[1])
        if not covariance[1, 1] > 0:  # but for rounding, nothing is known of its slope
            continue
        slopes.append((abs(size) / float(np.sqrt(covariance[1, 1])), size, int(sensors[0])))
    if len(slopes) < SENSORS.drift.least_sensors:
        return None
    (z, size, sensor), (next_z, *_) = sorted(slopes, reverse=True)[:2]
    is_large = SENSORS.drift.least_change < abs(size) / float(observed.unit[0]) < SENSORS.drift.most_change
    is_clear = z > SENSORS.against_law.limit and z > SENSORS.against_law.prominence * next_z
    return (sensor, size / duration) if is_clear and is_large else None


def without(readings: Readings, fault: SensorFault) -> Readings:
    """Readings without a drifting sensor; unchanged if it is not among them."""
    names = readings.sensor_names or tuple(map(str, range(readings.n_sensors)))
    if fault in readings.faults or fault.sensors[0] not in names:
        return readings
    gone = readings.sensor == names.index(fault.sensors[0])
    return replace(readings, sensor_names=names, faults=(*readings.faults, fault)).select(~gone)


def fault_of(readings: Readings, sensor: int, rate: float) -> SensorFault:
    names = readings.sensor_names or tuple(map(str, range(readings.n_sensors)))
    number = int((readings.sensor == sensor).sum())
    return SensorFault("drift", readings.fields[0], (names[sensor],), True, number, value=rate)
