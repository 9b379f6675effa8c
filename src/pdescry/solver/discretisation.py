"""The law on a grid: an `Equation` and its boundary conditions become an ordinary differential equation y' = F(t, y).

The unknowns are the values of each field at the nodes (`space`): what a boundary condition determines is not stepped,
and a periodic axis is the case without conditions. Boundary values may be functions of time. A second-order law is
stepped as (u, u_t). Along one axis the Jacobian is a matrix; in the plane it would be too large (4,096² entries for 64
× 64 points), so it is applied axis by axis (`jacobian`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as declare
from functools import cached_property

import numpy as np

from pdescry.equation import Equation
from pdescry.equation.term import Coordinate, Derivative, Factor, Sum
from pdescry.solver.boundary import Conditions, Domain
from pdescry.solver.evaluate import evaluate_terms
from pdescry.solver.inputs import Inputs
from pdescry.solver.jacobian import Modes, Shifted, TensorJacobian
from pdescry.solver.linearise import slopes_of, variables_of
from pdescry.solver.space import Space, TensorSpace

Array = np.ndarray


@dataclass(frozen=True)
class Discretisation:
    """F and its exact Jacobian, for one number of points along each axis.

    The equation must not contain conservative forms: `simulate` expands them. The state y is the concatenation of one
    block of values at all nodes for each field and, for a second-order law, one more for its u_t; in the plane x varies
    slowest.
    """

    equation: Equation
    domain: Domain
    conditions: Mapping[str, Conditions]  # of each axis
    points: Mapping[str, int]  # along each axis
    inputs: Inputs = declare(default_factory=dict)  # every input of the law

    @cached_property
    def spaces(self) -> dict[str, TensorSpace]:
        return {
            field: TensorSpace(
                {
                    axis: Space(ends, self.points[axis], self.conditions[axis], field, self.equation.order(axis, field))
                    for axis, ends in self.domain.items()
                }
            )
            for field in self.equation.fields
        }

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(self.domain)

    @cached_property
    def size(self) -> int:
        """The number of nodes."""
        return math.prod(self.points[axis] for axis in self.axes)

    def __str__(self) -> str:
        return " × ".join(str(self.points[axis]) for axis in self.axes)

    @cached_property
    def places(self) -> tuple[Array, ...]:
        """The coordinates of all nodes, one array (N,) for each axis."""
        nodes = (space.nodes for space in self.spaces[self.equation.fields[0]].factors)
        return tuple(each.ravel() for each in np.meshgrid(*nodes, indexing="ij"))

    @cached_property
    def finest(self) -> float:
        """The largest wavenumber on the grid."""
        return max(basis.finest() for space in self.spaces.values() for basis in space.bases)

    @cached_property
    def blocks(self) -> dict[Derivative, slice]:
        """Slices of y: u (``Derivative("u")``) and, for a second-order law, u_t."""
        names = []
        for component in self.equation.components:
            names += [Derivative(component.field, "t" * order) for order in range(component.time_order)]
        return {name: slice(i * self.size, (i + 1) * self.size) for i, name in enumerate(names)}

    @cached_property
    def rights(self) -> dict[str, Sum]:
        return {component.field: component.coefficients for component in self.equation.components}

    @cached_property
    def variables(self) -> tuple[Derivative, ...]:
        return variables_of(self.equation)

    @cached_property
    def _slopes(self) -> dict[tuple[str, Derivative], Sum]:
        return slopes_of(self.equation)

    @cached_property
    def block_of(self) -> dict[Derivative, tuple[Derivative, tuple[int, ...]]]:
        """The block of which a variable is a derivative, and its order along each axis."""
        names = {each: Derivative(each.field, "t" if "t" in each.axes else "") for each in self.variables}
        return {each: (name, tuple(each.axes.count(axis) for axis in self.axes)) for each, name in names.items()}

    def surroundings(self, t: float) -> dict[Factor, Array]:
        """Every coordinate and input at the nodes."""
        found: dict[Factor, Array] = {Coordinate(axis): x for axis, x in zip(self.axes, self.places, strict=True)}
        found[Coordinate("t")] = np.full(self.size, t)
        return found | {Derivative(name): known.at(t, *self.places) for name, known in self.inputs.items()}

    def values(self, t: float, y: Array) -> dict[Factor, Array]:
        """Every variable, coordinate and input at the nodes."""
        found = self.surroundings(t)
        along_space = {name for name, orders in self.block_of.values() if any(orders)}
        ends = {name: self.spaces[name.field].at_ends_of(name, t) for name in along_space}
        for variable, (name, orders) in self.block_of.items():
            found[variable] = y[self.blocks[name]]
            if any(orders):
                found[variable] = self.spaces[variable.field].differentiate(found[variable], ends[name], orders)
        return found

    def rate(self, t: float, y: Array) -> Array:
        """F(t, y)."""
        values = self.values(t, y)
        out = np.empty_like(y)
        for component in self.equation.components:
            force = evaluate_terms(self.rights[component.field], values, self.places[0])
            if component.time_order == 1:
                out[self.blocks[Derivative(component.field)]] = force
            else:
                out[self.blocks[Derivative(component.field)]] = y[self.blocks[Derivative(component.field, "t")]]
                out[self.blocks[Derivative(component.field, "t")]] = force
        return out

    def slopes(self, t: float, y: Array) -> dict[tuple[str, Derivative], Array]:
        """∂F_field/∂variable at the nodes: the coefficients of the linearised law."""
        values = self.values(t, y)
        return {pair: evaluate_terms(terms, values, self.places[0]) for pair, terms in self._slopes.items()}

    def jacobian(self, t: float, y: Array) -> Array | TensorJacobian:
        """∂F/∂y, of shape (len(y), len(y))."""
        if len(self.axes) > 1:
            return TensorJacobian(self._modes, self.slopes(t, y))
        out = np.zeros((len(y), len(y)))
        for (field, variable), slope in self.slopes(t, y).items():
            name, (order,) = self.block_of[variable]
            rows = self.force_block(field)
            out[rows, self.blocks[name]] += slope[:, None] * self.spaces[variable.field].factors[0].derivative(order)[0]
        for component in self.equation.components:
            if component.time_order == 2:
                rows = self.blocks[Derivative(component.field)]
                out[rows, self.force_block(component.field)] += np.eye(self.size)
        return out

    @cached_property
    def _modes(self) -> Modes:
        return Modes(self)

    def force_block(self, field: str) -> slice:
        return self.blocks[Derivative(field, "t" * (self.equation[field].time_order - 1))]

    def coefficients(self, y: Array, field: str, ends: Array) -> Array:
        """Spectral coefficients of a field with these boundary values (…, M), or of a change of both: (…, size)."""
        return self.spaces[field].coefficients(y[..., self.blocks[Derivative(field)]], ends)

    def rounding(self, t: float, y: Array, span: float) -> Array:
        """Effect of rounding of y on the state over a time span: |(1/span − J)⁻¹ δF|, the largest of each block.

        Fast modes damp disturbances; slow ones accumulate them, and high derivatives amplify them.
        """
        signs = np.random.default_rng(0).choice([-1.0, 1.0], len(y))
        change = self.rate(t, y * (1 + np.finfo(float).eps * signs)) - self.rate(t, y)
        shift = (1 + 0.7j) / span  # off the real axis, to avoid a singularity for a mode that grows at 1/span
        jacobian = self.jacobian(t, y)
        if isinstance(jacobian, TensorJacobian):
            gathered = Shifted(shift, jacobian).solve(change.astype(complex), np.ones_like(y))
        else:
            gathered = np.linalg.solve(shift * np.eye(len(y)) - jacobian, change)
        gathered = np.nan_to_num(np.abs(gathered), nan=0.0, posinf=0.0)
        out = np.empty_like(y)
        for block in self.blocks.values():
            out[block] = gathered[block].max()
        return out

    def amplitudes(self, t: float, y: Array) -> dict[str, dict[str, Array]]:
        """|coefficients| of every field by axis, coarse modes first."""
        return {
            field: space.amplitudes(self.coefficients(y, field, space.at_end_values(t)))
            for field, space in self.spaces.items()
        }

    def slopes_at_ends(self, t: float, y: Array, axis: str) -> dict[tuple[str, Derivative], Array]:
        """As `slopes`, at the beginning and the end of an axis: shape (2, places along these sides)."""
        nodes = [space.nodes for space in self.spaces[self.equation.fields[0]].factors]
        nodes[self.axes.index(axis)] = np.array(self.domain[axis])
        places = [x.ravel() for x in np.meshgrid(*nodes, indexing="ij")]
        values: dict[Factor, Array] = {Coordinate(name): x for name, x in zip(self.axes, places, strict=True)}
        values[Coordinate("t")] = np.full(len(places[0]), t)
        values |= {Derivative(name): known.at(t, *places) for name, known in self.inputs.items()}
        for variable, (name, orders) in self.block_of.items():
            space = self.spaces[variable.field]
            coefficients = space.coefficients(y[self.blocks[name]], space.at_ends_of(name, t))
            values[variable] = space.evaluate(coefficients, nodes, orders).ravel()
        shape, at = [len(x) for x in nodes], self.axes.index(axis)
        return {
            pair: np.moveaxis(evaluate_terms(terms, values, places[0]).reshape(shape), at, 0).reshape(2, -1)
            for pair, terms in self._slopes.items()
        }
