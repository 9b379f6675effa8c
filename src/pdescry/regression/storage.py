"""A `SparseFit` as plain tables for JSON, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from pdescry.equation import Term
from pdescry.files import plain
from pdescry.notices import restored, stored
from pdescry.registry import name_of
from pdescry.regression.estimator import SparseRegressor, Step
from pdescry.regression.fit import SparseFit
from pdescry.regression.spread import Spread


def fit_to_dict(fit: SparseFit, methods: Mapping[str, type[SparseRegressor]]) -> dict[str, Any]:
    """NaN becomes null. ``methods``: the registry of the methods' names."""
    spread = fit.spread
    return plain(
        {
            "field": fit.field,
            "time_order": fit.time_order,
            "terms": [str(term) for term in fit.terms],
            "coefficients": fit.coefficients,
            "covariance": fit.covariance,
            "support": fit.support,
            "path": [asdict(step) for step in fit.path],
            "evidence": fit.evidence,
            "outcome": fit.outcome,
            "notes": stored(fit.notes),
            "method": {"name": name_of(fit.method, methods), **fit.method.get_params(deep=False)},
            "spread": None
            if spread is None
            else {"reported": spread.reported, "draws": spread.draws, "shift": spread.shift},
        }
    )


def fit_from_dict(
    table: Mapping[str, Any], fields: Sequence[str], axes: Sequence[str], methods: Mapping[str, type[SparseRegressor]]
) -> SparseFit:
    """The inverse of `fit_to_dict`; the method has its settings, but is not fitted."""
    method = dict(table["method"])
    spread = table["spread"]
    return SparseFit(
        tuple(Term.parse(text, tuple(fields), tuple(axes)) for text in table["terms"]),
        _array(table["coefficients"]),
        _array(table["covariance"]),
        np.array(table["support"], bool),
        tuple(Step(**{name: _step_part(part) for name, part in step.items()}) for step in table["path"]),
        math.nan if table["evidence"] is None else table["evidence"],
        table["outcome"],
        restored(table["notes"]),
        methods[method.pop("name")](**method),
        None if spread is None else Spread(*(_array(spread[name]) for name in ("reported", "draws", "shift"))),
        table["field"],
        table["time_order"],
    )


def _array(values: Any) -> np.ndarray:
    return np.array(values, float)  # None becomes NaN


def _step_part(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
