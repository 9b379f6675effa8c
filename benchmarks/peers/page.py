"""Records → docs/benchmark.md and its figures."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peers.measures import Measures, measure
from peers.methods import METHODS
from peers.rows import (
    GRID,
    NOISE,
    NULL,
    OTHER,
    PUBLISHED,
    ROWS,
    SEEDS,
    SEEDS_SHUFFLED,
    SENSORS,
    Row,
    axes_of,
    law_of,
    truth_of,
)

from pdescry.plot import save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OWN = "pdescry"  # the method that the others are compared with
PARTS = {
    SENSORS: "Few and many sensors, noise 5 %",
    NOISE: "Little and much noise, 64 sensors",
    OTHER: "Other laws",
    GRID: "Full grids",
    PUBLISHED: "Published rows, simulated anew",
}
COLOURS = "tab:blue", "tab:cyan", "tab:orange", "tab:red", "tab:green", "tab:purple", "tab:brown", "tab:pink"
MARKERS = "oPs^vD*X"
LEAST = 2  # points of a line


@dataclass(frozen=True)
class Run:
    """One record, and how near its law is."""

    record: Mapping[str, Any]

    @property
    def row(self) -> Row:
        return ROWS[self.record["row"]]

    @property
    def method(self) -> str:
        return self.record["method"]

    @cached_property
    def best(self) -> Measures:
        return self._measure("best")

    @cached_property
    def default(self) -> Measures:
        return self._measure("default")

    def _measure(self, which: str) -> Measures:
        found, law = self.record[which], law_of(self.row)
        return measure(found["coefficients"], truth_of(self.row), found["sd"], law.fields, axes_of(self.row))


class Runs:
    """Those of known rows and methods, by row and method."""

    def __init__(self, records: Iterable[Mapping[str, Any]]) -> None:
        known = (each for each in records if each["row"] in ROWS and each["method"] in METHODS)
        self.all = [Run(each) for each in known]
        self.methods = [name for name in METHODS if any(run.method == name for run in self.all)]
        self.peers = [name for name in self.methods if not METHODS[name].own]

    def of(self, row: str | None = None, method: str | None = None, part: str | None = None) -> list[Run]:
        return [
            run
            for run in self.all
            if row in (None, run.row.name)
            and method in (None, run.method)
            and (part in run.row.parts if part else True)
        ]


def rate(runs: Sequence[Run]) -> float:
    """Of right laws, each with the best of a method's settings."""
    return sum(run.best.right for run in runs) / len(runs)


def _median(values: Iterable[float | None], form: str) -> str:
    known = [value for value in values if value is not None and value == value]
    return format(statistics.median(known), form) if known else ""


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(each)} |" for each in (titles, ["---"] * len(titles), *rows)]


# ---- the page --------------------------------------------------------------------------------------------------------


def markdown(records: Sequence[Mapping[str, Any]], figures: str) -> str:
    """figures: how the names of their files begin."""
    runs = Runs(records)
    lines = ["# pdescry beside other methods", "", *_introduction(runs), "", *_behind(runs), ""]
    lines += [f"![Rate of right laws against sensors and noise]({figures}_rates.png)", ""]
    for part, title in PARTS.items():
        if runs.of(part=part):
            lines += [f"## {title}", "", *_right(runs, part), ""]
            lines += [*_published(runs), ""] if part == PUBLISHED else []
    if runs.of(part=NULL):
        lines += ["## No law at all", "", *_null(runs), ""]
    lines += ["## How near, and how long it takes", "", *_near(runs), ""]
    lines += [f"![Error of the coefficients against seconds]({figures}_seconds.png)", ""]
    lines += ["## What was tried", "", *_tried(runs), "", "## What made the records", "", *_made_by(runs), ""]
    return "\n".join(lines)


def _introduction(runs: Runs) -> list[str]:
    numbers = {len(runs.of(name, method)) for name in ROWS for method in runs.methods} - {0}
    seeds = f"{min(numbers)}" if len(numbers) == 1 else f"{min(numbers)} to {max(numbers)}"
    return [
        "Written by `python benchmarks/compare.py document`. The rows are those of `benchmarks/peers/rows.py`, and "
        "anybody can make their readings from the seed. `CONTRIBUTING.md` says how to add a method.",
        "",
        "A law is *right* if it has exactly the true terms. pdescry runs at default settings and gives one answer. "
        "The other methods have settings that a user has to choose: here **the answer that is nearest to the truth "
        "counts**, of all settings that were tried, chosen anew for each run. A user, who does not know the truth, "
        "cannot do that; in brackets is how often their default settings are right. They also choose from a short list "
        "of candidates, with all true terms and no derivative of a higher order than in the law (or the second); "
        "pdescry chooses from its own longer one.",
        "",
        f"Each cell of the tables has {seeds} of the {len(SEEDS)} seeds that the benchmark defines ({SEEDS[0]} to "
        f"{SEEDS[-1]}). Noise is a share of the sd of the field.",
    ]


def _behind(runs: Runs) -> list[str]:
    """The rows in which a peer is right more often than pdescry, on the seeds that both have."""
    rows, compared, scattered = [], 0, [0, 0]
    for name, row in ROWS.items():
        both = {peer: pair for peer in runs.peers if (pair := _on_same_seeds(runs.of(name, OWN), runs.of(name, peer)))}
        if not both or row.null:
            continue
        compared += 1
        better = [peer for peer, (own, theirs) in both.items() if rate(theirs) > rate(own)]
        scattered[0] += row.scattered and not better
        scattered[1] += row.scattered
        if better:
            shown = ", ".join(f"{METHODS[peer].title} {_count(both[peer][1])}" for peer in better)
            rows.append((row.system, row.read, f"{row.noise:.0%}", _count(both[better[0]][0]), shown))
    if not compared:
        return ["**No row has been run by both pdescry and another method yet.**"]
    lines = [
        f"**pdescry is right at least as often as every other method in {compared - len(rows)} of {compared} rows**, "
        f"and in {scattered[0]} of the {scattered[1]} with scattered sensors (bar: all)."
    ]
    if rows:
        lines += ["It is right less often than another in these:", ""]
        lines += _table(("law", "readings", "noise", "pdescry", "more often right"), rows)
    return lines


def _on_same_seeds(own: Sequence[Run], theirs: Sequence[Run]) -> tuple[list[Run], list[Run]] | None:
    common = {run.record["seed"] for run in own} & {run.record["seed"] for run in theirs}
    if not common:
        return None
    ours, others = ([run for run in some if run.record["seed"] in common] for some in (own, theirs))
    return ours, others


def _count(runs: Sequence[Run]) -> str:
    return f"{sum(run.best.right for run in runs)} of {len(runs)}"


def _right(runs: Runs, part: str) -> list[str]:
    def cell(name: str, method: str) -> str:
        some = runs.of(name, method)
        if not some:
            return ""
        default = sum(run.default.right for run in some)
        return _count(some) + ("" if METHODS[method].own else f" ({default})")

    methods = [method for method in runs.methods if runs.of(method=method, part=part)]
    rows = [
        (row.system, row.read, f"{row.noise:.0%}", *(cell(name, method) for method in methods))
        for name, row in ROWS.items()
        if part in row.parts and runs.of(name)
    ]
    lines = _table(("law", "readings", "noise", *(METHODS[method].title for method in methods)), rows)
    missing = [name for name, row in ROWS.items() if part in row.parts and not runs.of(name)]
    return [*lines, "", f"Not run yet: {', '.join(missing)}."] if missing else lines


def _published(runs: Runs) -> list[str]:
    rows = [
        (name, str(law_of(row)), f"{known.method}: {known.e2:g}", *_errors_of(runs, name), known.remark)
        for name, row in ROWS.items()
        if (known := row.published) and runs.of(name)
    ]
    titles = [METHODS[method].title for method in runs.methods]
    return [
        "The relative error of the coefficient vector e2, as it was published and as it is here (median). Published "
        "numbers stand as they were printed, and belong to the authors' own readings; the terms were right in all of "
        "them.",
        "",
        *_table(("", "law", "published e2", *(f"{title}, e2" for title in titles), "what differs"), rows),
    ]


def _errors_of(runs: Runs, name: str) -> list[str]:
    return [_median((run.best.e2 for run in runs.of(name, method)), ".3f") for method in runs.methods]


def _null(runs: Runs) -> list[str]:
    rows = [
        (row.null, row.read, *(_said(runs.of(name, method)) for method in runs.methods))
        for name, row in ROWS.items()
        if row.null and runs.of(name)
    ]
    return [
        "How often a method gives a law nevertheless, at its default settings: there is no truth that other settings "
        f"could be chosen by. Shuffled times have seeds of their own ({SEEDS_SHUFFLED[0]} to {SEEDS_SHUFFLED[-1]}), "
        "because pdescry's rule for readings that seem still was designed on some of the others.",
        "",
        *_table(("readings", "sensors", *(METHODS[method].title for method in runs.methods)), rows),
    ]


def _said(runs: Sequence[Run]) -> str:
    return f"{sum(run.default.said for run in runs)} of {len(runs)}" if runs else ""


def _near(runs: Runs) -> list[str]:
    """Over the rows that a method and pdescry both ran."""
    rows = []
    for method in runs.methods:
        some = [run for run in runs.of(method=method) if not run.row.null]
        covered = [each for run in some for each in run.best.covered]
        widths = [each for run in some for each in run.best.widths]
        right = [run for run in some if run.best.right]
        rows.append(
            (
                METHODS[method].title,
                f"{len(right)} of {len(some)}",
                f"{sum(run.default.right for run in some)} of {len(some)}",
                _median((run.best.rate for run in some), ".2f"),
                _median((run.best.e2 for run in right), ".4f"),
                _median((run.best.e2 for run in some), ".3f"),
                _median((run.record["field_error"] for run in some), ".3f"),
                f"{sum(covered)} of {len(covered)}" if covered else "none given",
                _median(widths, ".3f"),
                _median((run.record["best"]["seconds"] for run in some), ".2g"),
            )
        )
    titles = (
        *(
            "method",
            "right, best settings",
            "right, default settings",
            "true-positive rate",
            "e2 of right laws",
            "e2 of all",
        ),
        *("error of the field", "covered by 95 % intervals", "width of intervals", "seconds of a core"),
    )
    titles_of = ("law", "readings", "noise", *(METHODS[method].title for method in runs.methods))
    by_row = [
        (row.system, row.read, f"{row.noise:.0%}", *_errors_of(runs, name))
        for name, row in ROWS.items()
        if runs.of(name) and not row.null
    ]
    return [
        "The relative error e2 of the coefficient vector (median), where a term that is missing or too many counts "
        "with its whole coefficient. Right terms may have coefficients that are far off: few sensors attenuate the "
        "derivatives of a smoothed field.",
        "",
        *_table(titles_of, by_row),
        "",
        "Medians over all runs with a law, which are not the same rows for each method. The true-positive rate is "
        "TP / (TP + FP + FN); the error of the field is a share of its sd, of methods that give a field of their own; "
        "the width of an interval is a share of the true coefficient. Seconds are those of one core for one setting, "
        "including interpolation, without the search for the best.",
        "",
        *_table(titles, rows),
    ]


def _tried(runs: Runs) -> list[str]:
    lines = []
    for method in runs.methods:
        tried = sorted({run.record["tried"] for run in runs.of(method=method)})
        number = f" Answers per run: {tried[0]}" + (f" to {tried[-1]}." if len(tried) > 1 else ".")
        lines.append(f"- {METHODS[method].title}: {METHODS[method].tried}{number if tried[-1] > 1 else ''}")
    if absent := [METHODS[name].title for name in METHODS if name not in runs.methods]:
        lines += ["", f"Not run yet: {', '.join(absent)}."]
    return lines


def _made_by(runs: Runs) -> list[str]:
    commits, versions = {}, {}
    for run in runs.all:
        name = run.record["commit"] + (f", inference {run.record['inference']}" if "inference" in run.record else "")
        commits[name] = commits.get(name, 0) + 1
        each = ", ".join(f"{package} {number}" for package, number in run.record["versions"].items())
        versions.setdefault(each, set()).add(METHODS[run.method].title)
    each_one = "; ".join(f"{name} ({count})" for name, count in sorted(commits.items()))
    return [
        f"Commits (how many records; a + marks uncommitted sources): {each_one}.",
        "",
        *(f"- {', '.join(sorted(some))}: {text}." for text, some in sorted(versions.items())),
    ]


# ---- its figures -----------------------------------------------------------------------------------------------------


def draw(records: Sequence[Mapping[str, Any]], page: Path) -> list[Path]:
    """Beside the page."""
    runs, written = Runs(records), []
    for ending, make in (("rates", _rates), ("seconds", _seconds)):
        written.append(page.with_name(f"{page.stem}_{ending}.png"))
        save(make(runs), written[-1])
    return written


def _rates(runs: Runs) -> Axes:
    """Rate of right laws against sensors, and against noise."""
    figure = _figure(9.0, 4.2)
    left, right = figure.subplots(1, 2, sharey=True)
    _series(left, runs, SENSORS, lambda row: float(row.sensors), "sensors (noise 5 %)")  # type: ignore[arg-type]
    _series(right, runs, NOISE, lambda row: 100 * row.noise, "noise, % of the sd (64 sensors)")
    left.set(ylabel="share of right laws", ylim=(-0.05, 1.05))
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    systems = sorted({run.row.system for run in runs.of(part=SENSORS)})
    figure.suptitle(
        f"Right laws ({', '.join(systems)}) with the best settings; dotted: default settings", fontsize="medium"
    )
    return left


def _series(ax: Axes, runs: Runs, part: str, position: Callable[[Row], float], name: str) -> None:
    """A line for each method with some of the series: systems together, dotted at its default settings."""
    positions = sorted({position(run.row) for run in runs.of(part=part)})
    for method in runs.methods:
        at = {x: [run for run in runs.of(method=method, part=part) if position(run.row) == x] for x in positions}
        at = {x: some for x, some in at.items() if some}
        if len(at) < LEAST:
            continue
        look: dict[str, Any] = _look(method) | {"markersize": 5}
        shares = [rate(some) for some in at.values()]
        ax.plot(list(at), shares, label=METHODS[method].title, linewidth=2.4 if METHODS[method].own else 1.4, **look)
        if not METHODS[method].own:
            defaults = [sum(run.default.right for run in some) / len(some) for some in at.values()]
            ax.plot(list(at), defaults, linestyle=":", alpha=0.7, linewidth=1.2, **look)
    ax.set(xscale="log", xlabel=name, xticks=positions, xticklabels=[f"{each:g}" for each in positions])
    ax.minorticks_off()
    ax.grid(alpha=0.3)


def _seconds(runs: Runs) -> Axes:
    """Error of the coefficients against seconds, a point for each run; hollow where the terms are wrong."""
    figure = _figure(6.4, 5.0)
    ax = figure.subplots()
    for method in runs.methods:
        for right in (True, False):
            some = [run for run in runs.of(method=method) if not run.row.null and run.best.right is right]
            look: dict[str, Any] = _look(method) | ({"alpha": 0.8} if right else {"facecolors": "none", "alpha": 0.4})
            label = METHODS[method].title if right else None
            seconds = [max(run.record["best"]["seconds"], 0.01) for run in some]
            ax.scatter(seconds, [max(run.best.e2, 1e-5) for run in some], s=18, label=label, **look)
    ax.set(xscale="log", yscale="log", xlabel="seconds of one core", ylabel="relative error of the coefficients, e2")
    ax.set_title("Filled: exactly the right terms", fontsize="medium")
    ax.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return ax


def _look(method: str) -> dict[str, Any]:
    number = list(METHODS).index(method)
    return {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
