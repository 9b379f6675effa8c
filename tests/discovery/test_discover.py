"""From readings to a law and its run directory; stopped at whatever moment, it ends the same."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import filelock
import numpy as np
import pandas as pd
import pytest

from pdescry import InputError, Law, Readings, discover, load, resume
from pdescry.derivatives import Derivatives
from pdescry.derivatives.differentiation import Differentiation
from pdescry.discovery import PRESETS, to_toml
from pdescry.discovery.run import begun, load_inputs, reopened
from pdescry.regression import STOLS
from pdescry.surrogate import Posterior, pool
from tests.discovery.conftest import PICTURES, TINY, sampled

FILES = {
    "config.toml", "readings.csv", "posterior.nc", "derivatives.nc", "fit.json", "law.json", "log.txt", "figures",
    "report.html", ".lock",
}  # fmt: skip


def test_a_run_explains_itself(finished):
    law, folder = finished
    assert {path.name for path in folder.iterdir()} == FILES
    assert {path.name for path in (folder / "figures").iterdir()} == PICTURES
    assert "Finished field" in (folder / "log.txt").read_text()
    told = json.loads((folder / "law.json").read_text())
    assert told["law"] == [str(law)]
    assert [row["term"] for row in told["coefficients"]] == [str(term) for term in law.fits[0].terms]
    assert told["equation"] == str(law.equation)
    assert told["settings"]["network"] == {"width": 6, "depth": 1}


def test_it_is_read_back_as_it_was(finished, tmp_path):
    law, folder = finished
    for again in (load(folder), Law.load(folder)):
        assert repr(again) == repr(law)
        assert again.settings == law.settings
        assert again.readings == law.readings
        assert repr(again.diagnostics) == repr(law.diagnostics)
        np.testing.assert_array_equal(sampled(again).positions, sampled(law).positions)
    law.save(tmp_path / "copy.pdescry")
    assert (tmp_path / "copy.pdescry" / "law.json").read_bytes() == (folder / "law.json").read_bytes()
    assert repr(load(tmp_path / "copy.pdescry")) == repr(law)
    (tmp_path / "copy.pdescry" / "log.txt").write_text("How it was made.")
    law.save(tmp_path / "copy.pdescry")  # replaces a law, and loses nothing of it
    assert (tmp_path / "copy.pdescry" / "log.txt").read_text() == "How it was made."
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="folder with a law to replace"):
        law.save(tmp_path / "mine")


def test_a_law_is_read_and_printed_without_judging_its_chains_again(finished, monkeypatch):
    """Which takes seconds: the verdict is kept in law.json."""
    law, folder = finished

    def judged(posterior):
        raise AssertionError("computed again")

    monkeypatch.setattr("pdescry.surrogate.diagnostics.diagnose", judged)
    again = load(folder)
    assert repr(again) == repr(law)
    assert repr(again.posterior).splitlines()[1].strip() == str(law.diagnostics.verdict)


def test_a_finished_run_is_only_read(finished, readings):
    _, folder = finished
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.name not in ("log.txt", ".lock")}
    law = discover(readings, config=TINY, workdir=folder)
    assert repr(resume(folder)) == repr(law)
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.name not in ("log.txt", ".lock")}
    assert before == after


@pytest.mark.slow
def test_without_a_folder_the_law_is_the_same(finished, readings):
    law = discover(readings, config=TINY)
    assert repr(law) == repr(finished[0])


def test_another_run_in_the_same_folder_is_refused(finished, readings):
    _, folder = finished
    with pytest.raises(InputError, match=r"seed was 0, now 5"):
        discover(readings, config=TINY, seed=5, workdir=folder)
    with pytest.raises(InputError, match=r"network\.width was 6, now 7"):
        discover(readings, config=TINY | {"network": {"width": 7, "depth": 1}}, workdir=folder)
    with pytest.raises(InputError, match="the readings differ"):
        discover(readings.select(sensors=[0, 1, 2]), config=TINY, workdir=folder)


def test_a_strangers_folder_is_left_alone(readings, tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    for overwrite in (False, True):
        with pytest.raises(InputError, match=r"contains 'thesis\.tex'; choose another"):
            discover(readings, config=TINY, workdir=tmp_path, overwrite=overwrite)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"
    with pytest.raises(InputError, match="it has none; begin one"):
        resume(tmp_path)
    with pytest.raises(InputError, match="There is no run directory"):
        load(tmp_path / "absent")


def test_only_a_run_of_ours_is_overwritten(finished, readings, tmp_path):
    (tmp_path / "config.toml").write_text('title = "hugo"')
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="contains"):
        discover(readings, config=TINY, workdir=tmp_path, overwrite=True)
    assert (tmp_path / "thesis.tex").exists()
    mine = tmp_path / "run"
    shutil.copytree(finished[1], mine)
    (mine / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"contains 'notes\.txt'"):
        discover(readings, config=TINY, workdir=mine, overwrite=True)
    with pytest.raises(InputError, match=r"contains 'notes\.txt'"):
        finished[0].save(mine)
    assert (mine / "law.json").exists()
    (mine / "notes.txt").unlink()
    with begun(mine, [readings], PRESETS["paper"], overwrite=True):
        assert {path.name for path in mine.iterdir()} == {".lock", "config.toml", "readings.csv"}


def test_overwriting_keeps_what_is_the_same(finished, readings, tmp_path):
    """Another threshold costs no new chains, other candidates no new chains either, another seed does."""
    law, folder = finished
    shutil.copytree(folder, tmp_path / "run")
    begin = {".lock", "config.toml", "readings.csv"}
    for change, kept in (
        ({"regression": {"threshold": 0.2}}, {"posterior.nc", "derivatives.nc"}),
        ({"law": {"candidates": ["u_xx"]}}, {"posterior.nc"}),
        ({"seed": 5}, set()),
    ):
        with begun(tmp_path / "run", [readings], law.settings.changed(change), overwrite=True):
            assert {path.name for path in (tmp_path / "run").iterdir()} == begin | kept
        shutil.rmtree(tmp_path / "run")
        shutil.copytree(folder, tmp_path / "run")
    again = discover(readings, config=TINY, method=STOLS(0.2, doubling=False), workdir=tmp_path / "run", overwrite=True)
    np.testing.assert_array_equal(sampled(again).positions, sampled(law).positions)
    assert list(again.coefficients["term"]) == ["u_x"]


@pytest.mark.parametrize(
    "wrong",
    [{"noise": [0.1, 0.2]}, {"within": {"y": (0, 1)}}, {"candidates": ["u_xq"]}, {"keep_draws": 0}, {"workers": 0}],
)
def test_nothing_is_replaced_by_a_run_that_cannot_work(wrong, finished, readings, tmp_path):
    shutil.copytree(finished[1], tmp_path / "run")
    with pytest.raises(InputError):
        discover(readings, config=TINY, workdir=tmp_path / "run", overwrite=True, **wrong)
    assert (tmp_path / "run" / "law.json").read_bytes() == (finished[1] / "law.json").read_bytes()


@pytest.mark.parametrize(
    "left", [[".pdescry-readings-1a2b3c4d.csv"], [".pdescry-config-1a2b3c4d.toml"], ["config.toml"], []]
)
def test_killed_while_it_began(left, finished, readings, tmp_path):
    """Whatever is left of the first files, the repeated call begins."""
    for name in left:
        (tmp_path / name).write_text((finished[1] / name).read_text() if name == "config.toml" else "half")
    with begun(tmp_path, [readings], finished[0].settings):
        pass
    (again,), settings = load_inputs(tmp_path)
    assert again == readings
    assert settings == finished[0].settings


def test_what_a_killed_process_left_goes_when_somebody_goes_on(finished, tmp_path):
    law, folder = finished
    left, theirs = ".pdescry-posterior-1a2b3c4d.nc", ".pdescry-notes"
    shutil.copytree(folder, tmp_path / "run")
    (tmp_path / "run" / left).write_text("half")
    law.save(tmp_path / "run")  # is not refused
    for name in (left, theirs):
        (tmp_path / "run" / name).write_text("half")
    with reopened(tmp_path / "run"):
        assert not (tmp_path / "run" / left).exists()
    assert (tmp_path / "run" / theirs).exists()


@pytest.mark.parametrize("theirs", [".backup.20240101.csv", ".env.20231224", ".pdescry-notes", "config.toml"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_strangers_files_stay(theirs, overwrite, finished, readings, tmp_path):
    """Hidden ones with a date for a name, and settings that no run wrote."""
    text = to_toml(finished[0].settings) if theirs == "config.toml" else "mine"
    (tmp_path / theirs).write_text(text)
    with pytest.raises(InputError, match="Expected a new or empty folder"):
        discover(readings, config=TINY, workdir=tmp_path, overwrite=overwrite)
    assert (tmp_path / theirs).read_text() == text


def test_a_run_whose_units_nobody_knew_goes_on_with_them(finished, readings, tmp_path):
    """What was sampled before stays; the law, its files and a copy of it have the units."""
    shutil.copytree(finished[1], tmp_path / "run")
    assert "units =" not in (tmp_path / "run" / "config.toml").read_text(encoding="utf-8")
    (tmp_path / "run" / "law.json").unlink()
    units = {"t": "s", "x": "mm", "u": "°C"}
    law = discover(replace(readings, units=units), config=TINY, workdir=tmp_path / "run", figures=False)
    np.testing.assert_array_equal(sampled(law).positions, sampled(finished[0]).positions)
    assert law.readings.units == units
    assert json.loads((tmp_path / "run" / "law.json").read_text(encoding="utf-8"))["readings"]["units"] == units
    law.save(tmp_path / "copy")
    assert load(tmp_path / "copy").readings.units == units
    (again,), _ = load_inputs(tmp_path / "copy")
    assert again.units == units


def test_a_picture_that_cannot_be_drawn_stops_nobody(finished, tmp_path, monkeypatch):
    shutil.copytree(finished[1], tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "figures")

    def broken(*_, **__):
        raise RuntimeError("no ink")

    monkeypatch.setattr("pdescry.plot.slices", broken)
    with pytest.warns(UserWarning, match=r"Could not draw slices\.png: no ink"):
        assert repr(resume(tmp_path / "run")) == repr(finished[0])
    drawn = {path.name for path in (tmp_path / "run" / "figures").iterdir()}
    assert drawn == PICTURES - {"slices.png"}


def test_the_second_process_is_refused(finished, readings):
    _, folder = finished
    with filelock.FileLock(folder / ".lock"):
        for call in (lambda: resume(folder), lambda: discover(readings, config=TINY, workdir=folder)):
            with pytest.raises(InputError, match="Another process is working in"):
                call()


def test_bad_input_before_any_work(readings, tmp_path):
    with pytest.raises(InputError, match="pass dt="):
        discover(np.zeros((3, 3)))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="u_xq"):
        discover(readings, ["u_xq"], workdir=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "name", ["law.json", *(pytest.param(name, marks=pytest.mark.slow) for name in ("posterior.nc", "derivatives.nc"))]
)
def test_a_full_disk_loses_nothing_that_was_finished(name, finished, readings, tmp_path, monkeypatch):
    """The write of one file fails; what came before it stays, and the run ends as if nothing had happened."""
    _, folder = finished
    shutil.copytree(folder, tmp_path / "run")
    order = ["posterior.nc", "derivatives.nc", "fit.json", "law.json"]
    for later in order[order.index(name) :]:
        (tmp_path / "run" / later).unlink()
    real = os.replace

    def full(source, target):
        if Path(target).name == name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(InputError, match=rf"{name}.*No space left on device"):
            resume(tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} >= {"config.toml", "readings.csv"}
    assert not (tmp_path / "run" / name).exists()
    resume(tmp_path / "run", figures=False)
    assert (tmp_path / "run" / "law.json").read_bytes() == (folder / "law.json").read_bytes()


def test_damage_is_told(finished, tmp_path):
    _, folder = finished
    for name, content in (("readings.csv", "t,x\n"), ("law.json", "{"), ("posterior.nc", "x"), ("config.toml", "[")):
        copy = tmp_path / name
        shutil.copytree(folder, copy)
        (copy / name).write_text(content)
        with pytest.raises(InputError):
            load(copy)


def test_readings_of_all_kinds_come_back(tmp_path):
    """Two fields, two axes, named sensors, known noise, another name of time: exactly."""
    rng = np.random.default_rng(0)
    numbers = {name: rng.uniform(0, 1, 30) for name in ("clock", "x", "y", "a", "sensor")}
    frame = pd.DataFrame(numbers | {"who": [f"s{number % 5}" for number in range(30)]})
    readings = Readings.from_frame(
        frame, time="clock", space=["x", "y"], fields=["a", "sensor"], sensor="who", noise=0.1
    )
    with begun(tmp_path / "run", [readings], PRESETS["paper"]):
        pass
    (again,), settings = load_inputs(tmp_path / "run")
    assert again == readings
    assert (again.source, again.notes, again.time_name) == (readings.source, readings.notes, readings.time_name)
    assert settings == PRESETS["paper"]


# ---- stopped at whatever moment --------------------------------------------------------------------------------------

PROGRAM = """
import os, signal, sys
from pdescry import resume
stop, count = sys.argv[2], int(sys.argv[3])
seen = 0
def progress(stage, fraction, left):
    global seen
    seen += stage.startswith(stop)
    if seen == count:
        os.kill(os.getpid(), signal.SIGKILL)
resume(sys.argv[1], progress=progress, workers=1)
"""
MOMENTS = [
    ("field: warm", 1),
    ("field: sampling", 2),
    ("derivatives", 1),
    ("law: judging", 1),
    ("law: solving", 1),
    ("figures", 2),
]


def begin(finished: tuple[Law, Path], folder: Path) -> Path:
    """A run directory with nothing done."""
    folder.mkdir()
    for name in ("config.toml", "readings.csv"):
        shutil.copy(finished[1] / name, folder / name)
    return folder


def resuming(folder: Path) -> list[str]:
    """`pdescry resume`, not deaf to Ctrl-C: under a shell's `&` a process is born so, and so are its children."""
    hearing = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{hearing}; from pdescry.cli import main; main()"
    return [sys.executable, "-c", code, "resume", str(folder), "--quiet"]


def times_begun(folder: Path) -> int:
    log = folder / "log.txt"
    return log.read_text().count("Begun or resumed") if log.exists() else 0


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Until it happened or the process ended."""
    while not happened() and process.poll() is None:
        time.sleep(0.02)


def killed_at(folder: Path, moments: list[tuple[str, int]]) -> None:
    for stage, count in moments:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(folder), stage, str(count)], capture_output=True, text=True
        )
        assert done.returncode == -signal.SIGKILL, (stage, done.stderr)


def test_killed_and_resumed_it_ends_with_the_same_bytes(finished, tmp_path):
    folder = begin(finished, tmp_path / "run")
    killed_at(folder, [MOMENTS[1]])
    assert (folder / "chains").is_dir()
    assert not (folder / "posterior.nc").exists()
    resume(folder, workers=1)
    assert (folder / "law.json").read_bytes() == (finished[1] / "law.json").read_bytes()
    assert {path.name for path in folder.iterdir()} == FILES


@pytest.mark.slow
def test_derivatives_begun_beside_a_chain_end_with_the_same_bytes(readings, tmp_path, monkeypatch):
    config = TINY | {"sampler": TINY["sampler"] | {"draws": 100}}
    discover(readings, config=config, workdir=tmp_path / "after", workers=1, figures=False)

    def stop(stage: str, fraction: float, left: float | None) -> None:
        if fraction >= 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # when chain 0 is finished and chain 1 is not
        discover(readings, config=config, workdir=tmp_path / "beside", workers=1, progress=stop)
    monkeypatch.setattr(pool, "n_cores", lambda: 2)
    swept, add = [], Differentiation.add

    def watched(self: Differentiation, draws: Posterior, workers: int) -> None:
        add(self, draws, workers)
        swept.append(self.sweep.n_draws)

    monkeypatch.setattr(Differentiation, "add", watched)
    resume(tmp_path / "beside", figures=False)
    assert swept[0] == 64  # of the 100 of chain 0, those that fill chunks
    for name in ("law.json", "fit.json"):
        assert (tmp_path / "beside" / name).read_bytes() == (tmp_path / "after" / name).read_bytes()
    one, two = (Derivatives.load(tmp_path / each / "derivatives.nc") for each in ("beside", "after"))
    np.testing.assert_array_equal(one.mean, two.mean)
    np.testing.assert_array_equal(one.variance, two.variance)


@pytest.mark.slow
def test_killed_in_every_stage_it_ends_with_the_same_bytes(finished, tmp_path):
    folder = begin(finished, tmp_path / "run")
    killed_at(folder, MOMENTS)
    resume(folder, workers=1)
    assert (folder / "law.json").read_bytes() == (finished[1] / "law.json").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killed_at_random_moments_it_ends_with_the_same_bytes(kind, finished, tmp_path):
    folder = begin(finished, tmp_path / "run")
    command = resuming(folder)
    rng = random.Random(int(kind))
    for _ in range(10):
        before = times_begun(folder)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(lambda before=before: times_begun(folder) > before, process)
        try:
            process.wait(rng.uniform(0, 6))
        except subprocess.TimeoutExpired:
            process.send_signal(kind)
        law, told = process.communicate()
        if process.returncode == 0:
            break
        assert process.returncode == (-kind if kind == signal.SIGKILL else 130) or law, told  # printed: it was over
        assert "pdescry resume" in told or kind == signal.SIGKILL or law
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert (folder / "law.json").read_bytes() == (finished[1] / "law.json").read_bytes()


@pytest.mark.slow
def test_two_processes_at_once(finished, tmp_path):
    folder = begin(finished, tmp_path / "run")
    first = subprocess.Popen(resuming(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until((folder / "chains").exists, first)
    assert first.poll() is None
    second = subprocess.run(resuming(folder), capture_output=True, text=True)
    assert second.returncode == 2
    assert "Another process" in second.stderr
    _, told = first.communicate()
    assert first.returncode == 0, told
    assert (folder / "law.json").read_bytes() == (finished[1] / "law.json").read_bytes()
