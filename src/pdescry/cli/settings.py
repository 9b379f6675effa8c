"""How every command that seeks laws is told its settings: one set of options, one call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pdescry.cli.completing import PRESETS, libraries, one_of

Candidates = Annotated[
    list[str] | None,
    typer.Option(
        "--candidates",
        "-c",
        help='small, general, paper, or terms: "u_xx, u*u_x".',
        metavar="TERMS",
        autocompletion=libraries,
    ),
]
Config = Annotated[Path | None, typer.Option(help="Settings (TOML); see pdescry config.", metavar="FILE")]
Preset = Annotated[
    str | None,
    typer.Option(help="default, paper (as run) or paper_as_printed.", metavar="NAME", autocompletion=one_of(*PRESETS)),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", help="Any setting, as sampler.draws=500; may repeat.", metavar="NAME=VALUE"),
]


def tables_of(
    config: Path | None, noise: str | None, change: list[str] | None, words: dict[str, Any]
) -> dict[str, Any]:
    """Settings of a file, changed by --set, changed by options of their own (by the names of settings; None: not
    given). noise: as --noise has it, which the readings then carry."""
    from pdescry.discovery import from_words, load_config, merged

    own = {} if config is None else load_config(config)
    told = {"noise": {"sd": "readings"}} if noise and noise.lower() != "none" else {}
    return merged(own, told, from_words(change or []), _tables(words))


def candidates_in(given: list[str] | None) -> str | list[str] | None:
    """The name of a library, or terms, several of them perhaps in one word: "u_xx, u"."""
    from pdescry.equation.candidates import LIBRARIES

    if not given:
        return None
    terms = [term.strip() for word in given for term in word.split(",") if term.strip()]
    return terms[0] if len(terms) == 1 and terms[0] in ("auto", *LIBRARIES) else terms


def _tables(words: dict[str, Any]) -> dict[str, Any]:
    """``{"sampler.draws": 500}`` → ``{"sampler": {"draws": 500}}``, without what was not given."""
    tables: dict[str, Any] = {}
    for name, value in words.items():
        if value is not None:
            *section, last = name.split(".")
            (tables.setdefault(section[0], {}) if section else tables)[last] = value
    return tables
