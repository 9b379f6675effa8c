"""What a header says: its name without the unit, and the unit, as in ``time (s)``, ``T [°C]``, ``t / s``, ``x_m``.

A name is freed of anything that may be a unit, so that it is recognised; a unit is only taken where it can be believed,
for it ends up at the axes of a figure.
"""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["time", "space", "field"]

UNIT = (
    "s|secs?|seconds?|ms|us|µs|mins?|minutes?|h|hrs?|hours?|d|days?|yr|years?|[munckµ]?m|ft|met(?:re|er)s?|"
    "k|c|deg[cf]|celsius|kelvin|[hk]?pa|m?bar|kg|mol|percent|pct"
)
# A cell of a row of units: also products, quotients and powers, in brackets or not.
_ONE_UNIT = (
    rf"(?:{UNIT}|°[cfk]?|[munkµμ]?[vaw]|[mk]?hz|[mk]?[njg]|[mµ]?l|mol|ppm|rad|deg|grad|atm|psi|inch|in|sek\.?|std\.?)"
)
_UNIT_CELL = re.compile(
    rf"[(\[]?(?:%|1|a\.?u\.?|{_ONE_UNIT}(?:\^?-?[23²³])?(?:[ */·]{_ONE_UNIT}(?:\^?-?[123²³])?)*)[)\]]?", re.IGNORECASE
)
# Where a header sets a unit apart, more of them are believed: those of the SI with their prefixes, some words.
_SI = (
    r"(?-i:(?:da|[YZEPTGMkhdcmµμunpfa])?"
    r"(?:m|s|g|A|K|mol|cd|rad|sr|Hz|N|Pa|J|W|C|V|F|Ω|Ohm|S|Wb|T|H|lm|lx|Bq|Gy|Sv|[lL]|eV|bar|M|dB|Wh))"
)
_WORD = r"‰|pp[bt]|psu|ntu|counts?|cells?|px|pixels?|lux|knots?|mph|dB|volts?|amps?|pascals?|minuten|stunden|tagen?"
_POWER = r"(?:(?:\^|\*\*)?[-−]?\d|⁻?[¹²³⁴])?"
_FACTOR = rf"(?:{_ONE_UNIT}|{_SI}|{_WORD}|%)"
_PRODUCT = rf"{_FACTOR}{_POWER}(?:[ */·⋅.]{_FACTOR}{_POWER})*"
_BELIEVED = re.compile(rf"(?:1 ?/ ?)?{_PRODUCT}(?: ?/ ?\({_PRODUCT}\))?|a\.?u\.?|arb\. ?u(?:nits?|\.)", re.IGNORECASE)
_FREE = re.compile(r"[^\W\d]|[°%‰]")  # what even a unit that nobody knows has
_LONGEST = 30

# Each begins where a run of blanks begins, so that a header of thousands of them takes no time.
_BRACKETS = re.compile(r"(?<!\s)\s*(?:\s/\s*)?([(\[{<])((?:[^()\[\]{}<>]|\([^()]*\))*)[)\]}>]\s*$")
_DIVIDED = re.compile(r"(?<!\s)\s+/\s*(\S+)$|(?<=\w)/(\w+|°\w|%)$")  # "t / s", the notation of the metrologists
_IN_UNIT = re.compile(r"(?<!\s)\s+(?:in|en)\s+(\S+)$", re.IGNORECASE)  # "Zeit in s"
_SUFFIX = re.compile(rf"(?<=[^\W_])[_ .\-]+({UNIT})$", re.IGNORECASE)
# A letter behind a letter is as often an index: T_s is the temperature of a surface, and no number of seconds.
_LETTERS = {"time": "shd", "space": "m", "field": "KC"}
_TIME_WORDS = {
    *("seconds", "minutes", "hours", "days", "second", "minute", "hour", "day"),
    *("sekunden", "minuten", "stunden", "tage", "tag", "stunde", "secondes"),
}


def is_unit(cell: str) -> bool:
    """Whether a cell below a header contains a unit such as ``mm``, ``[°C]`` or ``kg/m3``."""
    return len(cell) < _LONGEST and bool(_UNIT_CELL.fullmatch(cell.strip()))


def without_brackets(header: str) -> str:
    return _BRACKETS.sub("", header)


def stem(header: str) -> str:
    """A header without its unit: ``time (s)``, ``t [s]``, ``t / s``, ``x_m`` become ``time``, ``t``, ``t``, ``x``."""
    bare = _IN_UNIT.sub("", _DIVIDED.sub("", without_brackets(header.strip()))).strip()
    return _SUFFIX.sub("", bare) or header.strip()


def unit_in(header: str, kind: Kind) -> str:
    """The unit in a header, as it is written there; an empty text where it has none that can be believed."""
    header = header.strip()
    if match := _BRACKETS.search(header):
        if unit := _believed(match.group(2), is_free=match.group(1) == "["):
            return unit
        header = header[: match.start()]
    divisor = ""
    if match := _DIVIDED.search(header) or _IN_UNIT.search(header):
        divisor = _believed(next(filter(None, match.groups())))
        if not (divisor and match.group().startswith("/")):
            return divisor
        header = header[: match.start()]
    bare = stem(header)
    match = _SUFFIX.search(header)
    if match is None:
        return divisor or (bare.lower() if kind == "time" and bare.lower() in _TIME_WORDS else "")
    unit = match.group(1)
    if divisor:
        return f"{unit}/{divisor}"  # "speed m/s"
    is_index = len(unit) == 1 and unit not in _LETTERS[kind] and (kind != "field" or len(bare) < 3)
    # velocity_m_s may be metres per second or not; no unit is reported that is not certain.
    return "" if is_index or _SUFFIX.search(bare) else unit


def with_unit(name: str, unit: str) -> str:
    """A header with a name and its unit; the name alone where that would be read as something else."""
    header = f"{name} [{unit}]"
    return header if (stem(header), unit_in(header, "field")) == (name, unit) else name


def _believed(text: str, is_free: bool = False) -> str:
    """A text in the place of a unit, if it is one; in square brackets (is_free) there is little else."""
    unit = " ".join(text.split())
    known = len(unit) < _LONGEST and (
        _BELIEVED.fullmatch(unit) or (is_free and _FREE.search(unit) and not re.search(r"\d", unit))
    )
    return unit if known else ""
