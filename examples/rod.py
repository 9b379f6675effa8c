"""Writes rod.csv: a made-up brass rod, as a real logger would have recorded it.

The law is u_t = 0.34*u_xx - 0.0012*(u - 21): cm, seconds and °C; heat spreads along the rod and is lost to a room of
21 °C. Ten thermometers, each off by a constant of its own (0.4 °C), with noise (0.15 °C), and gaps.
"""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import numpy as np

import pdescry

LAW = "u_t = 0.34*u_xx - 0.0012*u + 0.0252"
PLACES = (1.5, 4.0, 7.5, 11.0, 15.0, 19.5, 24.0, 29.0, 34.0, 38.5)  # cm
BEGUN = datetime.datetime(2024, 3, 12, 14, 5)
EVERY, LAST = 10, 1200  # s
OFFSET, NOISE = 0.4, 0.15  # °C
HEAD = "Brass rod 40 cm, heated by a torch, then left alone\nLogger: 10 channels, type K\n"


def table(seed: int = 7) -> str:
    times = np.arange(0, LAST + EVERY, EVERY, dtype=float)
    field = pdescry.simulate(
        LAW,
        domain=(0, 40),
        times=times,
        initial="21 + 48*exp(-((x - 9)^2)/30) + 17*exp(-((x - 29)^2)/18)",
        boundary="neumann",
    ).require_ok()
    random = np.random.default_rng(seed)
    values = np.stack([field.at(t, np.array(PLACES)) for t in times])
    values += OFFSET * random.standard_normal(len(PLACES)) + NOISE * random.standard_normal(values.shape)
    values[random.uniform(size=values.shape) < 0.02] = np.nan  # single readings that got lost
    values[40:58, 6] = np.nan  # a loose plug, three minutes long
    rows = []
    for t, row in zip(times, values, strict=True):
        if 700 < t < 800:
            continue  # the logger was moved
        cells = ["" if np.isnan(value) else f"{value:.2f}" for value in row]
        rows.append(";".join([str(BEGUN + datetime.timedelta(seconds=t)), *cells]))
    header = ";".join(["time", *(f"{place} cm" for place in PLACES)])
    units = ";".join(["", *["°C"] * len(PLACES)])
    return HEAD + "\n".join([header, units, *rows]) + "\n"


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("rod.csv")).write_text(table(), "utf-8")
