"""Stacks of images → means of blocks of pixels and times, before they become readings: they would be too many.

Along each axis, lines of pixels are sampled and tested as records of sensors are (`averaged`): how few bins lose
nothing but noise. If that still leaves more blocks than a mesh can resolve, they are made larger. Values are then
summed in one pass over the times, a few frames at a time, so that a file that is mapped into memory need never be there
whole.
Where the field bends, what the mean of a block is off the field at its centre is taken off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdescry.data.averaged import Bins, Record, curvature, fewest_bins
from pdescry.data.averaged_in_plane import MANY as MOST  # blocks
from pdescry.notices import Notice

LEAST = (32, 24)  # bins in time, and along each axis of space
_LINES = 150  # sampled along each axis
_CHUNK = 2**25  # bytes of frames at a time

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Blocks:
    """What is left of a stack: coordinates of each axis, means of each field, pixels in each block, and a note."""

    coordinates: list[Floats]
    fields: list[Floats]
    sizes: Floats
    note: Notice


def in_blocks(coordinates: Sequence[Floats], fields: Sequence[NDArray[Any]]) -> Blocks | None:
    """Time first, then two or more axes of space; fields (nt, …). None if there are few enough values as it is."""
    shape = tuple(len(each) for each in coordinates)
    if len(shape) < 3 or math.prod(shape) <= MOST or not all(_ascends(each) for each in coordinates):
        return None
    harmless = [_fewest(axis, coordinates[axis], fields) for axis in range(len(shape))]
    counts = _at_most(harmless)
    cut = [
        Bins.of(Record(np.arange(len(each)), each, np.zeros((len(each), 1)), np.ones(len(each))), count)
        for each, count in zip(coordinates, counts, strict=True)
    ]
    centres = [bins.mean(each) for bins, each in zip(cut, coordinates, strict=True)]
    spreads = [bins.variance(each) for bins, each in zip(cut, coordinates, strict=True)]
    means = []
    for field in fields:
        mean = _means(field, cut)
        if np.isfinite(mean).all():
            mean = mean - sum(_off(mean, axis, centres[axis], spreads[axis]) for axis in range(len(shape)))
        means.append(mean)
    sizes = cut[0].sizes.astype(float)
    for bins in cut[1:]:
        sizes = np.multiply.outer(sizes, bins.sizes)
    return Blocks(centres, means, sizes, _note(shape, cut, lossless=counts == harmless))


def _ascends(coordinate: Floats) -> bool:
    return bool(np.all(np.diff(coordinate) > 0) or np.all(np.diff(coordinate) < 0))


def _fewest(axis: int, coordinate: Floats, fields: Sequence[NDArray[Any]]) -> int:
    """The fewest harmless bins along an axis, judged from lines of pixels that are spread over the others."""
    shape = fields[0].shape
    others = [size for k, size in enumerate(shape) if k != axis]
    each = max(round(_LINES ** (1 / len(others))), 2)
    picked: list[Any] = [
        slice(None) if k == axis else np.unique(np.linspace(0, size - 1, min(each, size)).round().astype(int))
        for k, size in enumerate(shape)
    ]
    lines = []
    for field in fields:
        part: NDArray[Any] = field
        for k in range(len(shape)):  # one axis after the other, so that a mapped file is read in pieces
            part = part[(slice(None),) * k + (picked[k],)]
        lines.append(np.moveaxis(np.asarray(part, float), axis, 0).reshape(shape[axis], -1))
    values = np.stack(lines, axis=-1)  # (n, lines, fields)
    values = values[:, np.isfinite(values).all(axis=(0, 2))]
    least = LEAST[0] if axis == 0 else LEAST[1]
    size = shape[axis]
    if size < 2 * least or not values.shape[1]:
        return size
    order = np.argsort(coordinate)
    record = Record(np.arange(size), coordinate[order], values[order].reshape(size, -1), np.ones(size), len(fields))
    return fewest_bins(record, least)


def _at_most(counts: Sequence[int]) -> list[int]:
    """Fewer bins along all axes that have more than the least, until there are few enough blocks."""
    found = list(counts)
    while math.prod(found) > MOST:
        least = [min(LEAST[0] if k == 0 else LEAST[1], n) for k, n in enumerate(found)]
        above = [k for k, n in enumerate(found) if n > least[k]]
        if not above:
            break
        share = (MOST / math.prod(found)) ** (1 / len(above))
        found = [max(least[k], min(int(n * share), n - 1)) if k in above else n for k, n in enumerate(found)]
    return found


def _means(field: NDArray[Any], cut: Sequence[Bins]) -> Floats:
    """Of the values that there are; NaN for a block without any."""
    times, *places = cut
    frame = field.dtype.itemsize * math.prod(field.shape[1:])
    step = max(_CHUNK // max(frame, 1), 1)
    sums, numbers = [], []
    for start, size in zip(times.starts, times.sizes, strict=True):
        total, there = np.zeros(field.shape[1:]), np.zeros(field.shape[1:])
        for first in range(start, start + size, step):
            frames = np.asarray(field[first : min(first + step, start + size)], float)
            known = np.isfinite(frames)
            total += np.where(known, frames, 0.0).sum(axis=0)
            there += known.sum(axis=0)
        for axis, bins in enumerate(places):
            total, there = (np.add.reduceat(each, bins.starts, axis=axis) for each in (total, there))
        sums.append(total)
        numbers.append(there)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.array(sums) / np.array(numbers)


def _off(mean: Floats, axis: int, centre: Floats, spread: Floats) -> Floats:
    """By what means along an axis are off the field at their centres."""
    along = np.moveaxis(mean, axis, 0)
    off = spread[:, None] * curvature(centre, along.reshape(len(centre), -1))
    return np.moveaxis(off.reshape(along.shape), 0, axis)


def _note(shape: tuple[int, ...], cut: Sequence[Bins], lossless: bool) -> Notice:
    before, after = math.prod(shape), math.prod(len(bins.starts) for bins in cut)
    times, *places = (round(n / len(bins.starts)) for n, bins in zip(shape, cut, strict=True))
    return Notice.of("averaged-in-blocks", before=before, after=after, images=times, pixels=places, harmless=lossless)
