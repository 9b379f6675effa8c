"""Laws under which short waves would grow without bounds: no field could obey them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pdescry.data import Readings
from pdescry.equation import Equation
from pdescry.equation.equation import Component
from pdescry.equation.term import Derivative, Factor
from pdescry.joint.field.axis import Array
from pdescry.joint.fit.objective import Minimum
from pdescry.problem import Candidate
from pdescry.solver import is_ill_posed
from pdescry.solver.evaluate import evaluate_terms
from pdescry.solver.linearise import opened, slopes_of
from pdescry.solver.wellposed import WAVES, growth_without_bound

DIRECTIONS = 8  # of plane waves, over half a turn: among them the axes and the diagonals
EVERY = 7  # so many points of the mesh, one at which growth is judged


def ill_posed(found: Minimum, law: Mapping[Candidate, float]) -> bool:
    """Whether waves would grow in the fields of any experiment under this law, which need not be the minimum's."""
    operator = replace(found.objective.operator, terms=tuple(law))
    inputs = {name for each in law for name in each.term.fields} - set(operator.fields)
    parts = [
        Component.of(field, {each.term: value for each, value in law.items() if each.field == field}, order)
        for field, order in zip(operator.fields, operator.orders, strict=True)
    ]
    equation = Equation.of(parts, inputs=sorted(inputs))
    for _, experiment, state in found.experiments:
        values = {name: part.ravel()[::EVERY] for name, part in experiment.values(state, operator).items()}
        if len(operator.axes) == 1:
            if is_ill_posed(equation, values, experiment.readings.span):
                return True
        elif _ill_posed_in_the_plane(equation, values, experiment.readings):
            return True
    return False


def _ill_posed_in_the_plane(equation: Equation, values: Mapping[Factor, Array], readings: Readings) -> bool:
    """Whether plane waves grow without bound in any of some directions: along each of these a law is one along an axis.
    Lengths are in units of the box of the sensors."""
    plain, like = opened(equation), next(iter(values.values()), np.zeros(0))
    slopes = {pair: evaluate_terms(terms, values, like) for pair, terms in slopes_of(plain).items()}
    axes, duration = readings.axes, float(np.ptp(readings.time))
    widths = [high - low for low, high in (readings.span[axis] for axis in axes)]
    for angle in np.pi * np.arange(DIRECTIONS) / DIRECTIONS:
        towards = [part / width for part, width in zip((np.cos(angle), np.sin(angle)), widths, strict=True)]
        along: dict[tuple[str, Derivative], Array] = {}
        for (field, variable), slope in slopes.items():
            counts = [variable.axes.count(axis) for axis in axes]
            share = math.prod(part**count for part, count in zip(towards, counts, strict=True))
            waved = Derivative(variable.field, "t" * variable.axes.count("t") + axes[0] * sum(counts))
            along[field, waved] = along.get((field, waved), 0.0) + share * slope
        if along and growth_without_bound(plain, axes[0], along, 2 * math.pi * WAVES, duration):
            return True
    return False
