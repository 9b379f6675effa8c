"""A cluster of Dask distributed: the one door through which it comes in. It is an extra, `pdescry[cluster]`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from pdescry.errors import InputError
from pdescry.notices import Notice, NoticeWarning

PATIENCE = 20  # seconds for the scheduler to answer


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at ``address`` (tcp://host:8786), or of that which wrote the file of this name."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise InputError(
            'Expected Dask distributed to use a cluster; it is not installed; do pip install "pdescry[cluster]".'
        ) from None
    if "://" in address:
        where: dict[str, Any] = {"address": address}
    elif Path(address).is_file():
        where = {"scheduler_file": address}
    else:
        raise InputError(
            "Expected the address of a scheduler, such as tcp://host:8786, or the file that it wrote "
            f"(dask scheduler --scheduler-file FILE); got {address!r}, and there is no such file."
        )
    try:
        client = Client(**where, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, KeyError) as fault:
        reason = " ".join(str(fault).split()) or type(fault).__name__
        raise InputError(
            f"Cannot reach a scheduler at {address!r} ({reason}); begin one with `dask scheduler`, and workers with "
            "`dask worker ADDRESS --nthreads 1`."
        ) from None
    with client:
        check_workers_of(client)
        yield client


def check_workers_of(client: Any) -> None:
    """That those which are there have this version of pdescry; that they compute with a thread each is advised."""
    try:
        found = client.run(version_there, on_error="return")
    except (OSError, ValueError) as fault:
        raise InputError(f"Cannot ask the workers of the cluster for their versions: {fault}.") from None
    own = metadata.version("pdescry")
    for worker, version in found.items():
        if version != own:
            got = f"version {version}" if isinstance(version, str) else f"none ({version})"
            raise InputError(
                f"Expected pdescry {own} at every worker, as here; the worker {worker} has {got}; install the same "
                "version there."
            )
    threads = client.nthreads()
    if any(number > 1 for number in threads.values()):
        warnings.warn(NoticeWarning(Notice.of("threads-of-workers")), stacklevel=4)
    if not threads:
        warnings.warn(NoticeWarning(Notice.of("no-workers-yet")), stacklevel=4)


def version_there() -> str:
    return metadata.version("pdescry")
