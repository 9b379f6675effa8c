"""Where the knots of the field lie: finer towards the start, where fields change fast, and where the law is not met."""

from __future__ import annotations

import numpy as np

from pdescry.joint.objective import Minimum
from pdescry.joint.splines import QUADRATURE, Array

# Elements before any are halved, and at most.
ALONG_X = (64, 160)
ALONG_T = (24, 60)
EARLIEST = 5e-4  # of the duration: the first element in time
RESOLVED = 3e-3  # a residual of so much of u_t is met well enough


def first_breaks(x: tuple[float, float], t: tuple[float, float]) -> tuple[Array, Array]:
    """Even, but halved again and again towards the first time: an initial state that does not fit the ends leaves them
    in a layer, which other laws would explain if it were blurred."""
    even = np.linspace(0, 1, ALONG_T[0] + 1)
    halvings = int(np.ceil(np.log2(even[1] / EARLIEST)))
    times = np.unique(np.concatenate([even, even[1] / 2.0 ** np.arange(1, halvings + 1)]))
    return np.linspace(*x, ALONG_X[0] + 1), t[0] + (t[1] - t[0]) * times


def finer_breaks(found: Minimum) -> tuple[Array, Array] | None:
    """Elements with more than their share of the residual are halved; None where that is no more needed or possible."""
    if found.unresolved < RESOLVED:
        return None
    space = found.objective.space
    residual = found.objective.residual(found.field, found.coefficients)
    share = (space.area * residual**2).reshape(space.x.n, QUADRATURE, space.t.n, QUADRATURE)
    x = _halved(space.x.breaks, share.sum(axis=(1, 2, 3)), ALONG_X[1])
    t = _halved(space.t.breaks, share.sum(axis=(0, 1, 3)), ALONG_T[1])
    if len(x) == space.x.n + 1 and len(t) == space.t.n + 1:
        return None
    return x, t


def _halved(breaks: Array, share: Array, most: int) -> Array:
    n = len(breaks) - 1
    worst = np.argsort(-share)[: max(most - n, 0)]
    chosen = worst[share[worst] > share.sum() / n]
    return np.sort(np.concatenate([breaks, (breaks[chosen] + breaks[chosen + 1]) / 2]))
