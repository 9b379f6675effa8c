"""`Input`: a known quantity that acts on the field and is not to be explained, such as the power of a heater.

Its values came at times, and perhaps places, of their own; `Input.at` interpolates between them:

- in time only (``space`` is None): linearly, or held from one value to the next;
- by sensors at rest: each sensor's record in time, then linearly between places (barycentric in the plane and beyond);
- by sensors that move: linearly over scaled times and places together.

Outside the times and places of its values, the nearest of them counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdescry.errors import InputError

Between = Literal["held", "linear"]
Floats = NDArray[np.float64]
_At = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False, repr=False)
class Input:
    """A known input, as m values over time, or over time and d axes.

    Parameters
    ----------
    name : str
        Fit for an equation, as field names are.
    time : (m,) array
        Times of the values; sorted on the way in, and by place at equal times.
    space : (m, d) array, optional
        Their places; None for an input that depends on time only.
    values : (m,) array
        Finite numbers.
    between : {"linear", "held"}
        "linear", or "held": piecewise constant from each value to the next one, as of a switch.
    """

    name: str
    time: Floats
    space: Floats | None
    values: Floats
    between: Between = "linear"

    def __post_init__(self) -> None:
        from pdescry.data.names import is_field_name

        if not is_field_name(self.name):
            raise InputError(
                f"Expected a name of letters then digits, no coordinate or function, for an input; got {self.name!r}; "
                "rename it, such as 'P' or 'q1'."
            )
        if self.between not in get_args(Between):
            raise InputError(
                f"Expected input {self.name} to be 'held' or 'linear' between its values; got {self.between!r}; "
                "pass one of the two."
            )
        arrays = {"time": self.time, "values": self.values}
        arrays |= {} if self.space is None else {"space": self.space}
        try:
            arrays = {name: np.array(array, dtype=np.float64) for name, array in arrays.items()}
        except (TypeError, ValueError):
            raise InputError(f"Expected input {self.name} as numbers; got something else; convert them.") from None
        if "space" in arrays and arrays["space"].ndim == 1:
            arrays["space"] = arrays["space"][:, None]
        shapes = {name: array.shape for name, array in arrays.items()}
        m = arrays["time"].size
        if not (m and arrays["time"].shape == arrays["values"].shape == (m,) and shapes.get("space", (m,))[0] == m):
            shapes_text = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
            raise InputError(f"Expected a value of input {self.name} for each time; got {shapes_text}; fix the shapes.")
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise InputError(f"Expected finite numbers in input {self.name}; got NaN or infinity; leave those out.")
        places = arrays["space"].T[::-1] if "space" in arrays else ()
        order = np.lexsort((*places, arrays["time"]))
        for name, array in arrays.items():
            array = np.ascontiguousarray(array[order])
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __reduce__(self) -> Any:
        return Input, (self.name, self.time, self.space, self.values, self.between)  # without what is cached

    def __len__(self) -> int:
        return len(self.time)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Input):
            return NotImplemented
        if (self.name, self.between) != (other.name, other.between):
            return False
        if self.space is None or other.space is None:
            if self.space is not other.space:
                return False
        elif not np.array_equal(self.space, other.space):
            return False
        return np.array_equal(self.time, other.time) and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        of = "t" if self.space is None else "t and place"
        start, end = self.span
        return f"Input {self.name} of {of}: {len(self)} values from t = {start:g} to {end:g}, {self.between}"

    @property
    def span(self) -> tuple[float, float]:
        """From when to when it is known."""
        return float(self.time[0]), float(self.time[-1])

    def at(self, time: ArrayLike, space: ArrayLike | None = None) -> Floats:
        """Values of the input at times and places.

        Parameters
        ----------
        time : (K,) array_like
            Times.
        space : (K,) or (K, d) array_like, optional
            Places; may be left out if the input does not depend on them.

        Returns
        -------
        (K,) array
        """
        time = np.asarray(time, dtype=np.float64)
        if self.space is None:
            return _in_time(self.time, self.values, self.between, time)
        if space is None:
            raise InputError(f"Expected places beside times, for input {self.name} depends on both; pass them.")
        places = np.asarray(space, dtype=np.float64)
        places = places[:, None] if places.ndim == 1 else places
        if places.shape != (len(time), self.space.shape[1]):
            raise InputError(
                f"Expected places of shape ({len(time)}, {self.space.shape[1]}) for input {self.name}; got "
                f"{places.shape}; fix the shapes."
            )
        return self._over_places(time, places)

    @cached_property
    def _over_places(self) -> _At:
        assert self.space is not None
        places, which = distinct_places(self.space)
        if is_at_rest(len(places), len(self)):
            return _records_at_rest(self.time, self.values, places, which, self.between)
        return _moving(self.time, self.space, self.values)


def distinct_places(space: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """(m, d) → (p, d) distinct places in their order, and (m,) which of them each is."""
    order = np.lexsort(space.T[::-1])
    new = np.concatenate([[True], (space[order[1:]] != space[order[:-1]]).any(axis=1)])
    which = np.empty(len(space), dtype=np.intp)
    which[order] = np.cumsum(new) - 1
    return space[order[new]], which


def is_at_rest(places: int, values: int) -> bool:
    """Whether places recur, so that each has a record in time."""
    return 2 * places <= values


def _in_time(time: Floats, values: Floats, between: Between, at: Floats) -> Floats:
    if between == "linear":
        return np.interp(at, time, values)
    return values[np.clip(np.searchsorted(time, at, side="right") - 1, 0, None)]


def _records_at_rest(time: Floats, values: Floats, places: Floats, which: NDArray[np.intp], between: Between) -> _At:
    """Weights of places by interpolation in space, times their records in time."""
    order = np.argsort(which, kind="stable")  # within a place they stay in order of time
    edges = np.searchsorted(which[order], np.arange(len(places) + 1))
    records = [(time[rows], values[rows]) for rows in np.split(order, edges[1:-1])]
    weigh = _between_places(places)

    def at(times: Floats, where: Floats) -> Floats:
        vertices, weights = weigh(where)  # (K, q) each
        asked, row = vertices.ravel(), np.repeat(np.arange(len(times)), vertices.shape[1])
        found, by_place = np.empty(len(asked)), np.argsort(asked, kind="stable")
        bounds = np.searchsorted(asked[by_place], np.arange(len(places) + 1))
        for record, start, end in zip(records, bounds[:-1], bounds[1:], strict=True):
            if start < end:
                mine = by_place[start:end]
                found[mine] = _in_time(*record, between, times[row[mine]])
        return (found.reshape(vertices.shape) * weights).sum(axis=1)

    return at


def _between_places(places: Floats) -> Callable[[Floats], tuple[NDArray[np.intp], Floats]]:
    """(p, d) places → a function of (K, d) that says between which of them, and with which weights."""
    from scipy.spatial import Delaunay, KDTree, QhullError

    if places.shape[1] == 1:
        axis = places[:, 0]

        def along(where: Floats) -> tuple[NDArray[np.intp], Floats]:
            if len(axis) == 1:
                return np.zeros((len(where), 1), dtype=np.intp), np.ones((len(where), 1))
            left = np.clip(np.searchsorted(axis, where[:, 0], side="right") - 1, 0, len(axis) - 2)
            part = np.clip((where[:, 0] - axis[left]) / (axis[left + 1] - axis[left]), 0, 1)
            return np.stack([left, left + 1], axis=1), np.stack([1 - part, part], axis=1)

        return along
    scale = _scale(places)
    tree, d = KDTree(places / scale), places.shape[1]
    try:
        mesh = Delaunay(places / scale)
    except QhullError:  # fewer places than a simplex has, or all on a line
        mesh = None

    def within(where: Floats) -> tuple[NDArray[np.intp], Floats]:
        inner = where / scale
        simplex = np.full(len(where), -1) if mesh is None else mesh.find_simplex(inner)
        vertices, weights = np.zeros((len(where), d + 1), dtype=np.intp), np.zeros((len(where), d + 1))
        inside = simplex >= 0
        if mesh is not None and inside.any():
            turn = mesh.transform[simplex[inside]]
            first = np.einsum("kij,kj->ki", turn[:, :d], inner[inside] - turn[:, d])
            vertices[inside] = mesh.simplices[simplex[inside]]
            weights[inside] = np.column_stack([first, 1 - first.sum(axis=1)])
        vertices[~inside, 0] = tree.query(inner[~inside])[1]
        weights[~inside, 0] = 1
        return vertices, weights

    return within


def _moving(time: Floats, space: Floats, values: Floats) -> _At:
    from scipy.interpolate import LinearNDInterpolator, NearestNDInterpolator
    from scipy.spatial import QhullError

    points = np.column_stack([time, space])
    centre, scale = points.mean(axis=0), _scale(points)
    inner = (points - centre) / scale
    nearest = NearestNDInterpolator(inner, values)
    try:
        linear = LinearNDInterpolator(inner, values)
    except QhullError:  # all on a line: one sensor at constant speed
        linear = None

    def at(times: Floats, where: Floats) -> Floats:
        asked = (np.column_stack([times, where]) - centre) / scale
        found = np.full(len(asked), np.nan) if linear is None else linear(asked)
        outside = np.isnan(found)
        found[outside] = nearest(asked[outside])
        return found

    return at


def _scale(points: Floats) -> Floats:
    size = np.ptp(points, axis=0)
    return np.where(size > 0, size, 1.0)
