"""Posteriors without sampling: draws from the prior are draws of a field as good as any other to differentiate."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry import Readings
from pdescry.surrogate import MCLMC, Adam, Network, Noise, Posterior, Prior
from pdescry.surrogate.chain import Plan, Trace
from pdescry.surrogate.model import build
from pdescry.surrogate.scaling import Scaling


def readings_of(axes: int = 1, fields: int = 1, number: int = 80, seed: int = 0) -> Readings:
    rng = np.random.default_rng(seed)
    time, space = rng.uniform(0, 4, number), rng.uniform(-3, 5, (number, axes))
    values = [10.0, -3.0][:fields] + [2.0, 0.3][:fields] * rng.standard_normal((number, fields))
    return Readings.from_arrays(time, space, values)


def posterior_of(readings: Readings, draws: int = 70, network: Network | None = None, seed: int = 0) -> Posterior:
    scaling = Scaling.of(readings)
    model, _ = build(readings, network or Network(width=7, depth=2), Prior(), Noise(), scaling)
    positions = np.random.default_rng(seed).standard_normal((1, draws, model.dimension)).astype(np.float32)
    trace = Trace(*(np.zeros((1, draws)) for _ in Trace._fields))
    return Posterior(readings, Plan(model, Adam(), MCLMC()), scaling, positions[:, 0], positions, trace)


@pytest.fixture(scope="module")
def posterior() -> Posterior:
    return posterior_of(readings_of())
