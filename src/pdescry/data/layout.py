"""Where sensors stand and when they read: random, even or given, each sensor on a clock of its own if wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdescry.errors import InputError

Layout = Literal["random", "even"]
Floats = NDArray[np.float64]

MOST_READINGS = 2e7


def place_sensors(
    sensors: int | ArrayLike, layout: Layout, domain: tuple[float, float], random: np.random.Generator
) -> Floats:
    """(S,) places in the domain, ascending: ``sensors`` of them by ``layout``, or the given places."""
    left, right = domain
    if not isinstance(sensors, int | np.integer):
        places = _numbers(sensors, "sensors as a number or as places")
        if places.ndim != 1 or not np.all((places >= left) & (places <= right)):
            raise InputError(
                f"Expected sensors as a number, or as places between {left:g} and {right:g}; got {sensors!r}."
            )
    elif sensors < 3:
        raise InputError(f"Expected 3 or more sensors; got {sensors}.")
    elif layout == "even":
        places = left + (right - left) * (np.arange(sensors) + 0.5) / sensors
    elif layout == "random":
        places = random.uniform(left, right, sensors)
    else:
        raise InputError(f"Expected layout='random' or layout='even'; got {layout!r}.")
    return np.sort(places)


def set_clocks(
    every: float | None,
    times: Sequence[float] | Floats | None,
    until: float,
    sensors: int,
    jitter: float,
    random: np.random.Generator,
) -> Floats:
    """(S, T) times of reading: ``every`` so often from 0 to ``until``, or at ``times``.

    ``jitter`` moves each reading of each sensor by up to that fraction of the mean step, within the time span.
    """
    if times is not None:
        clock = _numbers(times, "times as numbers")
        if clock.ndim != 1 or not np.all((clock >= 0) & (clock <= until)):
            raise InputError(f"Expected times between 0 and {until:g}; got {times!r}.")
    else:
        every = until / 50 if every is None else every
        if not (isinstance(every, int | float) and 0 < every <= until):
            raise InputError(f"Expected every= to be a time step above 0 and up to {until:g}; got {every!r}.")
        if until / every * sensors > MOST_READINGS:
            raise InputError(
                f"Expected at most {MOST_READINGS:.0e} readings; got {until / every * sensors:.1e}; raise every= or"
                " take fewer sensors."
            )
        # A hair more than the last step, so that 0.2 fits 50 times into 10 in spite of rounding.
        clock = np.minimum(every * np.arange(int(until / every * (1 + 1e-9)) + 1), until)
    if not 0 <= jitter <= 0.5:
        raise InputError(f"Expected jitter as a fraction of the time step from 0 to 0.5; got {jitter}.")
    step = (clock[-1] - clock[0]) / max(len(clock) - 1, 1)
    moved = clock + jitter * step * random.uniform(-1, 1, (sensors, len(clock)))
    return np.clip(moved, 0.0, until)


def _numbers(given: object, expected: str) -> Floats:
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"Expected {expected}; got {given!r}.") from None
