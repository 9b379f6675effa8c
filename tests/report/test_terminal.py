from __future__ import annotations

import numpy as np

from pdescry.report import sketch


def test_sketch_shows_where_readings_are():
    picture = sketch([0, 1, 1], [0, 0, 1], [0.0, 1.0, 2.0], width=2, height=2, colour=False).plain
    assert picture == "·█\n▁▅\n"
    assert "█" in sketch([0, 1], [0, 1], [3.0, 3.0], width=4, height=2).plain


def test_sketch_survives_a_single_place():
    assert sketch(np.zeros(3), np.arange(3), np.arange(3), 4, 3, colour=False).plain.count("\n") == 3
