"""Records of finished cells, found again: what tables, figures and the document are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pdescry.data import systems
from pdescry.errors import InputError
from pdescry.experiments.cell import FORMAT, Cell, read_record
from pdescry.experiments.paper import EXPERIMENTS
from pdescry.files import saved_dataset

METHODS = ("STBLR", "STOLS")
INDEXING_BUG = "STOLS with the indexing bug"
SOURCES = {"paper": "the paper's readings", "generated": "generated readings"}


@dataclass(frozen=True)
class Law:
    """A discovered law, and how near it came. What could not be solved has e_L None, and a status that says why."""

    coefficients: dict[str, float]
    e_C: float
    e_L: float | None
    e_L_per_point: float | None
    status: str
    right: bool  # exactly the true terms


@dataclass(frozen=True)
class Record:
    """One finished cell: which, its numbers, and the folder with its fields."""

    cell: Cell
    numbers: dict[str, Any]
    folder: Path

    @cached_property
    def laws(self) -> dict[str, Law]:
        """By method: STBLR on the BNN's derivatives, STOLS on the DNN's, and for heat STOLS with the indexing bug."""
        return {
            name: Law(
                law["coefficients"],
                law["e_C"],
                law["e_L"],
                law["e_L_per_point"],
                law["status"],
                law["true_positive_rate"] == 1,
            )
            for name, law in self.numbers["laws"].items()
        }

    @property
    def has_fields(self) -> bool:
        """Not so if only the numbers were kept."""
        return (self.folder / "fields.nc").exists()

    def fields(self) -> xr.Dataset:
        return saved_dataset(self.folder / "fields.nc", FORMAT, "fields of a cell")


def read_records(folder: Path) -> tuple[Record, ...]:
    """All that are finished, in the order of the paper and then of the seeds."""
    records = [_read(path.parent) for path in folder.glob("*/cell.json")]
    order = list(EXPERIMENTS)
    return tuple(sorted(records, key=lambda r: (r.cell.source, order.index(r.cell.system), r.cell.noise, r.cell.seed)))


def _read(folder: Path) -> Record:
    numbers = read_record(folder) or {}
    try:
        record = Record(Cell(**numbers["cell"]), numbers, folder)
        if set(METHODS) <= record.laws.keys() and record.cell.source in SOURCES and record.cell.system in EXPERIMENTS:
            return record
    except (KeyError, TypeError):
        pass
    raise InputError(f"Expected a cell that pdescry wrote in {str(folder)!r}; it is damaged; remove that folder.")


def of_cell(records: Iterable[Record], system: str, noise: float, source: str) -> tuple[Record, ...]:
    """The runs of one cell, one for each seed."""
    wanted = (system, noise, source)
    return tuple(r for r in records if (r.cell.system, r.cell.noise, r.cell.source) == wanted)


def true_coefficients(system: str) -> dict[str, float]:
    return {str(term): value for term, value in systems.get(system).equation.components[0].terms}


def median(values: Iterable[float]) -> float:
    return float(np.median(list(values)))
