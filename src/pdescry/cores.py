"""Cores, and Python processes that keep to one of them each: for the chains, and for timing what a chain does.

Nothing here loads JAX: `pdescry doctor` has to answer where JAX is what is broken.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Of XLA on CPUs, and of the linear algebra that it calls: threads would wait for one another on matrices of 51 × 51.
ONE_THREAD: dict[str, str] = dict.fromkeys(("NPROC", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")


def n_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
