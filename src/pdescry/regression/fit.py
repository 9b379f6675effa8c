"""`regress`, the verb of the room, and `SparseFit`, its answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from pdescry.derivatives import Derivatives
from pdescry.equation import Equation, Term
from pdescry.equation.equation import Component
from pdescry.equation.with_spread import SUMMARY, TWO_SIDED_95, concise
from pdescry.errors import InputError
from pdescry.notices import Notice
from pdescry.regression.design import DesignMatrix
from pdescry.regression.estimator import FITTED, NOTHING, SparseRegressor, Step
from pdescry.regression.evidence import evidence_of
from pdescry.regression.spread import Spread, spread_of

# With fewer draws, the relative error of the spread is noted: 1/√(2·20) is 16 %.
FEW_DRAWS = 20


@dataclass(frozen=True, eq=False, repr=False)
class SparseFit:
    """A law, term by term.

    Parameters
    ----------
    terms : tuple of Term
        The T candidates.
    coefficients : (T,) array
        Zero for dropped terms.
    covariance : (T, T) array
        Formal: points count as independent observations.
    support : (T,) array of bool
        Which terms are kept.
    path : tuple of Step
        How the terms were dropped.
    evidence : float
        Log evidence of the kept terms.
    outcome : str
        How the fit ended.
    notes : tuple of str
        Limitations of the fit.
    method : estimator of pdescry.regression
        The fitted method.
    spread : Spread, optional
        The uncertainty including that of the field, from single draws; None if the design has no draws.
    field : str
        The field of the law.
    time_order : int
        1 for u_t on the left side, 2 for u_tt.
    """

    terms: tuple[Term, ...]
    coefficients: NDArray[np.float64]
    covariance: NDArray[np.float64]
    support: NDArray[np.bool_]
    path: tuple[Step, ...]
    evidence: float
    outcome: str
    notes: tuple[Notice, ...]
    method: SparseRegressor
    spread: Spread | None = None
    field: str = "u"
    time_order: int = 1

    @property
    def formal_sd(self) -> NDArray[np.float64]:
        """Formal standard deviations, (T,), zero for dropped terms."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def equation(self) -> Equation:
        """The law of the field. One that also contains other fields must be joined with theirs; see `component`."""
        return Equation.of([self.component])

    @property
    def component(self) -> Component:
        """The law of this field as a part of a system."""
        if self.outcome == NOTHING:
            raise InputError(
                "Expected a law of at least one term; got none, all were dropped; a lower threshold or other candidates"
                " may keep some (see notes and path)."
            )
        found = {self.terms[j]: float(self.coefficients[j]) for j in np.flatnonzero(self.support)}
        return Component.of(self.field, found, self.time_order)

    @property
    def table(self) -> pd.DataFrame:
        """One row for each candidate. Columns from draws are NaN for dropped terms and without draws."""
        table = pd.DataFrame(
            {
                "term": [str(term) for term in self.terms],
                "coefficient": self.coefficients,
                "formal_sd": np.where(self.support, self.formal_sd, np.nan),
                **dict.fromkeys(("honest_sd", "low", "high", "corrected"), np.nan),
                "kept": self.support,
            }
        )
        if self.spread is not None:
            low, high = self.spread.interval
            honest = np.column_stack([self.spread.sd, low, high, self.spread.corrected])
            table.loc[self.support, ["honest_sd", "low", "high", "corrected"]] = honest
        return table

    @property
    def summary(self) -> pd.DataFrame:
        """The kept terms with mean, standard deviation and 95 % interval, from draws if there are any, or else
        formal."""
        table: Any = self.table.query("kept").rename(columns={"coefficient": "mean"})
        honest = self.spread is not None
        table["sd"] = table["honest_sd"] if honest else table["formal_sd"]
        if not honest:
            table["low"], table["high"] = (table["mean"] + sign * TWO_SIDED_95 * table["sd"] for sign in (-1, 1))
        table = table.assign(field=self.field, probability=math.nan, spread="honest" if honest else "formal")
        return table[SUMMARY]

    @property
    def concise(self) -> str:
        """The law with its standard errors in the last digits, as in ``u_t = 0.0985(21)*u_xx - 0.997(8)*u*u_x``."""
        sds = self.formal_sd[self.support] if self.spread is None else self.spread.sd
        kept = [self.terms[j] for j in np.flatnonzero(self.support)]
        return concise(self.field, self.time_order, kept, self.coefficients[self.support], sds)

    def __repr__(self) -> str:
        kind = "formal, too narrow" if self.spread is None else "honest"
        spread = f" (spread: {kind})" if self.support.any() else ""
        head = f"{self.concise}{spread}, by {self.method!r}, {self.outcome}"
        return "\n".join([head, *(f"  {note}" for note in self.notes)])


def regress(design: DesignMatrix | Derivatives, method: SparseRegressor, field: str | None = None) -> SparseFit:
    """Find the few terms that make up the left side.

    Parameters
    ----------
    design : DesignMatrix or Derivatives
        Candidate terms and the left side at many points.
    method : estimator of pdescry.regression
        It is not modified; its fitted copy is in the answer. There is no default: the right threshold depends on
        units, which only you know; `Greedy` needs none.
    field : str, optional
        The field of the law, if the derivatives are of several fields.

    Returns
    -------
    SparseFit
    """
    if isinstance(design, Derivatives):
        design = DesignMatrix.of(design, field)
    if not isinstance(design, DesignMatrix):
        raise InputError(
            f"Expected Derivatives or a DesignMatrix; got {type(design).__name__}; make some with"
            " pdescry.differentiate(posterior)."
        )
    if not isinstance(method, SparseRegressor):
        raise InputError(f"Expected a method such as STBLR(threshold=0.1); got {method!r}; pass one with its settings.")
    fitted: Any = clone(method)
    # As a table with names, so that path and notes name the terms.
    fitted.fit(pd.DataFrame(design.X, columns=[str(term) for term in design.terms]), design.y, design.variance)
    kept = np.flatnonzero(fitted.support_)
    spread = spread_of(design, kept, fitted.coef_[kept], fitted.weights_) if fitted.outcome_ == FITTED else None
    return SparseFit(
        design.terms,
        fitted.coef_,
        fitted.sigma_,
        fitted.support_,
        fitted.path_,
        _evidence(design, kept, fitted.weights_),
        fitted.outcome_,
        (*fitted.notes_, *_noisy_terms(design, kept), *_spread_notes(design, kept, spread, fitted.outcome_)),
        fitted,
        spread,
        design.field,
        design.time_order,
    )


def _evidence(design: DesignMatrix, kept: NDArray[np.intp], weights: NDArray[np.float64]) -> float:
    return evidence_of(design.X[:, kept], design.y, weights) if design.y.any() else math.nan


def _noisy_terms(design: DesignMatrix, kept: NDArray[np.intp]) -> list[Notice]:
    if design.variance is None:
        return []
    noise, signal = design.variance.mean(axis=0), np.mean(design.X**2, axis=0)
    noisy = [str(design.terms[j]) for j in kept if noise[j] > signal[j]]
    if not noisy:
        return []
    return [Notice.of("variance-exceeds-term", terms=noisy)]


def _spread_notes(design: DesignMatrix, kept: NDArray[np.intp], spread: Spread | None, outcome: str) -> list[Notice]:
    if not kept.size:
        return []
    if spread is None:
        if outcome != FITTED:
            return [Notice.of("formal-collinear")]
        if design.draws is None:
            return [Notice.of("formal-without-draws")]
        return [Notice.of("formal-of-one-draw" if len(design.draws) < 2 else "formal-of-few-rows")]
    notes = []
    if len(spread.draws) < FEW_DRAWS:
        notes.append(Notice.of("spread-of-few-draws", draws=len(spread.draws)))
    biased = [str(design.terms[j]) for j, k in zip(kept, np.abs(spread.shift) > spread.draws_sd, strict=True) if k]
    if biased:
        notes.append(Notice.of("noise-biases", terms=biased))
    return notes
