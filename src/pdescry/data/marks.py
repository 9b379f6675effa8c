"""Numbers that stand for gaps, such as −9999: taken out before anything is read from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pdescry.data.table import Table, Variable, to_number
from pdescry.errors import InputError
from pdescry.notices import Notice


def without_marks(table: Table, marks: float | Sequence[float]) -> Table:
    """The table with gaps in place of these numbers."""
    numbers = [to_number(each) for each in (marks if isinstance(marks, list | tuple) else [marks])]
    if not numbers or any(each is None for each in numbers):
        raise InputError(f"Expected ⟦missing_value=⟧ as a number such as -9999; got {marks!r}; pass one or several.")
    count, variables = 0, {}
    for name, variable in table.variables.items():
        values, found = variable.values, _marked(variable.values, numbers)
        if found.any():
            count += int(found.sum())
            values = values.astype(object if values.dtype.kind in "OUST" else float)
            values[found] = None if values.dtype == object else np.nan
        variables[name] = Variable(values, variable.dims)
    note = Notice.of("marks-of-gaps", values=count, marks=[f"{each:g}" for each in numbers])
    return replace(table, variables=variables, notes=(*table.notes, note))


def _marked(values: np.ndarray[Any, Any], numbers: Sequence[float | None]) -> np.ndarray[Any, Any]:
    if values.dtype.kind in "fiu":
        return np.isin(values, [each for each in numbers if each is not None])
    if values.dtype.kind in "OUST":
        flat = [not hasattr(cell, "year") and to_number(cell) in numbers for cell in values.flat]
        return np.array(flat, bool).reshape(values.shape)
    return np.zeros(values.shape, bool)
