"""`pdescry interpolate` as a user types it. One small run is shared, and its folder of checkpoints."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from pdescry import Readings, systems
from pdescry.cli import main
from pdescry.surrogate import Posterior

SMALL = ["--width", "8", "--depth", "1", "--draws", "20", "--thin", "5", "--burn", "5", "--chains", "2", "--seed", "3"]
FLAGS = (
    "output", "plot", "table", "workdir", "seed", "chains", "workers", "noise-sd", "sampler", "draws", "width", "depth",
    "quiet", "force", "time", "space", "field", "sensor", "noise", "missing", "format",
)  # fmt: skip


class Finished(NamedTuple):
    folder: Path
    code: int
    out: str
    err: str

    @property
    def posterior(self) -> Posterior:
        return Posterior.load(self.folder / "cloud.nc")


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Finished:
    """A command with everything it can write, run once."""
    folder = tmp_path_factory.mktemp("interpolate")
    systems.advection_diffusion().observe(sensors=6, every=1.0, noise=0.05, seed=3).to_csv(folder / "cloud.csv")
    targets = {"-o": "cloud.nc", "--plot": "cloud.png", "--table": "table.csv", "--workdir": "run"}
    options = [word for flag, name in targets.items() for word in (flag, str(folder / name))]
    options += ["--steps", "4", "--points", "5", "--workers", "1"]
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(["interpolate", str(folder / "cloud.csv"), *SMALL, *options])
    return Finished(folder, int(ended.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture
def cloud(finished, tmp_path) -> list[str]:
    """The same command in an empty folder, without options for what it writes."""
    shutil.copy(finished.folder / "cloud.csv", tmp_path)
    return ["interpolate", "cloud.csv", *SMALL]


def test_it_says_what_was_found_and_written(finished):
    assert finished.code == 0
    first, last = finished.out.splitlines()
    assert first.startswith("Posterior of u: 2 × 20 draws by MCLMC; noise of u 0.")
    names = [str(finished.folder / name) for name in ("cloud.nc", "cloud.png", "table.csv")]
    assert last == f"Wrote {names[0]}, {names[1]} and {names[2]}."
    assert (finished.folder / "cloud.png").read_bytes().startswith(b"\x89PNG")


def test_draws_that_are_not_mixed_are_told_in_words_of_the_shell(finished):
    assert not finished.posterior.diagnostics.mixed  # forty draws are never fifty effective ones
    assert finished.err.startswith("Warning: not mixed: ")
    assert "--thin" in finished.err
    assert "thin=" not in finished.err
    assert "not mixed" not in finished.out


def test_the_table_is_what_the_posterior_predicts(finished):
    table = pd.read_csv(finished.folder / "table.csv")
    assert list(table) == ["t", "x", "u", "u_sd", "u_low", "u_high"]
    posterior = finished.posterior
    times, places = np.linspace(0, 8, 5), np.linspace(*posterior.readings.span["x"], num=5)
    expected = posterior.predict(times, places)
    assert np.allclose(table.t, np.repeat(times, 5))
    assert np.allclose(table.x, np.tile(places, 5))
    for name in list(table)[2:]:
        assert np.allclose(table[name], expected[name].values.ravel(), rtol=1e-9)
    assert (table.u_low < table.u).all()
    assert (table.u < table.u_high).all()


def test_a_repeated_command_finds_its_chains_again(run, cloud, finished, tmp_path):
    code, out, err = run(*cloud, "--workdir", str(finished.folder / "run"), "--quiet")
    assert (code, out) == (0, "")
    assert err == finished.err
    found = Posterior.load(tmp_path / "posterior.nc")
    assert np.array_equal(found.positions, finished.posterior.positions)


def test_a_workdir_of_another_problem_is_refused(run, cloud, finished):
    code, _, err = run(*cloud, "--workdir", str(finished.folder / "run"), "--draws", "21")
    assert code == 2
    assert "sampler.draws was 20, now 21" in err


def test_warnings_are_one_line_each(run, cloud, finished, tmp_path):
    shutil.copytree(finished.folder / "run", tmp_path / "run")
    last = max((tmp_path / "run" / "chain-01").iterdir())
    content = bytearray(last.read_bytes())
    content[len(content) // 2] ^= 1
    last.write_bytes(content)
    code, _, err = run(*cloud, "--workdir", "run", "--workers", "1000", "-o", "again.zarr")
    assert code == 0
    damaged, workers, verdict = err.splitlines()
    assert damaged.startswith(f"Warning: The checkpoint 'run/chain-01/{last.name}' is damaged")
    assert workers.startswith("Warning: 1000 workers on ")
    assert verdict.startswith("Warning: not mixed")
    assert np.array_equal(Posterior.load(tmp_path / "again.zarr").positions, finished.posterior.positions)


@pytest.mark.slow
def test_interrupted_and_repeated_it_ends_with_the_same_draws(run, cloud, finished, tmp_path):
    code = (
        # Under a shell's `&` a process is born deaf to Ctrl-C.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);from pdescry.cli import main; main()"
    )
    command = [*cloud, "--workdir", "run", "--workers", "1", "-o", "cloud.nc"]
    with subprocess.Popen(
        [sys.executable, "-c", code, *command], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not (tmp_path / "run" / "chain-00" / "block-00000.npz").exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err == "Interrupted; nothing was written; repeat the command to go on from the checkpoints in 'run'.\n"
    assert not (tmp_path / "cloud.nc").exists()
    assert run(*command)[0] == 0
    assert np.array_equal(Posterior.load(tmp_path / "cloud.nc").positions, finished.posterior.positions)


def test_interrupted_without_a_workdir_it_says_how_it_could_have_gone_on(run, cloud, tmp_path, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pdescry.surrogate.interpolate", interrupted)
    code, out, err = run(*cloud)
    assert (code, out) == (130, "")
    assert err == (
        "Interrupted; nothing was written; with --workdir DIR a repeated command would go on where it stopped.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["cloud.csv"]


BAD = {
    "an unknown sampler": (["--sampler", "gibbs"], "--sampler to be one of mclmc, adjusted-mclmc, hmc, nuts"),
    "an output of unknown kind": (["-o", "a.csv"], "*.nc or *.zarr"),
    "a table of unknown kind": (["--table", "a.nc"], "*.csv"),
    "a picture of unknown kind": (["--plot", "a.doc"], "*.png"),
    "a folder that is not there": (["-o", "no/a.nc"], "no such folder"),
    "no draws": (["--draws", "0"], "draws of MCLMC"),
    "no units": (["--width", "0"], "width of the network"),
    "no chains": (["--chains", "0"], "number of chains"),
    "no workers": (["--workers", "0"], "number of workers"),
    "a negative seed": (["--seed", "-1"], "seed"),
    "negative noise": (["--noise-sd", "-0.1"], "above zero"),
    "noise of a field too many": (["--noise-sd", "0.1", "--noise-sd", "0.2"], "one per field"),
    "noise told twice": (["--noise", "0.1", "--noise-sd", "0.1"], "--noise or --noise-sd"),
    "a column that is not there": (["--time", "clock"], "clock"),
    "a workdir that is a file": (["--workdir", "cloud.csv"], "as a folder"),
}


@pytest.mark.parametrize(("options", "says"), BAD.values(), ids=BAD)
def test_bad_options_end_with_2_before_any_work(run, cloud, tmp_path, options, says):
    code, out, err = run(*cloud, *options)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert says in err
    assert [path.name for path in tmp_path.iterdir()] == ["cloud.csv"]


def test_existing_files_are_kept_unless_forced(run, cloud, tmp_path):
    (tmp_path / "table.csv").write_text("mine")
    code, _, err = run(*cloud, "--table", "table.csv")
    assert code == 2
    assert "--force" in err
    assert (tmp_path / "table.csv").read_text() == "mine"


@pytest.mark.parametrize("option", [["--plot", "a.png"], ["--table", "a.csv"]], ids=["plot", "table"])
def test_a_plane_can_be_neither_drawn_nor_tabled(run, tmp_path, option):
    t, x, y = (part.ravel() for part in np.meshgrid(range(3), range(3), range(3)))
    Readings.from_arrays(t, np.column_stack([x, y]), t + x * y).to_csv(tmp_path / "plane.csv")
    code, _, err = run("interpolate", "plane.csv", *option)
    assert code == 2
    assert f"one space axis for {option[0]}; got 2 (x, y)" in err


def test_known_noise_is_used_as_given(run, cloud, monkeypatch):
    asked = []

    def stop(*_: object, **options: object) -> None:
        asked.append(options)
        raise KeyboardInterrupt

    monkeypatch.setattr("pdescry.surrogate.interpolate", stop)
    run(*cloud)
    run(*cloud, "--noise-sd", "0.07", "--sampler", "Adjusted_MCLMC")
    assert [options["noise"] for options in asked] == [None, 0.07]
    assert [type(options["sampler"]).__name__ for options in asked] == ["MCLMC", "AdjustedMCLMC"]


def test_help_names_every_option_and_how_to_go_on(run):
    _, out, _ = run("interpolate", "--help")
    assert all(f"--{flag} " in out for flag in FLAGS)
    assert "continues where it stopped" in " ".join(out.split())
