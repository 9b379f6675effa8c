"""Where the knots of the fields lie: dense where they bend, and towards the start, where they change fast."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise, product

import numpy as np

from pdescry.data import Readings
from pdescry.joint.field.axis import Array, Axis
from pdescry.joint.field.space import Space
from pdescry.joint.observations import Observations

# Elements along x and along t of the mesh that laws are tried on: the cheapest that can follow the inferred field.
FIRST = ((48, 64, 96), (16, 24, 36))
FINER = 1.5  # times as many elements along an axis that is refined,
MOST = (192, 144)  # up to so many; along t, up to half as many as a sensor has read, if these are more
# Elements along t that readings of single sensors may ask for.
TIMES = (16, 24, 36, 48, 72, 96, 144, 216, 324, 486, 729, 1094)
LONG = 96  # more of them: a long record, whose fields are not begun on more elements
LONG_FIRST = (24, 48)  # along x than these
STRETCH = 36  # elements in time of each stretch of a long record that laws are sought in
SHARPER = 1.3  # times the variance about the finest: sensors see what so few elements do not follow
FOLLOWED = 0.03  # left sides of the inferred fields are off by no more than this share
EARLIEST = 5e-4  # of the duration: the first element in time
# The density of knots grows with this power of what the field bends by; so much of it is everywhere.
POWER, EVEN = 0.8, 0.3
STRAIGHT = 1e-2  # a second derivative of so much, in units of the field and the interval, is none
SMOOTHED = 0.02  # of the interval: a shock that moves a little stays where knots are dense
DEGREES = (5, 4)  # along x and t
MOST_JUMPS = 60  # of an input in time, at which left sides may jump
NEAR_JUMP = 0.3  # of an element: a break that is nearer to a jump gives way to it

Sizes = tuple[int, int]  # elements along x and t


def space_of(x: Array, t: Array, components: int) -> Space:
    return Space((Axis(x, DEGREES[0]), Axis(t, DEGREES[1])), components)


def even_space(
    x: tuple[float, float], t: tuple[float, float], size: Sizes, components: int, jumps: Array, order: int
) -> Space:
    """jumps: times at which the left sides, of this order in time, may jump."""
    return space_of(
        np.linspace(*x, size[0] + 1), _with_jumps(_times(t, size[1]), jumps, DEGREES[1] - order + 1), components
    )


def jumps_of(readings: Readings, names: Collection[str] | None = None) -> Array:
    """Times at which a held input changes, those of the largest changes where there are many; of some inputs, by their
    names, or of all."""
    early, late = readings.span[readings.time_name]
    found: dict[float, float] = {}
    for each in readings.inputs:
        if each.between == "held" and (names is None or each.name in names):
            records = [np.arange(len(each.time))]
            if each.space is not None:
                places, inverse = np.unique(each.space, axis=0, return_inverse=True)
                records = [np.flatnonzero(inverse.ravel() == k) for k in range(len(places))]
            spread = float(np.std(each.values)) or 1.0
            for own in records:
                change = np.abs(np.diff(each.values[own])) / spread
                for time, size in zip(each.time[own][1:], change, strict=True):
                    if size > 0 and early < time < late:
                        found[float(time)] = max(size, found.get(float(time), 0.0))
    largest = sorted(found, key=lambda time: -found[time])[:MOST_JUMPS]
    return np.array(sorted(largest))


def graded_space(before: Space, state: Array, size: Sizes) -> Space:
    """Of another size, with knots along x where these fields bend."""
    (x,), t = before.places, before.time
    along = np.linspace(*x.span, 401)
    total = np.zeros(len(along))
    width = int(np.ceil(SMOOTHED * len(along)))
    window = np.hanning(4 * width + 3)
    for component in range(before.components):
        bends = before.on_grid(state, component, [x.matrix(along, 2), t.full(0)])
        bend = np.sqrt((bends**2) @ t.weights / t.width) ** POWER
        bend = np.convolve(np.pad(bend, len(window) // 2, "edge"), window / window.sum(), "valid")
        # A field that is straight but for rounding bends nowhere.
        straight = (STRAIGHT * np.ptp(before.unpacked(state)[component]) / x.width**2) ** POWER
        total += bend / max(bend.mean(), straight, np.finfo(float).tiny)
    density = total / before.components + EVEN
    below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    breaks = np.interp(np.linspace(0, 1, size[0] + 1), below / below[-1], along)
    return space_of(breaks, _like(_times(t.span, size[1]), t), before.components)


def with_fewer_jumps(space: Space, jumps: Array) -> Space:
    """With only these of its jumps."""
    time = space.time
    if len(jumps) == len(time.jumps):
        return space
    multiplicity = int(np.sum(time.breaks == time.jumps[0]))
    breaks = np.setdiff1d(time.breaks, time.jumps)
    axes = (*space.places, Axis(_with_jumps(breaks, np.intersect1d(jumps, time.jumps), multiplicity), time.degree))
    return replace(space, axes=axes)


def first_sizes(least_in_time: int, several: bool) -> list[Sizes]:
    """The cheapest first. Of several fields the finest are left out: laws are many, and each is dearer."""
    x, t = (numbers[:2] if several else numbers for numbers in FIRST)
    x = LONG_FIRST if least_in_time > LONG else x
    along_t = sorted({max(number, least_in_time) for number in t})
    return sorted(product(x, along_t), key=lambda size: size[0] * size[1] ** 2)


def first_space(even: Space, state: Array, sizes: Sequence[Sizes], order: int = 1) -> tuple[Space, Array]:
    """The first mesh of these sizes that can follow fields in their derivatives in time, or the last; and the state on
    it."""
    rates = [even.values(state, component, (0, order)) for component in range(even.components)]
    space, found = even, state
    (x,), t = even.places, even.time
    for size in sizes:
        space = graded_space(even, state, size)
        found = carried(state, even, space)
        matrices = [space.axes[0].matrix(x.points), space.time.matrix(t.points, order)]
        off = [space.on_grid(found, component, matrices) - rate for component, rate in enumerate(rates)]
        if all(even.mean_square(a) <= FOLLOWED**2 * even.mean_square(b) for a, b in zip(off, rates, strict=True)):
            break
    return space, found


def stretches_of(readings: Readings) -> list[Readings]:
    """The beginning of a long record and as much from its middle; or all of another one."""
    elements = elements_in_time(Observations(readings))
    if elements <= LONG:
        return [readings]
    early, late = readings.span[readings.time_name]
    length = STRETCH / elements * (late - early)
    begins = early, (early + late) / 2
    return [readings.select((begin <= readings.time) & (readings.time <= begin + length)) for begin in begins]


def elements_in_time(observed: Observations) -> int:
    """As many as single sensors need, where they are read often enough to tell."""
    readings = observed.readings
    left: dict[int, float] = {}
    for number in TIMES:
        axis = Axis(_times(readings.span[readings.time_name], number), DEGREES[1])
        squares, free = 0.0, 0
        for own in observed.of_sensors:
            for field in range(observed.n_fields):
                mine = own[observed.field[own] == field]
                if len(mine) >= 2 * axis.size:
                    t, values = observed.points[mine, -1], observed.values[mine] / observed.unit[field]
                    left_over = values - axis.rows(t) @ axis.fitted(t, values)
                    squares += float(left_over @ left_over)
                    free += len(mine) - axis.size
        if number > LONG and not free:
            break
        if free:
            left[number] = squares / free
    least = min(left.values(), default=0.0)
    return next((number for number, variance in left.items() if variance <= SHARPER * least), TIMES[0])


def carried(state: Array, old: Space, new: Space) -> Array:
    """The same fields on another mesh; beyond the ends of the old one they have the values there."""

    def values(*grid: Array) -> list[Array]:
        matrices = [axis.matrix(each) for axis, each in zip(old.axes, grid, strict=True)]
        return [old.on_grid(state, component, matrices) for component in range(old.components)]

    return new.nearest(values)


def halved(space: Space, axis: int) -> Space:
    """With every second break along one axis."""
    axes, breaks = list(space.axes), np.unique(space.axes[axis].breaks)
    axes[axis] = Axis(_like(np.unique(np.r_[breaks[::2], breaks[-1]]), axes[axis]), axes[axis].degree)
    return replace(space, axes=tuple(axes))


def most_elements(readings: Readings) -> Sizes:
    """Of a mesh for these readings."""
    return MOST[0], max(MOST[1], len(readings) // (2 * readings.n_sensors))


def refined(size: Sizes, axes: Sequence[int], most: Sizes = MOST) -> Sizes:
    """More elements along some of the axes, as far as they go."""
    x, t = (
        min(int(np.ceil(number * FINER)), max(end, number)) if axis in axes else number
        for axis, (number, end) in enumerate(zip(size, most, strict=True))
    )
    return x, t


def extended_space(space: Space, x: tuple[float, float]) -> Space:
    """With more elements beyond the ends, as long as those between them are on average."""
    (along,) = space.places
    length = along.width / along.n

    def beyond(end: float, outer: float) -> Array:
        """From the outer end to this one, which is left out."""
        number = int(np.ceil(abs(outer - end) / length - 1e-9))
        return np.linspace(outer, end, number + 1)[:-1]

    breaks = np.r_[beyond(along.span[0], x[0]), along.breaks, beyond(along.span[1], x[1])[::-1]]
    return space_of(breaks, space.time.breaks, space.components)


def even_elements(space: Space) -> int:
    """Along t, without those that are halved towards the start."""
    return round(float(space.time.width / space.time.lengths[-1]))


def _with_jumps(breaks: Array, jumps: Array, multiplicity: int) -> Array:
    """Breaks (simple ones) with knots of a multiplicity at the jumps; those that lie very near to one give way."""
    if not len(jumps):
        return breaks
    near = NEAR_JUMP * (breaks[-1] - breaks[0]) / len(breaks)
    apart = np.abs(breaks[1:-1, None] - jumps).min(axis=1) > near
    kept = np.r_[breaks[0], breaks[1:-1][apart], breaks[-1]]
    # An element between two jumps is free at both ends, and its law too little to determine it: three take its place.
    free = np.sort(np.r_[breaks[0], jumps, breaks[-1]])
    alone = [(low, high) for low, high in pairwise(free) if not ((low < kept) & (kept < high)).any()]
    between = [low + part * (high - low) / 3 for low, high in alone for part in (1, 2)]
    return np.sort(np.concatenate([kept, between, np.repeat(jumps, multiplicity)]))


def _like(breaks: Array, axis: Axis) -> Array:
    """With the jumps of another axis."""
    jumps = axis.jumps
    multiplicity = int(np.sum(axis.breaks == jumps[0])) if len(jumps) else 1
    return _with_jumps(breaks, jumps, multiplicity)


def _times(t: tuple[float, float], number: int) -> Array:
    """Even, but halved again and again towards the first time: an initial state that does not fit the ends leaves them
    in a layer, which other laws would explain if it were blurred."""
    even = np.linspace(0, 1, number + 1)
    halvings = int(np.ceil(np.log2(even[1] / EARLIEST)))
    times = np.unique(np.concatenate([even, even[1] / 2.0 ** np.arange(1, halvings + 1)]))
    return np.r_[t[0] + (t[1] - t[0]) * times[:-1], t[1]]  # which rounding would miss
