"""`System`: a law with all that determines its field, solved when it is first asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pdescry.data.inputs import Input
from pdescry.data.observe import observe
from pdescry.data.readings import Readings
from pdescry.equation import Equation
from pdescry.errors import InputError

if TYPE_CHECKING:
    from pdescry.solver import Solution


@dataclass(frozen=True, eq=False)
class System:
    """A law with a domain, an initial state, boundary conditions and known inputs: all that determines the field.

    Parameters
    ----------
    name : str
        As in `pdescry.systems.get`.
    title : str
        In words.
    equation : Equation
        The law.
    extent : mapping of str to (float, float)
        The domain, by axis.
    until : float
        The last time.
    every : float
        The time step of readings, unless another is given.
    initial : str or dict of str
        As in `pdescry.simulate`.
    boundary : str or dict of str
        As in `pdescry.simulate`.
    inputs : dict
        As in `pdescry.simulate`: ``{"P": (times, values, "held")}``.
    """

    name: str
    title: str
    equation: Equation
    extent: Mapping[str, tuple[float, float]]  # where each axis begins and ends
    until: float
    every: float  # the time step of readings, unless given
    initial: str | dict[str, str]
    boundary: str | dict[str, str]
    inputs: dict[str, Any] = field(default_factory=dict)  # as for `simulate`: {"P": (times, values, "held")}

    @property
    def domain(self) -> tuple[float, float]:
        """Where the axis of a system along one axis begins and ends."""
        if len(self.extent) > 1:
            raise InputError(
                f"Expected a system along one axis; {self.name} has {', '.join(self.extent)}: use .extent."
            )
        return next(iter(self.extent.values()))

    @cached_property
    def solution(self) -> Solution:
        """The field, solved once and kept."""
        from pdescry.solver import simulate

        found = simulate(
            self.equation,
            domain=self.extent,
            until=self.until,
            initial=self.initial,
            boundary=self.boundary,
            inputs=self.inputs,
            max_seconds=math.inf,  # known to be solved: a busy machine is no reason to give up
        )
        return found.require_ok()

    def observe(self, *, every: float | None = None, times: Any = None, **settings: Any) -> Readings:
        """Readings of the field by a few sensors.

        Parameters
        ----------
        every : float, optional
            Time between readings; by default `every` of the system.
        times : int or array_like, optional
            How many times, or which, instead of ``every``.
        **settings : optional
            As in `pdescry.data.observe`: ``sensors=16``, ``noise=0.05``, ``seed=1``, ``layout="even"``.

        Returns
        -------
        Readings
        """
        every = self.every if every is None and times is None else every
        if self.inputs:
            settings["inputs"] = {
                name: Input(name, np.array(times), None, np.array(values), between)
                for name, (times, values, between) in self.inputs.items()
            }
        return observe(self.solution, every=every, times=times, source=f"system {self.name}", **settings)
