"""The interface of every method: scikit-learn's conventions, the variance of each entry, and a record of its steps.

``fit`` checks the arguments, passes a `Table` to the method's own ``_search``, and puts its `Search` into attributes.
No method fits an intercept: if the law may contain a constant, the candidate ``1`` represents it.
"""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import validation
from sklearn.utils.validation import check_is_fitted

from pdescry.errors import InputError
from pdescry.notices import Notice
from pdescry.regression.columns import is_deficient, note_columns
from pdescry.regression.weights import Weights, row_weights

# scikit-learn has no types, and those inferred from its defaults are wrong.
_validate: Any = validation.validate_data

# How a fit ended. The last two have coefficients too, but others fit the rows equally well.
FITTED, NOTHING, COLLINEAR, UNDERDETERMINED = OUTCOMES = ("fitted", "nothing left", "collinear", "underdetermined")


@dataclass(frozen=True)
class Step:
    """One regression of the path: the columns in it, by name, and its result."""

    columns: tuple[str, ...]
    coefficients: tuple[float, ...]
    evidence: float  # log, comparable between steps and methods; −∞ where columns are collinear or rows too few
    dropped: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    threshold: float | None = None
    gamma: tuple[float, float, float] | None = None  # least, median, largest; None if all rows have the same weight


@dataclass(frozen=True)
class Table:
    """Checked numbers: X (N, T), y (N,), variance (N, T) or None, and a name for each column."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    variance: NDArray[np.float64] | None
    names: tuple[str, ...]

    def only(self, columns: NDArray[np.intp]) -> Table:
        variance = None if self.variance is None else self.variance[:, columns]
        return Table(self.X[:, columns], self.y, variance, self.names_of(columns))

    def names_of(self, columns: Sequence[int] | NDArray[np.intp]) -> tuple[str, ...]:
        return tuple(self.names[column] for column in columns)

    def weighted(self, power: float) -> Weights:
        return row_weights(self.variance, power, len(self.y), self.names)


@dataclass(frozen=True)
class Search:
    """The result of a method: the columns kept (k), their coefficients (k,) and covariance (k, k)."""

    columns: NDArray[np.intp]
    coefficients: NDArray[np.float64]
    covariance: NDArray[np.float64]
    weights: NDArray[np.float64]
    path: tuple[Step, ...]
    notes: tuple[Notice, ...] = ()

    @classmethod
    def empty(cls, rows: int, path: tuple[Step, ...] = (), notes: tuple[Notice, ...] = ()) -> Search:
        return cls(np.zeros(0, int), np.zeros(0), np.zeros((0, 0)), np.ones(rows), path, notes)


class SparseRegressor(RegressorMixin, BaseEstimator, ABC):
    """A linear regression that keeps few columns.

    After ``fit``: ``coef_`` (T,), zero for dropped columns; ``sigma_`` (T, T), the formal covariance, with zero rows
    and columns for dropped ones; ``support_`` (T,) mask; ``path_``, a tuple of `Step`; ``outcome_``, one of `OUTCOMES`;
    ``notes_``, notices; ``weights_`` (N,), the factor of each row's squared residual; ``intercept_`` = 0.
    """

    # Whether scaling a column only scales its coefficient inversely.
    scale_free: ClassVar[bool]

    def fit(self, X: ArrayLike, y: ArrayLike, variance: ArrayLike | None = None) -> Self:
        """Fit y = X·c with few non-zero c. ``variance`` (N, T): posterior variance of each entry of X."""
        self._check()
        table = self._table(X, y, variance)
        n, n_columns = table.X.shape
        useful = np.flatnonzero(np.any(table.X != 0, axis=0))
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            notes = note_columns(table.X, table.y, table.names)
            if useful.size and np.any(table.y != 0):
                found = self._search(table.only(useful))
                found = replace(found, columns=useful[found.columns])
            else:
                found = Search.empty(n)
        notes += found.notes + tuple(Notice.of("while-fitting", warning=str(each.message)) for each in caught)
        weighted = table.X[:, found.columns] * np.sqrt(found.weights)[:, None]
        outcome = _outcome(weighted)
        if outcome == COLLINEAR:  # perhaps only because of the weights, which leave few effective rows
            notes += note_columns(weighted, table.y, table.names_of(found.columns))
        if not (np.isfinite(found.coefficients).all() and np.isfinite(found.covariance).all()):
            raise InputError(
                "Expected columns of comparable size; got numbers that overflow on the way; measure in other units."
            )
        self.coef_ = np.zeros(n_columns)
        self.coef_[found.columns] = found.coefficients
        self.sigma_ = np.zeros((n_columns, n_columns))
        self.sigma_[np.ix_(found.columns, found.columns)] = found.covariance
        self.support_ = np.zeros(n_columns, bool)
        self.support_[found.columns] = True
        self.weights_ = found.weights
        self.path_ = found.path
        self.notes_ = tuple(dict.fromkeys(notes))
        self.outcome_ = outcome
        self.intercept_ = 0.0
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """X·c, shape (N,)."""
        check_is_fitted(self)
        with _in_our_words():
            checked = _validate(self, X, reset=False, dtype=np.float64)
        return np.asarray(checked) @ self.coef_

    def check(self) -> None:
        """Refuse invalid parameters; ``fit`` does it, too."""
        self._check()

    @abstractmethod
    def _check(self) -> None:
        """Checks of the method's own parameters."""

    @abstractmethod
    def _search(self, table: Table) -> Search:
        """The method itself, on columns none of which is zero throughout."""

    def _table(self, X: ArrayLike, y: ArrayLike, variance: ArrayLike | None) -> Table:
        with _in_our_words():
            X, y = _validate(self, X, y, dtype=np.float64, ensure_all_finite=False, y_numeric=True)
        own = getattr(self, "feature_names_in_", None)
        names = tuple(map(str, own)) if own is not None else tuple(f"x{column}" for column in range(np.shape(X)[1]))
        table = Table(np.asarray(X), np.asarray(y, float), None, names)
        _refuse("finite numbers in X", "that are NaN or inf", ~np.isfinite(table.X), table)
        _refuse_extremes(table)
        if variance is None:
            return table
        if own is not None and isinstance(variance, pd.DataFrame):
            if sorted(map(str, variance.columns)) != sorted(names):
                raise InputError("Expected the columns of variance to be named as those of X; rename or reorder them.")
            variance = variance.set_axis([str(name) for name in variance.columns], axis=1)[list(names)]
        try:
            matrix = np.asarray(variance)
            matrix = matrix.astype(float) if not np.iscomplexobj(matrix) else np.zeros(0)
        except (TypeError, ValueError):
            matrix = np.zeros(0)
        if matrix.shape != table.X.shape:
            raise InputError(
                f"Expected a variance of real numbers in the shape of X, {table.X.shape}; got {np.shape(variance)} of"
                f" {np.asarray(variance).dtype}; give one variance for each entry of X."
            )
        table = replace(table, variance=matrix)
        _refuse("finite numbers in variance", "that are NaN or inf", ~np.isfinite(matrix), table)
        _refuse("variances of 0 or more", "below", matrix < 0, table)
        return table


def check_least(what: str, value: Any, zero: bool = True) -> None:
    """A finite number of at least zero (or above it)."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not (math.isfinite(number) and (number >= 0 if zero else number > 0)):
        bound = "of 0 or more" if zero else "above 0"
        raise InputError(f"Expected the {what} to be a finite number {bound}; got {value!r}; pass such a number.")


def check_gamma_power(method: Any) -> None:
    """From 0 to 4: the paper's are ½ and 1, and for larger ones a single row dominates."""
    check_least(f"gamma_power of {type(method).__name__}", method.gamma_power)
    if method.gamma_power > 4:
        raise InputError(
            f"Expected the gamma_power of {type(method).__name__} to be 4 or less; got {method.gamma_power!r};"
            " pass 0.5 or 1 as in the paper."
        )


def check_switch(what: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"Expected the {what} to be True or False; got {value!r}; pass one of them.")


def _refuse(wanted: str, kind: str, bad: NDArray[np.bool_], table: Table) -> None:
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(
            f"Expected {wanted}; got {int(bad.sum())} {kind} (first: row {row}, column {table.names[column]});"
            " remove those rows or repair them."
        )


def _refuse_extremes(table: Table) -> None:
    """Squares must neither overflow nor underflow, because every method sums them."""
    for values, name in (*zip(table.X.T, table.names, strict=True), (table.y, "the left side")):
        with np.errstate(over="ignore", under="ignore"):
            square = float(values @ values)
        if not 1e-290 < square < 1e290 and values.any():
            raise InputError(
                f"Expected numbers whose squares can be summed; got some in {name} that are too large or too small;"
                " measure in other units."
            )


@contextmanager
def _in_our_words() -> Iterator[None]:
    """scikit-learn's errors as `InputError`; its TypeErrors (sparse matrices, objects) are kept by convention."""
    try:
        yield
    except ValueError as error:
        said = " ".join(str(error).split())
        raise InputError(f"Expected a table of real numbers and one value for each row; got this: {said}") from error


def _outcome(kept: NDArray[np.float64]) -> str:
    n, k = kept.shape
    if k == 0:
        return NOTHING
    if n < k:
        return UNDERDETERMINED
    return COLLINEAR if is_deficient(kept) else FITTED
