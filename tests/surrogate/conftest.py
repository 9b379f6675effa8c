"""Small posteriors, made once: a compilation costs seconds, a draw of a small network next to nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pdescry import Readings
from pdescry.surrogate import MCLMC, Adam, Network, Posterior, interpolate

SMALL: dict[str, Any] = {
    "network": Network(width=8, depth=2),
    "start": Adam(steps=300),
    "sampler": MCLMC(draws=60, thin=5, burn=10, rungs=3, rung_transitions=200),
    "chains": 2,
}


def wave(times: int = 21, noise: float = 0.05) -> Readings:
    """A travelling wave seen by six sensors."""
    rng = np.random.default_rng(3)
    time, space = np.meshgrid(np.linspace(0, 4, times), np.linspace(-2, 2, 6), indexing="ij")
    values = 3 + np.sin(space - 0.5 * time) + noise * rng.standard_normal(time.shape)
    return Readings.from_arrays(time.ravel(), space.ravel(), values.ravel())


@pytest.fixture(scope="session")
def readings() -> Readings:
    return wave()


@pytest.fixture(scope="session")
def posterior(readings: Readings) -> Posterior:
    """By one worker: two would compile the same at the same time."""
    return interpolate(readings, **SMALL, workers=1)


def two_fields(number: int = 60, noise: float = 0.3, seed: int = 0) -> Readings:
    """Two fields linear in t, x, y, z, and noise: a network without hidden layers is the true model."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-1, 1, (number, 4))
    values = points @ rng.standard_normal((4, 2)) + [5.0, -1.0] + noise * rng.standard_normal((number, 2))
    return Readings.from_arrays(points[:, 0], points[:, 1:], values)
