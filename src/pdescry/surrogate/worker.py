"""The process that runs chains: started by ``pool.py`` and by nobody else.

It reads one job a line ({"folder", "chain", "device"}) and answers in lines of JSON. It lives as long as its standard
input is open: when the parent ends, in whatever way, it ends too. Between jobs it keeps what it compiled.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import warnings
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import jax

from pdescry.errors import InputError, PdescryError
from pdescry.notices import NoticeWarning, stored
from pdescry.surrogate.chain import TRACES, run
from pdescry.surrogate.problem import Problem
from pdescry.surrogate.samplers import SamplingError


def main() -> None:
    # Whatever a library prints must not mix with the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def answer(**message: Any) -> None:
        answers.write(json.dumps(message) + "\n")

    jobs: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(jobs,), daemon=True).start()
    answer(platform=jax.default_backend(), devices=jax.local_device_count())
    while True:
        job = jobs.get()
        try:
            _work(job, answer)
        except SamplingError as fault:  # of this chain; the others may do well
            answer(chain=job["chain"], failed=fault.marked)
        except PdescryError as fault:  # of the machine: a full disk, a file that cannot be read
            answer(chain=job["chain"], broken=fault.marked, bad_input=isinstance(fault, InputError))


def _listen(jobs: SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        jobs.put(json.loads(line))
    os._exit(0)  # the parent is gone: nobody wants the rest, and finished blocks are on disk


def _work(job: dict[str, Any], answer: Any) -> None:
    folder, chain = Path(job["folder"]), job["chain"]
    problem = Problem.load(folder)
    with jax.default_device(jax.local_devices()[job["device"]]), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        run(
            problem.plan,
            problem.seen,
            problem.seed,
            chain,
            problem.chain_folder(folder, chain),
            lambda stage, fraction: answer(chain=chain, stage=stage, fraction=fraction),
        )
    # Ours alone: that two workers met at JAX's cache on disk, say, is nothing the user could fix.
    notices = [each.message.notice for each in caught if isinstance(each.message, NoticeWarning)]
    answer(chain=chain, finished=True, traces=sum(TRACES.values()), warnings=stored(notices))
