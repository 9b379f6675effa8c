"""Cells of a benchmark: as they end, and one that fails stops no other; and the scheduler of a large sweep."""

from __future__ import annotations

import math
from typing import Any

import pytest


def test_cells_come_as_they_end_and_failures_at_the_end(module: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found: dict[str, float] = {}
    made = module("cells").made(math.sqrt, {"four": (4,), "none": (-1,), "nine": (9,)}, 1)

    def keep() -> None:
        for name, root in made:
            found.setdefault(name, root)

    with pytest.raises(SystemExit, match="1 cells failed"):
        keep()
    assert found == {"four": 2.0, "nine": 3.0}
    assert "none failed: ValueError" in capsys.readouterr().err


def test_the_simulated_scheduler_limits_short_cases_alone(module: Any) -> None:
    simulated = module("scale").simulated
    short, long = (simulated(5000, 100, seconds, cost=0.01) for seconds in (0.1, 10.0))
    assert short["scheduler_busy"] == pytest.approx(1.0, abs=0.02)
    assert short["workers_busy"] == pytest.approx(0.1, rel=0.1)  # of 100 workers ten are kept busy
    assert long["workers_busy"] > 0.85
    assert long["scheduler_busy"] == pytest.approx(5000 * 0.01 / (long["hours"] * 3600))
