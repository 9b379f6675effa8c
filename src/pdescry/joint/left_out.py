"""A law fitted again without some of the sensors: what they read is then news to it.

Unlike ``held_out.py``, which predicts each sensor from the others in closed form, this is a fit of its own, from which
draws of field and coefficients can be solved forward. The terms of the law stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdescry.data import Readings
from pdescry.joint.fit import JointFit
from pdescry.joint.held_out import inside
from pdescry.joint.scatter import Scatter
from pdescry.joint.splines import Array
from pdescry.joint.stages import STEPS_AT_LAST, at_least, with_noise, with_offsets
from pdescry.joint.triangle import one_thread

EVERY = 4  # of the sensors between others one of so many is left out


@dataclass(frozen=True, eq=False)
class LeftOut:
    """fit: without them. rows: (N,) which readings of the experiment they are. scatter_sd: (left out,) of what they
    read about the field, noise and offsets."""

    fit: JointFit
    rows: NDArray[np.bool_]
    scatter_sd: Array


def some_sensors(readings: Readings) -> list[int]:
    """Every fourth of those between others, along the axis, from the second on."""
    between = np.flatnonzero(inside(readings))
    place = np.bincount(readings.sensor, readings.space[:, 0]) / np.bincount(readings.sensor)
    return [int(sensor) for sensor in between[np.argsort(place[between], kind="stable")][1::EVERY]]


def left_out(fit: JointFit, sensors: list[int]) -> LeftOut:
    """Field and coefficients of the same law, without these sensors of one experiment; from those with them."""
    rows = np.isin(fit.readings.sensor, sensors)
    before, found = fit.experiment.scatter, fit.minimum
    fewer = Scatter(before.noise[~rows], before.offset_sd, fit.readings.select(~rows))
    experiments = list(found.objective.experiments)
    experiments[fit.number] = replace(fit.experiment, scatter=fewer)
    with one_thread(), np.errstate(all="ignore"):
        found = found.with_experiments(experiments)
        found = found.objective.minimise(found.fields, found.coefficients, STEPS_AT_LAST)
        found = with_offsets(with_noise(found))
        found = found.objective.minimise(found.fields, found.coefficients, STEPS_AT_LAST)
    after = found.objective.experiments[fit.number].scatter
    noise = before.noise[rows] * float(np.median(after.noise / fewer.noise))
    if fit.readings.noise is None:
        noise = at_least(noise, fit.readings)
    return LeftOut(replace(fit, minimum=found), rows, np.hypot(noise, after.offset_sd))
