"""The default method on known laws, and on no law: how often the right terms, how near, do intervals and
probabilities hold, and does it say that it cannot tell.

    python benchmarks/accuracy.py run FOLDER [--cells paper others null] [--layouts 10 11 12 13 14]
        [--libraries general paper]
    python benchmarks/accuracy.py document FOLDER docs/accuracy.md

run: for each cell (system, noise, layout of sensors) the field is sampled once and the terms are chosen from each
library, as `discover` does at default settings. "null" are readings of noise alone, and of a system whose moments are
shuffled: the same permutation for every sensor. A cell is a file in FOLDER; those found there are not made again.
document: the tables of what is there; what is not there is said to be missing.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pdescry
from pdescry.data import systems
from pdescry.discovery.settings import Settings
from pdescry.experiments.paper import EXPERIMENTS
from pdescry.files import write_json

NOISES = (0.0, 0.01, 0.05)
# Systems with noise of 5 % of the sd: how many sensors, and how long they are read, if not as long as the system says.
OTHERS: dict[str, tuple[int, float | None]] = {
    "fisher_kpp": (16, None),
    "allen_cahn": (16, None),
    "advection_diffusion": (16, None),
    "kuramoto_sivashinsky": (32, None),
    "kdv_two_solitons": (32, 15.0),
}
TIMES = 51  # of those that are read for a time of their own
LIBRARIES = ("general", "paper")
NULL = ("noise only", "shuffled")


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
        if "null" in kinds:
            system = list(EXPERIMENTS)[layout % len(EXPERIMENTS)]
            found += [{"system": system, "noise": kind, "layout": layout, "sensors": 16} for kind in NULL]
    return found


def readings_of(cell: dict[str, Any]) -> pdescry.Readings:
    system, kind = systems.get(cell["system"]), cell["noise"]
    noise = 0.05 if kind in NULL else kind
    until = cell.get("until")
    times = {} if until is None else {"times": np.linspace(0, until, TIMES)}
    readings = system.observe(sensors=cell["sensors"], noise=noise, seed=cell["layout"], **times)
    random = np.random.default_rng([cell["layout"], 7])
    if kind == "noise only":
        return replace(readings, values=random.normal(size=readings.values.shape))
    if kind == "shuffled":
        times = np.unique(readings.time)
        shuffled = random.permutation(times)[np.searchsorted(times, readings.time)]
        return pdescry.Readings.from_arrays(shuffled, readings.space, readings.values)
    return readings


def name_of(cell: dict[str, Any]) -> str:
    return f"{cell['system']}-{cell['noise']}-{cell['layout']}"


def run(folder: Path, kinds: list[str], layouts: list[int], libraries: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    defaults = Settings()
    for cell in cells(kinds, layouts):
        for library in libraries:
            path = folder / f"{name_of(cell)}-{library}.json"
            if not path.exists():
                record = record_of(folder, cell, library, defaults)
                write_json(path, record)
                print(f"{path.stem}: {record['law']} ({record['seconds']})", flush=True)


def record_of(folder: Path, cell: dict[str, Any], library: str, defaults: Settings) -> dict[str, Any]:
    posterior, sampled = posterior_of(folder, cell, defaults)
    began = time.monotonic()
    try:
        choice = pdescry.choose(posterior, library)
    except pdescry.PdescryError as fault:
        found: dict[str, Any] = {"law": None, "reason": str(fault)}
    else:
        found = {
            "law": str(choice.fit),
            "reason": choice.comparison.reason,
            "terms": [str(term) for term in choice.fit.terms],
            "values": choice.fit.values,
            "sd": choice.fit.sd,
            "inferred_noise": float(np.sqrt(np.mean(choice.fit.noise**2))),
            "alternatives": choice.comparison.alternatives.to_dict(orient="records"),
            "probabilities": choice.comparison.probabilities.to_dict(),
        }
    return cell | {"library": library, "seconds": {"sampling": sampled, "choosing": time.monotonic() - began}} | found


def posterior_of(folder: Path, cell: dict[str, Any], settings: Settings) -> tuple[pdescry.Posterior, float]:
    path, beside = folder / f"{name_of(cell)}.nc", folder / f"{name_of(cell)}.seconds"
    if path.exists():
        return pdescry.Posterior.load(path), float(beside.read_text())
    began = time.monotonic()
    posterior = pdescry.interpolate(
        readings_of(cell), sampler=settings.sampler, chains=settings.chains, seed=cell["layout"]
    )
    beside.write_text(f"{time.monotonic() - began:.2f}")
    posterior.save(path)
    return pdescry.Posterior.load(path), float(beside.read_text())


# ---- the document ----------------------------------------------------------------------------------------------------


def table_of(folder: Path) -> Any:
    rows = []
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        truth = {str(term): value for term, value in systems.get(record["system"]).equation.coefficients.items()}
        found = dict(zip(record.get("terms", ()), record.get("values", ()), strict=True))
        sds = dict(zip(record.get("terms", ()), record.get("sd", ()), strict=True))
        errors = [found.get(term, 0.0) - truth.get(term, 0.0) for term in {*found, *truth}]
        held = [abs(found[term] - truth[term]) <= 1.96 * sds[term] for term in truth if term in found]
        seconds = record["seconds"]
        rows.append(
            {name: record[name] for name in ("system", "noise", "layout", "sensors", "library", "law")}
            | {
                "right": set(found) == set(truth) and not record["reason"],
                "told": not record["reason"],
                "e_C": float(np.linalg.norm(errors)),
                "held": sum(held),
                "intervals": len(held),
                "seconds": seconds["sampling"] + seconds["choosing"],
                "probabilities": record.get("probabilities", {}),
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
    ]
    for library in LIBRARIES:
        part = table[table["library"] == library]
        paper = part[part["system"].isin(EXPERIMENTS) & part["noise"].map(lambda noise: not isinstance(noise, str))]
        if len(paper):
            lines += ["", f"## The paper's nine cells, candidates `{library}`", "", *_paper_lines(paper)]
        others = part[part["noise"] == "5%"]
        if len(others):
            head = f"## Other systems, noise 5 % of the sd, candidates `{library}`"
            lines += ["", head, "", *_other_lines(others)]
        if len(null := part[part["noise"].isin(NULL)]):
            lines += ["", f"## No law at all, candidates `{library}`", ""]
            lines += [
                f'- {kind}: "cannot tell" in {(~rows["told"]).sum()} of {len(rows)} runs (all would be 20; bar 19).'
                for kind in NULL
                if len(rows := null[null["noise"] == kind])
            ]
        part = part[~part["noise"].isin(NULL)]
        if len(part):
            lines += ["", f"### Probabilities of terms, candidates `{library}`", "", *_reliability(part)]
            wrong = part[~part["right"]]
            if len(wrong):
                lines += ["", "Wrong:", ""]
                lines += [
                    f"- {row['system']}, noise {row['noise']}, layout {row['layout']}: `{row['law']}`"
                    + ("" if row["told"] else " (said: cannot tell)")
                    for row in wrong.to_dict(orient="records")
                ]
    return "\n".join([*lines, ""])


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
    lines += [
        "",
        f"Right terms in {paper['right'].sum()} of {len(paper)} runs (all would be 45; bar 42). 95 % intervals hold "
        f"the true coefficient in {held} of {intervals}"
        + (f" ({held / intervals:.0%}; bar 88 to 99 %)." if intervals else "."),
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
    running.add_argument("--cells", nargs="+", choices=("paper", "others", "null"), default=["paper", "others"])
    running.add_argument("--layouts", nargs="+", type=int, default=[10, 11, 12, 13, 14])
    running.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    writing = commands.add_parser("document")
    writing.add_argument("folder", type=Path)
    writing.add_argument("file", type=Path)
    given = parser.parse_args()
    if given.command == "run":
        run(given.folder, given.cells, given.layouts, given.libraries)
    else:
        given.file.write_text(markdown(given.folder), encoding="utf-8")


if __name__ == "__main__":
    main()
