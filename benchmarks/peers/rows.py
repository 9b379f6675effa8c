"""The rows of the benchmark: a law, where and when its field is read, and with how much noise; all from a seed.

Noise is a share of the sd of each field. Sensors stand at random places and are read at the system's own times, unless
they make a full grid; readings at random have a place and a time of their own each, as in the published tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers.adapters.exchange import Work
from plane import CASES as PLANE
from plane import RANDOM, random_readings
from scipy.special import erfc

import pdescry
from pdescry import Equation, Readings
from pdescry.data import systems
from pdescry.equation.algebra import expand

Array = NDArray[np.float64]
SEEDS = (201, 202, 203, 204, 205)  # of no layout that a method was designed with
# Seeds 202 to 204 of the shuffled row were used to design when pdescry tells no law of readings that seem still.
SEEDS_SHUFFLED = (211, 212, 213, 214, 215)
POINTS = 1000  # at which fields are compared, between the outermost readings
SENSORS, NOISE, OTHER, GRID, NULL, PUBLISHED = "sensors", "noise", "other", "grid", "no law", "published"
NOTHING, SHUFFLED = "noise alone", "shuffled times"  # what is read where there is no law


@dataclass(frozen=True)
class Published:
    """What others published on such readings; e2: relative error of the coefficient vector."""

    method: str
    e2: float
    remark: str


@dataclass(frozen=True)
class Row:
    """sensors: how many at random places, or (X, T) of a full grid, or 0 where readings are at random. noise: of the
    sd. parts: the figures and tables that it belongs to. null: what takes the place of a law."""

    name: str
    system: str
    sensors: int | tuple[int, int]
    noise: float
    parts: frozenset[str]
    null: str = ""
    readings: int = 0  # at random
    published: Published | None = None

    @property
    def seeds(self) -> tuple[int, ...]:
        return SEEDS_SHUFFLED if self.null == SHUFFLED else SEEDS

    @property
    def scattered(self) -> bool:
        return not isinstance(self.sensors, tuple)

    @property
    def read(self) -> str:
        """In words."""
        if isinstance(self.sensors, tuple):
            return f"grid, {self.sensors[0]} × {self.sensors[1]}"
        return f"{self.sensors} sensors" if self.sensors else f"{self.readings:,} at random"


def _rows() -> list[Row]:
    def row(system: str, sensors: int | tuple[int, int], noise: float, *parts: str, **more: Any) -> Row:
        where = "grid" if isinstance(sensors, tuple) else f"{sensors}"
        return Row(f"{system}-{where}-{noise:g}", system, sensors, noise, frozenset(parts), **more)

    def published(name: str, number: int, noise: float, e2: float, remark: str) -> Row:
        known = Published("DeePyMoD", e2, remark)
        return Row(name, name, 0, noise, frozenset({PUBLISHED}), readings=number, published=known)

    found = []
    for system in ("burgers", "advection_diffusion"):
        found += [row(system, number, 0.05, SENSORS) for number in (8, 16)]
        found += [row(system, 64, 0.01, NOISE), row(system, 64, 0.05, SENSORS, NOISE)]
        found += [row(system, 64, noise, NOISE) for noise in (0.2, 0.5, 1.0)]
        found += [row(system, 256, 0.05, SENSORS)]
    found += [row(system, 16, 0.05, OTHER) for system in ("heat", "fisher_kpp", "allen_cahn")]
    found += [row("kdv", 32, 0.05, OTHER), row("predator_prey", 20, 0.05, OTHER)]
    found += [row("advection_diffusion_2d", 60, 0.02, OTHER), row("heat_2d", 60, 0.02, OTHER)]
    found += [row("burgers", (128, 101), noise, GRID) for noise in (0.01, 0.5)]
    found += [row("kdv", (128, 101), 0.1, GRID)]
    found += [
        replace(row("burgers", 16, 0.05, NULL), name="noise", null=NOTHING),
        replace(row("advection_diffusion", 16, 0.05, NULL), name="shuffled", null=SHUFFLED),
    ]
    again = "the law, readings and noise are as published, the start is ours"
    found += [
        published("D1", RANDOM["D1"][0], RANDOM["D1"][1], 0.023, again),
        published("D2", RANDOM["D2"][0], RANDOM["D2"][1], 0.063, again),
        published("D5", 2000, 1.0, 0.092, "in closed form, from a peak at a point, as DeePyMoD has it"),
        published("D6", 2000, 0.5, 0.024, "the law, readings and noise are as published, the two solitons are ours"),
        published("D7", 2000, 0.6, 0.204, again),
    ]
    return found


ROWS: Mapping[str, Row] = {row.name: row for row in _rows()}


# ---- published rows that are simulated anew --------------------------------------------------------------------------


@dataclass(frozen=True)
class Random:
    """Readings at random points of a grid of X × T. law: as text; x, t: from and to."""

    law: str
    x: tuple[float, float]
    t: tuple[float, float]
    shape: tuple[int, int]

    def field(self, t: Array, x: Array) -> Array:
        """Of any shape."""
        if self is ANEW["D5"]:
            return burgers_from_a_peak(t, x, 0.1)
        if self is ANEW["D6"]:
            return np.asarray(systems.get("kdv_two_solitons").solution.at(t, x))
        return np.asarray(_allen_cahn().at(t, x))


ANEW = {
    "D5": Random("u_t = 0.1*u_xx - u*u_x", (-3, 4), (0.5, 5), (100, 50)),
    "D6": Random("u_t = -u_xxx - 6*u*u_x", (-30, 30), (0, 30), (512, 201)),
    "D7": Random("u_t = 0.003*u_xx + u - u^3", (-1, 1), (0, 4), (256, 201)),
}


def burgers_from_a_peak(t: Array, x: Array, viscosity: float, mass: float = 1.0) -> Array:
    """u_t = −u u_x + ν u_xx from u(0, x) = mass · δ(x), by Cole and Hopf."""
    grown, z = np.expm1(mass / (2 * viscosity)), x / np.sqrt(4 * viscosity * t)
    return np.sqrt(viscosity / (np.pi * t)) * grown * np.exp(-(z**2)) / (1 + grown / 2 * erfc(z))


@cache
def _allen_cahn() -> Any:
    start, law = "x^2*cos(pi*x)", ANEW["D7"].law
    return pdescry.simulate(law, domain=(-1, 1), until=4, initial=start, boundary="neumann").require_ok()


def _at_random(row: Row, seed: int) -> Readings:
    if row.name in RANDOM:
        return random_readings(row.name, seed)
    anew, random = ANEW[row.name], np.random.default_rng([seed, 5])
    x, t = np.linspace(*anew.x, anew.shape[0]), np.linspace(*anew.t, anew.shape[1])
    values = anew.field(*np.meshgrid(t, x, indexing="ij"))
    some = random.choice(values.size, row.readings, replace=False)
    when, where = np.unravel_index(some, values.shape)
    read = values[when, where] + row.noise * values.std() * random.standard_normal(row.readings)
    return Readings.from_arrays(t[when], x[where], read)


# ---- any row ---------------------------------------------------------------------------------------------------------


def law_of(row: Row) -> Equation:
    """Of the field before noise, also where readings are shuffled afterwards."""
    if row.name in RANDOM:
        return Equation.parse(PLANE["advection_diffusion"].law, axes=("x", "y"))
    return Equation.parse(ANEW[row.name].law) if row.name in ANEW else systems.get(row.system).equation


def axes_of(row: Row) -> tuple[str, ...]:
    if not row.sensors:
        return ("x", "y") if row.name in RANDOM else ("x",)
    return tuple(systems.get(row.system).extent)


def truth_of(row: Row) -> dict[str, float]:
    """``{"u_t: u_xx": 0.1}``, without groups; nothing where there is no law."""
    if row.null:
        return {}
    return {
        f"{part.left}: {term}": value
        for part in law_of(row).components
        for term, value in expand(dict(part.terms)).items()
    }


def readings_of(row: Row, seed: int) -> Readings:
    if not row.sensors:
        return _at_random(row, seed)
    system, noise = systems.get(row.system), f"{100 * row.noise:g}%"
    if isinstance(row.sensors, tuple):
        return system.observe(sensors=row.sensors[0], times=row.sensors[1], layout="even", noise=noise, seed=seed)
    readings, random = system.observe(sensors=row.sensors, noise=noise, seed=seed), np.random.default_rng([seed, 7])
    if row.null == NOTHING:
        return replace(readings, values=random.standard_normal(readings.values.shape))
    if row.null == SHUFFLED:  # each sensor in an order of its own, so that neighbours have nothing in common
        values = readings.values.copy()
        for sensor in range(readings.n_sensors):
            own = readings.sensor == sensor
            values[own] = random.permutation(values[own])
        return replace(readings, values=values)
    return readings


def candidates_of(row: Row) -> tuple[str, ...]:
    """What the peers choose from: powers of the fields times derivatives, up to the powers and orders of the law, and
    at least quadratic and of second order. In favour of the peers: nobody knows the order of an unknown law."""
    law = law_of(row)
    terms = [term for part in law.components for term in expand(dict(part.terms))]
    axes = axes_of(row)
    order = max(2, *(term.order() for term in terms))
    powers = [sum(p for f, p in term.factors if not getattr(f, "axes", "")) for term in terms]
    degree = max(2, *powers)
    monomials = [
        "*".join(_powers(chosen))
        for number in range(degree + 1)
        for chosen in combinations_with_replacement(law.fields, number)
    ]
    derivatives = [
        f"{field}_{''.join(along)}"
        for number in range(1, order + 1)
        for field in law.fields
        for along in combinations_with_replacement(axes, number)
    ]
    products = [f"{each}*{slope}" if each else slope for slope in derivatives for each in monomials]
    return tuple([each or "1" for each in monomials] + products)


def _powers(chosen: tuple[str, ...]) -> list[str]:
    return [name if chosen.count(name) == 1 else f"{name}^{chosen.count(name)}" for name in dict.fromkeys(chosen)]


def field_at(row: Row, points: Array) -> Array | None:
    """(M, f): the true field at times and places (M, 1 + d), or None where it is not at hand."""
    if row.null or row.name in RANDOM:
        return None
    if row.name in ANEW:
        return ANEW[row.name].field(*points.T)[:, None]
    solution = systems.get(row.system).solution
    return np.stack([solution.at(*points.T, of=name) for name in solution.equation.fields], axis=1)


def work_of(row: Row, seed: int) -> Work:
    """What an adapter gets."""
    readings, random = readings_of(row, seed), np.random.default_rng([seed, 11])
    box = np.column_stack([readings.time, readings.space])
    known = not row.null and row.name not in RANDOM
    points = random.uniform(box.min(0), box.max(0), (POINTS if known else 0, box.shape[1]))
    return Work(
        readings.time, readings.space, readings.values, readings.fields, readings.axes, candidates_of(row), points, seed
    )
