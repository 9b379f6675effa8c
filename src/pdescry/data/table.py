"""`Table`: what every reader hands over, before anyone has said which column is time and which is space; its cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdescry.notices import Notice

Where = Callable[[int], str]  # names the i-th row as its user would look it up: "row 17"

_MISSING_MARKS = ("", "-", "--", "---", ".", "?", "*", "#n/a", "<na>", "n/a", "n.a.", "na", "nan", "-nan", "nat")
_EXCEL_ERRORS = ("#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!")
MISSING_MARKS = frozenset({*_MISSING_MARKS, *_EXCEL_ERRORS, "nil", "none", "null", "missing"})
_GROUPED = re.compile(r"\s*[+-]?[1-9]\d{0,2}(?:,\d{3})+\s*")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")


@dataclass(frozen=True, slots=True)
class Variable:
    """An array and the names of its dimensions; None where the file does not say (``.npz``, MATLAB)."""

    values: NDArray[Any]
    dims: tuple[str, ...] | None = ("row",)


@dataclass(frozen=True, slots=True)
class Table:
    """Named arrays from one source.

    coordinates: the names known not to be fields. where: names the i-th row as the user would look it up.
    remark: a sentence about the source that belongs into every complaint about its columns. has_names: False where
    the columns are merely numbered. notes: how the source was read, for the user. units: of variables,
    where the source separates them from their names.
    """

    variables: Mapping[str, Variable]
    source: str
    coordinates: frozenset[str] = frozenset()
    where: Where = "reading {}".format
    remark: str = ""
    has_names: bool = True
    notes: tuple[Notice, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)

    def is_long(self) -> bool:
        """Whether all variables are columns of one length, as in a frame."""
        return all(variable.dims == ("row",) for variable in self.variables.values())

    def listing(self) -> str:
        """The names, as a complaint shows them: at most a dozen, each on one line."""
        names = [repr(name if len(name) <= 30 else name[:29] + "…") for name in self.variables]
        return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")

    def is_numeric(self, name: str) -> bool:
        """Whether a variable contains numbers, or is mostly numbers with some text among them."""
        values = self.variables[name].values
        if values.dtype.kind not in "OUST":
            return values.dtype.kind in "fiuc"
        sample = [cell for cell in values.flat[:1000] if not is_missing(cell)]
        return 2 * sum(to_number(cell) is not None or is_grouped(cell) for cell in sample) > len(sample)


def is_missing(cell: Any) -> bool:
    """None, NaN, NaT and pandas.NA, or one of the usual marks for a gap."""
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING_MARKS
    if isinstance(cell, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(cell != cell)
    return cell is None or type(cell).__name__ in ("NAType", "NaTType")


def to_number(cell: Any) -> float | None:
    """One cell as a number, or None. Stricter than float(), which takes True for 1 and 1_000 for a thousand."""
    if isinstance(cell, str | bytes):
        # No number is that long, and Python refuses very long integers on its own terms.
        if len(cell) > 400 or "_" in str(cell):
            return None
        cell = cell.replace("−", "-") if isinstance(cell, str) else cell
    elif not isinstance(cell, Number) or isinstance(cell, bool | np.bool_ | complex):
        return None
    try:
        return float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def is_grouped(cell: Any) -> bool:
    """1,074 or 1,234,567: thousands as English writes them, or else three decimals behind a comma."""
    return isinstance(cell, str) and bool(_GROUPED.fullmatch(cell))


def remedy(cell: str, nothing_else: bool) -> str:
    """What to do about a cell that is no number. Not to empty it where that would drop all readings."""
    if is_grouped(cell):
        if cell.count(",") > 1:
            return "write them without separators of thousands"
        return f"write {cell.replace(',', '')} or {cell.replace(',', '.')} there, whichever is meant"
    if _DECIMAL_COMMA.fullmatch(cell):
        return "write decimal points in place of the commas"
    if nothing_else:
        return "write plain numbers without units, or choose another column"
    return "correct those cells, or empty them to have them dropped"


def shorten(thing: Any) -> str:
    """A printable, quoted form of something found in a file, at most some 40 characters long."""
    text = repr(str(thing))
    return text if len(text) <= 40 else text[:36] + "…'"
