"""Laws under which short waves would grow without bounds: no field could obey them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pdescry.equation import Equation, Term
from pdescry.equation.equation import Component
from pdescry.joint.experiment import Experiment
from pdescry.joint.objective import Minimum
from pdescry.joint.splines import Array
from pdescry.solver import is_ill_posed

# Growth is judged for waves of up to this many over the interval, at every so many points.
WAVES, EVERY = 100, 7


def ill_posed(found: Minimum, law: Mapping[Term, float]) -> bool:
    """Whether waves would grow in the field of any experiment under this law, which need not be the minimum's."""
    return any(_grows(experiment, field, law) for _, experiment, field in found.experiments)


def _grows(experiment: Experiment, field: Array, law: Mapping[Term, float]) -> bool:
    readings = experiment.readings
    values = {name: part.ravel()[::EVERY] for name, part in experiment.derivatives(field).items()}
    (early, late), (low, high) = readings.span.values()
    equation = Equation.of([Component.of(readings.fields[0], dict(law))])
    return is_ill_posed(equation, readings.axes[0], values, 2 * math.pi * WAVES / (high - low), late - early)
