"""How many boundary conditions a law requires at either end, and on which fields.

Near an end, a disturbance that grows as exp(st) consists of waves exp(κx) with det(sᵏ − Σ a_j κʲ) = 0, where a_j are
the coefficients of the linearised law there and k is its order in time. For large s, the waves that decay into the
domain are those that an end can send in: Re κ < 0 at the left end, Re κ > 0 at the right one. The law requires as many
conditions as there are such waves (Kreiss), and they have to distinguish these waves.

For one field u_t = c·∂ᵐu this depends on the sign of c (`needed_at_ends`); for u_t = A·u_x on the signs of A's
eigenvalues; a system of mixed order, such as shallow water with friction, requires conditions of both kinds.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.linalg import eig, qr

from pdescry.equation import Equation
from pdescry.equation.term import Derivative
from pdescry.errors import InputError
from pdescry.solver.boundary import needed_at_ends
from pdescry.solver.discretisation import Discretisation
from pdescry.solver.options import SOLVER
from pdescry.solver.wellposed import fastest_rate

Array = np.ndarray
Counts = dict[str, tuple[int, int]]  # of each field: conditions at the left and at the right end, on u, u_x, … in turn


def incoming_at(coarse_grid: Discretisation, start: Array, axis: str) -> Counts | None:
    """Counts at the ends of one axis. None if the order of each field alone decides: half of it at either end."""
    equation = coarse_grid.equation
    orders = {field: equation.order(axis, field) for field in equation.fields}
    if len(orders) == 1:
        return _of_one_field(coarse_grid, start, axis)
    if all(order % 2 == 0 for order in orders.values()):
        return None
    everywhere = coarse_grid.slopes(0.0, start)
    # Along a side of the plane: the mean of the components normal to it.
    at_ends = {
        pair: values.mean(axis=1)
        for pair, values in coarse_grid.slopes_at_ends(0.0, start, axis).items()
        if set(pair[1].axes) <= {axis, "t"}
    }
    length = coarse_grid.domain[axis][1] - coarse_grid.domain[axis][0]
    rounding = SOLVER.well_posed.vanishing
    rate = SOLVER.well_posed.short_wave_rate * fastest_rate(equation, everywhere, coarse_grid.domain)
    sizes = {field: float(np.abs(start[coarse_grid.blocks[Derivative(field)]]).max()) or 1.0 for field in orders}
    found = []
    for end, sign in enumerate((-1, 1)):
        slopes = {
            pair: float(values[end]) if abs(values[end]) > rounding * np.abs(everywhere[pair]).max() else 0.0
            for pair, values in at_ends.items()
        }
        found.append(_distinguishing(*_waves(equation, axis, slopes, rate, length, sizes, sign), orders))
    left, right = found
    return {field: (left[field], right[field]) for field in orders}


def _of_one_field(coarse_grid: Discretisation, start: Array, axis: str) -> Counts | None:
    equation = coarse_grid.equation
    ((field, order),) = ((field, equation.order(axis, field)) for field in equation.fields)
    pair = (field, Derivative(field, axis * order))
    slopes = coarse_grid.slopes(0.0, start)
    if equation[field].time_order == 2 or pair not in slopes:
        return None
    at_ends = coarse_grid.slopes_at_ends(0.0, start, axis)[pair]  # (2, places along the side)
    ends = np.where(np.abs(at_ends) > SOLVER.well_posed.vanishing * np.abs(slopes[pair]).max(), at_ends, 0.0)
    least, most = ends.min(axis=1), ends.max(axis=1)
    if order % 2 and np.any((least < 0) & (most > 0)):
        raise InputError(
            f"The coefficient of {field}_{axis * order} changes its sign along a side of {axis}, where something enters"
            f" along one part and leaves along another; solve with a boundary that is periodic in {axis}, or add"
            " diffusion."
        )
    left, right = np.where(most > 0, most, least).tolist()
    return {field: needed_at_ends(order, (left, right))}


def _waves(
    equation: Equation,
    axis: str,
    slopes: Mapping[tuple[str, Derivative], float],
    rate: float,
    length: float,
    sizes: Mapping[str, float],
    sign: int,
) -> tuple[list[tuple[str, int]], Array]:
    """Names (field, order) of the derivatives at an end, and (names, waves), the components of each wave with Re κ of a
    sign; in units of the sizes of the fields and of the length of the domain."""
    orders = {field: equation.order(axis, field) for field in equation.fields}
    names = [(field, order) for field in orders for order in range(max(orders[field], 1))]
    at = {name: number for number, name in enumerate(names)}
    # κ·E·z = A·z for z = (u, κu, …): rows that define the derivatives, and one for the law of each field.
    by_wave, alone = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
    row = 0
    for field, order in names:
        if order:
            by_wave[row, at[field, order - 1]], alone[row, at[field, order]] = 1.0, 1.0
            row += 1
    for field in orders:
        alone[row, at[field, 0]] = 1.0
        for (other, variable), slope in slopes.items():
            if other != field:
                continue
            order = variable.axes.count(axis)
            share = slope * sizes[variable.field] / sizes[field] / length**order
            share *= rate ** (variable.axes.count("t") - equation[field].time_order)
            if order and order == orders[variable.field]:
                by_wave[row, at[variable.field, order - 1]] += share
            else:
                alone[row, at[variable.field, order]] -= share
        row += 1
    solved: tuple[Array, Array] = eig(alone, by_wave)  # pyright: ignore[reportAssignmentType]
    values, vectors = solved
    inwards = np.isfinite(values) & (np.sign(values.real) == sign)
    return names, vectors[:, inwards]


def _distinguishing(names: list[tuple[str, int]], waves: Array, orders: Mapping[str, int]) -> dict[str, int]:
    """For each field how many of u, u_x, … to fix, so that the fixed values distinguish the waves; low orders first."""
    counts = dict.fromkeys(orders, 0)
    values = [number for number, (_, order) in enumerate(names) if order == 0]
    rest = waves / np.abs(waves[values]).max(axis=0)
    for order in range(max(orders.values())):
        rows = [number for number, (field, own) in enumerate(names) if own == order and orders[field] > order]
        largest = np.abs(rest[rows]).max(initial=0.0)
        while rows and rest.shape[1]:
            sizes = np.linalg.norm(rest[rows], axis=1)
            if sizes.max() < SOLVER.well_posed.distinct * largest or not largest:
                break
            fixed = rows.pop(int(np.argmax(sizes)))
            counts[names[fixed][0]] += 1
            # The remaining freedom: combinations of waves in the null space of the condition.
            rest = rest @ np.asarray(qr(rest[fixed][:, None].conj())[0])[:, 1:]
    return counts
