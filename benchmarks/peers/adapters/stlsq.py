"""PySINDy's sequentially thresholded least squares for many thresholds, on features that its libraries computed.

What ``pysindy.SINDy.fit`` does with a library and ``STLSQ``, but features are computed once for all thresholds. For
each threshold all terms of the library are candidates, and again only those that are no product with a derivative,
because a user may ask for a library without them (``include_interaction=False``).
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pysindy as ps
from exchange import Answer, Clock, Work
from terms import factors_of, has_product

THRESHOLDS = tuple(np.geomspace(0.002, 1.5, 20))  # of coefficients in the units of the readings
DEFAULT = 0.1  # PySINDy's
RELATIVE = tuple(np.geomspace(0.02, 0.7, 12))  # where columns have unit norm, as a share of the left side's norm


def degree_and_order(work: Work) -> tuple[int, int]:
    """The highest powers of fields and derivatives that PySINDy needs to have all candidates."""
    factors = [factors_of(term) for term in work.candidates]
    degree = max(sum(power for name, power in each if "_" not in name) for each in factors)
    return degree, max(len(name.partition("_")[2]) for each in factors for name, _ in each)


def term_of(name: str, axes: tuple[str, ...]) -> str:
    """PySINDy's ``u^2v_11`` or ``u v`` in this benchmark's words, ``u^2*v_xx`` and ``u*v``."""
    found = re.fullmatch(r"(.*?)(?:([a-z])_(\d+))?", name)
    assert found is not None
    parts = re.findall(r"[a-z](?:\^\d+)?|1", found[1])
    if found[2]:
        parts.append(f"{found[2]}_{''.join(axes[int(digit) - 1] for digit in sorted(found[3]))}")
    return "*".join(parts)


def answers_of(columns: Any, rates: Any, names: list[str], work: Work, said: str, shared: float) -> list[Answer]:
    """columns (points, terms), rates (points, f). The first is that of the default settings."""
    terms = [term_of(name, work.axes) for name in names]
    assert set(work.candidates) <= set(terms), sorted(set(work.candidates) - set(terms))
    columns, rates = np.asarray(columns, float), np.asarray(rates, float)
    all_terms = np.array([terms.index(term) for term in work.candidates])
    single = np.array([k for k in all_terms if not has_product(terms[k])])
    answers = []
    for chosen, which in ((all_terms, "all candidates"), (single, "no products with derivatives")):
        if which != "all candidates" and len(chosen) == len(all_terms):
            continue
        for threshold in (DEFAULT, *THRESHOLDS):
            clock = Clock()
            values = _fit(columns[:, chosen], rates, threshold)
            answers.append(
                _answer(values, chosen, terms, work, f"{said}, {which}, threshold {threshold:.3g}", shared + clock())
            )
        sizes = np.linalg.norm(columns[:, chosen], axis=0)
        for share in RELATIVE:
            clock = Clock()
            each = [
                _fit(columns[:, chosen] / sizes, rate[:, None], share * np.linalg.norm(rate))[0] / sizes
                for rate in rates.T
            ]
            how = f"{said}, {which}, columns of unit norm, threshold {share:.3g}"
            answers.append(_answer(np.array(each), chosen, terms, work, how, shared + clock()))
    return answers


def _fit(columns: Any, rates: Any, threshold: float) -> Any:
    return ps.STLSQ(threshold=threshold, alpha=1e-10).fit(columns, rates).coef_


def _answer(values: Any, chosen: Any, terms: list[str], work: Work, settings: str, seconds: float) -> Answer:
    found = {
        f"{field}_t: {terms[k]}": value
        for field, row in zip(work.fields, values, strict=True)
        for k, value in zip(chosen, row, strict=True)
        if value
    }
    return Answer(found, settings, seconds)
