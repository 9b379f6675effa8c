"""`Field`: the inferred field as a forward solution asks for it, whatever it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pdescry.data import Readings
from pdescry.equation.term import Derivative, Factor
from pdescry.problem import Condition

Array = NDArray[np.float64]
Profile = Callable[[Any], Any]


class Field(Protocol):
    """A mean field, or a single draw of it."""

    @property
    def readings(self) -> Readings: ...

    @property
    def known_ends(self) -> Sequence[Condition]:
        """Known boundary conditions, at all times."""
        ...

    def mean(self, times: Array, places: Array) -> dict[str, Array]:
        """Each field on the grid, (times, places)."""
        ...

    def profile(self, time: float, domain: Sequence[float]) -> Mapping[str, Profile]:
        """Each field along the axis at one time; and its rate ``u_t`` where a law of u_tt may ask for it.

        As a polynomial through many nodes, because it is asked for at thousands of places; a field that `follows` gives
        `numpy.polynomial.Chebyshev`, which has derivatives.
        """
        ...

    def follows(self, times: Array, domain: Sequence[float]) -> bool:
        """Whether it obeys its law, and is known at these times from end to end of this domain: then the ends of a
        forward solution can follow it."""
        ...

    @property
    def rectangle(self) -> Mapping[str, tuple[float, float]] | None:
        """In the plane: ends along each axis of a rectangle among the sensors where the field obeys its law; None
        where there is none."""
        ...

    def over(self, name: str, times: Array, x: Array, y: Array, order_t: int = 0) -> Array:
        """In the plane: a field on a grid, (times, x, y), or its derivative of some order in time."""
        ...

    def along_time(self, name: str, place: float, order: int) -> Callable[[float], float]:
        """A field at one place as a function of time, or its derivative of some order along the axis."""
        ...

    def states(self, variables: Iterable[Derivative], time_order: int) -> Mapping[Factor, Array]:
        """Derivatives and coordinates at some points between the sensors, on which it depends whether a law is
        well-posed."""
        ...
