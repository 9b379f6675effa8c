"""Ill-posed laws, under which short waves would grow without bound: no field could satisfy them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pdescry.equation import Equation
from pdescry.equation.equation import Component
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.search.options import SEARCH
from pdescry.problem import Candidate
from pdescry.solver import is_ill_posed


def ill_posed(found: Minimum, law: Mapping[Candidate, float]) -> bool:
    """Whether waves would grow in the fields of any experiment under this law, which may differ from that of the
    minimum."""
    operator = replace(found.objective.operator, terms=tuple(law))
    inputs = {name for each in law for name in each.term.fields} - set(operator.fields)
    parts = [
        Component.of(field, {each.term: value for each, value in law.items() if each.field == field}, order)
        for field, order in zip(operator.fields, operator.orders, strict=True)
    ]
    equation = Equation.of(parts, inputs=sorted(inputs))
    for _, experiment, state in found.experiments:
        every = experiment.values(state, operator)
        values = {name: part.ravel()[:: SEARCH.growth_every] for name, part in every.items()}
        if is_ill_posed(equation, values, experiment.readings.span):
            return True
    return False
