"""CSV and its kin, packed with gzip or not: ``dialect.py`` finds out how the table is written, pandas parses it."""

from __future__ import annotations

import gzip
import io
import re
import warnings
import zlib
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdescry.data.convert import from_frame
from pdescry.data.formats import parsing
from pdescry.data.formats.dialect import COMMENT_LINE, Dialect, cells, lines, sniff
from pdescry.data.formats.first_bytes import GZIP_MAGIC, TEXT, looks_like
from pdescry.data.names import is_sensor_name
from pdescry.data.table import MISSING_MARKS, Table
from pdescry.data.units import plain_unit
from pdescry.errors import InputError
from pdescry.files import exact_floats

if TYPE_CHECKING:
    import pandas as pd

_MOST_UNPACKED = 2**29  # bytes: some ten million readings
_MINUS = re.compile(rb"(?:(?<!\w)|(?<=\d[eE]))\xe2\x88\x92(?=[.,\d])")  # U+2212, in front of a number
_GAPS = sorted({case(mark) for mark in MISSING_MARKS for case in (str.lower, str.upper, str.title)} | {"NaN", "NaT"})


def load(path: Path, sensor: str | None) -> Table:
    with parsing(path, "text"):
        raw = _as_utf8(path.read_bytes(), path)
    return of_text(raw, path, sensor)


def of_text(raw: bytes, path: Path, sensor: str | None) -> Table:
    """The table in a text, which came from this file."""
    with parsing(path, "text"):
        dialect = sniff(raw, path)
        frame = _parse(raw, dialect, sensor, path)
    if frame.empty:
        raise InputError(
            f"Expected rows of values below the header of {path.name}; got only the header; check how it was written."
        )
    surplus = frame.pop("surplus").notna().to_numpy()
    if surplus.any():
        raise _ragged(path, dialect, _line_of(raw, dialect, int(surplus.argmax())))
    frame.columns = list(dialect.names)
    table = from_frame(frame, path.name, lambda i: f"row {_line_of(raw, dialect, i)}")
    units = {name: plain_unit(cell) for name, cell in zip(dialect.names, dialect.units, strict=False)}
    return replace(table, remark=dialect.remark, has_names=dialect.has_names, notes=dialect.notes, units=units)


def _as_utf8(raw: bytes, path: Path) -> bytes:
    """The contents with newlines as \\n; Excel's UTF-16 and the 8-bit encodings of the West are understood."""
    seen = looks_like(path)
    if raw.startswith(GZIP_MAGIC):
        raw, seen = _unpacked(raw, path), TEXT
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raw = raw.decode("utf-16", "replace").encode()
    if b"\0" in raw or (seen and seen != TEXT):
        got, remedy = (f"what looks like {seen.name}", seen.remedy) if seen else ("binary data", "save it as CSV")
        raise InputError(f"Expected text in {path.name}; got {got}; {remedy}.")
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if not raw.isascii():
        try:
            raw.decode()
        except UnicodeDecodeError:
            raw = raw.decode("latin-1").encode()
        raw = _MINUS.sub(b"-", raw)
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in raw else raw


def _unpacked(raw: bytes, path: Path) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            content = file.read(_MOST_UNPACKED + 1)
    except (EOFError, OSError, zlib.error) as fault:
        raise InputError(f"Expected a whole gzip archive as {path.name}; got a damaged one; write it anew.") from fault
    if len(content) > _MOST_UNPACKED:
        raise InputError(
            f"Expected at most {_MOST_UNPACKED >> 20} MiB packed in {path.name}; got more; unpack it first."
        )
    return content


def _line_of(raw: bytes, dialect: Dialect, i: int) -> int:
    """The line of the i-th row of values."""
    blanks = " \f\v\n" if dialect.delimiter == "\t" else " \t\f\v\n"  # a line of tabs is a row of gaps
    return next(islice(lines(raw, dialect.start, blanks), i, None), (i, ""))[0]


def _parse(raw: bytes, dialect: Dialect, sensor: str | None, path: Path) -> pd.DataFrame:
    """The rows under pandas, in columns 0, 1, … and one more that catches what is too much."""
    import pandas as pd

    file = io.BytesIO(raw)
    for _ in islice(file, dialect.start - 1):
        pass
    # A single byte is found many times faster than two.
    if any(mark[:1] in raw and b"\n" + mark in raw for mark in (b"#", b"%", b"//")):
        file = io.BytesIO(COMMENT_LINE.sub(b"", file.read()))
    columns = [*range(len(dialect.names)), "surplus"]
    labels = {k for k, name in enumerate(dialect.names) if name == sensor or is_sensor_name(name)}
    options: dict[str, Any] = {
        "sep": r"\s+" if dialect.delimiter is None else dialect.delimiter,
        "decimal": dialect.numerals.decimal,
        "names": columns,
        "dtype": dict.fromkeys(labels, str),  # sensor 01 is not sensor 1
        "na_values": {k: _GAPS for k in columns if k not in labels},
        **exact_floats(),
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # "leads to a loss of data"
            frame = pd.read_csv(
                file,
                header=None,
                index_col=False,
                keep_default_na=False,
                skipinitialspace=True,
                low_memory=False,
                **options,
            )
    except pd.errors.EmptyDataError:
        return pd.DataFrame()
    except (pd.errors.ParserError, pd.errors.ParserWarning):
        for number, line in lines(raw, dialect.start):
            if len(cells(line, dialect.delimiter)) > len(columns):
                raise _ragged(path, dialect, number) from None
        raise
    if not dialect.numerals.are_plain():
        # A column with numbers that pandas cannot read stays text altogether.
        for k in (k for k in columns if k not in labels and not pd.api.types.is_numeric_dtype(frame[k])):
            frame[k] = _plain_column(frame[k].tolist(), raw, dialect, path)
    return frame


def _plain_column(column: list[Any], raw: bytes, dialect: Dialect, path: Path) -> list[Any]:
    plain = {cell: dialect.numerals.plain(cell) for cell in set(column) if isinstance(cell, str)}
    for cell in plain:
        if dialect.numerals.contradicts(cell):
            raise InputError(
                f"Expected decimal commas in {path.name}, as in its first rows; got {cell.strip()!r} in row "
                f"{_line_of(raw, dialect, column.index(cell))}; write it with a comma, or without a separator."
            )
    return [plain.get(cell, cell) for cell in column]


def _ragged(path: Path, dialect: Dialect, line: int) -> InputError:
    return InputError(
        f"Expected {len(dialect.names)} values per row in {path.name}, as at its top; got more in row {line}; "
        "correct that row, or its delimiters and quotes."
    )
