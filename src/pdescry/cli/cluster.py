"""``--cluster``: the workers of Dask in place of local processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

Cluster = Annotated[str | None, typer.Option(help="Dask scheduler: tcp://HOST:PORT, or its file.", metavar="ADDRESS")]


@contextmanager
def cluster_at(address: str | None) -> Iterator[Any]:
    """A client of it; None without an address."""
    if address is None:
        yield None
        return
    from pdescry.cluster import connected

    with connected(address) as client:
        yield client
