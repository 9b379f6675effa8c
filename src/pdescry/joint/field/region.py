"""`Region`: where in the plane a law is required: among the sensors and just beyond, not in corners without data.

A mesh is a box. Scattered sensors leave its corners empty, an L-shaped plate a quarter of it; a law required there
would only be extrapolated. It is required within the convex hull of the sensors and of known edges, and a margin around
it, except where neither is near, such as in a hole or a notch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, KDTree, QhullError

from pdescry.data import Readings
from pdescry.joint.field.axis import Array
from pdescry.joint.field.options import FIELD
from pdescry.joint.lean import Lean

ON_HULL = 1e-9  # relative to the span: sensors closer than this to the hull are on it


@dataclass(frozen=True, eq=False)
class Region(Lean):
    """places: (S, d), of all readings; low, width: (d,), their bounding box. edges: (E, d), points where boundary
    conditions are known, up to which the law is required."""

    places: Array
    low: Array
    width: Array
    edges: Array

    @classmethod
    def of(cls, readings: Readings, edges: Array | None = None) -> Region | None:
        """None along one axis, where there are no gaps other than between neighbours."""
        if len(readings.axes) == 1:
            return None
        edges = np.zeros((0, len(readings.axes))) if edges is None else edges
        low, width = readings.space.min(axis=0), np.ptp(readings.space, axis=0)
        return cls(np.unique(readings.space, axis=0), low, np.where(width > 0, width, 1.0), edges)

    def _scaled(self, points: Array) -> Array:
        return (points - self.low) / self.width

    @property
    def _known(self) -> Array:
        return self._scaled(np.concatenate([self.places, self.edges]))

    @cached_property
    def _hull(self) -> Array:
        """(facets, d + 1): normals and offsets; a point is inside where all are negative."""
        try:
            return ConvexHull(self._known).equations
        except QhullError:  # collinear
            return np.zeros((0, self.places.shape[1] + 1))

    @cached_property
    def _tree(self) -> KDTree:
        return KDTree(self._known)

    @cached_property
    def spacing(self) -> float:
        """Typical distance of sensors, in units of the box: the spacing of a regular grid with as many points."""
        return float(len(self.places) ** (-1 / self.places.shape[1]))

    def _beyond(self, points: Array) -> Array:
        """(N,): distance of points beyond the hull, negative within."""
        scaled = self._scaled(points)
        if not len(self._hull):
            return np.full(len(points), -np.inf)
        return np.max(scaled @ self._hull[:, :-1].T + self._hull[:, -1], axis=1)

    def contains(self, points: Array) -> NDArray[np.bool_]:
        """(N,): whether the law is required at points (N, d)."""
        near, _ = self._tree.query(self._scaled(points))
        near_hull = self._beyond(points) <= FIELD.region.beyond_hull * self.spacing
        return near_hull & (near <= FIELD.region.reach * self.spacing)

    def between(self, points: Array) -> NDArray[np.bool_]:
        """(N,): whether points lie strictly within the hull."""
        return self._beyond(points) < -ON_HULL
