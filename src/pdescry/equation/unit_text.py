"""Units as text, multiplied: ``"°C"`` and ``"m²/s"`` → powers of symbols, and back. Nothing is converted.

A text that is no product of powers (``arb. units``) is a symbol of its own, so that it cancels against itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

Powers = Mapping[str, Fraction]  # of symbols; empty for a pure number

_UP, _PLAIN = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"
_RAISED, _LOWERED = str.maketrans(_PLAIN, _UP), str.maketrans(_UP, _PLAIN)
_LETTER = rf"[^\W\d_{_UP}]"
_SYMBOL = rf"°{_LETTER}?|{_LETTER}+|[%‰]"
_FACTOR = re.compile(rf"({_SYMBOL})(?:(?:\^|\*\*)?([-−]?\d|[{_UP}]+))?")
_BETWEEN = re.compile(r"\s*[*·⋅]\s*|\.(?=\S)|\s+")


def powers_of(unit: str) -> Powers:
    """``"W/(m·K)"`` → {"W": 1, "m": -1, "K": -1}."""
    text = unit.replace("**", "^").strip()
    above, *below = (part.strip() for part in text.split("/"))
    found = [{} if above == "1" else _product(above)]
    for part in below:
        inner = _product(part.removeprefix("(").removesuffix(")"))
        is_clear = (len(part) > 1 and part[0] + part[-1] == "()") or (inner is not None and len(inner) == 1)
        found.append({symbol: -power for symbol, power in inner.items()} if inner is not None and is_clear else None)
    if any(part is None for part in found):
        return {unit: Fraction(1)} if unit else {}
    return product((part, Fraction(1)) for part in found if part is not None)


def _product(text: str) -> Powers | None:
    """None where the text is no product of powers."""
    matches = [_FACTOR.fullmatch(part) for part in _BETWEEN.split(text)]
    if not all(matches):
        return None
    factors = ((match[1], match[2] or "1") for match in matches if match)
    return product(
        ({symbol: Fraction(int(power.translate(_LOWERED).replace("−", "-")))}, Fraction(1)) for symbol, power in factors
    )


def product(parts: Iterable[tuple[Powers, Fraction]]) -> Powers:
    """The product of units, each to a power."""
    total: dict[str, Fraction] = {}
    for powers, exponent in parts:
        for symbol, power in powers.items():
            total[symbol] = total.get(symbol, Fraction(0)) + power * exponent
    return {symbol: power for symbol, power in total.items() if power}


def written(powers: Powers) -> str:
    """``"m²/s"``; ``"1"`` for a pure number."""
    above = [_power(symbol, power) for symbol, power in powers.items() if power > 0]
    below = [_power(symbol, -power) for symbol, power in powers.items() if power < 0]
    if not below:
        return "·".join(above) or "1"
    under = "·".join(below)
    return f"{'·'.join(above) or '1'}/{under if len(below) == 1 else f'({under})'}"


def _power(symbol: str, power: Fraction) -> str:
    symbol = symbol if re.fullmatch(_SYMBOL, symbol) else f"({symbol})"
    if power == 1:
        return symbol
    return symbol + (str(power).translate(_RAISED) if power.denominator == 1 else f"^{float(power):g}")
