"""CSV and its kin: delimiter, decimal comma, header and comments are worked out from the first lines."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdescry.data.check import MISSING_MARKS
from pdescry.data.convert import from_frame
from pdescry.data.formats import looks_like, parsing
from pdescry.data.names import is_sensor_name
from pdescry.data.table import Table
from pdescry.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

_SAMPLE = 200  # lines that settle the dialect
_DELIMITERS = ("\t", ";", "|", ",", None)  # the rarer in prose first; None is any run of blanks
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*")
_DECIMAL_POINT = re.compile(r"\s*[+-]?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")
_GAPS = sorted({case(mark) for mark in MISSING_MARKS for case in (str.lower, str.upper, str.title)} | {"NaN", "NaT"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file writes its table. has_header: whether the first line with content is one."""

    delimiter: str | None
    decimal: str
    names: tuple[str, ...]
    has_header: bool
    remark: str = ""


def load(path: Path, sensor: str | None) -> Table:
    raw = _as_utf8(path)
    with parsing(path, "text"):
        dialect = _sniff(raw, path)
        frame = _parse(raw, dialect, sensor, path)
    if frame.empty:
        raise InputError(
            f"Expected rows of values below the header of {path.name}; got only the header; check how it was written."
        )
    surplus = frame.pop("surplus").notna().to_numpy()
    if surplus.any():
        raise _ragged(path, dialect, _line_of(raw, dialect, int(surplus.argmax())))
    frame.columns = list(dialect.names)
    return from_frame(frame, path.name, lambda i: f"row {_line_of(raw, dialect, i)}", dialect.remark)


def _as_utf8(path: Path) -> bytes:
    """The contents with newlines as \\n; Excel's UTF-16 and the 8-bit encodings of the West are understood."""
    raw = path.read_bytes()
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raw = raw.decode("utf-16", "replace").encode()
    seen = looks_like(path)
    if b"\0" in raw or seen not in ("", "text"):
        raise InputError(
            f"Expected text in {path.name}; got {f'what looks like {seen}' if seen else 'binary data'}; "
            "rename the file, or pass format= with its true format."
        )
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if not raw.isascii():
        try:
            raw.decode()
        except UnicodeDecodeError:
            raw = raw.decode("latin-1").encode()
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in raw else raw


def _lines(raw: bytes, blanks: str = " \t\f\v\n") -> Iterator[tuple[int, str]]:
    """Lines with content, numbered as in a text editor."""
    for number, line in enumerate(io.BytesIO(raw), start=1):
        if not line.startswith(b"#") and (text := line.decode("utf-8", "replace")).strip(blanks):
            yield number, text.rstrip("\n")


def _line_of(raw: bytes, dialect: Dialect, i: int) -> int:
    """The line of the i-th row of values."""
    blanks = " \f\v\n" if dialect.delimiter == "\t" else " \t\f\v\n"  # a line of tabs is a row of gaps
    return next(islice(_lines(raw, blanks), i + dialect.has_header, None), (i, ""))[0]


def _cells(line: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return line.split()
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])]


def _sniff(raw: bytes, path: Path) -> Dialect:
    sample = [line for _, line in islice(_lines(raw), _SAMPLE)]
    if not sample:
        raise InputError(
            f"Expected readings in {path.name}; got only blank lines or comments; check how it was written."
        )
    best: tuple[float, str | None, list[list[str]]] = (0.0, None, [])
    for delimiter in _DELIMITERS:
        rows = [_cells(line, delimiter) for line in sample]
        width = len(rows[0])
        agree = sum(len(row) == width or (len(row) == width + 1 and not row[-1]) for row in rows) / len(rows)
        if width > 1 and agree > best[0]:
            best = (agree, delimiter, rows)
    _, delimiter, rows = best
    if not rows:
        raise InputError(
            f"Expected columns such as t,x,u in {path.name}; got a single column; "
            "separate them by commas, semicolons, tabs or blanks."
        )
    has_header = not all(_is_number(cell) for cell in rows[0])
    cells = [cell for row in rows[has_header:] for cell in row]
    commas, points = any(map(_DECIMAL_COMMA.fullmatch, cells)), any(map(_DECIMAL_POINT.fullmatch, cells))
    names, remark = (rows[0], "") if has_header else _names_without_header(raw, delimiter, len(rows[0]))
    names = [name or f"unnamed {k + 1}" for k, name in enumerate(names)]
    return Dialect(delimiter, "," if commas and not points else ".", tuple(names), has_header, remark)


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True


def _names_without_header(raw: bytes, delimiter: str | None, width: int) -> tuple[list[str], str]:
    """numpy.savetxt hides the header in the last comment above the numbers."""
    above = b""
    for line in io.BytesIO(raw):
        if line.startswith(b"#"):
            above = line
        elif line.strip():
            break
    names = _cells(above.decode("utf-8", "replace").lstrip("#").strip(), delimiter)
    if len(names) == width:
        return names, ""
    return [str(k + 1) for k in range(width)], " (numbered, for want of a header line such as t,x,u)"


def _parse(raw: bytes, dialect: Dialect, sensor: str | None, path: Path) -> pd.DataFrame:
    """The rows under pandas, in columns 0, 1, … and one more that catches what is too much."""
    import pandas as pd

    body = re.sub(rb"(?m)^#.*\n?", b"", raw) if raw.startswith(b"#") or b"\n#" in raw else raw
    file = io.BytesIO(body)
    if dialect.has_header:
        next(line for line in file if line.strip())
    columns = [*range(len(dialect.names)), "surplus"]
    labels = {k for k, name in enumerate(dialect.names) if name == sensor or is_sensor_name(name)}
    options: dict[str, Any] = {
        "sep": r"\s+" if dialect.delimiter is None else dialect.delimiter,
        "decimal": dialect.decimal,
        "names": columns,
        "dtype": dict.fromkeys(labels, str),  # sensor 01 is not sensor 1
        "na_values": {k: _GAPS for k in columns if k not in labels},
        "float_precision": "round_trip",
    }
    if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1):
        del options["float_precision"]  # exact by default, and deprecated as an option
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
        for number, line in islice(_lines(raw), dialect.has_header, None):
            if len(_cells(line, dialect.delimiter)) > len(columns):
                raise _ragged(path, dialect, number) from None
        raise
    if dialect.decimal == ",":
        # A column with a stray text stays text altogether: only the stray should be told.
        for k in (k for k in columns if k not in labels and not pd.api.types.is_numeric_dtype(frame[k])):
            frame[k] = [_with_point(cell) for cell in frame[k]]
    return frame


def _with_point(cell: Any) -> Any:
    return cell.replace(",", ".") if isinstance(cell, str) and _DECIMAL_COMMA.fullmatch(cell) else cell


def _ragged(path: Path, dialect: Dialect, line: int) -> InputError:
    return InputError(
        f"Expected {len(dialect.names)} values per row in {path.name}, as in its first line; got more in row {line}; "
        "correct that row, or its delimiters and quotes."
    )
