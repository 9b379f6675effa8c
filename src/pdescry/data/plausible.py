"""Are they plausible as measurements? Enough places and times of each field, sensors at one place, no stand-ins."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pdescry.data.table import Where
from pdescry.errors import InputError
from pdescry.notices import Notice

Floats = NDArray[np.float64]

LEAST = 3  # distinct places and times: below, no second derivative can be distinguished from a first one
_FAR = 5  # in ranges of the other values: an extreme beyond is no measurement of the same thing
_USUAL_STAND_IN = re.compile(r"-?(?:9{2,}(?:\.9+)?|9\.9+|32767|32768)")
_HUGE = 1e20


def number_places(space: Floats) -> NDArray[np.intp]:
    """Each distinct place as a number, in the order of the places. np.unique(axis=0) is many times slower."""
    order = np.lexsort(space.T[::-1])
    code = np.empty(len(space), dtype=np.intp)
    new = (space[order[1:]] != space[order[:-1]]).any(axis=1)
    code[order] = np.concatenate([[0], np.cumsum(new)])
    return code


def note_on_places(places: int, readings: int) -> list[Notice]:
    """Places that jitter make each reading its own sensor, which then has no record in time."""
    if 2 * places <= readings:
        return []
    return [Notice.of("places-are-sensors", places=places, readings=readings)]


def check_motion(
    time: Floats, space: Floats, code: NDArray[np.intp], names: Sequence[str], where: Where
) -> list[Notice]:
    """A sensor is at one place at a time; it may move, which is reported."""
    order = np.lexsort((time, code))
    same_sensor = code[order[1:]] == code[order[:-1]]
    moved = same_sensor & (space[order[1:]] != space[order[:-1]]).any(axis=1)
    torn = moved & (time[order[1:]] == time[order[:-1]])
    if torn.any():
        first = int(torn.argmax())
        one, other = sorted((int(order[first]), int(order[first + 1])))
        raise InputError(
            f"Expected each sensor at one place at a time; got {names[code[one]]!r} at several "
            f"(first: {where(one)} and {where(other)}, at time {time[one]:g}); label each sensor differently, "
            "or pass ⟦sensor=False‖--sensor none⟧ to identify sensors by their places."
        )
    moving = np.unique(code[order[1:]][moved])
    if not len(moving):
        return []
    shown = [names[k] for k in moving[:6]]
    return [Notice.of("sensors-moved", moved=len(moving), sensors=len(names), names=shown, more=len(moving) > 6)]


def notes_on_extremes(field: str, column: Floats) -> list[Notice]:
    """-9999, 1e20 and their like often stand for a missing value. Gaps do not count."""
    column = column[~np.isnan(column)]
    low, high = float(column.min()), float(column.max())
    rest = column[(column != low) & (column != high)]
    if not len(rest):
        return []
    bottom, top = float(rest.min()), float(rest.max())
    notes = []
    for extreme, gap in ((low, bottom - low), (high, high - top)):
        usual = bool(_USUAL_STAND_IN.fullmatch(f"{extreme:g}")) or abs(extreme) >= _HUGE
        count = int((column == extreme).sum())
        if count > 1 and gap > (0.5 if usual else _FAR) * (top - bottom) > 0:
            notes.append(Notice.of("stand-in", value=extreme, times=count, field=field))
    return notes


def check_enough(time: Floats, space: Floats, values: Floats, axes: Sequence[str], fields: Sequence[str]) -> None:
    """time (N,), space (N, d), values (N, f) with NaN where a field was not measured."""
    _check_counts(time, space, "")
    for name, column in zip(axes, space.T, strict=True):
        if column.min() == column.max():
            raise InputError(
                f"Expected places that differ along {name!r}; got only {column[0]:g}; leave that axis out of ⟦space=⟧."
            )
    observed = ~np.isnan(values)
    for name, measured, column in zip(fields, observed.T, values.T, strict=True):
        if not measured.any():
            raise InputError(
                f"Expected readings of {name!r}; got none; leave it out of ⟦fields=⟧, or check its column."
            )
        if not measured.all():
            _check_between_outermost(name, measured, space, axes)
            _check_counts(time[measured], space[measured], f" of {name!r}")
        column = column[measured]
        if column.min() == column.max():
            raise InputError(
                f"Expected a field {name!r} that varies; got the constant {column[0]:g}; "
                "choose another column with ⟦fields=⟧, or check the sensors."
            )
    if not observed.all():
        _check_overlap(observed, {"t": time, **dict(zip(axes, space.T, strict=True))}, fields)


def _check_counts(time: Floats, space: Floats, of: str) -> None:
    for what, count in (("places", int(number_places(space).max()) + 1), ("times", len(np.unique(time)))):
        if count < LEAST:
            raise InputError(
                f"Expected readings{of} at {LEAST} or more distinct {what}; got {count}; "
                f"add readings, or check which columns are time and space."
            )


def _check_between_outermost(field: str, measured: NDArray[np.bool_], space: Floats, axes: Sequence[str]) -> None:
    """Along one axis, a field known only at the outermost sensors is not known between them."""
    if space.shape[1] > 1:
        return
    places, low, high = np.unique(space[measured, 0]), space.min(), space.max()
    if not ((places > low) & (places < high)).any():
        shown = " and ".join(f"{axes[0]} = {place:g}" for place in places)
        raise InputError(
            f"Expected readings of {field!r} between the outermost sensors ({axes[0]} = {low:g} and {high:g}); "
            f"got some at {shown} only; measure {field!r} between them, or leave it out of ⟦fields=⟧."
        )


def _check_overlap(observed: NDArray[np.bool_], columns: dict[str, Floats], fields: Sequence[str]) -> None:
    for name, column in columns.items():
        spans = [(float(column[rows].min()), float(column[rows].max())) for rows in observed.T]
        first, last = (
            max(range(len(spans)), key=lambda k: spans[k][0]),
            min(range(len(spans)), key=lambda k: spans[k][1]),
        )
        if spans[first][0] > spans[last][1]:
            ends = [f"{fields[k]!r} from {spans[k][0]:g} to {spans[k][1]:g}" for k in (last, first)]
            raise InputError(
                f"Expected fields that were measured over common ranges of {name}; got {ends[0]} and {ends[1]}; "
                f"find the law of one of them with ⟦fields=⟧, or check the column of {name}."
            )
