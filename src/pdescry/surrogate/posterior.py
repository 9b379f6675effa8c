"""`Posterior`: draws of the field, in the units of the readings.

Weights are not identifiable (permute the units, flip the signs: the same field), so nothing here averages them: what is
averaged are values of the field.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from pdescry.data import Readings
from pdescry.data.asked import Asked
from pdescry.notices import Notice
from pdescry.surrogate.options import SURROGATE
from pdescry.surrogate.samplers import Point
from pdescry.surrogate.scaling import Scaling

if TYPE_CHECKING:
    import arviz as az

    from pdescry.surrogate.chain import Plan, Trace
    from pdescry.surrogate.diagnostics import Diagnostics


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """Draws of a network's weights from the posterior, over all chains that can be used.

    Parameters
    ----------
    readings : Readings
        What it was conditioned on.
    plan : Plan
        All settings.
    scaling : Scaling
        Between physical units and those of the network.
    starts : (chains, dimension) array of float32
        Where the chains began, whitened.
    positions : (chains, draws, dimension) array of float32
        Draws, whitened; `layers` gives them as matrices.
    trace : dict of (chains, draws) arrays
        What each draw reported, such as log p.
    known_noise : (f, N) array, optional
        Standard deviations in physical units if they were given; None if they were inferred.
    left_out : tuple of str
        Which chains could not be used, and why.
    """

    readings: Readings
    plan: Plan
    scaling: Scaling
    starts: NDArray[np.float32]
    positions: NDArray[np.float32]
    trace: Trace
    known_noise: NDArray[np.float64] | None = None
    left_out: tuple[Notice, ...] = ()

    # ---- looking at it -----------------------------------------------------------------------------------------

    @property
    def n_chains(self) -> int:
        return self.positions.shape[0]

    @property
    def n_draws(self) -> int:
        """Over all chains."""
        return self.positions.shape[0] * self.positions.shape[1]

    def __repr__(self) -> str:
        return "\n".join([self.headline, f"  {self.diagnostics.verdict}", *(f"  {each}" for each in self.left_out)])

    @property
    def headline(self) -> str:
        """Of what it is, how many draws there are, and the noise."""
        means, sds = self.noise_sd.mean((0, 1, 3)), self.noise_sd.mean(3).std((0, 1))
        known = self.known_noise is not None
        noise = ", ".join(
            f"noise of {name} {mean:.3g}" + (" (given)" if known else f" ± {sd:.1g}")
            for name, mean, sd in zip(self.readings.fields, means, sds, strict=True)
        )
        return (
            f"Posterior of {', '.join(self.readings.fields)}: {self.n_chains} × {self.positions.shape[1]} draws "
            f"by {type(self.plan.sampler).__name__}; {noise}"
        )

    @cached_property
    def noise_sd(self) -> NDArray[np.float64]:
        """(chains, draws, fields, groups): the noise of each draw; groups are sensors, or one for all readings."""
        if self.known_noise is not None:
            shape = (*self.positions.shape[:2], len(self.readings.fields), 1)
            return np.broadcast_to(np.sqrt(np.mean(self.known_noise**2, 1))[:, None], shape)
        from pdescry.surrogate.compiled import log_noise

        log_sd = log_noise(self.plan.model, self.positions.reshape(self.n_draws, -1))
        sd = np.exp(np.asarray(log_sd, float)) * self.scaling.field_spread[:, None]
        return sd.reshape(self.n_chains, -1, *sd.shape[1:])

    def noise_of_readings(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The noise of some readings under each draw.

        Parameters
        ----------
        rows : (n,) array of int
            Which readings.

        Returns
        -------
        (draws over all chains, fields, n) array
        """
        if self.known_noise is not None:
            return np.broadcast_to(self.known_noise[:, rows], (self.n_draws, len(self.readings.fields), len(rows)))
        groups = self.readings.sensor[rows] if self.noise_sd.shape[-1] > 1 else np.zeros_like(rows)
        return self.noise_sd.reshape(self.n_draws, len(self.readings.fields), -1)[:, :, groups]

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """Whether to believe it, judged where it matters: at values and derivatives of the field."""
        from pdescry.surrogate.diagnostics import diagnose

        return diagnose(self)

    @property
    def start(self) -> Posterior:
        """The fits from which the chains began, one draw a chain; with `PAPER_DNN` and one chain, the paper's DNN."""
        nothing = np.zeros((self.n_chains, 1), np.float32)
        trace = self.trace._make((nothing + np.nan, nothing, nothing + 1, nothing))
        return replace(
            self, plan=replace(self.plan, sampler=Point()), positions=self.starts[:, None], trace=trace, left_out=()
        )

    # ---- the field ---------------------------------------------------------------------------------------------

    def layers(self) -> list[NDArray[np.float32]]:
        """Each layer's matrices, (draws over all chains, out, in + 1): standardised inputs to standardised fields."""
        out, done = [np.empty((self.n_draws, *shape), np.float32) for shape in self.plan.model.shapes], 0
        for part in self.layers_in_parts():
            for room, found in zip(out, part, strict=True):
                room[done : done + len(found)] = found
            done += len(part[0])
        return out

    def layers_in_parts(self) -> Iterator[list[NDArray[np.float32]]]:
        """The same, some draws at a time: all of them take as much memory as the posterior itself."""
        from pdescry.surrogate.compiled import layers

        for draws, part in self.some_at_a_time():
            yield [np.asarray(found)[: draws.stop - draws.start] for found in layers(self.plan.model, part)]

    def of_draws(self, which: slice | NDArray[np.intp]) -> Posterior:
        """Some of the draws over all chains, as if they were one chain.

        Parameters
        ----------
        which : slice or array of int
            Which draws.

        Returns
        -------
        Posterior
        """
        trace = self.trace._make(np.asarray(part).reshape(1, -1)[:, which] for part in self.trace)
        return replace(self, positions=self.positions.reshape(1, self.n_draws, -1)[:, which], trace=trace)

    def at_most(self, number: int) -> Posterior:
        """Some of the draws, spread evenly over those of all chains.

        Parameters
        ----------
        number : int
            So many at most.

        Returns
        -------
        Posterior
        """
        if self.n_draws <= number:
            return self
        return self.of_draws(np.linspace(0, self.n_draws - 1, number).astype(int))

    def some_at_a_time(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """Which draws over all chains, and their positions, filled up to one size, so that nothing is compiled anew."""
        flat = self.positions.reshape(self.n_draws, self.positions.shape[-1])
        most = SURROGATE.draws_at_once
        for start in range(0, self.n_draws, most):
            part = flat[start : start + most]
            filled = np.pad(part, ((0, most - len(part)), (0, 0)), mode="edge") if self.n_draws > most else part
            yield slice(start, start + len(part)), filled

    def values(self, points: ArrayLike) -> NDArray[np.float64]:
        """Fields of all draws at points, in physical units.

        Parameters
        ----------
        points : (N, 1 + d) array_like
            Columns t, x, ….

        Returns
        -------
        (draws over all chains, fields, N) array
        """
        from pdescry.surrogate.compiled import fields

        points = np.asarray(points, float)
        inputs = self.scaling.inputs(points)
        out = np.empty((self.n_draws, len(self.readings.fields), len(points)))
        most = SURROGATE.points_at_once
        for start in range(0, len(points), most):
            part = inputs[:, start : start + most]
            padded = np.pad(part, ((0, 0), (0, most - part.shape[1])))
            for draws, positions in self.some_at_a_time():
                found = np.asarray(fields(self.plan.model, positions, padded))
                out[draws, :, start : start + most] = found[: draws.stop - draws.start, :, : part.shape[1]]
        out *= self.scaling.field_spread[:, None]  # in place: of thousands of draws it is large
        out += self.scaling.field_centre[:, None]
        return out

    @property
    def reach(self) -> dict[str, tuple[float, float]]:
        """Interval of time and of each axis in which there are readings, as in ``{"t": (0, 10), "x": (-8, 8)}``."""
        return self.readings.span

    def predict(
        self, t: ArrayLike, *places: ArrayLike, level: float = 0.95, noise: bool = False, grid: bool = True
    ) -> xr.Dataset:
        """Mean, standard deviation and interval of the field.

        Parameters
        ----------
        t : array_like
            Times.
        *places : array_like
            Places, an array for each axis.
        level : float
            Share of the draws between ``u_low`` and ``u_high``.
        noise : bool
            Predict what a sensor would read instead of the field itself.
        grid : bool
            Whether the arrays make a grid; else they are of one shape, an entry for each point.

        Returns
        -------
        xarray.Dataset
            For a field u: ``u`` (mean), ``u_sd``, ``u_low`` and ``u_high``.
        """
        asked = Asked.of((t, *places), (self.readings.time_name, *self.readings.axes), level, grid)
        return asked.answered(self._summarise(asked.points, level, noise))

    def _summarise(self, points: NDArray[np.float64], level: float, noise: bool) -> dict[str, NDArray[np.float64]]:
        tails = [(1 - level) / 2, (1 + level) / 2]
        parts: dict[str, list[NDArray[np.float64]]] = {}
        most = SURROGATE.points_at_once
        for start in range(0, len(points), most):  # block by block: memory does not grow with the points
            values = self.values(points[start : start + most])
            mean, sd = values.mean(0), values.std(0)
            if noise:
                # Where noise differs from sensor to sensor, an average one reads here.
                spread = np.sqrt(np.mean(self.noise_sd**2, -1)).reshape(self.n_draws, -1, 1)
                sd = np.sqrt(sd**2 + np.mean(spread**2, 0))
                values = disturbed(values, spread)
            low, high = np.quantile(values, tails, axis=0, overwrite_input=True)
            for number, name in enumerate(self.readings.fields):
                for ending, part in (("", mean), ("_sd", sd), ("_low", low), ("_high", high)):
                    parts.setdefault(name + ending, []).append(part[number])
        return {name: np.concatenate(part) for name, part in parts.items()}

    # ---- ways out ----------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that :meth:`load` reads; no pickle.

        Parameters
        ----------
        path : str or path
            A NetCDF file (``.nc``) or a Zarr folder (``.zarr``).
        """
        from pdescry.surrogate.storage import save

        save(self, Path(path))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Posterior:
        """The posterior that :meth:`save` wrote.

        Parameters
        ----------
        path : str or path
            The file or folder.

        Returns
        -------
        Posterior
        """
        from pdescry.surrogate.storage import load

        return load(Path(path))

    def to_arviz(self) -> az.InferenceData:
        """An ArviZ object: the field at probe points (``u``, ``u_x``, …), noise sds, the sampler's own statistics."""
        from pdescry.surrogate.diagnostics import to_arviz

        return to_arviz(self)


def disturbed(values: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """Draws (draws, f, N) with noise of sd ``spread`` added, several times each while draws are few."""
    times = int(np.clip(8000 // len(values), 1, 8))
    noise = np.random.default_rng(0).standard_normal((times, *values.shape))  # the same question gets the same answer
    return (values + spread * noise).reshape(-1, *values.shape[1:])
