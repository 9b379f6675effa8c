"""A method to begin an adapter from: smooth the readings, differentiate, drop the terms that contribute little.

    python template.py readings.npz answers.json

Copy it, replace ``law``, and name the copy in ``METHODS`` of ``benchmarks/peers/methods.py``.
"""

from __future__ import annotations

import numpy as np
from differences import columns_of, rate_of
from exchange import Answer, Clock, Work, main
from gridded import fields

LEAST = 0.1  # of the root mean square of the left side: what a term contributes


def method(work: Work) -> tuple[list[Answer], int]:
    """The answers, one for each choice of settings, and which of them the default settings give."""
    clock = Clock()
    grid = fields(work)["Gaussian process"]
    columns = columns_of(grid, work)  # (points, candidates)
    found = {}
    for number, field in enumerate(work.fields):
        for term, value in law(columns, rate_of(grid, number), work.candidates).items():
            found[f"{field}_t: {term}"] = value
    return [Answer(found, f"terms of {LEAST:.0%} and more", clock())], 0


def law(columns: np.ndarray, rate: np.ndarray, candidates: tuple[str, ...]) -> dict[str, float]:
    kept = np.arange(len(candidates))
    while len(kept):
        values = np.linalg.lstsq(columns[:, kept], rate, rcond=None)[0]
        share = np.abs(values) * np.sqrt(np.mean(columns[:, kept] ** 2, axis=0) / np.mean(rate**2))
        if share.min() >= LEAST:
            return {candidates[k]: value for k, value in zip(kept, values, strict=True)}
        kept = np.delete(kept, share.argmin())
    return {}


if __name__ == "__main__":
    main(method)
