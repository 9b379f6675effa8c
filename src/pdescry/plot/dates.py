"""Dates along an axis whose numbers are times since a date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pdescry.data import Readings
from pdescry.data.clock import dates_of, seconds_in

if TYPE_CHECKING:
    from matplotlib.axis import Axis

DAY = 86_400.0


def show_dates(axis: Axis, readings: Readings) -> None:
    """Show dates along an axis of times, if the readings had dates; the numbers are unchanged."""
    if not readings.time_origin:
        return
    from matplotlib import dates, ticker

    start = float(dates.date2num(np.datetime64(readings.time_origin)))
    unit = seconds_in(readings.units.get(readings.time_name, "s")) / DAY

    class Dates(ticker.Locator):
        """matplotlib's own choice of dates, converted to our numbers."""

        def __init__(self) -> None:
            self.inner = dates.AutoDateLocator(minticks=3, maxticks=7)

        def __call__(self) -> Sequence[float]:
            low, high = self.axis.get_view_interval()  # type: ignore[union-attr]
            return self.tick_values(low, high)

        def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
            low, high = (dates.num2date(start + unit * end) for end in sorted((vmin, vmax)))
            return ((np.asarray(self.inner.tick_values(low, high)) - start) / unit).tolist()

    class Labels(ticker.Formatter):
        def __init__(self, locator: Dates) -> None:
            self.inner = dates.ConciseDateFormatter(locator.inner)

        def format_ticks(self, values: Sequence[float]) -> list[str]:
            return self.inner.format_ticks((start + unit * np.asarray(values)).tolist())

        def __call__(self, x: float, pos: int | None = None) -> str:
            return str(dates_of(x, readings.time_origin, readings.units.get(readings.time_name, "s")))

        def get_offset(self) -> str:
            return self.inner.get_offset()

    locator = Dates()
    axis.set_major_locator(locator)
    axis.set_major_formatter(Labels(locator))
    axis.set_label_text(readings.time_name)


def date_or_number(time: float, readings: Readings, number: str) -> str:
    """``2024-05-31 12:00:00``, or the number with its unit if the readings had no dates."""
    if not readings.time_origin:
        return number
    return str(readings.dates(time).astype("datetime64[s]")).replace("T", " ")
