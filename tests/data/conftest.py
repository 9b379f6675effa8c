"""Small valid readings, as a grid and as a long frame, that the tests of the readers write to files and spoil."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

T = np.array([0.0, 0.13, 0.4, 0.71, 1.0])
X = np.array([-1.0, 0.25, 0.3, 2.0])
U = np.sin(T[:, None] * 2.0 + X)  # (5, 4)


@pytest.fixture
def grid() -> dict[str, Any]:
    return {"t": T.copy(), "x": X.copy(), "u": U.copy()}


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"t": np.repeat(T, 4), "x": np.tile(X, 5), "u": U.ravel()})
