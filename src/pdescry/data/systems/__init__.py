"""Named systems with their truth: the three of the paper, and others (`line`); in the plane, names end in 2d (`plane`).

    pdescry.systems.burgers().observe(sensors=16, every=0.2, noise=0.05, seed=3)

gives readings as in the paper. ``systems.NAMES`` lists them all, ``systems.get("kdv")`` finds one by its name.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable

from pdescry.data.systems.line import (
    advection_diffusion,
    allen_cahn,
    burgers,
    damped_wave,
    fisher_kpp,
    fitzhugh_nagumo,
    gray_scott,
    heat,
    heated_rod,
    kdv,
    kdv_two_solitons,
    kuramoto_sivashinsky,
    phi4,
    predator_prey,
    schrodinger,
    shallow_water,
    telegraph,
    wave,
)
from pdescry.data.systems.plane import (
    advection_diffusion_2d,
    allen_cahn_2d,
    burgers_2d,
    fisher_kpp_2d,
    heat_2d,
    lambda_omega_2d,
    wave_2d,
)
from pdescry.data.systems.system import System
from pdescry.errors import InputError

_MAKERS: tuple[Callable[[], System], ...] = (
    burgers, kdv, heat, kuramoto_sivashinsky, fisher_kpp, allen_cahn, advection_diffusion, kdv_two_solitons, wave,
    fitzhugh_nagumo, schrodinger, gray_scott, predator_prey, shallow_water, damped_wave, telegraph, phi4, heated_rod,
    heat_2d, advection_diffusion_2d, fisher_kpp_2d, burgers_2d, allen_cahn_2d, lambda_omega_2d, wave_2d,
)  # fmt: skip
NAMES: tuple[str, ...] = tuple(maker.__name__ for maker in _MAKERS)
__all__ = ["NAMES", "System", "get", *NAMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __dir__() -> list[str]:
    return __all__


def get(name: str) -> System:
    """The system of a name.

    Parameters
    ----------
    name : str
        One of `NAMES`, such as ``"burgers"``.

    Returns
    -------
    System
    """
    if name not in NAMES:
        near = difflib.get_close_matches(name, NAMES, n=1, cutoff=0.4)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(f"Expected one of the systems {', '.join(NAMES)}; got {name!r}.{hint}")
    return _MAKERS[NAMES.index(name)]()
