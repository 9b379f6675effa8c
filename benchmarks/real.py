"""Readings of real instruments, for which the law is known: is it found, with which error, and in what time?

    python benchmarks/real.py run FOLDER [--cases rod_switched rod_periodic scratch_10k …] [--workers 1]
    python benchmarks/real.py document FOLDER docs/real_instruments.md

run: the law is sought as `discover` does with default settings, after a search for faulty sensors and averaging of
consecutive readings. A case is a file in FOLDER; existing ones are not computed again. The readings are in
``../shared/data/field`` (``--data``) and are not part of the project; if they are not available, it says so and ends.
"cloud" is the example of the README, relative to which times are measured.
References: for the rods, from the readings' README (forward fits by their authors); for the scratch assays, a forward
fit of u_t = D u_xx + r u (1 − u/1700) from the first profile, with no flux at the ends, computed here.
"""

from __future__ import annotations

import argparse
import json
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
from provenance import commit, inference_digest, versions
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import pdescry
from pdescry.experiments.markdown import lay_out
from pdescry.files import write_json
from pdescry.surrogate.samplers import Point
from pdescry.two_stage.options import TWO_STAGE

DATA = Path(__file__).parents[2] / "shared" / "data" / "field"
EXAMPLE = Path(__file__).parents[1] / "examples" / "cloud.csv"
FILES = {"rod_switched": "real_alrod_enph257_6_5", "rod_periodic": "real_alrod_thermalwave_20s"} | {
    f"scratch_{k}k": f"real_scratch_pc3_{k}k" for k in (10, 12, 14, 16, 20)
}
WHAT = {
    "cloud": "the README's example, simulated",
    "rod_switched": "aluminium rod, heater switched, 6 thermistors, 100 min",
    "rod_periodic": "aluminium rod, driven with a period of 20 s, 8 thermistors",
} | {name: f"cells in a scratch assay, {name[8:-1]},000 at first" for name in FILES if name.startswith("scratch")}
RODS = {"rod_switched": {"u_xx": (6.2e-5, 6.4e-5)}, "rod_periodic": {"u_xx": (6.1e-5, 6.5e-5)}}
WITHIN = {"rod": 0.1, "scratch": 0.5}  # relative to the reference
TIMES = 3.0  # relative to the example
CAPACITY = 1700.0  # cells a mm²


def readings_of(name: str, folder: Path) -> pdescry.Readings:
    if name == "cloud":
        return pdescry.read(EXAMPLE)
    with np.load(folder / f"{FILES[name]}.npz", allow_pickle=False) as arrays:
        t, x, u = arrays["t"], arrays["x"], arrays["u"]
    times, places = (each.ravel() for each in np.meshgrid(t, x, indexing="ij"))
    return pdescry.Readings.from_arrays(times, places, u.ravel())


def record_of(name: str, folder: Path, workers: int | None) -> dict[str, Any]:
    readings, networks = readings_of(name, folder), []
    began, at_work = time.monotonic(), time.process_time()
    sound = pdescry.examine(readings)[0].averaged()

    def train() -> list[Any]:
        networks.append(pdescry.interpolate(sound, sampler=Point(), chains=TWO_STAGE.networks, workers=workers))
        return networks

    choice = pdescry.choose(sound, workers=workers, train=train, leave_out=True)
    fit, comparison = choice.fit, choice.comparison
    alternatives: Any = comparison.alternatives[["law", "score", "probability"]]
    return {
        "case": name,
        "law": str(fit),
        "told": choice.told,
        "reason": str(comparison.reason or ""),
        "terms": [str(each.term) for each in fit.terms],
        "values": list(map(float, fit.values)),
        "sd": list(map(float, fit.sd)),
        "notes": list(map(str, fit.notes)),
        "faults": [str(each.notice()) for each in sound.faults],
        "alternatives": alternatives.to_dict(orient="records"),
        "reference": reference_of(name, folder),
        "networks": len(networks),
        "seconds": time.monotonic() - began,
        "seconds_of_a_core": time.process_time() - at_work,
    }


# ---- references ------------------------------------------------------------------------------------------------------


def reference_of(name: str, folder: Path) -> dict[str, tuple[float, float]]:
    """By term, the interval of its coefficient."""
    if name in RODS or name == "cloud":
        return RODS.get(name, {})
    readings = readings_of(name, folder)
    t, x = readings.times, np.unique(readings.space[:, 0])
    u = readings.values.reshape(len(t), len(x))
    step = float(np.diff(x).mean())

    def rates(_: float, w: np.ndarray, spread: float, growth: float) -> np.ndarray:
        padded = np.pad(w, 1, mode="edge")
        return spread * np.diff(padded, 2) / step**2 + growth * w * (1 - w / CAPACITY)

    def misfit(logs: np.ndarray) -> np.ndarray:
        solved = solve_ivp(rates, (t[0], t[-1]), u[0], t_eval=t, args=tuple(np.exp(logs)), method="LSODA")
        return (solved.y.T - u).ravel() / CAPACITY

    spread, growth = np.exp(least_squares(misfit, np.log([0.02, 1.0])).x)
    return {"u_xx": (float(spread), float(spread)), "u": (float(growth), float(growth))}


def off(record: dict[str, Any], term: str) -> float | None:
    """Relative deviation of a coefficient from its reference; None if the law has no such term."""
    if term not in record["terms"]:
        return None
    value, (low, high) = record["values"][record["terms"].index(term)], record["reference"][term]
    return max(low - value, value - high, 0.0) / ((low + high) / 2)


def verdict(record: dict[str, Any]) -> str:
    if record["case"] == "cloud":
        return ""
    if not record["told"]:
        return "cannot tell"
    kind = record["case"].partition("_")[0]
    shares = [off(record, term) for term in record["reference"]]
    near = all(share is not None and share <= WITHIN[kind] for share in shares)
    strange = set(record["terms"]) - ({"1", "u", "u_xx"} if kind == "rod" else {"u", "u^2", "u_xx"})
    if strange:
        return f"wrong: {', '.join(sorted(strange))}"
    return "right" if near else "right terms, coefficients too far" if None not in shares else "a term is missing"


# ---- the page --------------------------------------------------------------------------------------------------------


def markdown(records: list[dict[str, Any]]) -> str:
    order = list(WHAT)
    records = sorted(records, key=lambda each: order.index(each["case"]))
    commits = sorted({each["commit"] for each in records})
    example = next((each["seconds_of_a_core"] for each in records if each["case"] == "cloud"), None)
    lines = [
        "# Real instruments",
        "",
        "Made by `python benchmarks/real.py document benchmarks/records/real docs/real_instruments.md`, of records of "
        f"commit {', '.join(commits)}.",
        "The readings are other people's and not part of the project; the law is sought at default settings, nothing "
        "chosen by hand. But the inference of sensors' errors, and its limits, were designed on both rods, which are no "
        "test of it.",
        "",
        "Rods count as right if u_xx is found within 10 % of what their authors found by a forward fit, with no terms "
        "but losses, 1 and u, beside it.",
        "Scratch assays count as right if u_xx and u are found within 50 % of a forward fit of "
        "u_t = D u_xx + r u (1 − u/1700) to the same readings.",
        "Seconds are of one core" + (f"; the README's example took {example:.0f} of them." if example else "."),
        "",
        "| readings | law that is found, or best guess | probability | verdict | seconds | of the example |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for each in records:
        probability = each["alternatives"][0]["probability"] if each["told"] and each["alternatives"] else None
        spent = each["seconds_of_a_core"]
        lines.append(
            f"| {WHAT[each['case']]} | {each['law'].replace('*', '·')} | "
            f"{'' if probability is None else f'{probability:.2f}'} | {verdict(each)} | {spent:.0f} | "
            f"{'' if not example else f'{spent / example:.1f}'} |"
        )
    missing = [what for name, what in WHAT.items() if name not in {each["case"] for each in records}]
    if missing:
        lines += ["", f"Not measured: {'; '.join(missing)}."]
    assays = [verdict(each) for each in records if each["case"].startswith("scratch")]
    good = sum(each in ("right", "cannot tell") for each in assays)
    lines += ["", f"Scratch assays that are right, or 'cannot tell': {good} of {len(assays)}."]
    lines += ["", "References:", ""]
    for each in records:
        if each["reference"]:
            told = ", ".join(_span(term, *span) for term, span in each["reference"].items())
            lines.append(f"- {WHAT[each['case']]}: {told}.")
    lines += ["", "## What was said", ""]
    for each in records:
        said = [*([each["reason"]] if each["reason"] else []), *each["faults"], *each["notes"]]
        if each["case"] != "cloud" and said:
            lines += [f"{WHAT[each['case']].capitalize()}:", "", *(f"- {sentence}" for sentence in said), ""]
    return "\n".join(map(_wrapped, lines)).rstrip() + "\n"


def _wrapped(line: str) -> str:
    """Lines of 120 characters, except in tables."""
    indent = "  " * line.startswith("- ")
    return line if line.startswith("|") else textwrap.fill(line, 120, subsequent_indent=indent, break_on_hyphens=False)


def _span(term: str, low: float, high: float) -> str:
    return f"{term} {low:.3g}" + (f" to {high:.3g}" if high > low else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("folder", type=Path)
    running.add_argument("--cases", nargs="+", choices=list(WHAT), default=list(WHAT))
    running.add_argument("--data", type=Path, default=DATA)
    running.add_argument("--workers", type=int, default=1)
    writing = commands.add_parser("document")
    writing.add_argument("folder", type=Path)
    writing.add_argument("file", type=Path)
    given = parser.parse_args()
    if given.command == "document":
        records = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(given.folder.glob("*.json"))]
        if not records:
            raise SystemExit(f"Expected records (*.json) in {given.folder}; found none; make some: real.py run.")
        given.file.write_text(lay_out(markdown(records)), encoding="utf-8")
        return
    if not given.data.is_dir():
        print(f"The readings are not at hand: there is no folder {given.data}; nothing was run.")
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in given.cases:
        path = given.folder / f"{name}.json"
        if path.exists():
            continue
        made_by = {"commit": commit(), "inference": inference_digest(), "versions": versions()}
        record = made_by | record_of(name, given.data, given.workers)
        write_json(path, record)
        print(f"{name}: {record['law']} ({record['seconds_of_a_core']:.0f} s) {verdict(record)}", flush=True)


if __name__ == "__main__":
    main()
