"""Candidate terms as columns of numbers: ``u^2*u_x`` is the square of a field times a derivative."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any


def factors_of(term: str) -> list[tuple[str, int]]:
    """[(field or derivative, power)]; none for the constant."""
    if term == "1":
        return []
    parts = (factor.partition("^") for factor in term.split("*"))
    return [(name, int(power or 1)) for name, _, power in parts]


def derivatives_in(candidates: Iterable[str]) -> list[str]:
    """The derivatives that occur, such as ``u_x``, lower orders first."""
    names = {name for term in candidates for name, _ in factors_of(term) if "_" in name}
    return sorted(names, key=lambda name: (len(name), name))


def value_of(term: str, table: Mapping[str, Any], one: Any) -> Any:
    """A term from fields and derivatives by their names."""
    return prod((table[name] ** power for name, power in factors_of(term)), start=one)


def has_product(term: str) -> bool:
    """Whether it is the product of a derivative with anything."""
    factors = factors_of(term)
    return any("_" in name for name, _ in factors) and sum(power for _, power in factors) > 1


def scale_of(term: str, field: float, axes: Mapping[str, float]) -> float:
    """The factor by which a term grows where fields and coordinates are in units of these."""
    found = 1.0
    for name, power in factors_of(term):
        along = name.partition("_")[2]
        found *= (field / prod((axes[axis] for axis in along), start=1.0)) ** power
    return found
