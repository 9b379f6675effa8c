"""Stopped at whatever moment and resumed, it ends with the same draws; what is on disk is judged before it is used."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from pdescry import InputError
from pdescry.surrogate import HMC, MCLMC, NUTS, Adam, AdjustedMCLMC, Network, Noise, Point, Prior, interpolate
from pdescry.surrogate import chain as chain_module
from pdescry.surrogate.chain import Plan, blocks, collect, is_finished, run
from pdescry.surrogate.model import build
from pdescry.surrogate.options import SURROGATE
from pdescry.surrogate.scaling import Scaling
from tests.surrogate.conftest import SMALL, two_fields, wave

SCRIPT = """
import sys
sys.path.insert(0, {root!r})
from pdescry import Readings
from pdescry.surrogate import interpolate
from tests.surrogate.conftest import SMALL, wave
interpolate(wave(), **SMALL, workdir={workdir!r})
"""


def start_and_kill(workdir: Path, n_blocks: int) -> list[int]:
    """Begin the run in another process, kill it when chain 0 has some blocks; returns the workers it leaves behind."""
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen([sys.executable, "-c", SCRIPT.format(root=root, workdir=str(workdir))])
    while len(list(workdir.glob("chain-00/block-*.npz"))) < n_blocks:
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGSTOP)  # lest it end while its workers are looked up
    workers = [pid for pid in _children(process.pid) if _is_alive(pid)]
    process.send_signal(signal.SIGKILL)
    process.wait()
    return workers


def _children(parent: int) -> list[int]:
    found = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    return [int(pid) for pid, ppid in (line.split() for line in found.splitlines()) if int(ppid) == parent]


def _is_alive(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


# After the fourth a stage is compiled: seconds, in which to kill it; after the fifth the run may be over before.
@pytest.mark.parametrize(
    "n_blocks", [pytest.param(1, marks=pytest.mark.slow), 3, pytest.param(4, marks=pytest.mark.slow)]
)
def test_killed_and_resumed_ends_with_the_same_draws(tmp_path, posterior, n_blocks):
    workers = start_and_kill(tmp_path, n_blocks)
    # They end by themselves when their parent is gone.
    while any(_is_alive(pid) for pid in workers):
        time.sleep(0.05)
    assert workers
    resumed = interpolate(wave(), **SMALL, workdir=tmp_path)
    np.testing.assert_array_equal(resumed.positions, posterior.positions)
    for one, other in zip(resumed.trace, posterior.trace, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "sampler",
    [
        MCLMC(draws=5, thin=3, burn=2, rungs=2, rung_transitions=20),
        pytest.param(
            AdjustedMCLMC(draws=5, thin=2, burn=2, rungs=2, rung_transitions=10, steps=3), marks=pytest.mark.slow
        ),
        HMC(step_size=1e-4, draws=5, burn=2, steps=3),
        pytest.param(NUTS(draws=5, burn=2, rungs=2, rung_transitions=10, doublings=3), marks=pytest.mark.slow),
        Point(),
    ],
    ids=repr,
)
def test_every_block_is_a_place_to_resume_from(tmp_path, monkeypatch, sampler):
    monkeypatch.setattr(
        chain_module, "SURROGATE", replace(SURROGATE, block_work=1e5)
    )  # several blocks a stage, and a short last one
    readings = two_fields()
    model, seen = build(readings, Network(4, 1), Prior(), Noise(), Scaling.of(readings))
    plan = Plan(model, Adam(steps=50), sampler)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    run(plan, seen, 0, 0, whole, lambda stage, fraction: None)
    number = len(blocks(plan, len(readings)))
    assert number >= 4

    class Stop(Exception):
        pass

    for _ in range(number):  # one more block each time, from what is on disk
        told = []

        def stop(stage, fraction, told=told):
            told.append(stage)
            if len(told) == 2:
                raise Stop

        with contextlib.suppress(Stop):
            run(plan, seen, 0, 0, parts, stop)
    assert is_finished(plan, len(readings), parts)
    for one, other in zip(collect(plan, len(readings), whole), collect(plan, len(readings), parts), strict=True):
        for mine, yours in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
            np.testing.assert_array_equal(mine, yours)


@pytest.fixture(scope="module")
def finished_once(posterior, tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    interpolate(wave(), **SMALL, workdir=folder)
    return folder


@pytest.fixture
def finished(finished_once, tmp_path):
    return Path(shutil.copytree(finished_once, tmp_path, dirs_exist_ok=True))


def test_a_finished_run_is_only_read(finished, posterior):
    before = {path: path.stat().st_mtime_ns for path in finished.glob("chain-*/*.npz")}
    again = interpolate(wave(), **SMALL, workdir=finished)
    np.testing.assert_array_equal(again.positions, posterior.positions)
    assert {path: path.stat().st_mtime_ns for path in finished.glob("chain-*/*.npz")} == before


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "no archive"])
def test_a_damaged_checkpoint_is_told_and_made_again(finished, posterior, damage):
    victim = sorted(finished.glob("chain-01/block-*.npz"))[-1]
    content = bytearray(victim.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        content[len(content) // 2] ^= 0xFF
    elif damage == "emptied":
        content = bytearray()
    else:
        content = bytearray(b"no archive")
    victim.write_bytes(content)
    with pytest.warns(UserWarning, match="damaged"):
        again = interpolate(wave(), **SMALL, workdir=finished)
    np.testing.assert_array_equal(again.positions, posterior.positions)


def test_more_chains_later_keep_those_that_are_there(finished, posterior):
    more = interpolate(wave(), **(SMALL | dict[str, Any]({"chains": 3})), workdir=finished)
    np.testing.assert_array_equal(more.positions[:2], posterior.positions)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"seed": 5}, "seed was 0, now 5"),
        ({"network": Network(9, 2)}, "network.width was 8, now 9"),
        ({"prior": Prior(scale=2.0)}, "prior.scale was absent, now 2.0"),
        ({"noise": 0.1}, "model.groups was 1, now 0"),
        ({"start": Adam(steps=301)}, "start.steps was 300, now 301"),
        ({"sampler": replace(SMALL["sampler"], thin=6)}, "sampler.thin was 5, now 6"),
    ],
)
def test_a_checkpoint_of_other_settings_is_refused(finished, changed, named):
    with pytest.raises(InputError, match=named):
        interpolate(wave(), **(SMALL | changed), workdir=finished)


def test_a_checkpoint_of_other_readings_is_refused(finished):
    with pytest.raises(InputError, match=r"the values of the readings .* differ"):
        interpolate(wave(noise=0.1), **SMALL, workdir=finished)
    with pytest.raises(InputError, match="the times or places of the readings differ"):
        interpolate(wave(times=22), **SMALL, workdir=finished)


def test_a_damaged_description_is_refused(finished):
    (finished / "problem.json").write_text("{")
    with pytest.raises(InputError, match=r"problem\.json.*damaged"):
        interpolate(wave(), **SMALL, workdir=finished)


def test_other_versions_are_told(finished, posterior):
    told = finished / "problem.json"
    told.write_text(told.read_text().replace('"jax": "', '"jax": "0.0.'))
    with pytest.warns(UserWarning, match=r"begun with jax 0\.0\."):
        again = interpolate(wave(), **SMALL, workdir=finished)
    np.testing.assert_array_equal(again.positions, posterior.positions)


def test_interrupted_by_the_user_and_resumed(tmp_path, posterior):
    def interrupt(stage, fraction, left):
        if fraction > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interpolate(wave(), **SMALL, workdir=tmp_path, progress=interrupt)
    resumed = interpolate(wave(), **SMALL, workdir=tmp_path)
    np.testing.assert_array_equal(resumed.positions, posterior.positions)
