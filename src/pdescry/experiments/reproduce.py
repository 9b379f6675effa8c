"""`reproduce`: the paper's cells, computed again or found on disk, and everything that is made of them."""

from __future__ import annotations

import operator
import shutil
import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from pdescry.checks import check_workers
from pdescry.cores import n_cores
from pdescry.data import systems
from pdescry.derivatives import differentiate
from pdescry.errors import InputError
from pdescry.experiments.cell import Cell, check_same_readings, measure, read_record, write_record
from pdescry.experiments.document import write_document
from pdescry.experiments.figures import draw_figures
from pdescry.experiments.jobs import run_jobs
from pdescry.experiments.paper import EXPERIMENTS, NOISES
from pdescry.experiments.records import Record, read_records
from pdescry.experiments.tables import Table, make_tables, write_tables
from pdescry.files import made_folder
from pdescry.notices import Notice, NoticeWarning
from pdescry.progress import Progress
from pdescry.regression import STBLR
from pdescry.surrogate import HMC, PAPER_DNN, Adam
from pdescry.two_stage import Regressed


@dataclass(frozen=True)
class Scale:
    """How much work a cell is: the network's training, draws of the chain, and points of the derivatives."""

    start: Adam
    draws: int
    burn: int
    points: int


SCALES = {
    "full": Scale(PAPER_DNN, draws=5800, burn=200, points=10_000),  # the released program's
    "quick": Scale(replace(PAPER_DNN, steps=3000, learning_rate=1e-3), draws=380, burn=20, points=2000),
}


@dataclass(frozen=True)
class Reproduction:
    """What was asked for (names, noises, source), every record of that scale in the folder, and why cells failed."""

    folder: Path
    scale: str
    names: tuple[str, ...]
    noises: tuple[float, ...]
    source: str
    records: tuple[Record, ...]
    failures: dict[str, str]  # by the name of the cell

    @property
    def tables(self) -> tuple[Table, ...]:
        """Those that were asked for."""
        return make_tables(self.records, self.scale, self.names, self.noises, (self.source,))

    def write_tables(self) -> list[Path]:
        """All tables of all records in the folder, as Markdown and CSV."""
        return write_tables(make_tables(self.records, self.scale), self.folder / "tables")

    def draw_figures(self) -> list[Path]:
        """The figures of what was asked for, as PNG."""
        asked = (self.names, self.noises, (self.source,))
        wanted = [
            r
            for r in self.records
            if all(part in of for part, of in zip((r.cell.system, r.cell.noise, r.cell.source), asked, strict=True))
        ]
        drawn = [record for record in wanted if record.has_fields]
        if len(drawn) < len(wanted):
            notice = Notice.of("cells-without-fields", lacking=len(wanted) - len(drawn), wanted=len(wanted))
            warnings.warn(NoticeWarning(notice), stacklevel=2)
        return draw_figures(drawn, self.folder / "figures") if drawn else []

    def write_document(self, path: Path) -> None:
        """Tables of all records in the folder, and what they say."""
        write_document(self.records, self.scale, path)


def reproduce(
    names: str | Iterable[str] = tuple(EXPERIMENTS),
    *,
    noises: Iterable[float] = NOISES,
    seeds: int | Sequence[int] = 1,
    scale: str = "full",
    readings: Path | None = None,
    output: Path,
    workers: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Bonneville & Earls 2021 again: BNN + STBLR beside DNN + STOLS, for every system, noise and seed asked for.

    seeds: how many (0, 1, …), or which. scale: ``"full"`` as in the paper, minutes a cell and core; ``"quick"`` for a
    trial. readings: folder with the paper's own; without it, they are generated. Finished cells are kept in ``output``,
    and a repeated call goes on where an interrupted one stopped. Cells run over ``workers`` processes, one per core
    by default, or on an ``executor`` as in `pdescry.sweep`, whose workers share the disk.
    """
    names = _checked_names(names)
    noises = _checked_noises(noises)
    if scale not in SCALES:
        raise InputError(f"Expected scale to be one of {', '.join(SCALES)}; got {scale!r}.")
    workers = check_workers(workers)
    source = "generated" if readings is None else "paper"
    cells = [Cell(name, noise, seed, source) for seed in _checked_seeds(seeds) for noise in noises for name in names]
    data = {cell: cell.readings(readings) for cell in cells}  # what is missing is reported before any work
    folder = made_folder(Path(output) / scale)
    read_records(folder)  # a damaged one is reported before any work, too
    jobs = {}
    for cell in cells:
        place = folder / cell.name
        if (record := read_record(place)) is None:
            jobs[cell.name] = Job(cell, scale, place, readings)
        else:
            check_same_readings(place, record, data[cell])
            shutil.rmtree(place / "run", ignore_errors=True)  # of a call that was interrupted just then
    failures = run_jobs(make_cell, jobs, workers or n_cores(), progress or _silent, executor) if jobs else {}
    return Reproduction(folder, scale, names, noises, source, read_records(folder), failures)


@dataclass(frozen=True)
class Job:
    """A cell to make: its scale, the folder of its record, and the paper's readings if those are used."""

    cell: Cell
    scale: str
    folder: Path
    readings: Path | None


def make_cell(job: Job, workers: int | None, progress: Progress) -> None:
    """From readings to the record on disk. Meanwhile the chain's checkpoints are in ``run``, some 250 MB."""
    from pdescry.discovery import discover

    cell, scale, run = job.cell, SCALES[job.scale], job.folder / "run"
    experiment, system = cell.experiment, systems.get(cell.system)
    began = time.monotonic()
    made_folder(job.folder)
    law = discover(
        cell.readings(job.readings),
        "paper",
        preset="paper",
        seed=cell.seed,
        sampler=HMC(step_size=experiment.step_size, steps=30, draws=scale.draws, burn=scale.burn),
        start=scale.start,
        method=STBLR(experiment.threshold),
        points=scale.points,
        within={"t": (0.0, float(system.until)), "x": (float(system.domain[0]), float(system.domain[1]))},
        workers=workers,
        workdir=run,
        figures=False,
        progress=lambda stage, fraction, _: progress(stage, _overall(stage, fraction), None),
    )
    progress("measuring", sum(SHARES.values()), None)
    found_by = cast(Regressed, law.inference)  # as the preset "paper" has it
    (fit,), derivatives, posterior = found_by.fits, found_by.derivatives, found_by.posterior
    assert derivatives is not None
    baseline = differentiate(posterior.start, "paper", points=derivatives.points, workers=workers)
    found = time.monotonic()
    about = {"scale": job.scale, "seconds": {"discovery": found - began}}
    numbers, fields = measure(cell, posterior, derivatives, fit, baseline, about)
    numbers["seconds"]["measuring"] = time.monotonic() - found
    write_record(job.folder, numbers, fields)
    shutil.rmtree(run, ignore_errors=True)


# Of a cell's work, by stage of the discovery; the rest is measuring, which solves stiff laws.
SHARES = {"field": 0.5, "derivatives": 0.25, "law": 0.05}


def _overall(stage: str, fraction: float) -> float:
    """Of the cell, from the fraction of a stage such as "field: sampling"."""
    name = stage.partition(":")[0]
    before = 0.0
    for known, share in SHARES.items():
        if known == name:
            return before + share * fraction
        before += share
    return 0.0  # a stage that takes no time worth reporting


def _silent(stage: str, fraction: float, seconds_left: float | None) -> None:
    pass


def _checked_names(names: str | Iterable[str]) -> tuple[str, ...]:
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names:
        if name not in EXPERIMENTS:
            raise InputError(f"Expected systems of the paper: {', '.join(EXPERIMENTS)}; got {name!r}.")
    return tuple(name for name in EXPERIMENTS if name in names)


def _checked_noises(noises: Iterable[float]) -> tuple[float, ...]:
    noises = tuple(noises)
    for noise in noises:
        if noise not in NOISES:
            raise InputError(f"Expected noise as in the paper: {', '.join(f'{n:g}' for n in NOISES)}; got {noise:g}.")
    return tuple(noise for noise in NOISES if noise in noises)


def _checked_seeds(seeds: int | Sequence[int]) -> list[int]:
    try:
        which = list(range(seeds)) if isinstance(seeds, int) else sorted({operator.index(seed) for seed in seeds})
    except TypeError:
        which = []
    if not which or which[0] < 0:
        raise InputError(f"Expected at least one seed, from 0 on: a number of them or a list; got {seeds!r}.")
    return which
