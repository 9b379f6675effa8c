"""Records → tables 1 to 9 of the paper, with the published number beside ours in every cell.

    records ─ make_tables ─▶ Table ─▶ layout (for a terminal), to_markdown, write_csv

Of several seeds "ours" is the median, with the lowest and the highest. A law that cannot be solved is farther away than
any that can: where half of them cannot, there is no median, and the known values are in brackets.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pdescry.experiments.markdown import lay_out
from pdescry.experiments.paper import EXPERIMENTS, NOISES, TERMS, Experiment, Published
from pdescry.experiments.records import INDEXING_BUG, METHODS, SOURCES, Law, Record, median, of_cell, true_coefficients
from pdescry.files import appearing, made_folder

NOTHING = "–"
QUICK = "QUICK TRIAL, not the paper's settings"
NETWORKS = ("BNN", "DNN")
CSV_COLUMNS = (
    "table", "source", "scale", "row", "method", "noise", "published", "ours_median", "ours_low", "ours_high",
    "n_seeds", "n_known", "n_kept", "status",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One number of a table, published and ours: a value for each seed that has one.

    runs: finished seeds. kept: in how many of them a term was kept; None where that means nothing. failures: the
    statuses of those whose law could not be solved.
    """

    row: str
    method: str
    source: str
    noise: float
    published: float | None
    values: tuple[float, ...]
    runs: int
    kept: int | None = None
    failures: tuple[str, ...] = ()

    @property
    def median(self) -> float:
        """Of all runs; infinite where half of them or more have no value."""
        return median([*self.values, *(math.inf for _ in self.failures)])

    @property
    def ours(self) -> str:
        """The median, the range on a second line, and then what else has to be known."""
        if not self.runs:
            return NOTHING
        statuses = [f"{status} {number} of {self.runs}" for status, number in Counter(self.failures).items()]
        if not self.values:
            return self.failures[0] if len(set(self.failures)) == 1 else "\n".join(statuses)
        low, high = number(min(self.values)), number(max(self.values))
        known = f"({low} to {high})" if low != high else f"({low})"
        if math.isinf(self.median):
            return "\n".join([*statuses, known])
        lines = [number(self.median)] + ([known] if low != high else [])
        if self.kept is not None and 0 < self.kept < self.runs:
            lines.append(f"kept {self.kept} of {self.runs}")
        return "\n".join([*lines, *statuses])


@dataclass(frozen=True)
class Table:
    """One table of the paper. truth: the true coefficients, for tables that have them."""

    number: int
    title: str
    scale: str
    entries: tuple[Entry, ...]
    truth: dict[str, float] | None = None

    @property
    def heading(self) -> str:
        """Number and title, whose readings, how many seeds; a quick one says so first."""
        sources = " and ".join(SOURCES[name] for name in _different(entry.source for entry in self.entries))
        seeds = sorted({entry.runs for entry in self.entries if entry.runs})
        seeds_text = f"{_span(seeds)} seed{'s' if seeds != [1] else ''}" if seeds else "no seed finished"
        trial = f"{QUICK}: " if self.scale == "quick" else ""
        return f"{trial}Table {self.number}. {self.title}; {sources}, {seeds_text}"

    def by_noise(self) -> list[Table]:
        """The same, one for each noise."""
        noises = _different(entry.noise for entry in self.entries)
        return [replace(self, entries=tuple(e for e in self.entries if e.noise == noise)) for noise in noises]

    def layout(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as in the paper: networks across for errors of the field, noise across for coefficients."""
        coefficients = self.truth is not None
        group = (lambda e: f"noise {e.noise:g}") if coefficients else (lambda e: e.method)
        row = (lambda e: e.row) if coefficients else (lambda e: f"{e.noise:g}")
        groups = _different(map(group, self.entries))
        several = {
            "sources": len(_different(entry.source for entry in self.entries)) > 1,
            "methods": coefficients and len(_different(entry.method for entry in self.entries)) > 1,
        }
        header, rows = ["candidate", "truth"] if coefficients else ["noise"], []
        for name in groups:
            ours = _different(_column(entry, **several) for entry in self.entries if group(entry) == name)
            header += [f"{name}: {column}" for column in ("published", *ours)]
        for name in _different(map(row, self.entries)):
            texts = [name] if self.truth is None else [name, f"{self.truth.get(name, 0.0):g}"]
            for each in groups:
                entries = [entry for entry in self.entries if (row(entry), group(entry)) == (name, each)]
                published = entries[0].published
                texts += [NOTHING if published is None else number(published), *(entry.ours for entry in entries)]
            rows.append(texts)
        return header, rows

    def to_markdown(self) -> str:
        header, rows = self.layout()
        lines = [header, ["---"] * len(header)]
        for name, *texts in rows:
            lines.append([f"`{name}`" if name in _NAMES else name, *(text.replace("\n", "<br>") for text in texts)])
        return "\n".join([f"**{self.heading}**", "", *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"


def make_tables(
    records: Sequence[Record],
    scale: str,
    systems: Iterable[str] = tuple(EXPERIMENTS),
    noises: Sequence[float] = NOISES,
    sources: Sequence[str] | None = None,
) -> tuple[Table, ...]:
    """Three of each system; of every source that has records, unless ``sources`` says which. What is not finished stays
    empty."""
    kinds = [name for name in SOURCES if name in {r.cell.source for r in records}] if sources is None else sources
    cells = [(noise, source) for noise in noises for source in kinds]
    tables: list[Table] = []
    for name in systems:
        experiment, truth = EXPERIMENTS[name], true_coefficients(name)
        rmse, stblr, stols = experiment.tables
        delta = f"δ = {experiment.threshold:g}"
        titles = (
            f"{experiment.title}: RMSE of the networks",
            f"{experiment.title}: STBLR on the BNN's derivatives, {delta}",
            f"{experiment.title}: STOLS on the DNN's derivatives, {delta}",
        )
        second = (INDEXING_BUG, "STOLS") if name == "heat" else ("STOLS",)
        tables += [
            Table(rmse, titles[0], scale, tuple(_errors(records, experiment, cells))),
            Table(stblr, titles[1], scale, tuple(_laws(records, experiment, cells, ("STBLR",))), truth),
            Table(stols, titles[2], scale, tuple(_laws(records, experiment, cells, second)), truth),
        ]
    return tuple(tables)


def write_tables(tables: Sequence[Table], folder: Path) -> list[Path]:
    """``tables.md`` with all of them, and a tidy ``table-1.csv`` of each."""
    made_folder(folder)
    written = [folder / "tables.md", *(folder / f"table-{table.number}.csv" for table in tables)]
    with appearing(written[0]) as temporary:
        temporary.write_text(lay_out("\n".join(table.to_markdown() for table in tables)), encoding="utf-8")
    for table, path in zip(tables, written[1:], strict=True):
        with appearing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(CSV_COLUMNS)
            writer.writerows(_tidy(table, entry) for entry in table.entries)
    return written


def number(value: float) -> str:
    """Four decimals, as the paper prints; a term that was dropped is 0."""
    if value == 0:
        return "0"
    return f"{value:.4f}" if 1e-3 <= abs(value) < 1e4 else f"{value:.3g}"


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _errors(records: Sequence[Record], experiment: Experiment, cells: Iterable[tuple[float, str]]) -> Iterable[Entry]:
    for noise, source in cells:
        runs = of_cell(records, experiment.system, noise, source)
        for network, published in zip(NETWORKS, experiment.rmse[noise], strict=True):
            values = tuple(run.numbers["field"][network]["rmse"] for run in runs)
            yield Entry("RMSE", network, source, noise, published, values, len(runs))


def _laws(
    records: Sequence[Record], experiment: Experiment, cells: Iterable[tuple[float, str]], methods: tuple[str, ...]
) -> Iterable[Entry]:
    printed = experiment.stblr if methods == METHODS[:1] else experiment.stols
    for noise, source in cells:
        runs = of_cell(records, experiment.system, noise, source)
        for method in methods:
            laws = [run.laws[method] for run in runs if method in run.laws]
            yield from _column_of_laws(experiment, printed[noise], laws, (method, source, noise))


def _column_of_laws(
    experiment: Experiment, published: Published, laws: list[Law], where: tuple[str, str, float]
) -> Iterable[Entry]:
    """Eleven coefficients, e_C, and e_L as often as there are ways to count its points."""
    runs = len(laws)
    for name in map(str, TERMS):
        values = tuple(law.coefficients.get(name, 0.0) for law in laws)
        kept = sum(name in law.coefficients for law in laws)
        yield Entry(name, *where, published.coefficients.get(name, 0.0), values, runs, kept)
    yield Entry("e_C", *where, published.e_C, tuple(law.e_C for law in laws), runs)
    solved = [law.e_L_per_point for law in laws if law.e_L_per_point is not None]
    failures = tuple(law.status for law in laws if law.e_L_per_point is None)
    grids: dict[tuple[int, int], float | None] = {experiment.published_grid: published.e_L}
    grids.setdefault(experiment.grid, None)  # for heat it is the same one
    for (places, times), printed in grids.items():
        values = tuple(each * math.sqrt(places * times) for each in solved)
        yield Entry(f"e_L, {places} × {times} points", *where, printed, values, runs, failures=failures)
    yield Entry("e_L per point", *where, None, tuple(solved), runs, failures=failures)


def _tidy(table: Table, entry: Entry) -> list[object]:
    known = entry.values
    middle = entry.median if known and math.isfinite(entry.median) else ""
    ours = (middle, min(known), max(known)) if known else ("", "", "")
    status = "; ".join(sorted(set(entry.failures)))
    published = "" if entry.published is None else entry.published
    kept = "" if entry.kept is None else entry.kept
    where = (table.number, entry.source, table.scale, entry.row, entry.method, entry.noise)
    return [*where, published, *ours, entry.runs, len(known), kept, status]


def _column(entry: Entry, sources: bool, methods: bool) -> str:
    """What of ours a column contains, as far as there is a choice."""
    kind = {INDEXING_BUG: "with the indexing bug", "STOLS": "done right"}[entry.method] if methods else ""
    whose = SOURCES[entry.source] if sources else ""
    return ", ".join(filter(None, (kind, whose))) or "ours"


def _different(values: Iterable) -> list:
    return list(dict.fromkeys(values))


def _span(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


_NAMES = set(map(str, TERMS))
