"""The default method on known laws, and on no law: how often the right terms, how near, do intervals and
probabilities hold, and does it say that it cannot tell.

    python benchmarks/accuracy.py run FOLDER [--cells paper others coupled second input null]
        [--layouts 40 41 42 43 44] [--libraries general paper] [--workers 1]
    python benchmarks/accuracy.py document FOLDER docs/accuracy.md

run: for each cell (system, noise, layout of sensors) the terms are chosen from each library, as `discover` does at
default settings. "coupled" are laws of two fields, "second" laws of second order in time, "input" a rod with a known
heater; "null" are readings of noise alone, of a system whose moments are shuffled (the same permutation for every
sensor), and of a coupled system of which one field is noise. A cell is a file in FOLDER; those found there are not made
again. A record carries the commit that made it. document: the tables of what is there, with the commits named at the
top; what is not there is said to be missing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import textwrap
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pdescry
from pdescry.data import Input, systems
from pdescry.experiments.paper import EXPERIMENTS
from pdescry.files import write_json
from pdescry.surrogate.samplers import Point
from pdescry.two_stage.network import TRAINED

NOISES = (0.0, 0.01, 0.05)
# Systems with noise of 5 % of the sd: how many sensors, and how long they are read, if not as long as the system says.
OTHERS: dict[str, tuple[int, float | None]] = {
    "fisher_kpp": (16, None),
    "allen_cahn": (16, None),
    "advection_diffusion": (16, None),
    "kuramoto_sivashinsky": (32, None),
    "kdv_two_solitons": (32, 15.0),
}
RELATIVE = ("2%", "5%")  # noise, of each field's sd
COUPLED = {"fitzhugh_nagumo": 20, "schrodinger": 20, "gray_scott": 20, "predator_prey": 20, "shallow_water": 24}
SECOND = {"wave": 20, "damped_wave": 20, "telegraph": 20, "phi4": 20}
WITH_INPUT = {"heated_rod": 16}
IDLE = "heated_rod with an idle input"  # that is given, but does not act
TIMES = 51  # of those that are read for a time of their own
LIBRARIES = ("general", "paper")
NULL = ("noise only", "shuffled")
HALF_NULL = "v is noise"
KINDS = ("paper", "others", "coupled", "second", "input", "null")


def cells(kinds: list[str], layouts: list[int]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for layout in layouts:
        if "paper" in kinds:
            found += [
                {"system": s, "noise": n, "layout": layout, "sensors": 16} for n in NOISES[::-1] for s in EXPERIMENTS
            ]
        if "others" in kinds:
            found += [
                {"system": s, "noise": "5%", "layout": layout, "sensors": n, "until": until}
                for s, (n, until) in OTHERS.items()
            ]
        for kind, some in (("coupled", COUPLED), ("second", SECOND), ("input", WITH_INPUT)):
            if kind in kinds:
                found += [
                    {"system": s, "noise": noise, "layout": layout, "sensors": n, "kind": kind}
                    for s, n in some.items()
                    for noise in RELATIVE
                ]
        if "input" in kinds:
            found.append({"system": IDLE, "noise": "2%", "layout": layout, "sensors": 16, "kind": "input"})
        if "null" in kinds:
            system = list(EXPERIMENTS)[layout % len(EXPERIMENTS)]
            found += [{"system": system, "noise": kind, "layout": layout, "sensors": 16} for kind in NULL]
            found.append({"system": "fitzhugh_nagumo", "noise": HALF_NULL, "layout": layout, "sensors": 20})
    return found


def system_of(cell: dict[str, Any]) -> Any:
    return systems.get("heated_rod" if cell["system"] == IDLE else cell["system"])


def readings_of(cell: dict[str, Any]) -> pdescry.Readings:
    system, kind = system_of(cell), cell["noise"]
    noise = 0.05 if kind in NULL else "2%" if kind == HALF_NULL else kind
    until = cell.get("until")
    read_at: dict[str, Any] = {} if until is None else {"times": np.linspace(0, until, TIMES)}
    readings = system.observe(sensors=cell["sensors"], noise=noise, seed=cell["layout"], **read_at)
    random = np.random.default_rng([cell["layout"], 7])
    if kind == "noise only":
        return replace(readings, values=random.normal(size=readings.values.shape))
    if kind == HALF_NULL:
        values = readings.values.copy()
        values[:, 1] = random.normal(values[:, 1].mean(), values[:, 1].std(), len(values))
        return replace(readings, values=values)
    if kind == "shuffled":
        moments = np.unique(readings.time)
        shuffled = random.permutation(moments)[np.searchsorted(moments, readings.time)]
        return pdescry.Readings.from_arrays(shuffled, readings.space, readings.values)
    if cell["system"] == IDLE:  # switched as the heater is, at times of its own
        early, late = readings.span["t"]
        switched = np.sort(random.uniform(early, late, 6))
        times = np.concatenate([[early], switched, [late]])
        idle = Input("Q", times, None, random.uniform(0, 1.5, len(times)), "held")
        return replace(readings, inputs=(*readings.inputs, idle))
    return readings


def name_of(cell: dict[str, Any]) -> str:
    return f"{cell['system']}-{cell['noise']}-{cell['layout']}"


def commit() -> str:
    """What made a record; with a + where the sources differ from it."""
    here = Path(__file__).parent
    found = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], cwd=here, capture_output=True, text=True)
    changed = subprocess.run(["git", "status", "--porcelain", "../src"], cwd=here, capture_output=True, text=True)
    return found.stdout.strip() + ("+" if changed.stdout.strip() else "")


def run(folder: Path, kinds: list[str], layouts: list[int], libraries: list[str], workers: int | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made_by = commit()
    for cell in cells(kinds, layouts):
        for library in libraries if cell.get("kind") is None else libraries[:1]:
            path = folder / f"{name_of(cell)}-{library}.json"
            if not path.exists():
                record = {"commit": made_by} | record_of(cell, library, workers)
                write_json(path, record)
                print(f"{path.stem}: {record['law']} ({record['seconds']:.0f} s) {record['reason'][:60]}", flush=True)


def record_of(cell: dict[str, Any], library: str, workers: int | None) -> dict[str, Any]:
    readings, began, networks = readings_of(cell), time.monotonic(), []

    def train() -> list[Any]:
        """As `discover` does, where it does."""
        networks.append(pdescry.interpolate(readings, sampler=Point(), chains=TRAINED, workers=workers))
        return networks

    try:
        choice = pdescry.choose(readings, library, workers=workers, train=train)
    except pdescry.PdescryError as fault:
        found: dict[str, Any] = {"law": None, "reason": str(fault), "reasons": {}}
    else:
        fit, comparison = choice.fit, choice.comparison
        found = {
            "law": str(fit),
            "reason": comparison.reason,
            "reasons": comparison.reasons,
            "fields": fit.fields,
            "orders": fit.orders,
            "terms": [str(term) for term in fit.terms],
            "values": fit.values,
            "sd": fit.sd,
            "inferred_noise": dict(zip(fit.fields, map(float, fit.noise), strict=True)),
            "alternatives": comparison.alternatives.to_dict(orient="records"),
            "probabilities": comparison.probabilities.to_dict(orient="records"),
        }
    made = {"library": library, "seconds": time.monotonic() - began, "networks": len(networks)}
    return cell | made | found


# ---- the document ----------------------------------------------------------------------------------------------------


def truth_of(record: dict[str, Any]) -> dict[str, float]:
    """Coefficients of the law, by the field whose equation it is and the term."""
    equation = system_of(record).equation
    return {f"{part.field}: {term}": value for part in equation.components for term, value in part.terms}


def table_of(folder: Path) -> Any:
    rows = []
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        truth = truth_of(record)
        found = dict(zip(record.get("terms", ()), record.get("values", ()), strict=True))
        sds = dict(zip(record.get("terms", ()), record.get("sd", ()), strict=True))
        errors = [found.get(term, 0.0) - truth.get(term, 0.0) for term in {*found, *truth}]
        held = [abs(found[term] - truth[term]) <= 1.96 * sds[term] for term in truth if term in found]
        orders = {part.field: part.time_order for part in system_of(record).equation.components}
        same_order = dict(zip(record.get("fields", ()), record.get("orders", ()), strict=True)) == orders
        rows.append(
            {name: record[name] for name in ("system", "noise", "layout", "sensors", "library", "law", "commit")}
            | {
                "kind": record.get("kind", ""),
                "right": set(found) == set(truth) and same_order and not record["reason"],
                "told": not record["reason"],
                "reasons": record["reasons"],
                "e_C": float(np.linalg.norm(errors)),
                "relative": [abs(found[term] / truth[term] - 1) for term in truth if term in found],
                "held": sum(held),
                "intervals": len(held),
                "seconds": record["seconds"],
                "networks": record.get("networks", 0),
                "idle": any(term.endswith(": Q") or "Q*" in term for term in found),
                "probabilities": {
                    f"{p['field']}: {p['term']}": p["probability"] for p in record.get("probabilities", ())
                },
                "truth": truth,
            }
        )
    return pd.DataFrame(rows)


def markdown(folder: Path) -> str:
    table = table_of(folder)
    lines = [
        "# How often the default method is right",
        "",
        "Written by `python benchmarks/accuracy.py document`. Fresh layouts of random sensors and fresh noise for each",
        "run, default settings, nothing chosen by hand. Laws are exact: their readings hold nothing but the law and",
        "independent Gaussian noise; real readings are less kind.",
        "Commits that made the records (a + marks uncommitted sources):",
        *textwrap.wrap(", ".join(sorted(set(table["commit"]))) + ".", 120),
    ]
    for library in LIBRARIES:
        part = table[table["library"] == library]
        paper = part[part["system"].isin(EXPERIMENTS) & part["noise"].map(lambda noise: not isinstance(noise, str))]
        if len(paper):
            lines += ["", f"## The paper's nine cells, candidates `{library}`", "", *_paper_lines(paper)]
        others = part[(part["noise"] == "5%") & (part["kind"] == "")]
        if len(others):
            head = f"## Other systems, noise 5 % of the sd, candidates `{library}`"
            lines += ["", head, "", *_other_lines(others)]
        for kind, title in TITLES.items():
            if len(rows := part[part["kind"] == kind]):
                lines += ["", f"## {title}, candidates `{library}`", "", *_relative_lines(rows)]
                if len(idle := rows[rows["system"] == IDLE]):
                    lines += ["", f"The idle input is in {idle['idle'].sum()} of {len(idle)} laws."]
        if len(half := part[part["noise"] == HALF_NULL]):
            right = [law.startswith("u_t = ") and "v" in reasons for law, reasons in half[["law", "reasons"]].values]
            lines += ["", f"## FitzHugh–Nagumo whose v is replaced by noise, candidates `{library}`", ""]
            lines += [
                f'- "cannot tell" for v in {sum("v" in each for each in half["reasons"])} of {len(half)} runs; for u, '
                f"too, in {sum('u' in each for each in half['reasons'])}; a law for u alone in "
                f"{sum(good and 'u' not in each for good, each in zip(right, half['reasons'], strict=True))}."
            ]
        if len(null := part[part["noise"].isin(NULL)]):
            lines += ["", f"## No law at all, candidates `{library}`", ""]
            lines += [
                f'- {kind}: "cannot tell" in {(~rows["told"]).sum()} of {len(rows)} runs (bar 19 of 20, both together).'
                for kind in NULL
                if len(rows := null[null["noise"] == kind])
            ]
        part = part[~part["noise"].isin((*NULL, HALF_NULL))]
        if len(part):
            lines += ["", f"### Probabilities of terms, candidates `{library}`", "", *_reliability(part)]
            wrong = part[~part["right"]]
            if len(wrong):
                lines += ["", "Wrong:", ""]
                lines += [
                    f"- {row['system']}, noise {row['noise']}, layout {row['layout']}"
                    + ("" if row["told"] else " (said: cannot tell)")
                    + f":\n  `{row['law']}`"
                    for row in wrong.to_dict(orient="records")
                ]
    return "\n".join([*lines, ""])


TITLES = {"coupled": "Two coupled fields", "second": "Second order in time", "input": "A known input"}


def _relative_lines(rows: Any) -> list[str]:
    lines = [
        "| system | noise | sensors | layouts | right terms | relative error, median (largest) | 95 % intervals hold | "
        "seconds, median |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (system, noise), some in rows.groupby(["system", "noise"], sort=False):
        errors = [error for each in some["relative"] for error in each]
        shown = f"{np.median(errors):.4f} ({max(errors):.3f})" if errors else ""
        lines.append(
            f"| {system} | {noise} | {some['sensors'].iloc[0]} | {len(some)} | {some['right'].sum()} | {shown} | "
            f"{some['held'].sum()} of {some['intervals'].sum()} | {some['seconds'].median():.0f} |"
        )
    return lines


def _paper_lines(paper: Any) -> list[str]:
    lines = ["| cell | layouts | right terms | e_C, median (range) | published e_C | bar | seconds, median |"]
    lines += ["| --- | --- | --- | --- | --- | --- | --- |"]
    for system in EXPERIMENTS:
        for noise in NOISES:
            rows = paper[(paper["system"] == system) & (paper["noise"] == noise)]
            if not len(rows):
                lines.append(f"| {system}, noise {noise:g} | none yet | | | | | |")
                continue
            published = EXPERIMENTS[system].stblr[noise].e_C
            bar = max(published / 10, 0.02)
            median = rows["e_C"].median()
            lines.append(
                f"| {system}, noise {noise:g} | {len(rows)} | {rows['right'].sum()} | {median:.4f} "
                f"({rows['e_C'].min():.4f} to {rows['e_C'].max():.4f}) | {published:.4f} | {bar:.4f} "
                f"{'met' if median <= bar else 'missed'} | {rows['seconds'].median():.0f} |"
            )
    held, intervals = paper["held"].sum(), paper["intervals"].sum()
    each = paper.groupby("commit", sort=False)["right"]
    by_commit = ", ".join(f"{name} {own.sum()} of {len(own)}" for name, own in each)
    lines += [
        "",
        f"Right terms in {paper['right'].sum()} of {len(paper)} runs (bar: 44 of 45); by commit: {by_commit}.",
        f"95 % intervals hold the true coefficient in {held} of {intervals}"
        + (f" ({held / intervals:.0%}; bar 88 to 99 %)." if intervals else "."),
        f"Networks were trained in {(paper['networks'] > 0).sum()} runs: smooth fields suggested no law.",
    ]
    return lines


def _other_lines(others: Any) -> list[str]:
    lines = [
        "| system | sensors | until | layouts | right terms | e_C, median | seconds, median |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for system, (sensors, own) in OTHERS.items():
        until = systems.get(system).until if own is None else own
        rows = others[others["system"] == system]
        if not len(rows):
            lines.append(f"| {system} | {sensors} | {until:g} | none yet | | | |")
            continue
        lines.append(
            f"| {system} | {sensors} | {until:g} | {len(rows)} | {rows['right'].sum()} | {rows['e_C'].median():.4f} | "
            f"{rows['seconds'].median():.0f} |"
        )
    return lines


def _reliability(part: Any) -> list[str]:
    pairs = [
        (probability, term in row["truth"])
        for row in part.to_dict(orient="records")
        for term, probability in row["probabilities"].items()
    ]
    edges = (0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0 + 1e-9)
    lines = ["| probability told | terms | mean probability | of these, in the law |", "| --- | --- | --- | --- |"]
    for low, high in pairwise(edges):
        some = [(p, true) for p, true in pairs if low <= p < high]
        if some:
            told, true = (float(np.mean([pair[k] for pair in some])) for k in (0, 1))
            lines.append(f"| {low:g} to {min(high, 1):g} | {len(some)} | {told:.3f} | {true:.3f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("folder", type=Path)
    running.add_argument("--cells", nargs="+", choices=KINDS, default=list(KINDS))
    running.add_argument("--layouts", nargs="+", type=int, default=[40, 41, 42, 43, 44])
    running.add_argument("--workers", type=int)
    running.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    writing = commands.add_parser("document")
    writing.add_argument("folder", type=Path)
    writing.add_argument("file", type=Path)
    given = parser.parse_args()
    if given.command == "run":
        run(given.folder, given.cells, given.layouts, given.libraries, given.workers)
    else:
        given.file.write_text(markdown(given.folder), encoding="utf-8")


if __name__ == "__main__":
    main()
