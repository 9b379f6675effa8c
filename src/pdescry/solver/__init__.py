"""Forward solver: an `Equation` with domain, initial state and boundary conditions in, a `Solution` with a verdict out.

Read `solve` first (the arguments of `simulate`), then `search` (from a problem to a verdict), which uses `grids` (how
many points), `attempt` (one run) and `stability` (a second one from a disturbed initial state). Below them: `boundary`,
`initial` and `inputs` parse what the user wrote, `driven` estimates how large inputs make a field, `basis` and
`discretisation` turn a law into an ordinary differential equation, `stepping` drives scipy's Radau with limits,
`linearise` and `wellposed` judge the linearised symbol, `verdict` has the outcomes and their notices, `pieces` and
`solution` the answer.
"""

from pdescry.solver.solution import Solution
from pdescry.solver.solve import conditions_needed, simulate
from pdescry.solver.wellposed import is_ill_posed

__all__ = ["Solution", "conditions_needed", "is_ill_posed", "simulate"]
