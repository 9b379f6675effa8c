"""Readings of known fields, and a posterior that knows them but for a smooth error: sampling one takes minutes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pdescry import Choice, JointFit, Posterior, Readings, Solution, Term, refine, systems
from pdescry.joint import Comparison


@dataclass(frozen=True)
class Guess:
    """What `refine` asks of a posterior: the truth, blurred, with a guess of the noise that is twice too large."""

    readings: Readings
    truth: Solution
    origin: tuple[float, float, float] = (1.0, 1.0, 1.0)  # units of t, x, u
    noise: float = 0.1

    def at_most(self, number: int) -> Guess:
        return self

    def predict(self, t: np.ndarray, x: np.ndarray) -> xr.Dataset:
        units_t, units_x, units_u = self.origin
        times, places = np.asarray(t) / units_t, np.asarray(x) / units_x
        field = self.truth.at(times[:, None], places[None, :]) * units_u
        phase = 2 * np.pi * (places - places[0]) / np.ptp(self.readings.space) * units_x
        wrong = field + 0.05 * field.std() * np.sin(phase) * np.cos(times)[:, None]
        dims = ("t", "x")
        sd = np.full_like(field, 0.1 * field.std())
        return xr.Dataset({"u": (dims, wrong), "u_sd": (dims, sd)}, {"t": t, "x": x})

    def noise_of_readings(self, rows: np.ndarray) -> np.ndarray:
        return np.full((1, 1, len(rows)), self.noise * self.origin[2])


def guess(name: str, noise: float = 0.05, seed: int = 0, sensors: int = 16, **more: Any) -> Posterior:
    system = systems.get(name)
    readings = system.observe(sensors=sensors, noise=noise, seed=seed, **more)
    return cast(Posterior, Guess(readings, system.solution))


@pytest.fixture(scope="session")
def heat() -> Posterior:
    return guess("heat")


@pytest.fixture(scope="session")
def fitted(heat: Posterior) -> JointFit:
    return refine(heat, "u_t = u_xx")


@pytest.fixture(scope="session")
def shared(heat: Posterior) -> JointFit:
    """One law of two experiments, the second with fewer sensors elsewhere."""
    return refine([heat, guess("heat", seed=5, sensors=8)], "u_t = u_xx")


def compared(fit: JointFit, reason: str = "") -> Choice:
    """A choice of u_xx from two candidates, as `choose` would make it in many seconds."""
    alternatives = pd.DataFrame(
        {
            "terms": ["u_xx", "u_xx, u_x"],
            "law": [str(fit), "u_t = 1.99(3)*u_xx + 0.01(2)*u_x"],
            "score": [fit.log_score, fit.log_score + 1.5],
            "worth": [0.0, -0.85],
            "probability": [0.7, 0.3],
        }
    )
    probabilities = pd.Series([1.0, 0.3], ["u_xx", "u_x"], name="probability")
    comparison = Comparison(alternatives, probabilities, fit.held_out, {"constant": -1000.0, "smooth": 90.5}, reason)
    return Choice(fit, (Term.parse("u_xx"), Term.parse("u_x")), comparison)
