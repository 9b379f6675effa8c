"""Laws compared with each other and with no law, as tables: `comparison_of`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdescry.joint.choice import Comparison
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.search.averaging import probabilities as probable
from pdescry.joint.search.fitted_law import FittedLaw
from pdescry.joint.search.neighbours import Neighbour
from pdescry.joint.search.verdict import Baselines
from pdescry.problem import Problem


def comparison_of(
    compared: Sequence[FittedLaw], near: Sequence[Neighbour], against: Baselines, problem: Problem
) -> Comparison:
    """compared: the best first. near: laws that were scored in closed form only; they are included in the
    probabilities. Whether a law was found is decided elsewhere."""
    scores, every = np.array([law.score for law in compared]), [*compared, *near]
    weight = compared[0].rules.weight
    weights = probable([weight * law.by_sensor for law in every], [weight * law.elpd - law.score for law in every])
    alternatives = pd.DataFrame(
        {
            "terms": [", ".join(_named(term, problem) for term in law.terms) for law in compared],
            "law": [str(JointFit(law.found, problem)) for law in compared],
            "elpd": [law.elpd for law in compared],
            "score": scores - scores[0],
            "probability": weights[: len(compared)],
        }
    )
    probabilities = pd.DataFrame(
        {
            "field": [each.field for each in problem.candidates],
            "term": [str(each.term) for each in problem.candidates],
            "probability": [float(weights[[each in law.terms for law in every]].sum()) for each in problem.candidates],
        }
    )
    baselines = {field: {name: other.score for name, other in each.items()} for field, each in against.items()}
    return Comparison(alternatives, probabilities, compared[0].held_out, baselines)


def _named(term: Any, problem: Problem) -> str:
    return str(term.term) if len(problem.fields) == 1 else str(term)
