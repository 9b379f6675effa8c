"""Rows of one time, place and sensor are one reading: repeats go, different fields join, contradictions are errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdescry.data.table import Where
from pdescry.errors import InputError
from pdescry.notices import Notice

Floats = NDArray[np.float64]


def merge_repeats(
    time: Floats,
    space: Floats,
    values: Floats,
    noise: Floats | None,
    code: NDArray[np.intp] | None,
    keep: NDArray[np.bool_],
    where: Where,
) -> tuple[Floats, Floats | None, NDArray[np.bool_], list[Notice]]:
    """Values (N, f) and noise with the fields of equal rows joined in the first of them, which rows are left, notes.

    Two that contradict each other are an error, unless two named sensors disagree.
    """
    rows = np.flatnonzero(keep)
    keys = [*space[rows].T, time[rows], *([] if code is None else [code[rows]])]
    order = rows[np.lexsort(keys)]  # stable: the first row of each group is the first of the table
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for column in (*space.T, time, *([] if code is None else [code])):
        same &= column[order[1:]] == column[order[:-1]]
    if not same.any():
        return values, noise, keep, []
    group = np.concatenate([[0], np.cumsum(~same)])  # of each row in ``order``
    firsts = order[np.concatenate([[True], ~same])]
    clashes: list[tuple[int, int]] = []
    joined, sd = values.copy(), None if noise is None else noise.copy()
    gave = np.zeros(len(values), dtype=bool)
    for k in range(values.shape[1]):
        measured = ~np.isnan(values[order, k])
        which, of_group = order[measured], group[measured]
        again = of_group[1:] == of_group[:-1]
        differ = again & (values[which[1:], k] != values[which[:-1], k])
        clashes += [(int(one), int(other)) for one, other in zip(which[:-1][differ], which[1:][differ], strict=True)]
        giver = which[np.concatenate([[True], ~again])] if len(which) else which
        taker = firsts[of_group[np.concatenate([[True], ~again])]] if len(which) else which
        joined[taker, k] = values[giver, k]
        if sd is not None and noise is not None:
            sd[taker, k] = noise[giver, k]
        gave[giver] = True
    if clashes:
        one, other = sorted(min(clashes))
        place = ", ".join(f"{number:g}" for number in (time[one], *space[one]))
        raise InputError(
            f"Expected one value per time and place; got {len(set(clashes))} repeated with different values "
            f"(first: {where(one)} and {where(other)}, at {place}); average or remove them, "
            "or name the column that identifies sensors with ⟦sensor=⟧."
        )
    removed = order[1:][same]
    kept = keep.copy()
    kept[removed] = False
    merged = int(gave[removed].sum())
    repeated = len(removed) - merged
    notes = []
    if repeated:
        notes.append(Notice.of("repeats-dropped", dropped=repeated, readings=len(rows)))
    if merged:
        notes.append(Notice.of("rows-joined", rows=merged))
    return joined, sd, kept, notes
