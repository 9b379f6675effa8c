"""Columns of candidate terms on a grid, with derivatives by finite differences or by polynomials fitted locally."""

from __future__ import annotations

from typing import Any

import numpy as np
from exchange import Work
from gridded import Grid
from scipy.signal import savgol_filter
from terms import derivatives_in, value_of

EDGE = 5  # points at each end that are left out, where derivatives are poor
DEGREE, WINDOW = 5, 11  # of polynomials that are fitted locally


def _differences(values: Any, step: float, order: int, axis: int) -> Any:
    for _ in range(order):
        values = np.gradient(values, step, axis=axis, edge_order=2)
    return values


def _polynomials(values: Any, step: float, order: int, axis: int) -> Any:
    window = min(WINDOW, values.shape[axis] - 1 + values.shape[axis] % 2)
    return savgol_filter(values, window, min(DEGREE, window - 1), deriv=order, delta=step, axis=axis)


DERIVATIVES = {"finite differences": _differences, "polynomials": _polynomials}


def _inner(values: Any) -> Any:
    edges = (slice(min(EDGE, size // 5), size - min(EDGE, size // 5)) for size in values.shape)
    return values[tuple(edges)].ravel()


def rate_of(grid: Grid, field: int, how: str = "finite differences") -> Any:
    """(points,): the time derivative."""
    return _inner(DERIVATIVES[how](grid.values[..., field], grid.steps[0], 1, 0))


def columns_of(grid: Grid, work: Work, how: str = "finite differences") -> Any:
    """(points, candidates)"""
    table = {name: grid.values[..., number] for number, name in enumerate(work.fields)}
    for name in derivatives_in(work.candidates):
        field, _, along = name.partition("_")
        values = table[field]
        for number, axis in enumerate(work.axes):
            if order := along.count(axis):
                values = DERIVATIVES[how](values, grid.steps[1 + number], order, 1 + number)
        table[name] = values
    one = np.ones(grid.values.shape[:-1])
    return np.stack([_inner(value_of(term, table, one)) for term in work.candidates], axis=-1)
