"""Cores, threads and memory: how many cores there are, work that keeps to one thread, and Python processes that do.

Matrices are so small, here and in chains, that threads of BLAS only wait for each other; and the last digits must not
depend on the number of cores. Nothing here loads JAX: `pdescry doctor` has to answer where JAX is what is broken.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from threadpoolctl import ThreadpoolController

# What a process finds that begins with one thread: of XLA on CPUs, and of the linear algebra that it calls.
ONE_THREAD: dict[str, str] = dict.fromkeys(("NPROC", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
# Of glibc's malloc (its parameter in malloc.h, bytes): what it comes to by itself where nothing is set.
MMAP_THRESHOLD, TRIM_THRESHOLD = (-3, 32 * 2**20), (-1, 64 * 2**20)


def n_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_thread() -> AbstractContextManager[Any]:
    """``with one_thread():`` linear algebra of this process keeps to one thread."""
    return _libraries(len(sys.modules)).limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """Those that this process has loaded, which takes milliseconds to find out; anew where more modules were."""
    return ThreadpoolController()


def one_thread_of_any_kind() -> AbstractContextManager[Any]:
    """The same, and OpenMP too; without ``with``, to the end of the process."""
    return _libraries(len(sys.modules)).limit(limits=1)


@cache
def keep_freed_memory() -> bool:
    """Let malloc keep what was freed, as it does by default, where the environment denies that to this process.

    Dask begins its workers with MALLOC_TRIM_THRESHOLD_=65536. The system then maps and clears every array of 128 kB or
    more anew, for which a small case pays eleven times the page faults and nearly twice the processor time.

    Returns
    -------
    bool
        Whether it was changed, to the end of the process.
    """
    if not _returns_memory(os.environ):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, TypeError, AttributeError):  # no glibc
        return False
    return all([mallopt(*MMAP_THRESHOLD), mallopt(*TRIM_THRESHOLD)])


def _returns_memory(environment: Mapping[str, str]) -> bool:
    """As Dask has it; who sets the other threshold, too, has made a choice."""
    return "MALLOC_TRIM_THRESHOLD_" in environment and "MALLOC_MMAP_THRESHOLD_" not in environment


def one_core_command(module: str) -> list[str]:
    """Python, running ``main`` of a module of this very package, wherever it was imported from."""
    home = str(Path(__file__).parents[1])  # at the end of the path, so that it shadows nothing
    start = f"import sys; sys.path.append(sys.argv[1]); from {module} import main; main()"
    return [sys.executable, "-P", "-c", start, home]


def one_core_environment() -> dict[str, str]:
    """What such a process finds: one thread, memory that it may keep, and none of the user's settings of JAX that would
    change the draws."""
    kept = ("JAX_PLATFORM", "JAX_COMPILATION_CACHE", "JAX_PERSISTENT_CACHE", "JAX_ROCM", "JAX_CUDA")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("JAX_") or name.startswith(kept)
    }
    if _returns_memory(environment):
        del environment["MALLOC_TRIM_THRESHOLD_"]
    environment["JAX_ENABLE_X64"] = "0"
    environment |= ONE_THREAD
    environment.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # several processes may share a device
    return environment
