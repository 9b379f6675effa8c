"""Correlated errors of sensors, estimated from the misfits about a law: their share of the noise, their correlation
time, and whether they are smooth.

The likelihood of misfits comes from a Kalman filter (``correlation.py``), for a grid of processes at once. The most
likely one is accepted if it is clearly more likely than independent noise; if sensors clearly differ, each has its own.
"""

from __future__ import annotations

import numpy as np

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.correlation import ROUGH, SMOOTH, squares_and_logs
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT
from pdescry.joint.observations import Numbers

Records = list[tuple[Array, Array]]  # times and errors of each sensor


def lasting_errors(found: Minimum, number: int = 0) -> Array:
    """(M, 3): for each observation of one experiment, as in `NoiseModel`; zeros if errors are independent, or at most
    what splines resolve, or sensors move.

    What systematic errors of sensors explain of their misfits is removed.
    """
    _, experiment, state = found.experiments[number]
    model, observed = experiment.noise_model, experiment.observations
    lasting = np.zeros((len(observed), 3))
    if not observed.at_rest:
        return lasting
    misfits = observed.values - experiment.seen @ state
    errors, least = model.without_systematic_errors(misfits) / model.noise, FIT.noise.least_sd * observed.unit
    groups: list[list[Numbers]] = [[] for _ in range(observed.n_fields)]
    for own in observed.of_groups:
        groups[observed.field[own[0]]].append(own)
    for field, own in enumerate(groups):
        if not own or np.mean([len(each) for each in own]) < FIT.correlation.readings_of_sensor:
            continue
        if np.sqrt(np.mean(misfits[observed.field == field] ** 2)) <= least[field]:
            continue  # those are errors of the mesh
        records = [(observed.points[each, -1], errors[each]) for each in own]
        for each, process in zip(own, most_likely(records, experiment.space.time.width), strict=True):
            lasting[each] = process
    return lasting


def most_likely(records: Records, duration: float) -> Array:
    """(records, 3): share, correlation time and smoothness of the errors of each sensor; zeros if they are
    independent."""
    given = FIT.correlation
    steps = np.concatenate([np.diff(times) for times, _ in records])
    times = np.geomspace(float(np.median(steps[steps > 0])) / 4, duration, given.times)
    rough = _grid(given.shares, times, (ROUGH,))
    likely = log_likelihood(records, *rough.T)
    if likely.max() <= log_likelihood(records, *np.zeros((3, 1)))[0] + given.evidence:
        return np.zeros((len(records), 3))
    grid = np.concatenate(
        [
            rough,
            _grid(given.further_shares, times, (ROUGH,)),
            _grid((*given.shares[:-1], *given.further_shares), times, (SMOOTH,)),
        ]
    )
    counts = np.array([len(values) for _, values in records])
    squares, logs = squares_and_logs(records, *grid.T)
    common = _likelihood(counts.sum(), squares.sum(axis=0), logs.sum(axis=0))
    each = _likelihood(counts[:, None], squares, logs)
    # Each sensor then has a share, a time and a size of its own.
    cost = 1.5 * (len(records) - 1) * np.log(counts.sum()) + given.evidence
    if each.max(axis=1).sum() > common.max() + cost:
        return grid[each.argmax(axis=1)]
    return np.tile(grid[common.argmax()], (len(records), 1))


def log_likelihood(records: Records, share: Array, time: Array, smooth: Array) -> Array:
    """(grid,): log likelihood of errors, maximised over their common sd, for each process; up to a constant."""
    squares, logs = squares_and_logs(records, share, time, smooth)
    return _likelihood(sum(len(values) for _, values in records), squares.sum(axis=0), logs.sum(axis=0))


def _likelihood(count: Array | int, squares: Array, logs: Array) -> Array:
    mean = np.maximum(squares, np.finfo(float).tiny) / count
    return -0.5 * count * np.log(mean) - 0.5 * logs


def _grid(shares: tuple[float, ...], times: Array, smooth: tuple[float, ...]) -> Array:
    """(grid, 3)"""
    return np.stack(np.meshgrid(shares, times, smooth, indexing="ij"), axis=-1).reshape(-1, 3)
