"""Settings as a TOML file, every one with a comment; and back, or from words such as ``sampler.draws=500``."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from pdescry.checks import differences
from pdescry.data import Readings
from pdescry.data.averaged import was_averaged
from pdescry.discovery.method import AUTO_KINDS
from pdescry.discovery.settings import AUTO, Settings, preset_settings
from pdescry.errors import InputError

# A comment for each setting. Where a name means the same in several sections, it stands once, without its section.
COMMENTS = {
    "preset": 'what the others begin from: "default", "paper" (as the authors ran it) or "paper_as_printed"',
    "seed": "of chains and points, where a network is sampled",
    "candidates": '"auto", "small", "general", "paper" (eleven terms of u and x), or a list such as ["u_xx", "u*u_x"]',
    "time_order": '"auto": inferred; 1 for a law of u_t, 2 for u_tt; or by field, { u = 2, T = 1 }',
    "width": "units in each hidden layer",
    "depth": "hidden layers",
    "prior.kind": '"fan_in" or "standard_normal" (the paper\'s)',
    "scale": '"auto": inferred for each layer; or a number',
    "spread": "of the logarithm of an inferred scale",
    "first": "sd of the weights of the first layer (fan_in)",
    "bias": "sd of the biases (fan_in)",
    "sd": '"auto": the file\'s own or inferred; "inferred"; "readings"; a number, or one for each field or sensor',
    "per": '"field" or "sensor": what has a noise of its own',
    "start.steps": "of Adam, from which a chain starts",
    "learning_rate": "of Adam",
    "decay": "whether the rate falls along a cosine",
    "objective": '"posterior" (near a draw from the prior) or "misfit" (the paper\'s DNN)',
    "sampler.kind": "MCLMC, AdjustedMCLMC, HMC or NUTS",
    "draws": "kept of each chain; a regression wants 200 or more, and has them unless you say otherwise",
    "thin": "transitions from one draw to the next",
    "burn": "draws before the first that counts",
    "rungs": "of tuning",
    "rung_transitions": "transitions in a rung of tuning",
    "energy_error": "variance of a step's energy error, per dimension: smaller is slower and more exact",
    "length": "over which directions are forgotten, in units of √dimension",
    "conditioned": "whether the last layer follows the others: longer steps",
    "step_size": '"auto": tuned; or a number',
    "sampler.steps": "of a trajectory",
    "acceptance": "wanted of a tuned step size",
    "doublings": "of a trajectory, at most",
    "chains": "each from another start",
    "standardise": '"all", or "inputs" to leave the fields in their own units as the paper\'s program does',
    "average": '"auto": consecutive readings, where only noise is lost; "off"; or how many to leave of each sensor',
    "without": 'sensors to leave out, by name (or number, if they have none): ["TC5"]',
    "faults": 'faulty sensors and readings: "leave_out", "tell" (they stay) or "ignore" (not looked for)',
    "points": "at which the field is differentiated",
    "within": '"hull" of the sensors, "box" of the readings, or ranges such as { t = [0, 10], x = [-8, 8] }',
    "keep_points": "at which single draws are kept, for intervals that can be believed",
    "keep_draws": 'how many; "auto": all',
    "method": '"auto" (joint along one or two axes), joint, stblr, stols, sequential_ridge, ard, greedy or best_subset',
    "proposals": "laws of each size that are tried",
    "largest": "terms of a law that is proposed; more are added one at a time",
    "known": 'what you know of terms: ["u_xx > 0"], ["u_xx"] (is there), ["v: u = 0.1 ± 0.02"], ["u_x = 0"] (is not)',
    "boundary": 'what you know at the ends, at all times: ["u(0) = 1", "u_x(10) = 0"]; nothing need be known',
    "domain": 'from where to where the field is inferred: "auto" (between the outermost sensors), or such as [0, 10]',
    "vary": 'coefficients that may vary along the axis: "auto" (where clearly favoured), ["u_xx"], "all" or "none"',
    "stblr.threshold": "δ, in the units of the coefficients; the paper's: Burgers 0.005, KdV 0.05, heat 0.02",
    "stols.threshold": "δ, in the units of the coefficients; the paper's: Burgers 0.005, KdV 0.05, heat 0.02",
    "sequential_ridge.threshold": "least share of the left side that a term must have",
    "gamma_power": "rows are scaled by γ^(−this): 0.5 as the paper's program, 1 as its text, 0 alike",
    "doubling": "whether the threshold doubles after each pass",
    "penalty": "of the ridge",
    "max_precision": "a term of higher prior precision is dropped",
    "criterion": '"evidence" or "bic"',
}


def comment_on(section: str, name: str, kind: str = "") -> str:
    """What a setting means, in a few words. kind: the method, whose thresholds differ in meaning."""
    for key in (f"{kind}.{name}", f"{section}.{name}", name):
        if key in COMMENTS:
            return COMMENTS[key]
    raise KeyError(f"{section}.{name}")


def to_toml(settings: Settings, comments: bool = True) -> str:
    """All settings, one a line."""
    tables = settings.to_dict()
    lines = []
    for name, value in tables.items():
        if not isinstance(value, dict):
            lines.append(_line("", name, value, "", comments))
            continue
        lines += ["", f"[{name}]"]
        kind = tables["regression"]["method"] if name == "regression" else ""
        lines += [_line(name, key, part, kind, comments) for key, part in value.items()]
        if kind == AUTO and comments:
            lines += [f"# {line}" for line in _lines_of_auto(settings)]
    return "\n".join(lines) + "\n"


def _lines_of_auto(settings: Settings) -> Iterator[str]:
    """The settings of the method that "auto" stands for where it can work: to be named, they need no method."""
    method, *parts = replace(settings, method=next(iter(AUTO_KINDS.values()))).to_dict()["regression"].items()
    yield f"of {method[1]}:"
    for name, value in parts:
        yield _line("regression", name, value, str(method[1]), comments=True)


def _line(section: str, name: str, value: Any, kind: str, comments: bool) -> str:
    text = f"{name} = {spelled(value)}"
    return f"{text:<28} # {comment_on(section, name, kind)}" if comments else text


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
        place[parts[-1]] = _value(text.strip())
    return tables


def merged(*tables: Mapping[str, Any]) -> dict[str, Any]:
    """Several, of which later ones win; sections are joined name by name."""
    out: dict[str, Any] = {}
    for each in tables:
        for name, value in each.items():
            both = isinstance(out.get(name), Mapping) and isinstance(value, Mapping)
            out[name] = {**out[name], **value} if both else value
    return out


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


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
