"""The modules of `benchmarks/`, which is not part of the package."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports one by its name."""
    if not BENCHMARKS.exists():
        pytest.skip("benchmarks/ is not part of the package: run this from a clone")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module
