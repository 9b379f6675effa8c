"""Checks of settings of which each is the only one of its kind: (what it is called, the value) → as it is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pdescry.checks import check_whole
from pdescry.errors import InputError
from pdescry.schema.setting import AUTO, Check

OFF = "off"  # where Python says False


def count(least: int, below: int | None = None) -> Check:
    """A whole number that may be written as 1e4."""

    def check(what: str, given: Any) -> int:
        return check_whole(what, int(given) if isinstance(given, float) and given.is_integer() else given, least, below)

    return check


def candidates(_: str, given: Any) -> str | tuple[str, ...] | dict[str, tuple[str, ...]] | None:
    if given is None or isinstance(given, str):
        return None if given == AUTO else given
    lists = given.values() if isinstance(given, Mapping) else [given]
    if not all(isinstance(each, Iterable) and not isinstance(each, str | Mapping) for each in lists):
        raise InputError(
            f"Expected candidates as a name or a list of terms such as ['u_xx', 'u'], or lists by field; got {given!r}."
        )
    if isinstance(given, Mapping):  # by the field whose equation they are for
        return {str(name): tuple(str(term) for term in terms) for name, terms in given.items()}
    return tuple(str(term) for term in given)


def time_order(_: str, given: Any) -> int | dict[str, int] | None:
    """1, 2, one of these for each field, or None: inferred."""
    if given is None or given == AUTO:
        return None
    orders = dict(given) if isinstance(given, Mapping) else {"": given}
    for order in orders.values():
        if isinstance(order, bool) or order not in (1, 2):
            raise InputError(f"Expected the order of the time derivative to be 1, 2 or {AUTO!r}; got {order!r}.")
    return {str(name): int(order) for name, order in orders.items()} if isinstance(given, Mapping) else int(given)


def average(_: str, given: Any) -> bool | int:
    if given is None or (isinstance(given, str) and given in (AUTO, OFF)):
        return given != OFF
    if isinstance(given, bool):
        return given
    from pdescry.data.averaged import check_number

    try:
        return check_number(given)
    except InputError:
        raise InputError(
            f"Expected average to be {AUTO!r} (True), {OFF!r} (False) or a number of readings to leave of each sensor "
            f"(3 or more); got {given!r}."
        ) from None


def written_average(value: bool | int) -> str | int:
    return {True: AUTO, False: OFF}[value] if isinstance(value, bool) else value


def sensors(_: str, given: Any) -> tuple[str, ...]:
    """Names of sensors, or their numbers, as texts: a TOML file and the shell have them so."""
    if isinstance(given, int | str):
        given = [given]
    listed = isinstance(given, Iterable) and not isinstance(given, Mapping)
    if not listed or not all(isinstance(each, int | str) for each in given):
        raise InputError(f"Expected without as names or numbers of sensors, such as ['TC5']; got {given!r}.")
    return tuple(str(each) for each in given)


def within(_: str, given: Any) -> Any:
    if not isinstance(given, Mapping) and given in ("hull", "box"):
        return given
    try:
        return {str(name): (float(low), float(high)) for name, (low, high) in given.items()}
    except (AttributeError, TypeError, ValueError):
        raise InputError(
            f"Expected within to be 'hull', 'box' or ranges such as {{'x': (0, 1)}}; got {given!r}."
        ) from None
