"""Where the knots of the field lie: dense where the field bends, and towards the start, where it changes fast."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pdescry.data import Readings
from pdescry.joint.splines import Array, Axis, Space

# Elements along x and along t: of the mesh that laws are tried on, the first that can follow the inferred field; and of
# the finer ones on which the best is fitted, the first on which it is met.
FIRST = ((48, 16), (64, 24), (96, 36), (128, 48))
ROUGH = FIRST[:2]  # of a mesh that is only for a first look
MESHES = ((96, 24), (128, 36), (160, 48))
# Elements along t that readings of single sensors may ask for; a solution costs the cube of them.
TIMES = (16, 24, 36, 48)
SHARPER = 1.3  # times the variance about the finest: sensors see what so few elements do not follow
FOLLOWED = 0.03  # u_t of the inferred field is off by no more than this share
EARLIEST = 5e-4  # of the duration: the first element in time
# The density of knots grows with this power of what the field bends by; so much of it is everywhere.
POWER, EVEN = 0.8, 0.3
STRAIGHT = 1e-2  # a second derivative of so much, in units of the field and the interval, is none
SMOOTHED = 0.02  # of the interval: a shock that moves a little stays where knots are dense
DEGREES = (5, 4)  # along x and t
HIGHEST = 4  # derivative along x that quintic splines have


def space_of(x: Array, t: Array) -> Space:
    return Space(Axis(x, DEGREES[0]), Axis(t, DEGREES[1]), (HIGHEST, 1))


def even_space(x: tuple[float, float], t: tuple[float, float], size: tuple[int, int]) -> Space:
    return space_of(np.linspace(*x, size[0] + 1), _times(t, size[1]))


def graded_space(before: Space, field: Array, size: tuple[int, int]) -> Space:
    """Of another size, with knots along x where this field bends."""
    along = np.linspace(before.x.breaks[0], before.x.breaks[-1], 401)
    bends = before.x.matrix(along, 2) @ field.reshape(before.shape) @ before.t.matrix(before.t.points).T
    bend = np.sqrt((bends**2) @ before.t.weights / before.t.weights.sum()) ** POWER
    width = int(np.ceil(SMOOTHED * len(along)))
    window = np.hanning(4 * width + 3)
    bend = np.convolve(np.pad(bend, len(window) // 2, "edge"), window / window.sum(), "valid")
    # A field that is straight but for rounding bends nowhere.
    straight = (STRAIGHT * np.ptp(field) / np.ptp(along) ** 2) ** POWER
    density = bend / max(bend.mean(), straight, np.finfo(float).tiny) + EVEN
    below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    breaks = np.interp(np.linspace(0, 1, size[0] + 1), below / below[-1], along)
    return space_of(breaks, _times((before.t.breaks[0], before.t.breaks[-1]), size[1]))


def first_space(even: Space, field: Array, sizes: Sequence[tuple[int, int]]) -> tuple[Space, Array]:
    """The smallest mesh of these sizes that can follow a field, or the largest, and the field on it."""
    rate = even.values(field, (0, 1))
    space, found = even, field
    for size in sizes:
        space = graded_space(even, field, size)
        found = carried(field, even, space)
        followed = space.x.matrix(even.x.points) @ found.reshape(space.shape) @ space.t.matrix(even.t.points, 1).T
        if np.sum(even.area * (followed - rate) ** 2) <= FOLLOWED**2 * np.sum(even.area * rate**2):
            break
    return space, found


def elements_in_time(readings: Readings) -> int:
    """As many as single sensors need, where they are read often enough to tell."""
    left: dict[int, float] = {}
    for number in TIMES:
        axis = Axis(_times(readings.span[readings.time_name], number), DEGREES[1])
        squares, free = 0.0, 0
        for sensor in range(readings.n_sensors):
            own = readings.sensor == sensor
            if own.sum() >= 2 * axis.size:
                basis, values = axis.matrix(readings.time[own]), readings.values[own, 0]
                squares += float(np.sum((values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0]) ** 2))
                free += len(values) - axis.size
        if free:
            left[number] = squares / free
    least = min(left.values(), default=0.0)
    return next((number for number, variance in left.items() if variance <= SHARPER * least), TIMES[0])


def carried(field: Array, old: Space, new: Space) -> Array:
    """The same field on another mesh."""
    values = field.reshape(old.shape)
    return new.nearest(lambda places, times: old.x.matrix(places) @ values @ old.t.matrix(times).T)


def widened_space(space: Space, x: tuple[float, float]) -> Space:
    """With more elements beyond the ends, as long as those between them are on average."""
    breaks = space.x.breaks
    length = float(np.ptp(breaks)) / space.x.n

    def beyond(end: float, outer: float) -> Array:
        """From the outer end to this one, which is left out."""
        number = int(np.ceil(abs(outer - end) / length - 1e-9))
        return np.linspace(outer, end, number + 1)[:-1]

    return space_of(np.r_[beyond(breaks[0], x[0]), breaks, beyond(breaks[-1], x[1])[::-1]], space.t.breaks)


def continued(field: Array, old: Space, new: Space) -> Array:
    """The same field on a wider mesh; beyond the ends it has their values."""
    values, (left, right) = field.reshape(old.shape), old.x.breaks[[0, -1]]
    return new.nearest(
        lambda places, times: old.x.matrix(np.clip(places, left, right)) @ values @ old.t.matrix(times).T
    )


def even_elements(space: Space) -> int:
    """Along t, without those that are halved towards the start."""
    return round(float(np.ptp(space.t.breaks) / space.t.lengths[-1]))


def _times(t: tuple[float, float], number: int) -> Array:
    """Even, but halved again and again towards the first time: an initial state that does not fit the ends leaves them
    in a layer, which other laws would explain if it were blurred."""
    even = np.linspace(0, 1, number + 1)
    halvings = int(np.ceil(np.log2(even[1] / EARLIEST)))
    times = np.unique(np.concatenate([even, even[1] / 2.0 ** np.arange(1, halvings + 1)]))
    return np.r_[t[0] + (t[1] - t[0]) * times[:-1], t[1]]  # which rounding would miss
