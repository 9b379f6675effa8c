"""PDE-FIND (Rudy et al. 2017): derivatives of the field on a grid, then sequential thresholded ridge regression.

Written from the paper's algorithms 1 and 2. The default is its search for a threshold, with a penalty on the number of
terms; the others are fixed thresholds. Columns have unit norm.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from differences import DERIVATIVES, columns_of, rate_of
from exchange import Answer, Clock, Work, main
from gridded import fields

RIDGE, PASSES = 1e-5, 10
THRESHOLDS = np.geomspace(0.01, 0.7, 16)  # of coefficients of columns of unit norm, as a share of the left side's norm
SEARCH, STEPS, SHARE = 0.02, 25, 0.8  # the first step of the search, how many, and the share of points to fit


def ridge(columns: Any, rate: Any) -> Any:
    return np.linalg.solve(columns.T @ columns + RIDGE * np.eye(columns.shape[1]), columns.T @ rate)


def thresholded(columns: Any, rate: Any, threshold: float) -> Any:
    """Algorithm 1."""
    kept = np.arange(columns.shape[1])
    values = ridge(columns, rate)
    for _ in range(PASSES):
        large = kept[np.abs(values[kept]) >= threshold]
        if len(large) == len(kept):
            break
        kept, values = large, np.zeros(columns.shape[1])
        if not len(kept):
            return values
        values[kept] = ridge(columns[:, kept], rate)
    values[kept] = np.linalg.lstsq(columns[:, kept], rate, rcond=None)[0]
    return values


def searched(columns: Any, rate: Any, random: np.random.Generator) -> Any:
    """Algorithm 2: the threshold that predicts other points best, where each term costs."""
    rows = random.permutation(len(rate))
    fit, rest = np.split(rows, [round(SHARE * len(rows))])
    penalty = 1e-3 * np.linalg.cond(columns)

    def loss(values: Any) -> float:
        return float(np.linalg.norm(rate[rest] - columns[rest] @ values) + penalty * np.count_nonzero(values))

    best = np.linalg.lstsq(columns[fit], rate[fit], rcond=None)[0]
    least, step, threshold = loss(best), SEARCH, SEARCH
    for passed in range(STEPS):
        values = thresholded(columns[fit], rate[fit], threshold)
        if (own := loss(values)) <= least:
            best, least, threshold = values, own, threshold + step
        else:
            threshold = max(0.0, threshold - 2 * step)
            step = 2 * step / (STEPS - passed)
            threshold += step
    return best


def method(work: Work) -> tuple[list[Answer], int]:
    clock, answers = Clock(), []
    grids = fields(work)
    shared = clock()
    for name, grid in grids.items():
        for how in DERIVATIVES:
            begun = clock()
            columns = columns_of(grid, work, how)
            sizes = np.linalg.norm(columns, axis=0)
            rates = {field: rate_of(grid, number, how) for number, field in enumerate(work.fields)}
            own = clock(begun)
            for threshold in (None, *THRESHOLDS):
                begun, found = clock(), {}
                for field, rate in rates.items():
                    unit = columns / sizes, rate / np.linalg.norm(rate)
                    random = np.random.default_rng(work.seed)
                    values = searched(*unit, random) if threshold is None else thresholded(*unit, threshold)
                    values = values / sizes * np.linalg.norm(rate)
                    terms = zip(work.candidates, values, strict=True)
                    found |= {f"{field}_t: {term}": value for term, value in terms if value}
                said = "threshold searched" if threshold is None else f"threshold {threshold:.3g}"
                answers.append(Answer(found, f"{name}, {how}, {said}", shared + own + clock(begun)))
    return answers, 0


if __name__ == "__main__":
    main(method)
