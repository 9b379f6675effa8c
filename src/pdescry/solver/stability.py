"""A second run from a disturbed initial state: it detects what the linearised symbol does not show, and measures
sensitivity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pdescry.solver import verdict
from pdescry.solver.attempt import Problem, attempt, starting_sizes
from pdescry.solver.options import SOLVER
from pdescry.solver.verdict import Verdict


def check_stability(problem: Problem, found: Verdict) -> Verdict:
    """Solve again from a disturbed initial state: two paths seldom agree where an implicit stepper damps an
    instability."""
    run = found.run
    assert run is not None
    grid = run.grid
    start = problem.start(grid)
    sizes = starting_sizes(problem, grid, start)
    random = np.random.default_rng(20210813)
    for name, block in grid.blocks.items():
        # A field far from zero is disturbed in proportion to its variation, not to its distance from zero.
        size = np.ptp(start[block]) / 2 or sizes[block]
        start[block] += SOLVER.stability.disturbance * size * grid.spaces[name.field].smooth_noise(random)
    # Undamped waves can make the second run very slow: as many steps as the first are enough.
    steps = 400 + len(run.trajectory.bends)
    again = attempt(replace(problem, max_steps=steps, tolerance=SOLVER.stability.tolerance), grid, start, np.inf)
    if again.outcome == "seconds":
        return verdict.unchecked(problem, run, found.error)
    times = problem.comparison_times[problem.comparison_times <= again.reached]
    fields = run.sampled_fields(times)
    # A law under which everything grows is not sensitive: differences are relative to the size of the field by then.
    first = np.abs(run.sampled_fields(np.zeros(1))).max(axis=2)
    size = np.maximum(np.abs(fields).max(axis=2), np.where(first > 0, first, run.sizes))
    apart = (np.abs(again.sampled_fields(times) - fields).max(axis=2) / size).max(axis=1)
    lost = np.flatnonzero(apart > SOLVER.stability.too_large)
    if len(lost) or again.outcome not in ("finished", "steps"):
        stable_until = float(times[lost[0] - 1]) if len(lost) and lost[0] > 0 else (0.0 if len(lost) else again.reached)
        return verdict.sensitive(run, stable_until, SOLVER.stability.disturbance, SOLVER.stability.too_large)
    amplification = max(1.0, float(apart.max(initial=0.0)) / SOLVER.stability.disturbance)
    checked = again.reached if again.outcome == "steps" else problem.until
    return verdict.accepted(problem, run, max(found.error, amplification * problem.tolerance), checked)
