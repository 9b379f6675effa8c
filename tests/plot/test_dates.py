"""Figures of readings that had dates show dates."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pdescry import Readings, plot, read


@pytest.fixture
def dated() -> Readings:
    frame = pd.DataFrame(
        {"time": np.repeat(pd.date_range("2024-05-31 22:00", periods=25, freq="15min"), 4), "x": [0, 1, 2, 3] * 25}
    )
    return read(frame.assign(u=np.arange(100.0)), time_unit="h")


def test_an_axis_of_times_shows_dates(dated):
    ax = plot.readings(dated)
    ax.figure.canvas.draw()  # type: ignore[union-attr]
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert "23:00" in labels
    assert "Jun-01" in labels
    assert ax.get_ylabel() == "t"
    places = dict(zip(labels, ax.get_yticks(), strict=True))
    assert places["23:00"] == pytest.approx(1.0)  # hours since the first


def test_numbers_stay_numbers(dated):
    ax = plot.readings(Readings.from_arrays(dated.time, dated.space, dated.values))
    ax.figure.canvas.draw()  # type: ignore[union-attr]
    assert "23:00" not in [text.get_text() for text in ax.get_yticklabels()]
