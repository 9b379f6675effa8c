"""How a text file writes its numbers: decimal comma or point, and what parts the thousands.

A comma between digits is read only where something proves what it means; otherwise the cell stays text and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pdescry.data.table import is_grouped
from pdescry.notices import Notice

_EXPONENT = r"(?:[eE][+-]?\d+)?"
_DECIMAL_COMMA = re.compile(rf"[+-]?\d*,\d+{_EXPONENT}")
_DECIMAL_POINT = re.compile(rf"[+-]?(?:\d+\.\d*|\.\d+){_EXPONENT}")
_GROUPED_BY_COMMA = re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:,\d{{3}})+(?:\.\d*)?{_EXPONENT}")
_GROUPED_BY_POINT = re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:\.\d{{3}})+(?:,\d*)?{_EXPONENT}")
_GROUPED_OTHERWISE = re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:['’\u00a0\u202f\u2009 ]\d{{3}})+(?:[.,]\d*)?{_EXPONENT}")
_OTHER_SEPARATORS = str.maketrans("", "", "'’\u00a0\u202f\u2009 ")
_SHORT_INTEGER = re.compile(r"[+-]?\d{1,3}")


@dataclass(frozen=True, slots=True)
class Numerals:
    """decimal: "." or ",". thousands: "," or ".", or empty. has_groups: whether blanks or quotes part thousands."""

    decimal: str = "."
    thousands: str = ""
    has_groups: bool = False

    def are_plain(self) -> bool:
        return self == Numerals()

    def plain(self, cell: str) -> str:
        """A cell as Python writes numbers; one that is no number in this notation stays as it is."""
        text = cell.strip()
        if self.has_groups and _GROUPED_OTHERWISE.fullmatch(text):
            text = text.translate(_OTHER_SEPARATORS)
        grouped = {",": _GROUPED_BY_COMMA, ".": _GROUPED_BY_POINT}.get(self.thousands)
        if grouped and grouped.fullmatch(text):
            text = text.replace(self.thousands, "")
        if self.decimal == "," and _DECIMAL_COMMA.fullmatch(text):
            return text.replace(",", ".")
        return cell if text == cell.strip() else text

    def contradicts(self, cell: str) -> bool:
        """Whether Python would read a number that this notation does not write: 1.234 beside 0,5."""
        return self.decimal == "," and not self.thousands and bool(_DECIMAL_POINT.fullmatch(cell.strip()))


def find_numerals(rows: Sequence[Sequence[str]], delimiter: str | None) -> tuple[Numerals, list[Notice]]:
    """The notation of the numbers in some rows of values, and notes for the user."""
    cells = [cell for row in rows for cell in row]
    others = [cell for cell in cells if _GROUPED_OTHERWISE.fullmatch(cell)]
    cells = [cell.translate(_OTHER_SEPARATORS) if _GROUPED_OTHERWISE.fullmatch(cell) else cell for cell in cells]
    notes = [_left_out(others[0])] if others else []
    by_comma = [cell for cell in cells if _GROUPED_BY_COMMA.fullmatch(cell) and (cell.count(",") > 1 or "." in cell)]
    by_point = [cell for cell in cells if _GROUPED_BY_POINT.fullmatch(cell) and (cell.count(".") > 1 or "," in cell)]
    unclear = [cell for cell in cells if is_grouped(cell) and cell.count(",") == 1]
    has_comma = bool(by_point) or any(_DECIMAL_COMMA.fullmatch(cell) and not is_grouped(cell) for cell in cells)
    has_point = any(
        _DECIMAL_POINT.fullmatch(cell) and not (by_point and _GROUPED_BY_POINT.fullmatch(cell)) for cell in cells
    )
    if has_comma and not has_point:
        if by_point:
            return Numerals(",", ".", bool(others)), [*notes, _left_out(by_point[0])]
        return Numerals(",", "", bool(others)), notes
    if by_comma and not has_comma:
        return Numerals(".", ",", bool(others)), [*notes, _left_out(by_comma[0])]
    if unclear and delimiter != "," and not has_point and not _mixes_with_integers(rows):
        # Whoever parts the columns otherwise does so because the comma is taken.
        return Numerals(",", "", bool(others)), [*notes, Notice.of("decimal-comma", example=unclear[0])]
    return Numerals(".", "", bool(others)), notes


def _left_out(example: str) -> Notice:
    return Notice.of("thousands-separators", example=example)


def _mixes_with_integers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a column contains both 997 and 1,074: three decimals would have been written as 997,000."""
    for column in zip(*(row for row in rows if len(row) == len(rows[0])), strict=True):
        if any(map(is_grouped, column)) and any(map(_SHORT_INTEGER.fullmatch, column)):
            return True
    return False
