"""Readings to ask about; none is ever fitted here."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry import Readings


def made(
    fields: tuple[str, ...] = ("u",), times: int = 4, inputs: tuple[str, ...] = (), scale: float = 1.0
) -> Readings:
    """14 sensors from x = 1 to x = 9: enough for every term of the general library."""
    x, t = (each.ravel() for each in np.meshgrid(np.linspace(1, 9, 14) * scale, np.arange(float(times))))
    values = np.column_stack([np.cos(x + k) + t for k in range(len(fields))])
    known = {name: ([0.0, 3.0], [1.0, 2.0]) for name in inputs}
    return Readings.from_arrays(t, x, values, fields=fields, inputs=known or None)


@pytest.fixture
def one() -> Readings:
    return made()


@pytest.fixture
def two() -> Readings:
    return made(("u", "v"))


@pytest.fixture
def driven() -> Readings:
    return made(inputs=("P",))
