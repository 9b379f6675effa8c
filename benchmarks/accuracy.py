"""Accuracy of the default method on known laws, and on readings without a law: how often the terms are right, errors of
coefficients, calibration of intervals and probabilities, and how often it says "cannot tell".

    python benchmarks/accuracy.py run FOLDER [--cells paper others coupled second input null faults forced]
        [--layouts 40 41 42 43 44] [--libraries general paper] [--workers 2]
    python benchmarks/accuracy.py stale FOLDER
    python benchmarks/accuracy.py document FOLDER docs/accuracy.md [--mixed]

run: for each cell (system, noise, layout of sensors) the terms are chosen from each library, as `discover` does with
default settings. "coupled" are laws of two fields, "second" laws of second order in time, "input" a rod with a known
heater; "null" are readings of noise alone, of a system whose times are shuffled (the same permutation for every
sensor), and of a coupled system of which one field is noise; "faults" are outliers, a dead and a drifting sensor, for
which `discover` looks first, and noise that is correlated in time; "forced" are laws with a periodic forcing that is
not among the candidates. A cell is a file in FOLDER; existing ones are not computed again; others are computed
``--workers`` at a time, on one core each, or on the workers of a ``--cluster``. A record contains its provenance
(``provenance.py``): the commit, versions, and digests of the settings and of the sources that infer a law.

stale: lists records made by other sources than the present ones that infer a law, and exits with 1 if there are any.
It is part of what is checked before a release (``records/README.md``), not of CI.

document: the tables of the existing records, with the commits at the top; missing ones are reported as missing. Records
that differ in the inference, in versions, or in the settings of one cell are refused unless --mixed is given; the page
then says so.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from cells import add_engine, made
from provenance import commit, inference_digest, settings_digest, versions

import pdescry
from pdescry.data import Input, systems
from pdescry.experiments.markdown import lay_out
from pdescry.experiments.paper import EXPERIMENTS
from pdescry.files import write_json
from pdescry.joint.choose import Joint
from pdescry.problem import Problem
from pdescry.surrogate.samplers import Point
from pdescry.two_stage.options import TWO_STAGE

NOISES = (0.0, 0.01, 0.05)
# Systems with noise of 5 % of the sd: number of sensors, and duration of the readings if it differs from the system's.
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
IDLE = "heated_rod with an idle input"  # known, but without effect
TIMES = 51  # of readings with a duration of their own
LIBRARIES = ("general", "paper")
NULL = ("noise only", "shuffled")
HALF_NULL = "v is noise"
SPIKES, DEAD_AND_DRIFTING = "spikes", "dead and drifting"  # 2 % outliers of 20 sd; one sensor each
LASTING, CORRELATION = "lasting errors", 0.8  # noise that is correlated from one reading of a sensor to the next
FAULTY = 0.05  # noise of readings with faults
# An unknown uniform forcing: its rms as a share of that of u_t, and its number of periods. Derivatives in space are not
# affected, so readings with it are readings without it plus its integral over time.
FORCED, SHARE, PERIODS = "forced", 0.2, 4
FORCED_SYSTEMS = ("heat", "advection_diffusion")
KINDS = ("paper", "others", "coupled", "second", "input", "null", "faults", "forced")


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
        if "faults" in kinds:
            found += [
                {"system": s, "noise": fault, "layout": layout, "sensors": 16, "kind": "faults"}
                for s in ("heat", "burgers")
                for fault in (SPIKES, DEAD_AND_DRIFTING, LASTING)
            ]
        if "forced" in kinds:
            found += [
                {"system": s, "noise": FORCED, "layout": layout, "sensors": 16, "kind": "forced"}
                for s in FORCED_SYSTEMS
            ]
    return found


def system_of(cell: dict[str, Any]) -> Any:
    return systems.get("heated_rod" if cell["system"] == IDLE else cell["system"])


def readings_of(cell: dict[str, Any]) -> pdescry.Readings:
    system, kind = system_of(cell), cell["noise"]
    faulty = {SPIKES: FAULTY, DEAD_AND_DRIFTING: FAULTY, LASTING: 0.0} | dict.fromkeys(NULL, FAULTY)
    noise = faulty.get(kind, "2%" if kind in (HALF_NULL, FORCED) else kind)
    until = cell.get("until")
    read_at: dict[str, Any] = {} if until is None else {"times": np.linspace(0, until, TIMES)}
    readings = system.observe(sensors=cell["sensors"], noise=noise, seed=cell["layout"], **read_at)
    random = np.random.default_rng([cell["layout"], 7])
    if kind == "noise only":
        return replace(readings, values=random.normal(size=readings.values.shape))
    if kind in (SPIKES, DEAD_AND_DRIFTING, LASTING):
        return replace(readings, values=with_faults(readings, kind, random))
    if kind == FORCED:
        return replace(readings, values=readings.values + forcing(system, readings)[:, None])
    if kind == HALF_NULL:
        values = readings.values.copy()
        values[:, 1] = random.normal(values[:, 1].mean(), values[:, 1].std(), len(values))
        return replace(readings, values=values)
    if kind == "shuffled":
        moments = np.unique(readings.time)
        shuffled = random.permutation(moments)[np.searchsorted(moments, readings.time)]
        return pdescry.Readings.from_arrays(shuffled, readings.space, readings.values)
    if cell["system"] == IDLE:  # switched as the heater is, at its own times
        early, late = readings.span["t"]
        switched = np.sort(random.uniform(early, late, 6))
        times = np.concatenate([[early], switched, [late]])
        idle = Input("Q", times, None, random.uniform(0, 1.5, len(times)), "held")
        return replace(readings, inputs=(*readings.inputs, idle))
    return readings


def forcing(system: Any, readings: pdescry.Readings) -> Any:
    """(readings,): contribution of a uniform forcing to the field, ∫ a sin(ωt) dt."""
    clean = system.observe(sensors=64, noise=0.0, seed=0)
    field = clean.values.reshape(len(clean.times), -1)
    rms = np.sqrt(np.mean(np.gradient(field, clean.times, axis=0) ** 2))
    early, late = readings.span["t"]
    frequency = 2 * np.pi * PERIODS / (late - early)
    return np.sqrt(2) * SHARE * rms * (1 - np.cos(frequency * (readings.time - early))) / frequency


def with_faults(readings: pdescry.Readings, kind: str, random: np.random.Generator) -> Any:
    values = readings.values.copy()
    if kind == SPIKES:
        rows = random.choice(len(values), round(0.02 * len(values)), replace=False)
        values[rows, 0] += 20 * FAULTY * random.choice([-1, 1], len(rows))
        return values
    if kind == LASTING:
        for sensor in range(readings.n_sensors):
            own = np.flatnonzero(readings.sensor == sensor)
            errors = random.normal(size=len(own))
            for k in range(1, len(own)):
                errors[k] = CORRELATION * errors[k - 1] + np.sqrt(1 - CORRELATION**2) * errors[k]
            values[own[np.argsort(readings.time[own])], 0] += FAULTY * errors
        return values
    for sensor, fault in zip(faulty_sensors(readings, random), ("constant", "drift"), strict=True):
        own = np.flatnonzero(readings.sensor == sensor)
        since = (readings.time[own] - readings.time.min()) / np.ptp(readings.time)
        values[own, 0] = (
            values[own[since.argmin()], 0] if fault == "constant" else values[own, 0] + since * readings.values.std()
        )
    return values


def faulty_sensors(readings: pdescry.Readings, random: np.random.Generator) -> Any:
    """One dead and one drifting sensor, both inner ones."""
    return random.choice(np.argsort(readings.places[:, 0])[1:-1], 2, replace=False)


def name_of(cell: dict[str, Any]) -> str:
    return f"{cell['system']}-{cell['noise']}-{cell['layout']}"


def run(
    folder: Path,
    kinds: list[str],
    layouts: list[int],
    libraries: list[str],
    workers: int | None,
    cluster: str | None = None,
) -> None:
    from accuracy import record_of as make  # processes import it by the name of this module, not as the script's

    folder.mkdir(parents=True, exist_ok=True)
    made_by = {"commit": commit(), "inference": inference_digest(), "versions": versions()}
    tasks = {
        f"{name_of(cell)}-{library}": (cell, library)
        for cell in cells(kinds, layouts)
        for library in (libraries if cell.get("kind") is None else libraries[:1])
    }
    missing = {name: task for name, task in tasks.items() if not (folder / f"{name}.json").exists()}
    for name, record in made(make, missing, workers, cluster):
        write_json(folder / f"{name}.json", made_by | record)
        print(f"{name}: {record['law']} ({record['seconds']:.0f} s) {record['reason'][:60]}", flush=True)


def record_of(cell: dict[str, Any], library: str) -> dict[str, Any]:
    """On one core."""
    began, networks = time.monotonic(), []
    readings, faults = pdescry.examine(readings_of(cell))

    def train() -> list[Any]:
        """As `discover` does, when it does."""
        networks.append(pdescry.interpolate(readings, sampler=Point(), chains=TWO_STAGE.networks, workers=1))
        return networks

    try:
        choice = pdescry.choose(readings, library, workers=1, train=train, leave_out=True)
    except pdescry.PdescryError as fault:
        found: dict[str, Any] = {"law": None, "reason": str(fault), "reasons": {}}
    else:
        fit, comparison = choice.fit, choice.comparison
        found = {
            "law": str(fit),
            "reason": str(comparison.reason or ""),
            "reasons": {field: str(reason) for field, reason in comparison.reasons.items()},
            "fields": fit.fields,
            "orders": fit.orders,
            "terms": [str(term) for term in fit.terms],
            "values": fit.values,
            "sd": fit.sd,
            "inferred_noise": dict(zip(fit.fields, map(float, fit.noise), strict=True)),
            "missing_told": any(note.code == "unknown-source" for note in fit.notes),
            "alternatives": comparison.alternatives.to_dict(orient="records"),
            "probabilities": comparison.probabilities.to_dict(orient="records"),
        }
    made = {
        "library": library,
        "settings": settings_digest(settings_of(cell, library, readings)),
        "seconds": time.monotonic() - began,
        "networks": len(networks),
    }
    if cell.get("kind") == "faults":
        made |= {"faults": [each.to_dict() for each in faults], "both_named": both_named(cell, faults)}
    return cell | made | found


def settings_of(cell: dict[str, Any], library: str, readings: pdescry.Readings) -> dict[str, Any]:
    """What the records of one cell have in common, whatever the layout of sensors: the cell, the candidates, and the
    settings of the method."""
    problem = Problem.of(readings, library)
    return {
        "cell": {name: value for name, value in cell.items() if name != "layout"},
        "library": library,
        "candidates": [[str(each) for each in some.candidates] for some in (problem, *problem.alternatives)],
        "method": asdict(Joint()),
        "networks": TWO_STAGE.networks,
    }


def both_named(cell: dict[str, Any], faults: Any) -> bool:
    """Whether outliers were found, or the dead and the drifting sensor, and nothing else was left out."""
    if cell["noise"] == SPIKES:
        return [each.kind for each in faults] == ["outliers"]
    if cell["noise"] == LASTING:
        return not any(each.left_out for each in faults)
    dead, drifting = faulty_sensors(readings_of(cell), np.random.default_rng([cell["layout"], 7]))
    named = {(each.kind, *each.sensors) for each in faults if each.left_out}
    return named == {("constant", str(dead)), ("drift", str(drifting))}


# ---- what made them --------------------------------------------------------------------------------------------------


def records_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Records by the names of their files."""
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    if not found:
        raise SystemExit(f"Expected records (*.json) in {folder}; found none; make some: accuracy.py run {folder}.")
    return found


def stale(folder: Path) -> int:
    """The exit code: 1 if other sources made a record, or if its sources are unknown."""
    present, records = inference_digest(), records_of(folder)
    old = {name: record for name, record in records.items() if record.get("inference") != present}
    for name, record in old.items():
        made_by = record.get("inference", "unknown")
        print(f"{name}: made by {record.get('commit', 'an unknown commit')}, inference {made_by}")
    if old:
        print(f"{len(old)} of {len(records)} records are stale: the inference is {present} now; delete and run again.")
    else:
        print(f"All {len(records)} records are of the present inference, {present}.")
    return int(bool(old))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("folder", type=Path)
    running.add_argument("--cells", nargs="+", choices=KINDS, default=list(KINDS))
    running.add_argument("--layouts", nargs="+", type=int, default=[40, 41, 42, 43, 44])
    add_engine(running)
    running.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    writing = commands.add_parser("document")
    writing.add_argument("folder", type=Path)
    writing.add_argument("file", type=Path)
    writing.add_argument("--mixed", action="store_true", help="also where different sources or settings made them")
    checking = commands.add_parser("stale")
    checking.add_argument("folder", type=Path)
    given = parser.parse_args()
    if given.command == "run":
        run(given.folder, given.cells, given.layouts, given.libraries, given.workers, given.cluster)
    elif given.command == "stale":
        raise SystemExit(stale(given.folder))
    else:
        from accuracy_tables import markdown

        given.file.write_text(lay_out(markdown(records_of(given.folder), given.mixed)), encoding="utf-8")


if __name__ == "__main__":
    main()
