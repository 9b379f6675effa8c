"""Following the advice beats random places: with the fits and figures of ``benchmarks/next_sensor.py``."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "next_sensor.py"


@pytest.fixture(scope="module")
def benchmark() -> Any:
    if not BENCHMARK.exists():
        pytest.skip("benchmarks/ is not part of the package: run this from a clone")
    spec = importlib.util.spec_from_file_location("next_sensor_benchmark", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("name", ["burgers", "advection_diffusion"])
def test_an_advised_sensor_tells_more_than_one_at_random(name: str, benchmark: Any) -> None:
    """Ten layouts, two random places each, one seed of noise for each place; ``docs/next_sensor.md`` has more."""
    more = []
    for layout in range(10):
        found = benchmark.one(name, layout, repeats=2, ways=("advised", "random"))
        told = {way: float(np.mean(benchmark.gains(found, way))) for way in ("advised", "random")}
        more.append(told["advised"] - told["random"])
    error = np.std(more, ddof=1) / np.sqrt(len(more))
    assert np.mean(more) > 0
    assert np.mean(more) > error, f"{np.mean(more):.3f} ± {error:.3f} nats"
