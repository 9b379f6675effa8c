"""Checks that all settings share, so that a wrong one is refused in one sentence before any work; and `differences`."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

from pdescry.errors import InputError


def check_whole(what: str, value: Any, least: int, below: int | None = None) -> int:
    """A whole number, at least ``least`` (and less than ``below``), as a plain int."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or int(value) < least:
        raise InputError(f"Expected the {what} to be a whole number of at least {least}; got {value!r}.")
    if below is not None and int(value) >= below:
        raise InputError(f"Expected the {what} to be a whole number below {below}; got {value!r}.")
    return int(value)


def check_positive(what: str, value: Any, below: float = math.inf) -> float:
    """A finite number above zero (and less than ``below``), as a plain float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not (0 < float(value) < below):
        limit = "" if below == math.inf else f" and below {below:g}"
        raise InputError(f"Expected the {what} to be a finite number above zero{limit}; got {value!r}.")
    return float(value)


def check_choice(what: str, value: Any, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise InputError(f"Expected the {what} to be one of {', '.join(map(repr, choices))}; got {value!r}.")
    return value


def check_switch(what: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"Expected {what} to be True or False; got {value!r}.")
    return value


def check_texts(what: str, value: Any) -> tuple[str, ...]:
    """Texts, or objects with a text such as terms; a single one may stand for itself."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise InputError(f"Expected the {what} to be a text or a list of texts; got {value!r}.")
    return tuple(map(str, value))


def check_workers(number: Any) -> int | None:
    return None if number is None else check_whole("number of workers", number, 1)


def check_kind(what: str, value: Any, kinds: tuple[type, ...]) -> None:
    """An object of one of these kinds, not its class and not its name."""
    if not isinstance(value, kinds):
        shown = ", ".join(f"{kind.__name__}(…)" for kind in kinds)
        raise InputError(f"Expected {what} to be {shown} from pdescry.surrogate; got {value!r}.")


def plain(settings: Any, **checked: Any) -> None:
    """Put checked, plain numbers into a frozen set of settings: numpy's would not survive the way to a file."""
    for name, value in checked.items():
        object.__setattr__(settings, name, value)


def differences(before: dict[str, Any], after: dict[str, Any], prefix: str = "") -> list[tuple[str, Any, Any]]:
    """(dotted name, before, after) wherever two nested mappings differ."""
    found: list[tuple[str, Any, Any]] = []
    for name in [*before, *(name for name in after if name not in before)]:
        old, new = before.get(name), after.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            found += differences(old, new, f"{prefix}{name}.")
        elif old != new:
            found.append((f"{prefix}{name}", old, new))
    return found
