"""`Fit`: what a `Law` asks of a law that was found for one field, by whatever method."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdescry.equation import Term
from pdescry.equation.equation import Component
from pdescry.notices import Notice


class Fit(Protocol):
    """What is known of the law of one field."""

    @property
    def field(self) -> str: ...
    @property
    def time_order(self) -> int: ...
    @property
    def terms(self) -> tuple[Term, ...]: ...  # all candidates
    @property
    def support(self) -> NDArray[np.bool_]: ...  # (T,): which of them are in the law
    @property
    def coefficients(self) -> NDArray[np.float64]: ...  # (T,), zero where dropped
    @property
    def component(self) -> Component: ...
    @property
    def concise(self) -> str: ...
    @property
    def table(self) -> pd.DataFrame: ...  # of all candidates
    @property
    def summary(self) -> pd.DataFrame: ...  # of the law's terms, with the columns of `regression.fit.SUMMARY`
    @property
    def notes(self) -> tuple[Notice, ...]: ...
