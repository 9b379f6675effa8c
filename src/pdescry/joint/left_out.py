"""A law fitted again without some of the sensors, whose readings are then independent data.

Unlike ``fit/held_out.py``, which predicts each sensor from the others in closed form, this is another fit, from which
draws of field and coefficients can be solved forward. The terms of the law stay the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdescry.cores import one_thread
from pdescry.joint.field.axis import Array
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.sensor_errors import with_sensor_errors
from pdescry.joint.fit.stages import closer_to_law
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.observations import Observations, bisected


@dataclass(frozen=True, eq=False)
class LeftOut:
    """fit: without the sensors. rows: (M,) which observations of the experiment are theirs. noise_sd: (left out,), sds
    of these about the field, from noise and systematic errors."""

    fit: JointFit
    rows: NDArray[np.bool_]
    noise_sd: Array


def some_sensors(observed: Observations, box: Mapping[str, tuple[float, float]] | None = None) -> list[int]:
    """Every fourth of the inner sensors from the second on, or of the groups that are left out together; along the
    axis, or from neighbour to neighbour in the plane. box: ends along each axis, between which they have to stay."""
    readings, allowed = observed.readings, observed.inside
    if box is not None:
        low, high = np.transpose([box[axis] for axis in readings.axes])
        beyond = ((readings.space < low) | (high < readings.space)).any(axis=1)
        allowed = allowed & (np.bincount(readings.sensor[beyond], minlength=readings.n_sensors) == 0)
    groups = [some for some, _ in observed.left_out if allowed[some].all()]
    if not groups:
        return []
    middles = np.stack([readings.places[some].mean(axis=0) for some in groups])
    order = np.concatenate(bisected(middles, np.arange(len(groups)), len(groups)))
    return [int(sensor) for k in order[1 :: FIT.leave_out.every] for sensor in groups[k]]


def _constant(experiment: Experiment) -> Array:
    """(n,): each field as the constant mean of its readings."""
    observed, space = experiment.observations, experiment.space
    means = [float(np.mean(observed.values[observed.field == k])) for k in range(space.components)]
    return space.packed(np.broadcast_to(np.reshape(means, (-1, *(1 for _ in space.axes))), space.shape).copy())


def left_out(fit: JointFit, sensors: list[int]) -> LeftOut:
    """Fields and coefficients of the same law, without these sensors of one experiment, along one axis with a smaller
    tolerance; starting from the fit with them. Where sensors are far apart, the law may not determine the initial state
    between them, which then has a prior with the sd of the readings."""
    before, found = fit.experiment.noise_model, fit.minimum
    rows = np.isin(before.observations.sensor, sensors)
    kept = fit.readings.select(~np.isin(fit.readings.sensor, sensors))
    fewer = before.without(rows, Observations(kept))
    experiments = list(found.objective.experiments)
    experiment = replace(fit.experiment, noise_model=fewer)
    experiments[fit.number] = experiment.varying(_constant(experiment), fit.state, fit.orders)
    with one_thread(), np.errstate(all="ignore"):
        found = found.with_experiments(experiments)
        found = found.objective.minimise(found.states, found.coefficients, FIT.steps.last)
        found = with_sensor_errors(found)
        found = found.objective.minimise(found.states, found.coefficients, FIT.steps.last)
        if len(fit.readings.axes) == 1:  # meshes in the plane are too coarse for it
            found = closer_to_law(found)
    after = found.objective.experiments[fit.number].noise_model
    scale = after.noise_of_fields / fewer.noise_of_fields
    calibration = before.calibration.with_sds_of(after.calibration)
    alike = replace(before, noise=before.noise * scale[before.observations.field], calibration=calibration)
    return LeftOut(replace(fit, minimum=found), rows, np.sqrt(alike.variances(np.flatnonzero(rows))))
