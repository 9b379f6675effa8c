"""Checks that all settings of this room share, so that a wrong one is refused in one sentence before any work."""

from __future__ import annotations

import math
from typing import Any

from pdescry.errors import InputError


def check_whole(what: str, value: Any, least: int) -> None:
    """A whole number, at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"Expected the {what} to be a whole number of at least {least}; got {value!r}.")


def check_positive(what: str, value: Any) -> None:
    """A finite number above zero."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not (0 < value < math.inf):
        raise InputError(f"Expected the {what} to be a finite number above zero; got {value!r}.")


def check_choice(what: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"Expected the {what} to be one of {', '.join(map(repr, choices))}; got {value!r}.")
