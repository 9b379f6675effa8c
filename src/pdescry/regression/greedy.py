"""Forward–backward: add the column that increases the evidence most, drop those that are then superfluous.

Once from no column and once from all, because two columns that explain the left side only together are never added.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from pdescry.regression.estimator import Search, SparseRegressor, Step, Table, check_gamma_power
from pdescry.regression.evidence import Gram, log_evidence
from pdescry.regression.least_squares import least_squares
from pdescry.regression.options import GammaPower
from pdescry.regression.weights import Weights

# A smaller increase of the log evidence is rounding.
RISE = 1e-6


@final
class Greedy(SparseRegressor):
    """Add or drop one column at a time, whichever raises the evidence most, until none does; the better of two starts.

    Parameters
    ----------
    gamma_power : float
        As in `STBLR`; γ is computed from all columns, because evidences are compared with the same weights of the rows.
    """

    scale_free = True

    def __init__(self, gamma_power: GammaPower = 0.5) -> None:
        self.gamma_power = gamma_power

    def _check(self) -> None:
        check_gamma_power(self)

    def _search(self, table: Table) -> Search:
        weights = table.weighted(self.gamma_power)
        gram = Gram.of(table.X, table.y, weights.values)

        def evidence(columns: frozenset[int]) -> float:
            return float(log_evidence(gram, gram.unexplained(sorted(columns)), len(columns)))

        everything = frozenset(range(len(table.names)))
        climbs = [self._climb(table, weights, evidence, start) for start in (frozenset(), everything)]
        chosen, _, path = max(climbs, key=lambda climb: climb[1])
        columns = np.array(sorted(chosen), int)
        return Search(
            columns,
            *least_squares(table.X[:, columns], table.y, weights.values),
            weights.values,
            tuple(path),
            weights.notes,
        )

    def _climb(
        self, table: Table, weights: Weights, evidence: Callable[[frozenset[int]], float], start: frozenset[int]
    ) -> tuple[frozenset[int], float, list[Step]]:
        """The subset where no single change increases the evidence, that evidence, and the path to it."""
        chosen, best = start, evidence(start)
        path: list[Step] = []

        def note(move: frozenset[int], score: float) -> None:
            columns = np.array(sorted(move), int)
            fitted, _ = least_squares(table.X[:, columns], table.y, weights.values)
            path.append(
                Step(
                    table.names_of(columns),
                    tuple(fitted.tolist()),
                    score,
                    dropped=table.names_of(sorted(chosen - move)),
                    added=table.names_of(sorted(move - chosen)),
                    gamma=weights.gamma,
                )
            )

        if start:
            note(start, best)
        while True:
            # The evidence increases at each step, so no subset occurs twice and the loop ends.
            moves = {chosen ^ {j} for j in range(len(table.names))}
            scores = {move: evidence(move) for move in sorted(moves, key=sorted)}
            move = max(scores, key=lambda move: scores[move])
            if not scores[move] > best + RISE:
                break
            note(move, scores[move])
            chosen, best = move, scores[move]
        return chosen, best, path
