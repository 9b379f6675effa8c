"""Two workers of pytest on two cores: each computes with one thread, and nothing is compiled twice."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

# Most of what JAX does here is compiling, for networks so small that code which is not optimised is as fast.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads of linear algebra that wait for one another while others work took five times the processor time."""
    with pytest.MonkeyPatch.context() as patch, threadpool_limits(1):
        for library in ("OPENBLAS", "MKL", "OMP"):
            patch.setenv(f"{library}_NUM_THREADS", "1")  # for the processes that tests start
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[None]:
    """Processes that tests start find what others compiled: JAX's own cache on disk, by its own variables.

    This process is left alone: its JAX is imported, and reads them, before.
    """
    import jax  # noqa: F401

    temporary = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):  # of pytest-xdist: its folder lies in the session's, which all share
        temporary = temporary.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAX_COMPILATION_CACHE_DIR", str(temporary / "compiled"))
        patch.setenv("JAX_COMPILATION_CACHE_MAX_SIZE", str(10**10))  # with a limit, JAX locks it: processes meet there
        patch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.2")
        yield


# Files of half a minute and more, longest first: one that begins last leaves the other worker without work.
LONG = (
    "surrogate/test_interpolate.py",
    "solver/test_cannot_lie.py",
    "surrogate/test_samplers.py",
    "surrogate/test_resume.py",
    "discovery/test_discover.py",
    "surrogate/test_model.py",
    "solver/test_reference.py",
    "derivatives/test_taylor.py",
    "derivatives/test_differentiate.py",
    "test_pages.py",
    "cli/test_interpolate.py",
    "experiments/test_reproduce.py",
    "experiments/test_figures.py",
    "data/test_systems.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Path(__file__).parent
    rank = {tests / name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get(item.path, len(LONG)))
