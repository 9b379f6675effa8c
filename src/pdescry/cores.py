"""Cores and threads: how many there are, work that keeps to one thread, and Python processes that do.

Matrices are so small, here and in chains, that threads of BLAS only wait for each other; and the last digits must not
depend on the number of cores. Nothing here loads JAX: `pdescry doctor` has to answer where JAX is what is broken.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from typing import Any

from threadpoolctl import ThreadpoolController

# What a process finds that begins with one thread: of XLA on CPUs, and of the linear algebra that it calls.
ONE_THREAD: dict[str, str] = dict.fromkeys(("NPROC", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")


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


def one_core_command(module: str) -> list[str]:
    """Python, running ``main`` of a module of this very package, wherever it was imported from."""
    home = str(Path(__file__).parents[1])  # at the end of the path, so that it shadows nothing
    start = f"import sys; sys.path.append(sys.argv[1]); from {module} import main; main()"
    return [sys.executable, "-P", "-c", start, home]


def one_core_environment() -> dict[str, str]:
    """What such a process finds: one thread, and none of the user's settings of JAX that would change the draws."""
    kept = ("JAX_PLATFORM", "JAX_COMPILATION_CACHE", "JAX_PERSISTENT_CACHE", "JAX_ROCM", "JAX_CUDA")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("JAX_") or name.startswith(kept)
    }
    environment["JAX_ENABLE_X64"] = "0"
    environment |= ONE_THREAD
    environment.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # several processes may share a device
    return environment
