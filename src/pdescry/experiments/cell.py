"""One cell of the paper: one system, one noise level, one seed, from readings to a record on disk.

A record is a folder:

    cell.json        every number of the tables
    fields.nc        what the figures draw: truth, network mean and sd, DNN, both learned solutions, slices, readings
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pdescry.data import Readings, read, systems
from pdescry.derivatives import Derivatives
from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.experiments.indexing_bug import stols_with_the_indexing_bug
from pdescry.experiments.paper import EXPERIMENTS, Experiment
from pdescry.files import made_folder, plain, write_dataset, write_json
from pdescry.metrics import coefficient_error, score_field, solution_error, true_positive_rate
from pdescry.regression import STOLS, DesignMatrix, SparseFit, regress
from pdescry.solver import Solution, simulate
from pdescry.surrogate import Posterior

FORMAT = "pdescry cell 2"
# Times and places of the figures.
GRID = (61, 121)


@dataclass(frozen=True)
class Cell:
    """Which one. source: "generated" (sensors, noise and chain from ``seed``) or "paper" (the paper's own readings, and
    only the chain from ``seed``)."""

    system: str
    noise: float
    seed: int
    source: str = "generated"

    @property
    def experiment(self) -> Experiment:
        return EXPERIMENTS[self.system]

    @property
    def name(self) -> str:
        return f"{self.source}-{self.system}-noise{self.noise:.2f}-seed{self.seed}"

    def readings(self, folder: Path | None = None) -> Readings:
        """As in the paper: 16 random sensors, read every fiftieth of the time; or the paper's own, from ``folder``."""
        if self.source == "generated":
            system = systems.get(self.system)
            times = system.until / 50 * np.arange(self.experiment.moments)
            return system.observe(noise=self.noise, seed=self.seed, times=times)
        path = Path(folder or ".") / f"{self.system}_noise{self.noise:.2f}_sensors.npz"
        if not path.is_file():
            raise InputError(
                f"Expected the paper's readings as {str(path)!r}; there is no such file; name their folder with "
                "--readings, or leave that out for generated ones."
            )
        return read(path, time="t", space="x", fields="u")


def measure(
    cell: Cell, posterior: Posterior, derivatives: Derivatives, fit: SparseFit, baseline: Derivatives, about: Mapping
) -> tuple[dict[str, Any], xr.Dataset]:
    """The numbers of a cell, and the fields to draw: BNN + STBLR beside DNN + STOLS.

    posterior: the BNN, whose start is the DNN. fit: STBLR on its derivatives; baseline: the DNN's at the same points.
    """
    experiment, system = cell.experiment, systems.get(cell.system)
    dnn = posterior.start
    design = DesignMatrix.of(baseline)
    baseline_fit = regress(design, STOLS(experiment.threshold))
    laws = {"STBLR": _law(fit), "STOLS": _law(baseline_fit)}
    if cell.system == "heat":
        laws["STOLS with the indexing bug"] = stols_with_the_indexing_bug(design, experiment.threshold)
    solutions = {name: _solve(law, system, experiment) for name, law in laws.items()}
    truth = _solve(system.equation, system, experiment)
    truth.require_ok()
    numbers = {
        "format": FORMAT,
        "cell": asdict(cell),
        **about,
        "readings": len(posterior.readings),
        "fingerprint": fingerprint(posterior.readings),
        "draws": posterior.n_draws,
        "points": len(derivatives.points),
        "field": {
            "BNN": asdict(score_field(posterior, system.solution, cell.seed)),
            "DNN": asdict(score_field(dnn, system.solution, cell.seed)),
        },
        "laws": {name: _judge(law, solutions[name], system.equation, truth) for name, law in laws.items()},
        "chain": {
            "verdict": str(posterior.diagnostics.verdict),
            "mixed": posterior.diagnostics.mixed,
            "drifting": any(each.code == "drifting" for each in posterior.diagnostics.faults),
            "acceptance": posterior.diagnostics.acceptance,
            "log_density": [float(value) for value in posterior.trace.log_density[0][[0, -1]]],
        },
        "intervals": _intervals(fit),
    }
    return plain(numbers), _fields(cell, posterior, dnn, solutions)


def fingerprint(readings: Readings) -> str:
    """The same for the same readings, and only for these; to six decimals, because another machine's last bits differ
    in generated ones."""
    parts = (np.round(part, 6) + 0.0 for part in (readings.time, readings.space, readings.values))  # no -0
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]


def _law(fit: SparseFit) -> Equation:
    """u_t = 0 if every term was dropped: the field stays as it began."""
    return fit.equation if fit.support.any() else Equation.from_terms({}, fit.field)


def _solve(law: Equation, system: systems.System, experiment: Experiment) -> Solution:
    """On the grid over which the paper sums e_L."""
    places, times = experiment.grid
    return simulate(
        law,
        domain=system.domain,
        initial=system.initial,
        boundary=system.boundary,
        times=np.linspace(0, system.until, times),
        x=np.linspace(*system.domain, places),
        max_seconds=math.inf,  # the result must not depend on machine load
    )


def _judge(law: Equation, solution: Solution, truth: Equation, true: Solution) -> dict[str, Any]:
    error = solution_error(solution.field, true.field)
    return {
        "coefficients": {str(term): value for term, value in law.components[0].terms},
        "e_C": coefficient_error(law, truth),
        "e_L": error.total,
        "e_L_per_point": error.per_point,
        "e_L_per_point_until": error.per_point_until,
        "until": error.until,
        "status": solution.status,
        "true_positive_rate": true_positive_rate(law, truth),
    }


def _intervals(fit: SparseFit) -> dict[str, Any]:
    """Of the kept terms: formal sd, and the honest one where there are draws."""
    kept = fit.table[fit.table["kept"]]
    return {
        str(row["term"]): {name: row[name] for name in ("coefficient", "formal_sd", "honest_sd", "low", "high")}
        for _, row in kept.iterrows()
    }


def _fields(cell: Cell, posterior: Posterior, dnn: Posterior, solutions: Mapping[str, Solution]) -> xr.Dataset:
    system, slices = systems.get(cell.system), np.array(cell.experiment.slices)
    t, x = np.linspace(0, system.until, GRID[0]), np.linspace(*system.domain, GRID[1])
    mean, fit = posterior.predict(t, x), dnn.predict(t, x)
    band, line = posterior.predict(slices, x), dnn.predict(slices, x)
    grid, cut, readings = ("t", "x"), ("slice", "x"), posterior.readings
    variables: dict[str, Any] = {
        "truth": (grid, system.solution.at(t[:, None], x[None, :])),
        "bnn_mean": (grid, mean["u"].values),
        "bnn_sd": (grid, mean["u_sd"].values),
        "dnn": (grid, fit["u"].values),
        "slice_truth": (cut, system.solution.at(slices[:, None], x[None, :])),
        "slice_bnn": (cut, band["u"].values),
        "slice_low": (cut, band["u_low"].values),
        "slice_high": (cut, band["u_high"].values),
        "slice_dnn": (cut, line["u"].values),
        "reading_t": ("reading", readings.time),
        "reading_x": ("reading", readings.space[:, 0]),
        "reading_u": ("reading", readings.values[:, 0]),
    }
    for name in ("STBLR", "STOLS"):
        variables[f"learned_{name.lower()}"] = (grid, solutions[name].at(t[:, None], x[None, :]))
    return xr.Dataset(variables, {"t": t, "x": x, "slice": slices}, {"format": FORMAT})


# ---- on disk ---------------------------------------------------------------------------------------------------------


def write_record(folder: Path, numbers: Mapping[str, Any], fields: xr.Dataset) -> None:
    """``cell.json`` last: where it exists, the cell is finished."""
    made_folder(folder)
    compressed = {str(name): {"zlib": True, "dtype": "float32"} for name in fields.data_vars}
    write_dataset(folder / "fields.nc", fields, compressed)
    write_json(folder / "cell.json", numbers)


def check_same_readings(folder: Path, numbers: Mapping[str, Any], readings: Readings) -> None:
    """A record of other readings is none of this cell."""
    own = {"readings": len(readings), "fingerprint": fingerprint(readings)}
    if any(numbers.get(name, value) != value for name, value in own.items()):  # the first versions had no fingerprint
        raise InputError(
            f"Expected {str(folder)!r} to be of the same readings; it is of others; choose another --output, or remove "
            "that folder."
        )


def read_record(folder: Path) -> dict[str, Any] | None:
    """The numbers of a finished cell; None if it is not finished."""
    path = folder / "cell.json"
    if not path.is_file():
        return None
    try:
        numbers = json.loads(path.read_text())
    except (OSError, ValueError):
        numbers = {}
    if not isinstance(numbers, dict) or numbers.get("format") != FORMAT:
        raise InputError(f"Expected {str(path)!r} to be a cell that pdescry wrote; it is none; remove it.")
    return numbers
