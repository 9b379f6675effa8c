"""The methods that are compared: the adapter of each, the environment it runs in, and what was tried for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from peers.rows import ROWS, SEEDS, Row

ADAPTERS = Path(__file__).parent / "adapters"


@dataclass(frozen=True)
class Method:
    """title: in tables. adapter: a file of ``adapters/``. environment: a folder that ``set_up.sh`` makes; empty for the
    Python that runs the benchmark. tried: for the page, sentences. rows: those that are run unless others are asked
    for. own: whether it is pdescry, beside which the others are shown."""

    title: str
    adapter: str
    environment: str
    tried: str
    rows: tuple[str, ...] = tuple(ROWS)
    own: bool = False

    @property
    def script(self) -> Path:
        return ADAPTERS / self.adapter

    def python(self, environments: Path, here: str) -> str:
        return str(environments / self.environment / "bin" / "python") if self.environment else here


_FEW = ("burgers-16-0.05", "burgers-64-0.05", "advection_diffusion-16-0.05", "heat-16-0.05", "noise", "D5")
_GRIDS = (
    "It needs a regular grid. Readings of scattered sensors were interpolated by a Gaussian process, whose lengths and "
    "noise maximise the marginal likelihood, and by cubic splines (one axis). The grids have 100 times × 256 places, "
    "and in the plane 32 × 24 × 24. Full grids were given as read, and smoothed by the Gaussian process."
)
METHODS: Mapping[str, Method] = {
    "pdescry": Method(
        "pdescry",
        "pdescry_default.py",
        "",
        "`pdescry.discover(readings)` at default settings, with its own default candidates (more than the peers have).",
        own=True,
    ),
    "pdescry-paper": Method(
        "pdescry, paper",
        "pdescry_paper.py",
        "",
        '`pdescry.discover(readings, preset="paper")`: network, sampler, regression and candidates of the paper. '
        "It takes a quarter of an hour, so few rows were run.",
        rows=("burgers-16-0.05",),
        own=True,
    ),
    "pysindy": Method(
        "PySINDy, PDE library",
        "pysindy_pde.py",
        "pysindy",
        f"PySINDy 2.1.0, `PDELibrary` with finite differences and `STLSQ`. {_GRIDS} Thresholds: its default 0.1 and 20 "
        "from 0.002 to 1.5, and 12 for columns of unit norm; with and without products with derivatives.",
    ),
    "pysindy-weak": Method(
        "PySINDy, weak form",
        "pysindy_weak.py",
        "pysindy",
        "PySINDy 2.1.0, `WeakPDELibrary` with 400 random subdomains of 10 % (its default), 25 % and 40 % of each side, "
        "on the same grids, and `STLSQ` with the same thresholds and libraries.",
    ),
    "pde-find": Method(
        "PDE-FIND",
        "pde_find.py",
        "",
        "Written here from the algorithms of its paper: finite differences and locally fitted polynomials, on the same "
        "grids; its own search for a threshold (the default), and 16 thresholds.",
    ),
    "deepymod": Method(
        "DeePyMoD",
        "deepymod_network.py",
        "deepymod",
        "DeePyMoD 2.2.0 with torch 2.13.0 on one core, from the readings as they are: four layers of 30 neurons, "
        "10,000 iterations (its examples have up to 100,000). Terms are dropped when the test error rises, with "
        "threshold 0.1 (the default), or every 50 iterations from the 4,000th on, with thresholds 0.1 and 0.05. "
        "It takes minutes, so few rows were run.",
        rows=_FEW,
    ),
}


def tasks(methods: list[str], rows: list[str] | None, seeds: int) -> list[tuple[Row, str, int]]:
    """Seed by seed, so that what is there early covers all rows; rows that are asked for are run whatever a method's
    own are. seeds: how many of each row."""
    return [
        (row, method, row.seeds[number])
        for number in range(min(seeds, len(SEEDS)))
        for method in methods
        for name, row in ROWS.items()
        if name in (METHODS[method].rows if rows is None else rows)
    ]
