"""Size of fields driven by known inputs: the scale of a field that starts from zero."""

from __future__ import annotations

import numpy as np

from pdescry.equation.term import Derivative
from pdescry.solver.discretisation import Discretisation
from pdescry.solver.evaluate import evaluate_terms
from pdescry.solver.inputs import breaks_of
from pdescry.solver.options import SOLVER
from pdescry.solver.wellposed import fastest_rate

Array = np.ndarray


def driven_sizes(grid: Discretisation, start: Array, until: float) -> dict[Derivative, float]:
    """For each block of the state, its change by the terms of inputs alone within the law's own time scale.

    Zero without inputs, and for terms such as P*u, which have no effect on a field that is zero.
    """
    out = dict.fromkeys(grid.blocks, 0.0)
    sources = {
        component.field: {term: c for term, c in component.terms if term.fields and term.fields <= set(grid.inputs)}
        for component in grid.equation.components
    }
    if not any(sources.values()):
        return out
    with np.errstate(all="ignore"):
        fastest = fastest_rate(grid.equation, grid.slopes(0.0, start), grid.domain)
    scale = 1 / max(fastest, 1 / until)
    times = np.union1d(np.linspace(0.0, until, SOLVER.inputs.sizes), breaks_of(grid.inputs))
    forces: dict[str, list[Array]] = {field: [] for field in sources}
    for t in times.tolist():
        values = grid.surroundings(t)
        for field, terms in sources.items():
            forces[field].append(evaluate_terms(terms, values, grid.places[0]))
    later = np.minimum(np.searchsorted(times, times + scale), len(times) - 1)
    for field, force in forces.items():
        pushed = np.array(force)  # (times, n)
        steps = np.diff(times)[:, None] * (pushed[1:] + pushed[:-1]) / 2
        total = np.vstack([np.zeros(grid.size), np.cumsum(steps, axis=0)])
        size = float(np.abs(total[later] - total).max())
        for order in range(grid.equation[field].time_order):  # u_tt = P: u follows from its velocity
            out[Derivative(field, "t" * (grid.equation[field].time_order - 1 - order))] = size * scale**order
    return out
