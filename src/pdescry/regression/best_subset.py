"""Best subset: every subset of columns is scored, and the best one chosen. Up to 16 columns."""

from __future__ import annotations

from typing import Annotated, final

import numpy as np

from pdescry.errors import InputError
from pdescry.regression.estimator import Search, SparseRegressor, Step, Table, check_gamma_power
from pdescry.regression.evidence import Gram, log_bic, log_evidence
from pdescry.regression.least_squares import least_squares
from pdescry.regression.options import GammaPower
from pdescry.schema import Setting

CRITERIA = {"evidence": log_evidence, "bic": log_bic}
MOST = 16


@final
class BestSubset(SparseRegressor):
    """All 2^T subsets, by evidence or BIC. ``path_`` has the best subset of each size.

    Parameters
    ----------
    criterion : {"evidence", "bic"}
        How subsets are compared.
    gamma_power : float
        As in `STBLR`; γ is computed from all columns, because all subsets are scored with the same weights of the rows.
    """

    scale_free = True

    def __init__(
        self,
        criterion: Annotated[str, Setting('"evidence" or "bic"', choices=tuple(CRITERIA))] = "evidence",
        gamma_power: GammaPower = 0.5,
    ) -> None:
        self.criterion = criterion
        self.gamma_power = gamma_power

    def _check(self) -> None:
        if not isinstance(self.criterion, str) or self.criterion not in CRITERIA:
            raise InputError(
                f"Expected the criterion of BestSubset to be 'evidence' or 'bic'; got {self.criterion!r}; pass one."
            )
        check_gamma_power(self)

    def _search(self, table: Table) -> Search:
        n_columns = len(table.names)
        if n_columns > MOST:
            raise InputError(
                f"Expected at most {MOST} candidates for BestSubset, which tries every choice of them; got {n_columns};"
                " leave some out or use Greedy()."
            )
        weights = table.weighted(self.gamma_power)
        gram = Gram.of(table.X, table.y, weights.values)
        unexplained = gram.unexplained_by_all()
        member = (np.arange(len(unexplained))[:, None] >> np.arange(n_columns)) & 1 == 1
        sizes = member.sum(axis=1)
        evidences = log_evidence(gram, unexplained, sizes)
        scores = CRITERIA[self.criterion](gram, unexplained, sizes)
        path = []
        for size in range(1, n_columns + 1):
            of_size = np.where(sizes == size, scores, -np.inf)
            choice = int(np.argmax(of_size))
            if np.isfinite(of_size[choice]):
                columns = np.flatnonzero(member[choice])
                coefficients, _ = least_squares(table.X[:, columns], table.y, weights.values)
                path.append(
                    Step(
                        table.names_of(columns),
                        tuple(coefficients.tolist()),
                        float(evidences[choice]),
                        dropped=table.names_of(np.flatnonzero(~member[choice])),
                        gamma=weights.gamma,
                    )
                )
        columns = np.flatnonzero(member[int(np.argmax(scores))])
        fitted = least_squares(table.X[:, columns], table.y, weights.values)
        return Search(columns, *fitted, weights.values, tuple(path), weights.notes)
