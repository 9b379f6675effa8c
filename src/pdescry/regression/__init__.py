"""`DesignMatrix` → `SparseFit`: which candidate terms make up the left side, and with what coefficients.

    Derivatives ─▶ DesignMatrix ─ regress(design, method) ─▶ SparseFit ─▶ equation, table
                                   method: STBLR, STOLS, …

Read first ``fit.py`` (the verb and its answer), then ``estimator.py`` (the anatomy of every method: scikit-learn's,
with one more argument, the variance of each entry). One method, one file:

- ``stblr.py``: the paper's algorithm 1; ``stols.py``: its baseline; ``sequential_ridge.py``: PDE-FIND's. All three
  regress, drop what is small, and repeat (``thresholding.py``).
- ``greedy.py`` and ``best_subset.py``: by evidence (``evidence.py``), without a threshold.
- ``ard.py``: one prior width for each term.

``weights.py`` turns variances into weights of rows, ``columns.py`` looks for columns that say the same,
``least_squares.py`` is the plain fit, ``spread.py`` the spread that can be believed.
"""

from __future__ import annotations

from pdescry.regression.ard import ARD
from pdescry.regression.best_subset import BestSubset
from pdescry.regression.design import DesignMatrix
from pdescry.regression.estimator import SparseRegressor, Step
from pdescry.regression.fit import SparseFit, regress
from pdescry.regression.greedy import Greedy
from pdescry.regression.sequential_ridge import SequentialRidge
from pdescry.regression.spread import Spread
from pdescry.regression.stblr import STBLR
from pdescry.regression.stols import STOLS

# Name → class. Tests run over it: a method added here is tested as the others are.
REGRESSORS: dict[str, type[SparseRegressor]] = {
    "stblr": STBLR,
    "stols": STOLS,
    "sequential_ridge": SequentialRidge,
    "ard": ARD,
    "greedy": Greedy,
    "best_subset": BestSubset,
}

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
