"""Where sensors are and when they read: at random, evenly, on a grid, given or moving; each on a clock of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdescry.errors import InputError

Layout = Literal["random", "even", "moving"]
Extent = Mapping[str, tuple[float, float]]
Floats = NDArray[np.float64]

MOST_READINGS = 2e7
USUAL = {1: 16, 2: 60}  # sensors, by axes
# Evenly scattered, however many: multiples of these, modulo 1 (Roberts' R2 sequence, from the plastic number).
_STEPS = (0.7548776662466927, 0.5698402909980532)
CROSSINGS = 1.0  # of the domain, by a moving sensor within the time span


Track = Callable[[Floats], Floats]  # times (S, T) → places (S, T, axes)


def place_sensors(
    sensors: int | ArrayLike | Callable[[Floats], ArrayLike] | None,
    layout: Layout,
    extent: Extent,
    until: float,
    random: np.random.Generator,
) -> tuple[int, Track, bool]:
    """How many sensors there are, where each of them is at its times, and whether they move.

    ``sensors`` is their number, to be placed by ``layout``; or their places, (S,) or (S, axes); in the plane (nx, ny)
    for a grid; or a function of times (T,) that gives places (T, S, axes).
    """
    low, high = (np.array(ends, float) for ends in zip(*extent.values(), strict=True))
    dimensions = len(extent)
    if callable(sensors):
        return _following(sensors, extent, until)
    if sensors is None:
        sensors = USUAL[dimensions]
    if not isinstance(sensors, int | np.integer):
        places = _given(sensors, extent)
    elif sensors < 3:
        raise InputError(f"Expected 3 or more sensors; got {sensors}.")
    elif layout == "even" and dimensions == 1:
        places = low + (high - low) * (np.arange(sensors)[:, None] + 0.5) / sensors
    elif layout == "even":
        places = low + (high - low) * ((0.5 + np.outer(np.arange(sensors), _STEPS)) % 1.0)
    elif layout in ("random", "moving"):
        places = random.uniform(low, high, (sensors, dimensions))
    else:
        raise InputError(f"Expected ⟦layout='random'⟧, ⟦layout='even'⟧ or ⟦layout='moving'⟧; got {layout!r}.")
    places = places[np.lexsort(places.T[::-1])]
    if layout != "moving":
        return len(places), lambda times: np.broadcast_to(places[:, None], (*times.shape, dimensions)), False
    directions = random.standard_normal(places.shape)
    velocity = CROSSINGS / until * (high - low) * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return len(places), lambda times: _reflected(places, velocity, times, low, high), True


def _reflected(places: Floats, velocity: Floats, times: Floats, low: Floats, high: Floats) -> Floats:
    """Straight ways that the sides of the domain turn back."""
    share = ((places[:, None] - low) + velocity[:, None] * times[..., None]) / (high - low) % 2.0
    return low + (high - low) * np.minimum(share, 2.0 - share)


def _given(sensors: ArrayLike, extent: Extent) -> Floats:
    """(S, axes)"""
    low, high = (np.array(ends, float) for ends in zip(*extent.values(), strict=True))
    whole = isinstance(sensors, tuple) and all(isinstance(number, int | np.integer) for number in sensors)
    if len(extent) == 2 and whole and len(np.ravel(sensors)) == 2:
        counts = [int(number) for number in np.ravel(sensors)]
        if min(counts) < 2:
            raise InputError(f"Expected a grid of 2 or more by 2 or more sensors; got {counts[0]} by {counts[1]}.")
        middles = [a + (b - a) * (np.arange(n) + 0.5) / n for (a, b), n in zip(extent.values(), counts, strict=True)]
        return np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1).reshape(-1, 2)
    places = _numbers(sensors, "sensors as a number or as places")
    places = places[:, None] if places.ndim == 1 and len(extent) == 1 else places
    if places.ndim != 2 or places.shape[1:] != low.shape or not np.all((places >= low) & (places <= high)):
        if len(extent) == 1:
            raise InputError(
                f"Expected sensors as a number, or as places between {low[0]:g} and {high[0]:g}; got {sensors!r}."
            )
        inside = " and ".join(f"{axis} from {a:g} to {b:g}" for axis, (a, b) in extent.items())
        raise InputError(
            f"Expected sensors as a number, as (nx, ny) for a grid, or as places (S, 2) with {inside}; got {sensors!r}."
        )
    return places


def _following(given: Callable[[Floats], ArrayLike], extent: Extent, until: float) -> tuple[int, Track, bool]:
    """Sensors whose positions a function gives: (T,) → (T, S, axes), or (T, S) along one axis."""
    low, high = (np.array(ends, float) for ends in zip(*extent.values(), strict=True))

    def at(times: Floats) -> Floats:
        places = _numbers(given(times), "places of moving sensors as numbers")
        places = places[..., None] if places.ndim == 2 and len(extent) == 1 else places
        if places.ndim != 3 or places.shape[0] != len(times) or places.shape[2] != len(extent):
            raise InputError(
                f"Expected a function of times (T,) that gives places (T, sensors, {len(extent)}); got shape"
                f" {places.shape} for {len(times)} times."
            )
        if not np.all((places >= low) & (places <= high)):
            raise InputError("Expected moving sensors to stay in the domain of the solution; shorten their ways.")
        return places

    count = at(np.array([0.0, until])).shape[1]

    def track(times: Floats) -> Floats:
        moments, index = np.unique(times, return_inverse=True)
        return at(moments)[index.reshape(times.shape), np.arange(count)[:, None]]

    return count, track, True


def set_clocks(
    every: float | None,
    times: int | Sequence[float] | Floats | None,
    until: float,
    sensors: int,
    jitter: float,
    random: np.random.Generator,
) -> Floats:
    """(S, T) times of reading: ``every`` so often from 0 to ``until``, or at ``times``, or so many even ones.

    ``jitter`` moves each reading of each sensor by up to that fraction of the mean step, within the time span.
    """
    if isinstance(times, int | np.integer) and not isinstance(times, bool):
        if not 2 <= times <= MOST_READINGS / sensors:
            raise InputError(f"Expected times as a number from 2 to {MOST_READINGS / sensors:.0f}; got {times}.")
        clock = np.linspace(0.0, until, int(times))
    elif times is not None:
        clock = _numbers(times, "times as numbers")
        if clock.ndim != 1 or not np.all((clock >= 0) & (clock <= until)):
            raise InputError(f"Expected times between 0 and {until:g}; got {times!r}.")
    else:
        every = until / 50 if every is None else every
        if not (isinstance(every, int | float) and 0 < every <= until):
            raise InputError(f"Expected ⟦every=⟧ to be a time step above 0 and up to {until:g}; got {every!r}.")
        if until / every * sensors > MOST_READINGS:
            raise InputError(
                f"Expected at most {MOST_READINGS:.0e} readings; got {until / every * sensors:.1e}; raise ⟦every=⟧ or"
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
