"""How a text file writes its table, from its first lines: where the table starts, its delimiter, header and numerals.

A row of values fits the table: it has the usual number of cells, and numbers in the columns of numbers. The
header is the line above the first such row, less a row of units; text above the header is skipped, with a note.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pdescry.data.formats.numerals import Numerals, find_numerals
from pdescry.data.headers import is_unit
from pdescry.data.table import MISSING_MARKS, is_grouped
from pdescry.errors import InputError
from pdescry.notices import Notice

_SAMPLE_LINES, _SAMPLE_SIZE, _LEAST_LINES = 200, 2**18, 5  # lines and characters that settle the dialect
_DELIMITERS = ("\t", ";", "|", ",", None)  # the rarer in prose first; None is any run of blanks
_EXCEL_SEPARATOR = re.compile(rb'"?sep=(.)"?[ ;,\t]*(?:\n|$)', re.IGNORECASE)
# Excel's errors begin like a comment.
_COMMENT = rb"(?:#(?!N/A|DIV/0!|VALUE!|REF!|NUM!|NAME\?|NULL!)|%|//)"
_COMMENT_START = re.compile(_COMMENT)
COMMENT_LINE = re.compile(rb"^" + _COMMENT + rb".*\n?", re.MULTILINE)
_VALUE = re.compile(
    r"[+-]?(?:\d(?:[.,'’\u00a0\u202f\u2009]?\d| (?=\d{3}))*[.,]?|[.,]\d+)(?:[ed][+-]?\d+)?|[+-]?inf(?:inity)?"
    r"|\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[t ].*)?|\d{1,3}:\d{2}(?::\d{2}(?:[.,]\d*)?)?(?: ?[ap]m)?",
    re.IGNORECASE,
)
_IS_VALUE, _IS_GAP, _IS_TEXT = range(3)


@dataclass(frozen=True, slots=True)
class Dialect:
    """start: the line of the first row of values, as an editor counts. has_names: whether a header names the columns.

    remark: belongs into every complaint about the columns. notes: for the user to read. units: a cell per column of the
    row of units below the header, if there is one.
    """

    delimiter: str | None
    numerals: Numerals
    names: tuple[str, ...]
    start: int
    has_names: bool = True
    remark: str = ""
    notes: tuple[Notice, ...] = ()
    units: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Layout:
    """The sample under one delimiter: how wide the table is, which columns are numeric, and which row fits first."""

    delimiter: str | None
    rows: list[list[str]]
    kinds: list[list[int]]
    width: int
    numeric: list[int]
    first: int | None
    score: float


def lines(raw: bytes, start: int = 1, blanks: str = " \t\f\v\n") -> Iterator[tuple[int, str]]:
    """Lines with content from line ``start`` on, numbered as in a text editor."""
    for number, line in enumerate(io.BytesIO(raw), start=1):
        if number >= start and not _COMMENT_START.match(line) and (text := line.decode(errors="replace")).strip(blanks):
            yield number, text.rstrip("\n")


def cells(line: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return line.split()
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])]


def sniff(raw: bytes, path: Path) -> Dialect:
    separator = _EXCEL_SEPARATOR.match(raw)
    sample = _sample(raw, start=2 if separator else 1)
    if not sample:
        raise InputError(
            f"Expected readings in {path.name}; got only blank lines or comments; check how it was written."
        )
    layouts = _lay_out(sample, [separator.group(1).decode("latin-1")] if separator else []) or _lay_out(
        sample, _DELIMITERS
    )
    if not layouts:
        raise InputError(
            f"Expected columns such as t,x,u in {path.name}; got a single column; "
            "separate them by commas, semicolons, tabs or blanks."
        )
    layout = max(layouts, key=lambda layout: layout.score)
    if layout.first is not None:
        return _describe(layout, layout.first, [number for number, _ in sample], raw, path)
    if len(sample) > 1:
        raise InputError(
            f"Expected a table of numbers in {path.name}; got no row of numbers among its first {len(sample)} lines; "
            "write rows such as 0,0.1,20.5 below a header such as t,x,u."
        )
    return Dialect(layout.delimiter, Numerals(), _filled(layout.rows[0]), sample[0][0] + 1)


def _sample(raw: bytes, start: int) -> list[tuple[int, str]]:
    found, size = [], 0
    for number, line in lines(raw, start):
        found.append((number, line))
        size += len(line)
        if len(found) >= _SAMPLE_LINES or (size > _SAMPLE_SIZE and len(found) >= _LEAST_LINES):
            break
    return found


def _kind(cell: str) -> int:
    if cell.lower() in MISSING_MARKS:
        return _IS_GAP
    return _IS_VALUE if _VALUE.fullmatch(cell) else _IS_TEXT


def _lay_out(sample: Sequence[tuple[int, str]], delimiters: Sequence[str | None]) -> list[_Layout]:
    return [layout for delimiter in delimiters if (layout := _lay_out_by(delimiter, sample))]


def _lay_out_by(delimiter: str | None, sample: Sequence[tuple[int, str]]) -> _Layout | None:
    rows = [cells(line, delimiter) for _, line in sample]
    kinds = [[_kind(cell) for cell in row] for row in rows]
    widths = Counter(len(row) for row in kinds if _IS_VALUE in row) or Counter([len(rows[0])])
    width = max(widths, key=lambda width: (widths[width], width))
    if width < 2:
        return None
    whole = [len(row) == width or (len(row) == width + 1 and not row[-1]) for row in rows]
    columns = [Counter(row[k] for row, is_whole in zip(kinds, whole, strict=True) if is_whole) for k in range(width)]
    numeric = [k for k, column in enumerate(columns) if column[_IS_VALUE] and column[_IS_VALUE] >= column[_IS_TEXT]]

    def fits(row: list[int], is_whole: bool) -> bool:
        found = {row[k] for k in numeric} if is_whole else {_IS_TEXT}
        return _IS_VALUE in found and _IS_TEXT not in found

    fit = [fits(row, is_whole) for row, is_whole in zip(kinds, whole, strict=True)]
    score = sum(1 - row[:width].count(_IS_TEXT) / width for row, fitting in zip(kinds, fit, strict=True) if fitting)
    first = fit.index(True) if any(fit) else None
    if first is not None:
        # Lines above the header may look like values: a header follows if most lines above it are none.
        for k in range(first + 1, len(rows) - 1):
            if whole[k] and fit[k + 1] and _are_names(rows[k], kinds[k], numeric) and 2 * sum(fit[:k]) < k:
                first = k + 1
    return _Layout(delimiter, rows, kinds, width, numeric, first, score)


def _describe(layout: _Layout, first: int, numbers: list[int], raw: bytes, path: Path) -> Dialect:
    """The dialect of a layout whose first row of values is row ``first``; ``numbers`` are the lines of the rows."""
    rows, notes, remarks, units = layout.rows, [], [], ()
    header, start = _find_header(layout, first)
    if header is None and start and len(rows[start - 1]) > 1:
        raise InputError(
            f"Expected {layout.width} names above the values in {path.name}, whose table seems to start at line "
            f"{numbers[start]}; got {len(rows[start - 1])} in line {numbers[start - 1]}; "
            "write a header such as t,x,u right above the values."
        )
    if header is not None and start == header + 2:
        units = tuple(rows[header + 1])
        notes.append(Notice.of("row-of-units", units=[cell or "-" for cell in units[:12]]))
    skipped = start if header is None else header
    if skipped:
        below = "table" if header is None else "header"
        notes.insert(0, Notice.of("lines-skipped", lines=skipped, where=below))
        remarks.append(f"the table seems to start at line {numbers[skipped]}; what is above was skipped")
    names = _names_in_comment(raw, layout, numbers[start]) if header is None else rows[header]
    has_names = bool(names)
    if not has_names:
        names = [str(k + 1) for k in range(layout.width)]
        remarks.append("numbered, for want of a header line such as t,x,u")
    numerals, about_numerals = find_numerals(rows[start:], layout.delimiter)
    remark = f" ({'; '.join(remarks)})" if remarks else ""
    names = [numerals.plain(name) if is_grouped(name) else name for name in names]  # the places of a wide table
    return Dialect(
        layout.delimiter, numerals, _filled(names), numbers[start], has_names, remark, (*notes, *about_numerals), units
    )


def _find_header(layout: _Layout, first: int) -> tuple[int | None, int]:
    """Above the first row of values that fits: the row of the header, if any, and the row where values begin.

    Right below the header may be a row of units. Rows that are short, all gaps, or contain a stray text belong to the
    values: what is wrong with them is reported later.
    """
    rows, kinds = layout.rows, layout.kinds
    if first == 0 and len(rows) > 1 and not rows[0][0] and kinds[1][0] == _IS_VALUE:
        return 0, 1  # a wide table of pandas, which leaves the name of an index blank
    # Each row of values may end with a delimiter, while the header does not.
    least = layout.width - (not any(row[-1] for row in rows if len(row) == layout.width))
    leftmost, wide = layout.numeric[0], None
    above = first - 1
    while above >= 0:
        if len(rows[above]) >= least:
            is_text = kinds[above][leftmost] == _IS_TEXT
            has_text_above = above > 0 and len(rows[above - 1]) >= least and kinds[above - 1][leftmost] == _IS_TEXT
            if has_text_above and _are_units(rows[above]):
                return above - 1, above + 1
            if _are_names(rows[above], kinds[above], layout.numeric):
                return above, above + 1
            if is_text and wide is None:
                wide = above
        elif _IS_TEXT in kinds[above]:
            break
        above -= 1
    return (wide, wide + 1) if wide is not None else (None, above + 1)


def _are_names(row: list[str], kinds: list[int], numeric: list[int]) -> bool:
    """Whether there is text above each column of numbers; that above the index of pandas is blank."""
    return all(kinds[k] == _IS_TEXT or (k == 0 and not row[0] and len(numeric) > 1) for k in numeric)


def _filled(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name or f"unnamed {k + 1}" for k, name in enumerate(names))


def _are_units(row: list[str]) -> bool:
    return any(map(is_unit, row)) and all(not cell or cell == "-" or is_unit(cell) for cell in row)


def _names_in_comment(raw: bytes, layout: _Layout, start: int) -> list[str]:
    """numpy.savetxt hides the header in the last comment above the numbers."""
    above = b""
    for number, line in enumerate(io.BytesIO(raw), start=1):
        if number >= start:
            break
        if _COMMENT_START.match(line):
            above = line
    names = cells(above.decode(errors="replace").lstrip("#%/").strip(), layout.delimiter)
    return names if len(names) == layout.width else []
