"""Times as numbers: dates and durations become seconds, and the user is told since when."""

from __future__ import annotations

import datetime
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdescry.data.check import Floats, Where, is_missing, numbers, shorten
from pdescry.errors import InputError

_ISO_DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}([T ]|\s*$)")


def clock(values: NDArray[Any], name: str, where: Where) -> tuple[Floats, list[str]]:
    """Times of any kind → (float64 of the same shape, notes). Gaps become NaN."""
    if values.dtype.kind in "OUST":
        first = next((cell for cell in values.flat if not is_missing(cell)), None)
        if isinstance(first, datetime.date) or (isinstance(first, str) and _ISO_DATE.match(first)):
            values = _dates(values, name, where)
        elif isinstance(first, datetime.timedelta):
            values = values.astype("timedelta64[us]")
    if values.dtype.kind == "m":
        return values / np.timedelta64(1, "s"), [f"The durations in {name!r} were converted to seconds."]
    if values.dtype.kind != "M":
        return numbers(values, name, where), []
    known = values[~np.isnat(values)]
    if not known.size:
        raise InputError(f"Expected dates in {name!r}; got none; name another column with time=.")
    start = known.min()
    return (values - start) / np.timedelta64(1, "s"), [
        f"Times are seconds since {np.datetime_as_string(start, 'auto')}."
    ]


def _dates(values: NDArray[Any], name: str, where: Where) -> NDArray[np.datetime64]:
    import pandas as pd

    cells = [None if is_missing(cell) else cell for cell in values.flat]
    dates = pd.to_datetime(pd.Series(cells, dtype=object), format="ISO8601", utc=True, errors="coerce")
    wrong = np.flatnonzero(dates.isna().to_numpy() & np.array([cell is not None for cell in cells]))
    if len(wrong):
        raise InputError(
            f"Expected dates such as 2024-05-31T12:00:00 in {name!r}; got {len(wrong)} of another form "
            f"(first: {where(int(wrong[0]))}, {shorten(cells[wrong[0]])}); write all of them alike."
        )
    return dates.dt.tz_localize(None).to_numpy().reshape(values.shape)
