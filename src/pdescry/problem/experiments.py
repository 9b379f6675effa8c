"""Which experiments may share one law."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from pdescry.data import Readings
from pdescry.data.units import check_units_agree
from pdescry.errors import InputError


def check_alike(readings: Sequence[Readings]) -> None:
    """Readings of several experiments that share one law: the same fields and inputs along the same axes, in the same
    units."""
    check_units_agree(readings)
    for first, each in combinations(readings, 2):
        if (each.fields, each.axes) != (first.fields, first.axes):
            raise InputError(
                "Expected experiments of the same fields along the same axes; got "
                f"{', '.join(first.fields)} along {', '.join(first.axes)} ({first.source}), and "
                f"{', '.join(each.fields)} along {', '.join(each.axes)} ({each.source}); name columns alike in both."
            )
        if (mine := _inputs(each)) != (theirs := _inputs(first)):
            raise InputError(
                f"Expected experiments with the same inputs; got {', '.join(theirs) or 'none'} ({first.source}), and "
                f"{', '.join(mine) or 'none'} ({each.source}); name the same inputs for both."
            )
        if each == first:
            raise InputError(
                f"Expected experiments that differ; got the same readings twice ({first.source} and {each.source}); "
                "they would count double: leave one of them out."
            )


def _inputs(readings: Readings) -> tuple[str, ...]:
    return tuple(each.name for each in readings.inputs)
