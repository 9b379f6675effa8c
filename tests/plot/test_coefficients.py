"""The forest plot shows every term where it is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from pdescry import plot


def law(**changes) -> Any:
    columns = {
        "field": ["u", "u"],
        "term": ["u_x", "u_xx"],
        "mean": [-1.0, 0.1],
        "low": [-1.2, 0.05],
        "high": [-0.8, 0.15],
        "spread": ["honest", "honest"],
    }
    return SimpleNamespace(coefficients=pd.DataFrame(columns | changes))


def test_terms_from_top_to_bottom_with_their_intervals():
    ax = plot.coefficients(law())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["u_x", "u_xx"]
    assert list(ax.get_yticks()) == [1, 0]
    (container,) = ax.containers
    np.testing.assert_allclose(container[0].get_xdata(), [-1.0, 0.1])
    segments = container[2][0].get_segments()
    np.testing.assert_allclose([part[:, 0] for part in segments], [[-1.2, -0.8], [0.05, 0.15]])
    assert ax.get_title() == "intervals: honest"


def test_several_fields_are_named():
    ax = plot.coefficients(law(field=["u", "v"], spread=["honest", "formal"]))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["u: u_x", "v: u_xx"]
    assert ax.get_title() == "intervals: formal and honest"


def test_a_law_without_terms():
    nothing: Any = SimpleNamespace(coefficients=law().coefficients.iloc[:0])
    assert plot.coefficients(nothing).get_title() == "no term is left"
