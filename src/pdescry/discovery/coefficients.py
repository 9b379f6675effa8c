"""The coefficients of a law by name: ``u_xx``, or ``v: u_xx`` of several fields; with their units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pdescry.data import Readings
from pdescry.discovery.fit import Fit
from pdescry.equation import Term
from pdescry.equation.units import unit_of_coefficient


@dataclass(frozen=True)
class Coefficient:
    """name: as tables and formulas have it. unit: empty where one that counts is not known; 1 of a pure number."""

    name: str
    field: str
    term: Term
    mean: float
    unit: str


def coefficients_of(fits: Sequence[Fit], readings: Readings) -> list[Coefficient]:
    """In the order of `Law.coefficients`."""
    units = {"t" if name == readings.time_name else name: unit for name, unit in readings.units.items()}
    found = []
    for fit in fits:
        terms = {str(term): term for term in fit.terms}
        for row in fit.summary.to_dict(orient="records"):
            term = terms[row["term"]]
            name = f"{fit.field}: {term}" if len(fits) > 1 else str(term)
            unit = unit_of_coefficient(term, fit.field, fit.time_order, units)
            found.append(Coefficient(name, fit.field, term, float(row["mean"]), unit))
    return found


def table_of(fits: Sequence[Fit], readings: Readings) -> pd.DataFrame:
    """One row a term, with its unit."""
    table: Any = pd.concat([fit.summary for fit in fits], ignore_index=True)
    return table.assign(unit=pd.Series([each.unit for each in coefficients_of(fits, readings)], dtype=str))
