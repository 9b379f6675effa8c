"""`Problem`: what is asked, built and validated once, then handed down to whatever method answers it.

    readings, candidates, prior knowledge ─ Problem.of ─▶ Problem ─▶ joint

Which fields are inferred and which inputs are known, the order in time of each equation, the candidates of each
equation, prior knowledge of terms and boundary conditions, and the experiments. Read first ``problem.py``;
``library.py`` has the default candidates, ``known.py`` and ``ends.py`` the prior knowledge, ``experiments.py`` which
readings go together.
"""

from __future__ import annotations

from pdescry.problem.candidate import Candidate, members, overlapping
from pdescry.problem.ends import Condition, Ends
from pdescry.problem.experiments import check_alike
from pdescry.problem.known import Claim, Given, Known
from pdescry.problem.problem import HIGHEST, MOST_AXES, Candidates, Problem, TimeOrder

__all__ = [
    "HIGHEST",
    "MOST_AXES",
    "Candidate",
    "Candidates",
    "Claim",
    "Condition",
    "Ends",
    "Given",
    "Known",
    "Problem",
    "TimeOrder",
    "check_alike",
    "members",
    "overlapping",
]
