"""Records without runs: numbers as a cell has them, made up so that what is made of them can be worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from pdescry.data import systems
from pdescry.experiments.cell import FORMAT, Cell, write_record
from pdescry.experiments.records import Record, true_coefficients


def law(coefficients: dict[str, float], truth: dict[str, float], e_L: float | None, points: int, status: str) -> dict:
    terms = coefficients.keys() | truth.keys()
    away = sum((coefficients.get(term, 0.0) - truth.get(term, 0.0)) ** 2 for term in terms) ** 0.5
    return {
        "coefficients": coefficients,
        "e_C": away,
        "e_L": e_L,
        "e_L_per_point": None if e_L is None else e_L / points**0.5,
        "e_L_per_point_until": None,
        "until": None,
        "status": status,
        "true_positive_rate": len(coefficients.keys() & truth.keys()) / len(terms),
    }


def numbers_of(cell: Cell, scale: str = "full", mixed: bool = False, **laws: Any) -> dict[str, Any]:
    """STBLR= and STOLS= are coefficients, the truth unless told; STBLR_status= is why a law could not be solved."""
    truth = true_coefficients(cell.system)
    places, times = cell.experiment.grid
    names = {"STBLR": "STBLR", "STOLS": "STOLS"} | (
        {"bug": "STOLS with the indexing bug"} if cell.system == "heat" else {}
    )
    judged = {}
    for short, name in names.items():
        status = laws.get(f"{short}_status", "ok")
        e_L = laws.get(f"{short}_e_L", 2.0) if status == "ok" else None
        judged[name] = law(laws.get(short, truth), truth, e_L, places * times, status)
    field = {"rmse": 0.1, "rmse_inside": 0.1, "coverage": 0.9, "coverage_inside": 0.9}
    return {
        "format": FORMAT,
        "cell": asdict(cell),
        "scale": scale,
        "seconds": {"chain": 90.0, "derivatives": 30.0, "measuring": 1e6},
        "readings": 16 * cell.experiment.moments,
        "draws": 5800,
        "points": 10_000,
        "field": {"BNN": {**field, "rmse": 0.2}, "DNN": field},
        "laws": judged,
        "chain": {
            "verdict": "mixed: R-hat at most 1.01." if mixed else "not mixed: log p still drifts (-6 sd).",
            "mixed": mixed,
            "drifting": not mixed,
            "acceptance": 0.9,
            "log_density": [-500.0, -3700.0],
        },
        "intervals": {
            term: {"coefficient": value, "formal_sd": 1e-3, "honest_sd": 0.1, "low": value - 0.2, "high": value + 0.2}
            for term, value in judged["STBLR"]["coefficients"].items()
        },
    }


def fields_of(cell: Cell, unsolved_after: int | None = None) -> xr.Dataset:
    """A small grid. unsolved_after: from which time on STOLS is unknown."""
    system = systems.get(cell.system)
    t, x = np.linspace(0, system.until, 11), np.linspace(*system.domain, 21)
    slices = np.array(cell.experiment.slices)
    truth, cut = np.cos(t[:, None] + x[None, :]), np.cos(slices[:, None] + x[None, :])
    learned = truth + 0.1
    if unsolved_after is not None:
        learned[unsolved_after:] = np.nan
    random = np.random.default_rng(cell.seed)
    reading_t, reading_x = (
        np.repeat(np.arange(0.0, system.until, 0.5), 8),
        np.tile(random.uniform(*system.domain, 8), 20),
    )
    reading_t = reading_t[: len(reading_x)]
    grid, across = ("t", "x"), ("slice", "x")
    parts: dict[str, Any] = {
        **{name: (grid, truth + k / 50) for k, name in enumerate(("truth", "bnn_mean", "dnn", "learned_stblr"))},
        "bnn_sd": (grid, 0.1 + 0 * truth),
        "learned_stols": (grid, learned),
        **dict.fromkeys(("slice_truth", "slice_bnn", "slice_dnn"), (across, cut)),
        "slice_low": (across, cut - 0.2),
        "slice_high": (across, cut + 0.2),
        "reading_t": ("reading", reading_t),
        "reading_x": ("reading", reading_x[: len(reading_t)]),
        "reading_u": ("reading", np.cos(reading_t + reading_x[: len(reading_t)])),
    }
    return xr.Dataset(parts, {"t": t, "x": x, "slice": slices}, {"format": FORMAT})


Make = Callable[..., Record]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "out" / "full"


@pytest.fixture
def make(folder: Path) -> Make:
    """Write a record into the folder: make("heat", 0.05, seed=1, STBLR={"u_xx": 1.9})."""

    def write(
        system: str,
        noise: float,
        seed: int = 0,
        source: str = "generated",
        unsolved_after: int | None = None,
        **about: Any,
    ) -> Record:
        cell = Cell(system, noise, seed, source)
        numbers = numbers_of(cell, **about)
        place = folder.parent / numbers["scale"] / cell.name
        write_record(place, numbers, fields_of(cell, unsolved_after))
        return Record(cell, numbers, place)

    return write
