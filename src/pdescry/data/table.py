"""`Table`: what every reader hands over, before anyone has said which column is time and which is space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from pdescry.data.check import Where, is_missing, to_number


@dataclass(frozen=True, slots=True)
class Variable:
    """An array and the names of its dimensions; None where the file does not say (``.npz``, MATLAB)."""

    values: NDArray[Any]
    dims: tuple[str, ...] | None = ("row",)


@dataclass(frozen=True, slots=True)
class Table:
    """Named arrays from one source.

    coordinates: the names known not to be fields. where: names the i-th row as the user would look it up.
    remark: a sentence about the source that belongs into every complaint about its columns.
    """

    variables: Mapping[str, Variable]
    source: str
    coordinates: frozenset[str] = frozenset()
    where: Where = "reading {}".format
    remark: str = ""

    def is_long(self) -> bool:
        """Whether all variables are columns of one length, as in a frame."""
        return all(variable.dims == ("row",) for variable in self.variables.values())

    def listing(self) -> str:
        """The names, as a complaint shows them: at most a dozen, each on one line."""
        names = [repr(name if len(name) <= 30 else name[:29] + "…") for name in self.variables]
        return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")

    def is_numeric(self, name: str) -> bool:
        """Whether a variable holds numbers, or is mostly numbers with some text among them."""
        values = self.variables[name].values
        if values.dtype.kind not in "OUST":
            return values.dtype.kind in "fiuc"
        sample = [cell for cell in values.flat[:1000] if not is_missing(cell)]
        return 2 * sum(to_number(cell) is not None for cell in sample) > len(sample)
