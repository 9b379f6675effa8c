"""Whether a law is well-posed at a state, judged from its linearised symbol, independently of any time stepper.

Around a state, a wave exp(ikx) grows at the rate Re σ(k), where σ comes from the coefficients a_j = ∂F/∂(∂ʲu/∂xʲ). A
law is well-posed only if this growth stays bounded as k → ∞: with anti-diffusion (−u_xx, +u_xxxx) it does not, whatever
the grid and the stepper show. An implicit stepper damps such waves and reports success, and so does a finer grid. In
the plane, waves have several directions: exp(ik(x cos θ + y sin θ)).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from pdescry.equation import Equation
from pdescry.equation.term import Derivative, Factor
from pdescry.solver.evaluate import evaluate_terms
from pdescry.solver.linearise import opened, slopes_of
from pdescry.solver.options import SOLVER

Array = np.ndarray
Slopes = Mapping[tuple[str, Derivative], Array]


def is_ill_posed(equation: Equation, values: Mapping[Factor, Array], span: Mapping[str, tuple[float, float]]) -> bool:
    """Whether a law is ill-posed around states given at some points, whatever the boundary conditions.

    values: of every field, derivative, coordinate and input of the law, each (N,); an input P as ``Derivative("P")``.
    span: of the time and of the axes of space, by their names, in this order.
    """
    plain, like = opened(equation), next(iter(values.values()), np.zeros(0))
    slopes = {pair: evaluate_terms(terms, values, like) for pair, terms in slopes_of(plain).items()}
    (_, *axes), ((early, late), *ends) = span, span.values()
    finest = 2 * math.pi * SOLVER.well_posed.waves / min(high - low for low, high in ends)
    return bool(slopes) and growth_without_bound(plain, axes, slopes, finest, late - early)


def growth_without_bound(
    equation: Equation, axes: Sequence[str], slopes: Slopes, finest: float, remaining: float
) -> bool:
    """Whether short waves grow without bound at the state of these ``slopes``.

    ``finest`` is the largest wavenumber of the grid, ``remaining`` the time left: together they distinguish a
    coefficient that is zero up to rounding from one that is not.
    """
    scalar = len(equation.components) == 1 and equation.components[0].time_order == 1
    for direction in directions(axes):
        if scalar and _scalar(_along(direction, slopes), finest, remaining):
            return True
        if not scalar and _matrix(equation, direction, slopes, finest):
            return True
    return False


def directions(axes: Sequence[str]) -> list[dict[str, float]]:
    """Unit vectors of the directions of waves: one along an axis; in the plane, several over half a turn."""
    if len(axes) == 1:
        return [{axes[0]: 1.0}]
    angles = np.pi * np.arange(SOLVER.well_posed.directions) / SOLVER.well_posed.directions
    return [dict(zip(axes, np.round((np.cos(a), np.sin(a)), 15).tolist(), strict=True)) for a in angles]


def _along(direction: Mapping[str, float], slopes: Slopes) -> dict[int, Array]:
    """The coefficients of the law of one field for waves in a direction, by order."""
    orders: dict[int, Array] = {}
    for (_, variable), slope in slopes.items():
        weight = math.prod(part ** variable.axes.count(axis) for axis, part in direction.items())
        if weight:
            order = len(variable.axes)
            part = slope if weight == 1.0 else weight * slope
            orders[order] = orders[order] + part if order in orders else part
    return orders


def _scalar(orders: Mapping[int, Array], finest: float, remaining: float) -> bool:
    # Re σ(k) = Σ over even j of (−1)^(j/2) a_j k^j; odd orders only change the phase.
    sizes = {order: float(np.abs(slope).max()) * finest**order for order, slope in orders.items()}
    significant = [order for order, size in sizes.items() if size > 1e-14 * max(sizes.values())]
    even = sorted(order for order in significant if order % 2 == 0 and order > 0)
    if not even:
        return False
    growth = {order: (-1) ** (order // 2) * orders[order] for order in even}
    leading = np.abs(orders[max(significant)])
    if max(significant) % 2 and np.all(leading > 1e-6 * leading.max()):
        # Dispersion transports short waves through the whole domain; their growth is an average, weighted by the time
        # they spend where they are slow.
        growth = {order: np.average(values, weights=1 / leading, keepdims=True) for order, values in growth.items()}
    top = growth[even[-1]]
    for order in reversed(even[:-1]):  # where the highest coefficient vanishes, the next one decides
        top = np.where(np.abs(top) * finest ** (even[-1] - order) > 1e-12 * np.abs(growth[order]), top, growth[order])
    if np.ptp(top) == 0:
        rate = float(top[0]) * finest ** even[-1] * remaining
        return bool(rate > 1e-9)
    rate = sum(values * finest**order for order, values in growth.items())
    return bool(np.any((top > 0) & (rate * remaining > SOLVER.well_posed.harmless_growth)))


def _matrix(equation: Equation, direction: Mapping[str, float], slopes: Slopes, finest: float) -> bool:
    """Systems and second order in time: eigenvalues of the symbol at two wavenumbers far beyond the grid."""
    near, far = (
        symbol_eigenvalues(equation, {axis: factor * finest * part for axis, part in direction.items()}, slopes)
        for factor in (30, 3000)
    )
    growth, slower = float(np.real(far).max()), max(float(np.real(near).max()), 0.0)
    return bool(growth > 3 * slower and growth > SOLVER.well_posed.least_growth * np.abs(far).max())


def symbol_eigenvalues(equation: Equation, wavenumbers: Mapping[str, float], slopes: Slopes) -> Array:
    """σ of a wave exp(ikx), of a wavenumber along each axis, at some fifty places, shape (places, unknowns)."""
    names = [Derivative(c.field, "t" * order) for c in equation.components for order in range(c.time_order)]
    index = {name: i for i, name in enumerate(names)}
    length = max((len(slope) for slope in slopes.values()), default=1)
    sample = slice(None, None, max(1, length // 48))
    symbol = np.zeros((len(range(length)[sample]), len(names), len(names)), complex)
    for component in equation.components:
        if component.time_order == 2:
            symbol[:, index[Derivative(component.field)], index[Derivative(component.field, "t")]] = 1
    for (field, variable), slope in slopes.items():
        row = index[Derivative(field, "t" * (equation[field].time_order - 1))]
        column = index[Derivative(variable.field, "t" if "t" in variable.axes else "")]
        symbol[:, row, column] += slope[sample] * math.prod(
            (1j * wavenumber) ** variable.axes.count(axis) for axis, wavenumber in wavenumbers.items()
        )
    return np.linalg.eigvals(symbol)


def fastest_rate(equation: Equation, slopes: Slopes, domain: Mapping[str, tuple[float, float]]) -> float:
    """The fastest rate at which the law changes the longest wave of the domain. It does not depend on units of
    fields."""
    longest = {axis: np.pi / (high - low) for axis, (low, high) in domain.items()}
    one_by_one = [{axis: wave * (axis == other) for axis, wave in longest.items()} for other in longest]
    return max(float(np.abs(symbol_eigenvalues(equation, waves, slopes)).max()) for waves in one_by_one)
