"""Settings as a TOML file, every one with a comment; and back, or from words such as ``sampler.draws=500``."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from pdescry.checks import differences
from pdescry.data import Readings
from pdescry.data.averaged import was_averaged
from pdescry.discovery.method import AUTO_KINDS
from pdescry.discovery.presets import preset_settings
from pdescry.discovery.settings import Settings, declared_in
from pdescry.errors import InputError
from pdescry.schema.words import value as value_of


def to_toml(settings: Settings, comments: bool = True) -> str:
    """All settings, one a line, each with what it was declared to mean."""
    tables = settings.to_dict()
    lines = _lines("", {name: value for name, value in tables.items() if not isinstance(value, dict)}, comments)
    for section, table in tables.items():
        if isinstance(table, dict):
            lines += ["", f"[{section}]", *_lines(section, table, comments)]
    if settings.method is None and comments:
        lines += [f"# {line}" for line in _lines_of_auto(settings)]
    return "\n".join(lines) + "\n"


def _lines_of_auto(settings: Settings) -> list[str]:
    """The settings of the method that "auto" stands for where it can work: to be named, they need no method."""
    table = replace(settings, method=next(iter(AUTO_KINDS.values()))).to_dict()["regression"]
    _, *options = _lines("regression", table, comments=True)
    return [f"of {table['method']}:", *options]


def _lines(section: str, table: Mapping[str, Any], comments: bool) -> list[str]:
    declared = declared_in(section, table)
    lines = {name: f"{name} = {spelled(value)}" for name, value in table.items()}
    return [f"{line:<28} # {declared[name].comment}" if comments else line for name, line in lines.items()]


def spelled(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{spelled(str(name))} = {spelled(part)}" for name, part in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(spelled(part) for part in value) + "]"
    if isinstance(value, str):
        # As JSON has it, but for one character; what is no Unicode (a file's name may be) becomes a question mark.
        text = value.encode("utf-8", "replace").decode("utf-8")
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value) if isinstance(value, bool | int) else repr(float(value))


def load_config(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The tables of a TOML file; they may be few, and are checked when they are used."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        reason = getattr(fault, "strerror", None) or "it is no text"
        raise InputError(f"Cannot read the settings in {str(path)!r}: {reason}.") from None
    return _parsed(text, repr(str(path)))


def from_words(words: Iterable[str]) -> dict[str, Any]:
    """``["sampler.draws=500", "seed=1"]`` → tables. A value is read as TOML, or else as it stands."""
    tables: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        parts = name.strip().split(".")
        if not equals or len(parts) > 2 or not all(parts):
            raise InputError(f"Expected a setting as section.name=value, such as sampler.draws=500; got {word!r}.")
        place = tables if len(parts) == 1 else tables.setdefault(parts[0], {})
        if not isinstance(place, dict):
            raise InputError(f"Expected {parts[0]} either whole or by its names; got both, with {word!r} at the end.")
        place[parts[-1]] = value_of(text)
    return tables


def merged(*tables: Mapping[str, Any]) -> dict[str, Any]:
    """Several, of which later ones win; sections are joined name by name."""
    out: dict[str, Any] = {}
    for each in tables:
        for name, value in each.items():
            both = isinstance(out.get(name), Mapping) and isinstance(value, Mapping)
            out[name] = {**out[name], **value} if both else value
    return out


def with_preset(tables: Mapping[str, Any], preset: str | None) -> dict[str, Any]:
    """Tables that name this preset; those of another one are not for it."""
    if preset is not None and tables.get("preset", preset) != preset:
        raise InputError(
            f"Expected one preset; got {preset!r}, and {tables['preset']!r} in the settings; leave one of them out."
        )
    return dict(tables) if preset is None else {**tables, "preset": preset}


def settings_from(tables: Mapping[str, Any]) -> Settings:
    """The preset that the tables name (or the default one), with what they change of it.

    A run's own config.toml says in ``[[readings]]`` what its readings are; that is no setting.
    """
    name = tables.get("preset", "default")
    return preset_settings(name).changed({name: part for name, part in tables.items() if name != "readings"})


def command_of(experiments: Sequence[Readings], settings: Settings) -> str:
    """What to type at the shell to find the law again: the files, the preset, and what differs from it."""
    files = [quote(each.source) if Path(each.source).suffix else "FILE" for each in experiments]
    preset = [] if settings.preset == "default" else ["--preset", quote(settings.preset)]
    usual, found = preset_settings(settings.preset), settings.to_dict()
    changes = differences(usual.to_dict(), found)
    if usual.method is None and (name := found["regression"]["method"]) in AUTO_KINDS:
        # What "auto" stands for: its settings name it, if they are not the usual ones.
        of_method = differences(replace(usual, method=AUTO_KINDS[name]).to_dict(), found)
        if any(changed.startswith("regression.") for changed, _, _ in of_method):
            changes = of_method
    changed = [
        f"--noise {_noise_of(experiments)}"
        if (name, new) == ("noise.sd", "readings")
        else f"--without {quote(','.join(new))}"
        if name == "sensors.without" and not any("," in each for each in new)
        else f"--set {quote(f'{name}={spelled(new)}')}"
        for name, _, new in changes
        if new is not None
    ]
    return " ".join(["pdescry", "discover", *files, *preset, *changed])


def _noise_of(experiments: Sequence[Readings]) -> str:
    """The sd that readings were said to have, if it is one number and they are as they were read."""
    known = [np.unique(each.noise) for each in experiments if each.noise is not None and not was_averaged(each)]
    told = np.unique(np.concatenate(known)) if known and len(known) == len(experiments) else np.zeros(0)
    return f"{told[0]:g}" if len(told) == 1 else "NOISE"


def _parsed(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise InputError(f"Expected {source} to be TOML ({fault}); `pdescry config` prints an example.") from None
