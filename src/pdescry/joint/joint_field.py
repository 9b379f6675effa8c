"""`JointField`: fields inferred together with the law, in the form that forward solutions require."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import Chebyshev

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.equation.term import Derivative, Factor
from pdescry.joint.field.axis import Array
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.options import ANSWER
from pdescry.problem import Candidate, Condition
from pdescry.solver.profiles import NODES, nodes, polynomial


@dataclass(frozen=True, eq=False)
class JointField:
    """``state``: splines of the fields, or of a draw of them."""

    fit: JointFit
    state: Array

    @property
    def readings(self) -> Readings:
        return self.fit.readings

    @property
    def known_ends(self) -> tuple[Condition, ...]:
        return self.fit.experiment.conditions

    def mean(self, times: Array, places: Array) -> dict[str, Array]:
        return {name: self._on_grid(k, times, places) for k, name in enumerate(self.readings.fields)}

    def _on_grid(self, field: int, times: Array, places: Array, order_t: int = 0) -> Array:
        """(times, places)"""
        space = self.fit.experiment.space
        (x,), t = space.places, space.time
        return space.on_grid(self.state, field, [x.matrix(places), t.matrix(times, order_t)]).T

    def follows(self, times: Array, domain: Sequence[float]) -> bool:
        (early, late), (left, right) = self.fit.reach.values()
        return bool(early <= times[0] and times[-1] <= late and left <= domain[0] and domain[1] <= right)

    @property
    def rectangle(self) -> Mapping[str, tuple[float, float]] | None:
        """The largest of several around the middle of the sensors; the whole box, to the last digit, where it lies
        among them, so that known edges are recognised."""
        space = self.fit.experiment.space
        if space.region is None:
            return None
        middle = [sum(axis.span) / 2 for axis in space.places]
        for share in np.linspace(*ANSWER.forward.rectangles):
            halves = [share * axis.width / 2 for axis in space.places]
            ends = [(centre - half, centre + half) for centre, half in zip(middle, halves, strict=True)]
            ends = [axis.span for axis in space.places] if share == 1 else ends
            grid = np.meshgrid(*(np.linspace(*each, ANSWER.forward.points_of_side) for each in ends), indexing="ij")
            if space.region.contains(np.column_stack([each.ravel() for each in grid])).all():
                return dict(zip(self.readings.axes, ends, strict=True))
        return None

    def over(self, name: str, times: Array, x: Array, y: Array, order_t: int = 0) -> Array:
        space, field = self.fit.experiment.space, self.readings.fields.index(name)
        (along_x, along_y), t = space.places, space.time
        matrices = [along_x.matrix(x), along_y.matrix(y), t.matrix(times, order_t)]
        return np.moveaxis(space.on_grid(self.state, field, matrices), -1, 0)

    def along_time(self, name: str, place: float, order: int) -> Callable[[float], float]:
        space, field = self.fit.experiment.space, self.readings.fields.index(name)
        (x,), t = space.places, space.time
        (along,) = x.matrix(np.array([place]), order) @ space.unpacked(self.state)[field]
        return t.along(along)

    def profile(self, time: float, domain: Sequence[float]) -> dict[str, Chebyshev]:
        found = {}
        for k, name in enumerate(self.readings.fields):
            for order in range(self.fit.orders[k]):
                (along,) = self._on_grid(k, np.array([time]), nodes(domain), order)
                through = polynomial(along, domain)
                # Waves too short for the sensors at any one time make draws too rough for the solver.
                damped = through.coef * np.exp(-36 * (np.arange(NODES) / ANSWER.forward.damped_degree) ** 8)
                found[name + "_t" * order] = Chebyshev(damped, domain=list(domain))
        return found

    def states(self, variables: Iterable[Derivative], time_order: int) -> Mapping[Factor, Array]:
        """At a subset of the mesh points; with coordinates and inputs."""
        first = self.readings.fields[0]
        terms = tuple(Candidate(first, Term.of([(each, 1)])) for each in variables)
        operator = replace(self.fit.minimum.objective.operator, terms=terms)
        found = self.fit.experiment.values(self.state, operator)
        return {name: part.ravel()[:: max(1, part.size // ANSWER.forward.states)] for name, part in found.items()}
