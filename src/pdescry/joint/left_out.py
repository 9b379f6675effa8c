"""A law fitted again without some of the sensors, whose readings are then independent data.

Unlike ``fit/held_out.py``, which predicts each sensor from the others in closed form, this is another fit, from which
draws of field and coefficients can be solved forward. The terms of the law stay the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdescry.cores import one_thread
from pdescry.joint.field.axis import Array
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.stages import closer_to_law, with_noise, with_offsets
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.observations import Observations


@dataclass(frozen=True, eq=False)
class LeftOut:
    """fit: without the sensors. rows: (M,) which observations of the experiment are theirs. noise_sd: (left out,), sds
    of these about the field, from noise and offsets."""

    fit: JointFit
    rows: NDArray[np.bool_]
    noise_sd: Array


def some_sensors(observed: Observations) -> list[int]:
    """Every fourth of the inner sensors, along the axis, from the second on."""
    between = np.flatnonzero(observed.inside)
    (place,) = observed.readings.places.T
    return [int(sensor) for sensor in between[np.argsort(place[between], kind="stable")][1 :: FIT.leave_out.every]]


def _constant(experiment: Experiment) -> Array:
    """(n,): each field as the constant mean of its readings."""
    observed, space = experiment.observations, experiment.space
    means = [float(np.mean(observed.values[observed.field == k])) for k in range(space.components)]
    return space.packed(np.broadcast_to(np.reshape(means, (-1, *(1 for _ in space.axes))), space.shape).copy())


def left_out(fit: JointFit, sensors: list[int]) -> LeftOut:
    """Fields and coefficients of the same law, with a smaller tolerance, without these sensors of one experiment;
    starting from the fit with them. Where sensors are far apart, the law may not determine the initial state between
    them, which then has a prior with the sd of the readings."""
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
        found = with_offsets(with_noise(found))
        found = closer_to_law(found.objective.minimise(found.states, found.coefficients, FIT.steps.last))
    after = found.objective.experiments[fit.number].noise_model
    field = before.observations.field[rows]
    scale = after.noise_of_fields / fewer.noise_of_fields
    noise = before.noise[rows] * scale[field]
    return LeftOut(replace(fit, minimum=found), rows, np.hypot(noise, after.offset_sd[field]))
