"""Forward solver: an `Equation` with domain, initial state and boundary conditions in, a `Solution` with a verdict out.

Read `solve` first (what `simulate` takes), then `search` (the way to a verdict), which asks `grids` (how many points),
`attempt` (one try) and `stability` (a second one from a disturbed start). Below them: `boundary`, `initial` and
`inputs` read what the user wrote, `driven` says how large inputs make a field, `basis` and `discretisation` turn a law
into an ordinary differential equation, `stepping` drives scipy's Radau under guard, `linearise` and `wellposed` judge
the linearised symbol, `verdict` has the outcomes and their notices, `pieces` and `solution` the answer.
"""

from pdescry.solver.solution import Solution
from pdescry.solver.solve import conditions_needed, simulate
from pdescry.solver.wellposed import is_ill_posed

__all__ = ["Solution", "conditions_needed", "is_ill_posed", "simulate"]
