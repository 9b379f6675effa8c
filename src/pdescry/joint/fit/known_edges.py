"""Meshes for fields in the plane whose edges are known: finer than without, for the law is known so much better.

On a mesh that is too coarse for the law up to the edges, coefficients are biased towards zero; without known edges that
is hidden by their uncertainty.
"""

from __future__ import annotations

from dataclasses import replace

from pdescry.joint.field.mesh import carried, even_elements, graded_space, most_elements, refined
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.stages import finished, scaled


def resolved_to_edges(found: Minimum) -> Minimum:
    """Refine the meshes along both axes of the plane as long as the residual of the law costs much and meshes may have
    more elements; fits without known edges, or along a line, as they are."""
    known = any(each.conditions for each in found.objective.experiments)
    if len(found.objective.operator.axes) == 1 or not known:
        return found
    for _ in range(FIT.refinement.rounds):
        if (found.residual_cost_by_equation <= FIT.refinement.residual_cost_at_edges).all():
            break
        finer = _refined(found)
        if finer is None:
            break
        found = finer
    return found


def _refined(found: Minimum) -> Minimum | None:
    """None where meshes may not have more elements."""
    experiments, states, more = [], [], False
    for _, experiment, state in found.experiments:
        before = experiment.space
        size = (*(axis.n for axis in before.places), even_elements(before))
        finer = refined(size, range(len(before.places)), most_elements(experiment.readings))
        more = more or finer != size
        space = graded_space(before, state, finer)
        experiments.append(replace(experiment, space=space))
        states.append(carried(state, before, space))
    if not more:
        return None
    moved = found.with_experiments(experiments, states)
    last, steps = FIT.tolerances.stages[-1], FIT.steps.on_finer_mesh
    return finished(scaled(moved, last).minimise(moved.states, moved.coefficients, steps))
