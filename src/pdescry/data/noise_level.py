"""How noisy are the readings? Judged from each sensor's own record, without a model of the field.

Each reading is compared with the cubic through its two neighbours in time on either side:

    r_i = u_i − Σ_j w_j u_j,   Var r_i = σ² (1 + Σ_j w_j²)

with Lagrange's weights w_j for the actual, possibly irregular, times. A smooth signal all but cancels, so that
r_i / √(1 + Σ w_j²) has the standard deviation of the noise; its median absolute value, which a passing front or an
outlier hardly moves, gives σ. Five equal values in a row come from an idle or clipped sensor and are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pdescry.notices import Notice

if TYPE_CHECKING:
    from pdescry.data.readings import Readings

_REACH = 2  # neighbours on either side
_WINDOW = 2 * _REACH + 1
_LEAST_RESIDUALS = 5  # below, the median of their sizes says nothing
_TO_SD = 1.4826  # median absolute value of a normal variable → its standard deviation


@dataclass(frozen=True, slots=True)
class NoiseEstimate:
    """Standard deviations per field; NaN where the record is too short, and ``reason`` says so.

    sd: ``{"u": 0.05}``. by_sensor: (S, f), NaN for sensors with too few readings of their own.
    """

    sd: dict[str, float]
    by_sensor: NDArray[np.float64]
    reason: Notice | None = None


def estimate_noise(readings: Readings) -> NoiseEstimate:
    """The standard deviation of the noise in each field, over all sensors and for each sensor."""
    observed = readings.observed
    if observed.all():
        sd, by_sensor = _sds(readings, np.ones(len(readings), dtype=bool), slice(None))
    else:  # each field by its own readings
        each = [_sds(readings, measured, slice(k, k + 1)) for k, measured in enumerate(observed.T)]
        sd, by_sensor = [sd[0] for sd, _ in each], np.concatenate([by_sensor for _, by_sensor in each], axis=1)
    measures = np.stack(
        [np.bincount(readings.sensor[rows], minlength=readings.n_sensors) > 0 for rows in observed.T], 1
    )
    few = int((np.isnan(by_sensor) & measures).any(axis=1).sum())
    if np.isnan(sd).any():
        reason = Notice.of("noise-unknown", window=_WINDOW)
    else:
        reason = Notice.of("noise-partly-unknown", few=few, sensors=readings.n_sensors) if few else None
    return NoiseEstimate(dict(zip(readings.fields, sd, strict=True)), by_sensor, reason)


def _sds(readings: Readings, rows: NDArray[np.bool_], fields: slice) -> tuple[list[float], NDArray[np.float64]]:
    """Of some fields, from the rows that measured them: (f,) over all sensors, (S, f) of each."""
    time, values, by = readings.time[rows], readings.values[rows, fields], readings.sensor[rows]
    order = np.lexsort((time, by))
    scaled, sensor = _scaled_residuals(time[order], values[order], by[order])
    edges = np.searchsorted(sensor, np.arange(readings.n_sensors + 1))
    records = [scaled[start:end] for start, end in pairwise(edges)]
    return _robust_sd(scaled), np.array([_robust_sd(record) for record in records])


def scatter_between_neighbours(time: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean square of the same residuals: the variance of the noise, if neighbours do not share it.

    Of one sensor, in order of time: (N,), (N, f) → (f,); NaN where there are too few readings. Nothing is left out,
    so that outliers and idle times count in proportion.
    """
    scaled, _ = _scaled_residuals(time, values, np.zeros(len(time), dtype=np.intp))
    if not len(scaled):
        return np.full(values.shape[1], np.nan)
    return np.mean(np.nan_to_num(scaled) ** 2, axis=0)


def _scaled_residuals(
    time: NDArray[np.float64], values: NDArray[np.float64], sensor: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """time (N,), values (N, f), sensor (N,), by sensor and time → residuals (M, f) of unit noise gain, sensors (M,)."""
    middle = np.arange(_REACH, max(len(time) - _REACH, _REACH))
    rows = middle[:, None] + np.arange(-_REACH, _REACH + 1)  # (M, 5)
    rows = rows[sensor[rows[:, 0]] == sensor[rows[:, -1]]]
    rows = rows[(np.diff(time[rows], axis=1) > 0).all(axis=1)]
    # In units of the window's length, so that products of times neither overflow nor vanish.
    clock = (time[rows] - time[rows[:, [_REACH]]]) / (time[rows[:, [-1]]] - time[rows[:, [0]]])
    gain, residual = np.ones(len(rows)), values[rows[:, _REACH]].copy()
    neighbours = [k for k in range(_WINDOW) if k != _REACH]
    for j in neighbours:
        weight = np.ones(len(rows))
        for k in neighbours:
            if k != j:
                weight *= clock[:, k] / (clock[:, k] - clock[:, j])
        residual -= weight[:, None] * values[rows[:, j]]
        gain += weight**2
    idle = (values[rows] == values[rows[:, :1]]).all(axis=1)  # (M, f)
    return np.where(idle, np.nan, residual / np.sqrt(gain)[:, None]), sensor[rows[:, _REACH]]


def _robust_sd(scaled: NDArray[np.float64]) -> list[float]:
    """(M, f) residuals, NaN where idle → f standard deviations."""
    if len(scaled) < _LEAST_RESIDUALS:
        return [float("nan")] * scaled.shape[1]
    sizes = [column[~np.isnan(column)] for column in np.abs(scaled).T]
    return [_TO_SD * float(np.median(size)) if len(size) >= _LEAST_RESIDUALS else float("nan") for size in sizes]
