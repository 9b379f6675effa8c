"""Random points within the convex hull of places, whatever its shape: an interval, a polygon, sensors along a line."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def points_in_hull(places: Array, number: int, random: np.random.Generator) -> Array:
    """(S, d) places → (number, d) points, uniform over their hull."""
    places = np.unique(places, axis=0)
    if places.shape[1] == 1:
        return random.uniform(places.min(), places.max(), (number, 1))
    # Sensors along a line in the plane have a hull, too: in as many dimensions as it extends in.
    centre, spread = places.mean(0), places.std(0)
    spread = np.where(spread > 0, spread, 1.0)
    _, sizes, directions = np.linalg.svd((places - centre) / spread, full_matrices=False)
    directions = directions[sizes > 1e-9 * max(sizes[0], 1.0)]
    flat = (places - centre) / spread @ directions.T
    if flat.shape[1] == 0:
        return np.tile(places[0], (number, 1))
    inside = points_in_hull(flat, number, random) if flat.shape[1] == 1 else _points_in_body(flat, number, random)
    return centre + (inside @ directions) * spread


def _points_in_body(places: Array, number: int, random: np.random.Generator) -> Array:
    from scipy.spatial import ConvexHull, Delaunay

    corners = places[ConvexHull(places).vertices]
    simplices = corners[Delaunay(corners).simplices]  # (k, d + 1, d)
    volumes = np.abs(np.linalg.det(simplices[:, 1:] - simplices[:, :1])) / math.factorial(places.shape[1])
    chosen = simplices[random.choice(len(simplices), number, p=volumes / volumes.sum())]
    shares = random.dirichlet(np.ones(places.shape[1] + 1), number)
    return np.einsum("nk,nkd->nd", shares, chosen)
