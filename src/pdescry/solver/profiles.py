"""Fields along the axis at one time, as polynomials through many nodes: they are evaluated at thousands of places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.polynomial import Chebyshev, chebyshev
from numpy.typing import NDArray
from scipy.fft import dct

NODES = 256


def nodes(domain: Sequence[float]) -> NDArray[np.float64]:
    return (domain[0] + domain[1]) / 2 + (domain[1] - domain[0]) / 2 * chebyshev.chebpts1(NODES)


def polynomial(values: NDArray[np.float64], domain: Sequence[float]) -> Chebyshev:
    """The polynomial through values at the nodes."""
    found = np.asarray(dct(values[::-1], type=2)) / NODES
    found[0] /= 2
    return Chebyshev(found, domain=list(domain))
