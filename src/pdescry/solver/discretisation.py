"""The law on a grid: an `Equation` and its boundary conditions become an ordinary differential equation y' = F(t, y).

Rectangular collocation. The unknowns are the values v of each field at n nodes. With m boundary conditions the field is
the one function with n + m coefficients c that takes these values and meets the conditions:

    [ Φ(nodes) ]       [ v ]
    [ boundary ]  c =  [ b ]        so  c = lift·v + fixed·b,   ∂ᵏu/∂xᵏ(nodes) = Φ⁽ᵏ⁾c = Dₖ·v + Gₖ·b

Any number of conditions of any order is handled alike, nothing is stepped that the conditions already determine, and a
periodic problem is the case m = 0. Boundary values b may be functions of time. A second-order law is stepped as
(u, u_t).
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as declare
from functools import cached_property

import numpy as np

from pdescry.equation import Equation
from pdescry.equation.term import Coordinate, Derivative, Factor, Sum
from pdescry.solver.basis import Basis, Chebyshev, Fourier
from pdescry.solver.boundary import Conditions
from pdescry.solver.evaluate import evaluate_terms
from pdescry.solver.inputs import Inputs
from pdescry.solver.linearise import slopes_of, variables_of

Array = np.ndarray


class Space:
    """One field in space: its basis, and the linear maps from nodal values to coefficients and derivatives."""

    def __init__(
        self, domain: tuple[float, float], points: int, conditions: Conditions, field: str, order: int
    ) -> None:
        given = conditions.of(field)
        kind = Fourier if conditions.periodic else Chebyshev
        self.basis: Basis = kind(*domain, points + len(given))
        self.nodes = self.basis.nodes(points)
        # From the third derivative on, rounding in the Chebyshev matrices would show; extended precision keeps it out.
        self._precise = order > 2 and not conditions.periodic
        number = np.longdouble if self._precise else np.float64
        rows, self._conditions, sizes = [self.basis.matrix(self.nodes.astype(number))], given, np.ones(len(given))
        for index, condition in enumerate(given):
            end = np.array([domain[0] if condition.side == "left" else domain[1]], dtype=number)
            row = self.basis.matrix(end, condition.order)
            sizes[index] = np.abs(row).max()  # rows of one size keep the system well-conditioned
            rows.append(row / sizes[index])
        system = np.vstack(rows)
        self.at_ends = system[points:].astype(float)  # (m, size)
        inverse = np.linalg.inv(system.astype(float)).astype(number)
        for _ in range(2 * self._precise):  # Newton's iteration for an inverse
            inverse += inverse @ (np.eye(len(system)) - system @ inverse)
        self._lift = inverse[:, :points]
        self._fixed = inverse[:, points:] / sizes
        self.lift = self._lift.astype(float)  # (size, n)
        self.fixed = self._fixed.astype(float)  # (size, m)
        self._derivatives: dict[int, tuple[Array, Array]] = {}

    def smooth_noise(self, random: np.random.Generator) -> Array:
        """A random function of the coarsest modes that respects the boundary: values at the nodes, largest 1."""
        coarse = max(8, self.basis.size // 4)
        coefficients = random.standard_normal(coarse)
        ends = self.at_ends[:, :coarse]
        coefficients -= np.linalg.pinv(ends) @ (ends @ coefficients)
        values = self.basis.matrix(self.nodes)[:, :coarse] @ coefficients
        return values / np.abs(values).max()

    def at_end_values(self, t: float) -> Array:
        """(m,): b at a time."""
        return np.array([condition.at(t) for condition in self._conditions])

    def at_end_rates(self, t: float) -> Array:
        """(m,): db/dt, which is what holds at the ends of u_t."""
        return np.array([condition.rate(t) for condition in self._conditions])

    def at_ends_of(self, name: Derivative, t: float) -> Array:
        """(m,): of a block of the state, u or u_t."""
        return self.at_end_rates(t) if name.axes else self.at_end_values(t)

    def derivative(self, order: int) -> tuple[Array, Array]:
        """(Dₖ, Gₖ): what the nodal values and what the boundary values add."""
        if order not in self._derivatives:
            functions = self.basis.matrix(self.nodes.astype(self._lift.dtype), order)
            matrix = (functions @ self._lift).astype(float) if order else np.eye(len(self.nodes))
            by_ends = (functions @ self._fixed).astype(float) if order else np.zeros((len(matrix), len(self.at_ends)))
            self._derivatives[order] = (matrix, by_ends)
        return self._derivatives[order]


@dataclass(frozen=True)
class Discretisation:
    """F and its exact Jacobian, for one number of points.

    The equation must hold no conservative form: `simulate` opens them. The state y is the concatenation of one block
    of n values for each field and, for a second-order law, one more for its u_t.
    """

    equation: Equation
    axis: str
    domain: tuple[float, float]
    conditions: Conditions
    points: int
    inputs: Inputs = declare(default_factory=dict)  # every input of the law

    @cached_property
    def spaces(self) -> dict[str, Space]:
        return {
            field: Space(self.domain, self.points, self.conditions, field, self.equation.order(self.axis, field))
            for field in self.equation.fields
        }

    @cached_property
    def nodes(self) -> Array:
        return self.spaces[self.equation.fields[0]].nodes

    @cached_property
    def finest(self) -> float:
        """The largest wavenumber on the grid."""
        return max(space.basis.finest() for space in self.spaces.values())

    @cached_property
    def blocks(self) -> dict[Derivative, slice]:
        """Which part of y holds u (``Derivative("u")``) and, for a second-order law, u_t."""
        names = []
        for component in self.equation.components:
            names += [Derivative(component.field, "t" * order) for order in range(component.time_order)]
        return {name: slice(i * self.points, (i + 1) * self.points) for i, name in enumerate(names)}

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
    def _block_of(self) -> dict[Derivative, tuple[Derivative, int]]:
        """The block that a variable is a derivative of, and its order in space."""
        names = {each: Derivative(each.field, "t" if "t" in each.axes else "") for each in self.variables}
        return {each: (name, each.axes.count(self.axis)) for each, name in names.items()}

    def values(self, t: float, y: Array) -> dict[Factor, Array]:
        """Every variable and coordinate at the nodes."""
        found: dict[Factor, Array] = {Coordinate(self.axis): self.nodes, Coordinate("t"): np.full(self.points, t)}
        found |= {Derivative(name): known.at(t, self.nodes) for name, known in self.inputs.items()}
        along_space = {name for name, order in self._block_of.values() if order}
        ends = {name: self.spaces[name.field].at_ends_of(name, t) for name in along_space}
        for variable, (name, order) in self._block_of.items():
            found[variable] = y[self.blocks[name]]
            if order:
                matrix, by_ends = self.spaces[variable.field].derivative(order)
                found[variable] = matrix @ found[variable] + by_ends @ ends[name]
        return found

    def rate(self, t: float, y: Array) -> Array:
        """F(t, y)."""
        values = self.values(t, y)
        out = np.empty_like(y)
        for component in self.equation.components:
            force = evaluate_terms(self.rights[component.field], values, self.nodes)
            if component.time_order == 1:
                out[self.blocks[Derivative(component.field)]] = force
            else:
                out[self.blocks[Derivative(component.field)]] = y[self.blocks[Derivative(component.field, "t")]]
                out[self.blocks[Derivative(component.field, "t")]] = force
        return out

    def slopes(self, t: float, y: Array) -> dict[tuple[str, Derivative], Array]:
        """∂F_field/∂variable at the nodes: the coefficients of the linearised law."""
        values = self.values(t, y)
        return {pair: evaluate_terms(terms, values, self.nodes) for pair, terms in self._slopes.items()}

    def jacobian(self, t: float, y: Array) -> Array:
        """∂F/∂y, shape (len(y), len(y))."""
        out = np.zeros((len(y), len(y)))
        for (field, variable), slope in self.slopes(t, y).items():
            name, order = self._block_of[variable]
            rows = self._force_block(field)
            out[rows, self.blocks[name]] += slope[:, None] * self.spaces[variable.field].derivative(order)[0]
        for component in self.equation.components:
            if component.time_order == 2:
                rows = self.blocks[Derivative(component.field)]
                out[rows, self._force_block(component.field)] += np.eye(self.points)
        return out

    def _force_block(self, field: str) -> slice:
        return self.blocks[Derivative(field, "t" * (self.equation[field].time_order - 1))]

    def coefficients(self, y: Array, field: str, ends: Array) -> Array:
        """Spectral coefficients of a field with these boundary values (…, m), or of a change of both: (…, size)."""
        space = self.spaces[field]
        return y[..., self.blocks[Derivative(field)]] @ space.lift.T + ends @ space.fixed.T

    def rounding(self, t: float, y: Array, span: float) -> Array:
        """What rounding of y does to the state over a time span: |(1/span − J)⁻¹ δF|, the largest of each block.

        Fast modes forget what is done to them; slow ones gather it, and high derivatives make much of it.
        """
        signs = np.random.default_rng(0).choice([-1.0, 1.0], len(y))
        change = self.rate(t, y * (1 + np.finfo(float).eps * signs)) - self.rate(t, y)
        # The shift off the real axis keeps a mode that grows at just 1/span from making this singular.
        shifted = (1 + 0.7j) / span * np.eye(len(y)) - self.jacobian(t, y)
        gathered = np.nan_to_num(np.abs(np.linalg.solve(shifted, change)), nan=0.0, posinf=0.0)
        out = np.empty_like(y)
        for block in self.blocks.values():
            out[block] = gathered[block].max()
        return out

    def amplitudes(self, t: float, y: Array) -> dict[str, Array]:
        """|coefficients| of every field, coarse modes first."""
        return {
            field: np.abs(self.coefficients(y, field, space.at_end_values(t))) for field, space in self.spaces.items()
        }

    def slopes_at_ends(self, t: float, y: Array) -> dict[tuple[str, Derivative], Array]:
        """As `slopes`, at the left and the right end: shape (2,)."""
        ends = np.array(self.domain)
        values: dict[Factor, Array] = {Coordinate(self.axis): ends, Coordinate("t"): np.full(2, t)}
        values |= {Derivative(name): known.at(t, ends) for name, known in self.inputs.items()}
        for variable, (name, order) in self._block_of.items():
            space = self.spaces[variable.field]
            values[variable] = space.basis.matrix(ends, order) @ (
                space.lift @ y[self.blocks[name]] + space.fixed @ space.at_ends_of(name, t)
            )
        return {pair: evaluate_terms(terms, values, ends) for pair, terms in self._slopes.items()}
