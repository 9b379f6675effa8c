"""Truth + result → numbers. Everything that says how near a result came, and nothing that makes one.

``laws.py``: how near a law is to the true one (e_C, the rate of right terms, e_L). ``fields.py``: how near a field is
to the true one (RMSE, coverage).
"""

from __future__ import annotations

from pdescry.metrics.fields import FieldScore, coverage, rmse, score_field
from pdescry.metrics.laws import SolutionError, coefficient_error, solution_error, true_positive_rate

__all__ = [
    "FieldScore",
    "SolutionError",
    "coefficient_error",
    "coverage",
    "rmse",
    "score_field",
    "solution_error",
    "true_positive_rate",
]
