"""Cells of a benchmark on the engines of a sweep: each in a process of one thread, locally or on a Dask cluster.

The benchmark saves the result of a cell as soon as it ends; if it is stopped and started again, it computes the rest.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from typing import Any

from pdescry.cluster import connected
from pdescry.sweeps.schedule import Lost, engine_for, scheduled


def add_engine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=int, help="cells at a time, each on one core (default: all cores)")
    parser.add_argument("--cluster", help="Dask scheduler, tcp://HOST:PORT or its file, with this folder in PYTHONPATH")


def made(
    make: Callable[..., Any], cells: Mapping[str, tuple], workers: int | None, cluster: str | None = None
) -> Iterator[tuple[str, Any]]:
    """(name, result of ``make``) of each cell, as they end. A failure is reported and does not stop the others; in the
    end it is an error. make: of a module, not of the script that runs."""
    failed: list[str] = []
    with connected(cluster) if cluster else nullcontext() as client, engine_for(client, workers) as engine:
        for end in scheduled(make, cells.items(), engine):
            if end is None:
                continue
            name, result = end
            if isinstance(result, Lost):
                failed.append(name)
                print(f"{name} failed: {result.reason}", file=sys.stderr, flush=True)
            else:
                yield name, result
    if failed:
        raise SystemExit(f"{len(failed)} cells failed; run it again to make them.")
