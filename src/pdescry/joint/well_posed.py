"""Laws under which short waves would grow without bounds: no field could obey them."""

from __future__ import annotations

from collections.abc import Mapping

from pdescry.equation import Equation, Term
from pdescry.equation.equation import Component
from pdescry.joint.experiment import Experiment
from pdescry.joint.objective import Minimum
from pdescry.joint.splines import Array
from pdescry.solver import is_ill_posed

EVERY = 7  # so many points of the mesh, one at which growth is judged


def ill_posed(found: Minimum, law: Mapping[Term, float]) -> bool:
    """Whether waves would grow in the field of any experiment under this law, which need not be the minimum's."""
    return any(_grows(experiment, field, law) for _, experiment, field in found.experiments)


def _grows(experiment: Experiment, field: Array, law: Mapping[Term, float]) -> bool:
    readings = experiment.readings
    values = {name: part.ravel()[::EVERY] for name, part in experiment.derivatives(field).items()}
    equation = Equation.of([Component.of(readings.fields[0], dict(law))])
    return is_ill_posed(equation, values, readings.span)
