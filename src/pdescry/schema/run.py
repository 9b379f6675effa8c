"""The settings of a run: those that belong to no noun, the order of the sections, and the flags of all of them.

To add a setting: a line here; or one in a noun (`Joint`, `HMC`, `Network`, …), which is a section, or part of one. It
then is an argument, a line of `pdescry config` and a name for ``--set``. With a `Flag` it is an option, too: those of a
noun's settings stand here, in `FLAGS_OF_NOUNS`, because nouns take a second to load, and ``--help`` does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from pdescry.schema import values, words
from pdescry.schema.setting import AUTO, Flag, Setting, optional, setting, settings_of

Preset = Literal["default", "paper", "paper_as_printed"]
Faults = Literal["leave_out", "tell", "ignore"]
PRESETS: tuple[str, ...] = get_args(Preset)
SAMPLERS = ("MCLMC", "AdjustedMCLMC", "HMC", "NUTS")
METHODS = ("joint", "stblr", "stols", "sequential_ridge", "ard", "greedy", "best_subset")

# As they come in a file; that of no name has what belongs to no section.
SECTIONS = (
    "", "law", "network", "prior", "noise", "start", "sampler", "field", "sensors", "derivatives", "regression",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class PlainSettings:
    """What can be chosen of a run, but for its nouns, which `discovery.Settings` adds.

    method None: field and law together where that can work, or else a regression. candidates None: as many as suit it.
    """

    preset: str = setting(
        "default",
        'what the others begin from: "default", "paper" (as the authors ran it) or "paper_as_printed"',
        choices=PRESETS,
        flag=Flag("default, paper (as run) or paper_as_printed.", "NAME"),
    )
    seed: int = setting(
        0,
        "of chains and points, where a network is sampled",
        values.count(0, below=2**32),
        what="seed",
        flag=Flag(type=int),
    )
    candidates: str | tuple[str, ...] | Mapping[str, tuple[str, ...]] | None = setting(
        None,
        '"auto", "small", "general", "paper" (eleven terms of u and x), or a list such as ["u_xx", "u*u_x"]',
        values.candidates,
        section="law",
        flag=Flag(
            'small, general, paper, or terms: "u_xx, u*u_x".',
            "TERMS",
            list[str],
            short="-c",
            offered=words.libraries,
            read=words.library_or_terms,
        ),
    )
    time_order: int | Mapping[str, int] | None = setting(
        None,
        '"auto": inferred; 1 for a law of u_t, 2 for u_tt; or by field, { u = 2, T = 1 }',
        values.time_order,
        section="law",
        flag=Flag(
            "auto, 1 (u_t), 2 (u_tt), or by field: u=2,T=1.",
            "ORDER",
            offered=(AUTO, "1", "2"),
            read=words.value_by_field,
        ),
    )
    chains: int = setting(
        2,
        "each from another start",
        values.count(1),
        section="field",
        what="number of chains",
        flag=Flag(type=int),
    )
    standardise: Literal["all", "inputs"] = setting(
        "all",
        '"all", or "inputs" to leave the fields in their own units as the paper\'s program does',
        section="field",
        what="standardise",
        choices=("all", "inputs"),
    )
    average: bool | int = setting(
        True,
        '"auto": consecutive readings, where only noise is lost; "off"; or how many to leave of each sensor',
        values.average,
        section="field",
        write=values.written_average,
        flag=Flag(offered=(AUTO, values.OFF), read=words.value),
    )
    without: tuple[str, ...] = setting(
        (),
        'sensors to leave out, by name (or number, if they have none): ["TC5"]',
        values.sensors,
        section="sensors",
        flag=Flag("Leave a sensor out; repeat, or as TC5,TC7.", "SENSOR", list[str], read=words.parts),
    )
    faults: Faults = setting(
        "leave_out",
        'faulty sensors and readings: "leave_out", "tell" (they stay) or "ignore" (not looked for)',
        section="sensors",
        what="faults",
        choices=get_args(Faults),
        flag=Flag(read=words.underscored),
    )
    points: int = setting(
        10_000,
        "at which the field is differentiated",
        values.count(1),
        section="derivatives",
        what="number of points",
        flag=Flag(type=int),
    )
    within: Literal["hull", "box"] | Mapping[str, tuple[float, float]] = setting(
        "hull",
        '"hull" of the sensors, "box" of the readings, or ranges such as { t = [0, 10], x = [-8, 8] }',
        values.within,
        section="derivatives",
    )
    keep_points: int = setting(
        500,
        "at which single draws are kept, for intervals that can be believed",
        values.count(0),
        section="derivatives",
        what="number of points to keep draws at",
    )
    keep_draws: int | None = setting(
        400,
        'how many; "auto": all',
        optional(values.count(1)),
        section="derivatives",
        what="number of draws to keep",
    )


# ---- which noun of a section is meant --------------------------------------------------------------------------------

SAMPLER_KIND = Setting(f"{', '.join(SAMPLERS[:-1])} or {SAMPLERS[-1]}")
METHOD = Setting(f'"{AUTO}" (joint along one or two axes), {", ".join(METHODS[:-1])} or {METHODS[-1]}')


# ---- flags -----------------------------------------------------------------------------------------------------------

FLAGS_OF_NOUNS: Mapping[str, Flag] = {
    "sampler.kind": Flag(name="sampler", offered=tuple(map(words.hyphenated, SAMPLERS))),
    "sampler.draws": Flag(type=int),
    "sampler.thin": Flag(type=int),
    "sampler.burn": Flag(type=int),
    "regression.threshold": Flag(type=float),
    "regression.known": Flag('Prior knowledge: "u_xx > 0", "v: u = 2 ± 0.1".', "FACT", list[str]),
    "regression.boundary": Flag('Known at an end or edge: "u(0) = 1", "u_y(y=4) = 0".', "FACT", list[str]),
    "regression.vary": Flag("Coefficients that may vary along x: u_xx, all.", "TERM", list[str]),
    "regression.domain": Flag(
        "Infer the field beyond the sensors, too, as 0 10.", "LOW HIGH", tuple[float, float], read=list
    ),
    "regression.method": Flag(
        "joint, stblr, stols, ard, greedy, best-subset, …", "NAME", offered=tuple(map(words.hyphenated, METHODS))
    ),
}


def plain_settings() -> Iterator[tuple[str, Setting]]:
    """By dotted names."""
    for name, each in settings_of(PlainSettings).items():
        yield dotted(each.section, name), each


def _flags() -> dict[str, Flag]:
    found = {
        name: replace(each.flag, offered=each.flag.offered or each.choices)
        for name, each in plain_settings()
        if each.flag is not None
    }
    found |= FLAGS_OF_NOUNS
    named = {name: replace(each, name=each.name or name.rpartition(".")[2]) for name, each in found.items()}
    return dict(sorted(named.items(), key=lambda pair: "." not in pair[0]))  # those of no section last


def dotted(section: str, name: str) -> str:
    return f"{section}.{name}" if section else name


# By the names of the settings that they give, in the order of the help.
FLAGS: Mapping[str, Flag] = _flags()
