"""What the machine lets this process use: cores, memory, the folder it is in, the libraries of linear algebra."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pdescry.cores import n_cores
from pdescry.doctor.finding import Finding, Trouble

GB = 1e9
# A default run held 1.6 GB at most (docs/discovery.md), and its directory is some MB; thousands of draws make more.
ENOUGH_MEMORY = 2 * GB
ENOUGH_DISK = 1 * GB


def cores(root: Path = Path("/")) -> Finding:
    usable, there, share = n_cores(), os.cpu_count() or 1, cpu_quota(root)
    says = f"{usable} of {there} usable; {usable} chain{'s run side by side' if usable > 1 else ' runs at a time'}"
    troubles = []
    if share is not None and share < usable:
        says += f"; time for {share:g} of them"
        whole = max(1, int(share))
        troubles.append(
            Trouble(
                f"{usable} cores are seen, but a container's limit leaves the time of {share:g}",
                f"pass --workers {whole}, or raise the limit (docker run --cpus)",
            )
        )
    if usable == 1 < there:
        troubles.append(
            Trouble(
                f"only one of {there} cores may be used, so that chains take turns",
                "start pdescry without taskset, or ask the queue for more cores",
            )
        )
    return Finding("cores", says, {"usable": usable, "there": there, "quota": share}, tuple(troubles))


def memory(root: Path = Path("/")) -> Finding:
    total, free = memory_sizes(root)
    if total is None or free is None:
        return Finding("memory", "not known on this system", {"total": total, "free": free})
    says = f"{total / GB:.1f} GB, of which {free / GB:.1f} GB are free"
    troubles = ()
    if free < ENOUGH_MEMORY:
        short = f"{free / GB:.1f} GB of memory are free; a run takes about {ENOUGH_MEMORY / GB:g} GB"
        troubles = (Trouble(short, "close other programs, or pass --workers 1"),)
    return Finding("memory", says, {"total": total, "free": free}, troubles)


def folder(path: Path | None = None) -> Finding:
    """Whether a run directory can be made here."""
    here = Path.cwd() if path is None else path
    free, writable = shutil.disk_usage(here).free, True
    try:
        with tempfile.TemporaryFile(dir=here):
            pass
    except OSError:
        writable = False
    troubles = []
    if not writable:
        troubles.append(Trouble("this folder cannot be written to", "go to one of your own, or pass --output DIR"))
    if free < ENOUGH_DISK:
        troubles.append(Trouble(f"only {free / GB:.2f} GB are free on this disk", "make room, or pass --output DIR"))
    says = f"{here}: {'writable' if writable else 'not writable'}, {free / GB:.0f} GB free"
    return Finding("folder", says, {"path": str(here), "writable": writable, "free": free}, tuple(troubles))


def linear_algebra() -> Finding:
    try:
        import numpy  # noqa: F401 -- what is loaded is what is listed
        import scipy.linalg  # noqa: F401
        from threadpoolctl import threadpool_info
    except ImportError as fault:
        trouble = Trouble(f"it cannot be loaded ({fault})", "pip install -U numpy scipy threadpoolctl", broken=True)
        return Finding("BLAS", "not known", {}, (trouble,))

    libraries = [
        {"name": each["internal_api"], "version": each["version"], "threads": each["num_threads"]}
        for each in threadpool_info()
        if each["user_api"] == "blas"
    ]
    names = dict.fromkeys("{name} {version}, threads: {threads}".format(**each) for each in libraries)
    says = f"{'; '.join(names)} (one where that is faster)" if names else "numpy's own"
    return Finding("BLAS", says, {"libraries": libraries})


# ---- what Linux reports ---------------------------------------------------------------------------------------------


def cpu_quota(root: Path = Path("/")) -> float | None:
    """Cores' worth of time that control groups leave to this process; None if they set no limit."""
    limits = []
    for group in _groups(root):
        quota, _, period = _text(group / "cpu.max").partition(" ")  # "200000 100000" or "max 100000"
        if quota.isdecimal() and int(period or 100_000):
            limits.append(int(quota) / int(period or 100_000))
    first = root / "sys/fs/cgroup/cpu"
    quota, period = (_text(first / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
    if quota.isdecimal() and period.isdecimal() and int(period):
        limits.append(int(quota) / int(period))
    return min(limits, default=None)


def memory_sizes(root: Path = Path("/")) -> tuple[float | None, float | None]:
    """(all, free) bytes that this process could have; None where the system does not say."""
    rows = dict(line.split(":", 1) for line in _text(root / "proc/meminfo").splitlines() if ":" in line)
    if "MemTotal" not in rows or "MemAvailable" not in rows:
        return None, None
    total, free = (float(rows[name].split()[0]) * 1024 for name in ("MemTotal", "MemAvailable"))
    for group in _groups(root):
        limit, used = _text(group / "memory.max"), _text(group / "memory.current")
        if limit.isdecimal():
            total = min(total, float(limit))
            free = min(free, float(limit) - float(used or 0))
    return total, free


def _groups(root: Path) -> Iterator[Path]:
    """The control group of this process and those around it: each may set a limit."""
    top = root / "sys/fs/cgroup"
    yield top
    own = next((line[3:] for line in _text(root / "proc/self/cgroup").splitlines() if line.startswith("0::")), "")
    path = top
    for part in Path(own.strip().lstrip("/")).parts:
        path = path / part
        yield path


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
