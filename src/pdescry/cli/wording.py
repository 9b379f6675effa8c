"""The library speaks of Python arguments, and in tables; at the shell the same sentences speak of flags."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from shlex import quote
from typing import Any

_FLAGS = {
    "time": "--time",
    "time_order": "--time-order",
    "space": "--space",
    "fields": "--field",
    "sensor": "--sensor",
    "noise": "--noise",
    "missing": "--missing",
    "format": "--format",
    "every": "--every",
    "layout": "--layout",
    "jitter": "--jitter",
    "until": "--until",
    "of": "--field",
    "burn": "--burn",
    "draws": "--draws",
    "thin": "--thin",
    "inputs": "--input",
    "places": "--places",
    "group": "--group",
    "time_unit": "--time-unit",
    "missing_value": "--missing-value",
    "dt": "--dt",
    "dx": "--dx",
    "t0": "--t0",
    "x0": "--x0",
}
_SIDES = re.compile(r"boundary=\{'left': (.*?), 'right': (.*?)\}")
_STATES = re.compile(r"initial=\{(.*?)\}")
_INPUTS = re.compile(r"inputs=\{'(\w+)': …\}")
_BETWEEN = re.compile(r"inputs=\{'(\w+)': '(held|linear)'\}")
_PLACES = re.compile(r"places=\{(.*?)\}")
_WITHOUT = re.compile(r"without=\['([^']*)'\]")
_NAMED = re.compile(r"boundary='(\w+)'")
_SWITCH = re.compile(r"\b(sensor|noise)=False\b")
_ARGUMENT = re.compile(rf"(?<![.\w])({'|'.join(_FLAGS)})=(?=['\s.,;:)]|$|\w)")
_LIMIT = re.compile(r"\b(max_points|max_steps|max_seconds|rtol)\b(?!=)")


def at_the_shell(message: str) -> str:
    """``pass time=`` → ``pass --time``; ``boundary={'left': 'u=0', …}`` → ``--left "u=0" …``."""
    message = _SIDES.sub(lambda sides: f"--left {_quoted(sides[1])} --right {_quoted(sides[2])}", message)
    message = _STATES.sub(lambda states: _initial(states[1]), message)
    message = _INPUTS.sub(r'--input "\1 = …"', message)
    message = _BETWEEN.sub(r"--input \1=\2", message)
    message = _PLACES.sub(lambda found: f'--places "{_pairs(found[1])}"', message)
    message = message.replace("dayfirst=True or dayfirst=False", "--dayfirst or --monthfirst")
    message = _WITHOUT.sub(lambda found: f"--without {quote(found[1])}", message)
    message = _NAMED.sub(r"--boundary \1", message)
    message = _SWITCH.sub(r"--\1 none", message)
    message = message.replace("verify=False", "--no-verify").replace("average=False", "--average off")
    parts = re.split(r"((?<!\w)'[^']*')", message)  # what is quoted is the user's own, but for values such as time='t'
    parts[::2] = [_ARGUMENT.sub(lambda found: f"{_FLAGS[found[1]]} ", part) for part in parts[::2]]
    message = "".join(parts)
    message = _LIMIT.sub(lambda found: "--" + found[1].replace("_", "-"), message)
    return re.sub(r"(--[\w-]+) +(?=[.,;:) ]|$)", r"\1", message)


def in_columns(rows: Sequence[Sequence[str]]) -> str:
    """Text in columns: the first and the last to the left, the others to the right."""
    *widths, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = []
    for first, *middle, last in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(middle, widths[1:], strict=True)]
        lines.append("  " + "  ".join([f"{first:<{widths[0]}}", *cells, last]))
    return "\n".join(lines)


def terms_in_columns(rows: Iterable[tuple[str, Mapping[str, Any], str]]) -> str:
    """Coefficients with their intervals; each row a name, the numbers, and what to add to the interval.

    With a column for the probability of a term, if a row has one, and for units, if one is known.
    """
    rows = list(rows)
    probable = any(math.isfinite(row.get("probability", math.nan)) for _, row, _ in rows)
    with_units = any(row.get("unit") for _, row, _ in rows)
    units = ["unit"] if with_units else []
    cells = [("term", *(["probability"] if probable else []), "coefficient", "sd", *units, "95 % interval")]
    for name, row, remark in rows:
        probability = [f"{row['probability']:.2f}"] if probable else []
        unit = [row.get("unit") or "?"] if with_units else []
        interval = f"{row['low']:.4g} to {row['high']:.4g}{remark}"
        cells.append((name, *probability, f"{row['mean']:.4g}", f"{row['sd']:.2g}", *unit, interval))
    return in_columns(cells)


def _pairs(mapping: str) -> str:
    """``'TC1': 0.05, …`` → ``TC1=0.05, …``."""
    return mapping.replace("'", "").replace(": ", "=")


def _quoted(conditions: str) -> str:
    return '"' + conditions.strip("[]").replace("'", "") + '"'


def _initial(states: str) -> str:
    pairs = [pair.partition(":") for pair in states.split(",") if ":" in pair]
    return (
        " ".join(f'--initial "{name.strip(" ")[1:-1]}={formula.strip()}"' for name, _, formula in pairs)
        or "--initial …"
    )
