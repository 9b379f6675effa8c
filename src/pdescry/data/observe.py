"""`observe`: a known solution → the readings that sensors would have taken of it. All randomness from one seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdescry.data.layout import Layout, place_sensors, set_clocks
from pdescry.data.readings import Readings
from pdescry.errors import InputError

if TYPE_CHECKING:
    from pdescry.solver import Solution


def observe(
    solution: Solution,
    *,
    sensors: int | ArrayLike | Callable[[NDArray[np.float64]], ArrayLike] | None = None,
    layout: Layout = "random",
    every: float | None = None,
    times: int | Sequence[float] | NDArray[np.float64] | None = None,
    jitter: float = 0.0,
    missing: float = 0.0,
    noise: float | str | ArrayLike = 0.0,
    seed: int = 0,
    source: str = "",
    inputs: Mapping[str, Any] | None = None,
) -> Readings:
    """Readings of a solution by a few sensors.

    Parameters
    ----------
    solution : Solution
        The field.
    sensors : int, (S,) or (S, 2) array_like, or callable, optional
        How many (default 16, in the plane 60), or their places; in the plane ``(12, 10)`` for a grid of 12 by 10; or a
        function of times (T,) that gives the places (T, S, axes) of moving sensors.
    layout : {"random", "even", "moving"}
        Places over the domain; "moving": each sensor crosses the domain once on a straight line, reflected by the
        sides.
    every : float, optional
        The time step; by default 50 steps.
    times : int or (T,) array_like, optional
        How many even times, or the times of reading.
    jitter : float
        Each sensor reads up to this fraction of a step early or late.
    missing : float
        The fraction of readings that are lost.
    noise : float, str or (S,) array_like
        Standard deviation of Gaussian noise, one number or one for each sensor; a text such as ``"5%"`` is relative to
        the standard deviation of the field over the readings.
    seed : int
        Places, clocks, losses and noise each draw from a stream of their own, so that changing the noise moves no
        sensor.
    source : str
        Where the readings come from, in words.
    inputs : mapping, optional
        Known inputs to keep with the readings, as `Readings.from_arrays` takes them.

    Returns
    -------
    Readings
    """
    solution.require_ok()
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"Expected seed as a whole number from 0 on; got {seed!r}.")
    for_places, for_clocks, for_losses, for_noise = (
        np.random.default_rng(stream) for stream in np.random.SeedSequence(seed).spawn(4)
    )
    count, track, moving = place_sensors(sensors, layout, solution.extent, solution.until, for_places)
    clocks = set_clocks(every, times, solution.until, count, jitter, for_clocks)
    if not 0 <= missing < 1:
        raise InputError(f"Expected missing as a fraction of the readings from 0 up to 1; got {missing}.")
    kept = for_losses.uniform(size=clocks.shape) >= missing
    sensor = np.broadcast_to(np.arange(count)[:, None], clocks.shape)[kept]
    t, places = clocks[kept], track(clocks)[kept]  # (N,) and (N, axes)
    true = np.stack([solution.at(t, *places.T, of=field) for field in solution.equation.fields], axis=1)  # (N, f)
    level, relative = _noise_level(noise, count)
    sd = level[sensor, None] * (true.std(axis=0) if relative else 1.0)
    return Readings.from_arrays(
        t,
        places,
        true + sd * for_noise.standard_normal(true.shape),
        sensor=sensor if moving else None,
        axes=solution.axes,
        fields=solution.equation.fields,
        source=source or f"simulated from {solution.equation}",
        inputs=inputs,
    )


def _noise_level(noise: float | str | ArrayLike, sensors: int) -> tuple[NDArray[np.float64], bool]:
    """(S,) standard deviations, and whether they are relative to the field's."""
    relative = isinstance(noise, str) and noise.strip().endswith("%")
    try:
        level = np.asarray(noise.strip().removesuffix("%") if isinstance(noise, str) else noise, dtype=float)
    except (TypeError, ValueError):
        level = np.full((), np.nan)
    if level.shape not in ((), (sensors,)) or not np.all(np.isfinite(level) & (level >= 0)):
        raise InputError(
            f"Expected ⟦noise=⟧ as a number from 0 on such as 0.05, relative as '5%', or {sensors} numbers (one for "
            f"each sensor); got {noise!r}."
        )
    return np.broadcast_to(level / 100 if relative else level, (sensors,)), relative
