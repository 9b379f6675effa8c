"""What is typed at the shell, as a TOML file would have it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pdescry.errors import InputError
from pdescry.schema.setting import AUTO


def value(text: str) -> Any:
    """A value as TOML has it, or else the text as it stands."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def value_by_field(text: str) -> Any:
    """``2``, or ``u=2,T=1`` → ``{"u": 2, "T": 1}``."""
    if "=" not in text:
        return value(text)
    pairs = [each.partition("=") for each in text.split(",") if each.strip()]
    return {name.strip(): value(part) for name, _, part in pairs}


def parts(words: Iterable[str], whole: Collection[str] = ()) -> list[str]:
    """``["TC5,TC7", "TC9"]`` → ``["TC5", "TC7", "TC9"]``; a word of ``whole``, which has a comma itself, stays."""
    return [part.strip() for word in words for part in ([word] if word in whole else word.split(",")) if part.strip()]


def libraries() -> tuple[str, ...]:
    from pdescry.equation.candidates import LIBRARIES

    return LIBRARIES


def library_or_terms(words: Iterable[str]) -> str | list[str]:
    """The name of a library, or terms, several of them perhaps in one word: "u_xx, u"."""
    terms = parts(words)
    return terms[0] if len(terms) == 1 and terms[0] in (AUTO, *libraries()) else terms


def underscored(word: str) -> str:
    return word.replace("-", "_")


def hyphenated(name: str) -> str:
    """``BestSubset``, ``best_subset`` → ``best-subset``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).replace("_", "-").lower()


def meant(given: Any, names: Sequence[str], what: str) -> str:
    """The name meant, whatever its capitals and hyphens."""

    def bare(name: Any) -> str:
        return str(name).lower().replace("-", "").replace("_", "")

    for name in names:
        if bare(name) == bare(given):
            return name
    raise InputError(f"Expected {what} to be one of {', '.join(names)}; got {given!r}.")
