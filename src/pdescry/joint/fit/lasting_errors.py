"""Correlated errors of sensors, estimated from the misfits about a law: their share of the noise, and their correlation
time.

The likelihood of misfits as independent noise plus an autoregressive process in continuous time comes from a Kalman
filter, for all shares and correlation times of a grid at once. The most likely ones are accepted if they are clearly
more likely than independent noise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.noise_model import gains
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT
from pdescry.joint.observations import Numbers


def lasting_errors(found: Minimum, number: int = 0) -> Array:
    """(F, 2): for each field of one experiment, the correlated share of the noise's variance, and its correlation time;
    zeros if errors are independent, or at most what splines resolve, or sensors move.

    Offsets are removed as means of each sensor's misfits.
    """
    _, experiment, state = found.experiments[number]
    model, observed = experiment.noise_model, experiment.observations
    found_ones = np.zeros((observed.n_fields, 2))
    if not observed.at_rest:
        return found_ones
    misfits = observed.values - experiment.seen @ state
    errors, least = misfits / model.noise, FIT.noise.least_sd * observed.unit
    records: list[list[tuple[Array, Array]]] = [[] for _ in range(observed.n_fields)]
    for own in observed.of_groups:
        values = errors[own] - (errors[own].mean() if model.has_offsets else 0.0)
        records[observed.field[own[0]]].append((observed.points[own, -1], values))
    for field, own in enumerate(records):
        if not own or np.mean([len(times) for times, _ in own]) < FIT.correlation.readings_of_sensor:
            continue
        if np.sqrt(np.mean(misfits[observed.field == field] ** 2)) <= least[field]:
            continue  # those are errors of the mesh
        steps = np.concatenate([np.diff(times) for times, _ in own])
        shortest = float(np.median(steps[steps > 0])) / 4
        times = np.geomspace(shortest, experiment.space.time.width, FIT.correlation.times)
        share, time = (each.ravel() for each in np.meshgrid(FIT.correlation.shares, times))
        share, time = np.append(share, 0.0), np.append(time, 1.0)  # the last one is independent noise
        likely = log_likelihood(own, share, time)
        if likely.max() > likely[-1] + FIT.correlation.evidence:
            best = int(np.argmax(likely))
            found_ones[field] = share[best], time[best]
    return found_ones


def log_likelihood(records: Sequence[tuple[Array, Array]], share: Array, time: Array) -> Array:
    """(grid,): log likelihood of errors, given record by record as times and values, maximised over their sd, for each
    share and correlation time; up to a constant."""
    longest = max(len(times) for times, _ in records)
    values, steps = np.full((len(records), longest), np.nan), np.zeros((len(records), longest))
    for k, (times, own) in enumerate(records):
        values[k, : len(own)] = own
        steps[k, 1 : len(own)] = np.diff(times)
    squares, logs = np.zeros(len(share)), np.zeros(len(share))
    state, gain = np.zeros((len(records), len(share))), np.zeros((len(records), len(share)))
    for k in range(longest):
        read: Numbers = np.flatnonzero(np.isfinite(values[:, k]))
        along = np.minimum(np.exp(-steps[read, k, None] / time), FIT.noise.most_correlation)
        variance, gain[read] = gains(share, along, gain[read], k == 0)
        state[read] *= along if k else 0.0
        innovation = values[read, k, None] - state[read]
        state[read] += gain[read] * innovation
        squares += np.sum(innovation**2 / variance, axis=0)
        logs += np.sum(np.log(np.broadcast_to(variance, innovation.shape)), axis=0)
    number = np.isfinite(values).sum()
    return -0.5 * number * np.log(np.maximum(squares, np.finfo(float).tiny)) - 0.5 * logs
