"""Where the knots of the field lie: dense where the field bends, and towards the start, where it changes fast."""

from __future__ import annotations

import numpy as np

from pdescry.joint.splines import Array, Axis, Space

# Elements along x and along t on a coarse mesh, on a fine one, and on finer ones for a law that is not met there.
COARSE = (48, 16)
MESHES = ((96, 24), (128, 36), (160, 48))
EARLIEST = 5e-4  # of the duration: the first element in time
# The density of knots grows with this power of what the field bends by; so much of it is everywhere.
POWER, EVEN = 0.8, 0.3
SMOOTHED = 0.02  # of the interval: a shock that moves a little stays where knots are dense
DEGREES = (5, 4)  # along x and t
HIGHEST = 4  # derivative along x that quintic splines have


def space_of(x: Array, t: Array) -> Space:
    return Space(Axis(x, DEGREES[0]), Axis(t, DEGREES[1]), (HIGHEST, 1))


def even_space(x: tuple[float, float], t: tuple[float, float], size: tuple[int, int]) -> Space:
    return space_of(np.linspace(*x, size[0] + 1), _times(t, size[1]))


def graded_space(before: Space, field: Array, size: tuple[int, int]) -> Space:
    """Of another size, with knots along x where this field bends."""
    along = np.linspace(*before.x.breaks[[0, -1]], 401)
    bends = before.x.matrix(along, 2) @ field.reshape(before.shape) @ before.t.matrix(before.t.points).T
    bend = np.sqrt((bends**2) @ before.t.weights / before.t.weights.sum()) ** POWER
    width = int(np.ceil(SMOOTHED * len(along)))
    window = np.hanning(4 * width + 3)
    bend = np.convolve(np.pad(bend, len(window) // 2, "edge"), window / window.sum(), "valid")
    density = bend / (bend.mean() or 1.0) + EVEN
    below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    breaks = np.interp(np.linspace(0, 1, size[0] + 1), below / below[-1], along)
    return space_of(breaks, _times((before.t.breaks[0], before.t.breaks[-1]), size[1]))


def _times(t: tuple[float, float], number: int) -> Array:
    """Even, but halved again and again towards the first time: an initial state that does not fit the ends leaves them
    in a layer, which other laws would explain if it were blurred."""
    even = np.linspace(0, 1, number + 1)
    halvings = int(np.ceil(np.log2(even[1] / EARLIEST)))
    times = np.unique(np.concatenate([even, even[1] / 2.0 ** np.arange(1, halvings + 1)]))
    return t[0] + (t[1] - t[0]) * times
