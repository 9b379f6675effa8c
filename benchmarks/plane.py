"""Laws in the plane: which are found, how accurately, and how long it takes.

    python benchmarks/plane.py run benchmarks/records/plane --layouts 51 52 53 54 55
    python benchmarks/plane.py table benchmarks/records/plane > docs/plane.md

Fields are computed in this file alone: sums of Gaussians that spread and drift, which satisfy advection-diffusion in
closed form, and Fourier series on a periodic square, in closed form for waves and stepped by an integrating-factor
Runge-Kutta scheme for the others. Sensors are at random places; a share of sd(u) is added as independent noise. ``D1``
and ``D2`` are random readings, each at its own place and time, as published for DeePyMoD. ``noise`` is noise alone,
``shuffled`` has the readings of each sensor in a random order: neither determines a law.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from provenance import commit, inference_digest, versions

import pdescry
from pdescry import Readings
from pdescry.equation.algebra import expand
from pdescry.experiments.markdown import lay_out

Array = NDArray[Any]  # of floats, spectra of complex numbers
SEED = 23  # of the issue
SIDE = 2 * np.pi  # of the periodic square
GRID = 64  # points along each side of it
STEP = 2e-3
MODES = 3  # of a random initial state, along each side

# ---- fields ----------------------------------------------------------------------------------------------------------

Field = Callable[[Array, Array], Array]  # times (T,), places (S, 2) → (T, S, fields)


def gaussians(random: np.random.Generator, drift: tuple[float, float], spread: tuple[float, float]) -> Field:
    """u_t = drift·∇u + spread_x·u_xx + spread_y·u_yy on free space."""
    centres, sizes = random.uniform(-1.2, 1.2, (5, 2)), random.uniform(0.4, 0.7, 5)
    heights = random.choice([-1.0, 1.0], 5) * random.uniform(0.5, 1.2, 5)

    def at(times: Array, places: Array) -> Array:
        found = np.zeros((len(times), len(places), 1))
        for centre, size, height in zip(centres, sizes, heights, strict=True):
            share, exponent = np.full((len(times), 1), height), 0.0
            for k in range(2):
                variance = size**2 + 2 * spread[k] * times[:, None]
                away = places[None, :, k] - centre[k] + drift[k] * times[:, None]
                share, exponent = share * size / np.sqrt(variance), exponent + away**2 / (2 * variance)
            found[..., 0] += share * np.exp(-exponent)
        return found

    return at


def _waves() -> tuple[Array, Array]:
    k = np.fft.fftfreq(GRID, 1 / GRID) * 2 * np.pi / SIDE
    return k[:, None] * np.ones(GRID), np.ones((GRID, 1)) * k


def random_start(random: np.random.Generator, modes: int = MODES) -> Array:
    """(GRID, GRID), with mean zero and sd one."""
    kx, ky = _waves()
    size = np.where((np.abs(kx) <= modes) & (np.abs(ky) <= modes), np.exp(-(kx**2 + ky**2) / modes**2), 0.0)
    size[0, 0] = 0.0
    found = np.fft.ifft2(size * np.fft.fft2(random.normal(size=(GRID, GRID)))).real
    return found / found.std()


def _on_square(series: Iterable[Array], places: Array) -> Array:
    """(T, S, fields), from Fourier coefficients (fields, GRID, GRID) at each time."""
    kx, ky = _waves()
    along = np.exp(1j * places[:, :1] * kx[:, 0]), np.exp(1j * places[:, 1:] * ky[0])
    at = [np.einsum("sa,fab,sb->sf", along[0], each, along[1], optimize=True).real / GRID**2 for each in series]
    return np.array(at)


def stepped(start: Array, linear: Array, rest: Callable[[Array, Callable[[Array, int], Array]], Array]) -> Field:
    """û_t = linear·û + (rest)^, from (fields, GRID, GRID); rest: a function of the fields and their derivatives."""
    kx, ky = _waves()
    kept = (np.abs(kx) < GRID / 3) & (np.abs(ky) < GRID / 3)

    def slope(spectrum: Array) -> Array:
        fields = np.fft.ifft2(spectrum).real
        return kept * np.fft.fft2(rest(fields, lambda each, axis: np.fft.ifft2(1j * (kx, ky)[axis] * each).real))

    def at(times: Array, places: Array) -> Array:
        half, now, clock, found = np.exp(linear * STEP / 2), np.fft.fft2(start), 0.0, []
        for moment in times:
            while clock < moment - STEP / 2:
                a = STEP * slope(now)
                b = STEP * slope(half * (now + a / 2))
                c = STEP * slope(half * now + b / 2)
                d = STEP * slope(half**2 * now + half * c)
                now = half**2 * now + (half**2 * a + 2 * half * (b + c) + d) / 6
                clock += STEP
            found.append(now.copy())
        return _on_square(found, places)

    return at


def waves(random: np.random.Generator, speed: float) -> Field:
    """u_tt = speed²·lap(u), with random phases."""
    kx, ky = _waves()
    first, second = (np.fft.fft2(random_start(random, 2)) for _ in range(2))
    rate = speed * np.sqrt(kx**2 + ky**2)
    return lambda times, places: _on_square(
        [(np.cos(rate * t) * first + np.sin(rate * t) * second)[None] for t in times], places
    )


def _laplace() -> Array:
    kx, ky = _waves()
    return -(kx**2 + ky**2)


def reacting(
    random: np.random.Generator, diffusivity: float, reaction: Callable[[Array], Array], mean: float, size: float
) -> Field:
    start = mean + size * random_start(random)[None]
    return stepped(start, diffusivity * _laplace(), lambda fields, _: reaction(fields))


def burgers(random: np.random.Generator) -> Field:
    def rest(fields: Array, _: Any) -> Array:
        spectrum, (kx, ky) = np.fft.fft2(fields**2 / 2), _waves()
        return -np.fft.ifft2(1j * (kx + ky) * spectrum).real

    return stepped(0.5 * random_start(random, 2)[None], 0.1 * _laplace(), rest)


def lambda_omega(random: np.random.Generator) -> Field:
    def rest(fields: Array, _: Any) -> Array:
        u, v = fields
        squared = u**2 + v**2
        return np.stack([u - squared * u + squared * v, v - squared * u - squared * v])

    return stepped(0.8 * np.stack([random_start(random, 2), random_start(random, 2)]), 0.1 * _laplace(), rest)


@dataclass(frozen=True)
class Case:
    """law: of the field. until: the last time. box: of the sensors."""

    law: str
    field: Callable[[np.random.Generator], Field]
    until: float
    box: tuple[float, float] = (0.0, SIDE)
    fields: int = 1


FREE = (-2.5, 2.5)
CASES = {
    "heat": Case("u_t = 0.2*lap(u)", lambda r: gaussians(r, (0, 0), (0.2, 0.2)), 1.5, FREE),
    "advection_diffusion": Case(
        "u_t = 0.25*u_x + 0.5*u_y + 0.5*lap(u)", lambda r: gaussians(r, (0.25, 0.5), (0.5, 0.5)), 1.0, FREE
    ),
    "anisotropic": Case("u_t = 0.4*u_xx + 0.1*u_yy", lambda r: gaussians(r, (0, 0), (0.4, 0.1)), 1.5, FREE),
    "fisher_kpp": Case("u_t = 0.1*lap(u) + u - u^2", lambda r: reacting(r, 0.1, lambda u: u - u**2, 0.4, 0.15), 3.0),
    "burgers": Case("u_t = 0.1*lap(u) - u*div(u)", burgers, 2.0),
    "allen_cahn": Case("u_t = 0.1*lap(u) + u - u^3", lambda r: reacting(r, 0.1, lambda u: u - u**3, 0.0, 0.4), 3.0),
    "wave": Case("u_tt = lap(u)", lambda r: waves(r, 1.0), 3.0),
    "lambda_omega": Case(
        "u_t = 0.1*lap(u) + u - u^3 - u*v^2 + u^2*v + v^3; v_t = 0.1*lap(v) + v - u^3 - u*v^2 - u^2*v - v^3",
        lambda_omega, 3.0, fields=2,
    ),
}  # fmt: skip
NULLS = ("noise", "shuffled")
RANDOM = {"D1": (1_000, 0.01), "D2": (10_000, 0.40)}  # readings and noise
D_SHAPE = (51, 51, 61)  # of the grid in x, y and t from which random readings are taken


def random_readings(name: str, layout: int) -> Readings:
    """Readings of 0.25 u_x + 0.5 u_y + 0.5 lap(u), at random points of a grid."""
    number, noise = RANDOM[name]
    random = np.random.default_rng([layout, SEED, number])
    field = CASES["advection_diffusion"].field(random)
    times = np.linspace(0, 1, D_SHAPE[2])
    along = np.linspace(*FREE, D_SHAPE[0])
    places = np.stack(np.meshgrid(along, along, indexing="ij"), axis=-1).reshape(-1, 2)
    values = field(times, places)[..., 0]
    some = random.choice(values.size, number, replace=False)
    when, where = np.unravel_index(some, values.shape)
    read = values[when, where] + noise * values.std() * random.normal(size=number)
    return Readings.from_arrays(times[when], places[where], read, axes=("x", "y"))


def readings_of(name: str, layout: int, noise: float, sensors: int = 60, times: int = 40) -> Readings:
    if name in RANDOM:
        return random_readings(name, layout)
    case = CASES["advection_diffusion" if name in NULLS else name]
    if case.fields > 1:
        sensors, times = 150, 60
    random = np.random.default_rng([layout, SEED])
    field = case.field(random)
    moments, places = np.linspace(0, case.until, times), random.uniform(*case.box, (sensors, 2))
    values = field(moments, places)
    values = values + noise * values.std(axis=(0, 1)) * random.normal(size=values.shape)
    if name == "noise":
        values = random.normal(size=values.shape)
    if name == "shuffled":
        values = random.permuted(values, axis=0)
    time_of = np.repeat(moments, sensors)
    return Readings.from_arrays(
        time_of, np.tile(places, (times, 1)), values.reshape(-1, case.fields), axes=("x", "y"),
        fields=("u", "v")[: case.fields],
    )  # fmt: skip


# ---- runs ------------------------------------------------------------------------------------------------------------


def truth_of(name: str) -> dict[tuple[str, str], float]:
    if name in NULLS:
        return {}
    law = pdescry.Equation.parse(CASES["advection_diffusion" if name in RANDOM else name].law, ("x", "y"))
    return {(each.field, str(term)): value for each in law.components for term, value in each.terms}


def _opened(table: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Without groups, so that laws can be compared however they are written."""
    found: dict[tuple[str, str], float] = {}
    for (field, text), value in table.items():
        for term, share in expand({pdescry.Term.parse(text, ("u", "v"), ("x", "y")): value}).items():
            found[field, str(term)] = found.get((field, str(term)), 0.0) + share
    return found


def run(name: str, layout: int, noise: float, workers: int | None) -> dict[str, Any]:
    readings, begin, cpu = readings_of(name, layout, noise), time.perf_counter(), time.process_time()
    choice = pdescry.choose(readings, workers=workers)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    table, truth = choice.fit.coefficients, truth_of(name)
    rows = {(row["field"], row["term"]): row for row in table.to_dict(orient="records")}
    found = {key: float(row["mean"]) for key, row in rows.items()} if choice.told else {}
    true, own = _opened(truth), _opened(found)
    keys = sorted({*true, *own})
    left_out = np.array([own.get(key, 0.0) - true.get(key, 0.0) for key in keys])
    size = float(np.linalg.norm([true.get(key, 0.0) for key in keys])) or 1.0
    held = [bool(rows[key]["low"] <= value <= rows[key]["high"]) for key, value in truth.items() if key in found]
    errors = [abs(found[key] / value - 1) for key, value in truth.items() if key in found]
    return {
        "case": name, "layout": layout, "noise": noise, "readings": len(readings), "told": choice.told,
        "right": found.keys() == truth.keys(), "e2": float(np.linalg.norm(left_out)) / size if found else None,
        "errors": errors, "held": held, "law": str(choice), "best": str(choice.fit), "seconds": seconds, "cpu": cpu,
        "probability": float(choice.comparison.alternatives["probability"].iloc[0]),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "commit": commit(), "versions": versions(), "inference": inference_digest(),
    }  # fmt: skip


# ---- the page --------------------------------------------------------------------------------------------------------

HEAD = """# Laws in the plane

How often the law is found, how well, and how long it takes.
Made by `python benchmarks/plane.py table benchmarks/records/plane > docs/plane.md`; the fields, sensors and noise are
described in `benchmarks/plane.py`.
Settings are the defaults of `pdescry.choose` with `workers=1`; *right* means exactly the true terms, and times are
seconds of one core, because machines are shared.
Cases of `benchmarks/plane.py` without a row were not run.
"""


def table(folder: Path) -> str:
    records = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    lines = [
        HEAD,
        "| case | noise | layouts | right | cannot tell | median error | covered by intervals | median core s | MB |",
    ]
    lines.append("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, noise in sorted({(each["case"], each["noise"]) for each in records}):
        own = [each for each in records if (each["case"], each["noise"]) == (name, noise)]
        errors = [error for each in own for error in each["errors"]]
        held = [each for some in own for each in some["held"]]
        lines.append(
            f"| {name} | {noise:.0%} | {len(own)} | {sum(each['right'] and each['told'] for each in own)} "
            f"| {sum(not each['told'] for each in own)} | {f'{np.median(errors):.1%}' if errors else ''} "
            f"| {f'{sum(held)} of {len(held)}' if held else ''} | {np.median([each['cpu'] for each in own]):.0f} "
            f"| {max(each['peak_mb'] for each in own):.0f} |"
        )
    lines += _of_random_readings(records)
    lines += ["", "## Each run", "", "| case | noise | layout | law | core s |", "| --- | --- | --- | --- | --- |"]
    for each in sorted(records, key=lambda each: (each["case"], each["noise"], each["layout"])):
        law = each["law"].replace("|", "\\|").replace("\n", "; ")
        law = law.split(":")[0] if not each["told"] else law
        lines.append(f"| {each['case']} | {each['noise']:.0%} | {each['layout']} | {law} | {each['cpu']:.0f} |")
    commits = ", ".join(sorted({each["commit"] for each in records}))
    return "\n".join([*lines, "", f"Commits: {commits}.", ""])


def _of_random_readings(records: list[dict[str, Any]]) -> list[str]:
    published = {"D1": 0.023, "D2": 0.063}
    lines: list[str] = []
    for name, theirs in published.items():
        own = [each["e2"] for each in records if each["case"] == name and each["e2"] is not None]
        if own:
            lines += [
                "",
                f"{name}: median relative error of the coefficient vector {np.median(own):.4f} over {len(own)} ",
            ]
            lines[-1] += f"layouts with a law (DeePyMoD published {theirs})."
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description="Laws in the plane.")
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("run")
    making.add_argument("folder", type=Path)
    making.add_argument("--layouts", type=int, nargs="+", required=True)
    making.add_argument("--case", action="append", choices=[*CASES, *RANDOM, *NULLS])
    making.add_argument("--noise", type=float, nargs="+", default=[0.02, 0.05])
    making.add_argument("--workers", type=int, default=1)
    printing = commands.add_parser("table")
    printing.add_argument("folder", type=Path)
    given = parser.parse_args()
    if given.command == "table":
        print(lay_out(table(given.folder)), end="")
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in given.case or [*CASES, *RANDOM, *NULLS]:
        noises = [RANDOM[name][1]] if name in RANDOM else given.noise[:1] if name in NULLS else given.noise
        for noise in noises:
            for layout in given.layouts:
                path = given.folder / f"{name}-{noise:g}-{layout}.json"
                if path.exists():
                    continue
                record = run(name, layout, noise, given.workers)
                path.write_text(json.dumps(record, indent=1) + "\n")
                print(name, noise, layout, f"{record['seconds']:.0f} s", record["law"], sep="\t", flush=True)


if __name__ == "__main__":
    main()
