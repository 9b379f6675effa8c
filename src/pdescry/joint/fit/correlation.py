"""Errors of one sensor that are correlated in time, one after another: what the earlier ones say of the next.

Of errors with unit variance a share is correlated, by one of two processes in continuous time, with a = |t − t′|/ℓ:

    rough    share·exp(−a)              an autoregressive process: drifting electronics, noise of amplifiers
    smooth   share·(1 + a)·exp(−a)      it has a derivative: gains and lags of sensors, what a law leaves unexplained

and the rest is independent noise. Both are Markov: a Kalman filter with two states, the correlated part f and ℓ·f′
(only f if it is rough), gives each error minus its prediction from the earlier ones, and the variance of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.options import FIT
from pdescry.joint.observations import Numbers

ROUGH, SMOOTH = 0.0, 1.0  # number of derivatives


@dataclass(frozen=True, eq=False)
class Filter:
    """After some errors, for many processes at once. share, time: (…), correlated share of the variance, and ℓ. smooth:
    (…), whether the correlated part has a derivative. known: (3, …), variances and covariance of f and ℓ·f′ given the
    errors so far; empty before the first."""

    share: Array
    time: Array
    smooth: Array
    known: Array

    @classmethod
    def before(cls, share: Array, time: Array, smooth: Array) -> Filter:
        return cls(share, time, smooth, np.zeros(0))

    def moved(self, step: Array | float) -> Array:
        """(2, 2, …): how the states move with time; what they lose is replaced by new noise."""
        apart = np.maximum(step / np.where(self.share > 0, self.time, 1.0), FIT.noise.least_step)
        fallen = np.exp(-apart)
        slope = fallen * apart * self.smooth
        first = fallen * (1 + apart * self.smooth)
        return np.array([[first, slope], [-slope, self.smooth * fallen * (1 - apart)]])

    def next(self, step: Array | float) -> tuple[Filter, Array, Array, Array]:
        """After the next error, which comes a time ``step`` later: the filter, the variance of the error given the
        earlier ones, the gains (2, …), and the movement of the states (2, 2, …)."""
        share, move = self.share, self.moved(step)
        if len(self.known):
            (a, b), (c, d) = move
            value, both, slope = self.known
            value, both, slope = (
                a * a * value + 2 * a * b * both + b * b * slope + share * (1 - a * a - b * b),
                a * c * value + (a * d + b * c) * both + b * d * slope - share * (a * c + b * d),
                c * c * value + 2 * c * d * both + d * d * slope + share * (1 - c * c - d * d),
            )
        else:
            value, both, slope = share, np.zeros_like(share), share
        variance = value + 1 - share
        gain = np.array([value, both]) / variance
        known = np.array([gain[0] * (1 - share), gain[1] * (1 - share), slope - gain[1] * both])
        return replace(self, known=known), variance, gain, move


def innovations(share: float, time: float, smooth: float, steps: Array) -> Iterator[tuple[Array, float]]:
    """For each error of a record: weights of the preceding errors in its prediction, the newest last, and the sd of
    their difference. steps: the times between errors."""
    if not share:
        yield from ((np.zeros(0), 1.0) for _ in range(len(steps) + 1))
        return
    filtered = Filter.before(np.array(share), np.array(time), np.array(smooth))
    states, gain = np.zeros((2, 0)), np.zeros(2)
    for k in range(len(steps) + 1):
        filtered, variance, new_gain, move = filtered.next(steps[k - 1] if k else 0.0)
        if k:
            states = move @ np.column_stack([states - np.outer(gain, states[0]), gain])[:, -FIT.noise.most_earlier :]
        gain = new_gain
        counts = np.flatnonzero(np.abs(states[0]) > FIT.noise.least_weight)
        states = states[:, counts[0] :] if len(counts) else states[:, :0]
        yield states[0], float(np.sqrt(variance))


def decorrelating(share: float, time: float, smooth: float, times: bytes) -> tuple[Array, Numbers, Numbers]:
    """Entries of the matrix that makes errors of unit variance independent: values, rows and columns. times: of the
    errors, as bytes of an array of floats; most sensors have them in common, and are asked for again and again."""
    asked = _decorrelating if len(times) <= 8 * FIT.memory.times_kept else _decorrelating.__wrapped__
    return asked(share, time, smooth, times)


@lru_cache(maxsize=64)
def _decorrelating(share: float, time: float, smooth: float, times: bytes) -> tuple[Array, Numbers, Numbers]:
    values, rows, columns = [], [], []
    for k, (weights, sd) in enumerate(innovations(share, time, smooth, np.diff(np.frombuffer(times)))):
        values.append(np.append(-weights, 1.0) / sd)
        rows.append(np.full(len(weights) + 1, k))
        columns.append(np.arange(k - len(weights), k + 1))
    found = np.concatenate(values), np.concatenate(rows), np.concatenate(columns)
    for each in found:
        each.setflags(write=False)
    return found


def squares_and_logs(
    records: list[tuple[Array, Array]], share: Array, time: Array, smooth: Array
) -> tuple[Array, Array]:
    """(records, grid) each: for the errors of each record, given as times and values, the sum of their squared
    innovations in units of their sd, and the sum of the logarithms of their variances."""
    longest = max(len(times) for times, _ in records)
    values, steps = np.full((len(records), longest), np.nan), np.zeros((len(records), longest))
    for k, (times, own) in enumerate(records):
        values[k, : len(own)] = own
        steps[k, 1 : len(own)] = np.diff(times)
    shape = len(records), len(share)
    filtered = Filter.before(*(np.broadcast_to(each, shape) for each in (share, time, smooth)))
    states, squares, logs = np.zeros((2, *shape)), np.zeros(shape), np.zeros(shape)
    for k in range(longest):  # a record that has ended keeps on, but does not count
        read = np.isfinite(values[:, k, None])
        filtered, variance, gain, move = filtered.next(steps[:, k, None])
        states = np.einsum("ij...,j...->i...", move, states) if k else states
        innovation = np.where(read, values[:, k, None] - states[0], 0.0)
        states = states + gain * innovation
        squares += innovation**2 / variance
        logs += np.where(read, np.log(variance), 0.0)
    return squares, logs
