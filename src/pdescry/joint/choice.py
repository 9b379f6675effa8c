"""`Choice`: the law that `choose` found, compared with other laws and with no law."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdescry.data import Readings, SensorFault
from pdescry.equation import Term
from pdescry.equation.equation import Component
from pdescry.equation.with_spread import SUMMARY
from pdescry.errors import InputError
from pdescry.joint.field.process import Process
from pdescry.joint.fit.held_out import errors, scores_of_fields
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.options import ANSWER
from pdescry.joint.profiles import COLUMNS
from pdescry.notices import Notice
from pdescry.problem import Candidate


@dataclass(frozen=True, eq=False)
class Comparison:
    """Comparison of laws with each other, and with no law.

    Parameters
    ----------
    alternatives : pandas.DataFrame
        Laws compared at the end, best first: terms, law, elpd (expected log predictive density of the sensors: inner
        ones left out as a whole, the outermost ones reading by reading), score (elpd minus the complexity penalty;
        less of elpd where sensors share errors) relative to the best, and probability among them.
    probabilities : pandas.DataFrame
        Probability of each candidate of each equation.
    held_out : pandas.DataFrame
        Each sensor predicted from the others by the best law.
    baselines : dict of dict of float
        For each field the elpd of models without a law, of the inner sensors only.
    reasons : dict of Notice
        By field, why its readings do not determine a law.
    single_term_changes : pandas.DataFrame
        The best law with each candidate added or removed; empty if no law was fitted to convergence.
    other_order : Notice, optional
        The law of another order in time that scores nearly as well, and the difference; None if there is none.
    claims : pandas.DataFrame
        Prior knowledge that the readings contradict, one row for each claim: claim, field, term, favoured (the
        coefficient without it, as text), value and sd of that (NaN if the term is not in the law), cost (by how many
        nats the law without all of these claims scores more), law (that law).
    profiles : pandas.DataFrame
        Coefficients that vary along the axis, one row for each term and place: mean, sd and 95 % interval.
    variation : tuple of Notice
        The same in sentences.
    """

    alternatives: pd.DataFrame
    probabilities: pd.DataFrame
    held_out: pd.DataFrame
    baselines: dict[str, dict[str, float]]
    reasons: dict[str, Notice] = field(default_factory=dict)
    single_term_changes: pd.DataFrame = field(default_factory=pd.DataFrame)
    other_order: Notice | None = None
    claims: pd.DataFrame = field(default_factory=pd.DataFrame)
    profiles: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(COLUMNS)))
    variation: tuple[Notice, ...] = ()

    @property
    def reason(self) -> Notice | None:
        """Why the readings do not determine a law, for the first field without one; None if all have one."""
        return next(iter(self.reasons.values()), None)

    @property
    def near(self) -> list[tuple[str, float]]:
        """Laws that are not the best but are also plausible, with their probabilities."""
        rows = self.alternatives.to_dict(orient="records")[1:]
        return [(row["law"], row["probability"]) for row in rows if row["probability"] >= ANSWER.report.probability]

    @property
    def of_inner_sensors(self) -> dict[str, float]:
        """For each field the elpd of the best law, of the inner sensors only, to compare with ``baselines``."""
        return scores_of_fields(self.held_out, tuple(self.baselines))

    @property
    def errors(self) -> tuple[float, float]:
        """Rms error of held-out sensors, each predicted from the rest, and the expected one."""
        return errors(self.held_out)

    def errors_of(self, name: str) -> tuple[float, float]:
        """The same of one field."""
        return errors(self.held_out, name)


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """The law that predicts best, and its comparison with others.

    Parameters
    ----------
    fit : JointFit
        The best law, or the best guess if the readings determine none.
    candidates : tuple of Candidate
        Candidates of all equations.
    comparison : Comparison
        Other laws, and no law; ``comparison.reasons`` says why the readings of a field do not determine its law.
    fields : tuple of str
        All fields that were read; candidates of those without a law are not kept.
    processes : tuple of tuple of Process
        For each field of the fit, and each experiment, the field without a law.
    left_out : tuple of SensorFault
        Sensors that drift against the law; the fit is without them.
    """

    fit: JointFit
    candidates: tuple[Candidate, ...]
    comparison: Comparison
    fields: tuple[str, ...]
    processes: tuple[tuple[Process, ...], ...] = ()
    left_out: tuple[SensorFault, ...] = ()

    @property
    def laws(self) -> tuple[FieldLaw, ...]:
        """The law of each field."""
        return tuple(FieldLaw(self, name) for name in self.fields)

    @property
    def told(self) -> bool:
        """Whether every field has a law."""
        return not self.comparison.reasons

    @property
    def notes(self) -> tuple[Notice, ...]:
        return self.fit.notes

    @property
    def remarks(self) -> tuple[Notice, ...]:
        """Other plausible laws, or the best guess if the readings do not determine a law."""
        if len(self.comparison.reasons) == len(self.fields):
            return (Notice.of("best-guess", law=str(self.fit)),)
        found = [Notice.of("or-law", law=law, probability=probability) for law, probability in self.comparison.near]
        other = self.comparison.other_order
        return (*self.comparison.variation, *found, *([] if other is None else [other]))

    def __str__(self) -> str:
        return "\n".join(law.concise for law in self.laws)

    def __repr__(self) -> str:
        head = repr(self.fit) if self.told else str(self)
        # The fit itself reports how its coefficients vary.
        remarks = [each for each in self.remarks if not self.told or each not in self.fit.variation]
        return "\n".join([head, *(f"  {remark}" for remark in remarks)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that :meth:`load` reads; no pickle.

        Parameters
        ----------
        path : str or path
            A NetCDF file (``.nc``).
        """
        from pdescry.joint.storage import save

        save(self, Path(path))

    @staticmethod
    def load(path: str | os.PathLike[str], readings: Readings | Sequence[Readings]) -> Choice:
        """The choice that :meth:`save` wrote.

        Parameters
        ----------
        path : str or path
            The file.
        readings : Readings or sequence of Readings
            The readings to which it was fitted; of each experiment if there are several.

        Returns
        -------
        Choice
        """
        from pdescry.joint.storage import load

        return load(Path(path), readings)


@dataclass(frozen=True, eq=False)
class FieldLaw:
    """The law of one field of a `Choice`, as `Law` requires it of every method, field by field."""

    choice: Choice
    field: str

    @property
    def reason(self) -> Notice | None:
        """Why its readings do not determine a law, or None."""
        return self.choice.comparison.reasons.get(self.field)

    @property
    def _fitted(self) -> bool:
        return self.field in self.choice.fit.fields

    @property
    def time_order(self) -> int:
        fit = self.choice.fit
        return fit.orders[fit.fields.index(self.field)] if self._fitted else 1

    @property
    def terms(self) -> tuple[Term, ...]:
        """All candidates."""
        return tuple(each.term for each in self.choice.candidates if each.field == self.field)

    @property
    def support(self) -> NDArray[np.bool_]:
        """(T,): which of the candidates are in the law."""
        kept = {each.term for each in self.choice.fit.terms if each.field == self.field}
        return np.array([not self.reason and term in kept for term in self.terms], bool)

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """(T,): coefficients, zero for candidates that are not in the law."""
        fit = self.choice.fit
        found = {fit.terms[k].term: fit.values[k] for k in fit.rows_of(self.field)}
        return np.where(self.support, [found.get(term, 0.0) for term in self.terms], 0.0)

    @property
    def component(self) -> Component:
        if self.reason:
            raise InputError(
                f"Expected readings of {self.field} that determine a law; these do not: {self.reason.marked}"
            )
        return self.choice.fit.equation[self.field]

    @property
    def notes(self) -> tuple[Notice, ...]:
        return self.choice.notes

    def _own(self, table: pd.DataFrame) -> Any:
        return table[table["field"] == self.field]

    @property
    def probabilities(self) -> pd.Series:
        """Probability of each candidate."""
        own = self._own(self.choice.comparison.probabilities)
        return pd.Series(own["probability"].to_numpy(float), own["term"].to_list(), name="probability", dtype=float)

    @property
    def table(self) -> pd.DataFrame:
        """One row for each candidate; sd and interval are NaN for those that are not in the law."""
        names = [str(term) for term in self.terms]
        table = pd.DataFrame({"term": names, "coefficient": self.coefficients})
        numbers = self.summary.set_index("term")[["sd", "low", "high"]].reindex(names).reset_index(drop=True)
        return table.join(numbers).assign(probability=self.probabilities.reindex(names).to_numpy(), kept=self.support)

    @property
    def summary(self) -> pd.DataFrame:
        """The terms of the law: mean, sd, 95 % interval and the probability of the term."""
        table = self._own(self.choice.fit.coefficients)
        table = table.assign(
            probability=self.probabilities.reindex(table["term"]).to_numpy(float),
            corrected=math.nan,
            formal_sd=math.nan,
            spread="joint",
        )[SUMMARY].reset_index(drop=True)
        return table.iloc[:0] if self.reason else table

    @property
    def concise(self) -> str:
        """The law with standard errors in the last digits, or the reason why there is none."""
        if not self.reason:
            return self.choice.fit.concise(self.field)
        if len(self.choice.fields) == 1:
            return f"cannot tell: {self.reason}"
        return f"{self.field}: cannot tell: {self.reason}"
