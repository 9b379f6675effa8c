"""Why `simulate` uses one BLAS thread: one compared with two, alone and with another busy process.

    python benchmarks/blas_threads.py

Prints the ratio two threads / one thread; above 1, a second thread is slower.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from contextlib import nullcontext

from threadpoolctl import threadpool_limits

from pdescry.solver import simulate, solve

LAWS = {
    "burgers (546 points)": ("u_t = -u*u_x + 0.1*u_xx", (-8, 8), 10, "-sin(pi*x/8)", "dirichlet"),
    "kdv (109 points)": ("u_t = -u*u_x - u_xxx", (-20, 20), 40, "cos(pi*x/20)", "periodic"),
}
REPEATS = 3


def seconds(name: str, threads: int) -> float:
    law, domain, until, initial, boundary = LAWS[name]
    began = time.perf_counter()
    with threadpool_limits(threads, user_api="blas"):
        simulate(law, domain=domain, until=until, initial=initial, boundary=boundary, verify=False)
    return time.perf_counter() - began


def main() -> None:
    # The library's own limit is removed, so that the one set here applies.
    solve.one_thread = nullcontext  # pyright: ignore[reportAttributeAccessIssue]
    for neighbour in (False, True):
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if neighbour else None
        try:
            for name in LAWS:
                one, two = zip(*((seconds(name, 1), seconds(name, 2)) for _ in range(REPEATS)), strict=True)
                ratio = statistics.median(b / a for a, b in zip(one, two, strict=True))
                beside = "beside a busy process" if neighbour else "alone"
                print(f"{name:22} {beside:22} two threads / one thread = {ratio:.2f}", flush=True)
        finally:
            if busy:
                busy.kill()
                busy.wait()


if __name__ == "__main__":
    main()
