"""Times as numbers: dates, clock times and durations become seconds, or another unit, and a note says since when.

Of dates, those are read that have one meaning: year first (2024-05-31, 2024/05/31), or day first with dots
(31.05.2024). Slashes with the year last are read where one of them shows which number is the day, or the user says so.
"""

from __future__ import annotations

import datetime
import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdescry.data.check import Floats, numbers
from pdescry.data.table import Where, is_grouped, is_missing, shorten, to_number
from pdescry.errors import InputError
from pdescry.notices import Notice

_TIME_OF_DAY = r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?: ?([ap])\.?m\.?)?"
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ][\d:.]*)?(?:Z|[+-][\d:]+)?")
_YEAR_FIRST = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:,?[T ]|$)")
_DAY_FIRST = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}(?:,?[T ]|$)")
_UNCLEAR = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2\d{4}(?:,?[T ]|$)")
_DATE = re.compile(rf"(\d+)[-/.](\d+)[-/.](\d+)(?:(?:,? |T){_TIME_OF_DAY}(.*))?", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d):([0-5]\d(?:[.,]\d*)?)")
_HALF_DAY = 43_200.0
_SAMPLE = 1000  # cells that show whether a column contains numbers
_EXAMPLE = "2024-05-31T12:00:00"
# Of a unit of time: its names, and how many seconds it has.
_UNITS = {
    "us": (("us", "µs", "microsecond", "microseconds"), 1e-6, "microseconds"),
    "ms": (("ms", "millisecond", "milliseconds"), 1e-3, "milliseconds"),
    "s": (("s", "sec", "secs", "second", "seconds", "sekunden"), 1.0, "seconds"),
    "min": (("min", "mins", "minute", "minutes", "minuten"), 60.0, "minutes"),
    "h": (("h", "hr", "hrs", "hour", "hours", "stunde", "stunden"), 3600.0, "hours"),
    "d": (("d", "day", "days", "tag", "tage"), 86_400.0, "days"),
}
_BY_NAME = {name: unit for unit, (names, _, _) in _UNITS.items() for name in names}


class Clock(NamedTuple):
    """Times as numbers, notes for the user, the unit that dates and the like became; empty if they were numbers; and
    for dates that of time zero, ``2024-05-31T12:00:00`` (UTC where they had a zone)."""

    times: Floats
    notes: list[Notice]
    unit: str = ""
    origin: str = ""


def unit_of_time(name: object) -> str:
    """``hours`` → ``h``."""
    unit = _BY_NAME.get(name.strip().lower()) if isinstance(name, str) else None
    if unit is None:
        raise InputError(f"Expected a unit of time: {', '.join(_UNITS)}; got {name!r}; pass one of those.")
    return unit


def clock(
    values: NDArray[Any],
    name: str,
    where: Where,
    unit: str | None = None,
    dayfirst: bool | None = None,
    own_unit: str = "",
) -> Clock:
    """Times of any kind → float64 of the same shape. Gaps become NaN.

    unit: into which to convert; by default dates and the like become seconds, and numbers stay. own_unit: that of
    numbers, where it is known. dayfirst: what 05/06/2024 means.
    """
    unit = None if unit is None else unit_of_time(unit)
    read = _clock(values, name, where, _UNITS[unit or "s"][2], dayfirst)
    if unit is None:
        return read
    if read.unit:
        return read._replace(times=read.times / _UNITS[unit][1], unit=unit)
    own = _BY_NAME.get(own_unit.lower())
    if own is None:
        raise InputError(
            f"Expected dates, clock times or numbers of a known unit in {name!r}, to convert to {unit}; got numbers"
            f"{f' of {own_unit}' if own_unit else ''}; write the unit in the header, as in 'time (min)', or leave out "
            "⟦time_unit=⟧."
        )
    note = [Notice.of("times-converted", old=_UNITS[own][2], new=_UNITS[unit][2])] if own != unit else []
    return read._replace(times=read.times * (_UNITS[own][1] / _UNITS[unit][1]), notes=read.notes + note, unit=unit)


def times_of(moments: Any, origin: str, unit: str) -> Floats | None:
    """Dates as numbers of the readings' clock; None where they are numbers already.

    moments: a date or several, as text, datetime, numpy's or pandas' kind; without a zone, in that of the readings.
    """
    import pandas as pd

    array = np.asarray(moments, object) if isinstance(moments, str | datetime.date) else np.asarray(moments)
    if array.dtype.kind not in "OUSM":
        return None
    first = next(iter(array.flat), None)
    if array.dtype.kind == "O" and not isinstance(first, str | datetime.date | np.datetime64):
        return None
    if not origin:
        raise InputError(
            f"Expected times as numbers, as these readings have them; got {shorten(first)}; dates need readings with "
            "dates."
        )
    try:
        dates = pd.to_datetime(pd.Series(array.ravel(), dtype=object).map(_iso_or_same), utc=True, format="ISO8601")
    except (ValueError, TypeError) as fault:
        raise InputError(f"Expected dates such as '{_EXAMPLE}'; got {shorten(first)}; write them so.") from fault
    since = (dates.dt.tz_localize(None) - pd.Timestamp(origin)) / pd.Timedelta(1, "s")
    return since.to_numpy(float).reshape(array.shape) / seconds_in(unit)


def _iso_or_same(cell: Any) -> Any:
    """31.05.2024 12:00 in ISO 8601."""
    if isinstance(cell, str):
        if _DAY_FIRST.match(cell.strip()):
            return _to_iso(cell, (2, 1, 0))
        return _to_iso(cell, (0, 1, 2)) if _YEAR_FIRST.match(cell.strip()) else cell
    return cell.isoformat() if isinstance(cell, datetime.date) else str(cell)


def dates_of(times: Any, origin: str, unit: str) -> NDArray[np.datetime64]:
    """Numbers of the readings' clock as dates, to the microsecond."""
    passed = np.round(np.asarray(times, float) * seconds_in(unit) * 1e6).astype("timedelta64[us]")
    return np.datetime64(origin, "us") + passed


def seconds_in(unit: str) -> float:
    return _UNITS[unit_of_time(unit or "s")][1]


def _clock(values: NDArray[Any], name: str, where: Where, word: str, dayfirst: bool | None) -> Clock:
    """In seconds; word: what notes call their unit."""
    notes: list[Notice] = []
    if values.dtype.kind in "OUST":
        first = next((cell for cell in values.flat if not is_missing(cell)), None)
        text = first.strip() if isinstance(first, str) else ""
        if _CLOCK.fullmatch(text):
            return _times_of_day(values, name, where, word)
        if isinstance(first, datetime.date) or _ISO.fullmatch(text):
            values = _dates(values, name, where)
        elif _YEAR_FIRST.match(text):
            values = _dates(values, name, where, (0, 1, 2))
        elif _DAY_FIRST.match(text):
            values = _dates(values, name, where, (2, 1, 0))
        elif _UNCLEAR.match(text):
            order, notes = _order(values, name, where, dayfirst)
            values = _dates(values, name, where, order)
        elif isinstance(first, datetime.timedelta):
            values = values.astype("timedelta64[us]")
        elif text:
            _check_numbers(values, name, where)
    if values.dtype.kind == "m":
        return Clock(values / np.timedelta64(1, "s"), [Notice.of("durations-converted", column=name, unit=word)], "s")
    if values.dtype.kind != "M":
        return Clock(numbers(values, name, where), [])
    known = values[~np.isnat(values)]
    if not known.size:
        raise InputError(f"Expected dates in {name!r}; got none; name another column with ⟦time=⟧.")
    start = known.min()
    notes = [*notes, Notice.of("times-since", unit=word, start=np.datetime_as_string(start, "auto"))]
    origin = np.datetime_as_string(start, "us").removesuffix(".000000")
    return Clock((values - start) / np.timedelta64(1, "s"), notes, "s", origin)


def _check_numbers(values: NDArray[Any], name: str, where: Where) -> None:
    """Text that is no number from the start is a date of a form not understood."""
    known = [(i, cell) for i, cell in enumerate(values.flat[:_SAMPLE]) if not is_missing(cell)]
    if known and not any(to_number(cell) is not None or is_grouped(cell) for _, cell in known):
        first, cell = known[0]
        raise InputError(
            f"Expected times in {name!r} as numbers, as dates such as {_EXAMPLE} or as clock times such as 12:00:00; "
            f"got another form ({where(first)}, {shorten(cell)}); write them in one of these."
        )


def with_date(days: NDArray[Any], times: NDArray[Any]) -> NDArray[Any] | None:
    """Dates and clock times from two columns as one; None if they are something else."""
    pairs = [(str(day).strip(), str(time).strip()) for day, time in zip(days, times, strict=True)]
    day, time = next((pair for pair in pairs if not any(map(is_missing, pair))), ("", ""))
    if not (_DATE.fullmatch(day) and ":" not in day and _CLOCK.fullmatch(time)):
        return None
    return np.array([None if any(map(is_missing, pair)) else " ".join(pair) for pair in pairs], dtype=object)


def _order(
    values: NDArray[Any], name: str, where: Where, dayfirst: bool | None
) -> tuple[tuple[int, int, int], list[Notice]]:
    """Which part of 05/31/2024 is year, month and day: as given, or from a part that is no month."""
    if dayfirst is not None:
        return (2, 1, 0) if dayfirst else (2, 0, 1), []
    for cell in values.flat:
        match = _UNCLEAR.match(str(cell).strip())
        if match and (is_day_first := int(match.group(1)) > 12) != (int(match.group(3)) > 12):
            order = "day, month, year" if is_day_first else "month, day, year"
            return (2, 1, 0) if is_day_first else (2, 0, 1), [
                Notice.of("dates-read-as", order=order, example=shorten(match.group().strip(" T,")))
            ]
    first = next(i for i, cell in enumerate(values.flat) if not is_missing(cell))
    raise InputError(
        f"Expected dates of one meaning in {name!r}; got dates in which day and month may be swapped "
        f"(first: {where(first)}, {shorten(values.flat[first])}); write them as {_EXAMPLE}, or pass "
        "⟦dayfirst=True‖--dayfirst⟧ or ⟦dayfirst=False‖--monthfirst⟧."
    )


def _dates(
    values: NDArray[Any], name: str, where: Where, order: tuple[int, int, int] | None = None
) -> NDArray[np.datetime64]:
    """order: at which positions of a date year, month and day are; None for ISO 8601."""
    import pandas as pd

    cells = [None if is_missing(cell) else cell for cell in values.flat]
    if order is not None:
        iso = {cell: _to_iso(cell, order) for cell in {cell for cell in cells if isinstance(cell, str)}}
        cells = [iso[cell] if isinstance(cell, str) else cell for cell in cells]
    dates = pd.to_datetime(pd.Series(cells, dtype=object), format="ISO8601", utc=True, errors="coerce")
    wrong = np.flatnonzero(dates.isna().to_numpy() & np.array([cell is not None for cell in cells]))
    if len(wrong):
        raise InputError(
            f"Expected dates such as {_EXAMPLE} in {name!r}; got {len(wrong)} of another form "
            f"(first: {where(int(wrong[0]))}, {shorten(values.flat[wrong[0]])}); write all of them alike."
        )
    return dates.dt.tz_localize(None).to_numpy().reshape(values.shape)


def _to_iso(cell: str, order: tuple[int, int, int]) -> str:
    """A date in ISO 8601; what is no date stays as it is."""
    match = _DATE.fullmatch(cell.strip())
    if match is None or _ISO.fullmatch(cell.strip()):
        return cell
    *date, hour, minute, second, fraction, half, zone = match.groups()
    day = "-".join(date[k].zfill(2) for k in order)
    if hour is None:
        return day
    if half:
        hour = str(int(hour) % 12 + 12 * (half in "pP")) if 1 <= int(hour) <= 12 else "99"
    return f"{day}T{hour.zfill(2)}:{minute}:{second or '00'}.{fraction or '0'}{zone.strip()}"


def _times_of_day(values: NDArray[Any], name: str, where: Where, word: str) -> Clock:
    seconds = np.full(values.shape, np.nan)
    flat = seconds.reshape(-1)
    for i, cell in enumerate(values.flat):
        if is_missing(cell):
            continue
        match = _CLOCK.fullmatch(str(cell).strip())
        if match is None:
            raise InputError(
                f"Expected clock times such as 12:00:00 in {name!r}; got another form "
                f"({where(i)}, {shorten(cell)}); write all of them alike."
            )
        flat[i] = 3600 * int(match[1]) + 60 * int(match[2]) + float(match[3].replace(",", "."))
    rows = np.flatnonzero(np.isfinite(flat))
    known = flat[rows]
    # A clock that falls back to a time it has not shown before has passed midnight; blocks of sensors repeat times.
    _, shown_first, which = np.unique(known, return_index=True, return_inverse=True)
    falls = np.flatnonzero((np.diff(known) < -_HALF_DAY) & (shown_first[which[1:]] == np.arange(1, len(known))))
    if len(falls) and known.max() < 2 * _HALF_DAY:
        before, after = rows[falls[0]], rows[falls[0] + 1]
        raise InputError(
            f"Expected clock times of one day in {name!r}; got a fall from {shorten(values.flat[before])} to "
            f"{shorten(values.flat[after])} ({where(int(after))}), as at midnight; write dates such as {_EXAMPLE}."
        )
    return Clock(seconds, [Notice.of("clock-times-converted", column=name, unit=word)], "s")
