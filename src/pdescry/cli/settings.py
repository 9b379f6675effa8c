"""How every command that seeks laws gets its settings: options made from their declarations, and one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from pdescry.cli.completing import among, one_of, setting_names
from pdescry.cli.expanding import expanded
from pdescry.schema.run import FLAGS

Config = Annotated[Path | None, typer.Option(help="Settings (TOML); see pdescry config.", metavar="FILE")]
Change = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        help="Any setting, as sampler.draws=500; may repeat.",
        metavar="NAME=VALUE",
        autocompletion=setting_names,
    ),
]
Chosen = Mapping[str, Any]  # what `with_settings` gives a command: words, by the names of options
NOTHING: Chosen = {}
_SETTINGS = {flag.name: name for name, flag in FLAGS.items()}


def option_of(name: str) -> Any:
    """The option that gives a setting."""
    flag = FLAGS[name]
    long = f"--{flag.name.replace('_', '-')}"
    return typer.Option(
        *([long, flag.short] if flag.short else [long]),
        help=flag.help,
        metavar=flag.metavar,
        hidden=not flag.help,
        autocompletion=among(flag.offered) if callable(flag.offered) else one_of(*flag.offered),
    )


def with_settings(*names: str, but: tuple[str, ...] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Options of these settings for a command, or all that there are ``but`` some; it gets those that were given as
    ``chosen``, by the names of the options."""
    wanted = names or tuple(name for name in FLAGS if name not in but)
    options = {FLAGS[name].name: Annotated[FLAGS[name].type | None, option_of(name)] for name in wanted}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        return expanded(command, "chosen", options)

    return decorate


def tables_of(
    chosen: Chosen, config: Path | None = None, noise: str | None = None, change: list[str] | None = None
) -> dict[str, Any]:
    """Settings of a file, changed by --set, changed by options of their own. noise: as --noise has it, which the
    readings then carry."""
    from pdescry.discovery import from_words, load_config, merged
    from pdescry.discovery.config import with_preset

    own = {} if config is None else load_config(config)
    told = {"noise": {"sd": "readings"}} if noise and noise.lower() != "none" else {}
    given = {option: value for option, value in chosen.items() if value not in (None, []) and option != "preset"}
    return with_preset(merged(own, told, from_words(change or []), _tables(given)), chosen.get("preset"))


def _tables(chosen: Chosen) -> dict[str, Any]:
    """``{"draws": 500}`` → ``{"sampler": {"draws": 500}}``, with what was typed as a file has it."""
    tables: dict[str, Any] = {}
    for option, value in chosen.items():
        section, _, name = _SETTINGS[option].rpartition(".")
        (tables.setdefault(section, {}) if section else tables)[name] = FLAGS[_SETTINGS[option]].read(value)
    return tables
