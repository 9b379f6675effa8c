"""Regress, drop small terms, repeat: the loop that STBLR, STOLS and the sequential ridge share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdescry.notices import Notice
from pdescry.regression.estimator import Search, Step, Table
from pdescry.regression.evidence import evidence_of
from pdescry.regression.weights import Weights


@dataclass(frozen=True)
class Pass:
    """One regression on k columns; ``sizes`` (k,) are compared with the threshold."""

    coefficients: NDArray[np.float64]
    covariance: NDArray[np.float64]
    sizes: NDArray[np.float64]
    weights: Weights
    notes: tuple[Notice, ...] = ()


def drop_small(table: Table, regress: Callable[[Table], Pass], threshold: float, doubling: bool) -> Search:
    """Repeat until nothing is below the threshold, which doubles after each pass if ``doubling``."""
    columns = np.arange(len(table.names))
    path: list[Step] = []
    notes: list[Notice] = []
    while columns.size:
        part = table.only(columns)
        done = regress(part)
        small = done.sizes < threshold
        path.append(
            Step(
                part.names,
                tuple(done.coefficients.tolist()),
                evidence_of(part.X, part.y, done.weights.values),
                dropped=part.names_of(np.flatnonzero(small)),
                threshold=threshold,
                gamma=done.weights.gamma,
            )
        )
        notes += (*done.weights.notes, *done.notes)
        if not small.any():
            return Search(columns, done.coefficients, done.covariance, done.weights.values, tuple(path), tuple(notes))
        columns = columns[~small]
        threshold = 2 * threshold if doubling else threshold
    return Search.empty(len(table.y), tuple(path), tuple(notes))
