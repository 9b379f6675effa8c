"""`DesignMatrix` → `SparseFit`: which candidate terms make up the left side, and with what coefficients.

    Derivatives ─▶ DesignMatrix ─ regress(design, method) ─▶ SparseFit ─▶ equation, table
                                   method: STBLR, STOLS, …

Read first ``fit.py`` (the verb and its answer), then ``estimator.py`` (the interface of every method: scikit-learn's,
with one more argument, the variance of each entry). One method, one file:

- ``stblr.py``: the paper's algorithm 1; ``stols.py``: its baseline; ``sequential_ridge.py``: PDE-FIND's. All three
  regress, drop small terms, and repeat (``thresholding.py``).
- ``greedy.py`` and ``best_subset.py``: by evidence (``evidence.py``), without a threshold.
- ``ard.py``: one prior width for each term.

``weights.py`` turns variances into weights of rows, ``columns.py`` finds collinear columns, ``least_squares.py`` is
ordinary least squares, ``spread.py`` the uncertainty including that of the field.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING, Any

from pdescry.registry import Registry

if TYPE_CHECKING:
    from pdescry.regression.ard import ARD as ARD
    from pdescry.regression.best_subset import BestSubset as BestSubset
    from pdescry.regression.design import DesignMatrix as DesignMatrix
    from pdescry.regression.estimator import SparseRegressor as SparseRegressor
    from pdescry.regression.estimator import Step as Step
    from pdescry.regression.fit import SparseFit as SparseFit
    from pdescry.regression.fit import regress as regress
    from pdescry.regression.greedy import Greedy as Greedy
    from pdescry.regression.sequential_ridge import SequentialRidge as SequentialRidge
    from pdescry.regression.spread import Spread as Spread
    from pdescry.regression.stblr import STBLR as STBLR
    from pdescry.regression.stols import STOLS as STOLS

# Modules of the names below: they are imported when first used, and with them scikit-learn.
_HOME = {
    "ARD": "ard",
    "BestSubset": "best_subset",
    "DesignMatrix": "design",
    "Greedy": "greedy",
    "STBLR": "stblr",
    "STOLS": "stols",
    "SequentialRidge": "sequential_ridge",
    "SparseFit": "fit",
    "SparseRegressor": "estimator",
    "Spread": "spread",
    "Step": "estimator",
    "regress": "fit",
}


def _load(name: str) -> Any:
    return getattr(importlib.import_module(f"pdescry.regression.{_HOME[name]}"), name)


# Name → class. Tests run over it: a method added here is tested like the others.
REGRESSORS: Registry[type[SparseRegressor]] = Registry(
    {
        "stblr": partial(_load, "STBLR"),
        "stols": partial(_load, "STOLS"),
        "sequential_ridge": partial(_load, "SequentialRidge"),
        "ard": partial(_load, "ARD"),
        "greedy": partial(_load, "Greedy"),
        "best_subset": partial(_load, "BestSubset"),
    }
)

__all__ = [  # noqa: RUF022 -- the order of a user's work
    "regress",
    "DesignMatrix",
    "SparseFit",
    "Spread",
    "Step",
    "STBLR",
    "STOLS",
    "SequentialRidge",
    "ARD",
    "Greedy",
    "BestSubset",
    "SparseRegressor",
    "REGRESSORS",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return _load(name)
    raise AttributeError(f"module 'pdescry.regression' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
