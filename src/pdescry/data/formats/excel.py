"""Excel's ``.xlsx``: a sheet as the text that it would be saved as, so that headers and units are found as in CSV."""

from __future__ import annotations

import csv
import datetime
import io
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from pdescry.data.formats import check_size, parsing
from pdescry.data.formats.text import of_text
from pdescry.data.table import Table
from pdescry.errors import InputError, needing
from pdescry.notices import Notice


def load(path: Path, sensor: str | None, group: str | None = None) -> Table:
    """group: the name of a sheet; by default the only one with anything in it."""
    with needing("excel", "to read Excel workbooks"):
        import openpyxl

    with parsing(path, "Excel"):
        with zipfile.ZipFile(path) as archive:
            check_size(sum(member.file_size for member in archive.infolist()), path)
        book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            sheets = {sheet.title: sheet for sheet in book.worksheets}
            if group is not None and group not in sheets:
                raise InputError(
                    f"Expected one of the sheets of {path.name}: {', '.join(map(repr, sheets))}; got {group!r}; pass "
                    "⟦group=⟧ with one of them."
                )
            chosen = [group] if group is not None else list(sheets)
            texts = {title: text for title in chosen if (text := _as_text(sheets[title]))}
        finally:
            book.close()
    if len(texts) > 1:
        raise InputError(
            f"Expected readings on one sheet of {path.name}; got several that are not empty: "
            f"{', '.join(map(repr, texts))}; choose one with ⟦group=⟧."
        )
    if not texts:
        raise InputError(f"Expected readings in {path.name}; got only empty sheets; check how it was written.")
    (title, text) = texts.popitem()
    table = of_text(text.encode(), path, sensor)
    return replace(table, notes=(Notice.of("read-sheet", sheet=title), *table.notes)) if len(sheets) > 1 else table


def _as_text(sheet: Any) -> str:
    """A line a row, so that rows are counted as Excel counts them; empty if nothing is there."""
    sheet.reset_dimensions()  # what the file says of its size may be wrong
    rows = [[_cell(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    filled = [k for row in rows for k, cell in enumerate(row) if cell]
    if not filled:
        return ""
    text = io.StringIO()
    # Columns to the left and right that are empty all through are none; no cell contains a tab.
    first, last = min(filled), max(filled) + 1
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    for row in rows:
        part = (row + [""] * last)[first:last]
        writer.writerow(part) if any(part) else text.write("\n")
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.timedelta):
        seconds = value.total_seconds()
        return f"{int(seconds // 3600):02d}:{int(seconds // 60 % 60):02d}:{seconds % 60:09.6f}"
    return " ".join(str(value).split())
