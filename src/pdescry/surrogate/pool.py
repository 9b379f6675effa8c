"""Chains over processes: one single-threaded process for each core, or one for each accelerator.

Processes, not JAX devices in this one: XLA shares its threads among all devices of a process, so that draws could
depend on the number of workers, and the user's own JAX stays untouched. Their speeds, which scatter too much to decide
by: docs/interpolation.md, from benchmarks/gradients.py.

The processes stay for the next call, with what they compiled; they end with this one. On an engine of the user's, each
chain is a task that starts such a process where it runs, so that draws are the same; checkpoints have to be on a disk
that the machines share.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Queue
from typing import Any

from pdescry.cores import n_cores, one_core_command, one_core_environment
from pdescry.errors import InputError, PdescryError
from pdescry.executor import Endings, Executor
from pdescry.notices import Notice, NoticeWarning, restored
from pdescry.progress import Progress

# Called with the stage, the fraction done of the whole, and the seconds left (None while unknown).

# Work for this process while chains leave cores or devices idle: called with how many, does a second's worth, and says
# whether it did anything.
Meanwhile = Callable[[int], bool]


def run_chains(
    folder: Path,
    chains: Sequence[int],
    workers: int | None,
    progress: Progress,
    done_before: float = 0.0,
    meanwhile: Meanwhile = lambda idle: False,
    executor: Executor | None = None,
) -> dict[int, str]:
    """Run these chains of the problem in ``folder``; what remains is on disk. Returns why chains failed, by chain.

    done_before: fraction of all work that was finished before this call. executor: in place of processes here.
    """
    if not chains:
        return {}
    if executor is not None:
        return _run_on(executor, folder, list(chains), _Clock(progress, len(chains), done_before))
    with _LOCK:
        pool = _Pool.of_this_process()
        try:
            return pool.run(folder, list(chains), workers, _Clock(progress, len(chains), done_before), meanwhile)
        except BaseException:
            # Interrupted: the workers' finished blocks are on disk; what they are doing now is not wanted any more.
            pool.close()
            raise


def run_chain(folder: str, chain: int) -> dict[str, Any]:
    """One chain in a process of its own; what it said last. A task for other machines."""
    if not Path(folder).is_dir():
        broken = (
            f"Expected the folder {folder} on {socket.gethostname()}, where a chain is to run; found none; "
            "choose a ⟦workdir⟧ on a disk that all machines share."
        )
        return {"broken": broken, "bad_input": True}
    inbox: Queue[tuple[int, dict[str, Any] | None]] = Queue()
    worker = _Worker(0, inbox)
    try:
        worker.send({"folder": folder, "chain": chain, "device": 0})
        while True:
            _, message = inbox.get()
            if message is None:
                raise worker.end()
            if not message.keys().isdisjoint(_LAST):
                return message
    finally:
        worker.close()


def _run_on(executor: Executor, folder: Path, chains: list[int], clock: _Clock) -> dict[int, str]:
    """Why chains failed, by chain."""
    endings, failures = Endings(), {}
    futures = [executor.submit(run_chain, str(folder.resolve()), chain) for chain in chains]
    for place, future in enumerate(futures):
        clock.report(place, "sampling", 0.0)
        endings.add(future)
    try:
        for _ in futures:
            future = endings.next()
            place = next(k for k, each in enumerate(futures) if each is future)
            failed = _told(future.result())
            clock.report(place, "sampling", 1.0)
            if failed is not None:
                failures[chains[place]] = failed
    except BaseException:
        for future in futures:
            with contextlib.suppress(Exception):
                future.cancel()
        raise
    return failures


_LAST = {"broken", "failed", "finished"}  # one of these is in the last message about a chain


def _told(message: dict[str, Any]) -> str | None:
    """Why a chain failed, from its last message, or None; repeats its warnings."""
    if "broken" in message:
        raise (InputError if message["bad_input"] else PdescryError)(message["broken"])
    for notice in restored(message.get("warnings", [])):
        warnings.warn(NoticeWarning(notice), stacklevel=5)
    return message.get("failed")


def end_processes() -> None:
    """Those that stay for the next call, where none will come soon: each uses some hundred megabytes."""
    with _LOCK:
        if _Pool.current is not None:
            _Pool.current.close()


class _Clock:
    """Fractions of chains → one fraction and the time left, from the pace so far."""

    def __init__(self, progress: Progress, n_chains: int, done_before: float) -> None:
        self.progress, self.before = progress, done_before
        self.fractions = [0.0] * n_chains
        self.stages = [""] * n_chains
        self.found = 0.0  # what was on disk when chains were resumed, and took no time
        self.began = time.monotonic()

    def report(self, place: int, stage: str, fraction: float) -> None:
        n_chains = len(self.fractions)
        if not self.stages[place]:
            self.found += fraction / n_chains
        self.fractions[place], self.stages[place] = fraction, stage
        overall = sum(self.fractions) / n_chains
        done = overall - self.found
        left = (time.monotonic() - self.began) * (1 - overall) / done if done > 1e-6 else None
        busy = [stage for stage, fraction in zip(self.stages, self.fractions, strict=True) if stage and fraction < 1]
        self.progress((busy or [stage])[0], self.before + (1 - self.before) * overall, left)


class _Worker:
    """One process, and what it says, in lines of JSON handed to ``inbox``."""

    def __init__(self, number: int, inbox: Queue[tuple[int, dict[str, Any] | None]]) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 -- lives as long as the process
        self.process = subprocess.Popen(
            one_core_command("pdescry.surrogate.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=one_core_environment(),
            start_new_session=True,  # Ctrl-C goes to the parent, which decides
            text=True,
        )
        self.chain: int | None = None
        self.traces = 0
        threading.Thread(target=self._listen, args=(number, inbox), daemon=True).start()

    def _listen(self, number: int, inbox: Queue[tuple[int, dict[str, Any] | None]]) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            inbox.put((number, json.loads(line)))
        inbox.put((number, None))

    def send(self, job: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.chain = job["chain"]
        with contextlib.suppress(OSError):  # it has died: its last words come by the inbox
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()

    def end(self) -> PdescryError:
        """The message about a process that ended by itself."""
        status = self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        if status < 0:
            reason = f"signal {-status}), perhaps for want of memory: use fewer workers or fewer readings"
        else:
            reason = f"{lines[-1] if lines else f'exit status {status}'})"
        return PdescryError(f"A worker process ended unexpectedly ({reason}; with a workdir, repeat the call to go on.")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream is not None:
                stream.close()


class _Pool:
    current: _Pool | None = None

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.inbox: Queue[tuple[int, dict[str, Any] | None]] = Queue()
        self.workers: list[_Worker] = []
        self.platform, self.devices = "", 1

    @classmethod
    def of_this_process(cls) -> _Pool:
        if cls.current is not None and any(worker.process.poll() is not None for worker in cls.current.workers):
            cls.current.close()  # one died since the last call
        # After a fork the pipes belong to the parent: begin anew.
        if cls.current is None or cls.current.owner != os.getpid():
            cls.current = _Pool()
            atexit.register(cls.current.close)
        return cls.current

    def close(self) -> None:
        # Forgotten first: whatever interrupts what follows, nobody finds a pool of half its workers.
        workers, self.workers = self.workers, []
        if _Pool.current is self:
            _Pool.current = None
            atexit.unregister(self.close)
        if self.owner == os.getpid():
            for worker in workers:
                worker.process.kill()
            for worker in workers:
                worker.close()

    def run(
        self, folder: Path, chains: list[int], workers: int | None, clock: _Clock, meanwhile: Meanwhile
    ) -> dict[int, str]:
        if not self.workers:
            self._start()
        able = self._how_many(workers)
        wanted = min(able, len(chains))
        while len(self.workers) < wanted:
            self._start()
        waiting, failures = list(chains), {}
        idle = list(range(wanted))
        while waiting or any(worker.chain is not None for worker in self.workers):
            while waiting and idle:
                number = idle.pop(0)
                job = {"folder": str(folder.resolve()), "chain": waiting.pop(0), "device": number % self.devices}
                self.workers[number].send(job)
            spare = able - sum(worker.chain is not None for worker in self.workers)
            while spare > 0 and self.inbox.empty() and meanwhile(spare):
                pass
            number, message = self.inbox.get()
            worker = self.workers[number]
            if message is None:
                raise worker.end()
            if "stage" in message:
                clock.report(chains.index(message["chain"]), message["stage"], message["fraction"])
            elif not message.keys().isdisjoint(_LAST):
                failed, chain = _told(message), message["chain"]
                worker.chain, worker.traces = None, message.get("traces", worker.traces)
                idle.append(number)
                clock.report(chains.index(chain), "sampling", 1.0)
                if failed is not None:
                    failures[chain] = failed
        return failures

    def _start(self) -> None:
        worker = _Worker(len(self.workers), self.inbox)
        self.workers.append(worker)
        while True:  # its greeting, which comes before anything it is asked
            number, message = self.inbox.get()
            if message is None:
                raise worker.end()
            if number == len(self.workers) - 1 and "platform" in message:
                self.platform, self.devices = message["platform"], message["devices"]
                return

    def _how_many(self, workers: int | None) -> int:
        able = n_cores() if self.platform == "cpu" else self.devices
        if workers is not None and workers > able:
            kind = "cores" if self.platform == "cpu" else f"devices ({self.platform})"
            notice = Notice.of("too-many-workers", workers=workers, able=able, kind=kind)
            warnings.warn(NoticeWarning(notice), stacklevel=5)
        return able if workers is None else workers


_LOCK = threading.Lock()


def traces() -> int:
    """How often the workers of this process traced a function so far: unchanged by a call that compiles nothing."""
    pool = _Pool.current
    return sum(worker.traces for worker in pool.workers) if pool else 0
