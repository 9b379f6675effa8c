"""Meshes: knots are dense where fields have high curvature, and towards the first time, where they change fast."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise, product

import numpy as np

from pdescry.data import Readings
from pdescry.joint.field.axis import Array, Axis
from pdescry.joint.field.options import FIELD, MeshSizes
from pdescry.joint.field.region import Region
from pdescry.joint.field.space import Space
from pdescry.joint.observations import Observations

Sizes = tuple[int, ...]  # elements along each axis of space, and along t
Span = tuple[float, float]


def meshes_over(d: int) -> MeshSizes:
    """Mesh sizes over d axes of space."""
    return FIELD.mesh.on_a_line if d == 1 else FIELD.mesh.in_the_plane


def space_of(breaks: Sequence[Array], components: int, region: Region | None = None) -> Space:
    """The space with these breaks along each axis of space, and along t."""
    along, in_time = meshes_over(len(breaks) - 1).degrees
    axes = (*(Axis(each, along) for each in breaks[:-1]), Axis(breaks[-1], in_time))
    return Space(axes, components, region)


def even_space(
    places: Sequence[Span],
    t: Span,
    size: Sizes,
    components: int,
    jumps: Array,
    order: int,
    region: Region | None = None,
) -> Space:
    """A mesh with even breaks. jumps: times at which the left sides, of this order in time, may be discontinuous."""
    kind = meshes_over(len(places))
    even = [np.linspace(*span, number + 1) for span, number in zip(places, size[:-1], strict=True)]
    times = _with_jumps(_times(t, size[-1], kind.earliest), jumps, kind.degrees[1] - order + 1)
    return space_of([*even, times], components, region)


def jumps_of(readings: Readings, names: Collection[str] | None = None) -> Array:
    """Times at which piecewise constant inputs change, at most those of the largest changes; of the named inputs, or of
    all."""
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
    largest = sorted(found, key=lambda time: -found[time])[: FIELD.mesh.most_jumps]
    return np.array(sorted(largest))


def graded_space(before: Space, state: Array, size: Sizes) -> Space:
    """A mesh of another size, with knots along each axis of space where these fields have high curvature."""
    t, found = before.time, []
    for axis, number in enumerate(size[:-1]):
        x = before.places[axis]
        along = np.linspace(*x.span, 401)
        density = _curvature(before, state, axis, along) / before.components + FIELD.mesh.even_density
        below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
        found.append(np.interp(np.linspace(0, 1, number + 1), below / below[-1], along))
    earliest = meshes_over(len(before.places)).earliest
    return space_of([*found, _like(_times(t.span, size[-1], earliest), t)], before.components, before.region)


def _curvature(space: Space, state: Array, axis: int, along: Array) -> Array:
    """(along,): curvature of the fields along an axis, raised to a power and relative to its mean; summed over
    fields."""
    total, x = np.zeros(len(along)), space.axes[axis]
    width = int(np.ceil(FIELD.mesh.curvature_width * len(along)))
    window = np.hanning(4 * width + 3)
    matrices = [x.matrix(along, 2) if k == axis else each.full(0) for k, each in enumerate(space.axes)]
    # Only the region in which the law is required.
    weights = np.ones(())
    for k, each in enumerate(space.axes):
        weights = np.multiply.outer(weights, np.ones(len(along)) if k == axis else each.weights / each.width)
    if space.region is not None:
        grid = np.meshgrid(*(along if k == axis else each.points for k, each in enumerate(space.places)), indexing="ij")
        required = space.region.contains(np.stack([each.ravel() for each in grid], axis=-1)).reshape(grid[0].shape)
        weights = weights * required[..., None]
    others = tuple(k for k in range(len(space.axes)) if k != axis)
    for component in range(space.components):
        bends = space.on_grid(state, component, matrices)
        bend = np.sqrt(np.sum(weights * bends**2, axis=others)) ** FIELD.mesh.density_exponent
        bend = np.convolve(np.pad(bend, len(window) // 2, "edge"), window / window.sum(), "valid")
        # A field that is straight up to rounding has no curvature.
        straight = FIELD.mesh.negligible_curvature * np.ptp(space.unpacked(state)[component]) / x.width**2
        straight = straight**FIELD.mesh.density_exponent
        total += bend / max(bend.mean(), straight, np.finfo(float).tiny)
    return total


def with_fewer_jumps(space: Space, jumps: Array) -> Space:
    """The mesh with knots for these jumps only."""
    time = space.time
    if len(jumps) == len(time.jumps):
        return space
    multiplicity = int(np.sum(time.breaks == time.jumps[0]))
    breaks = np.setdiff1d(time.breaks, time.jumps)
    axes = (*space.places, Axis(_with_jumps(breaks, np.intersect1d(jumps, time.jumps), multiplicity), time.degree))
    return replace(space, axes=axes)


def first_sizes(least_in_time: int, several: bool, d: int = 1) -> list[Sizes]:
    """Sizes of the first mesh over d axes of space, the cheapest first. With several fields the finest are left out,
    because there are more laws and each takes longer."""
    kind = meshes_over(d)
    x, t = (numbers[:-1] if several else numbers for numbers in (kind.in_space, kind.in_time))
    x = FIELD.mesh.long_record_in_space if least_in_time > FIELD.mesh.long_record else x
    along_t = sorted({max(number, least_in_time) for number in t})
    if d == 1:
        return sorted(product(x, along_t), key=lambda size: size[0] * size[1] ** 2)
    return sorted(product(*(x,) * d, along_t), key=lambda size: (_work(size, kind), size))


def finer_in_space(space: Space) -> int | None:
    """Elements along each axis of space of the next finer mesh for the search; None where there is none, or a
    factorisation would take too long. Along one axis, meshes are refined while laws are tightened."""
    kind, now = meshes_over(len(space.places)), min(axis.n for axis in space.places)
    numbers = kind.in_space[:-1] if space.components > 1 else kind.in_space
    number = next((each for each in numbers if each > now), None)
    if len(space.places) == 1 or number is None:
        return None
    size = (*(max(number, axis.n) for axis in space.places), even_elements(space))
    return number if space.components**3 * _work(size, kind) <= kind.work[0] else None


def _work(size: Sizes, kind: MeshSizes) -> float:
    """Cost of a factorisation: unknowns times the squared bandwidth, with the longest axis outermost."""
    along, in_time = kind.degrees
    halvings = max(math.ceil(math.log2(1 / (size[-1] * kind.earliest))), 0)
    sizes = sorted([*(number + along for number in size[:-1]), size[-1] + halvings + in_time])
    return math.prod(sizes) * (max(along, in_time) * math.prod(sizes[:-1])) ** 2


def first_space(even: Space, state: Array, sizes: Sequence[Sizes], order: int = 1) -> tuple[Space, Array]:
    """The first mesh of these sizes on which the time derivatives of the fields are accurate enough, or the last mesh;
    and the state on it."""
    still = (0,) * len(even.places)
    rates = [even.values(state, component, (*still, order)) for component in range(even.components)]
    space, found = even, state
    for size in sizes:
        space = graded_space(even, state, size)
        found = carried(state, even, space)
        matrices = [mine.matrix(own.points) for mine, own in zip(space.places, even.places, strict=True)]
        matrices.append(space.time.matrix(even.time.points, order))
        off = [space.on_grid(found, component, matrices) - rate for component, rate in enumerate(rates)]
        share = FIELD.mesh.left_side_error**2
        if all(even.mean_square(a) <= share * even.mean_square(b) for a, b in zip(off, rates, strict=True)):
            break
    return space, found


def stretches_of(readings: Readings) -> list[Readings]:
    """The beginning of a long record and an equally long part of its middle; other readings as they are."""
    elements = elements_in_time(Observations(readings))
    if elements <= FIELD.mesh.long_record:
        return [readings]
    early, late = readings.span[readings.time_name]
    length = FIELD.mesh.stretch / elements * (late - early)
    begins = early, (early + late) / 2
    return [readings.select((begin <= readings.time) & (readings.time <= begin + length)) for begin in begins]


def elements_in_time(observed: Observations) -> int:
    """The number of elements that the records of single sensors require, where these have enough readings to decide."""
    readings = observed.readings
    kind = meshes_over(len(readings.axes))
    left: dict[int, float] = {}
    for number in kind.times:
        axis = Axis(_times(readings.span[readings.time_name], number, kind.earliest), kind.degrees[1])
        squares, free = 0.0, 0
        for own in observed.of_sensors:
            for field in range(observed.n_fields):
                mine = own[observed.field[own] == field]
                if len(mine) >= 2 * axis.size:
                    t, values = observed.points[mine, -1], observed.values[mine] / observed.unit[field]
                    left_over = values - axis.rows(t) @ axis.fitted(t, values)
                    squares += float(left_over @ left_over)
                    free += len(mine) - axis.size
        if number > FIELD.mesh.long_record and not free:
            break
        if free:
            left[number] = squares / free
    most = FIELD.mesh.variance_ratio * min(left.values(), default=0.0)
    return next((number for number, variance in left.items() if variance <= most), kind.times[0])


def carried(state: Array, old: Space, new: Space) -> Array:
    """The same fields on another mesh, with constant extrapolation beyond the ends of the old one."""

    def values(*grid: Array) -> list[Array]:
        matrices = [axis.matrix(each) for axis, each in zip(old.axes, grid, strict=True)]
        return [old.on_grid(state, component, matrices) for component in range(old.components)]

    return new.nearest(values)


def halved(space: Space, axis: int) -> Space:
    """The mesh with every second break along one axis."""
    axes, breaks = list(space.axes), np.unique(space.axes[axis].breaks)
    axes[axis] = Axis(_like(np.unique(np.r_[breaks[::2], breaks[-1]]), axes[axis]), axes[axis].degree)
    return replace(space, axes=tuple(axes))


def most_elements(readings: Readings) -> Sizes:
    """Largest size of a mesh for these readings."""
    along, in_time = meshes_over(len(readings.axes)).most
    return *(along for _ in readings.axes), max(in_time, len(readings) // (2 * readings.n_sensors))


def refined(size: Sizes, axes: Sequence[int], most: Sizes, last: bool = True) -> Sizes:
    """More elements along some of the axes, up to the limits of the mesh and of the time of a factorisation. last: the
    search has ended, which raises the latter."""
    kind, found = meshes_over(len(size) - 1), list(size)
    for axis in axes:
        found[axis] = min(math.ceil(size[axis] * FIELD.mesh.refinement_ratio), max(most[axis], size[axis]))
        if _work(tuple(found), kind) > kind.work[last]:
            found[axis] = size[axis]
    return tuple(found)


def extended_space(space: Space, spans: Sequence[Span]) -> Space:
    """The mesh with additional elements beyond the ends of each axis of space, of the same average length."""

    def wider(along: Axis, span: Span) -> Array:
        length = along.width / along.n

        def beyond(end: float, outer: float) -> Array:
            """Breaks from the outer end to this one, exclusive."""
            number = int(np.ceil(abs(outer - end) / length - 1e-9))
            return np.linspace(outer, end, number + 1)[:-1]

        return np.r_[beyond(along.span[0], span[0]), along.breaks, beyond(along.span[1], span[1])[::-1]]

    breaks = [wider(along, span) for along, span in zip(space.places, spans, strict=True)]
    return space_of([*breaks, space.time.breaks], space.components, space.region)


def even_elements(space: Space) -> int:
    """Elements along t, not counting the halved ones near the first time."""
    return round(float(space.time.width / space.time.lengths[-1]))


def _with_jumps(breaks: Array, jumps: Array, multiplicity: int) -> Array:
    """Simple breaks, with knots of a given multiplicity at the jumps; breaks very close to a jump are dropped."""
    if not len(jumps):
        return breaks
    near = FIELD.mesh.jump_clearance * (breaks[-1] - breaks[0]) / len(breaks)
    apart = np.abs(breaks[1:-1, None] - jumps).min(axis=1) > near
    kept = np.r_[breaks[0], breaks[1:-1][apart], breaks[-1]]
    # An element between two jumps is free at both ends, and the law does not determine it: it is split into three.
    free = np.sort(np.r_[breaks[0], jumps, breaks[-1]])
    alone = [(low, high) for low, high in pairwise(free) if not ((low < kept) & (kept < high)).any()]
    between = [low + part * (high - low) / 3 for low, high in alone for part in (1, 2)]
    return np.sort(np.concatenate([kept, between, np.repeat(jumps, multiplicity)]))


def _like(breaks: Array, axis: Axis) -> Array:
    """Breaks with the jumps of another axis."""
    jumps = axis.jumps
    multiplicity = int(np.sum(axis.breaks == jumps[0])) if len(jumps) else 1
    return _with_jumps(breaks, jumps, multiplicity)


def _times(t: Span, number: int, earliest: float) -> Array:
    """Even breaks, halved repeatedly towards the first time: an initial state that is inconsistent with the boundary
    causes a layer there, and if the mesh blurred it, wrong laws would explain it."""
    even = np.linspace(0, 1, number + 1)
    halvings = int(np.ceil(np.log2(even[1] / earliest)))
    times = np.unique(np.concatenate([even, even[1] / 2.0 ** np.arange(1, halvings + 1)]))
    return np.r_[t[0] + (t[1] - t[0]) * times[:-1], t[1]]  # rounding would miss the end
