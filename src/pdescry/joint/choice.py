"""`Choice`: the law that `choose` found, and how it compares with others and with no law at all."""

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

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.equation.equation import Component
from pdescry.errors import InputError
from pdescry.joint.fit import JointFit
from pdescry.joint.held_out import errors
from pdescry.regression.fit import SUMMARY

LIKELY = 0.05  # a law of so much probability is worth a word


@dataclass(frozen=True, eq=False)
class Comparison:
    """How laws fared against each other, and against no law at all.

    alternatives: laws compared at the end, best first: terms, law, score, worth less that of the best, and probability
    among them. probabilities: of each candidate. held_out: each sensor predicted from the others by the best law.
    baselines: scores of what knows no law. reason: why the readings do not tell a law; empty where they do. singly: the
    best law with each candidate more, or less (`neighbours.singly`); empty where no law was worth fitting to its end.
    """

    alternatives: pd.DataFrame
    probabilities: pd.Series
    held_out: pd.DataFrame
    baselines: dict[str, float]
    reason: str = ""
    singly: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def near(self) -> list[tuple[str, float]]:
        """Laws that are not the best, but may well be true: law and probability."""
        rows = self.alternatives.to_dict(orient="records")[1:]
        return [(row["law"], row["probability"]) for row in rows if row["probability"] >= LIKELY]

    @property
    def errors(self) -> tuple[float, float]:
        """Of the sensors between others, each predicted from the rest: rms error, and what it should be."""
        return errors(self.held_out)


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """The law that predicts best, and how it compares.

    Where the readings do not tell a law (``comparison.reason``), none of the candidates is kept, and ``fit`` is only
    the best guess.
    """

    fit: JointFit
    candidates: tuple[Term, ...]
    comparison: Comparison

    # ---- what `Law` asks of every fit ----------------------------------------------------------------------------

    @property
    def field(self) -> str:
        return self.fit.readings.fields[0]

    @property
    def time_order(self) -> int:
        return 1

    @property
    def terms(self) -> tuple[Term, ...]:
        """All candidates."""
        return self.candidates

    @property
    def support(self) -> NDArray[np.bool_]:
        """(T,): which of the candidates make up the law."""
        told = not self.comparison.reason
        return np.array([told and term in self.fit.terms for term in self.candidates])

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """(T,), zero where dropped."""
        found = dict(zip(self.fit.terms, self.fit.values, strict=True))
        return np.where(self.support, [found.get(term, 0.0) for term in self.candidates], 0.0)

    @property
    def component(self) -> Component:
        if self.comparison.reason:
            raise InputError(
                "Expected readings that tell a law; these do not (see why in choice.comparison.reason); the best "
                "guess is choice.fit.equation."
            )
        return self.fit.equation.components[0]

    @property
    def notes(self) -> tuple[str, ...]:
        return self.fit.notes

    @property
    def table(self) -> pd.DataFrame:
        """One row for each candidate; sd and interval are NaN for those that are not in the law."""
        names = [str(term) for term in self.candidates]
        table = pd.DataFrame({"term": names, "coefficient": self.coefficients})
        numbers = self.summary.set_index("term")[["sd", "low", "high"]].reindex(names).reset_index(drop=True)
        return table.join(numbers).assign(
            probability=self.comparison.probabilities.reindex(names).to_numpy(), kept=self.support
        )

    @property
    def summary(self) -> pd.DataFrame:
        """The terms of the law: mean, sd, 95 % interval and the probability that the term is there."""
        table: Any = self.fit.coefficients
        table = table.assign(
            field=self.field,
            probability=self.comparison.probabilities.reindex(table["term"]).to_numpy(),
            corrected=math.nan,
            formal_sd=math.nan,
            spread="joint",
        )[SUMMARY]
        return table.iloc[:0] if self.comparison.reason else table

    @property
    def concise(self) -> str:
        """The law with its spread in the last digits, or why there is none."""
        return f"cannot tell: {self.comparison.reason}" if self.comparison.reason else str(self.fit)

    # ---- looking at it and keeping it ----------------------------------------------------------------------------

    @property
    def remarks(self) -> tuple[str, ...]:
        """Laws that may be true as well, or the best guess where the readings do not tell a law."""
        if self.comparison.reason:
            return (f"The best law, which the readings do not support: {self.fit}",)
        return tuple(f"or {law} (probability {probability:.2f})" for law, probability in self.comparison.near)

    def __str__(self) -> str:
        return self.concise

    def __repr__(self) -> str:
        head = self.concise if self.comparison.reason else repr(self.fit)
        return "\n".join([head, *(f"  {remark}" for remark in self.remarks)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a NetCDF file (``.nc``) that :meth:`load` reads; no pickle."""
        from pdescry.joint.storage import save

        save(self, Path(path))

    @staticmethod
    def load(path: str | os.PathLike[str], readings: Readings | Sequence[Readings]) -> Choice:
        """What :meth:`save` wrote; readings: those that it was fitted to, of each experiment where they are several."""
        from pdescry.joint.storage import load

        return load(Path(path), readings)
