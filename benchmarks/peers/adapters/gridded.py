"""Readings → fields on a regular grid, for methods that need one. numpy and scipy only.

``fields`` gives each way of getting there that a user might try, by its name: readings of a full grid as they are; a
Gaussian process, whose noise and lengths maximise the marginal likelihood; and, along one axis, a cubic spline through
the readings of each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from exchange import Work
from scipy.interpolate import CubicSpline
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

ALONG = {1: (100, 256), 2: (32, 24)}  # points of the grid in time and along each axis, by the number of axes
TRIED, USED = 500, 4000  # readings that are not of a grid: for the lengths, and for the field
LEAST_SENSORS = 4  # of a cubic spline
EVEN = 1e-6  # the relative difference of steps up to which a grid counts as regular


@dataclass(frozen=True)
class Grid:
    """times (T,), places: the coordinates of each axis, values (T, X, [Y,] f)."""

    times: Any
    places: tuple[Any, ...]
    values: Any

    @property
    def steps(self) -> tuple[float, ...]:
        return tuple(float(each[1] - each[0]) for each in (self.times, *self.places))


def fields(work: Work) -> dict[str, Grid]:
    table = _by_sensor(work)
    found: dict[str, Grid] = {}
    if table is not None and (whole := _full(*table)) is not None:
        found["as read"] = whole
    times, places = _target(work) if "as read" not in found else (found["as read"].times, found["as read"].places)
    found["Gaussian process"] = Grid(times, places, _process(work, table, times, places))
    if table is not None and len(work.axes) == 1 and len(table[1]) >= LEAST_SENSORS and "as read" not in found:
        found["cubic spline"] = Grid(times, places, _splines(*table, times, places[0]))
    return found


def _by_sensor(work: Work) -> tuple[Any, Any, Any] | None:
    """Times (T,), places (S, d) and values (T, S, f), if all sensors were read at the same times."""
    times, when = np.unique(work.time, return_inverse=True)
    places, where = np.unique(work.space, axis=0, return_inverse=True)
    where = where.reshape(-1)
    if len(times) * len(places) != len(work.time) or len(np.unique(when * len(places) + where)) != len(work.time):
        return None
    values = np.empty((len(times), len(places), work.values.shape[1]))
    values[when, where] = work.values
    return times, places, values


def _full(times: Any, places: Any, values: Any) -> Grid | None:
    """If the sensors stand on a regular grid and read regularly."""
    axes = tuple(np.unique(each) for each in places.T)
    if np.prod([len(each) for each in axes]) != len(places) or min(map(len, axes)) < 3:
        return None
    if any(np.ptp(np.diff(each)) > EVEN * np.diff(each).mean() for each in (times, *axes)):
        return None
    return Grid(times, axes, values.reshape(len(times), *map(len, axes), -1))


def _target(work: Work) -> tuple[Any, tuple[Any, ...]]:
    """A regular grid between the outermost readings."""
    n_times, n_places = ALONG[len(work.axes)]
    places = tuple(np.linspace(each.min(), each.max(), n_places) for each in work.space.T)
    return np.linspace(work.time.min(), work.time.max(), n_times), places


def _splines(times: Any, places: Any, values: Any, new_times: Any, new_places: Any) -> Any:
    along = CubicSpline(places[:, 0], values, axis=1)(new_places)
    return CubicSpline(times, along, axis=0)(new_times)


# ---- a Gaussian process ----------------------------------------------------------------------------------------------


def _kernel(a: Any, b: Any, lengths: Any) -> Any:
    """(A, B) of points (A, d), (B, d)."""
    away = ((a[:, None] - b[None]) / lengths) ** 2
    return np.exp(-0.5 * away.sum(axis=-1))


def _process(work: Work, table: Any, times: Any, places: tuple[Any, ...]) -> Any:
    """(T, X, [Y,] f): the mean, each field by itself."""
    mesh = np.stack(np.meshgrid(*places, indexing="ij"), axis=-1).reshape(-1, len(places))
    found = []
    for number in range(work.values.shape[1]):
        if table is not None:
            own = _on_sensors(table[0], table[1], table[2][..., number], times, mesh)
        else:
            own = _on_points(work, work.values[:, number], times, mesh)
        found.append(own.reshape(len(times), *map(len, places)))
    return np.stack(found, axis=-1)


def _starts(points: Any) -> Any:
    """Logarithms of lengths and of the noise as a share of the sd, from which the likelihood is climbed."""
    extent = np.ptp(points, axis=0)
    return [np.log([*(extent * share), noise]) for share, noise in ((0.15, 0.1), (0.05, 0.1), (0.15, 0.7))]


def _best(loss: Any, points: Any) -> Any:
    """(lengths, noise)"""
    ends = [minimize(loss, start, method="L-BFGS-B", options={"maxiter": 60}) for start in _starts(points)]
    best = np.exp(min(ends, key=lambda end: end.fun).x)
    return best[:-1], best[-1]


def _on_sensors(times: Any, places: Any, values: Any, new_times: Any, mesh: Any) -> Any:
    """(T', M). The covariance is a Kronecker product, so that all readings count, however many."""
    mean, sd = values.mean(), values.std()
    scaled = (values - mean) / sd

    def parts(lengths: Any) -> Any:
        along = np.linalg.eigh(_kernel(times[:, None], times[:, None], lengths[:1]))
        across = np.linalg.eigh(_kernel(places, places, lengths[1:]))
        return *along, *across

    def loss(logs: Any) -> float:
        lengths, noise = np.exp(logs[:-1]), np.exp(logs[-1])
        s, p, q, r = parts(lengths)
        spectrum = np.outer(s, q).clip(0) + noise**2 + 1e-8
        turned = p.T @ scaled @ r
        size = np.mean(turned**2 / spectrum)  # the variance that is likeliest
        return float(np.log(spectrum).mean() + np.log(size))

    lengths, noise = _best(loss, np.array([[times.min(), *places.min(0)], [times.max(), *places.max(0)]]))
    s, p, q, r = parts(lengths)
    weights = p @ ((p.T @ scaled @ r) / (np.outer(s, q).clip(0) + noise**2 + 1e-8)) @ r.T
    found = _kernel(new_times[:, None], times[:, None], lengths[:1]) @ weights @ _kernel(places, mesh, lengths[1:])
    return mean + sd * found


def _on_points(work: Work, values: Any, new_times: Any, mesh: Any) -> Any:
    """(T', M), of readings that have a place and a time of their own each."""
    random = np.random.default_rng(work.seed)
    points, mean, sd = np.column_stack([work.time, work.space]), values.mean(), values.std()
    scaled = (values - mean) / sd
    few, many = (random.permutation(len(values))[:number] for number in (TRIED, USED))

    def factor(rows: Any, lengths: Any, noise: float) -> Any:
        covariance = _kernel(points[rows], points[rows], lengths)
        return cho_factor(covariance + (noise**2 + 1e-8) * np.eye(len(rows)), lower=True)

    def loss(logs: Any) -> float:
        made = factor(few, np.exp(logs[:-1]), float(np.exp(logs[-1])))
        size = scaled[few] @ cho_solve(made, scaled[few]) / len(few)
        return float(2 * np.log(np.diag(made[0])).mean() + np.log(size))

    lengths, noise = _best(loss, points)
    weights = cho_solve(factor(many, lengths, noise), scaled[many])
    across = _kernel(mesh, points[many, 1:], lengths[1:]) * weights  # (M, N)
    along = _kernel(new_times[:, None], points[many, :1], lengths[:1])  # (T', N)
    return mean + sd * (along @ across.T)
