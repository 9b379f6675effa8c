"""Arrays without coordinates: times and places from steps, ``dt=0.1, dx=0.02``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pdescry.data.table import Table, Variable
from pdescry.errors import InputError
from pdescry.notices import Notice


@dataclass(frozen=True)
class Steps:
    """dt: from one time to the next, from t0 on. dx: from one place to the next, from x0 on; a number, or by axis."""

    dt: float | None = None
    dx: float | Mapping[str, float] | None = None
    t0: float = 0.0
    x0: float | Mapping[str, float] = 0.0

    def __bool__(self) -> bool:
        return self.dt is not None or self.dx is not None

    def along(self, axis: str) -> tuple[float, float]:
        """The step, and where it begins."""
        dx, x0 = (each.get(axis) if isinstance(each, Mapping) else each for each in (self.dx, self.x0))
        return _number(dx, f"dx along {axis}", positive=True), _number(0.0 if x0 is None else x0, "x0")


def _number(value: Any, name: str, positive: bool = False) -> float:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or (positive and value <= 0):
        raise InputError(
            f"Expected {name} as {'a positive' if positive else 'a'} number; got {value!r}; pass ⟦dt=0.1⟧ (the step in "
            "time) and ⟦dx=0.02⟧ (the step in space)."
        )
    return float(value)


def with_steps(table: Table, steps: Steps, fields: Sequence[str]) -> Table:
    """The arrays of a table on a given grid, time first: ``u[t, x]``, or images ``u[t, y, x]``."""
    dt, t0 = _number(steps.dt, "dt", positive=True), _number(steps.t0, "t0")
    wanted = list(fields) or [name for name in table.variables if table.variables[name].values.ndim > 1]
    arrays = {name: table.variables[name].values for name in wanted if name in table.variables}
    shapes = {array.shape for array in arrays.values()}
    if not arrays or len(shapes) > 1 or any(array.ndim not in (2, 3) for array in arrays.values()):
        got = ", ".join(f"{name} {variable.values.shape}" for name, variable in table.variables.items()) or "none"
        raise InputError(
            f"Expected an array over time and space, u[t, x] or images u[t, y, x], in {table.source}, with ⟦dt=⟧ and "
            f"⟦dx=⟧; got {got}; cut out one channel, or name the arrays with ⟦fields=⟧."
        )
    shape = shapes.pop()
    dims = ("t", "x") if len(shape) == 2 else ("t", "y", "x")
    variables = {"t": Variable(t0 + dt * np.arange(shape[0]), ("t",))}
    for axis, size in zip(dims[1:], shape[1:], strict=True):
        step, start = steps.along(axis)
        variables[axis] = Variable(start + step * np.arange(size), (axis,))
    variables |= {name: Variable(array, dims) for name, array in arrays.items()}
    steps_text = [f"{steps.along(axis)[0]:g} ({axis})" for axis in sorted(dims[1:])]
    steps_text = steps_text if isinstance(steps.dx, Mapping) else [f"{steps.along('x')[0]:g}"]
    if len(shape) == 2:
        note = Notice.of("steps-given", dt=dt, dx=steps_text, times=shape[0], places=shape[1])
    else:
        note = Notice.of("steps-given-of-images", dt=dt, dx=steps_text, times=shape[0], rows=shape[1], columns=shape[2])
    return replace(table, variables=variables, coordinates=frozenset(dims), units={}, notes=(*table.notes, note))


def is_bare(table: Table) -> bool:
    """Whether there is nothing but one array without coordinates."""
    (only, *others) = table.variables.values()
    return not others and only.dims is None and only.values.ndim > 1
