"""The units of readings: found in headers, below them or in attributes, or given; none is ever guessed or converted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pdescry.data.headers import unit_in
from pdescry.data.names import Roles
from pdescry.data.table import Table
from pdescry.errors import InputError

if TYPE_CHECKING:
    from pdescry.data.readings import Readings

_NONE = {"", "-", "--", "1", "none", "dimensionless", "unitless"}
_LONGEST = 40


def found_units(
    table: Table, roles: Roles, axes: Sequence[str], fields: Sequence[str], inputs: Sequence[str] = ()
) -> dict[str, str]:
    """What the table says of time, axes, fields and inputs. What it says apart from a header counts more than that."""

    def of(name: str, header: str) -> str:
        return table.units.get(name) or header

    found = {"t": of(roles.time, unit_in(roles.time, "time"))}
    found |= {known: of(name, unit_in(name, "field")) for known, name in zip(inputs, roles.inputs, strict=True)}
    if roles.places:
        below = {table.units.get(name, "") for name in roles.fields}
        return _known(found | {axes[0]: roles.unit, fields[0]: below.pop() if len(below) == 1 else ""})
    found |= {axis: of(name, unit_in(name, "space")) for axis, name in zip(axes, roles.space, strict=True)}
    found |= {field: of(name, unit_in(name, "field")) for field, name in zip(fields, roles.fields, strict=True)}
    return _known(found)


def settle(
    names: Sequence[str], given: Mapping[str, str] | None, found: Mapping[str, str], clock: str
) -> dict[str, str]:
    """The units of ``names``, of which the first is time's. What is given wins, but for times that became numbers here.

    clock: the unit that dates and clock times were converted to, or an empty text.
    """
    given = {} if given is None else given
    if not (isinstance(given, Mapping) and all(isinstance(part, str) for pair in given.items() for part in pair)):
        raise InputError(f"Expected units= as a mapping such as {{'{names[-1]}': '°C'}}; got {given!r}; pass one.")
    if unknown := [name for name in given if name not in names]:
        raise InputError(
            f"Expected units of {', '.join(names)}; got one of {unknown[0]!r}; name it as these readings do."
        )
    if unclear := [text for text in given.values() if not plain_unit(text) and text.strip().lower() not in _NONE]:
        raise InputError(f"Expected a unit of at most {_LONGEST} printable characters; got {unclear[0]!r}; shorten it.")
    known = _known({**found, **given})
    if clock:
        if given.get(names[0], clock) != clock:
            raise InputError(
                f"Expected dates or clock times, which become numbers of {clock}, without a unit; got "
                f"{given[names[0]]!r} for {names[0]!r}; leave it out of units=."
            )
        known[names[0]] = clock
    return {name: known[name] for name in names if name in known}


def check_units_agree(readings: Sequence[Readings]) -> None:
    """Refuse experiments that give the same quantity in different units; a unit that is not known contradicts none."""
    seen: dict[str, tuple[str, int]] = {}
    for number, each in enumerate(readings, 1):
        for name, unit in each.units.items():
            before, first = seen.setdefault(name, (unit, number))
            if before != unit:
                one, other = (_experiment(readings[k - 1], k) for k in (first, number))
                raise InputError(
                    f"Expected {name!r} in one unit in all experiments; got {before} in {one} and {unit} in {other}; "
                    "convert the numbers of one of them, or correct its unit with units=."
                )


def _experiment(readings: Readings, number: int) -> str:
    return f"experiment {number}" + (f" ({readings.source})" if readings.source else "")


def plain_unit(text: Any) -> str:
    """A unit from a cell or an attribute on one line, without brackets; empty where it says that there is none."""
    unit = " ".join(text.split()) if isinstance(text, str) else ""
    unit = unit.split(" since ")[0]  # "days since 2000-01-01"
    if len(unit) > 2 and unit[0] + unit[-1] in ("()", "[]", "{}", "<>"):
        unit = unit[1:-1].strip()
    return unit if unit.isprintable() and unit.lower() not in _NONE and len(unit) <= _LONGEST else ""


def _known(units: Mapping[str, str]) -> dict[str, str]:
    return {name: unit for name, text in units.items() if (unit := plain_unit(text))}
