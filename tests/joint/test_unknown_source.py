"""Sources that a law lacks are seen, what they vary with and how large they are; and none where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry import Readings
from pdescry.joint import refine
from pdescry.joint.fit.unknown_source import unknown_source

DIFFUSION, FREQUENCY = 0.1, 4.0


def heated(uniform: float = 0.0, uneven: float = 0.0) -> tuple[Readings, float]:
    """u_t = 0.1 u_xx + (a + b cos(2x)) sin(4t), in closed form, with 2 % noise; the rms of both sources as shares of
    that of u_t without them, which is the other answer."""
    random = np.random.default_rng(3)
    x, t = np.sort(random.uniform(0, np.pi, 12)), np.linspace(0, 4, 50)[:, None]
    modes = [(k, size, np.exp(-DIFFUSION * k**2 * t)) for k, size in ((1, 1.0), (2, 0.6), (3, -0.4))]
    u = np.sum([size * np.cos(k * x) * decay for k, size, decay in modes], axis=0)
    rate = np.sum([-DIFFUSION * k**2 * size * np.cos(k * x) * decay for k, size, decay in modes], axis=0)
    rms = float(np.sqrt(np.mean(rate**2)))
    for k, size in ((0, np.sqrt(2) * rms * uniform), (2, 2 * rms * uneven)):
        decay = DIFFUSION * k**2
        follows = decay * np.sin(FREQUENCY * t) - FREQUENCY * (np.cos(FREQUENCY * t) - np.exp(-decay * t))
        u += size * np.cos(k * x) * follows / (decay**2 + FREQUENCY**2)
    return Readings.from_grid(t[:, 0], x, u + 0.02 * u.std() * random.standard_normal(u.shape)), rms


def test_without_a_source_none_is_seen() -> None:
    fit = refine(heated()[0], "u_t = u_xx", workers=1)
    assert unknown_source(fit.minimum) is None
    assert "unknown-source" not in [note.code for note in fit.notes]


@pytest.mark.parametrize(
    ("shares", "varies"), [((0.3, 0.0), ("t",)), ((0.0, 0.6), ("x", "t"))], ids=["uniform", "uneven"]
)
def test_a_source_is_seen_and_told(shares: tuple[float, float], varies: tuple[str, ...]) -> None:
    readings, rms = heated(*shares)
    fit = refine(readings, "u_t = u_xx", workers=1)
    source = unknown_source(fit.minimum)
    assert source is not None
    assert source.varies == varies
    assert source.rms == pytest.approx(max(shares) * rms, rel=0.35)  # errors that last take up a part of it
    (note,) = (note for note in fit.notes if note.code == "unknown-source")
    assert note.parameters["along"] == varies
