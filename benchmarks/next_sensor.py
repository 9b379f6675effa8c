"""Whether the advice of `law.next_sensor` is better than a random place, and than the middle of the widest gap.

    python benchmarks/next_sensor.py run FOLDER [--systems burgers advection_diffusion] [--layouts 0 1 … 9]
    python benchmarks/next_sensor.py document FOLDER docs/next_sensor.md

run: for each system and layout of eight sensors (random places, noise 0.05) the coefficients of the true terms are
inferred together with the field, starting from a Gaussian process, without knowledge of the truth. Then one more sensor
is read, with noise, from the true solution: at the advised place, in the middle of the widest gap, and at random places
between the outermost sensors; and everything is inferred again, starting from the fit before, or from a Gaussian
process if that does not lead to the law. Each is done for several seeds of the noise, with a random place for each. A
layout is a file in FOLDER; existing ones are not computed again.
document: the effect of an added sensor on the uncertainty of the coefficients and on their error.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pdescry import JointFit, Readings, refine
from pdescry.cores import one_thread
from pdescry.data import systems
from pdescry.data.systems import System
from pdescry.experiments.markdown import lay_out
from pdescry.files import appearing, write_json
from pdescry.joint.field.mesh import carried, elements_in_time, first_sizes, graded_space
from pdescry.joint.field.process import Process
from pdescry.joint.fit.noise_model import NoiseModel
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.stages import refined_and_finished
from pdescry.joint.observations import Observations
from pdescry.joint.options import ANSWER
from pdescry.joint.search.verdict import departures

SENSORS, NOISE = 8, 0.05
SYSTEMS, LAYOUTS = ("burgers", "advection_diffusion"), range(10)
REPEATS = 3  # seeds of the added sensor's noise, and places at random
STRATEGIES = {"advised": "the advised place", "gap": "the middle of the widest gap", "random": "a place at random"}


def fitted(system: System, readings: Readings, before: JointFit | None = None) -> JointFit:
    """A fit starting from the one without the last sensor; if that does not lead to the law, or there is none, by
    `refine`, from a Gaussian process; the better one by its elpd."""
    found: list[JointFit] = []
    if before is not None:
        noise = [np.array([Process.fitted("smooth", readings, 0).noise])]
        with one_thread(), np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
            law = refined_and_finished(_with_readings(before, readings))
            found.append(JointFit(law, replace(before.problem, experiments=(readings,))))
            if law.relative_residual < ANSWER.report.residual and not departures(law, noise).any():
                return found[0]
    found.append(refine(readings, system.equation, workers=1))
    return max(found, key=lambda each: each.elpd)


def _with_readings(fit: JointFit, readings: Readings) -> Minimum:
    """The same law and field for other readings, on the coarsest mesh: `refined_and_finished` refines it as needed."""
    observed = Observations(readings)
    model = NoiseModel.of(fit.noise, fit.experiment.noise_model.offset_sd, observed)
    space = graded_space(fit.experiment.space, fit.state, first_sizes(elements_in_time(observed), False)[0])
    state = carried(fit.state, fit.experiment.space, space)
    found = fit.minimum.with_experiments([replace(fit.experiment, space=space, noise_model=model)], [state])
    return found.objective.minimise(found.states, found.coefficients, FIT.steps.per_tolerance)


def with_sensor(system: System, readings: Readings, place: float, seed: int) -> Readings:
    times = readings.times
    noise = np.random.default_rng([seed, 17]).normal(0, NOISE, len(times))
    return Readings.from_arrays(
        np.concatenate([readings.time, times]),
        np.concatenate([readings.space[:, 0], np.full(len(times), place)]),
        np.concatenate([readings.values[:, 0], system.solution.at(times, place) + noise]),
    )


def record(system: System, fit: JointFit, place: float | None = None) -> dict[str, Any]:
    true = np.array([system.equation.coefficients[each.term] for each in fit.terms])
    return {
        "place": place,
        "coefficients": fit.values.tolist(),
        "sd": fit.sd.tolist(),
        "log_determinant": float(np.linalg.slogdet(fit.covariance)[1]),
        "error": float(np.sqrt(np.mean((fit.values / true - 1) ** 2))),
    }


def one(name: str, layout: int, repeats: int = REPEATS, strategies: Iterable[str] = STRATEGIES) -> dict[str, Any]:
    """One layout: before, what was expected, and after."""
    system, started = systems.get(name), time.perf_counter()
    readings = system.observe(sensors=SENSORS, noise=NOISE, seed=layout)
    before = fitted(system, readings)
    began = time.perf_counter()
    advice = before.next_sensor()
    seconds = time.perf_counter() - began
    x = np.sort(readings.places[:, 0])
    widest = int(np.argmax(np.diff(x)))
    places = {
        "advised": np.full(repeats, advice.table["x"][0]),
        "gap": np.full(repeats, x[widest : widest + 2].mean()),
        "random": np.random.default_rng([layout, 19]).uniform(x[0], x[-1], repeats),
    }
    places = {strategy: places[strategy] for strategy in strategies}
    found: dict[str, Any] = {
        "system": name,
        "layout": layout,
        "sensors": x.tolist(),
        "terms": [str(each.term) for each in before.terms],
        "before": record(system, before),
        "expected": {
            strategy: np.interp(where, advice.sensors["x"], advice.sensors).tolist()
            for strategy, where in places.items()
        },
        "seconds_of_advice": seconds,
    }
    for strategy, where in places.items():
        found[strategy] = [
            record(system, fitted(system, with_sensor(system, readings, float(place), seed), before), float(place))
            for seed, place in enumerate(where)
        ]
    return found | {"seconds": time.perf_counter() - started}


def run(folder: Path, names: list[str], layouts: list[int]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for layout in layouts:
        for name in names:
            file = folder / f"{name}-{layout}.json"
            if file.exists():
                continue
            found = one(name, layout)
            write_json(file, found)
            gained = {strategy: np.mean(gains(found, strategy)).round(3) for strategy in STRATEGIES}
            print(name, layout, f"{found['seconds']:.0f} s, nats:", gained, flush=True)


# ---- what came of it -------------------------------------------------------------------------------------------------


def gains(found: dict[str, Any], strategy: str) -> np.ndarray:
    """Nats by which the log determinant of the coefficients' covariance decreased, for each repeat."""
    return np.array([(found["before"]["log_determinant"] - each["log_determinant"]) / 2 for each in found[strategy]])


def errors(found: dict[str, Any], strategy: str) -> np.ndarray:
    return np.array([each["error"] for each in found[strategy]])


def summary(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Over the layouts of one system: means over repeats, then over layouts; differences paired by layout, with their
    standard errors."""
    rows: dict[str, Any] = {}
    for what, of in (("nats", gains), ("error", errors)):
        means = {strategy: np.array([of(each, strategy).mean() for each in records]) for strategy in STRATEGIES}
        for strategy, values in means.items():
            rows[f"{what} {strategy}"] = float(values.mean())
        for strategy in ("gap", "random"):
            apart = means["advised"] - means[strategy]
            rows[f"{what} advised - {strategy}"] = float(apart.mean())
            rows[f"{what} advised - {strategy} median"] = float(np.median(apart))
            rows[f"{what} advised - {strategy} se"] = float(apart.std(ddof=1) / np.sqrt(len(apart)))
            better = apart > 0 if what == "nats" else apart < 0
            rows[f"{what} better than {strategy}"] = int(better.sum())
    rows["error before"] = float(np.mean([each["before"]["error"] for each in records]))
    for strategy in STRATEGIES:
        rows[f"expected {strategy}"] = float(np.mean([each["expected"][strategy] for each in records]))
    return rows


HEAD = f"""# Where to put the next sensor: does the advice help?

Made by `benchmarks/next_sensor.py` from the records in `benchmarks/records/next_sensor/`; do not edit by hand.

`law.next_sensor()` says where a sensor more would shrink the uncertainty of the coefficients most
(`joint/information.py` has the formulas). Tried on known systems: {SENSORS} sensors at random places, noise {NOISE};
the true terms, their coefficients inferred together with the field, begun from a Gaussian process. Then one sensor
more, read with noise from the true solution at the same times, and everything inferred anew: at the advised place, in
the middle of the widest gap between sensors, and at {REPEATS} places drawn at random between the outermost ones; each
with {REPEATS} seeds of the noise. These fits begin from the one before; where that does not lead to the law (by the
rule of `refine`), from a Gaussian process, and the better one by held-out score counts. Figures are means over the
repeats, then over layouts; differences are paired by layout, ± their standard error.

*Information*: nats by which the covariance of the coefficients shrank, ½ log(|Σ before| / |Σ after|), as it was
expected before the sensor was read, and refitted. *Error*: rms over the coefficients of the relative error.

The advice is about uncertainty, and what it promises came true on average over these layouts. Errors scatter far more
from layout to layout: to halve an sd is not to halve the error of one experiment. Where eight sensors hardly determine
the law (no sensor near Burgers' shock), fits with a ninth may end elsewhere, with larger or far smaller sds than
before; means are then made by few layouts, hence the medians. All places are tried with the same seeds of the noise.
"""


def document(folder: Path, target: Path) -> None:
    records = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]
    lines = [HEAD]
    for name in dict.fromkeys(each["system"] for each in records):
        own = sorted((each for each in records if each["system"] == name), key=lambda each: each["layout"])
        lines += _section(name, own)
    with appearing(target) as temporary:
        temporary.write_text(lay_out("\n".join(lines)), encoding="utf-8")


def _section(name: str, own: list[dict[str, Any]]) -> list[str]:
    found, number = summary(own), len(own)
    lines = [
        f"## {name}, {number} layouts\n",
        f"| one more sensor at | expected, nats | refitted, nats | error (before: {found['error before']:.2%}) |",
        "| --- | --- | --- | --- |",
    ]
    for strategy, name in STRATEGIES.items():
        expected, nats, error = (found[f"{what} {strategy}"] for what in ("expected", "nats", "error"))
        lines.append(f"| {name} | {expected:.3f} | {nats:.3f} | {error:.2%} |")
    lines.append("")
    for strategy in ("random", "gap"):
        nats, nats_se, nats_median, error, error_se, error_median = (
            found[f"{what} advised - {strategy}{ending}"]
            for what in ("nats", "error")
            for ending in ("", " se", " median")
        )
        lines.append(
            f"The advised place less {STRATEGIES[strategy]}: information {nats:+.3f} ± {nats_se:.3f} nats (median "
            f"{nats_median:+.3f}; more in {found[f'nats better than {strategy}']} of {number} layouts), "
            f"{_significance(nats, nats_se)}; error {100 * error:+.2f} ± {100 * error_se:.2f} percentage points "
            f"(median {100 * error_median:+.2f}; smaller in {found[f'error better than {strategy}']} of {number}), "
            f"{_significance(error, error_se)}.\n"
        )
    return lines


def _significance(difference: float, error: float) -> str:
    return "a difference" if abs(difference) > 2 * error else "which these layouts cannot distinguish from zero"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("run")
    make.add_argument("folder", type=Path)
    make.add_argument("--systems", nargs="+", default=list(SYSTEMS))
    make.add_argument("--layouts", nargs="+", type=int, default=list(LAYOUTS))
    write = commands.add_parser("document")
    write.add_argument("folder", type=Path)
    write.add_argument("target", type=Path)
    given = parser.parse_args()
    if given.command == "run":
        run(given.folder, given.systems, given.layouts)
    else:
        document(given.folder, given.target)


if __name__ == "__main__":
    main()
