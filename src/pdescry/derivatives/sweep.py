"""The sweep over draws and points: draws a part at a time, for each part blocks of points on all cores or devices, and
for each block the part's draws in chunks.

A block is so small that its series stay in the cache of one core. Each block has sums of its own, to which chunks are
added in the order of the draws, so the result does not depend on the number of cores or on how the draws were divided
into parts, and memory does not depend on the number of draws.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from functools import cache
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from pdescry.cores import n_cores
from pdescry.derivatives.library import Library, Units
from pdescry.derivatives.moments import Moments, of_chunk
from pdescry.derivatives.taylor import derivatives
from pdescry.progress import Progress

# Points in a block: on a CPU 50 units × 256 points × some 15 coefficients fill half of a 2 MB cache. Accelerators want
# more.
BLOCK = {"cpu": 256}
OTHER_BLOCK = 8192
CHUNK = 64  # draws in one call, some 50 ms on one core

# How often each kernel was traced: calls of the same shapes must not add to it.
TRACES = {"moments": 0, "values": 0}

Layers = Sequence[NDArray[np.float32]]  # each (draws, out, in + 1)


class Sweep:
    """Mean and variance of the terms over draws that are added a part at a time, in scaled units."""

    def __init__(self, inputs: NDArray[np.float32], library: Library, units: Units, covariance: bool) -> None:
        self.inputs, self.library, self.units, self.covariance = inputs, library, units, covariance
        self.n_draws = 0
        self._moments: defaultdict[int, Moments] = defaultdict(Moments)  # by the first point of the block

    def add(self, layers: Layers, lanes: Lanes, share: float) -> None:
        """Add draws: a multiple of CHUNK, unless they are the last. share: of the whole work."""
        assert self.n_draws % CHUNK == 0, "chunks must not depend on the parts that draws come in"

        def work(points: slice, block: NDArray[np.float32]) -> None:
            kernel = _kernel("moments", lanes.platform)
            for number, chunk, present in _chunks(layers):
                lanes.check()
                found = kernel(self.library, self.covariance, chunk, present, block, self.units)
                self._moments[points.start].add(number, *found)

        lanes.run(work, self.inputs, share)
        self.n_draws += len(layers[0])

    @property
    def mean(self) -> NDArray[np.float64]:
        """(T, N)"""
        return self._joined([block.mean for _, block in sorted(self._moments.items())])

    @property
    def variance(self) -> NDArray[np.float64]:
        """(T, N), or the covariance (T, T, N)"""
        return self._joined([block.variance for _, block in sorted(self._moments.items())])

    def _joined(self, blocks: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        return np.concatenate(blocks, axis=-1)[..., : self.inputs.shape[1]]  # the last block was padded


def sweep_values(
    layers: Layers, inputs: NDArray[np.float32], library: Library, units: Units, lanes: Lanes, share: float
) -> NDArray[np.float32]:
    """The terms of every draw, (draws, T, N), in scaled units."""
    values = np.empty((len(layers[0]), len(library.terms), inputs.shape[1]), np.float32)

    def work(points: slice, block: NDArray[np.float32]) -> None:
        start = 0
        for number, chunk, _ in _chunks(layers):
            lanes.check()
            found = np.asarray(_kernel("values", lanes.platform)(library, chunk, block, units))
            values[start : start + number, :, points] = found[:number, :, : points.stop - points.start]
            start += number

    lanes.run(work, inputs, share)
    return values


class Lanes:
    """Threads, one for each core or accelerator, that process blocks of points."""

    def __init__(self, workers: int | None, progress: Progress | None, stage: str, done: float = 0.0) -> None:
        """done: share of the whole work that was done before."""
        devices = jax.local_devices()
        self.platform = devices[0].platform
        # On a CPU JAX can run calls from several threads in parallel, each on one core.
        lanes = workers or (n_cores() if self.platform == "cpu" else len(devices))
        self.devices = [devices[lane % len(devices)] for lane in range(lanes)]
        self.progress, self.stage = progress, stage
        self.before = self.done = done
        self.began = time.monotonic()
        self.stopped = threading.Event()

    def check(self) -> None:
        """End this thread's work if it was cancelled."""
        if self.stopped.is_set():
            raise RuntimeError("the sweep was stopped")

    def run(
        self, work: Callable[[slice, NDArray[np.float32]], None], inputs: NDArray[np.float32], share: float
    ) -> None:
        """Call ``work(points, block)`` for all blocks of points, the last one padded to the same size.

        share: of the whole work.
        """
        size, n_points = BLOCK.get(self.platform, OTHER_BLOCK), inputs.shape[1]
        blocks = [slice(start, min(start + size, n_points)) for start in range(0, n_points, size)]

        def on_device(number: int, points: slice) -> None:
            block = np.pad(inputs[:, points], ((0, 0), (0, size - (points.stop - points.start))), mode="edge")
            with jax.default_device(self.devices[number % len(self.devices)]):
                work(points, block)

        with self._stopping(), ThreadPoolExecutor(len(self.devices)) as executor:
            for future in as_completed([executor.submit(on_device, *item) for item in enumerate(blocks)]):
                future.result()
                self._report_progress(share / len(blocks))

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.stopped.set()
            raise

    def _report_progress(self, share: float) -> None:
        self.done = min(self.done + share, 1.0)
        if self.progress is not None:
            elapsed = time.monotonic() - self.began
            self.progress(self.stage, self.done, elapsed * (1 - self.done) / (self.done - self.before))


def _chunks(layers: Layers) -> Iterator[tuple[int, list[NDArray[np.float32]], NDArray[np.float32]]]:
    """Number of draws, their layers, and a mask of draws: the last chunk is padded, so that nothing is compiled
    again."""
    for start in range(0, len(layers[0]), CHUNK):
        chunk = [layer[start : start + CHUNK] for layer in layers]
        number = len(chunk[0])
        if number < CHUNK:
            chunk = [np.concatenate([part, np.repeat(part[-1:], CHUNK - number, axis=0)]) for part in chunk]
        yield number, chunk, (np.arange(CHUNK) < number).astype(np.float32)


# ---- compiled, once for each library and kind of network -----------------------------------------------------------


@cache
def _kernel(name: str, platform: str) -> Any:
    # Threads within one small product cost more than they gain: each core works alone on its block.
    options = {"xla_cpu_multi_thread_eigen": False} if platform == "cpu" else None
    kernel, static = {"moments": (_moments, ("library", "covariance")), "values": (_values, ("library",))}[name]
    return jax.jit(kernel, static_argnames=static, compiler_options=options)


def _moments(
    library: Library, covariance: bool, layers: list[jax.Array], present: jax.Array, inputs: jax.Array, units: Units
) -> tuple[jax.Array, jax.Array]:
    TRACES["moments"] += 1
    return of_chunk(_terms(library, layers, inputs, units), present, covariance)


def _values(library: Library, layers: list[jax.Array], inputs: jax.Array, units: Units) -> jax.Array:
    TRACES["values"] += 1
    return _terms(library, layers, inputs, units)


def _terms(library: Library, layers: list[jax.Array], inputs: jax.Array, units: Units) -> jax.Array:
    """(draws, T, N)"""

    def of_draw(layers: list[jax.Array]) -> jax.Array:
        return library.evaluate(derivatives(layers, inputs, library.indices), inputs, units)

    return jax.lax.map(of_draw, layers)
